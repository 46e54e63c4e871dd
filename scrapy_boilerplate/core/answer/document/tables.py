"""Reads tables of data into rows and cells."""

from __future__ import annotations

from functools import cached_property

import numpy as np
from lxml import etree

from scrapy_boilerplate.core.page import Page, cumulative
from scrapy_boilerplate.core.page.arrays import Bool, Int64


class TableShapes:
    """Tells tables of data with two rows or more from others."""

    def __init__(self, page: Page) -> None:
        self._page = page

    @cached_property
    def _rows(self) -> Int64:
        return cumulative(self._page.has_tag(("tr",)))

    def holds_data(self, node: etree._Element, element: int) -> bool:
        """Return whether a ``table`` element holds data in rows and columns."""
        if node.get("role") in ("presentation", "none") or not self._page.is_data_table[element]:
            return False
        return int(self._rows[self._page.end[element]] - self._rows[element]) >= 2


def in_tables(page: Page) -> Bool:
    """Return for each text node whether it stands in a table of data, its caption included.

    >>> page = Page.parse("<p>One.<table><tr><th>a<th>b<tr><td>c<td>d</table>")
    >>> in_tables(page).tolist()
    [False, True, True, True, True]
    """
    rows = cumulative(page.has_tag(("tr",)))
    tables = np.flatnonzero(page.is_data_table)
    tables = tables[rows[page.end[tables]] - rows[tables] >= 2]
    steps = np.zeros(page.text_at.size + 1, dtype=np.int64)
    np.add.at(steps, page.first_text[tables], 1)
    np.subtract.at(steps, page.last_text[tables], 1)
    flags: Bool = np.cumsum(steps)[:-1] > 0
    return flags
