"""Lays out text: the elements that break it, and the white space that a reader expects."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from scrapy_boilerplate.core.page._layout_native import SEPARATORS, read_texts, runs_of
from scrapy_boilerplate.core.page._layout_native import lay_out as _lay_out
from scrapy_boilerplate.core.page.arrays import Bool, Int, Int32
from scrapy_boilerplate.core.page.tags import (
    CELLS,
    ITEMS,
    LISTS,
    PARAGRAPHS,
    PREFORMATTED,
    ROWS,
    TABLES,
)
from scrapy_boilerplate.core.page.walk import bits_of

__all__ = ["KIND_OF", "Cells", "Layout", "keep_whole", "read_texts", "runs_of"]


NO_BREAK, APART, IN_CELL, CELL, LINE, PARAGRAPH = range(6)
"""What separates a text node from the one before it, weakest first."""

LABELS = frozenset("span a button label time".split())
"""Inline elements that style sheets set apart from one another: links of a menu, badges, names and
values. Elements inside a word or a sentence (``b``, ``em``, ``font``, ``sub``) do not count."""

LITERAL = PREFORMATTED | frozenset("code samp kbd var tt".split())
"""Elements in which nothing is added."""

KIND_OF = bits_of(
    [
        *(TABLES, ROWS, CELLS, LISTS, ITEMS, PARAGRAPHS),
        *(frozenset(["br"]), LABELS, LITERAL, frozenset(["a"])),
    ]
)
"""What elements do to the text before and after them, a bit each."""


class Layout:
    """Lays out text nodes of a page; holds arrays of it, so that the page itself can be freed."""

    def __init__(
        self,
        buffer: str,
        text_start: Int32,
        text_stop: Int32,
        breaks: NDArray[np.uint8],
        preformatted: Bool | None,
        cells: Cells,
    ) -> None:
        self._buffer, self._starts, self._stops = buffer, text_start, text_stop
        self._breaks, self._preformatted, self._cells = breaks, preformatted, cells
        every = np.arange(breaks.size)
        self._tabs = cells.tabs(breaks, every, every - 1) if cells.any else None

    def lay_out_all(self, spans: Int) -> list[str]:
        """Lay out each row of (start, stop)."""
        return _lay_out(
            *(self._buffer, self._starts, self._stops, self._breaks),
            *(self._preformatted, self._tabs, spans.astype(np.int64, copy=False)),
        )

    def lay_out(self, start: int, stop: int) -> str:
        """Return the text nodes ``[start, stop)`` as a reader expects them."""
        return self.lay_out_all(np.array([[start, stop]]))[0]

    def join(self, spans: Int | Sequence[tuple[int, int]], texts: Sequence[str]) -> str:
        """Join the laid-out *texts* of disjoint, ascending, filled *spans* of text nodes."""
        if len(spans) < 2:
            return "".join(texts)
        rows = np.asarray(spans, dtype=np.int64)
        edges, breaks = rows.tolist(), self._breaks.tobytes()
        if edges[-1][1] > len(breaks):
            raise IndexError(f"there are {len(breaks)} text nodes, not {edges[-1][1]}")
        kinds = [max(breaks[stop : begin + 1]) for (_, stop), (begin, _) in pairwise(edges)]
        tabs = [0] * len(kinds)
        if self._cells.any:
            tabs = self._cells.tabs(np.array(kinds), rows[1:, 0], rows[:-1, 1] - 1).tolist()
        pieces = [texts[0]]
        for number, (kind, empty_cells) in enumerate(zip(kinds, tabs, strict=True)):
            separator = SEPARATORS[kind] + "\t" * empty_cells
            if not kind:
                separator = self._inside_line(edges[number][1] - 1, edges[number + 1][0])
            pieces += separator, texts[number + 1]
        return "".join(pieces)

    def _inside_line(self, end: int, begin: int) -> str:
        """Return what stands between two pieces of one line or code; those between were dropped."""
        starts, stops = self._starts, self._stops
        before = self._buffer[starts[end] : stops[end]]
        between = self._buffer[stops[begin - 1] : starts[begin]]
        after = self._buffer[starts[begin] : stops[begin]]
        if self._preformatted is None or not self._preformatted[begin]:
            is_apart = end + 1 < begin or between or before[-1].isspace() or after[0].isspace()
            return " " if is_apart else ""
        if end + 1 < begin:
            return "\n" if "\n" in self._buffer[stops[end] : starts[begin]] else " "
        line_end = before[len(before.rstrip("\r\n")) :]
        through, feed, _ = between.rpartition("\n")
        if feed:  # what is behind it belongs to the next piece
            rest = between[len(through) + 1 :] + after
            return line_end + through + feed + rest[: len(rest) - len(rest.lstrip("\r\n"))]
        return line_end + between + after[: len(after) - len(after.lstrip("\r\n"))]


def keep_whole(breaks: NDArray[np.uint8], literal: Int32, cells: Cells) -> None:
    """Weaken the *breaks* inside preformatted text and inside cells of data, in place.

    *literal* is the element of preformatted text that each text node stands in, −1 without one: its
    lines are those of the page's text. A cell of data is one line.
    """
    same = literal[1:] >= 0
    same &= literal[1:] == literal[:-1]
    breaks[1:][same] = NO_BREAK
    if not cells.any:
        return
    row = (cells.row[1:] >= 0) & (cells.row[1:] == cells.row[:-1])
    cell = row & (cells.column[1:] == cells.column[:-1])
    breaks[1:][row & ~cell] = CELL
    inside = breaks[1:][cell]
    breaks[1:][cell] = np.minimum(inside, IN_CELL)


class Cells(NamedTuple):
    """Places of text nodes in tables of data."""

    row: Int32
    """The element of its row, −1 outside of such tables."""
    column: Int32
    """How many cells of the row are before its own."""
    any: bool
    """Whether there are such tables."""

    def tabs(self, breaks: Int, at: Int, before: Int) -> Int32:
        """Return how many tabs follow the *breaks* between *before* and *at*, for empty cells."""
        tabs = np.where((breaks >= LINE) & (self.row[at] >= 0), self.column[at], 0)
        is_cell = (breaks == CELL) & (self.row[at] == self.row[before])
        skipped = self.column[at] - self.column[before] - 1
        return np.maximum(np.where(is_cell, skipped, tabs), 0)
