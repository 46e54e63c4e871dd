"""Learns each site during the crawl; its items wait until that is done."""

from __future__ import annotations

import logging
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cached_property
from pathlib import Path
from time import monotonic, perf_counter
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

from scrapy import signals
from scrapy.exceptions import NotConfigured
from scrapy.http import HtmlResponse
from scrapy.pipelines import ItemPipelineManager
from scrapy.utils.asyncio import create_looping_call
from scrapy.utils.defer import deferred_from_coro, maybe_deferred_to_future
from scrapy.utils.job import job_dir
from scrapy.utils.project import data_path

from scrapy_boilerplate.holding import CannotHoldError, HeldItems
from scrapy_boilerplate.settings import read, stop
from scrapy_boilerplate.sites.keys import site_key
from scrapy_boilerplate.sites.learner import SiteLearner
from scrapy_boilerplate.sites.learning import LearningOptions
from scrapy_boilerplate.sites.rules import load_models
from scrapy_boilerplate.sites.stores import StoreError, open_store
from scrapy_boilerplate.spidermiddlewares import BoilerplateSpiderMiddleware

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from scrapy.crawler import Crawler
    from scrapy.http import Response
    from scrapy.settings import BaseSettings
    from typing_extensions import Self

    from scrapy_boilerplate.extraction import Extraction
    from scrapy_boilerplate.extractors import Extractor
    from scrapy_boilerplate.page import Page
    from scrapy_boilerplate.sites.model import SiteModel
    from scrapy_boilerplate.sites.stores import SiteStore

__all__ = ["BoilerplateItemPipelineManager", "BoilerplateSiteLearning", "store_address"]

logger = logging.getLogger(__name__)

TICK_SECONDS = 1.0
"""How often it is looked after what waits too long."""


def store_address(settings: BaseSettings) -> str:
    """Return where the sites of a project are kept: ``BOILERPLATE_SITE_STORE`` or its default."""
    address: str | None = read(settings, "BOILERPLATE_SITE_STORE")
    if address is not None:
        return address
    folder = job_dir(settings)
    if folder is not None:
        return str(Path(folder, "boilerplate", "sites.sqlite"))
    return data_path("boilerplate/sites.sqlite", createdir=False)


