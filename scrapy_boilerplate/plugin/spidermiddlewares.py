"""Remembers each item's response, because item pipelines do not get it."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from scrapy.spidermiddlewares.base import BaseSpiderMiddleware

from scrapy_boilerplate.plugin._scrapy import fill_for_parse_command, is_of_parse_command
from scrapy_boilerplate.plugin.checks import check
from scrapy_boilerplate.plugin.state import CrawlState

if TYPE_CHECKING:
    from scrapy.crawler import Crawler
    from scrapy.http import Response
    from typing_extensions import Self

__all__ = ["BoilerplateSpiderMiddleware"]

Item = TypeVar("Item")


class BoilerplateSpiderMiddleware(BaseSpiderMiddleware):
    """Remembers the response of each item until :class:`BoilerplatePipeline` asks for it.

    Holds items that must wait for their site to be learned. Fills at once what ``scrapy parse``
    shows, because that command keeps the items from all components.
    """

    ORDER = 10
    """Next to the engine, so that it sees the items after all other middlewares."""

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        self._state = CrawlState.of(crawler)
        self._shown: set[int] = set()

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Return the middleware, unless ``BOILERPLATE_ENABLED`` is false."""
        check(crawler)
        return cls(crawler)

    def process_spider_input(self, response: Response) -> None:
        """Let ``scrapy parse`` show the items with their text."""
        if self._state.fill is not None and is_of_parse_command(response):
            self._state.record(response).is_taught = True  # a look at a page teaches nothing
            fill_for_parse_command(response, self._state.fill, self._shown)

    def get_processed_item(self, item: Item, response: Response | None) -> Item | None:
        """Remember an item that a callback has yielded; items of ``start()`` have no response."""
        if response is None:
            return item
        held_items = self._state.held_items
        if held_items is not None and held_items.offer(item, response):
            return None
        self._state.remember(item, response)
        return item
