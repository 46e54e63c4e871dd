"""Decides which items are held until their site is learned, and when each goes on."""

from __future__ import annotations

import json
import logging
import sqlite3
from collections import defaultdict, deque
from datetime import datetime, timedelta, timezone
from typing import TYPE_CHECKING

from itemadapter import ItemAdapter
from scrapy import signals
from scrapy.exceptions import DontCloseSpider
from scrapy.http import TextResponse
from scrapy.utils.asyncio import create_looping_call
from scrapy.utils.job import job_dir
from scrapy.utils.request import fingerprint

from scrapy_boilerplate.core.page import holds_html, page_of
from scrapy_boilerplate.learn.stores import StoreError
from scrapy_boilerplate.plugin.holding.delivery import Delivery, digest
from scrapy_boilerplate.plugin.holding.forms import CannotStoreError, pack_item, unpack_item
from scrapy_boilerplate.plugin.holding.limits import CloseLimits, FirstPageLimit, HeldSites
from scrapy_boilerplate.plugin.holding.store import HeldStore, held_file
from scrapy_boilerplate.plugin.reports import Reports
from scrapy_boilerplate.plugin.settings import read
from scrapy_boilerplate.plugin.state import CrawlState

if TYPE_CHECKING:
    from scrapy import Request
    from scrapy.crawler import Crawler
    from scrapy.http import Response
    from scrapy.utils.asyncio import AsyncioLoopingCall
    from twisted.internet.task import LoopingCall

    from scrapy_boilerplate.core.methods import Extractor
    from scrapy_boilerplate.core.page import Page
    from scrapy_boilerplate.plugin.extensions import BoilerplateSiteLearning
    from scrapy_boilerplate.plugin.holding.store import HeldPage
    from scrapy_boilerplate.plugin.state import PageRecord

logger = logging.getLogger(__name__)

_LOGSTATS = logging.getLogger("scrapy.extensions.logstats")
"""Says each minute how many pages were crawled and how many items scraped."""


def open_held_items(crawler: Crawler, learning: BoilerplateSiteLearning | None) -> HeldItems | None:
    """Open the store, and take up what a run that was killed has left there.

    Returns ``None`` if no item may be held and none is left, or if the store cannot be opened. To
    be called when all pipelines are open, so that their listeners are told first that an item has
    arrived.
    """
    folder = job_dir(crawler.settings)
    if learning is None and not (folder and held_file(folder).exists()):
        return None
    try:
        held = HeldItems(crawler, HeldStore(folder), learning)
    except (StoreError, sqlite3.Error, OSError) as error:
        logger.error("Items are not held but go on at once: %s", error, exc_info=error)
        return None
    held.connect()
    return held


