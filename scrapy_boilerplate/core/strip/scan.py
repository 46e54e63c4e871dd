"""Find the elements of an HTML page whose content is plain text, such as ``script``.

The scan reads the page as the tokenizer of the HTML standard does
(https://html.spec.whatwg.org/multipage/parsing.html#tokenization), with the changes of tokenizer
state that the tree builder asks for. So ``<script>`` in a comment, an attribute value or a
``textarea`` is text, and ``<script><!--<script></script>--></script>`` is one element.

As in the standard, an element without an end tag reaches to the end of the page, and a start tag
that the page breaks off within is no element. An element whose end parsers in use see in different
places is doubtful, such as ``<script/>``, which ends there for lxml but not for browsers.

The scan ends at an element that is doubtful in ``svg`` or ``math``, where ``script`` and ``style``
may hold tags, and would end elsewhere when read as HTML. Which of the two it is, only a tree could
tell.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from scrapy_boilerplate.core.strip._scan_native import Scan

if TYPE_CHECKING:
    from collections.abc import Callable

PLAIN_TEXT = frozenset(
    {"script", "style", "iframe", "noembed", "noframes", "textarea", "title", "xmp"}
)
"""Elements whose content the tokenizer reads as plain text, so the first matching end tag ends
them. Any other element may hold another of its name, or end without a tag."""


class Element(NamedTuple):
    """An element whose content is plain text to the tokenizer, by offsets in the page."""

    name: str
    """In lower case."""
    start: int
    content: int
    """Where the content begins, and the start tag ends."""
    content_end: int
    end: int
    """Where the end tag ends."""
    doubtful: bool
    """Whether parsers in use disagree about the end."""


_SPACE = r"\t\n\f\r "  # the whitespace of the standard; \s would add the vertical tab


_NAME = rf"[^{_SPACE}/>][^{_SPACE}/>=]*"  # may begin with "="
_EQUALS = rf"[{_SPACE}]*=[{_SPACE}]*"
_VALUE = rf"""(?:"[^"]*(?:"|\Z)|'[^']*(?:'|\Z)|[^{_SPACE}>"'][^{_SPACE}>]*)"""
ATTRIBUTE = re.compile(rf"(?P<name>{_NAME})(?:{_EQUALS}(?P<value>{_VALUE}?))?".encode())
"""An attribute of a tag; its value may stand in quotes."""
_FOREIGN = frozenset({"svg", "math"})
# Elements within svg and math that hold HTML again: there, the tags below do not end the svg.
_INTEGRATION = frozenset("foreignobject desc annotation-xml mi mo mn ms mtext".split())
# Tags that end an open svg or math. "font" does so too, with some attributes; left out to be safe.
_BREAKOUT = frozenset(
    "b big blockquote body br center code dd div dl dt em embed h1 h2 h3 h4 h5 h6 head hr i img li "
    "listing menu meta nobr ol p pre ruby s small span strong strike sub sup table tt u ul var "
    "/p /br".split()
)
_SCAN = Scan(Element, (PLAIN_TEXT, _FOREIGN, _INTEGRATION, _BREAKOUT))

find_elements: Callable[[bytes], list[Element]] = _SCAN.elements
"""Return the elements of a page that hold plain text, in order, until there is doubt.

The page is in UTF-8 or another encoding in which a byte of markup is never a part of another
character.
"""

find_surplus: Callable[[bytes], list[tuple[int, int]]] = _SCAN.surplus
"""Return the ranges of such a page that hold the attributes of a tag beyond the first 500."""
