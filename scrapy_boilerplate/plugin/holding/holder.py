"""The place in a crawl where items are held; it is empty until the spider opens."""

from __future__ import annotations

import logging
import sqlite3
from typing import TYPE_CHECKING

from scrapy.utils.job import job_dir

from scrapy_boilerplate.learn.stores import StoreError
from scrapy_boilerplate.plugin.holding.holding import Holding
from scrapy_boilerplate.plugin.holding.store import HoldingStore, held_file

if TYPE_CHECKING:
    from scrapy.crawler import Crawler
    from scrapy.http import Response

    from scrapy_boilerplate.plugin.holding.learning import SiteLearning

logger = logging.getLogger(__name__)

MEMORY_BYTES = 64_000_000
"""Most bytes of memory for held pages as they were read; those beyond it are read again."""


class Holder:
    """Lets the components of a crawl hold items. The item processor owns it.

    Does nothing before :meth:`start`. After it, does nothing if no item may be held and no earlier
    run has left any.
    """

    def __init__(self, crawler: Crawler) -> None:
        self._crawler = crawler
        self._learning: SiteLearning | None = None
        self._holding: Holding | None = None

    def accept(self, learning: SiteLearning) -> None:
        """Hold items for *learning*; to be called before :meth:`start`."""
        self._learning = learning

    def start(self) -> None:
        """Open the store, and take up what a run that was killed has left there.

        To be called when all pipelines are open, so that their listeners are told first that an
        item has arrived.
        """
        folder = job_dir(self._crawler.settings)
        if self._learning is None and not (folder and held_file(folder).exists()):
            return
        try:
            store = HoldingStore(folder, MEMORY_BYTES)
            self._holding = Holding(self._crawler, store, self._learning)
        except (StoreError, sqlite3.Error, OSError) as error:
            logger.error("Items are not held but go on at once: %s", error, exc_info=error)
        else:
            self._holding.connect()

    def offer(self, item: object, response: Response) -> bool:
        """Take over an item if its site is being learned; else it should go on at once."""
        return self._holding is not None and self._holding.offer(item, response)

    def release(self, site: str) -> None:
        """Send on the held items of a site, which is learned now."""
        if self._holding is not None:
            self._holding.release(site)

    async def finish(self) -> None:
        """Send on all held items, and wait until they have gone."""
        if self._holding is not None:
            await self._holding.finish()
