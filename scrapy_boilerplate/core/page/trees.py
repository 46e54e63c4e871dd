"""From text to a tree with all of its text: as parsel parses it, or by a second parser."""

from __future__ import annotations

import re
from itertools import chain
from typing import Any

from lxml import etree, html
from parsel.selector import create_root_node
from selectolax.lexbor import LexborHTMLParser

from scrapy_boilerplate.core.page._walk_native import walk
from scrapy_boilerplate.core.page.budget import Source
from scrapy_boilerplate.core.page.tags import BLOCK_LEVEL, INVISIBLE
from scrapy_boilerplate.core.page.walk import Walk
from scrapy_boilerplate.core.strip import strip_elements

_PRINTED = frozenset(range(0x21, 0x7F))  # bytes of ASCII that are no white space


class _TreeParser(html.HTMLParser):  # type: ignore[misc]  # lxml has no types
    """Parsel's parser, without a table of all ids, for which only XPath's ``id()`` asks."""

    def __init__(self, **options: Any) -> None:
        super().__init__(collect_ids=False, **options)


def parse_text(text: str) -> etree._Element:
    """Return the root of the tree of *text*."""
    return create_root_node(text, _TreeParser)


def parse_source(source: Source) -> etree._Element:
    """Return the root of the tree of *source*.

    From the ends of a text parsel strips all white space, from those of bytes only ASCII's.
    """
    body = source.utf8.strip()
    if _PRINTED.issuperset(body[:1] + body[-1:]) and body:
        return create_root_node("", _TreeParser, body=body)
    return parse_text(source.text)


# -- second opinion -------------------------------------------------------------------------

MAX_DEPTH = 256
"""Elements nested deeper are replaced by paragraphs and void ones: lxml drops what follows about
2 000 levels, and HTML5 parsers need a time that grows with the square of the depth."""

MAX_FORMATTING = 8
"""HTML5 parsers open all unclosed formatting elements again in each paragraph that follows: 240 of
them and 8 000 paragraphs made 1 931 483 elements from 49 kB."""

_TAG_NAME = re.compile(r"<(/?)([a-zA-Z][^\s/>]*)")  # one pass: nothing after a class overlaps it
_FORMATTING = frozenset("b big code em font i s small strike strong tt u".split())  # many at once
# Void elements hold nothing; those with an optional end tag are mostly left open.
_NOT_NESTING = frozenset(
    "area base br col embed hr img input link meta param source track wbr "
    "p li td th tr dt dd option tbody thead tfoot colgroup rt rp html head body".split()
)
_CLOSING = frozenset("address article aside blockquote button center details dialog div dl "
                     "fieldset figure footer header main menu nav ol pre search section ul"
                     .split())  # fmt: skip
"""Elements whose end tag closes what is open in them …"""
_BARRIERS = frozenset("table template object select applet marquee caption foreignobject desc "
                      "title annotation-xml mi mn mo ms mtext".split())  # fmt: skip
"""… but not through these."""
_MOST_CLOSED = 16


def flatten(source: str) -> str:
    """Replace tags that stand too deep or are too many open formatting ones by flat ones."""
    names: list[str] = []  # of the open elements, shown or not
    formatting = 0  # how many of them are formatting elements

    def replace(match: re.Match[str]) -> str:
        nonlocal formatting
        closing, name = match.groups()
        name = name.lower()
        if name in _NOT_NESTING:
            return match.group()
        if not closing:
            names.append(name)
            formatting += name in _FORMATTING
        elif name in _CLOSING and names[-1:] != [name] and name in names[-_MOST_CLOSED:]:
            opened = len(names) - 1 - names[: -_MOST_CLOSED - 1 : -1].index(name)
            if _BARRIERS.isdisjoint(names[opened:]):
                del names[opened + 1 :]  # formatting goes on after it
        shown = len(names) <= MAX_DEPTH and not (
            name in _FORMATTING and formatting > MAX_FORMATTING
        )
        # Other end tags out of order may leave open what they seem to close: nothing is closed.
        if closing and names and names[-1] == name:
            names.pop()
            formatting -= name in _FORMATTING
        if shown:
            return match.group()
        return f"<{closing}{'p' if name in BLOCK_LEVEL else 'img'}"

    return _TAG_NAME.sub(replace, source)