class BoilerplateSiteLearning:
    """Learns sites from the pages that the pipeline extracts, and applies what was learnt.

    The items of a site's first pages wait on disk until the site is learnt, until there are too
    many of them or they wait too long, or until the spider closes; then they go through the item
    pipelines as if their callback had yielded them just now, each once, with the better text.
    Nothing waits in a pipeline, and the crawl never waits for a page.
    """

    ORDER = 500

    learner: SiteLearner
    """What is known of the sites; there once the spider is open."""

    def __init__(self, crawler: Crawler) -> None:
        self.crawler = crawler
        self._flush_seconds: int = read(crawler.settings, "BOILERPLATE_SITE_FLUSH_SECONDS")
        self._flushed = monotonic()
        self._store: SiteStore | None = None
        self._hold: _Hold | None = None
        self._logged: set[tuple[type, str]] = set()
        self._observed: set[str] = set()
        self._clock: Any = None

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Return the extension, unless ``BOILERPLATE_ENABLED`` or ``BOILERPLATE_SITES`` is off."""
        settings = crawler.settings
        if not (read(settings, "BOILERPLATE_ENABLED") and read(settings, "BOILERPLATE_SITES")):
            raise NotConfigured
        extension = cls(crawler)
        crawler.signals.connect(extension._idle, signal=signals.spider_idle)
        crawler.signals.connect(extension._closed, signal=signals.spider_closed)
        return extension

    def open(self) -> None:
        """Open the store, and take up what a crawl that was killed has left.

        The pipeline calls it when the spider opens, since an error there stops the crawl: raises
        :exc:`ValueError` if the store or the rules cannot be read.
        """
        settings = self.crawler.settings
        try:
            self._store = open_store(
                store_address(settings), read(settings, "BOILERPLATE_SITE_LOCK_PAGES")
            )
            rules = {**self._store.rules(), **_rules_file(settings)}
            self.learner = _learner(settings, self._store, rules)
            if read(settings, "BOILERPLATE_SITE_HOLD"):
                self._hold = _Hold(self)
                self._hold.open()
        except (StoreError, ValueError, OSError) as error:
            self._close_files()
            stop([str(error)])
        self._clock = create_looping_call(self._tick)
        self._clock.start(TICK_SECONDS, now=False)

    # -- for the pipeline --------------------------------------------------------------------

    def extract(self, page: Page, extractor: Extractor) -> Extraction:
        """Return the main content of *page*, by the model of its site if there is one."""
        single: Extraction | None = None
        started = perf_counter()
        try:
            site = self.learner.site_of(page)
            if site and page.text_at.size:
                if page.url not in self._observed:
                    single = self.learn(site, page, extractor)
                model = self.learner.model(site)
                if model is not None:
                    return self._apply(model, page, extractor)
        except Exception as error:
            self.report(error, f"Learning from {page.url}")
        finally:
            self.count("seconds", perf_counter() - started)
        return single or extractor.extract(page)

    @contextmanager
    def observed(self, url: str) -> Iterator[None]:
        """Learn nothing from the page of that address, since it was observed when it came."""
        self._observed.add(url)
        try:
            yield
        finally:
            self._observed.discard(url)

    def learn(self, site: str, page: Page, extractor: Extractor) -> Extraction:
        """Observe a page; return what the single-page method finds on it."""
        single = extractor.extract(page)
        event = self.learner.observe(page, single)
        if event is not None:
            self.count(event)
            self._log(event, site)
        if event == "locked" and self._hold is not None:
            self._hold.release(site)
        return single

    def _apply(self, model: SiteModel, page: Page, extractor: Extractor) -> Extraction:
        extraction = model.apply(page, extractor)
        self.count("applied")
        if extraction.kind != "article":
            self.count("no_article")
        return extraction

    # -- for the spider middleware -----------------------------------------------------------

    def hold(self, item: Any, response: Response) -> bool:
        """Take over an item if its site is still being learnt; else it should go on at once."""
        if self._hold is None or not isinstance(response, HtmlResponse):
            return False
        try:
            return self._hold.offer(item, response)
        except CannotHoldError as error:
            self.count("not_held")
            logger.debug("Not held, goes on at once: %s (%s)", response.url, error)
        except Exception as error:
            self.report(error, f"Holding an item of {response.url}")
        return False

    # -- signals -----------------------------------------------------------------------------

    def _idle(self) -> None:
        if self._hold is not None:
            self._hold.release_all()

    async def finish(self) -> None:
        """Let go of all items that wait; the spider is about to close."""
        if self._hold is not None:
            await self._hold.finish()

    def _closed(self) -> None:
        if self._clock is None:  # the spider could not open
            return
        self._clock.stop()
        self._flush()
        learning = sum(not self.learner.is_locked(site) for site in self.learner)
        for name, value in (("learning", learning), ("evicted", self.learner.evicted)):
            if value:
                self.count(name, value)
        self._close_files()

    def _close_files(self) -> None:
        if self._hold is not None:
            self._hold.close()
        if self._store is not None:
            self._store.close()

    def _tick(self) -> None:
        if self._hold is not None:
            self._hold.release_overdue()
        if monotonic() - self._flushed >= self._flush_seconds:
            self._flush()

    def _flush(self) -> None:
        self._flushed = monotonic()
        try:
            for site in self.learner.flush():
                self.count("learnt_elsewhere")
                self._log("locked", site)
                if self._hold is not None:
                    self._hold.release(site)
        except Exception as error:
            self.report(error, "Writing the site store")

    # -- stats and log -----------------------------------------------------------------------

    def count(self, name: str, by: float = 1) -> None:
        """Add to the statistic ``boilerplate/sites/<name>``."""
        self.crawler.stats.inc_value(f"boilerplate/sites/{name}", by)  # type: ignore[arg-type]

    def report(self, error: Exception, what: str) -> None:
        """Count an error, and log the first of its kind."""
        self.count("errors")
        kind = (type(error), str(error)[:100])
        if kind not in self._logged and len(self._logged) < 100:
            self._logged.add(kind)
            logger.error("%s failed: %s (the item goes on without)", what, error, exc_info=error)

    def _log(self, event: str, site: str) -> None:
        model = self.learner.model(site)
        if event == "relearning":
            logger.info("Site %s has changed; learning it anew", site)
        elif model is None:
            logger.info("Site %s is learnt: no container holds its articles", site)
        else:
            logger.info(
                "Site %s is learnt from %d pages: the article is in %s; removed are %d repeated "
                "texts, %d slots of boilerplate, and what follows %d cut points",
                *(site, model.pages, ", ".join(vote.name for vote in model.containers)),
                *(len(model.repeats), len(model.boilerplate), len(model.cuts)),
            )


_number: ContextVar[int | None] = ContextVar("boilerplate_number", default=None)
"""Number of the item that waited and is on its way through the item pipelines in this context."""


class _Hold:
    """Which items wait, and how they are let go."""

    def __init__(self, learning: BoilerplateSiteLearning) -> None:
        settings = learning.crawler.settings
        self._learning = learning
        self._crawler = learning.crawler
        self._items = HeldItems(job_dir(settings))
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

    def offer(self, item: Any, response: HtmlResponse) -> bool:
        """Keep an item of a site that is being learnt; return whether it is kept."""
        learner = self._learning.learner
        site = learner.key(response.url)
        page = self._of_response.get(response)
        if page is not None and self._items.add_to(page, item):
            if site in self._done:  # it follows the others of its page, which are on their way
                self._start(site)
            return True
        known = site in learner.rules or learner.is_locked(site) or site in self._done
        if known or not site or not self._can_close:
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
        try:
            self._learning.learn(site, page_of(response), extractor)
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
            with self._learning.observed(response.url):
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
        learning = self.crawler.get_extension(BoilerplateSiteLearning) if self.crawler else None
        if learning is not None:
            await learning.finish()
        await super().close_spider_async()


def _learner(settings: BaseSettings, store: SiteStore, rules: dict[str, SiteModel]) -> SiteLearner:
    lock_pages = read(settings, "BOILERPLATE_SITE_LOCK_PAGES")
    key: str | Callable[[str], str] = read(settings, "BOILERPLATE_SITE_KEY")
    return SiteLearner(
        LearningOptions(lock_pages=lock_pages), key=site_key(key), rules=rules, store=store
    )


def _rules_file(settings: BaseSettings) -> dict[str, SiteModel]:
    path = read(settings, "BOILERPLATE_SITE_RULES")
    if path is None:
        return {}
    format = "yaml" if path.endswith((".yaml", ".yml")) else "json"
    try:
        return load_models(Path(path).read_text(encoding="utf-8"), format)
    except ValueError as error:
        raise ValueError(f"BOILERPLATE_SITE_RULES, {path}: {error}") from error
