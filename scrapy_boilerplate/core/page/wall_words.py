"""What walls are called, what they ask of their readers, and the services that put them up."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Literal

from scrapy_boilerplate.core.page._text_native import Phrases

BlockName = Literal[
    "status", "challenge", "denied", "missing", "login", "consent", "script", "redirect", "parked"
]
"""What stands in place of a page: an error of the server, a test for humans, a refusal, news that
there is none, a login, a question about cookies, a demand for JavaScript, a way elsewhere, an offer
of the domain."""

CHALLENGES = re.compile(
    # Names from the documentation of services that stand before a site.
    r"_cf_chl_opt|/cdn-cgi/challenge-platform/h/|cf-(?:wrapper|error-details|browser-verification)|"
    r"captcha-delivery\.com|px-captcha|/_incapsula_resource\?|\bsec-if-cpt|sec-cpt-if|"
    r"awswafintegration|awswaf\.com[^\"' ]*/challenge|sucuri_cloudproxy|/\.well-known/ddos-guard|"
    r"/\.within\.website/x/cmd/anubis|vercel/security|kpsdk|/distil_r_captcha|tspd_101",
)
PARKED = re.compile(
    r"/adsense/domains/caf\.js|sedoparking|parkingcrew|parklogic|bodiscdn|"
    r"parking-lander|d38psrni17bvxu\.cloudfront",
)
ACCEPT = re.compile(
    r"accept|akzept|zustimm|acept|aceit|accett|agree|allow|reject|ablehn|refus|rechaz|recus|rifiut|"
    r"godta|godkänn|hyväksy|akcept|zgadzam|souhlas|přijm|elfogad|kabul|принять|соглас|прийняти|"
    r"αποδοχή|同意|接受|許可|동의|수락|đồng ý|setuju|قبول|موافق|akkoord|einverstanden|d['’]accord"
)
"""What stands on a button that answers a question about cookies."""
COOKIES = "cookie куки クッキー 쿠키 çerez evästei sütik ciastecz печиња".split()
TRACKING = "tracking"
"""What walls say that ask to agree or to pay, of which some name no cookies."""
US = re.compile(
    r"\b(?:please|bitte|merci de|por favor|prego|we|our|us|wir|uns\w*|nous|nos|notre|nuestr\w+|"
    r"utilizamos|usamos|noi|nostr\w+|utilizziamo|usiamo|noss\w+|wij|vi|våra|vores|våre|nasz\w*|używamy|používáme|biz|мы|наш\w*|ми)\b|"
    r"\bihre (?:zustimmung|einwilligung)|your consent|votre consentement|su consentimiento|"
    r"当社|弊社|当サイト|我们|我們|本网站|本網站|저희|당사|우리"
)
USE = re.compile(
    r"\bus(?:e|es|ing|[ao]\w*)\b|verwend|nutzen|einsetz|setzen|utili[sz]|gebruik|plaats|använd|"
    r"bruk|anvend|käyt|použív|używa|stosuj|használ|kullan|использ|използв|користи|"
    r"χρησιμοπ|使用|利用|사용|نستخدم|sử dụng|menggunakan|folosi|השתמש"
)
RIGHTS = (
    "©|copyright|rights reserved|rechte vorbehalten|droits réservés|derechos reservados|"
    "direitos reservados|diritti riservati|rechten voorbehouden|prawa zastrzeżone|"
    "права защищены|版权所有|無断転載"
).split("|")
"""Sentences of a page's foot."""
PRIVACY = re.compile(
    r"consent|privacy|personal|partner|tracking|daten|zustimm|einwillig|données|datos|dados|"
    r"dati\b|gegevens|конфиденц|данны|プライバシー|隐私|개인정보"
)

