"""Reads the page of an item: from the item itself, or from the response that it came from."""

from __future__ import annotations

import logging
import re
from collections.abc import Callable
from time import perf_counter
from urllib.parse import urljoin

from itemadapter import ItemAdapter
from scrapy.http import Response
from scrapy.settings import BaseSettings

from scrapy_boilerplate.core.page import Page, page_of
from scrapy_boilerplate.core.page.responses import is_misread
from scrapy_boilerplate.plugin.choices import is_empty
from scrapy_boilerplate.plugin.records import PageRecord, address_of, value_of
from scrapy_boilerplate.plugin.reports import Reports
from scrapy_boilerplate.plugin.settings import read

logger = logging.getLogger(__name__)

_WHOLE_PAGE_WITHIN = 4096  # the beginning, which shows whether HTML is a whole page
_WHOLE_PAGE = re.compile(r"<(?:!doctype|html|head|body)[\s>]", re.IGNORECASE)


class ItemPages:
    """Reads pages within the limits of the settings, and counts them."""

    def __init__(self, settings: BaseSettings, reports: Reports) -> None:
        self._reports = reports
        self.html_field: str | None = read(settings, "BOILERPLATE_HTML_FIELD")
        self._max_body: int = read(settings, "BOILERPLATE_MAX_BODY")
        self._max_nodes: int = read(settings, "BOILERPLATE_MAX_NODES")

    def read(
        self, adapter: ItemAdapter, record: PageRecord | None, response: Response | None
    ) -> PageRecord | None:
        """Return the page of an item, its own HTML or the response's; count why there is none."""
        html = value_of(adapter, self.html_field) if self.html_field is not None else None
        if not is_empty(html):
            return self._read_html(html, adapter, response)
        if record is None or response is None:
            self._reports.count("skipped/no_page")
            return None
        if record.read is None:
            record.read = self._read(response.body, lambda: page_of(response, self._max_nodes))
            if is_misread(response):
                self._reports.count("encoding_disagrees")
        return record if record.read is not None else None

    def _read_html(
        self, html: object, adapter: ItemAdapter, response: Response | None
    ) -> PageRecord | None:
        if not isinstance(html, (bytes, str)):
            raise TypeError(
                f"{self.html_field!r} must hold bytes or str, not {type(html).__name__}"
            )
        url = address_of(adapter.item)
        if response is not None:
            url = response.url if url is None else urljoin(response.url, url)
        encoding = getattr(response, "encoding", None)
        record = PageRecord(is_fragment=_is_fragment(html))
        record.read = self._read(
            html, lambda: Page.parse(html, url=url, encoding=encoding, max_nodes=self._max_nodes)
        )
        return record if record.read is not None else None

    def _read(self, body: bytes | str, parse: Callable[[], Page]) -> Page | None:
        if 0 < self._max_body < len(body):
            self._reports.count("skipped/too_large")
            return None
        started = perf_counter()
        page = parse()
        self._reports.count("seconds", perf_counter() - started)
        self._reports.count("pages")
        self._reports.count("bytes_in", len(body))
        self._count_flaws(page)
        return page

    def _count_flaws(self, page: Page) -> None:
        if page.over_budget:
            self._reports.count("over_budget")
            if self._reports.first_time("over budget"):
                logger.warning(
                    "%s has more tags than BOILERPLATE_MAX_NODES = %d allows; only its beginning "
                    "is read (further pages are only counted)",
                    *(page.url, self._max_nodes),
                )
        elif page.truncated:
            self._reports.count("truncated")
        if page.garbled:
            self._reports.count("garbled")
        if page.reparsed:
            self._reports.count("reparsed")


def _is_fragment(html: bytes | str) -> bool:
    """Return whether HTML is a part of a page: it begins without what a whole page begins with."""
    start = html[:_WHOLE_PAGE_WITHIN]
    text = start.decode("latin-1").replace("\0", "") if isinstance(start, bytes) else start
    return _WHOLE_PAGE.search(text) is None
