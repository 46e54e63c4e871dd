"""The text of a page: its words, its paragraphs, and how a reader expects to see them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from scrapy_boilerplate.core.caching import cached_property
from scrapy_boilerplate.core.page._elements_native import data_cells, data_tables
from scrapy_boilerplate.core.page.arrays import Bool, Int, Int32, Int64, spans_from
from scrapy_boilerplate.core.page.layout import (
    APART,
    KIND_OF,
    NO_BREAK,
    Cells,
    Layout,
    keep_whole,
    read_texts,
)
from scrapy_boilerplate.core.page.node_arrays import Nodes
from scrapy_boilerplate.core.page.notes import NO_NOTES, Notes, find_notes
from scrapy_boilerplate.core.page.tags import CELLS, PREFORMATTED, TABLES
from scrapy_boilerplate.core.page.text import count_slices
from scrapy_boilerplate.core.page.walk import bits_of
from scrapy_boilerplate.core.page.xpaths import smallest_nodes

_WHOLE = PREFORMATTED | TABLES  # elements inside of which some breaks do not count

_IN_TABLES = bits_of(
    [
        *(CELLS, frozenset(["tr"]), frozenset("table listing h1 h2 form".split())),
        *(frozenset(["p"]), frozenset("th caption thead".split())),
        *(frozenset("ul ol h3 h4 h5 h6".split()), frozenset(["pre"]), TABLES),
    ]
)
"""What tells whether a table holds data."""


Array = TypeVar("Array", bound="NDArray[np.generic]")


class Read(Generic[Array]):
    """An array of a page that is read with the others when one is asked for."""

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = name

    def __get__(self, page: Paragraphs | None, owner: type) -> Array:
        if page is None:
            return self  # type: ignore[return-value]
        page._read_texts()
        return vars(page)[self._name]


class Paragraphs(Nodes):
    """Counts the text nodes of a page, groups them into blocks and lays them out."""

    words = Read[Int64]()
    """Number of words of each text node."""
    symbols = Read[Int64]()
    """Number of visible characters outside words of each text node."""
    visible = Read[Int64]()
    """Number of characters of each text node that are not white space."""
    in_link = Read[Bool]()
    """Whether each text node stands inside an ``a`` element."""
    is_block = Read[Bool]()
    """Whether each element is block-level."""
    blocks = Read[Int64]()
    """Text nodes of each block, as rows of (start, stop); together they hold all of them."""
    _breaks = Read["NDArray[np.uint8]"]()
    _opens = Read[Bool]()

    def _read_texts(self) -> None:
        breaks, opens, in_link, is_block = read_texts(self, KIND_OF.of(self.names))
        words, symbols, visible = count_slices(self.buffer, self.text_start, self.text_stop)
        vars(self).update(
            words=words,
            symbols=symbols,
            visible=visible,
            in_link=in_link,
            is_block=is_block,
            _opens=opens,
        )
        vars(self)["blocks"] = spans_from(opens)
        if not self.tag_names.isdisjoint(_WHOLE):
            keep_whole(breaks, self._literal, self._cells)
        vars(self)["_breaks"] = breaks  # last: another thread may ask for it meanwhile

    @property
    def is_apart(self) -> Bool:
        """Whether elements set each text node apart from the one before."""
        return self._breaks != NO_BREAK

    def stands_alone(self, first: int, last: int) -> bool:
        """Return whether the text nodes from *first* to *last* have their lines for themselves."""
        breaks = self._breaks[[first, *range(last, self._breaks.size)[:1]]]
        return bool((breaks > APART).all())

    # -- blocks ------------------------------------------------------------------------------

    def cut_blocks(self, cuts: Int | Sequence[int]) -> Int64:
        """Return the blocks, cut before each of the text nodes *cuts* as well.

        >>> from scrapy_boilerplate import Page
        >>> page = Page.parse("<p>One <b>two</b> three.</p><p>Four.</p>")
        >>> page.blocks.tolist(), page.cut_blocks([1]).tolist()
        ([[0, 3], [3, 4]], [[0, 1], [1, 3], [3, 4]])
        """
        if self._opens[cuts].all():
            return self.blocks
        opens = self._opens.copy()
        opens[cuts] = True
        return spans_from(opens)

    @cached_property
    def block_starts(self) -> Int64:
        """First text node of each block."""
        return self.blocks[:, 0].copy()  # a column would be copied for each search

    def block_of(self, texts: int | Int | Sequence[int]) -> Int64:
        """Return the block that holds each of some text nodes."""
        return self.block_starts.searchsorted(texts, side="right") - 1

    def blocks_in(self, elements: int | Int | slice | list[int]) -> tuple[Int64, Int64]:
        """Return the first block that begins in each element, and the one after the last."""
        first, last = self.first_text[elements], self.last_text[elements]
        return self.block_starts.searchsorted(first), self.block_starts.searchsorted(last)

    def blocks_inside(self, flags: Bool) -> Bool:
        """Return for each block whether it begins in a flagged element."""
        return self.texts_inside(flags)[self.block_starts]

    def per_block(self, values: Bool | Int) -> Int64:
        """Sum counts per text node into counts per block."""
        return np.add.reduceat(values, self.blocks[:, 0], dtype=np.int64)

    @cached_property
    def linked(self) -> Int64:
        """Words in links of each block."""
        return self.per_block(self.words * self.in_link)

    def per_text(self, values: Array) -> Array:
        """Return for each text node the value of its block."""
        return values.repeat(self.blocks[:, 1] - self.blocks[:, 0])  # type: ignore[return-value]

    def written(self, blocks: Int) -> list[str]:
        """Return the texts of *blocks*, by their numbers, as they stand in the buffer."""
        starts, stops = self.text_start.data, self.text_stop.data
        spans = self.blocks[blocks].tolist()
        return [self.buffer[starts[first] : stops[after - 1]] for first, after in spans]

    # -- layout ------------------------------------------------------------------------------

    @cached_property
    def _literal(self) -> Int32:
        """The outermost element of preformatted text around each text node, −1 without one."""
        if self.tag_names.isdisjoint(PREFORMATTED):
            return np.full(self.text_at.size, -1, dtype=np.int32)
        return self.outermost(self.has_tag(PREFORMATTED))

    @cached_property
    def is_data_table(self) -> Bool:
        """Whether each element is a table that holds data in rows and columns.

        It has at least two cells; no table, form, lines of code or large heading inside; no cell
        with most of the page's words. With header cells or a caption it has two cells in half of
        its rows, and at most two paragraphs a cell, one with lists or headings; else two cells in
        all rows but one, at most a paragraph a cell, and short cells without lists and headings.
        """
        if TABLES.isdisjoint(self.tag_names):
            return np.zeros(self.end.size, dtype=bool)
        found = data_tables(_IN_TABLES.of(self.names), self.element_rows, self.words)
        for table in (found > 1).nonzero()[0].tolist():
            codes = self.has_tag(["pre"])[table : self.end[table]].nonzero()[0] + table
            found[table] = not any("\n" in self.said_by(code).strip() for code in codes.tolist())
        return found.view(np.bool_)

    @cached_property
    def _cells(self) -> Cells:
        """The place of each text node in a table of data."""
        is_data, texts = self.is_data_table, self.text_at.size
        if not np.count_nonzero(is_data):
            none = np.full(texts, -1, dtype=np.int32)
            return Cells(none, none, any=False)
        kinds = _IN_TABLES.of(self.names)
        row, column = data_cells(is_data.view(np.uint8), kinds, self.element_rows, texts)
        return Cells(row, column, any=bool((row >= 0).any()))

    @cached_property
    def notes(self) -> Notes:
        """The footnotes, endnotes and side notes of the page."""
        if not any(map(self.may_have, ("label", "raised", "bracket", "note"))):
            return NO_NOTES
        return find_notes(self, self.blocks)

    @cached_property
    def layout(self) -> Layout:
        """The layout of the text; it does not hold the tree."""
        no_code = self.tag_names.isdisjoint(PREFORMATTED)
        return Layout(
            *(self.buffer, self.text_start, self.text_stop, self._breaks_beside_notes()),
            *(None if no_code else self._literal >= 0, self._cells),
        )

    def _breaks_beside_notes(self) -> NDArray[np.uint8]:
        """Return the breaks, with notes in a line set apart from the word before their mark."""
        if not self.may_have("note") or not (beside := self.notes.in_place):
            return self._breaks
        breaks: NDArray[np.uint8] = self._breaks.copy()
        edges = np.concatenate((self.first_text[beside], self.last_text[beside]))
        edges = edges[edges < breaks.size]
        edges = edges[self._literal[edges] < 0]
        breaks[edges] = np.maximum(breaks[edges], APART)
        return breaks

    def lay_out(self, start: int, stop: int) -> str:
        """Return the text nodes ``[start, stop)`` as a reader expects them.

        Paragraphs are separated by a blank line, list items, table rows and ``br`` by a line break,
        cells by a tab, labels that a browser shows apart (links of a menu) by a space. In a table
        of data a row is one line and an empty cell has its tab. White space is collapsed outside
        preformatted text, whose lines are as typed. Nothing else is added.
        """
        return self.layout.lay_out(start, stop)

    def lay_out_all(self, spans: Int) -> list[str]:
        """Lay out each row of (start, stop) of *spans* like :meth:`lay_out`."""
        return self.layout.lay_out_all(spans)

    def join(self, spans: Int | Sequence[tuple[int, int]], texts: Sequence[str]) -> str:
        """Join the laid-out *texts* of disjoint, ascending *spans* of text nodes.

        Wherever the page is cut into spans, all of them joined are what :meth:`lay_out` returns.
        """
        return self.layout.join(spans, texts)

    # -- XPaths ------------------------------------------------------------------------------

    def xpath_of(self, start: int, stop: int) -> str:
        """Return the XPath of the smallest node that holds the text nodes ``[start, stop)``."""
        return self.xpaths_of(np.array([[start, stop]]))[0]

    def xpaths_of(self, spans: Int, elements: Int64 | None = None) -> list[str]:
        """Return an XPath for each row of (start, stop) of *spans*.

        It is the XPath of each span's entry in *elements*, where −1 stands for a single text node.
        The default is the smallest node that holds the span.
        """
        found: Int | None = elements
        if found is None:
            found = smallest_nodes(
                *(spans, self.text_parent, self.parent),
                *(self.first_text, self.last_text, self.is_block),
            )
        places = np.where(found < 0, -1 - spans[:, 0], found).tolist()
        return self.xpaths_later(places)(range(len(places)))
