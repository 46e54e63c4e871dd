"""Remembers each item's response, because item pipelines do not get it."""

from __future__ import annotations

import logging
from typing import Any

from scrapy.crawler import Crawler
from scrapy.http import Response
from scrapy.spidermiddlewares.base import BaseSpiderMiddleware

from scrapy_boilerplate.core.answer.extraction import Extraction
from scrapy_boilerplate.plugin._scrapy import fill_for_parse_command, is_of_parse_command
from scrapy_boilerplate.plugin.crawl import Component
from scrapy_boilerplate.plugin.reports import Reports

__all__ = ["BoilerplateSpiderMiddleware"]

logger = logging.getLogger(__name__)


class BoilerplateSpiderMiddleware(Component, BaseSpiderMiddleware):
    """Remembers the response of each item until :class:`BoilerplatePipeline` asks for it.

    Fills at once what ``scrapy parse`` shows, because that command keeps the items from all
    components.
    """

    ORDER = 10  # next to the engine, so that it sees the items after all other middlewares

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        BaseSpiderMiddleware.__init__(self, crawler)
        self._reports = Reports(crawler, "boilerplate", logger, "the item is sent")
        self._shown: set[int] = set()

    def process_spider_input(self, response: Response) -> None:
        """Let ``scrapy parse`` show the items with their text."""
        if self._state.fill is not None and is_of_parse_command(response):
            self._state.records.of(response).teaches = False  # a look at a page teaches nothing
            fill_for_parse_command(response, self._state.fill, self._shown)

    def get_processed_item(self, item: Any, response: Response | None) -> Any:
        """Remember an item of a callback; feeds get an ``Extraction`` as a dict."""
        if isinstance(item, Extraction):
            item = item.to_dict()
        if response is not None:
            try:
                self._state.records.remember(item, response)
            except Exception as error:  # an item class may raise anything
                self._reports.error(error, "Reading the address of an item", response.url)
        return item
