"""Learns each site during the crawl; its items wait until that is done."""

from __future__ import annotations

import logging
from collections.abc import Callable
from contextlib import contextmanager
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Any

from scrapy import signals
from scrapy.exceptions import NotConfigured
from scrapy.http import TextResponse
from scrapy.utils.asyncio import create_looping_call
from scrapy.utils.job import job_dir
from scrapy.utils.project import data_path

from scrapy_boilerplate.checks import check
from scrapy_boilerplate.errors import stop
from scrapy_boilerplate.holding.policy import BoilerplateItemPipelineManager, HoldingPolicy
from scrapy_boilerplate.holding.store import CannotStoreError
from scrapy_boilerplate.page import holds_html
from scrapy_boilerplate.settings import read
from scrapy_boilerplate.sites.exchange import StoreExchange
from scrapy_boilerplate.sites.keys import site_key
from scrapy_boilerplate.sites.learner import SiteLearner
from scrapy_boilerplate.sites.learning import LearningOptions
from scrapy_boilerplate.sites.rules import RuleUse, load_rules
from scrapy_boilerplate.sites.stores import StoreError, open_store
from scrapy_boilerplate.sites.stores.queued import QueuedStore

if TYPE_CHECKING:
    from collections.abc import Iterator

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

Known = Callable[["Page", "Extractor"], "Extraction | None"]
"""Returns what a method found on a page before, if that is known."""

