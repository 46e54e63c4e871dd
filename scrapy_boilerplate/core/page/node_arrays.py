"""The elements and text nodes of a page, as flat arrays, and the XPaths that lead to them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache, partial
from typing import Any

import numpy as np
from lxml import etree
from numpy.typing import ArrayLike

from scrapy_boilerplate.core.caching import cached_property
from scrapy_boilerplate.core.page._declared_native import metas
from scrapy_boilerplate.core.page._elements_native import outermost
from scrapy_boilerplate.core.page._walk_native import nodes_at, values_with
from scrapy_boilerplate.core.page.arrays import Bool, Int, Int32, Int64, cumulative
from scrapy_boilerplate.core.page.characters import readable
from scrapy_boilerplate.core.page.lenient import attribute_of
from scrapy_boilerplate.core.page.walk import ELEMENT_ROWS, SIGNS, TEXT_ROWS, TagTable, Walk
from scrapy_boilerplate.core.page.xpaths import USUAL, USUAL_OF_PARTS, XPaths

_BITS = {sign: 1 << bit for bit, sign in enumerate(SIGNS)}
_XML_LANG = "{http://www.w3.org/XML/1998/namespace}lang"


class Nodes:
    """The visible elements and text nodes of a tree, both in document order."""

    root: etree._Element
    """Root element of the tree that was read; the XPath of every segment resolves on it."""
    names: list[str]
    """Tag names by tag id, lower case, without namespace; several ids may share one."""
    strings: list[str]
    """Values of ``class`` and ``id`` attributes by string id; the first one is empty."""
    buffer: str
    """All visible text, including white space, without characters that show nothing."""

    element_rows: Int32
    """All arrays of elements as rows of one, in the order of ``walk.ELEMENT_ROWS``."""
    text_rows: Int32
    """All arrays of text nodes as rows of one, in the order of ``walk.TEXT_ROWS``."""

    # For each element …
    tag: Int32
    """Tag id of each element."""
    parent: Int32
    """Index of each element's parent; −1 for the root."""
    depth: Int32
    """Number of each element's ancestors."""
    end: Int32
    """Index after the last descendant of each element."""
    first_text: Int32
    """Index of the first text node inside each element, or after it if it has none."""
    last_text: Int32
    """Index after the last text node inside each element."""
    class_id: Int32
    """String id of each element's ``class``."""
    id_id: Int32
    """String id of each element's ``id``."""
    position: Int32
    """Position of each element among all child elements of its parent, from 1."""
    ordinal: Int32
    """Position of each element among all below the root, visible or not; 0 for the root."""

    told: Int32
    """What attributes tell of each element: where a link leads, and bits of ``walk.SIGNS``."""

    # … and for each text node.
    text_parent: Int32
    """Element that holds each text node."""
    text_at: Int32
    """Number of elements that start before each text node."""
    text_start: Int32
    """Offset in the buffer of each text node's first character."""
    text_stop: Int32
    """Offset in the buffer after each text node's last character."""
    text_ordinal: Int32
    """Position of each text node among all those of its parent, from 1 as in XPath."""

    def __init__(self, root: etree._Element, read: Walk) -> None:
        self.root, self._walk = root, read
        self.names, self.strings, self.buffer = read.names, read.strings, read.buffer
        self._set_rows(read.elements, read.texts)

    def _set_rows(self, elements: Int32, texts: Int32) -> None:
        """Set all arrays: compiled code reads them together, others by name."""
        self.element_rows, self.text_rows = elements, texts
        # Strictly, an array is asked for one more row, and the error says which.
        vars(self).update(zip(ELEMENT_ROWS, elements, strict=False))
        vars(self).update(zip(TEXT_ROWS, texts, strict=False))

    # -- elements ----------------------------------------------------------------------------

    @cached_property
    def title(self) -> str:
        """The document's title, white space collapsed; empty if it has none."""
        title = self._walk.title
        return " ".join(readable(title).split()) if title else ""

    @cached_property
    def metas(
        self,
    ) -> tuple[list[tuple[str, str, str, str, str]], list[str], list[tuple[str, str]]]:
        """What ``meta`` elements say, JSON-LD and links; see ``_declared_native``."""
        return metas(self.root, self._walk.declared)

    @property
    def hidden_bytes(self) -> int:
        """Bytes of the largest script, template, ``noscript`` or state, which may hold a text."""
        return self._walk.hidden

    def may_have(self, sign: str) -> bool:
        """Tell whether the page may have what is one of ``walk.SIGNS``."""
        return self._walk.signs & _BITS[sign] > 0

    def with_sign(self, sign: str) -> Bool:
        """Return for each element whether its attributes are one of ``walk.SIGNS``."""
        return self.told & _BITS[sign] > 0

    @cached_property
    def fragment(self) -> Int32:
        """Whether each ``a`` leads to a place on its own page, ``#a`` (2), or any, ``b#a`` (1)."""
        return self.told & 3

    @property
    def language(self) -> str | None:
        """The language that the root element declares, unchanged; ``None`` without one."""
        declared = (attribute_of(self.root, name) for name in ("lang", "xml:lang", _XML_LANG))
        return next((value.strip() for value in declared if value and value.strip()), None)

    @cached_property
    def tag_names(self) -> set[str]:
        """Names of the elements that the page has."""
        return {self.names[tag] for tag in np.bincount(self.tag).nonzero()[0].tolist()}

    def has_tag(self, names: Iterable[str]) -> Bool:
        """Return for each element whether its tag is one of *names*."""
        table = _table_of(frozenset(names)).of(self.names)
        return table.take(self.tag)  # indexing takes twice as long

    def filled(self, names: Iterable[str]) -> Bool:
        """Return for each element whether its tag is one of *names*, and text stands in it."""
        return self.has_tag(names) & (self.last_text > self.first_text)

    def texts(self, chosen: Bool | Int | slice = slice(None)) -> list[str]:
        """Return the *chosen* text nodes as they stand in the buffer."""
        spans = zip(self.text_start[chosen].tolist(), self.text_stop[chosen].tolist(), strict=True)
        return [self.buffer[start:stop] for start, stop in spans]

    def text(self, number: int) -> str:
        """Return a text node as it stands in the buffer."""
        return self.buffer[self.text_start[number] : self.text_stop[number]]

    def said_by(self, element: int) -> str:
        """Return what an element says, as it stands in the buffer."""
        first, last = self.first_text[element], self.last_text[element]
        if first == last:
            return ""
        return self.buffer[self.text_start[first] : self.text_stop[last - 1]]

    def nodes(self, elements: list[int]) -> list[tuple[int, etree._Element]]:
        """Return the nodes of *elements* after these, but for those that were removed since."""
        ordinals = self.ordinal[elements].tolist()
        found = self.nodes_at(ordinals)
        pairs = zip(elements, ordinals, strict=True)
        return [(element, found[ordinal]) for element, ordinal in pairs if ordinal in found]

    def nodes_at(self, ordinals: Iterable[int]) -> dict[int, etree._Element]:
        """Return the nodes at these ordinals, but for those that were removed since."""
        wanted = sorted(ordinals)
        return dict(zip(wanted, nodes_at(self.root, wanted), strict=False))

    def values_with(self, *attributes: str) -> list[list[Any]]:
        """Return what these attributes say of nodes with one of them, each after its ordinal."""
        return values_with(self.root, [name.encode() for name in attributes])

    def is_at(self, ordinals: ArrayLike) -> Bool:
        """Return for each element whether it stands at one of these ordinals."""
        places = self.ordinal.searchsorted(ordinals)
        flags = np.zeros(self.ordinal.size, dtype=bool)
        flags[places[self.ordinal.take(places, mode="clip") == ordinals]] = True
        return flags

    def count_above(self, flags: Bool) -> Int64:
        """Return for each element how many flags it and its ancestors have."""
        ended = np.bincount(self.end[flags], minlength=flags.size + 1)[:-1]
        return cumulative(flags - ended)[1:]

    def count_below(self, flags: Bool) -> Int64:
        """Return for each element how many flags it and the elements in it have."""
        before = cumulative(flags)
        return before[self.end] - before[:-1]

    def sum_inside(self, values: Bool | Int) -> Int64:
        """Return for each element the sum of the values of the text nodes in it."""
        before = cumulative(values)
        return before[self.last_text] - before[self.first_text]

    def texts_inside(self, flags: Bool) -> Bool:
        """Return for each text node whether it stands in a flagged element."""
        return self.outermost(flags) >= 0

    def outermost(self, flags: Bool) -> Int32:
        """Return the outermost flagged element around each text node, −1 without one."""
        return outermost(
            *(flags.view(np.uint8), self.end, self.first_text, self.last_text),
            self.text_parent.size,
        )

    # -- XPaths ----------------------------------------------------------------------------------

    @cached_property
    def _xpaths(self) -> XPaths:
        names = self._walk.qualified_names
        tree = (self.tag, self.parent, self.position, self.ordinal)
        return XPaths(self.root, names, *tree)

    def xpath(self, element: int) -> str:
        """Return the absolute XPath of an element, with at most about a thousand characters.

        For a deeper element the XPath gives the element's number in the tree instead.

        >>> from scrapy_boilerplate import Page
        >>> page = Page.parse("<p>One <b>two</b>")
        >>> page.xpath(2), page.xpath(3)
        ('/html/body/p', '/html/body/p/b')
        """
        return self._xpaths.of_elements([element])[0]

    def xpaths(self, elements: list[int]) -> list[str]:
        """Return the absolute XPaths of *elements*."""
        return self._xpaths.of_elements(elements)

    def xpaths_later(self, places: Sequence[int]) -> Callable[[Sequence[int]], list[str]]:
        """Return a function that gives the XPaths of some of *places*, and holds no tree.

        *places* are the numbers of elements, and -1, -2, … for the first, second, … text node.
        """
        return partial(_write_xpaths, self._xpaths, places, self.text_parent, self.text_ordinal)


def _write_xpaths(
    xpaths: XPaths,
    places: Sequence[int],
    text_parent: Int32,
    text_ordinal: Int32,
    indices: Sequence[int],
) -> list[str]:
    usual = USUAL if len(indices) == len(places) else USUAL_OF_PARTS
    places = [places[index] for index in indices]
    owners = [place if place >= 0 else int(text_parent[-1 - place]) for place in places]
    return [
        path if place >= 0 else f"{path}/text()[{text_ordinal[-1 - place]}]"
        for place, path in zip(places, xpaths.of_elements(owners, usual), strict=True)
    ]


@lru_cache(maxsize=256)
def _table_of(names: frozenset[str]) -> TagTable[np.bool_]:
    return TagTable(dict.fromkeys(names, True), other=False, dtype=np.bool_)
