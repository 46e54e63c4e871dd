"""A web page as flat arrays: read once, then every method is arithmetic on arrays."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import cached_property, lru_cache, partial
from typing import Any

import numpy as np
from lxml import etree
from numpy.typing import NDArray
from parsel import Selector

from scrapy_boilerplate.page.budget import beginning
from scrapy_boilerplate.page.characters import readable, readable_walk
from scrapy_boilerplate.page.decoding import decode, encodable, is_garbled, is_markup
from scrapy_boilerplate.page.layout import (
    APART,
    BLOCK_LEVEL,
    LABELS,
    LITERAL,
    NO_BREAK,
    PREFORMATTED,
    Layout,
    boundaries,
    shown_apart,
)
from scrapy_boilerplate.page.lenient import attribute_of
from scrapy_boilerplate.page.text import TextStats, count_slices, measure
from scrapy_boilerplate.page.trees import is_cut_short, read_tree, second_opinion
from scrapy_boilerplate.page.walk import ELEMENT_ROWS, TEXT_ROWS, TagTable
from scrapy_boilerplate.page.xpaths import XPaths, smallest_nodes

__all__ = ["Page", "cumulative"]

Bool = NDArray[np.bool_]
Int = NDArray[Any]

_XML_LANG = "{http://www.w3.org/XML/1998/namespace}lang"


class Page:
    """The visible text of a web page and the elements that hold it, as flat arrays.

    Elements and text nodes are numbered in document order. Left out are blank text nodes, comments
    and what no browser with scripts shows as text: the head, ``script``, ``style``, ``noscript``
    (but on a page that has no other text), ``template`` and the like. The tree is read once, in a
    time linear in its nodes, and is never changed. A *block* is a run of text nodes that no
    block-level element interrupts, nor two line breaks: a paragraph, a heading, a list item, a
    cell.

    Use :meth:`parse` for bytes or text, :meth:`from_selector` for a response's selector, or pass
    the root element of an lxml tree.

    >>> page = Page.parse("<p>One <a href='/'>link</a>.</p><ul><li>Item</li></ul>")
    >>> [page.lay_out(start, stop) for start, stop in page.blocks]
    ['One link.', 'Item']
    >>> page.words.tolist(), page.in_link.tolist()
    ([1, 1, 0, 1], [False, True, False, False])
    """

    def __init__(self, root: Any, *, url: str | None = None, source: str | None = None) -> None:
        self.url = url
        """Address of the page, if known."""
        self.is_html = True
        """Whether the page holds markup at all; an image or JSON does not."""
        self.reparsed = False
        """Whether the page was parsed once more, since the parser had dropped a part of it."""
        self.truncated = is_cut_short(root)
        """Whether a part of the page is missing here: the parser dropped it, or it is too much."""
        self.over_budget = False
        """Whether only the beginning of the page was read, since it has more nodes than it may."""
        self.read_again: Callable[[], Page] | None = None
        """Reads the page from its source once more; ``None`` if it was made from a tree."""
        self.root = root
        """Root element of the tree that was read; the XPath of every segment resolves on it."""
        found = read_tree(root)
        whole = None
        if source is not None:
            whole = second_opinion(source, found, truncated=self.truncated)
        if whole is not None:
            self.reparsed = True
            self.root, found = whole, read_tree(whole)
            self.truncated = is_cut_short(whole)
        self.garbled = is_garbled(found.buffer)
        """Whether the page was decoded wrongly, as far as its characters show it."""
        self._walk = read = readable_walk(found)
        self.names = read.names
        """Tag names by tag id, lower case, without namespace; several ids may share one."""
        self.strings = read.strings
        """Values of ``class`` and ``id`` attributes by string id; the first one is empty."""
        self.buffer = read.buffer
        """All visible text, white space included, without characters that show nothing."""
        # For each element …
        self.tag: Int
        """Tag id of each element."""
        self.parent: Int
        """Index of each element's parent; −1 for the root."""
        self.depth: Int
        """Number of each element's ancestors."""
        self.end: Int
        """Index after the last descendant of each element."""
        self.first_text: Int
        """Index of the first text node inside each element, or after it if it has none."""
        self.last_text: Int
        """Index after the last text node inside each element."""
        self.class_id: Int
        """String id of each element's ``class``."""
        self.id_id: Int
        """String id of each element's ``id``."""
        self.position: Int
        """Position of each element among all child elements of its parent, from 1."""
        self.ordinal: Int
        """Position of each element among all below the root, visible or not; 0 for the root."""
        vars(self).update(zip(ELEMENT_ROWS, read.elements, strict=True))
        # … and for each text node.
        self.text_parent: Int
        """Element that holds each text node."""
        self.text_at: Int
        """Number of elements that start before each text node."""
        self.text_start: Int
        """Offset in the buffer of each text node's first character."""
        self.text_stop: Int
        """Offset in the buffer after each text node's last character."""
        self.text_ordinal: Int
        """Position of each text node among all those of its parent, from 1 as in XPath."""
        vars(self).update(zip(TEXT_ROWS, read.texts, strict=True))

    # -- constructors ------------------------------------------------------------------------

    @classmethod
    def parse(
        cls,
        html: bytes | str,
        *,
        url: str | None = None,
        encoding: str | None = None,
        max_nodes: int | None = None,
    ) -> Page:
        """Read bytes or text.

        What decides about bytes, first to last: a byte order mark; *encoding*, which is what the
        HTTP header declares; UTF-8 if they are that, beyond ASCII; ``meta``; a guess by
        ``charset_normalizer``, which newer versions of Scrapy bring.

        Of a page with more than *max_nodes* tags only the beginning is read; by default all is.

        >>> Page.parse('<meta charset="gbk"><p>né'.encode()).buffer
        'né'
        """
        text = encodable(decode(html, encoding) if isinstance(html, bytes) else html)
        source = beginning(text, max_nodes)
        if is_markup(text):
            page = cls.from_selector(Selector(text=source, type="html"), url=url, source=source)
        else:
            page = cls.not_html(url)
        if page.is_html and len(source) < len(text):
            page.over_budget = page.truncated = True
        page.read_again = partial(cls.parse, html, url=url, encoding=encoding, max_nodes=max_nodes)
        return page

    @classmethod
    def from_selector(
        cls, selector: Selector, *, url: str | None = None, source: str | None = None
    ) -> Page:
        """Read the tree that *selector* has parsed already.

        *source* is the text that the selector was made from; with it, what the parser dropped is
        noticed and read from there.
        """
        root = selector.root
        if not isinstance(root, etree._Element) or (source is not None and not is_markup(source)):
            return cls.not_html(url)
        return cls(root, url=url, source=source)

    @classmethod
    def not_html(cls, url: str | None = None) -> Page:
        """Return the page of what is no HTML: an image, JSON, plain text."""
        page = cls(etree.Element("html"), url=url)
        page.is_html = False
        return page

    # -- elements ----------------------------------------------------------------------------

    @property
    def title(self) -> str:
        """The document's title, white space collapsed; empty if it has none."""
        return " ".join(readable(self._walk.title).split())

    @property
    def language(self) -> str | None:
        """The language that the root element declares, as it stands there; ``None`` without one."""
        declared = (attribute_of(self.root, name) for name in ("lang", "xml:lang", _XML_LANG))
        return next((value.strip() for value in declared if value and value.strip()), None)

    def has_tag(self, names: Iterable[str]) -> Bool:
        """Return for each element whether its tag is one of *names*."""
        flags: Bool = _table_of(frozenset(names)).of(self.names)[self.tag]
        return flags

    def count_above(self, flags: Bool) -> Int:
        """Return for each element how many of it and its ancestors are flagged."""
        steps = np.zeros(self.tag.size + 1, dtype=np.int64)
        steps[:-1] = flags
        steps -= np.bincount(self.end[flags], minlength=steps.size)
        return steps[:-1].cumsum()

    @cached_property
    def is_block(self) -> Bool:
        """Whether each element is block-level."""
        return self.has_tag(BLOCK_LEVEL)

    @cached_property
    def in_link(self) -> Bool:
        """Whether each text node stands inside an ``a`` element."""
        return (self.count_above(self.has_tag(("a",))) > 0)[self.text_parent]

    # -- views -------------------------------------------------------------------------------

    def restricted(self, keep: Bool) -> Page:
        """Return a view of this page that holds only the flagged text nodes.

        Its elements, tree and XPaths are this page's. The i-th text node of the view is the i-th
        flagged one, so ``numpy.flatnonzero(keep)`` maps the view's spans back.

        >>> page = Page.parse("<p>One.</p><p>Two.</p><p>Three.</p>")
        >>> view = page.restricted(np.array([True, False, True]))
        >>> [view.lay_out(start, stop) for start, stop in view.blocks]
        ['One.', 'Three.']
        """
        view = Page.__new__(Page)
        computed = {n for n, value in vars(Page).items() if isinstance(value, cached_property)}
        view.__dict__.update((n, v) for n, v in vars(self).items() if n not in computed)
        kept = np.flatnonzero(keep)
        seen = np.zeros(keep.size + 1, dtype=np.int32)
        np.cumsum(keep, out=seen[1:])
        view.first_text, view.last_text = seen[self.first_text], seen[self.last_text]
        for name in TEXT_ROWS:
            setattr(view, name, getattr(self, name)[kept])
        # Runs of neighbours keep the white space before and between them.
        opens = np.ones(kept.size, dtype=bool)
        opens[1:] = np.diff(kept) > 1
        run_start = np.append(0, self.text_stop)[kept[opens]]
        run_stop = self.text_stop[kept[np.append(opens[1:], True)[: kept.size]]]
        view.buffer = "".join(
            self.buffer[start:stop]
            for start, stop in zip(run_start.tolist(), run_stop.tolist(), strict=True)
        )
        offsets = np.append(0, np.cumsum(run_stop - run_start))[:-1]
        shift = (offsets - run_start)[np.cumsum(opens) - 1].astype(np.int32)
        view.text_start, view.text_stop = view.text_start + shift, view.text_stop + shift
        # What was computed of the elements, or of each text node by itself, is still true.
        for name in ("is_block", "_xpaths"):
            if name in vars(self):
                vars(view)[name] = vars(self)[name]
        for name in ("words", "symbols", "visible"):
            vars(view)[name] = getattr(self, name)[kept]
        # Text nodes are separated by the strongest break of those that stood between them.
        if kept.size:
            gaps = np.append(0, kept[:-1] + 1)
            vars(view)["_boundaries"] = tuple(
                np.maximum.reduceat(row[: kept[-1] + 1], gaps) for row in self._boundaries
            )
        return view

    # -- text --------------------------------------------------------------------------------

    @cached_property
    def stats(self) -> TextStats:
        """Cumulative counts over the characters of :attr:`buffer`: they take more than it."""
        return measure(self.buffer, self.text_start)

    @cached_property
    def _counts(self) -> Sequence[Int]:
        """Words, symbols and visible characters of each text node."""
        return count_slices(self.buffer, self.text_start, self.text_stop)

    @cached_property
    def words(self) -> Int:
        """Number of words of each text node."""
        return self._counts[0]

    @cached_property
    def symbols(self) -> Int:
        """Number of visible characters outside words of each text node."""
        return self._counts[1]

    @cached_property
    def visible(self) -> Int:
        """Number of characters of each text node that are not white space."""
        return self._counts[2]

    # -- blocks ------------------------------------------------------------------------------

    @cached_property
    def _boundaries(self) -> tuple[NDArray[np.uint8], Bool]:
        breaks, opens = boundaries(
            self.names, self.tag, self.first_text, self.last_text, self.text_at.size
        )
        apart = shown_apart(
            self.buffer,
            (self.text_start, self.text_stop),
            (self.parent, self.first_text, self.last_text),
            self.has_tag(LABELS),
        )
        if apart:
            literal = self.count_above(self.has_tag(LITERAL))[self.text_parent] > 0
            apart = [text for text in apart if breaks[text] == NO_BREAK and not literal[text]]
            breaks[apart] = APART
        return breaks, opens

    @property
    def is_apart(self) -> Bool:
        """Whether a browser shows each text node apart from the one before, though no white space
        stands between them.
        """
        apart: Bool = self._boundaries[0] == APART
        return apart

    @cached_property
    def blocks(self) -> Int:
        """Text nodes of each block, as rows of (start, stop); together they hold all of them."""
        return self.cut_blocks([])

    def cut_blocks(self, cuts: Int | Sequence[int]) -> Int:
        """Return the blocks, cut before each of the text nodes *cuts* as well.

        >>> page = Page.parse("<p>One <b>two</b> three.</p><p>Four.</p>")
        >>> page.blocks.tolist(), page.cut_blocks([1]).tolist()
        ([[0, 3], [3, 4]], [[0, 1], [1, 3], [3, 4]])
        """
        opens = self._boundaries[1]
        if len(cuts):
            opens = opens.copy()
            opens[cuts] = True
        starts = np.flatnonzero(opens)
        spans = np.empty((starts.size, 2), dtype=np.int64)
        spans[:, 0], spans[:-1, 1], spans[-1:, 1] = starts, starts[1:], opens.size
        return spans

    def per_block(self, values: Int) -> Int:
        """Sum what is counted a text node by block."""
        before = cumulative(values)
        sums: Int = before[self.blocks[:, 1]] - before[self.blocks[:, 0]]
        return sums

    # -- layout ------------------------------------------------------------------------------

    @cached_property
    def _layout(self) -> Layout:
        preformatted = self.has_tag(PREFORMATTED)
        if preformatted.any():
            preformatted = self.count_above(preformatted) > 0
        return Layout(
            self.buffer,
            *(self.text_start, self.text_stop, self._boundaries[0]),
            preformatted[self.text_parent],
        )

    def lay_out(self, start: int, stop: int) -> str:
        """Return the text nodes ``[start, stop)`` as a reader expects them.

        Paragraphs are separated by a blank line, list items, table rows and ``br`` by a line break,
        cells by a tab, labels that a browser shows apart (links of a menu) by a space; white space
        is collapsed but for preformatted text. Nothing else is added.
        """
        return self._layout.lay_out(start, stop)

    def lay_out_all(self, spans: Int) -> list[str]:
        """Lay out each row of (start, stop) of *spans*, as :meth:`lay_out` does one."""
        return self._layout.lay_out_all(spans)

    def join(self, spans: Int | Sequence[tuple[int, int]], texts: Sequence[str]) -> str:
        """Join the laid-out *texts* of disjoint, ascending *spans* of text nodes.

        Wherever the page is cut into spans, all of them joined are what :meth:`lay_out` returns.
        """
        return self._layout.join(spans, texts)

    # -- nodes -------------------------------------------------------------------------------

    @cached_property
    def _xpaths(self) -> XPaths:
        names = self._walk.qualified_names
        tree = (self.tag, self.parent, self.depth, self.position, self.ordinal)
        return XPaths(self.root, names, *tree)

    def xpath(self, element: int) -> str:
        """Return the absolute XPath of an element, of about a thousand characters at most.

        That of an element too deep for it says the element's number in the tree instead.

        >>> page = Page.parse("<p>One <b>two</b>")
        >>> page.xpath(2), page.xpath(3)
        ('/html/body/p', '/html/body/p/b')
        """
        return self._xpaths.of_elements([element])[0]

    def xpaths(self, elements: list[int]) -> list[str]:
        """Return the absolute XPaths of *elements*."""
        return self._xpaths.of_elements(elements)

    def text_xpath(self, text: int) -> str:
        """Return the absolute XPath of a text node."""
        return f"{self.xpath(int(self.text_parent[text]))}/text()[{self.text_ordinal[text]}]"

    def xpath_of(self, start: int, stop: int) -> str:
        """Return the XPath of the smallest node that holds the text nodes ``[start, stop)``."""
        return self.xpaths_of(np.array([[start, stop]]))[0]

    def xpaths_of(self, spans: Int, elements: Int | None = None) -> list[str]:
        """Return an XPath for each row of (start, stop) of *spans*.

        It is that of each one's entry of *elements*, where −1 stands for a single text node; by
        default that of the smallest node that holds the span.
        """
        if elements is None:
            elements = smallest_nodes(
                *(spans, self.text_parent, self.parent),
                *(self.first_text, self.last_text, self.is_block),
            )
        starts, single = spans[:, 0], elements < 0
        owners = np.where(single, self.text_parent[starts], elements)
        xpaths = self._xpaths.of_elements(owners.tolist())
        for number in np.flatnonzero(single).tolist():
            xpaths[number] += f"/text()[{self.text_ordinal[starts[number]]}]"
        return xpaths


def cumulative(values: NDArray[Any]) -> NDArray[Any]:
    """Return the sums of *values* before each position, and after the last.

    >>> cumulative(np.array([True, False, True])).tolist()
    [0, 1, 1, 2]
    """
    kind = np.float64 if values.dtype.kind == "f" else np.int64
    sums = np.empty(values.size + 1, dtype=kind)
    sums[0] = 0
    values.cumsum(out=sums[1:])
    return sums


@lru_cache(maxsize=256)
def _table_of(names: frozenset[str]) -> TagTable:
    return TagTable(dict.fromkeys(names, True), other=False, dtype=bool)
