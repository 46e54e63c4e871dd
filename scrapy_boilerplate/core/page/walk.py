"""Result of the one walk of an lxml tree: flat arrays, and the names of tags.

The walk itself is compiled: ``_walk_native.pyx``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Generic, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from scrapy_boilerplate.core.page.arrays import Bool, Int32, cumulative
from scrapy_boilerplate.core.page.tags import BLOCK_LEVEL, INVISIBLE, PREFORMATTED

KNOWN_TAGS = (
    # Elements whose ids are the same on every page; other names get ids of their own a page.
    "html body div p a span li ul ol table tbody thead tfoot tr td th br img h1 h2 h3 h4 h5 h6 "
    "strong b em i u s small sup sub code pre blockquote q cite section article main aside header "
    "footer nav form input button select option optgroup label textarea fieldset legend dl dt dd "
    "figure figcaption hr center font time mark address details summary dialog menu hgroup search "
    "caption colgroup col picture source embed object param area map link meta base wbr nobr del "
    "ins abbr acronym dfn kbd samp var tt big strike ruby rt rp bdi bdo data output progress meter "
    "frameset frame dir marquee blink listing xmp plaintext math slot track"
).split()

TAG_IDS = {name: number for number, name in enumerate(KNOWN_TAGS)}

_LITERAL, _LINE, _BREAK = 1, 2, 3
LINE_KINDS = {
    **dict.fromkeys(BLOCK_LEVEL, _LINE),
    **dict.fromkeys(PREFORMATTED, _LITERAL),
    "br": _BREAK,
}
"""Elements that begin or end a line of preformatted text."""


Number = TypeVar("Number", bound=np.generic)


class TagTable(Generic[Number]):
    """A number for each tag name, looked up for all names of a page at once."""

    def __init__(self, numbers: Mapping[str, int], *, other: int, dtype: type[Number]) -> None:
        self._numbers, self._other, self._dtype = numbers, other, dtype
        self._of_known = self._look_up(KNOWN_TAGS)

    def _look_up(self, names: Sequence[str]) -> NDArray[Number]:
        numbers = [self._numbers.get(name, self._other) for name in names]
        return np.array(numbers, dtype=self._dtype)

    def __len__(self) -> int:
        return len(self._numbers)

    def of(self, names: Sequence[str]) -> NDArray[Number]:
        """Return the number of each of a page's *names*, of which the known ones come first."""
        known = self._of_known
        if len(names) == known.size:
            return known
        return np.concatenate([known, self._look_up(names[known.size :])])


def bits_of(groups: Sequence[frozenset[str]]) -> TagTable[np.uint32]:
    """Return a table of the groups that each tag name is in, a bit each; there may be 32."""
    bits: dict[str, int] = {}
    for number, group in enumerate(groups):
        for name in group:
            bits[name] = bits.get(name, 0) | 1 << number
    return TagTable(bits, other=0, dtype=np.uint32)


class Walk(NamedTuple):
    """A tree's visible elements and text nodes, both in document order."""

    names: list[str]
    """Tag names by tag id, lower case, without namespace: :data:`KNOWN_TAGS`, then the page's own
    others."""
    qualified_names: list[str]
    """The same names as lxml has them."""
    strings: list[str]
    """Values of ``class`` and ``id`` attributes by string id; the first one is empty."""
    elements: Int32
    """A row of each of :data:`ELEMENT_ROWS`, a column an element."""
    texts: Int32
    """A row of each of :data:`TEXT_ROWS`, a column a text node that is not blank."""
    buffer: str
    """All visible text, white space included. Before and inside preformatted text it has a line
    feed wherever elements begin or end a line."""
    title: str
    """Text of the first ``title`` element, unchanged."""
    declared: int
    """How many elements there are, visible or not, up to the last ``meta``, ``link`` or JSON-LD."""
    prose: int
    """Characters in text nodes outside of links."""
    hidden: int
    """Bytes of the largest script, template, ``noscript`` or state in an attribute."""
    article: int
    """Bytes of the largest of those that may hold an article on any page: ``noscript``, and JSON-LD
    with the text of an article."""
    signs: int
    """What the page may have, a bit each of :data:`SIGNS`."""


SIGNS = (
    *("label", "raised", "contents", "note", "password", "refresh", "base", "bracket"),
    *("fallback", "dialog", "tooltip", "email", "undisplayed", "unit"),
)
"""What rules look for that most pages lack: a short link to a place that may be a label, something
raised that may be one, links of a table of contents, a class or id that says ``note``, a field for
a password, a ``meta`` that leads away, a ``base``, a bracket, an image that is not shown, a dialog
by its name or role, a tooltip by its role, a field for the reader's address of mail, a style that
says ``none``, a comment, answer or post by its microdata."""

ELEMENT_ROWS = (
    *("tag", "parent", "depth", "end", "first_text", "last_text", "class_id", "id_id"),
    *("position", "ordinal", "told"),
)
TEXT_ROWS = ("text_parent", "text_at", "text_start", "text_stop", "text_ordinal")
FIRST_TEXT, START = ELEMENT_ROWS.index("first_text"), TEXT_ROWS.index("text_start")
"""Rows of the first of two places: that of what follows the last one stands behind it."""


def keep_texts(elements: Int32, texts: Int32, keep: Bool) -> tuple[Int32, Int32]:
    """Return the rows of elements and those of the text nodes that *keep* flags."""
    before, elements = cumulative(keep), elements.copy()
    elements[FIRST_TEXT : FIRST_TEXT + 2] = before[elements[FIRST_TEXT : FIRST_TEXT + 2]]
    return elements, texts.compress(keep, axis=1)


def local_name(name: str) -> str:
    """Return a name without namespace, lower case."""
    return (name.rpartition("}")[2] if name[0] == "{" else name).lower()


assert not INVISIBLE & set(KNOWN_TAGS)
