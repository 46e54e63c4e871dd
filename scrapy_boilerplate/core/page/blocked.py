"""Pages that stand in place of another: challenges, walls of logins and consent, parked domains.

They have few words, and say by their markup what they are: the script of a challenge, a field for a
password, a refresh. Where markup says nothing, a few words in many languages do. A page with more
than :data:`MOST_WORDS` words is none of them, and pays nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Literal

import numpy as np
from lxml import etree

from scrapy_boilerplate.core.page.lenient import attribute_of, text_of
from scrapy_boilerplate.core.page.paragraphs import Paragraphs

Block = Literal["status", "challenge", "denied", "login", "consent", "script", "redirect", "parked"]
"""What stands in place of the page: an error of the server, a test for humans, a refusal, a login,
a question about cookies, a demand for JavaScript, a way elsewhere, an offer of the domain."""

MOST_WORDS = 250
_FEW, _HARDLY_ANY, _NONE = 120, 50, 5
"""Words of a page that is blocked, by how sure the sign of it is."""
_MOST_LINKS = 5
"""Links of a page that is told by words alone; others have menus."""

_STATUSES, _SERVER_ERROR = frozenset((401, 402, 403, 407, 429, 451)), 500
_MOST_READ, _SHORT = 4000, 300
"""Characters of a script, and of the page's text, that are looked through; those of a page whose
words need not be counted first."""
_LONGEST_ADDRESS = 300

_SHOWN = ("form", "input", "meta")
_TAGS = (*_SHOWN, "script", "iframe", "noscript")
_ADDRESSES = ("src", "action")
_AT_ONCE = re.compile(r"\s*\d?\s*[;,]\s*(?:url\s*=)?\s*\S", re.I)

_CHALLENGES = re.compile(
    # Names from the documentation of services that stand before a site.
    r"_cf_chl_opt|/cdn-cgi/challenge-platform/h/|cf-error-details|cf-browser-verification|"
    r"captcha-delivery\.com|px-captcha|/_incapsula_resource\?|\bsec-if-cpt|sec-cpt-if|"
    r"awswafintegration|awswaf\.com[^\"' ]*/challenge|sucuri_cloudproxy|/\.well-known/ddos-guard|"
    r"/\.within\.website/x/cmd/anubis|vercel/security|kpsdk|/distil_r_captcha|tspd_101",
)
_TESTS = re.compile(
    r"recaptcha|hcaptcha|turnstile|geetest|arkoselabs|funcaptcha|smartcaptcha|friendly-?captcha",
)
_PARKED = re.compile(
    r"/adsense/domains/caf\.js|sedoparking|parkingcrew|parklogic|bodiscdn|"
    r"parking-lander|d38psrni17bvxu\.cloudfront",
)
_COOKIES = re.compile(
    r"cookies?\b|куки|файлы cookie|クッキー|쿠키|çerez|evästei|sütik|ciastecz|кукита|печиња"
)
_SAYS_CAPTCHA = re.compile(r"captcha\b|robots?\b|roboter\b|робот|ロボット|로봇|机器人|機器人")
_SCRIPT = re.compile(r"(?<![a-z])java ?script(?![a-z])")

_DENIED = re.compile(
    r"(?:(?:error )?(?:40[13]|429|451|503)\b.{0,40}$|just a moment|attention required|"
    r"(?:this )?account (?:has been )?suspended|welcome to nginx|"
    r"access (?:denied|to this page has been denied)|forbidden|pardon our interruption|"
    r"(?:please )?verif(?:y|ying) (?:that )?you are (?:a )?human|are you (?:a )?(?:robot|human)|"
    r"security check|(?:our systems have detected )?unusual traffic|too many requests|"
    r"you have been blocked|sorry, you have been blocked|request (?:blocked|rejected)|"
    r"checking your browser|one more step|bot verification|service unavailable|"
    r"zugriff (?:verweigert|nicht gestattet)|sicherheitsüberprüfung|accès (?:refusé|interdit)|"
    r"vérification de sécurité|acceso denegado|acceso restringido|acesso (?:negado|bloqueado)|"
    r"accesso negato|toegang geweigerd|odmowa dostępu|dostęp zabroniony|přístup odepřen|"
    r"hozzáférés megtagadva|acces interzis|erişim engellendi|åtkomst nekad|adgang nægtet|"
    r"ingen tilgang|pääsy estetty|доступ (?:запрещ|ограничен|закрыт)|доступ заборонено|"
    r"проверка браузера|δεν επιτρέπεται η πρόσβαση|תיגשה נדחתה|تم رفض الوصول|الوصول مرفوض|"
    r"アクセスが拒否|アクセスを拒否|.{0,9}(?:访问被拒绝|訪問被拒|拒绝访问|安全验证|安全驗證|人机验证)|"
    r"접근이 (?:거부|차단)|액세스가 거부|truy cập bị từ chối|akses ditolak|प्रवेश निषेध)",
)
_FOR_SALE = re.compile(
    r"domain.{0,60}(?:for sale|is parked|has expired|available for purchase)|"
    r"(?:buy|purchase|own) (?:this|the) domain|domain (?:steht|ist) (?:zum verkauf|zu verkaufen)|"
    r"diese domain|domaine[^.]{0,40}(?:à vendre|en vente)|dominio[^.]{0,40}en venta|"
    r"dominio[^.]{0,40}in vendita|domínio[^.]{0,40}à venda|domein[^.]{0,40}te koop|"
    r"domen[ay][^.]{0,40}na sprzedaż|домен[^.]{0,40}(?:прода|припаркован)|域名[^。]{0,20}出售|"
    r"ドメイン[^。]{0,20}(?:販売|売)|도메인[^.]{0,20}판매",
)


def find_block(page: Paragraphs, status: int | None) -> Block | None:
    """Return what stands in place of a page's own text, ``None`` for nearly all pages.

    *status* is the HTTP status of the response, if it is known.
    """
    if len(page.buffer) > _MOST_READ:
        return None
    if status is not None and (status in _STATUSES or status >= _SERVER_ERROR):
        return "status" if page.words.sum() <= MOST_WORDS else None
    signs: list[tuple[Block, int]] = []
    is_short = len(page.buffer) <= _SHORT or page.words.sum() <= _FEW
    if is_short:
        signs += _by_markup(page)
    if np.count_nonzero(page.has_tag(("a",))) <= _MOST_LINKS:
        if is_short:
            signs += _by_words(page)
        signs += _asks_for_consent(page)
    return next((block for block, most in signs if page.words.sum() <= most), None)


def _by_markup(page: Paragraphs) -> Iterator[tuple[Block, int]]:
    """Yield what the markup says of the page, and the most words of a page that it says it of."""
    has_tags = page.hides_elements or not page.tag_names.isdisjoint(_SHOWN)
    if not (has_tags or len(page.strings) > 1 or page.root.keys()):
        return  # nothing that could say it
    marks = list(page.strings)
    asks_login = refreshes = wants_script = False
    for node in page.root.iter(*_TAGS) if has_tags else ():
        if node.tag == "input":
            is_password = (attribute_of(node, "type") or "").lower() == "password"
            asks_login = asks_login or (is_password and not _is_hidden(node))
        elif node.tag == "meta":
            refreshes = refreshes or _leads_away(node)
        elif node.tag == "noscript":
            said = "".join(map(str, node.itertext()))
            wants_script = wants_script or bool(_SCRIPT.search(said[:_MOST_READ].lower()))
        else:
            marks += (attribute_of(node, name) or "" for name in _ADDRESSES)
            if node.tag == "script":
                marks.append((text_of(node) or "")[:_MOST_READ])
    said = "\n".join(marks).lower()
    if _CHALLENGES.search(said):
        yield "challenge", _FEW
    if _TESTS.search(said):
        yield "challenge", _HARDLY_ANY
    if _PARKED.search(said) or attribute_of(page.root, "data-adblockkey"):
        yield "parked", _FEW
    if asks_login and page.text_at.size:
        yield "login", _FEW
    if refreshes:
        yield "redirect", _HARDLY_ANY
    if wants_script:
        yield "script", _NONE


def _is_hidden(field: etree._Element) -> bool:
    """Return whether a field stands in an element that is not shown."""
    styles = (attribute_of(each, "style") or "" for each in field.iterancestors())
    return any("display:none" in style.replace(" ", "") for style in styles)


def _leads_away(meta: etree._Element) -> bool:
    """Return whether a ``meta`` shows another page at once, also to browsers with scripts."""
    if (attribute_of(meta, "http-equiv") or "").lower() != "refresh":
        return False
    above = meta.getparent()
    is_for_all = above is None or above.tag != "noscript"
    return is_for_all and bool(_AT_ONCE.match(_short(meta, "content")))


def _short(node: etree._Element, name: str) -> str:
    """Return the beginning of an attribute's value, which may hold a whole image."""
    return (attribute_of(node, name) or "")[:_LONGEST_ADDRESS]


def _by_words(page: Paragraphs) -> Iterator[tuple[Block, int]]:
    """Yield what the words say of the page, and the most words of a page that they say it of."""
    text = " ".join(page.buffer.lower().split())
    if not text:
        return
    if _DENIED.match(page.title.lower()) or _DENIED.match(text):
        yield "denied", _FEW
    if _SAYS_CAPTCHA.search(text):
        yield "challenge", _HARDLY_ANY
    if _SCRIPT.search(text):
        yield "script", _HARDLY_ANY
    if _FOR_SALE.search(text):
        yield "parked", _FEW


def _asks_for_consent(page: Paragraphs) -> Iterator[tuple[Block, int]]:
    has_button = not page.tag_names.isdisjoint(("button", "form", "input"))
    if has_button and len(_COOKIES.findall(page.buffer.lower())) > 1:
        yield "consent", MOST_WORDS
