"""Learns each site during the crawl, and applies what was learned."""

from __future__ import annotations

import logging
import os
from datetime import datetime, timezone
from time import perf_counter
from typing import NamedTuple

from scrapy import signals
from scrapy.crawler import Crawler
from scrapy.exceptions import NotConfigured
from scrapy.settings import BaseSettings
from scrapy.utils.asyncio import AsyncioLoopingCall, create_looping_call
from twisted.internet.task import LoopingCall

from scrapy_boilerplate.core.answer.extraction import Extraction
from scrapy_boilerplate.core.methods import Extractor
from scrapy_boilerplate.core.page import Page
from scrapy_boilerplate.learn.drift import SiteChange
from scrapy_boilerplate.learn.keys import site_key
from scrapy_boilerplate.learn.learner import SiteLearner
from scrapy_boilerplate.learn.options import LearningOptions
from scrapy_boilerplate.learn.rule_files import RuleUse, load_rules
from scrapy_boilerplate.learn.site_model import SiteModel
from scrapy_boilerplate.learn.stores import SiteStore, StoreError, open_store
from scrapy_boilerplate.learn.stores.queued import QueuedStore, StoreExchange
from scrapy_boilerplate.learn.stores.sqlite import IN_MEMORY
from scrapy_boilerplate.plugin.crawl import Component
from scrapy_boilerplate.plugin.errors import stop
from scrapy_boilerplate.plugin.records import PageRecord
from scrapy_boilerplate.plugin.reports import Reports
from scrapy_boilerplate.plugin.settings import default_store, read, store_address
from scrapy_boilerplate.plugin.signals import boilerplate_site_changed

__all__ = ["BoilerplateSiteLearning", "SiteAnswer"]

logger = logging.getLogger(__name__)

_MOST_NAMED = 10  # sites in a line of the log

FLUSH_SECONDS = 60  # most seconds between two writes of a site that changes

TICK_SECONDS = 1.0  # how often it looks for states that are to be written


class SiteAnswer(NamedTuple):
    """An extraction, and what the site's model changed."""

    extraction: Extraction
    alone: Extraction | None = None  # what the method found on the page alone, if it had to look
    model: SiteModel | None = None


class BoilerplateSiteLearning(Component):
    """Learns sites from the pages that the pipeline extracts, and applies what was learned.

    Each page is judged by what its site has taught so far, this page included. Nothing waits.
    """

    ORDER = 500

    learner: SiteLearner  # set once the spider is open

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        if not read(crawler.settings, "BOILERPLATE_SITES"):
            raise NotConfigured
        crawler.signals.connect(self._closed, signal=signals.spider_closed)
        self._exchange: StoreExchange | None = None
        self._reports = Reports(crawler, "boilerplate/sites", logger, "the item is sent without it")
        self._clock: AsyncioLoopingCall | LoopingCall | None = None

    def open(self) -> None:
        """Open the store and read the rules: for the pipeline, where an error stops the crawl."""
        settings = self.crawler.settings
        freeze_pages = read(settings, "BOILERPLATE_SITE_FREEZE_PAGES")
        rules, path = {}, read(settings, "BOILERPLATE_SITE_RULES")
        try:
            if path is not None:
                rules = load_rules(path)
            store = _open_store(settings, freeze_pages)
            known = sum(1 for _ in store.sites())
        except (StoreError, ValueError, OSError) as error:
            stop([str(error)])
            raise
        if known:
            self._reports.count("known", known)
            logger.info(
                "Sites known from earlier crawls: %d (see `scrapy boilerplate-sites list`)", known
            )
        self._rule_use = RuleUse(rules)
        queue = QueuedStore(store)
        self.learner = SiteLearner(
            LearningOptions(freeze_pages=freeze_pages),
            key=site_key(read(settings, "BOILERPLATE_SITE_KEY")),
            rules=rules,
            store=queue,
        )
        self._exchange = StoreExchange(
            *(self.learner, queue),
            seconds=FLUSH_SECONDS,
            frozen=self._learned_elsewhere,
            failed=self._reports.error,
        )
        self._clock = create_looping_call(self._exchange.tick)
        self._clock.start(TICK_SECONDS, now=False)

    # -- for the pipeline --------------------------------------------------------------------

    def extract(self, record: PageRecord, extractor: Extractor) -> SiteAnswer:
        """Return what is found by the model of the site, which learns from the page first."""
        page = record.page
        single: Extraction | None = None
        started = perf_counter()
        try:
            site = self.learner.site_of(page)
            if site and page.is_html and not record.is_fragment:
                self._rule_use.see(site, page)
                if record.teaches:
                    record.teaches = False
                    single = self._teach(site, page, extractor)
                model = self.learner.model(site)
                if model is not None:
                    extraction = model.apply(page, extractor, single)
                    self._reports.count("applied")
                    if not extraction.is_one_text:
                        self._reports.count("no_article")
                    return SiteAnswer(extraction, single, model)
        except Exception as error:
            self._reports.error(error, "Learning", page.url)
        finally:
            self._reports.count("seconds", perf_counter() - started)
        return SiteAnswer(single or extractor.extract(page))

    def _teach(self, site: str, page: Page, extractor: Extractor) -> Extraction | None:
        """Let a site learn from a page; return what the method found on it alone, if it ran."""
        found = extractor.extract(page)
        event = self.learner.observe(page, found)
        if event is not None:
            self._reports.count(event)
            change = self.learner.change(site) if event in CHANGES else None
            self.crawler.signals.send_catch_log(
                boilerplate_site_changed, url=page.url or "", event=event, site=site, change=change
            )
            _log_event(event, site, self.learner.model(site), change)
        return found

    # -- the store ---------------------------------------------------------------------------

    def _learned_elsewhere(self, site: str) -> None:
        self._reports.count("learned_elsewhere")
        _log_event("frozen", site, self.learner.model(site))

    def _closed(self) -> None:
        if self._clock is None or self._exchange is None:  # the spider could not open
            return
        self._clock.stop()
        lost = self._exchange.close()
        if lost:
            logger.error("Sites that could not be written to the store: %d", lost)
        _log_unused_rules(self._rule_use)
        memory = self.learner.memory
        learning = sum(not self.learner.is_frozen(site) for site in memory)
        counts = {"learning": learning, "evicted": memory.evicted, "not_saved": lost}
        for name in filter(counts.get, counts):
            self._reports.count(name, counts[name])


