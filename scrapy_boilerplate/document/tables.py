"""Which tables hold data, and which only arrange the page."""

from __future__ import annotations

from functools import cached_property

import numpy as np
from lxml import etree
from numpy.typing import NDArray

from scrapy_boilerplate.page import Page, cumulative

__all__ = ["TableShapes"]

_MOST_WORDS = 25  # mean words of a cell of data


class TableShapes:
    """Tells tables of data from others, by sums over the page's elements."""

    def __init__(self, page: Page) -> None:
        self._page = page
        self._sums: dict[str, NDArray[np.int64]] = {}

    @cached_property
    def _words(self) -> NDArray[np.int64]:
        return cumulative(self._page.words)

    def _count(self, names: str, element: int) -> int:
        """Return how many elements of these names stand inside *element*."""
        sums = self._sums.get(names)
        if sums is None:
            sums = self._sums[names] = cumulative(self._page.has_tag(names.split()))
        return int(sums[self._page.end[element]] - sums[element + 1])

    def holds_data(self, node: etree._Element, element: int) -> bool:
        """Tell whether a ``table`` element holds data in rows and columns."""
        if node.get("role") in ("presentation", "none") or self._count("table", element):
            return False
        rows, cells = self._count("tr", element), self._count("td th", element)
        if rows < 2 or cells < 2 * rows - 1 or self._count("pre listing h1 h2 form", element):
            return False
        if self._count("th caption thead", element):
            return True
        page = self._page
        words = self._words[page.last_text[element]] - self._words[page.first_text[element]]
        return int(words) <= _MOST_WORDS * cells and not self._count("ul ol h3 h4 h5 h6", element)