_PLEASE = (
    r"\bplease\b|\bbitte\b|veuillez|s'il vous plaît|por favor|per favore|si prega|alstublieft|"
    r"proszę|prosím|kérjük|vă rugăm|lütfen|пожалуйста|будь ласка|παρακαλ|请|請|ください|下さい|"
    r"세요|vui lòng|silakan|mohon|من فضلك|يرجى|אנא|कृपया|กรุณา|لطفا|var god|vänligen|ven+ligst|"
    r"ole hyvä"
)
_SITE = (
    r"\bsite\b|website|\bpage\b|\bapp\b|\bseite\b|webseite|anwendung|página|pagina\b|\bsitio\b|"
    r"\bsito\b|stron[ayęie]\b|stránk|oldal|sayfa|сайт|страниц|сторінк|σελίδα|ページ|サイト|"
    r"页|頁|网站|網站|페이지|사이트|\btrang\b|halaman|الصفحة|الموقع|sivu|\bsid[ae]n?\b|\bserver\b"
)
_BROWSER = (
    r"browser|navigat(?:eur|or)|navegador|przeglądar|prohlížeč|böngész|tarayıcı|браузер|"
    r"ブラウザ|浏览器|瀏覽器|브라우저|trình duyệt|peramban|المتصفح|webbläsar|nettleser|selain"
)
_YOUR_BROWSER = (
    r"\b(?:your|ihr\w*|votre|su|seu|tuo|vostro|uw|je|din|swo\w+|twoj\w+|vaše\w+|ваш\w+|您的|你的) "
    f"?(?:{_BROWSER})"
)
_ALLOW = (
    r"aktiv|einschalt|activ|ativ[ae]|attiv|h?abilit|aanzet|slå (?:på|til)|käyttöön|"
    r"schakel|włącz|povol|zapn|engedélyez|etkinleştir|включ|увімк|ενεργοποι|有効|オン|启用|啟用|开启|"
    r"開啟|打开|打開|활성|사용|kích hoạt|\bbật\b|aktifkan|تفعيل|تمكين|سक्षम|เปิด|فعال"
)
_HUMAN = (
    r"captcha|robot|робот|ロボット|로봇|机器人|機器人|human|\bmensch|humain|umano|menneske|"
    r"människ|człowiek|člověk|\bember\b|\binsan\b|человек|людин|άνθρωπ|人間|人机|人機|사람|người|"
    r"manusia|إنسان"
)
_CONFIRM = (
    r"confirm|bestätig|überprüf|beweis|vérifi|prouve|verifi|comprueb|comprob|demuestr|dimostr|conferm|"
    r"comprov|bevestig|bekräft|bekræft|bekreft|vahvista|potwierd|potvrď|ověř|erősíts|igazol|doğrula|"
    r"подтверд|провер|докаж|підтверд|επιβεβαι|確認|証明|验证|驗證|确认|证明|확인|xác (?:minh|nhận)|"
    r"verifikasi|تحقق|تأكيد"
)
_LOGIN = (
    r"\blog[ -]?in\b|\bsign[ -]?in\b|logged[ -]in|password|anmeld|einlogg|passwort|connecte[rz]|"
    r"identifi|mot de passe|inici[ae] sesión|contraseña|senha|\bentrar\b|acced|inlogg|aanmeld|"
    r"wachtwoord|zaloguj|hasło|přihl|heslo|bejelentkez|jelszó|autentific|parol[aă]|giriş|şifre|"
    r"войдите|войти|\bвход|авториз|увій|парол|συνδε|κωδικ|ログイン|パスワード|登录|登錄|登入|密码|"
    r"密碼|로그인|비밀번호|đăng nhập|mật khẩu|\bmasuk\b|sandi|تسجيل الدخول|התחבר|lösenord|"
    r"logg? ind?\b|kirjaudu|salasana|account|konto|compte|cuenta"
)


def _all(*parts: str) -> str:
    """Return a pattern for a sentence that has all parts."""
    return "^" + "".join(f"(?=.*(?:{part}))" for part in parts)


