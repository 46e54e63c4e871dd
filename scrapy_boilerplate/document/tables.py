"""Which tables hold data, and which only arrange the page."""

from __future__ import annotations

from functools import cached_property

from lxml import etree

from scrapy_boilerplate.page import Page, cumulative
from scrapy_boilerplate.page.arrays import Bool, Int64
from scrapy_boilerplate.page.tables import data_tables

__all__ = ["TableShapes"]


class TableShapes:
    """Tells tables of data with two rows or more from others."""

    def __init__(self, page: Page) -> None:
        self._page = page

    @cached_property
    def _holds_data(self) -> Bool:
        return data_tables(self._page)

    @cached_property
    def _rows(self) -> Int64:
        return cumulative(self._page.has_tag(("tr",)))

    def holds_data(self, node: etree._Element, element: int) -> bool:
        """Tell whether a ``table`` element holds data in rows and columns."""
        if node.get("role") in ("presentation", "none") or not self._holds_data[element]:
            return False
        return int(self._rows[self._page.end[element]] - self._rows[element]) >= 2
