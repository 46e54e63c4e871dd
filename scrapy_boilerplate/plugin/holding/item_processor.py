"""Wraps the project's item processor: follows items, and lets held ones go in time."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from scrapy.pipelines import ItemPipelineManager
from scrapy.utils.defer import maybe_deferred_to_future
from scrapy.utils.deprecate import method_is_overridden
from scrapy.utils.misc import build_from_crawler, load_object

from scrapy_boilerplate.plugin.holding.held_items import open_held_items
from scrapy_boilerplate.plugin.state import CrawlState

if TYPE_CHECKING:
    from scrapy.crawler import Crawler
    from typing_extensions import Self

__all__ = ["BoilerplateItemPipelineManager"]

logger = logging.getLogger(__name__)

INNER = "_BOILERPLATE_INNER_ITEM_PROCESSOR"
"""Where the add-on notes the item processor that runs inside of ours; no setting for users."""


class BoilerplateItemPipelineManager:
    """Tells our pipeline where an item came from, also if a pipeline before it replaces the item.

    Lets held items go before the item pipelines close. Leaves all else to the project's own item
    processor, which the add-on notes.
    """

    def __init__(self, processor: object, crawler: Crawler) -> None:
        self._processor = processor
        self._crawler = crawler
        self._state = CrawlState.of(crawler)
        self._state.can_hold = True

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Return the item processor, around the one that the project would have without it."""
        fallback = load_object(crawler.settings.get(INNER) or ItemPipelineManager)
        if isinstance(fallback, type) and issubclass(fallback, cls):
            fallback = ItemPipelineManager  # the project names us itself
        return cls(build_from_crawler(fallback, crawler), crawler)

    async def open_spider_async(self) -> None:
        """Open the pipelines; from then on items may be held."""
        await self._call("open_spider")
        self._state.held_items = open_held_items(self._crawler, self._state.learning)

    async def process_item_async(self, item: object) -> object:
        """Send *item* through the item pipelines."""
        with self._state.following(item):
            return await self._call("process_item", item)

    async def close_spider_async(self) -> None:
        """Send on what is held, then close the pipelines."""
        try:
            if self._state.held_items is not None:
                await self._state.held_items.finish()
        except Exception as error:  # the pipelines must close whatever happens
            logger.error("Could not send the held items on: %s", error, exc_info=error)
        finally:
            await self._call("close_spider")

    def __getattr__(self, name: str) -> object:
        """Return what others look for in an item processor, such as its ``middlewares``."""
        return getattr(self._processor, name)

    async def _call(self, name: str, *args: object) -> object:
        """Call a method as Scrapy would: by its old name if only that is overridden."""
        processor = self._processor
        is_old = not hasattr(processor, f"{name}_async") or (
            isinstance(processor, ItemPipelineManager)
            and method_is_overridden(type(processor), ItemPipelineManager, name)
            and not method_is_overridden(type(processor), ItemPipelineManager, f"{name}_async")
        )
        if is_old:
            result = getattr(processor, name)(*args, self._crawler.spider)
            return await maybe_deferred_to_future(result)
        return await getattr(processor, f"{name}_async")(*args)
