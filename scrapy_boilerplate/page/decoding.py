"""From bytes to text: encodings, and what is markup at all."""

from __future__ import annotations

import json
import re

from w3lib.encoding import html_body_declared_encoding, html_to_unicode, resolve_encoding

try:
    import charset_normalizer
except ImportError:  # older versions of Scrapy do without, and read Windows-1252
    charset_normalizer = None  # type: ignore[assignment]

__all__ = ["decode", "encodable", "is_markup"]

_MARKUP = re.compile(r"<[a-zA-Z/!?]")
_CONTROL = re.compile(r"[\x01-\x08\x0b\x0e-\x1f]")  # a tenth of any compressed data
_NO_WEB_ENCODINGS = frozenset(
    "base64 bz2 hex idna mbcs oem punycode quopri raw-unicode-escape rot-13 undefined "
    "unicode-escape uu zlib".split()
)
"""Python's codecs that are no character encodings, or take quadratic time, or warn."""


def encodable(text: str) -> str:
    """Replace lone surrogates, which no parser takes."""
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return text.encode("utf-8", "replace").decode("utf-8")
    return text


def decode(html: bytes, encoding: str | None) -> str:
    """Decode as Scrapy does, but for what Python knows and no browser: a page may declare that."""
    declared = (encoding and resolve_encoding(encoding)) or html_body_declared_encoding(html)
    if declared and declared.replace("_", "-") in _NO_WEB_ENCODINGS:
        return html.decode(_guess_encoding(html), "replace")
    content_type = f"text/html; charset={encoding}" if encoding else None
    return html_to_unicode(content_type, html, auto_detect_fun=_guess_encoding)[1]


def _guess_encoding(html: bytes) -> str:
    try:
        html.decode("utf-8")
    except UnicodeDecodeError:
        if charset_normalizer is None:
            return "cp1252"
        best = charset_normalizer.from_bytes(html).best()
        return (best and resolve_encoding(best.encoding)) or "cp1252"
    return "utf-8"


def is_markup(text: str) -> bool:
    """Tell HTML from images, archives, JSON and plain text that are served as HTML."""
    if _MARKUP.search(text) is None:
        return not text.strip("\ufeff\0 \t\r\n")  # an empty page is a page
    beginning = text[:1024].lstrip("\ufeff\0 \t\r\n")
    if beginning.startswith("%PDF-"):
        return False
    if len(_CONTROL.findall(beginning)) > max(8, len(beginning) // 32):
        return False
    if beginning.startswith(("{", "[")):
        try:
            json.loads(text)
        except (ValueError, RecursionError):
            return True
        return False
    return True
