"""Remembers which response an item came from, since item pipelines are not told."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from scrapy.spidermiddlewares.base import BaseSpiderMiddleware

from scrapy_boilerplate.checks import check
from scrapy_boilerplate.holding.holder import holder_of
from scrapy_boilerplate.origins import origins_of

if TYPE_CHECKING:
    from scrapy.crawler import Crawler
    from scrapy.http import Response
    from typing_extensions import Self

__all__ = ["BoilerplateSpiderMiddleware"]


class BoilerplateSpiderMiddleware(BaseSpiderMiddleware):
    """Remembers the response of each item until :class:`BoilerplatePipeline` asks for it.

    An item that must wait for its site to be learned is held meanwhile.
    """

    ORDER = 10
    """Next to the engine, so that it sees the items as the other middlewares have left them."""

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        self._origins = origins_of(crawler)

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Return the middleware, unless ``BOILERPLATE_ENABLED`` is false."""
        check(crawler)
        return cls(crawler)

    def get_processed_item(self, item: Any, response: Response | None) -> Any:
        """Remember an item that a callback has yielded; items of ``start()`` have no response."""
        if response is None:
            return item
        holder = holder_of(self.crawler)
        if holder is not None and holder.offer(item, response):
            return None
        self._origins.remember(item, response)
        return item