MOST_NAMED = 10
"""Sites that one line of the log names."""

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
    """Learns sites from the pages that the pipeline extracts, and applies what was learned.

    The items of a site's first pages wait on disk until the site is learned, until there are too
    many of them or they wait too long, or until the spider closes; then they go through the item
    pipelines as if their callback had yielded them just now, each once, with the better text.
    Nothing waits in a pipeline, and the crawl never waits for a page.
    """

    ORDER = 500

    learner: SiteLearner
    """What is known of the sites; there once the spider is open."""

    def __init__(self, crawler: Crawler) -> None:
        self.crawler = crawler
        self._store: SiteStore | None = None
        self._exchange: StoreExchange | None = None
        self._holding: HoldingPolicy | None = None
        self._logged: set[tuple[type, str]] = set()
        self._observed: dict[str, Known] = {}
        self._clock: Any = None

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Return the extension, unless ``BOILERPLATE_ENABLED`` or ``BOILERPLATE_SITES`` is off."""
        check(crawler)
        if not read(crawler.settings, "BOILERPLATE_SITES"):
            raise NotConfigured
        extension = cls(crawler)
        crawler.signals.connect(extension._idle, signal=signals.spider_idle)
        crawler.signals.connect(extension._closed, signal=signals.spider_closed)
        return extension

    def open(self) -> None:
        """Open the store, and take up what a crawl that was killed has left.

        The pipeline calls it when the spider opens, since an error there stops the crawl: raises
        :exc:`ConfigurationError` if the store or the rules cannot be read.
        """
        settings = self.crawler.settings
        try:
            self._store = store = open_store(
                store_address(settings),
                read(settings, "BOILERPLATE_SITE_FREEZE_PAGES"),
                read(settings, "BOILERPLATE_SITE_STORE_BYTES"),
            )
            rules = store.rules()
        except StoreError as error:
            self._close_files()
            stop([f"BOILERPLATE_SITE_STORE: {error}"])
        try:
            path: str | None = read(settings, "BOILERPLATE_SITE_RULES")
            if path is not None:
                rules.update(load_rules(path))
            self._rule_use = RuleUse(rules)
            queue = QueuedStore(store)
            self.learner = _learner(settings, queue, rules)
            self._exchange = StoreExchange(
                *(self.learner, queue),
                seconds=read(settings, "BOILERPLATE_SITE_FLUSH_SECONDS"),
                tick_seconds=TICK_SECONDS,
                frozen=self._learned_elsewhere,
                failed=self.report,
            )
            if read(settings, "BOILERPLATE_SITE_HOLD"):
                self._holding = HoldingPolicy(self)
                self._holding.open()
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
                self._rule_use.see(site, page)
                if page.url in self._observed:
                    single = self._observed[page.url](page, extractor)
                else:
                    single = self.learn(site, page, extractor)
                model = self.learner.model(site)
                if model is not None:
                    return self._apply(model, page, extractor, single)
        except Exception as error:
            self.report(error, f"Learning from {page.url}")
        finally:
            self.count("seconds", perf_counter() - started)
        return single or extractor.extract(page)

    @contextmanager
    def observed(self, url: str, known: Known) -> Iterator[None]:
        """Learn nothing from the page of that address, since it was observed when it came.

        *known* returns what a method found on it then.
        """
        self._observed[url] = known
        try:
            yield
        finally:
            self._observed.pop(url, None)

    def learn(self, site: str, page: Page, extractor: Extractor) -> Extraction | None:
        """Observe a page; return what the single-page method finds on it, if that was needed."""
        single = extractor.extract(page) if self.learner.is_learning(site) else None
        event = self.learner.observe(page, single)
        if event is not None:
            self.count(event)
            self._log(event, site)
        if event == "frozen" and self._holding is not None:
            self._holding.release(site)
        return single

    def _apply(
        self, model: SiteModel, page: Page, extractor: Extractor, single: Extraction | None
    ) -> Extraction:
        extraction = model.apply(page, extractor, single)
        self.count("applied")
        if extraction.kind != "article":
            self.count("no_article")
        return extraction

    # -- for the spider middleware -----------------------------------------------------------

    def hold(self, item: Any, response: Response) -> bool:
        """Take over an item if its site is still being learned; else it should go on at once."""
        if (
            self._holding is None
            or not isinstance(response, TextResponse)
            or not holds_html(response)
        ):
            return False
        try:
            return self._holding.offer(item, response)
        except CannotStoreError as error:
            self.count("not_held")
            logger.debug("Not held, goes on at once: %s (%s)", response.url, error)
        except Exception as error:
            self.report(error, f"Holding an item of {response.url}")
        return False

    # -- signals -----------------------------------------------------------------------------

    def _idle(self) -> None:
        if self._holding is not None:
            self._holding.release_all()

    async def finish(self) -> None:
        """Let go of all items that wait; the spider is about to close."""
        if self._holding is not None:
            await self._holding.finish()

    def _closed(self) -> None:
        if self._clock is None:  # the spider could not open
            return
        self._clock.stop()
        self._close_exchange()
        self._log_unused_rules()
        learning = sum(not self.learner.is_frozen(site) for site in self.learner)
        for name, value in (("learning", learning), ("evicted", self.learner.evicted)):
            if value:
                self.count(name, value)
        self._close_files()

    def _close_files(self) -> None:
        if self._holding is not None:
            self._holding.close()
        if self._store is not None and self._exchange is None:  # which closes it
            self._store.close()

    def _tick(self) -> None:
        if self._holding is not None:
            self._holding.release_overdue()
        if self._exchange is not None:
            self._exchange.tick()

    def _close_exchange(self) -> None:
        lost = self._exchange.close() if self._exchange is not None else 0
        if lost:
            self.count("not_saved", lost)
            logger.error("What was learned of %d sites could not be written to the store", lost)

    def _learned_elsewhere(self, site: str) -> None:
        self.count("learned_elsewhere")
        self._log("frozen", site)
        if self._holding is not None:
            self._holding.release(site)

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

    def _log_unused_rules(self) -> None:
        """Name the rules written by hand that may have a typing error, or be out of date."""
        for rule in self._rule_use.unmatched():
            logger.warning("The rule of %s: %s %r matched nothing on %d pages", *rule)
        unseen = list(self._rule_use.unseen())
        if unseen:
            named = ", ".join(unseen[:MOST_NAMED])
            more = f" and {len(unseen) - MOST_NAMED} more" if len(unseen) > MOST_NAMED else ""
            logger.info("No page came of these sites, which have rules: %s%s", named, more)

    def _log(self, event: str, site: str) -> None:
        model = self.learner.model(site)
        if event == "relearning":
            logger.info("Site %s has changed; learning it anew", site)
        elif model is None:
            logger.info("Site %s is learned: no container holds its articles", site)
        else:
            logger.info(
                "Site %s is learned from %d pages: the article is in %s; removed are %d repeated "
                "texts, %d template_paths of boilerplate, and what follows %d cut points",
                *(site, model.pages, ", ".join(vote.name for vote in model.containers)),
                *(len(model.repeats), len(model.boilerplate), len(model.cuts)),
            )


def _learner(
    settings: BaseSettings, store: QueuedStore, rules: dict[str, SiteModel]
) -> SiteLearner:
    freeze_pages = read(settings, "BOILERPLATE_SITE_FREEZE_PAGES")
    key: str | Callable[[str], str] = read(settings, "BOILERPLATE_SITE_KEY")
    return SiteLearner(
        LearningOptions(freeze_pages=freeze_pages), key=site_key(key), rules=rules, store=store
    )
