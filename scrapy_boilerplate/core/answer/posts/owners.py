"""Assigns each text node to its unit: units may stand in each other."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from scrapy_boilerplate.core.answer.posts.unit_signs import used
from scrapy_boilerplate.core.answer.posts.units import Units, make_of
from scrapy_boilerplate.core.caching import cached_property
from scrapy_boilerplate.core.page import Page, cumulative
from scrapy_boilerplate.core.page.arrays import Bool, Int

MOST_STEPS_UP = 16  # elements from a unit up to its holder


class Owners:
    """The text nodes of each unit that are in no other inside of it."""

    def __init__(self, page: Page, units: Units) -> None:
        self._page, self._units = page, units
        self.of_text = _innermost(units, page.text_at.size)
        """The innermost unit of each text node, −1 for none."""
        order = np.argsort(self.of_text, kind="stable")
        bounds = np.searchsorted(self.of_text[order], np.arange(units.elements.size + 1))
        self.own: Sequence[Int] = np.split(order, bounds)[1:-1]
        """Text nodes of each, ascending."""
        self._order = order[bounds[0] :]

    @cached_property
    def inside_units(self) -> Bool:
        """Whether each element stands in the text of a unit, itself left out."""
        page, units = self._page, self._units
        inside: Bool = page.last_text > page.first_text
        owner = self.of_text[page.first_text[inside]]
        inside[inside] = (owner >= 0) & (page.last_text[inside] <= units.stops[owner])
        inside[units.elements] = False
        return inside

    @cached_property
    def holders(self) -> Int:
        """The outermost element of each unit that begins with it, as many steps up for all."""
        # What answers a unit may stand in it, or beside it in its holder.
        page = self._page
        at: Int = self._units.elements
        for _ in range(MOST_STEPS_UP if at.size > 1 else 0):
            above = page.parent[at]
            begun = np.searchsorted(self._units.elements, above)
            if (above < 0).any() or (begun != np.arange(at.size)).any() or np.ptp(page.tag[above]):
                break  # another unit stands before one
            if len({make_of(page.strings[number]) for number in used(page.class_id[above])}) > 1:
                break
            at = above
        return at

    @cached_property
    def depths(self) -> list[int]:
        """How many units are around each, or hold what stands around it."""
        stops = np.maximum(self._units.stops, self._page.last_text[self.holders])
        depths: list[int] = []
        opened: list[int] = []  # the ends of those that are open, outermost first
        for start, stop in zip(self._units.starts.tolist(), stops.tolist(), strict=True):
            while opened and opened[-1] <= start:
                opened.pop()
            depths.append(len(opened))
            opened.append(stop)
        return depths

    def sums(self, words: Int, units: Int, starts: Int, stops: Int) -> Int:
        """Return how many *words* of text nodes each of *units* has of its own in a span."""
        nodes, before = self.of_text.size + 1, cumulative(words[self._order])
        keys = self.of_text[self._order] * nodes + self._order
        first, after = (np.searchsorted(keys, units * nodes + edge) for edge in (starts, stops))
        return before[after] - before[first]

    def inside(self, elements: Int, number: int, most: int) -> Iterator[tuple[int, int]]:
        """Yield the text nodes of the first *elements* that begin in a unit, itself left out."""
        page = self._page
        unit, last = int(self._units.elements[number]), int(self.own[number][-1])
        first = int(np.searchsorted(elements, unit, side="right"))
        for element in elements[first : first + most].tolist():
            start, stop = int(page.first_text[element]), int(page.last_text[element])
            if start > last:
                return
            if start < stop and self.of_text[start] == number:
                yield start, stop


def _innermost(units: Units, nodes: int) -> Int:
    owner = np.full(nodes, -1, dtype=np.int64)
    opened: list[int] = []  # units that are open, outermost first
    stops: list[int] = units.stops.tolist()
    at = 0
    for number, start in enumerate([*units.starts.tolist(), nodes]):
        while opened and stops[opened[-1]] <= start:
            inner = opened.pop()
            owner[at : stops[inner]] = inner
            at = max(at, stops[inner])
        if opened:
            owner[at:start] = opened[-1]
        at = max(at, start)
        opened.append(number)
    return owner
