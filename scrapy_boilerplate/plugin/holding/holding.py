"""Holds items while their site is being learned, and sends them on: the rules of one crawl."""

from __future__ import annotations

import logging
import sqlite3
from typing import TYPE_CHECKING
from weakref import WeakSet

from scrapy import signals
from scrapy.exceptions import DontCloseSpider
from scrapy.http import TextResponse
from scrapy.utils.asyncio import create_looping_call

from scrapy_boilerplate.core.page import holds_html, page_of
from scrapy_boilerplate.plugin.holding.delivery import Delivery
from scrapy_boilerplate.plugin.holding.first_pages import FirstPages
from scrapy_boilerplate.plugin.holding.forms import CannotStoreError
from scrapy_boilerplate.plugin.holding.held import Held
from scrapy_boilerplate.plugin.holding.learning import HeldLearning
from scrapy_boilerplate.plugin.holding.leftovers import request_key
from scrapy_boilerplate.plugin.holding.limits import CloseLimits
from scrapy_boilerplate.plugin.holding.notices import Notices
from scrapy_boilerplate.plugin.holding.policy import MOST_BYTES, MOST_PAGES, Bounds, HoldingPolicy
from scrapy_boilerplate.plugin.holding.store import Packed
from scrapy_boilerplate.plugin.reports import Reports
from scrapy_boilerplate.plugin.settings import read

if TYPE_CHECKING:
    from scrapy.crawler import Crawler
    from scrapy.http import Response
    from scrapy.utils.asyncio import AsyncioLoopingCall
    from twisted.internet.task import LoopingCall

    from scrapy_boilerplate.plugin.holding.learning import SiteLearning
    from scrapy_boilerplate.plugin.holding.store import HeldPage, HoldingStore

logger = logging.getLogger(__name__)