def parse_html5(source: str) -> etree._Element:
    """Return the root of a tree that holds all text of *source*, as a browser would show it."""
    source = flatten(strip_elements(source.encode("utf-8"), "utf-8").decode("utf-8"))
    return parse_text(LexborHTMLParser(source).html or "")


# -- what a parser has dropped ------------------------------------------------------------------

_END_TAG = re.compile(r"</(?:html|body)(?![^\s/>])", re.IGNORECASE)  # fixed words: no backtracking
_STOPS = frozenset(
    getattr(etree.ErrorTypes, name, None)  # an older lxml does not know the first one
    for name in "ERR_RESOURCE_LIMIT ERR_NO_MEMORY ERR_INTERNAL_ERROR ERR_DOCUMENT_END".split()
)
"""Errors at which libxml2 stops reading: a limit, or text after the end of an XML document."""

_UNKNOWN_TO_THE_PARSER = tuple(
    "article aside details dialog figure footer header hgroup main nav search section".split()
)
"""Elements of HTML5. Without a ``body`` tag before them libxml2 leaves them in the head, as it
leaves the body there behind an unknown element that follows a script before ``<html>``."""

_LEAST_DEPTH_LIMIT = 250
"""libxml2 stops at 256 levels, with ``huge_tree`` at 2 048; a few are not in the tree."""


def read_tree(root: etree._Element, shows: frozenset[str] = frozenset()) -> Walk:
    """Walk a tree. What the parser left in the head counts as visible, and what *shows* names."""
    invisible = INVISIBLE - shows if shows else INVISIBLE  # which the walk knows by heart
    head = next(root.iterchildren("head"), None) if root.tag == "html" else None
    if head is not None:
        left = (head.iterchildren(*_UNKNOWN_TO_THE_PARSER), head.iterdescendants("body"))
        if next(chain(*left), None) is not None:
            invisible = invisible - {"head"}
    return walk(root, invisible)


def is_cut_short(root: etree._Element) -> bool:
    """Return whether the parser of a tree stopped before the end of its input.

    Its log may be of a later document, so an error counts only where the tree ends.
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


def reparse_if_text_lost(source: Source, read: Walk, truncated: bool) -> etree._Element | None:
    """Return the root of a better tree from the same *source*, ``None`` if none is better.

    libxml2 stops at about 2 000 levels, it drops what stands after ``</html>`` or ``<html />``, and
    it passes over end tags, such as ``</pre>`` while a ``div`` is open: what follows would be code.
    """
    if truncated or source.loses_end_tags:
        root = parse_html5(source.text)
        return root if _text_size(root) >= _visible_size(read) else None
    rest = b"" if source.end < 0 else source.utf8[source.end :].partition(b">")[2]
    if rest and not rest.isspace() and _text_size(_parse_on(rest.decode("utf-8", "replace"))):
        root = _parse_on(source.text)
    elif not read.buffer or read.buffer.isspace():
        root = parse_text(_end_as_meant(source.text))
    else:
        return None
    return root if _text_size(root) > _visible_size(read) else None


_ENDS_AT_ONCE = re.compile(r"(?i)(<html\b[^<>]*)/>")
_RAW = [
    (name, re.compile(rf"(?i)(<{name}\b[^<>]*>[^<]*)"), re.compile(rf"(?i)</{name}[\s/>]"))
    for name in ("title", "iframe")
]
"""Elements that hold text up to their end tag: without one, all that follows."""


def _end_as_meant(source: str) -> str:
    """End a title or a frame that never ends before the next tag, and no ``html`` at once."""
    source = _ENDS_AT_ONCE.sub(r"\1>", source)
    for name, start, end in _RAW:
        if not end.search(source):
            source = start.sub(rf"\1</{name}>", source)
    return source


def _parse_on(source: str) -> etree._Element:
    """Return the root of the tree of *source* that does not end at ``</body>`` or ``</html>``."""
    return parse_text(_END_TAG.sub("</img", source))


def _text_size(root: etree._Element) -> int:
    return _visible_size(read_tree(root))


def _visible_size(read: Walk) -> int:
    return sum(map(len, read.buffer.split()))