DEMANDS: Mapping[BlockName, re.Pattern[str]] = {
    "challenge": re.compile(
        r"(?:verif|confirm|prov|mak|ensur|check).{0,40}(?:you['’ ]?a?re|that you).{0,20}"
        r"(?:human|robot|bot\b)|not a (?:ro)?bot\b|press (?:&|and) hold|"
        r"unusual traffic from|(?:^|please |must )(?:complete|solve|enter) .{0,20}"
        r"(?:captcha|characters|challenge|puzzle|action below|security check)\b.{0,40}$|"
        r"select all (?:images|squares)|"
        r"checking (?:your browser before|if the site connection)|needs to review the security|"
        r"enable (?:javascript|js|cookies) and|automated (?:queries|requests|access)|"
        rf"(?:{_PLEASE}).{{0,25}}(?:(?:{_CONFIRM}).{{0,60}}(?:{_HUMAN})|"
        rf"(?:{_HUMAN}).{{0,40}}(?:{_CONFIRM}))|"
        rf"(?:{_CONFIRM}).{{0,40}}\b(?:sie|vous|usted|você|essere|u|du|вы|ви)\b.{{0,30}}(?:{_HUMAN})|"
        rf"(?:{_HUMAN}).{{0,40}}(?:{_CONFIRM}).{{0,20}}(?:ください|下さい|세요)|"
        r"(?:拖[动動]|滑[块塊]|[请請]完成).{0,20}(?:验证|驗證)|"
        r"(?:验证|驗證).{0,20}滑[块塊]"
    ),
    "denied": re.compile(
        f"{_SITE}|{_BROWSER}|permission|permiss|berechtig|autoris|"
        r"\byour? (?:request|network|address|computer|access|country|region)|"
        r"\bip\b|automatic|seconds|"
        r"(?:reference|incident|request|ray) ?id\b|\breferen[cz]|"
        r"\b(?:your|many|the|this|all|process|handle|bad|serv\w+) requests?\b|"
        r"\brequests? (?:from|per|limit|rate|that|was|is|has|have|could|timed|blocked)\b|"
        r"hosting provider|(?:please|minutes|later).{0,30}try again|try again later|this error|"
        r"erneut versuchen|versuchen sie es|nochmal|réessa|"
        r"(?:int[eé]nt|tent|riprov)\w* (?:de nuevo|más tarde|novamente|più tardi)|"
        r"попробуйте|稍后|稍後|しばらく|다시 시도|anfrage|requête|solicitud|запрос|请求|請求|"
        r"リクエスト|요청|a[dm]m[ií]nistra(?:[td][oö]r|teur)|администратор|адміністратор|管理者|管理[员員]|관리자"
    ),
    "missing": re.compile(
        rf"{_SITE}|{_BROWSER}|\byour? (?:country|region)|resource|maint|ad ?block|inconvenien|"
        r"(?:went|gone) wrong|(?:looking|searching) for|found|try again|queue|entschuldig|disculp|"
        r"scus|manut|default|check back|you requested|removed|wieder|kürze|bientôt|pronto|"
        r"ご不便|お待ち|申し訳|"
        r"抱歉|稍后|稍後|죄송|불편"
    ),
    "login": re.compile(_LOGIN),
    "script": re.compile(
        r"(?:^|please |, |must |need to |have to )(?:enable|turn on|activate|allow|switch on)"
        r".{0,20}java ?script|"
        r"java ?script\S* (?:is|seems to be|must be|has to be|needs to be|not) .{0,20}"
        r"(?:disabled|required|available|enabled|turned o|support|switched)|"
        rf"(?:{_SITE}).{{0,40}}(?:requires?|needs|n['’]?o?t .{{0,20}}without|benötigt|necesita|"
        r"requiere|nécessite|richiede|vereist|wymaga|vyžaduje|требу).{0,20}java ?script|"
        + _all(
            rf"(?:{_ALLOW}).{{0,25}}java ?script|java ?script[^:,;]{{0,30}}(?:{_ALLOW})",
            f"{_PLEASE}|{_SITE}|{_YOUR_BROWSER}",
        )
    ),
    "redirect": re.compile(
        r"redirect|weitergeleitet|weiterleit|redirig|redirec|reindirizz|doorgestuurd|przekierow|"
        r"přesměr|перенаправ|リダイレクト|转|轉|이동|moved|umgezogen|click|klick|cliquez|"
        r"haga clic|clique|clicca|klik|нажмите"
    ),
    "parked": re.compile(
        r"^(?=.{0,80}$)(?:.*\bdomain(?: name)?(?: [\w.-]+)? (?:(?:is|may be|might be|could be) "
        r"(?:now )?(?:listed )?(?:for sale|parked|available)|has expired|expired)|"
        r"[\w.-]+\.\w+ is for sale|(?:buy|purchase|own) (?:this|the) domain|"
        r".*domain (?:steht|ist) (?:zum verkauf|zu "
        r"verkaufen)|diese domain (?:wurde|ist|kann|können)|.*domaine.{0,40}(?:à vendre|en vente)|"
        r".*dominio.{0,40}(?:en venta|in vendita)|.*domínio.{0,40}à venda|.*domein.{0,40}te koop|"
        r".*domen[ay].{0,40}na sprzedaż|.*домен.{0,40}(?:продаётся|продается|на продажу|"
        r"припаркован)|.*域名.{0,20}(?:出售中|正在出售|待售|可出售|出售$)|"
        r".*ドメイン.{0,20}(?:販売中|売り出し)|.*도메인.{0,20}판매)"
    ),
}
NEEDED = tuple(
    "script dom домен 域名 ドメイン 도메인 sale bot hold unusual captcha characters challenge "
    "select action check review enable automated human mensch humain umano menneske människ "
    "człowiek člověk ember insan người manusia робот человек людин άνθρωπ إنسان ロボット 人間 "
    "机器人 機器人 人机 人機 로봇 사람 验证 驗證 puzzle".split()
)
"""What a challenge, a parked domain and a demand for scripts say: one of several."""
SAID = Phrases(NEEDED, (*COOKIES, TRACKING), RIGHTS)
ASKS, OF_COOKIES, OF_FOOT = 1, 2, 4
"""Its groups."""
SCRIPT = re.compile(r"(?<![a-z])java ?script(?![a-z])")
TOLD = re.compile(r"\b(?:asks?|wants?|makes?|forces?) (?:you|people|users|visitors)\b")
"""A sentence that tells what another demands."""
HOW_TO = re.compile(
    r"(?:how (?:to|do|can)|why|what|wie (?:man|sie|du)|warum|comment|pourquoi|cómo|por qué|como|"
    r"perché|hoe|waarom|jak|dlaczego|как|почему|зачем|як|如何|怎么|怎樣|为什么|なぜ|어떻게)\b"
)
"""The beginning of a title that explains what others ask for."""

