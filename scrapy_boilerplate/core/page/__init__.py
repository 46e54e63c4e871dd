"""Reading a page: from bytes to flat arrays of its elements and its text."""

from __future__ import annotations

from scrapy_boilerplate.core.page.arrays import cumulative
from scrapy_boilerplate.core.page.page import Page, PageReference
from scrapy_boilerplate.core.page.responses import holds_html, page_of

__all__ = ["Page", "PageReference", "cumulative", "holds_html", "page_of"]