# What becomes of a site that has changed, by event.
CHANGES = {
    "relearning": "It is learned again",
    "blocked": "Its model stays, because these pages teach nothing; if they are right, set "
    "BOILERPLATE_OPTIONS = {'blocked': False}",
}


def _open_store(settings: BaseSettings, freeze_pages: int) -> SiteStore:
    """Open the store; where no file can be written, keep sites for this crawl."""
    address = store_address(settings)
    is_needed = address != default_store(settings) or os.path.exists(address)
    try:
        store = open_store(address, freeze_pages)
        writable, problem = store.writable(), f"{address} can only be read"
        if writable is store:
            return store
    except StoreError as error:
        if is_needed:
            raise
        writable, problem = open_store(IN_MEMORY, freeze_pages), str(error)
    logger.warning("%s (BOILERPLATE_SITE_STORE). This crawl forgets what it learns", problem)
    return writable


# -- for the log ---------------------------------------------------------------------------------


def _log_unused_rules(rule_use: RuleUse) -> None:
    """Log the manual rules that may be mistyped or out of date."""
    for rule in rule_use.unmatched():
        logger.warning("Rule of %s: %s %r matched nothing on %d pages", *rule)
    unseen = list(rule_use.unseen())
    if unseen:
        named = ", ".join(unseen[:_MOST_NAMED])
        more = f" and {len(unseen) - _MOST_NAMED} more" if len(unseen) > _MOST_NAMED else ""
        logger.info("These sites have rules, but no page was crawled: %s%s", named, more)


def _log_event(
    event: str, site: str, model: SiteModel | None, change: SiteChange | None = None
) -> None:
    """Log what became of a site, whose model it has if an article was found."""
    if change is not None:
        at = datetime.fromtimestamp(change.at, timezone.utc).isoformat(timespec="seconds")
        logger.warning(
            "Site %s has changed: %s since %s (%s, %d pages). %s",
            *(site, change.what, change.since, at, change.pages, CHANGES[event]),
        )
    elif event == "extended" and model is not None:
        logger.info("Site %s has %d templates now", site, 1 + len(model.also))
    elif model is None:
        logger.info("Site %s is learned: its articles have no common container", site)
    else:
        counts = {"repeated texts": len(model.repeats), "template paths": len(model.boilerplate)}
        drops = ", ".join(f"{what} ({number})" for what, number in counts.items() if number)
        logger.info(
            "Site %s is learned from %d pages: the article is in %s%s",
            *(site, model.pages),
            ", ".join(vote.name for vote in model.containers or model.sources),
            drops and f". Dropped from now on: {drops}",
        )
