"""From bytes to a tree with all of a page's text: encodings, and what the parser dropped."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

from lxml import etree
from parsel import Selector
from w3lib.encoding import html_body_declared_encoding, html_to_unicode, resolve_encoding

from scrapy_boilerplate import html5
from scrapy_boilerplate._native import compiled, walk
from scrapy_boilerplate._walk import INVISIBLE, TEXT_ROWS, Walk

try:
    import charset_normalizer
except ImportError:  # older versions of Scrapy do without, and read Windows-1252
    charset_normalizer = None  # type: ignore[assignment]

__all__ = ["decode", "encodable", "is_cut_short", "is_markup", "read_tree", "second_opinion"]

_MARKUP = re.compile(r"<[a-zA-Z/!?]")
_END_OF_HTML = re.compile(r"</html(?![^\s/>])", re.IGNORECASE)
_END_TAG = re.compile(r"</(?:html|body)(?![^\s/>])", re.IGNORECASE)  # fixed words: no backtracking
_CONTROL = re.compile(r"[\x01-\x08\x0b\x0e-\x1f]")  # a tenth of any compressed data
_NO_WEB_ENCODINGS = frozenset(
    "base64 bz2 hex idna mbcs oem punycode quopri raw-unicode-escape rot-13 undefined "
    "unicode-escape uu zlib".split()
)
"""Python's codecs that are no character encodings, or take quadratic time, or warn."""

_STOPS = frozenset(
    getattr(etree.ErrorTypes, name, None)  # an older lxml does not know the first one
    for name in "ERR_RESOURCE_LIMIT ERR_NO_MEMORY ERR_INTERNAL_ERROR ERR_DOCUMENT_END".split()
)
"""Errors at which libxml2 stops reading: a limit, or text after the end of an XML document."""

_NEXT_TO_NO_TEXT, _LEAST_NOSCRIPT_TEXT = 500, 1000
"""Characters. "Please enable JavaScript" is no text of a page: it is shorter."""

_LEAST_DEPTH_LIMIT = 250
"""libxml2 stops at 256 levels, with ``huge_tree`` at 2 048; a few are not in the tree."""


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


def read_tree(root: Any) -> Walk:
    """Walk a tree; ``noscript`` counts as visible on a page that has next to no text without it.

    So do forums serve their pages to crawlers, which are browsers without scripts.
    """
    read = walk(root)
    if _length(read) > _NEXT_TO_NO_TEXT or next(root.iter("{*}noscript"), None) is None:
        return read
    without_scripts: Walk = walk(root, INVISIBLE - {"noscript"})
    least = max(_LEAST_NOSCRIPT_TEXT, 10 * _length(read))
    return without_scripts if _length(without_scripts) >= least else read


def _length(read: Walk) -> int:
    """Return the number of characters in text nodes that are not blank."""
    starts, stops = (read.texts[TEXT_ROWS.index(name)] for name in ("text_start", "text_stop"))
    return int(stops.sum() - starts.sum())


def is_cut_short(root: Any) -> bool:
    """Tell whether the parser of a tree stopped before the end of its input.

    A parser that read another document since has forgotten; what it says must fit the tree, which
    then ends where the parser stopped.
    """
    tree = root.getroottree()
    if tree.parser is None:
        return False
    stops = [entry for entry in tree.parser.error_log if entry.type in _STOPS]
    if not stops:
        return False
    last, depth = tree.getroot(), 0
    while len(last):
        last, depth = last[-1], depth + 1
    if "depth" in stops[0].message:
        return depth >= _LEAST_DEPTH_LIMIT
    return bool(stops[0].line >= (last.sourceline or 0))


def second_opinion(source: str, read: Walk, *, truncated: bool) -> Any:
    """Return the root of a tree with more text from the same *source*, ``None`` if none has.

    libxml2 stops at about 2 000 levels, and it drops what stands after ``</html>``.
    """
    if truncated:
        root = html5.parse(encodable(source))
        return root if _text_size(root) >= _visible_size(read) else None
    end = _end_of_html(source)
    rest = source[end:].partition(">")[2] if end >= 0 else ""
    if not rest or rest.isspace() or not _text_size(_parse_on(encodable(rest))):
        return None
    root = _parse_on(encodable(source))  # the end tag may have stood in a script or a comment
    return root if _text_size(root) > _visible_size(read) else None


def _end_of_html_in_python(source: str) -> int:
    """Return the offset after the first ``</html``, −1 without one."""
    end = _END_OF_HTML.search(source)
    return end.end() if end else -1


_end_of_html: Callable[[str], int] = (
    compiled("_text_native", "end_of_html") or _end_of_html_in_python
)


def _parse_on(source: str) -> Any:
    """Return the root of the tree of *source* that does not end at ``</body>`` or ``</html>``."""
    return Selector(text=_END_TAG.sub("</img", source), type="html").root


def _text_size(root: Any) -> int:
    return _visible_size(walk(root))


def _visible_size(read: Walk) -> int:
    return sum(map(len, read.buffer.split()))
