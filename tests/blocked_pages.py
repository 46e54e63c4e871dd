"""Pages that stand in place of another, as services write them, in many languages."""

from __future__ import annotations

FILLER = "<script>" + "var a=1;" * 400 + "</script>"
BLOCKED = {
    "cloudflare": (
        "<html lang=en-US><head><title>Just a moment...</title><meta http-equiv=refresh "
        'content=360></head><body><div class=main-wrapper><noscript><div class="h2"><span '
        "id=challenge-error-text>Enable JavaScript and cookies to continue</span></div></noscript>"
        "</div><script>(function(){window._cf_chl_opt={cvId:'3',cZone:'a.example'}}());</script>"
    ),
    "cloudflare, in another language": (
        "<html lang=fr><head><title>Un instant…</title></head><body><h1>a.example</h1><p>Vérifiez "
        "que vous êtes humain en effectuant l’action ci-dessous.</p><script>window._cf_chl_opt={}"
        "</script><script "
        "src='/cdn-cgi/challenge-platform/h/g/orchestrate/chl_page/v1?ray=8'></script>"
    ),
    "cloudflare, blocked": (
        "<title>Attention Required! | Cloudflare</title><div id=cf-wrapper><div "
        "id=cf-error-details><h1>Sorry, you have been blocked</h1><h2>You are unable to access "
        "a.example</h2><h2>Why have I been blocked?</h2><p>This website is using a security "
        "service to protect itself from online attacks. The action you just performed triggered "
        "the security solution.</p></div></div>"
    ),
    "datadome": (
        "<html><head><title>a.example</title></head><body><p id=cmsg>Please enable JS and disable "
        "any ad blocker</p><script data-cfasync=false>var dd={'rt':'c','host':'geo.captcha-"
        "delivery.com'}</script><script src=https://ct.captcha-delivery.com/c.js></script>"
    ),
    "perimeterx": (
        "<title>Access to this page has been denied</title><body><section><h1>Press &amp; Hold to "
        "confirm you are a human (and not a bot).</h1><div id=px-captcha></div><p>Reference ID "
        "1c2-33</p></section>"
    ),
    "incapsula": (
        "<html style=height:100%><head><META NAME=ROBOTS CONTENT=NOINDEX></head><body><iframe "
        'id=main-iframe src="/_Incapsula_Resource?SWUDNSAI=31&xinfo=1">Request unsuccessful. '
        "Incapsula incident ID: 1234</iframe>"
    ),
    "akamai": (
        "<HTML><HEAD><TITLE>Access Denied</TITLE></HEAD><BODY><H1>Access Denied</H1>You don't have "
        'permission to access "http&#58;&#47;&#47;a&#46;example" on this server.<P>Reference&#32;'
        "&#35;18&#46;1234</BODY>"
    ),
    "search engine": (
        "<title>https://a.example/search?q=x</title><body><form id=captcha-form action=index "
        "method=post><div class=g-recaptcha data-sitekey=x></div></form><div>About this page<br>"
        "Our systems have detected unusual traffic from your computer network.</div>"
    ),
    "shop": (
        "<title>Robot Check</title><h4>Enter the characters you see below</h4><p>Sorry, we just "
        "need to make sure you're not a robot. For best results, please make sure your browser is "
        "accepting cookies.</p><form action=/errors/validateCaptcha><input name=field-keywords>"
        "<button>Continue shopping</button></form>"
    ),
    "waf": (
        "<script>window.gokuProps={}</script><script "
        "src=https://0a.eu.token.awswaf.com/0a/challenge"
        ".js></script><body><div id=challenge-container></div><noscript><h1>JavaScript is disabled"
        "</h1>In order to continue, we need to verify that you're not a robot.</noscript>"
    ),
    "proof of work": (
        "<title>Making sure you're not a bot!</title><body><main><h1>Making sure you're not a bot!"
        "</h1><p>Loading...</p><p>You are seeing this because the administrator of this website "
        "has set up protection.</p></main><script src='/.within.website/x/cmd/anubis/static/js/"
        "main.mjs'></script>"
    ),
    "smart captcha": (
        "<title>Вы не робот?</title><form action=/checkcaptcha><h1>Подтвердите, что запросы "
        "отправляли вы, а не робот</h1><p>Нам очень жаль, но запросы с вашего устройства похожи на "
        "автоматические.</p><button>Продолжить</button></form>"
    ),
    "one more step": (
        "<title>Security check</title><h1>One more step</h1><p>Please complete the security check "
        "to access harbour.example</p><form><div class=h-captcha></div></form>"
    ),
    "captcha in Chinese": (
        "<title>百度安全验证</title><body><div class=timeout>网络不给力，请稍后重试</div><div>返回"
        "首页</div><div>问题反馈</div>"
    ),
    "captcha in Korean": (
        "<title>보안 확인</title><form><p>로봇이 아님을 "
        "확인해 주세요.</p><input name=answer><button>"
        "확인</button></form>"
    ),
    "app": (
        "<title>App</title><noscript>You need to enable JavaScript to run this app.</noscript>"
        f"<div id=root></div>{FILLER}"
    ),
    "app that loads": (
        "<title>App</title><noscript>Bitte JavaScript aktivieren.</noscript><div id=root>Lädt …"
        f"</div>{FILLER}"
    ),
    "no JavaScript": (
        "<title>x</title><h1>JavaScript is not available.</h1><p>We’ve detected that JavaScript is "
        "disabled in this browser. Please enable JavaScript or switch to a supported browser.</p>"
        "<p><a href=/help>Help Center</a></p>"
    ),
    "no JavaScript, Dutch": "<p>Schakel JavaScript in om deze website te kunnen gebruiken.",
    "no JavaScript, German": "<p>Bitte aktivieren Sie JavaScript, um diese Seite anzuzeigen.",
    "no JavaScript, Chinese": "<body>请开启JavaScript并刷新该页.",
    "no JavaScript, Japanese": "<p>JavaScriptを有効にしてください。",
    "no JavaScript, Russian": "<p>Для работы сайта включите JavaScript в браузере.",
    "login": (
        "<title>Log in or sign up</title><div><h2>You must log in to continue.</h2><form><input "
        "name=email placeholder=Email><input type=password name=pass><button>Log in</button></form>"
        "<a href=/recover>Forgotten account?</a></div>"
    ),
    "login, German": (
        "<title>Anmeldung</title><h1>Jetzt anmelden und weiterlesen</h1><form><label>E-Mail</label>"
        "<input type=email><label>Passwort</label><input type=password><button>Anmelden</button>"
        "</form><p>Noch kein Konto? <a href=/neu>Registrieren</a></p>"
    ),
    "consent of a search engine": (
        "<title>Bevor Sie fortfahren</title><h1>Bevor Sie zur Suche weitergehen</h1><div>Wir "
        "verwenden Cookies und Daten, um Dienste bereitzustellen. Wenn Sie „Alle akzeptieren“ "
        "auswählen, verwenden wir Cookies auch für neue Dienste.</div><form "
        "action=https://consent.search.example/save><button>Alle ablehnen</button></form>"
    ),
    "consent of a portal": (
        "<title>Portal is part of the Portal family of brands</title><form method=post class="
        "consent-form "
        "action=/v2/collectConsent?sessionId=3><h1>Before you continue</h1><p>When you "
        "use our sites and apps, we use cookies to provide them to you, to authenticate users and "
        "to measure your use.</p><p>If you click 'Accept all', we and our partners will also store "
        "and access information on a device (in other words, use cookies).</p><button name=agree>"
        "Accept all</button><button name=reject>Reject all</button></form>"
    ),
    "consent or subscription": (
        "<title>Weiter mit Werbung oder mit Abo</title><div><h2>Weiter mit Werbung</h2><p>Besuchen "
        "Sie uns wie gewohnt mit Werbung, Cookies und Tracking. Details zu Cookies stehen in der "
        "Datenschutzerklärung.</p><button>Akzeptieren und weiter</button><h2>Mit dem Abo</h2>"
        "<button>Jetzt abonnieren</button></div>"
    ),
    "consent, French": (
        "<title>Le Site</title><div id=didomi-host class=didomi-popup><p>Avec votre accord, nous "
        "et nos partenaires utilisons des cookies ou technologies similaires. Vous pouvez refuser "
        "les cookies.</p><button>Continuer sans accepter</button><button>Accepter</button></div>"
    ),
    "consent, Russian": (
        "<div><p>Мы используем файлы cookie. Оставаясь на сайте, вы соглашаетесь на использование "
        "файлов cookie.</p><button>Принять</button></div>"
    ),
    "parked": (
        '<html data-adblockkey="MFww"><head><title>a.example</title><script '
        "src=https://www.google.com/adsense/domains/ca"
        "f.js></script></head><body><div id=rs>Related "
        "searches</div><p>This domain may be for sale.</p>"
    ),
    "domain for sale": (
        "<title>a.example</title><h1>a.example</h1><p>The domain a.example is for sale!</p><form>"
        "<input name=offer><button>Make an offer</button></form>"
    ),
    "domain for sale, German": "<h1>a.example</h1><p>Diese Domain steht zum Verkauf.</p>",
    "domain for sale, Spanish": "<h1>a.example</h1><p>Este dominio está en venta.</p>",
    "moved": (
        "<title>x</title><meta http-equiv=refresh "
        "content='0; url=/new'><p>Click <a href=/new>here"
    ),
    "nginx": "<title>403 Forbidden</title><center><h1>403 Forbidden</h1></center><hr><center>nginx",
    "too many": (
        "<title>429 Too Many "
        "Requests</title><h1>Too Many Requests</h1><p>Slow down, please."
    ),
    "denied, French": "<title>Accès refusé</title><h1>Accès refusé</h1><p>Référence 1234.",
    "denied, Russian": (
        "<title>Доступ ограничен</title><p>С "
        "вашего адреса поступает много запросов."
    ),
    "denied, Japanese": (
        "<h1>アクセスが拒否されました</h1>"
        "<p>このページを表示する権限がありません。"
    ),
    "suspended": (
        "<title>Account Suspended</title><h1>This "
        "Account has been suspended.</h1><p>Contact "
        "your hosting provider for more information."
    ),
    "cloudflare, 1020": (
        "<title>Access denied | www.a-long-name.example used Cloudflare to restrict access</title>"
        "<div id=cf-wrapper><h1>Error 1020</h1><h2>Access denied</h2><h2>What happened?</h2><p>"
        "This website is using a security service to protect itself from online attacks.</div>"
    ),
    "denied, Spanish": (
        "<title>Acceso denegado</title><h1>Acceso denegado</h1><p>No tiene permiso para acceder a "
        "esta página. Si cree que es un error, contacte con el administrador.<p>3fa9-11"
    ),
    "denied, German": (
        "<title>403 Forbidden</title><h1>Zugriff verweigert</h1><p>Wenden Sie sich bitte an den "
        "Administrator, wenn Sie meinen, dass das ein Fehler ist."
    ),
    "denied, for administrators": (
        "<title>403 Error</title><h1>403 Error</h1><p>現在、このページへのアクセスは禁止され"
        "ています。"
        "サーバー管理者の方はこちらをご覧ください。"
    ),
    "captcha of a search engine": (
        "<title>Ой!</title><h1>Подтвердите, что запросы отправляли вы, а не робот</h1><p>Нам очень "
        "жаль, но запросы с вашего устройства похожи на автоматические.<form method=POST "
        "action='/checkcaptcha?key=1'><div class=CheckboxCaptcha></div></form>"
    ),
    "wrong credentials": (
        "<title>401 - Unauthorized: Access is denied due to invalid credentials.</title><h1>Server "
        "Error</h1><h2>401 - Unauthorized: Access is denied due to invalid credentials.</h2><h3>"
        "You do not have permission to view this page using the credentials that you supplied.</h3>"
    ),
    "slider": (
        "<title>安全验证</title><h1>请完成安全验证</h1><p>检测到您的访问异常，请拖动滑块完成"
        "验证后继续访问。"
        "<div id=nc_1_wrapper></div>"
    ),
}  # fmt: skip