class HeldItems:
    """Holds the items of a site's first pages, and sends each on once.

    Module ``limits`` lists what ends the waiting. After any error here the items still go on; an
    item that cannot be held goes on at once. Without *learning* nothing is held, and what an
    earlier run has left goes first.

    After a kill Scrapy may request a page again although its items are held: it reads its requests
    from disk as they were before. The page that comes again replaces the held one. If an item of
    the held page was sent on in the meantime, one equal item is not sent again.
    """

    def __init__(
        self, crawler: Crawler, store: HeldStore, learning: BoilerplateSiteLearning | None
    ) -> None:
        settings = crawler.settings
        assert crawler.spider is not None
        self._crawler = crawler
        self._spider = crawler.spider
        self._store = store
        self._learning = learning
        self._reports = Reports(crawler, "boilerplate/sites", logger, "the item goes on")
        self._state = CrawlState.of(crawler)
        self._max_body: int = read(settings, "BOILERPLATE_MAX_BODY")
        self._max_nodes: int = read(settings, "BOILERPLATE_MAX_NODES")
        self._sites = HeldSites(read(settings, "BOILERPLATE_SITE_HOLD_SECONDS"))
        self._limits = CloseLimits(settings)
        self._first_pages = FirstPageLimit()
        self._delivery = Delivery(crawler, store, self._reports)
        self._clock: AsyncioLoopingCall | LoopingCall | None = None
        self._is_first = True  # no item was held yet
        self._by_request: defaultdict[str, deque[HeldPage]] = defaultdict(deque)
        for page in store.pages():
            self._sites.add(page)
            if page.request:
                self._by_request[page.request].append(page)
        self._tell_what_is_left(store.in_doubt())

    # -- the crawl ---------------------------------------------------------------------------

    def connect(self) -> None:
        """Listen to the crawl, after all who listen already."""
        to = self._crawler.signals
        self._limits.connect(to)
        to.connect(self._opened, signal=signals.spider_opened)
        to.connect(self._check_limits, signal=signals.response_received)
        to.connect(self._idle, signal=signals.spider_idle)
        to.connect(self._closed, signal=signals.spider_closed)
        self._delivery.connect()

    def _opened(self) -> None:
        if self._learning is None:
            self._release_all()
        _LOGSTATS.addFilter(self)
        self._clock = create_looping_call(self._tick)
        self._clock.start(min(1.0, self._limits.seconds / 4 or 1.0), now=False)

    def _tick(self) -> None:
        for site in self._sites.overdue():
            self.release(site)
        self._check_limits()

    def _check_limits(self) -> None:
        if self._sites.items and self._limits.is_due(self._pending):
            self._release_all(for_good=False)

    @property
    def _pending(self) -> int:
        """Items that are held or on their way."""
        return self._sites.items + len(self._delivery)

    def _idle(self) -> None:
        if self._pending:
            self._release_all()
            raise DontCloseSpider

    async def finish(self) -> None:
        """Send on all held items and wait until they have gone; the spider is about to close."""
        self._release_all()
        await self._delivery.drained()

    def _closed(self) -> None:
        _LOGSTATS.removeFilter(self)
        if self._clock is not None and self._clock.running:
            self._clock.stop()
        self._tell_what_comes_again(self._store.close())

    # -- taking over -------------------------------------------------------------------------

    def offer(self, item: object, response: Response) -> bool:
        """Take over an item if its site is being learned; else it should go on at once."""
        if not (isinstance(response, TextResponse) and holds_html(response)):
            return False
        taken = False
        record = self._state.record(response)
        replaced = self._come_again(record, response)
        try:
            taken = self._has_gone(item, record, response)
            if taken:
                self._reports.count("repeated")
            else:
                taken = self._take(item, record, response, replaced)
        except CannotStoreError as error:
            self._reports.count("not_held")
            logger.debug("An item is not held but goes on at once: %s (%s)", response.url, error)
        except (sqlite3.Error, OSError) as error:
            self._reports.error(error, "Writing to the file of held items", response.url)
            self._learning = None  # the disk is full: nothing more is held
            self._release_all()
        except Exception as error:
            self._reports.error(error, "Holding an item", response.url)
        if replaced is not None:
            self._forget(replaced)
        return taken

    def _take(
        self, item: object, record: PageRecord, response: TextResponse, replaced: HeldPage | None
    ) -> bool:
        page = record.held
        site = self._site_to_hold(response.url)
        if site is None or (page is not None and page not in self._sites.pages(site)):
            if page is not None and page.items:  # this item goes on before others of its page
                page.pinned = response
            return False
        if page is None:
            taken = self._take_first(item, record, response, site, replaced)
        else:
            taken = self._store.add_item(page, item)
            self._sites.items += taken
        if taken is False or self._sites.is_full(site):
            self.release(site)
        self._show()
        return bool(taken)

    def _site_to_hold(self, url: str) -> str | None:
        """Return the site of an address, if a page of it may be held."""
        site = self._learning.learns(url) if self._learning is not None else None
        if site is None:
            return None
        self._catch_up(site)
        if not self._sites.is_open(site):
            return None
        if self._limits.is_due(self._pending + 1):
            self._release_all(for_good=False)
            return None
        return site

    def _take_first(
        self,
        item: object,
        record: PageRecord,
        response: TextResponse,
        site: str,
        replaced: HeldPage | None,
    ) -> bool | None:
        """Hold the first item of a page, and learn from the page.

        Returns ``False`` if there is no room, ``None`` if the item needs no text, or if its page is
        the first of a site and would wait in vain.
        """
        assert self._learning is not None
        extractor = self._first_extractor(item, response)
        if extractor is None:
            return None
        is_first = not (site in self._sites or self._learning.knows(site))
        if record.goes_at_once or (is_first and not self._first_pages.should_wait()):
            record.goes_at_once = True
            self._tell_that_first_pages_go()
            return None
        read_page = page_of(response, self._max_nodes)  # this may fail; nothing is written yet
        request = _request_key(self._crawler, response.request)
        page = self._store.add(site, request, response, item, self._spider, replaced)
        if page is None:
            return False
        record.held, record.is_taught = page, True
        page.waits_as_first = is_first
        self._sites.add(page)
        self._reports.count("held")
        try:
            self._teach(page, read_page, extractor)
        except Exception as error:
            self._reports.error(error, "Learning from a held page", response.url)
        return True

    def _first_extractor(self, item: object, response: Response) -> Extractor | None:
        """Return the extractor that an item's first field would be filled with, if any would."""
        if 0 < self._max_body < len(response.body) or not ItemAdapter.is_item(item):
            return None
        wishes = self._state.chooser.wishes(type(item), response.request)
        empty = wishes.empty_in(ItemAdapter(item))
        return empty[0].extractor if empty else None

    def _teach(self, page: HeldPage, read_page: Page, extractor: Extractor) -> None:
        """Let the site learn from a page, and keep what was found on it for its items."""
        found = self._learning.teach(read_page, extractor) if self._learning is not None else None
        if found is not None:
            self._store.keep_answer(page, read_page, extractor, found)

    # -- letting go --------------------------------------------------------------------------

    def release(self, site: str, *, for_good: bool = True) -> None:
        """Send on the held items of a site; *for_good*: later ones are not held either."""
        if site in self._sites:
            self._catch_up(site)
            if self._learning is not None:
                self._learning.save(site)
        pages = self._sites.take(site, for_good=for_good)
        if any(page.waits_as_first for page in pages):
            self._first_pages.went(in_vain=len(pages) == 1)
        # A limit of the crawl's counts what has arrived, so nothing may be late.
        self._delivery.send(pages, at_once=not for_good)
        self._show()

    def _release_all(self, *, for_good: bool = True) -> None:
        for site in self._sites:
            self.release(site, for_good=for_good)

    # -- what an earlier run has left --------------------------------------------------------

    def _catch_up(self, site: str) -> None:
        """Learn from what an earlier run held of a site, which may be missing in its store."""
        for page in self._sites.pages(site):
            try:
                if page.is_untaught:
                    page.is_untaught = False
                    self._learn_again(page)
            except Exception as error:  # noqa: PERF203 - each page may fail
                self._reports.error(error, "Learning from a page of an earlier run")

    def _learn_again(self, page: HeldPage) -> None:
        form = self._store.item(page.items[0])
        if form is None or self._learning is None:
            return
        response = self._store.response(page, self._spider)
        if not self._learning.learns(response.url):
            return
        extractor = self._first_extractor(unpack_item(form), response)
        if extractor is not None:
            self._teach(page, page_of(response, self._max_nodes), extractor)

    def _come_again(self, record: PageRecord, response: Response) -> HeldPage | None:
        """Return the page that comes again with *response*; ``None`` if called before for it."""
        if not self._by_request or record.came_before is not None:
            return None
        pages = self._by_request.get(_request_key(self._crawler, response.request))
        if not pages:
            return None
        record.came_before = pages.popleft()
        return record.came_before

    def _has_gone(self, item: object, record: PageRecord, response: Response) -> bool:
        """Return whether an equal item of the same page was sent on already; once for each.

        Raises :exc:`CannotStoreError` for an item that can never have been held.
        """
        page = record.came_before
        if page is None or not page.sent:
            return False
        key = digest(pack_item(item), response)
        page.sent[key] -= 1
        return page.sent[key] >= 0

    def _forget(self, page: HeldPage) -> None:
        """Forget a page that has come again, with those of its items that were not sent on yet."""
        self._sites.discard(page)
        try:
            self._store.remove_page(page)
        except sqlite3.Error as error:
            self._reports.error(error, "Forgetting a held page that has come again")
        self._show()

    # -- what is said ------------------------------------------------------------------------

    def _tell_what_is_left(self, in_doubt: int) -> None:
        if self._sites.items:
            logger.info(
                "An earlier run left %d held items, by site: %s",
                *(self._sites.items, self._sites.names()),
            )
        if in_doubt:
            self._reports.count("in_doubt", in_doubt)
            logger.warning(
                "%d items were on their way when the last run was killed; they are sent again",
                in_doubt,
            )
        self._show()

    def _show(self) -> None:
        """Update the statistics; log a line when the first item of the crawl is held."""
        sites = self._sites
        self._reports.set("holding/items", sites.items)
        self._reports.set("holding/sites", sites.names() if sites.items else "")
        self._reports.set("holding/until", self._until() if sites.items else None)
        if sites.items and self._is_first:
            self._is_first = False
            logger.info(
                "Holding the items of each new site until it is learned, for at most %d pages and "
                "%g seconds. BOILERPLATE_SITE_HOLD = False sends them on at once",
                *(sites.most_pages, sites.seconds),
            )

    def _tell_that_first_pages_go(self) -> None:
        self._reports.count("not_waited")
        if self._reports.is_new("first pages go at once"):
            logger.info(
                "Hardly any site had a second page while its first one waited: the items of a new "
                "site's first page go on at once from now on, later ones wait"
            )

    def _tell_what_comes_again(self, number: int) -> None:
        if number:
            self._reports.count("not_removed", number)
            logger.error(
                "%d held items have arrived but could not be removed from the file of held items, "
                "so a run with the same JOBDIR sends them again. To prevent that, make room on the "
                "disk and delete boilerplate/held.sqlite there",
                number,
            )

    def filter(self, record: logging.LogRecord) -> bool:
        """Add what is held to Scrapy's line about its progress, if it is of this crawl."""
        if self._sites.items and getattr(record, "spider", None) is self._spider:
            until = f"{self._until().astimezone():%Y-%m-%d %H:%M:%S}"
            held = (
                f"; {self._sites.items} items are held until their sites are learned, "
                f"at the latest until {until}: {self._sites.names()}"
            )
            record.msg = f"{record.msg}{held.replace('%', '%%')}"
        return True

    def _until(self) -> datetime:
        now = datetime.now(tz=timezone.utc)
        return (now + timedelta(seconds=self._sites.seconds_left)).replace(microsecond=0)


def _request_key(crawler: Crawler, request: Request | None) -> str:
    """Return what tells a request from others: its fingerprint, callback and arguments."""
    if request is None:
        return ""
    fingerprinter = crawler.request_fingerprinter
    identity = fingerprinter.fingerprint(request) if fingerprinter else fingerprint(request)
    callback = getattr(request.callback, "__name__", None)
    arguments = json.dumps(request.cb_kwargs, sort_keys=True, default=repr)
    return f"{identity.hex()} {callback} {arguments}"
