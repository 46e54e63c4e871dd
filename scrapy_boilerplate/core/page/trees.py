"""Trees with all of a page's text: what the parser dropped, and a second opinion."""

from __future__ import annotations

import re

from lxml import etree

from scrapy_boilerplate.core.page._text_native import find_end, loses_end_tags
from scrapy_boilerplate.core.page._walk_native import walk
from scrapy_boilerplate.core.page.decoding import encodable
from scrapy_boilerplate.core.page.parser import parse_html5, parse_text
from scrapy_boilerplate.core.page.tags import INVISIBLE
from scrapy_boilerplate.core.page.walk import Walk

_END_TAG = re.compile(r"</(?:html|body)(?![^\s/>])", re.IGNORECASE)  # fixed words: no backtracking
_STOPS = frozenset(
    getattr(etree.ErrorTypes, name, None)  # an older lxml does not know the first one
    for name in "ERR_RESOURCE_LIMIT ERR_NO_MEMORY ERR_INTERNAL_ERROR ERR_DOCUMENT_END".split()
)
"""Errors at which libxml2 stops reading: a limit, or text after the end of an XML document."""

_UNKNOWN_TO_THE_PARSER = tuple(
    "article aside details dialog figure footer header hgroup main nav search section".split()
)
"""Elements of HTML5. Without a ``body`` tag before them libxml2 leaves them in the head."""

_LEAST_DEPTH_LIMIT = 250
"""libxml2 stops at 256 levels, with ``huge_tree`` at 2 048; a few are not in the tree."""


def read_tree(root: etree._Element, shows: frozenset[str] = frozenset()) -> Walk:
    """Walk a tree. What the parser left in the head counts as visible, and what *shows* names."""
    invisible = INVISIBLE - shows if shows else INVISIBLE  # which the walk knows by heart
    head = next(root.iterchildren("head"), None) if root.tag == "html" else None
    if head is not None and next(head.iterchildren(*_UNKNOWN_TO_THE_PARSER), None) is not None:
        invisible = invisible - {"head"}
    found: Walk = walk(root, invisible)
    return found


def is_cut_short(root: etree._Element) -> bool:
    """Return whether the parser of a tree stopped before the end of its input.

    The parser's log may be of a later document. So an error counts only if the tree ends where the
    parser stopped.
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


def reparse_if_text_lost(source: str, read: Walk, *, truncated: bool) -> etree._Element | None:
    """Return the root of a better tree from the same *source*, ``None`` if none is better.

    libxml2 stops at about 2 000 levels, it drops what stands after ``</html>``, and it passes over
    end tags, such as ``</pre>`` while a ``div`` is open: what follows would be code.
    """
    if truncated or loses_end_tags(source):
        root = parse_html5(encodable(source))
        return root if _text_size(root) >= _visible_size(read) else None
    end = find_end(source)
    rest = "" if end < 0 else source[end:].partition(">")[2]
    if not rest or rest.isspace() or not _text_size(_parse_on(encodable(rest))):
        return None
    root = _parse_on(encodable(source))  # the end tag may have stood in a script or a comment
    return root if _text_size(root) > _visible_size(read) else None


def _parse_on(source: str) -> etree._Element:
    """Return the root of the tree of *source* that does not end at ``</body>`` or ``</html>``."""
    return parse_text(_END_TAG.sub("</img", source))


def _text_size(root: etree._Element) -> int:
    return _visible_size(read_tree(root))


def _visible_size(read: Walk) -> int:
    return sum(map(len, read.buffer.split()))
