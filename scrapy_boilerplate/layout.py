"""How text is laid out: which elements break it, and how a reader expects to see it."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from scrapy_boilerplate.page import Page

__all__ = ["BLOCK_LEVEL", "PREFORMATTED", "Layout", "boundaries"]

Bool = NDArray[np.bool_]
Int = NDArray[Any]

NO_BREAK, CELL, LINE, PARAGRAPH = range(4)
"""What separates a text node from the one before it, weakest first."""

SEPARATORS = (" ", "\t", "\n", "\n\n")
"""How each of them is written."""

_TABLE = frozenset(["table"])
_ROW = frozenset("tr caption thead tbody tfoot".split())
_CELL = frozenset("td th".split())
_LIST = frozenset("ul ol dl menu dir".split())
_ITEM = frozenset("li dt dd".split())
_PARAGRAPH = frozenset(
    "html body div p h1 h2 h3 h4 h5 h6 pre blockquote section article main aside header footer nav "
    "form fieldset legend figure figcaption hr center address details summary dialog hgroup search "
    "noscript optgroup option select textarea frameset frame listing xmp plaintext marquee".split()
)
BLOCK_LEVEL = _TABLE | _ROW | _CELL | _LIST | _ITEM | _PARAGRAPH
"""Elements that start a new block of text."""

PREFORMATTED = frozenset("pre listing xmp plaintext".split())
"""Elements whose white space is kept."""


class Layout:
    """Lays out text nodes of a page.

    It holds arrays of the page and not the page, which is so freed as soon as nobody uses it.
    """

    def __init__(
        self, buffer: str, text_start: Int, text_stop: Int, breaks: Int, preformatted: Bool
    ) -> None:
        rows = (text_start, text_stop, breaks, preformatted, np.flatnonzero(breaks))
        self._buffer = buffer
        # Lists are faster than arrays when read one by one.
        self._starts, self._stops, self._breaks, self._preformatted, self._cuts = (
            row.tolist() for row in rows
        )

    def lay_out(self, start: int, stop: int) -> str:
        """Return the text nodes ``[start, stop)`` as a reader expects them."""
        if start >= stop:
            return ""
        cuts = self._cuts
        inner = cuts[bisect_right(cuts, start) : bisect_left(cuts, stop)]
        pieces = []
        for first, after in pairwise([start, *inner, stop]):
            if first > start:
                pieces.append(SEPARATORS[self._breaks[first]])
            text = self._buffer[self._starts[first] : self._stops[after - 1]]
            kept = self._preformatted[first]
            pieces.append(text.strip("\r\n") if kept else " ".join(text.split()))
        return "".join(pieces)

    def join(self, spans: Iterable[tuple[int, int]], texts: Iterable[str]) -> str:
        """Join the laid-out *texts* of disjoint, ascending *spans* of text nodes."""
        pieces: list[str] = []
        previous = 0
        for (start, stop), text in zip(spans, texts, strict=True):
            if start >= stop:
                continue
            if pieces:
                pieces.append(self._separator(previous, start))
            pieces.append(text)
            previous = stop
        return "".join(pieces)

    def _separator(self, stop: int, start: int) -> str:
        """Return what stands between two pieces: one ends before *stop*, one begins at *start*."""
        strongest = max(self._breaks[stop : start + 1])
        if strongest or start > stop:
            return SEPARATORS[strongest]
        before = self._buffer[self._starts[stop - 1] : self._stops[stop - 1]]
        between = self._buffer[self._stops[stop - 1] : self._starts[start]]
        after = self._buffer[self._starts[start] : self._stops[start]]
        if self._preformatted[start]:
            line_end, line_start = before.rstrip("\r\n"), after.lstrip("\r\n")
            return before[len(line_end) :] + between + after[: len(after) - len(line_start)]
        return " " if between or before[-1].isspace() or after[0].isspace() else ""


def boundaries(page: Page) -> tuple[NDArray[np.uint8], Bool]:
    """Return for each text node what separates it from the one before, and if it opens a block."""
    size = page.text_at.size
    breaks = np.zeros(size, dtype=np.uint8)
    starts_block = np.zeros(size, dtype=bool)
    if not size:
        return breaks, starts_block
    starts_block[0] = True
    breaks[0] = PARAGRAPH
    crossing = _Crossing(page)
    line_breaks = crossing.opened(["br"])
    tables, in_table = crossing.crossed(_TABLE), crossing.stays_inside(_TABLE)
    lists, in_list = crossing.crossed(_LIST), crossing.stays_inside(_LIST)
    rows, cells, items = (crossing.crossed(names) for names in (_ROW, _CELL, _ITEM))
    crossed = crossing.crossed(BLOCK_LEVEL)
    inside = breaks[1:]  # a later rule is stronger than an earlier one
    inside[line_breaks > 0] = LINE
    inside[(line_breaks > 1) | crossed] = PARAGRAPH
    inside[items & in_list] = LINE
    inside[lists & ~in_list] = PARAGRAPH
    inside[cells & in_table] = CELL
    inside[rows & in_table] = LINE
    inside[tables] = PARAGRAPH
    starts_block[1:] = crossed | (line_breaks > 1)
    return breaks, starts_block


class _Crossing:
    """What opens and closes between neighbouring text nodes."""

    def __init__(self, page: Page) -> None:
        self._page = page

    def opened(self, names: Iterable[str]) -> Int:
        """Return for each pair of neighbours how many such elements start between them."""
        flags = self._page.has_tag(names)
        seen = np.zeros(flags.size + 1, dtype=np.int64)
        np.cumsum(flags, out=seen[1:])
        return np.diff(seen[self._page.text_at])

    def _depth(self, names: Iterable[str]) -> Int:
        return self._page.count_above(self._page.has_tag(names))[self._page.text_parent]

    def crossed(self, names: Iterable[str]) -> Bool:
        """Return for each pair whether such an element starts or ends between them."""
        either: Bool = (self.opened(names) > 0) | (np.diff(self._depth(names)) != 0)
        return either

    def stays_inside(self, names: Iterable[str]) -> Bool:
        """Return for each pair whether one such element holds both."""
        depth = self._depth(names)
        closed = self.opened(names) - np.diff(depth)
        inside: Bool = depth[:-1] > closed
        return inside