_SERVICE = r"[\s.!?…。！？]*(?:[|–—•·-] .{1,80})?"
REFUSAL = re.compile(
    r"(?:(?:https? )?(?:error|status)?(?: code)?:? ?(?:401|402|403|407|429|451|50[0-4])"
    r"(?: error)?[\s:.–—-]*(?:forbidden|unauthori[sz]ed|authorization required|too many requests|"
    r"payment required|unavailable (?:for|due to) legal reasons|internal server error|bad gateway|"
    r"(?:service|server|temporarily|backend)[\w ]*|gateway time-?out|access[\w ]*)?[\s.:–—-]*"
    r"(?:access (?:is )?denied(?: due to [\w ]{1,40})?)?|"
    r"(?:[\w.-]{1,60} \| 52\d: )?(?:connection timed out|a timeout occurred|ssl handshake failed|"
    r"web server is (?:down|returning an unknown error)|origin (?:dns error|is unreachable)|"
    r"invalid ssl certificate)(?: error code 52\d)?|"
    r"(?:just a|one) moment(?:,? please)?|please wait while[\w ,]{0,60}|"
    r"attention required|(?:this )?account (?:has been )?suspended|"
    r"welcome to nginx|(?:sorry, |your )?access (?:denied|restricted|"
    r"to this (?:page|site|website|resource) (?:has been|is|was) (?:denied|limited|"
    r"restricted|blocked)[\w ]{0,30})|"
    r"forbidden|pardon our interruption|robot check|ddos protection|"
    r"(?:please )?(?:verif(?:y|ying)|prove|confirm) (?:that )?you are (?:(?:a )?human|not a robot)|"
    r"are you (?:a )?(?:robot|human)|making sure you['’]?re not a (?:ro)?bot|"
    r"security (?:check|verification)|(?:our systems have detected )?unusual traffic|"
    r"too many requests|(?:sorry, )?you have been blocked|request (?:blocked|rejected)|"
    r"checking your browser(?: before accessing[\w .-]*)?|one more step|bot verification|"
    r"service (?:temporarily )?unavailable|unauthori[sz]ed|captcha|human verification|"
    r"zugriff (?:verweigert|nicht gestattet)|sicherheitsüberprüfung|accès (?:refusé|interdit)|"
    r"vérification de sécurité|acceso (?:denegado|restringido)|acesso (?:negado|bloqueado)|"
    r"accesso negato|toegang geweigerd|odmowa dostępu|dostęp zabroniony|přístup odepřen|"
    r"hozzáférés megtagadva|acces interzis|erişim engellendi|åtkomst nekad|adgang nægtet|"
    r"ingen tilgang|pääsy estetty|доступ (?:запрещ|ограничен|закрыт)\w*|доступ заборонено|"
    r"вы не робот|проверка браузера(?: перед[\w .-]*)?|"
    r"δεν επιτρέπεται η πρόσβαση|הגישה נדחתה|תיגשה נדחתה|"
    r"تم رفض الوصول|الوصول مرفوض|アクセスが拒否\w*|アクセスを拒否\w*|"
    r"\w{0,9}(?:访问被拒绝|訪問被拒絕?|拒绝访问|安全验证|安全驗證|人机验证)|보안 확인|"
    r"접근이 (?:거부|차단)\w*|액세스가 거부\w*|truy cập bị từ chối|akses ditolak|प्रवेश निषेध)"
    + _SERVICE
)
"""A whole title of a refusal or a challenge; the name of a service may follow."""
MISSING = re.compile(
    r"\A(?:(?:https?|error|erreur|fehler|ошибка|oops|sorry|the|this|that|your|our|die|la|az|site|sitio|sito|"
    r"website|is|currently|сайт на|お探しの|只今|抱歉|您访问的|该|此|시스템)[\s:!,.，–—-]*)*"
    r"(?:(?:404|410|500)(?: error| page)?[\s:!.–—-]*)?(?:404|410|gone|not found|"
    r"nothing (?:was )?found(?: here)?|file not found|(?:page|content|link|article|file|resource|"
    r"url)(?: (?:was|is|you requested|you are looking for|has|could|can)){0,3} ?(?:n?['’]?t|not|"
    r"no longer)?(?: be)? (?:found|missing|unavailable|available|removed)"
    r"(?: in your (?:country|region|location))?|"
    r"internal server error|application error|server error(?: \(?500\)?)?|database error|"
    r"bad gateway|an? (?:unexpected )?error (?:has )?occurr?ed|something went wrong|"
    r"establishing a database connection|"
    r"seite (?:(?:wurde|konnte|ist) )?(?:leider )?nicht (?:gefunden|verfügbar|vorhanden)"
    r"(?: werden)?|page (?:introuvable|non trouvée|inexistante)|"
    r"página n(?:o|ão) (?:encontrada|disponible)|pagina (?:non trovata|niet gevonden|"
    r"nu a fost găsită)|sid[ae]n (?:hittades inte|kunde inte hittas|blev ikke fundet|"
    r"ble ikke funnet|fin[dn]e?s (?:ikke|inte))|sivua ei löyt\w+|nie znaleziono strony|"
    r"strona nie (?:istnieje|została znaleziona)|stránka (?:nenalezena|nebyla nalezena)|"
    r"oldal nem található|sayfa bulunamadı|страница не найдена|сторінку не знайдено|"
    r"η σελίδα δεν βρέθηκε|הדף לא נמצא|الصفحة غير موجودة|ページ[がは]見つかりません\w*|"
    r"页面(?:不存在|未找到|找不到)|頁面(?:不存在|未找到|找不到)|페이지를 찾을 수 없\w+|"
    r"halaman tidak ditemukan|không tìm thấy trang|"
    # It is being mended.
    r"(?:down for|closed for|under|undergoing) (?:scheduled )?maintenance|maintenance mode|"
    r"we['’]ll be (?:right )?back (?:soon|shortly)|be (?:right )?back (?:soon|shortly)|"
    r"wartungs(?:arbeiten|modus)|en maintenance|maintenance en cours|en mantenimiento|"
    r"em manutenção|in manutenzione|in onderhoud|przerwa techniczna|"
    r"техническ\w+ (?:работы|обслуживани\w)|メンテナンス中\w*|"
    r"网站(?:正在)?维护中?|系统(?:正在)?维护中?|"
    r"점검 ?중\w*|bakım çalışması|"
    # The browser, the region, the reader's age or session do not do.
    r"browser (?:is )?(?:not supported|unsupported|outdated|out of date)|unsupported browser|"
    r"(?:not available|unavailable) in your (?:country|region|location)|"
    r"(?:there has been )?a critical error on this website|wordpress › error|"
    r"(?:loading|lädt|chargement|cargando|caricamento|carregando|загрузка|加载中|読み込み中)[ .…]*|"
    r"ad ?block(?:er)? (?:detected|erkannt|détecté|detectado|rilevato)|"
    r"age (?:verification|check|gate)|altersprüfung|are you (?:over|of legal|old enough|at least)"
    r"[\w ]{0,30}|session (?:has )?(?:expired|timed out)|waiting room|you are (?:now )?in (?:line|"
    r"the queue)|apache2? [\w ]{0,20}default page(?:: it works)?|it works)" + _SERVICE
)
"""A whole title of a page that says why the one that was asked for is not shown."""
TITLES: Mapping[BlockName, re.Pattern[str]] = {"denied": REFUSAL, "missing": MISSING}
DOMAIN = re.compile(r"(?:www\.)?[a-z0-9-]+(?:\.[a-z0-9-]{2,})+(?: is for sale!?)?")
