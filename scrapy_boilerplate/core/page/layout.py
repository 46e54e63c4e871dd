"""How text is laid out: which elements break it, and how a reader expects to see it."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Sequence
from functools import cached_property
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from scrapy_boilerplate.core.native import load_native, native_or
from scrapy_boilerplate.core.page.arrays import Bool, Int, Int32, Int64
from scrapy_boilerplate.core.page.tags import (
    CELLS,
    ITEMS,
    LISTS,
    PARAGRAPHS,
    PREFORMATTED,
    ROWS,
    TABLES,
)
from scrapy_boilerplate.core.page.walk import ELEMENT_ROWS, TEXT_ROWS, TagTable

__all__ = ["Cells", "Layout", "boundaries", "keep_whole", "runs_of", "shown_apart"]


NO_BREAK, APART, IN_CELL, CELL, LINE, PARAGRAPH = range(6)
"""What separates a text node from the one before it, weakest first."""

SEPARATORS = (" ", " ", " ", "\t", "\n", "\n\n")
"""How each of them is written."""

_KINDS = (TABLES, ROWS, CELLS, LISTS, ITEMS, PARAGRAPHS, frozenset(["br"]))
_BITS = [1 << bit for bit in range(len(_KINDS))]
_KIND_OF = TagTable(
    {name: bit for bit, names in zip(_BITS, _KINDS, strict=True) for name in names},
    other=0,
    dtype=np.uint8,
)

_EDGES = [ELEMENT_ROWS.index(name) for name in ("tag", "first_text", "last_text")]
_PARENT = ELEMENT_ROWS.index("parent")
_START, _STOP = TEXT_ROWS.index("text_start"), TEXT_ROWS.index("text_stop")

LABELS = frozenset("span a button label time".split())
"""Inline elements that style sheets set apart from one another: links of a menu, badges, names and
values. Elements inside a word or a sentence (``b``, ``em``, ``font``, ``sub``) do not count."""

LITERAL = PREFORMATTED | frozenset("code samp kbd var tt".split())
"""Elements in which nothing is added."""


class Layout:
    """Lays out text nodes of a page.

    It holds arrays of the page and not the page, so the page is freed when nobody uses it.
    """

    def __init__(
        self,
        buffer: str,
        text_start: Int32,
        text_stop: Int32,
        breaks: NDArray[np.uint8],
        preformatted: Bool,
        cells: Cells,
    ) -> None:
        self._buffer = buffer
        self._rows = (text_start, text_stop, breaks, preformatted, cells.tabs(breaks))
        self._cells = cells

    @cached_property
    def _lists(self) -> list[list[int]]:
        """The rows as lists, which are faster one by one, and where there are breaks."""
        return [row.tolist() for row in (*self._rows, np.flatnonzero(self._rows[2]))]

    def lay_out_all(self, spans: Int) -> list[str]:
        """Lay out each row of (start, stop)."""
        if _lay_out is None:
            return [self.lay_out(start, stop) for start, stop in spans.tolist()]
        return _lay_out(self._buffer, *self._rows, spans.astype(np.int64, copy=False))

    def lay_out(self, start: int, stop: int) -> str:
        """Return the text nodes ``[start, stop)`` as a reader expects them."""
        if start >= stop:
            return ""
        _, _, breaks, _, tabs, cuts = self._lists
        inner = cuts[bisect_right(cuts, start) : bisect_left(cuts, stop)]
        pieces = []
        for first, after in pairwise([start, *inner, stop]):
            if first > start:
                pieces.append(SEPARATORS[breaks[first]] + "\t" * tabs[first])
            pieces.append(self._line(first, after))
        return "".join(pieces)

    def _line(self, first: int, after: int) -> str:
        """Return text nodes that nothing separates."""
        starts, stops, _, preformatted, _, _ = self._lists
        if not preformatted[first]:
            return " ".join(self._buffer[starts[first] : stops[after - 1]].split())
        before = stops[first - 1] if first else 0
        feed = self._buffer.rfind("\n", before, starts[first])
        start = starts[first] if feed < 0 else feed + 1  # with the white space that indents it
        return self._buffer[start : stops[after - 1]].strip("\r\n")

    def join(self, spans: Int | Sequence[tuple[int, int]], texts: Sequence[str]) -> str:
        """Join the laid-out *texts* of disjoint, ascending, filled *spans* of text nodes."""
        if len(spans) < 2:
            return "".join(texts)
        rows = np.asarray(spans, dtype=np.int64)
        separators = _separators(self._rows[2], self._cells.row, self._cells.column, rows)
        for place, separator in enumerate(separators):
            if not separator:
                end, begin = int(rows[place, 1]) - 1, int(rows[place + 1, 0])
                separators[place] = self._inside_line(end, begin)
        pieces = [""] * (2 * len(spans) - 1)
        pieces[::2], pieces[1::2] = texts, separators
        return "".join(pieces)

    def _inside_line(self, end: int, begin: int) -> str:
        """Return what stands between two pieces of one line or code, after *end*, before *begin*.

        They are text nodes; those between them were dropped.
        """
        starts, stops, preformatted = (self._rows[row] for row in (0, 1, 3))
        before = self._buffer[starts[end] : stops[end]]
        between = self._buffer[stops[begin - 1] : starts[begin]]
        after = self._buffer[starts[begin] : stops[begin]]
        if not preformatted[begin]:
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


def boundaries(names: Sequence[str], elements: Int32, size: int) -> tuple[NDArray[np.uint8], Bool]:
    """Return for each of *size* text nodes what separates it from the one before.

    The second array says whether it opens a block. *names* are the tag names by tag id; *elements*
    are the rows of :data:`~scrapy_boilerplate.core.page.walk.ELEMENT_ROWS`.
    """
    breaks, opens = _boundaries(_KIND_OF.of(names), elements, size)
    breaks[:1], opens[:1] = PARAGRAPH, True
    return breaks, opens


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


def _boundaries_in_numpy(
    kinds: NDArray[np.uint8], elements: Int32, size: int
) -> tuple[NDArray[np.uint8], Bool]:
    """Do the same for *kinds* of elements by tag, a bit each."""
    tag, first_text, last_text = elements[_EDGES]
    breaks = np.zeros(size, dtype=np.uint8)
    starts_block = np.zeros(size, dtype=bool)
    bits = kinds[tag]
    table, row, cell, lists, item, other, line_break = (
        _Between(np.flatnonzero(bits & bit), first_text, last_text, size) for bit in _BITS
    )
    in_table, in_list, lines = table.around(), lists.around(), line_break.starts()
    crossed = other.crossed()
    for kind in (table, row, cell, lists, item):
        crossed |= kind.crossed()
    breaks[lines > 0] = LINE  # a later rule is stronger than an earlier one
    breaks[(lines > 1) | crossed] = PARAGRAPH
    breaks[item.crossed() & in_list] = LINE
    breaks[lists.crossed() & ~in_list] = PARAGRAPH
    breaks[cell.crossed() & in_table] = CELL
    breaks[row.crossed() & in_table] = LINE
    breaks[table.crossed()] = PARAGRAPH
    starts_block |= crossed | (lines > 1)
    return breaks, starts_block


def _shown_apart_in_numpy(
    buffer: str, elements: Int32, texts: Int32, labels: NDArray[np.uint8]
) -> list[int]:
    starts, stops = texts[_START], texts[_STOP]
    (tag, first, last), parent = elements[_EDGES], elements[_PARENT]
    found = np.flatnonzero((labels[tag] > 0) & (last > first) & (parent >= 0))
    above = parent[found]
    ends = last[found][last[above] > last[found]]
    begins = first[found][first[above] < first[found]]
    places = np.intersect1d(ends, begins)
    joined: list[int] = places[stops[places - 1] == starts[places]].tolist()
    return [place for place in joined if _begins_word(buffer, int(starts[place]))]


def _begins_word(text: str, place: int) -> bool:
    """Tell whether a word of two letters or more ends before *place* and another begins there."""
    if place < 2 or not text[place - 2].isalnum():
        return False
    before, after, next_one = text[place - 1], text[place], text[place + 1 : place + 2]
    if after.isdigit():
        return before.islower()
    if not after.isupper():
        return False
    if before.isupper():  # HOKA Clifton
        return text[place - 2].isupper() and next_one.islower()
    return (before.islower() or before.isdigit()) and next_one.isalnum()


class Cells(NamedTuple):
    """Where each text node stands in a table of data."""

    row: Int32
    """The element of its row, −1 outside of such tables."""
    column: Int32
    """How many cells of the row are before its own."""
    any: bool
    """Whether there are such tables."""

    @classmethod
    def of(cls, row: Int32, column: Int32) -> Cells:
        """Return the cells of these rows and columns."""
        return cls(row, column, bool((row >= 0).any()))

    def tabs(self, breaks: NDArray[np.uint8]) -> Int32:
        """Return how many tabs follow the break before each text node, for empty cells."""
        tabs = np.zeros(breaks.size, dtype=np.int32)
        if self.any:
            begins = np.arange(1, breaks.size)
            tabs[1:] = self.tabs_between(breaks[1:], begins - 1, begins)
        return tabs

    def tabs_between(self, breaks: NDArray[np.uint8], ends: Int64, begins: Int64) -> Int32:
        """Return the same for *breaks* between the text nodes *ends* and *begins*."""
        tabs = np.where((self.row[begins] >= 0) & (breaks >= LINE), self.column[begins], 0)
        is_cell = (breaks == CELL) & (self.row[begins] == self.row[ends])
        tabs[is_cell] = (self.column[begins] - self.column[ends])[is_cell] - 1
        return np.maximum(tabs, 0).astype(np.int32)


class _Between:
    """Where elements of some names start, end and stay, between each text node and the one before.

    An element starts before its first text node and ends before the text node after its last.
    """

    def __init__(self, elements: Int64, first_text: Int32, last_text: Int32, size: int) -> None:
        self._first, self._after = first_text[elements], last_text[elements]
        self._size = size

    def starts(self) -> Int64:
        """Return how many start there."""
        return np.bincount(self._first, minlength=self._size)[: self._size]

    def crossed(self) -> Bool:
        """Return whether one starts or ends there."""
        crossed = np.zeros(self._size + 1, dtype=bool)
        crossed[self._first] = crossed[self._after] = True
        return crossed[:-1]

    def around(self) -> Bool:
        """Return whether one holds the text nodes on both sides."""
        holds = self._after > self._first
        inner, after = self._first[holds] + 1, self._after[holds]
        steps = np.bincount(inner, minlength=self._size + 1)
        steps -= np.bincount(after, minlength=self._size + 1)
        around: Bool = np.cumsum(steps)[: self._size] > 0
        return around


def _separators_in_numpy(
    breaks: NDArray[np.uint8], row: Int32, column: Int32, spans: Int64
) -> list[str]:
    """Return what separates each row of *spans* from the next one; nothing inside a line.

    *row* and *column* are those of :class:`Cells`.
    """
    ends, begins = spans[:-1, 1] - 1, spans[1:, 0]
    places = np.stack([ends + 1, begins + 1], axis=1).ravel()
    strongest = np.maximum.reduceat(np.append(breaks, np.uint8(0)), places)[::2]
    tabs = Cells.of(row, column).tabs_between(strongest, ends, begins)
    return [
        "" if kind == NO_BREAK else SEPARATORS[kind] + "\t" * count
        for kind, count in zip(strongest.tolist(), tabs.tolist(), strict=True)
    ]


def _runs_in_numpy(spans: Int64) -> Int64:
    if len(spans) < 2:
        return spans
    opens = np.ones(len(spans), dtype=bool)
    opens[1:] = spans[1:, 0] != spans[:-1, 1]
    first = np.flatnonzero(opens)
    runs = spans[first]
    runs[:-1, 1] = spans[first[1:] - 1, 1]
    runs[-1:, 1] = spans[-1:, 1]
    return runs


_boundaries = native_or(_boundaries_in_numpy, "core.page._layout_native", "boundaries")
_separators = native_or(_separators_in_numpy, "core.page._layout_native", "separators")
_lay_out: Callable[..., list[str]] | None = load_native("core.page._layout_native", "lay_out")

shown_apart = native_or(_shown_apart_in_numpy, "core.page._layout_native", "shown_apart")
"""Return the text nodes that a browser shows apart from the one before, without white space.

Takes the text of the page, the rows of :data:`~scrapy_boilerplate.core.page.walk.ELEMENT_ROWS` and
:data:`~scrapy_boilerplate.core.page.walk.TEXT_ROWS`, and says of each tag whether it is one of
:data:`LABELS`. The nodes are the end of one such element and the beginning of its next sibling.
There a new word must begin in a way that no word continues: a capital letter after a small one or a
digit, a capitalized word after capitals, a digit after a small letter.
"""

runs_of = native_or(_runs_in_numpy, "core.page._layout_native", "runs_of")
"""Return spans of text nodes with neighbours as one: laid out they give the same text."""
