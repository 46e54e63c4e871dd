"""Reads the page of an item: from the item itself, or from the response that it came from."""

from __future__ import annotations

import logging
from collections.abc import Callable
from time import perf_counter
from typing import TYPE_CHECKING

from scrapy.http import HtmlResponse
from w3lib.encoding import http_content_type_encoding

from scrapy_boilerplate.core.page import Page, page_of
from scrapy_boilerplate.core.page.decoding import utf8
from scrapy_boilerplate.plugin.origins import Origin, Reading
from scrapy_boilerplate.plugin.settings import read

if TYPE_CHECKING:
    from itemadapter import ItemAdapter
    from scrapy.http import Response
    from scrapy.settings import BaseSettings

    from scrapy_boilerplate.plugin.reports import Reports

logger = logging.getLogger(__name__)


class PageReader:
    """Reads pages within the limits of the settings, and counts them."""

    def __init__(self, settings: BaseSettings, reports: Reports) -> None:
        self._reports = reports
        self._html_field: str | None = read(settings, "BOILERPLATE_HTML_FIELD")
        self._max_body: int = read(settings, "BOILERPLATE_MAX_BODY")
        self._max_nodes: int = read(settings, "BOILERPLATE_MAX_NODES")

    @property
    def reads_items(self) -> bool:
        """Whether items may carry their HTML in a field."""
        return self._html_field is not None

    def is_too_large(self, body: bytes | str) -> bool:
        """Return whether a body is larger than ``BOILERPLATE_MAX_BODY``."""
        return bool(self._max_body) and len(body) > self._max_body

    def read(
        self, adapter: ItemAdapter, origin: Origin | None, response: Response | None
    ) -> Reading | None:
        """Return the page of an item: its own HTML, or the response that it shares with others.

        Returns ``None``, which is counted, if there is no page or it is too large. Raises
        :exc:`TypeError` if the field for HTML holds anything else.
        """
        html = value_of(adapter, self._html_field) if self._html_field is not None else None
        if not is_empty(html):
            return self._read_html(html, adapter, response)
        if origin is None or response is None:
            self._reports.count("skipped/no_page")
            return None
        if origin.reading is None:
            known = origin.known
            held = known.page if known is not None else None
            reading = self._read(response.body, lambda: held or page_of(response, self._max_nodes))
            origin.reading = reading._replace(known=known) if reading else None
            if _is_read_otherwise(response):
                self._reports.count("encoding_disagrees")
        return origin.reading

    def _read_html(
        self, html: object, adapter: ItemAdapter, response: Response | None
    ) -> Reading | None:
        if not isinstance(html, (bytes, str)):
            raise TypeError(
                f"{self._html_field!r} must hold bytes or str, not {type(html).__name__}"
            )
        url = response.url if response is not None else value_of(adapter, "url")
        address = url if isinstance(url, str) else None
        encoding = getattr(response, "encoding", None)
        return self._read(
            html,
            lambda: Page.parse(html, url=address, encoding=encoding, max_nodes=self._max_nodes),
        )

    def _read(self, body: bytes | str, parse: Callable[[], Page]) -> Reading | None:
        if self.is_too_large(body):
            self._reports.count("skipped/too_large")
            return None
        started = perf_counter()
        page = parse()
        self._reports.count("seconds", perf_counter() - started)
        self._reports.count("pages")
        self._reports.count("bytes_in", len(body))
        self._count_flaws(page)
        return Reading(page, [])

    def _count_flaws(self, page: Page) -> None:
        if page.over_budget:
            self._reports.count("over_budget")
            if self._reports.is_new("over budget"):
                logger.warning(
                    "%s has more than BOILERPLATE_MAX_NODES = %d tags; only its beginning is read "
                    "(further pages are only counted)",
                    *(page.url, self._max_nodes),
                )
        elif page.truncated:
            self._reports.count("truncated")
        if page.garbled:
            self._reports.count("garbled")
        if page.reparsed:
            self._reports.count("reparsed")


def value_of(adapter: ItemAdapter, name: str) -> object:
    """Return a field's value; ``None`` without a value or without that field."""
    try:
        return adapter[name]
    except (KeyError, AttributeError):  # the latter where a class leaves a field without a value
        return None


def is_empty(value: object) -> bool:
    """Return whether a field is empty: no value, or a value without content."""
    return value is None or (isinstance(value, (str, bytes, list, tuple, dict)) and not value)


def _is_read_otherwise(response: Response) -> bool:
    """Return whether Scrapy decodes a UTF-8 response wrongly because of a ``meta``."""
    if not isinstance(response, HtmlResponse) or response.encoding == "utf-8":
        return False
    header = (response.headers.get(b"Content-Type") or b"").decode("latin-1")
    return http_content_type_encoding(header) is None and utf8(response.body) is not None