class Holding:
    """Holds the items of a site's first pages, and sends each on once.

    They go when the site is learned, when there are too many of them or they wait too long, when
    the crawl's own limits require it, and when the spider is idle or closes. After any error here
    the items still go on; an item that cannot be held goes on at once. Without *learning* nothing
    is held, and what an earlier run has left goes first.
    """

    def __init__(
        self, crawler: Crawler, store: HoldingStore, learning: SiteLearning | None
    ) -> None:
        settings = crawler.settings
        self._crawler = crawler
        assert crawler.spider is not None
        self._spider = crawler.spider
        self._reports = Reports(crawler, "boilerplate/sites", logger, "the item goes on")
        seconds: int = read(settings, "BOILERPLATE_SITE_HOLD_SECONDS")
        bounds = Bounds(MOST_PAGES, MOST_BYTES, seconds)
        self._policy = HoldingPolicy(bounds)
        self._first_pages = FirstPages()
        self._went: WeakSet[Response] = WeakSet()  # first pages that do not wait
        self._max_nodes: int = read(settings, "BOILERPLATE_MAX_NODES")
        self._limits = CloseLimits(settings)
        self._held = Held(store, self._policy)
        self._learning = HeldLearning(
            learning, self._held, self._spider, self._reports, self._max_nodes
        )
        self._delivery = Delivery(crawler, store, self._held.leftovers, self._reports)
        self._notices = Notices(self._policy, self._reports, crawler.spider)
        self._notices.left(store.in_doubt())
        self._clock: AsyncioLoopingCall | LoopingCall | None = None

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
        if not self._learning:
            self.release_all()
        self._notices.start()
        self._clock = create_looping_call(self._tick)
        self._clock.start(min(1.0, self._limits.seconds / 4 or 1.0), now=False)

    def _tick(self) -> None:
        for site in self._policy.overdue():
            self.release(site)
        self._check_limits()

    def _check_limits(self) -> None:
        if self._policy.items and self._limits.is_due(self._pending):
            self.release_all(for_good=False)

    @property
    def _pending(self) -> int:
        """Items that are held or on their way."""
        return self._policy.items + len(self._delivery)

    def _idle(self) -> None:
        if self._pending:
            self.release_all()
            raise DontCloseSpider

    async def finish(self) -> None:
        """Send on all held items and wait until they have gone; the spider is about to close."""
        self.release_all()
        await self._delivery.drained()

    def _closed(self) -> None:
        self._notices.stop()
        if self._clock is not None and self._clock.running:
            self._clock.stop()
        self._notices.not_removed(self._held.store.close())

    # -- taking over -------------------------------------------------------------------------

    def offer(self, item: object, response: Response) -> bool:
        """Take over an item if its site is being learned; else it should go on at once."""
        if not (isinstance(response, TextResponse) and holds_html(response)):
            return False
        taken = False
        again = self._held.leftovers.again(response, self._crawler)
        try:
            taken = self._held.leftovers.has_sent(item, response)
            if taken:
                self._reports.count("repeated")
            else:
                taken = self._take(item, response, again)
        except CannotStoreError as error:
            self._reports.count("not_held")
            logger.debug("An item is not held but goes on at once: %s (%s)", response.url, error)
        except (sqlite3.Error, OSError) as error:
            self._reports.error(error, "Writing to the file of held items", response.url)
            self._learning.stop()  # the disk is full: nothing more is held
            self.release_all()
        except Exception as error:
            self._reports.error(error, "Holding an item", response.url)
        if again is not None:
            self._forget(again)
        return taken

    def _forget(self, page: HeldPage) -> None:
        try:
            self._held.forget(page)
        except sqlite3.Error as error:
            self._reports.error(error, "Forgetting a held page that has come again")
        self._notices.show()

    def _take(self, item: object, response: TextResponse, again: HeldPage | None) -> bool:
        page = self._held.page(response)
        site = self._site_to_hold(response.url)
        if site is None or (page is not None and not self._policy.holds(site)):
            if page is not None:  # it goes on before the others of its page
                self._held.store.pin(page, response)
            return False
        taken: bool | None
        if page is not None:
            taken = self._held.add_further(site, page, item)
        else:
            taken = self._take_first(item, response, site, again)
        if taken is False or self._policy.is_full(site):
            self.release(site)
        self._notices.show()
        return bool(taken)

    def _site_to_hold(self, url: str) -> str | None:
        """Return the site of an address, if a page of it may be held."""
        site = self._learning.site(url)
        if site is None:
            return None
        self._learning.catch_up(site)
        if not self._policy.is_open(site):
            return None
        if self._limits.is_due(self._pending + 1):
            self.release_all(for_good=False)
            return None
        return site

    def _take_first(
        self, item: object, response: TextResponse, site: str, again: HeldPage | None
    ) -> bool | None:
        """Hold the first item of a page, and learn from the page.

        Returns ``False`` if there is no room, ``None`` if the item needs no text, or if its page is
        the first of a site and would wait in vain.
        """
        extractor = self._learning.extractor(item, response)
        if extractor is None:
            return None
        is_first = not (self._policy.holds(site) or self._learning.knows(site))
        if response in self._went or (is_first and not self._first_pages.should_wait()):
            self._went.add(response)
            self._notices.goes_at_once()
            return None
        page = page_of(response, self._max_nodes)  # this may fail; nothing is written yet
        plenty = self._policy.has_plenty(len(response.body))
        packed = Packed.of(response, item, self._spider, compressed=not plenty)
        if not self._policy.admits(site, packed.size):
            return False
        request = request_key(self._crawler, response.request)
        number = self._held.add(site, request, packed, response, again)
        self._reports.count("held")
        self._learning.learn(site, number, page, extractor)
        if is_first:
            self._first_pages.waits(site)
        return True

    # -- letting go --------------------------------------------------------------------------

    def release(self, site: str, *, for_good: bool = True) -> None:
        """Send on the held items of a site; *for_good*: later ones are not held either."""
        if self._policy.holds(site):
            self._first_pages.goes(site, self._policy.pages(site))
            self._learning.finish(site)
        self._delivery.send(self._held.pop(site, for_good=for_good))
        self._notices.show()

    def release_all(self, *, for_good: bool = True) -> None:
        """Send on all held items."""
        for site in self._held:
            self.release(site, for_good=for_good)
