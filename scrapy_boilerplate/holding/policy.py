"""Items that wait for their site: which do, and how they are let go."""

from __future__ import annotations

import logging
from contextvars import ContextVar
from functools import cached_property, partial
from time import monotonic
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

from scrapy import signals
from scrapy.pipelines import ItemPipelineManager
from scrapy.utils.defer import deferred_from_coro, maybe_deferred_to_future
from scrapy.utils.job import job_dir

from scrapy_boilerplate.holding.store import HoldingStore
from scrapy_boilerplate.settings import read
from scrapy_boilerplate.spidermiddlewares import BoilerplateSpiderMiddleware

if TYPE_CHECKING:
    from scrapy.http import Response, TextResponse

    from scrapy_boilerplate.extensions import BoilerplateSiteLearning

__all__ = ["BoilerplateItemPipelineManager", "HoldingPolicy"]

logger = logging.getLogger(__name__)

_number: ContextVar[int | None] = ContextVar("boilerplate_number", default=None)
"""Number of the item that waited and is on its way through the item pipelines in this context."""


class HoldingPolicy:
    """Which items wait, and how they are let go."""

    def __init__(self, learning: BoilerplateSiteLearning) -> None:
        settings = learning.crawler.settings
        self._learning = learning
        self._crawler = learning.crawler
        self._items = HoldingStore(job_dir(settings))
        self._most_pages: int = read(settings, "BOILERPLATE_SITE_HOLD_PAGES")
        self._most_bytes: int = read(settings, "BOILERPLATE_SITE_HOLD_BYTES")
        self._most_seconds: int = read(settings, "BOILERPLATE_SITE_HOLD_SECONDS")
        self._pages: dict[str, int] = {}  # pages that wait, by site
        self._since: dict[str, float] = {}  # when the first of them came
        self._bytes = 0
        self._sizes: dict[str, int] = {}
        self._done: set[str] = set()  # sites that have waited long enough
        self._of_response: WeakKeyDictionary[Response, int] = WeakKeyDictionary()
        self._due: dict[str, None] = {}  # sites whose items go now, in order
        self._going = False
        self._task: Any = None
        self._can_close = False

    def open(self) -> None:
        """Take up what a crawl that was killed has left."""
        processor = self._crawler.engine.scraper.itemproc
        self._can_close = isinstance(processor, BoilerplateItemPipelineManager)
        if not self._can_close:
            logger.warning(
                "Items do not wait for their sites, since ITEM_PROCESSOR is not %s.%s",
                BoilerplateItemPipelineManager.__module__,
                BoilerplateItemPipelineManager.__name__,
            )
        # Connected only now, so that the listeners of feeds and pipelines come before.
        for signal in (signals.item_scraped, signals.item_dropped, signals.item_error):
            self._crawler.signals.connect(self._arrived, signal=signal)
        for site, (pages, size) in self._items.sites().items():
            self._account(site, pages, size)
        in_doubt = self._items.in_doubt()
        if in_doubt:
            self._learning.count("in_doubt", in_doubt)
            logger.warning(
                "%d items were on their way when the last run was killed; they go again", in_doubt
            )

    # -- taking over -------------------------------------------------------------------------

    def offer(self, item: Any, response: TextResponse) -> bool:
        """Keep an item of a site that is being learned; return whether it is kept."""
        learner = self._learning.learner
        site = learner.key(response.url)
        number = self._of_response.get(response)
        if number is not None and self._items.add_to(number, item):
            if site in self._done:  # it follows the others of its page, which are on their way
                self._start(site)
            return True
        if site in self._done or not learner.is_learning(site) or not self._can_close:
            return False
        # Imported late, since the pipeline imports this module.
        from scrapy_boilerplate.pipelines import BoilerplatePipeline, page_of

        pipeline = self._crawler.get_item_pipeline(BoilerplatePipeline)
        extractor = pipeline.first_extractor(item, response) if pipeline is not None else None
        if extractor is None:
            return False
        self._of_response[response], size = self._items.add(site, response, item)
        self._account(site, 1, size)
        self._learning.count("held")
        page = page_of(response)
        try:
            single = self._learning.learn(site, page, extractor)
            self._items.keep(self._of_response[response], page, extractor, single)
        except Exception as error:  # the item waits all the same
            self._learning.report(error, f"Learning from {response.url}")
        if self._pages.get(site, 0) >= self._most_pages or self._bytes >= self._most_bytes:
            self.release(site)
        return True

    def _account(self, site: str, pages: int, size: int) -> None:
        self._pages[site] = self._pages.get(site, 0) + pages
        self._sizes[site] = self._sizes.get(site, 0) + size
        self._bytes += size
        self._since.setdefault(site, monotonic())

    # -- letting go --------------------------------------------------------------------------

    def release(self, site: str) -> None:
        """Let the items of a site go, in the background; later ones do not wait any more."""
        self._done.add(site)
        if site in self._pages:
            self._start(site)

    def _start(self, site: str) -> None:
        self._due[site] = None
        if not self._going:
            self._going = True
            self._task = deferred_from_coro(self._go())

    def release_overdue(self) -> None:
        """Let go what has waited too long."""
        now = monotonic()
        for site, since in list(self._since.items()):
            if now - since < self._most_seconds:  # and so for the later ones
                break
            self.release(site)

    def release_all(self) -> None:
        """Let everything go."""
        for site in list(self._pages):
            self.release(site)

    async def finish(self) -> None:
        """Let everything go, and wait until it is gone."""
        self.release_all()
        if self._going and self._task is not None:
            await maybe_deferred_to_future(self._task)

    async def _go(self) -> None:
        while self._due:
            site = next(iter(self._due))
            del self._due[site]
            self._pages.pop(site, None)
            self._since.pop(site, None)
            self._bytes -= self._sizes.pop(site, 0)
            for number in self._items.numbers(site):
                await self._send(number)
        self._going = False

    async def _send(self, number: int) -> None:
        """Send an item through the item pipelines, then forget it."""
        try:
            item, response = self._items.get(number, self._crawler.spider)  # type: ignore[arg-type]
        except Exception as error:  # its class has changed since the crawl that was killed
            self._learning.report(error, "Reading an item that waited")
            return
        middleware = self._crawler.get_spider_middleware(BoilerplateSpiderMiddleware)
        if middleware is not None:
            middleware.remember(item, response)
        scraper = self._crawler.engine.scraper
        token = _number.set(number)
        try:
            with self._learning.observed(response.url, partial(self._items.known, number)):
                await scraper.start_itemproc_async(item, response=response)
        finally:
            _number.reset(token)
        # A scraper that is closing waits until nothing is under way, but looks for that only when
        # a response is done: our item may have been the last thing that it waited for.
        closing = scraper.slot.closing if scraper.slot is not None else None
        if closing is not None and not closing.called:
            scraper._check_if_closing()
        self._items.remove(number)
        self._learning.count("released")

    def _arrived(self) -> None:
        """Forget an item at once when it has arrived, before anything else is done.

        Until :meth:`_send` goes on other pages may be parsed; a kill in between would make the item
        come twice.
        """
        number = _number.get()
        if number is not None:
            self._items.remove(number)

    def close(self) -> None:
        """Close the file."""
        self._items.close()


class BoilerplateItemPipelineManager(ItemPipelineManager):
    """Tells our pipeline where an item came from, also if a pipeline before it replaces the item.

    Lets the items that wait go before the item pipelines close.
    """

    async def process_item_async(self, item: Any) -> Any:
        """Send *item* through the item pipelines."""
        if self._origins is None:
            return await super().process_item_async(item)
        with self._origins.following(item):
            return await super().process_item_async(item)

    @cached_property
    def _origins(self) -> BoilerplateSpiderMiddleware | None:
        if self.crawler is None:
            return None
        return self.crawler.get_spider_middleware(BoilerplateSpiderMiddleware)

    async def close_spider_async(self) -> None:
        """Finish what waits, then close the pipelines."""
        # Imported late, since the extension imports this module.
        from scrapy_boilerplate.extensions import BoilerplateSiteLearning

        learning = self.crawler.get_extension(BoilerplateSiteLearning) if self.crawler else None
        if learning is not None:
            await learning.finish()
        await super().close_spider_async()
