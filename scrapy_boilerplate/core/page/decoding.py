"""From bytes to text: which encoding they have, and whether they are markup."""

from __future__ import annotations

import codecs
import json
import re

from w3lib.encoding import html_body_declared_encoding, read_bom, resolve_encoding, to_unicode

from scrapy_boilerplate.core.page._text_native import look as _look
from scrapy_boilerplate.core.page.characters import is_suspect
from scrapy_boilerplate.core.page.guessing import guess_encoding
from scrapy_boilerplate.core.page.text import code_points

_MARKUP = re.compile(r"<[a-zA-Z/!?]")
_FEED = re.compile(
    # What stands before the first element is read in one way only: no comment holds another's end.
    r"(?:\s|<\?[^>]*>|<!doctype[^>]*>|<!--(?:(?!-->).)*-->)*"
    r"<(?:feed|opml|rdf:rdf|rss|sitemapindex|urlset)[\s>]",
    re.I | re.S,
)
_CONTROLS = re.compile(r"[\x01-\x08\x0b\x0e-\x1f]")  # a tenth of any compressed data
_SURROGATE = re.compile(r"[\ud800-\udfff]")
_UTF_16 = {
    # Optional white space, then "<": a look at one character after the other.
    "utf-16-le": re.compile(rb"(?:[\t\n\r ]\0)*<\0"),
    "utf-16-be": re.compile(rb"(?:\0[\t\n\r ])*\0<"),
}
_NO_WEB_ENCODINGS = frozenset(
    "base64 bz2 hex idna mbcs oem punycode quopri raw-unicode-escape rot-13 undefined "
    "unicode-escape uu zlib".split()
)
"""Python's codecs that are no character encodings, or take quadratic time, or warn."""

_LEAST_DAMAGED, _DAMAGED = 5, 0.01  # damaged characters of a garbled page, and their share of all

_TIMES_THE_DAMAGE = 5
"""Characters beyond ASCII of UTF-8, for each that is damaged: two of any other encoding hardly ever
are one of UTF-8."""

_TOO_MUCH_LATIN = 0.25
"""Share of letters from À to ÿ: at most .13 on 5 700 right pages, in Hungarian; .4 and more where
Chinese, Russian or Greek is read as Latin-1."""

_SAMPLE, _MOST = 1000, 0.75
"""Characters beyond ASCII that are looked at for UTF-8, and the share that must be it."""
_READ_AS = {False: ("latin-1", "cp1252", "cp1250", "cp1251"), True: ("gb18030",)}
"""What UTF-8 is often read as: the second gives Chinese characters, whatever the language."""


def utf8_of(text: str) -> bytes:
    """Return a text in UTF-8; of lone surrogates, which no parser takes, what browsers make."""
    try:
        return text.encode("utf-8")
    except UnicodeEncodeError:
        return _SURROGATE.sub("\ufffd", text).encode("utf-8")


def decode(html: bytes, encoding: str | None) -> tuple[str, bytes | None]:
    """Return the text of *html*, and its UTF-8 if it is that; *encoding* is what HTTP declares.

    What decides stands in docs/policy.md. A page that was stored in another encoding keeps its old
    ``meta``, and text that is no UTF-8 hardly ever looks like it.
    """
    known, bom = read_bom(html)
    if known is not None:
        return to_unicode(html[len(bom or b"") :], known), None
    for known, beginning in _UTF_16.items():
        if beginning.match(html):
            return to_unicode(html, known), None
    known = _web_encoding(encoding)
    text = utf8(html) if known in (None, "utf-8") else None
    if text is not None and html[-1] < 0x80:  # else the last character may be cut off
        return text, html
    if known is None:
        if text is not None or is_mostly_utf8(html):
            return text or html.decode("utf-8", "replace"), None
        known = _web_encoding(html_body_declared_encoding(html))
        if known == "utf-8" or (known and b"meta".decode(known, "replace") != "meta"):
            known = None  # which it is not: nor UTF-16, as the declaration was read as ASCII
    return to_unicode(html, known or guess_encoding(html)), None


def utf8(html: bytes) -> str | None:
    """Return the text of bytes that are UTF-8 beyond ASCII, the last character perhaps cut off."""
    if html.isascii():
        return None
    try:
        text, _ = codecs.utf_8_decode(html, "strict", False)
    except UnicodeDecodeError:
        return None
    return None if text.isascii() else text


def _web_encoding(name: str | None) -> str | None:
    """Return the encoding that *name* stands for, if it is one that pages are written in."""
    known = resolve_encoding(name) if name else None
    return None if known is None or known.replace("_", "-") in _NO_WEB_ENCODINGS else known


def is_mostly_utf8(html: bytes) -> bool:
    """Return whether bytes are UTF-8 but for few that are damaged; no other encoding looks so."""
    if html.isascii():
        return False
    text = html.decode("utf-8", "replace")
    damaged = text.count("\ufffd")
    return _look(text)[1] - damaged >= _TIMES_THE_DAMAGE * damaged


def is_garbled(text: str) -> bool:
    """Tell by its characters whether text was decoded wrongly, as docs/policy.md has it."""
    if text.isascii():
        return False
    visible, beyond, broken, latin, chinese = _look(text)
    least = max(_LEAST_DAMAGED, _DAMAGED * visible)
    if beyond < least:
        return False
    if broken >= least or latin >= _TOO_MUCH_LATIN * visible:
        return True
    codes = code_points(text)
    sample = codes[codes > 0x7F][:_SAMPLE].tobytes().decode("utf-32-le", "surrogatepass")
    return any(_is_utf8_read_as(codec, sample) for codec in _READ_AS[chinese > beyond / 2])


def _is_utf8_read_as(codec: str, text: str) -> bool:
    """Return whether most of *text* is UTF-8 that was decoded as *codec*."""
    bytes_ = text.encode(codec, "ignore")
    right = bytes_.decode("utf-8", "ignore").encode()
    return len(right) >= _MOST * max(len(bytes_), len(text))


def is_markup(text: str) -> bool:
    """Tell HTML from feeds, sitemaps, images, archives, JSON and plain text served as HTML."""
    if _MARKUP.search(text) is None:
        return not text.strip("\ufeff\0 \t\r\n")  # an empty page is a page
    beginning = text[:1024].lstrip("\ufeff\0 \t\r\n")
    if beginning.startswith("%PDF-") or _FEED.match(beginning):
        return False
    if is_suspect(beginning) and (len(_CONTROLS.findall(beginning)) > max(8, len(beginning) // 32)):
        return False
    if beginning.startswith(("{", "[")):
        try:
            json.loads(text)
        except (ValueError, RecursionError):
            return True
        return False
    return True
