"""Decides which items wait until their site is learned, and when each stops waiting."""

from __future__ import annotations

import json
import logging
import sqlite3
from collections import defaultdict, deque
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta, timezone
from itertools import islice, takewhile
from time import monotonic
from typing import TYPE_CHECKING, NamedTuple
from weakref import WeakKeyDictionary, WeakSet

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
from scrapy_boilerplate.plugin.holding.store import HoldingStore, Packed, held_file
from scrapy_boilerplate.plugin.reports import Reports
from scrapy_boilerplate.plugin.settings import read

if TYPE_CHECKING:
    from scrapy import Request
    from scrapy.crawler import Crawler
    from scrapy.http import Response
    from scrapy.settings import BaseSettings
    from scrapy.signalmanager import SignalManager
    from scrapy.utils.asyncio import AsyncioLoopingCall
    from twisted.internet.task import LoopingCall

    from scrapy_boilerplate.plugin.holding.store import HeldPage
    from scrapy_boilerplate.plugin.state import Learning

logger = logging.getLogger(__name__)

_LOGSTATS = logging.getLogger("scrapy.extensions.logstats")
"""Says each minute how many pages were crawled and how many items scraped."""

MOST_PAGES = 25
"""Most pages of a site that are held."""

MOST_BYTES = 256_000_000
"""Most bytes that held pages and items take on disk."""

_MOST_NAMED = 5
"""Sites that a line of the log names."""


# -- bounds ----------------------------------------------------------------------------------------


class Bounds(NamedTuple):
    """The bounds of what is held."""

    pages: int
    """Pages of a site."""
    size: int
    """Bytes on disk, of all sites."""
    seconds: float
    """Seconds that a site holds pages, from its first one on."""


@dataclass(slots=True)
class _Site:
    """The counts of one site's held pages."""

    since: float
    pages: int = 0
    items: int = 0
    size: int = 0


class HeldSites:
    """Counts what is held of each site, and says what may be held and what must go.

    *clock* gives the time in seconds.

    >>> sites = HeldSites(Bounds(pages=2, size=1000, seconds=60))
    >>> sites.admits("a.example", 100)
    True
    >>> sites.add("a.example", pages=2, items=2, size=200)
    >>> sites.is_full("a.example")
    True
    """

    def __init__(self, bounds: Bounds, clock: Callable[[], float] = monotonic) -> None:
        self.bounds = bounds
        self.items = 0
        """Items that are held now."""
        self._clock = clock
        self._size = 0
        self._held: dict[str, _Site] = {}  # in the order of their first pages
        self._done: set[str] = set()  # sites whose items are not held any more

    def __len__(self) -> int:
        """Return the number of sites with held items."""
        return len(self._held)

    def __contains__(self, site: str) -> bool:
        """Return whether anything of *site* is held."""
        return site in self._held

    def pages(self, site: str) -> int:
        """Return how many pages of *site* are held."""
        return self._held[site].pages if site in self._held else 0

    def is_open(self, site: str) -> bool:
        """Return whether *site* may still be held."""
        return site not in self._done and min(self.bounds.pages, self.bounds.seconds) > 0

    def has_plenty(self, size: int) -> bool:
        """Return whether less than a quarter of the bytes is taken with *size* more."""
        return 4 * (self._size + size) < self.bounds.size

    def admits(self, site: str, size: int) -> bool:
        """Return whether *size* more bytes of *site* may be held."""
        return self.is_open(site) and self._size + size <= self.bounds.size

    def add(self, site: str, *, pages: int = 0, items: int = 0, size: int = 0) -> None:
        """Add to what is held of *site*; negative numbers take away."""
        held = self._held.get(site)
        if held is None:
            held = self._held[site] = _Site(self._clock())
        held.pages += pages
        held.items += items
        held.size += size
        self.items += items
        self._size += size

    def is_full(self, site: str) -> bool:
        """Return whether *site* holds as many pages as it may."""
        return self.pages(site) >= self.bounds.pages

    def overdue(self) -> list[str]:
        """Return the sites that hold pages for too long."""
        before = self._clock() - self.bounds.seconds
        return [
            site for site, _ in takewhile(lambda each: each[1].since <= before, self._held.items())
        ]

    def remove(self, site: str, *, for_good: bool = True) -> None:
        """Note that nothing of *site* is held any more; *for_good*: and that nothing will be."""
        if for_good:
            self._done.add(site)
        held = self._held.pop(site, None)
        if held is not None:
            self.items -= held.items
            self._size -= held.size

    @property
    def seconds_left(self) -> float:
        """Seconds until all that is held now is gone at the latest."""
        last = next(reversed(self._held.values()), None)
        return 0.0 if last is None else max(0.0, last.since + self.bounds.seconds - self._clock())

    def names(self) -> str:
        """Return the sites that hold items, the first few by name, with their items."""
        first = islice(self._held.items(), _MOST_NAMED)
        named = [f"{site} ({held.items})" for site, held in first]
        more = len(self._held) - len(named)
        return ", ".join(named) + (f" and {more} more" if more else "")


class CloseLimits:
    """Tells when all held items must go, so that a crawl ends when it would without holding.

    For ``CLOSESPIDER_ITEMCOUNT``, held items count as if they had arrived, and so do pages that may
    be under way beside this one: all go before the last items come. Half of what
    ``CLOSESPIDER_TIMEOUT_NO_ITEM`` or ``CLOSESPIDER_PAGECOUNT_NO_ITEM`` allows may pass without
    an item. So each of Scrapy's periods that would have had an item still has one, wherever it
    begins.
    """

    _SHARE = 0.5
    """Share of a limit without items that may pass before all that is held goes."""

    def __init__(self, settings: BaseSettings, clock: Callable[[], float] = monotonic) -> None:
        self._items = settings.getint("CLOSESPIDER_ITEMCOUNT")
        self._beside = settings.getint("CONCURRENT_REQUESTS") - 1
        self.seconds = settings.getint("CLOSESPIDER_TIMEOUT_NO_ITEM")
        """Seconds without an item after which Scrapy closes the spider; 0: it does not."""
        self._pages = settings.getint("CLOSESPIDER_PAGECOUNT_NO_ITEM")
        self._clock = clock
        self._scraped = 0
        self._last_item = clock()
        self._pages_since = 0

    def connect(self, to: SignalManager) -> None:
        """Count from now on what is scraped and received."""
        to.connect(self.started, signal=signals.spider_opened)
        to.connect(self.scraped, signal=signals.item_scraped)
        to.connect(self.received, signal=signals.response_received)

    def started(self) -> None:
        """Note that the crawl starts."""
        self._last_item = self._clock()

    def scraped(self) -> None:
        """Note that an item has arrived."""
        self._scraped += 1
        self._pages_since = 0
        self._last_item = self._clock()

    def received(self) -> None:
        """Note that a page has come."""
        self._pages_since += 1

    def is_due(self, held: int) -> bool:
        """Return whether all must go when *held* items are held."""
        return (
            (0 < self._items <= self._scraped + held + self._beside)
            or (0 < self._pages * self._SHARE <= self._pages_since)
            or (0 < self.seconds * self._SHARE <= self._clock() - self._last_item)
        )


class FirstPages:
    """Decides whether a site's first page waits: in a broad crawl hardly any has a second one.

    >>> first_pages = FirstPages()
    >>> for number in range(FirstPages.LOOKED_AT):
    ...     first_pages.waits(f"{number}.example")
    ...     first_pages.goes(f"{number}.example", pages=1)
    >>> [first_pages.should_wait() for _ in range(10)].count(True)
    1
    """

    LOOKED_AT = 200
    """Sites that are looked back at."""
    _IN_VAIN = 0.9
    """Share of them whose first page has waited in vain, from which on others do not wait."""
    _SAMPLE = 10
    """One site in so many waits in any case, which shows whether that is still so."""

    def __init__(self) -> None:
        self._in_vain: deque[bool] = deque(maxlen=self.LOOKED_AT)
        self._waiting: set[str] = set()
        self._passed = 0

    def waits(self, site: str) -> None:
        """Note that the first page of a site waits."""
        self._waiting.add(site)

    def goes(self, site: str, pages: int) -> None:
        """Note that the items of a site go on, and of how many pages they are."""
        if site in self._waiting:
            self._waiting.remove(site)
            self._in_vain.append(pages == 1)

    @property
    def wait_in_vain(self) -> bool:
        """Whether nearly all first pages of late have waited in vain."""
        enough = len(self._in_vain) == self.LOOKED_AT
        return enough and sum(self._in_vain) >= self._IN_VAIN * self.LOOKED_AT

    def should_wait(self) -> bool:
        """Return whether the first page of another site should wait."""
        if not self.wait_in_vain:
            return True
        self._passed += 1
        return self._passed % self._SAMPLE == 0


# -- waiting ---------------------------------------------------------------------------------------


def open_waiting_room(crawler: Crawler, learning: Learning | None) -> WaitingRoom | None:
    """Open the store, and take up what a run that was killed has left there.

    Returns ``None`` if no item may be held and none is left, or if the store cannot be opened. To
    be called when all pipelines are open, so that their listeners are told first that an item has
    arrived.
    """
    folder = job_dir(crawler.settings)
    if learning is None and not (folder and held_file(folder).exists()):
        return None
    try:
        room = WaitingRoom(crawler, HoldingStore(folder), learning)
    except (StoreError, sqlite3.Error, OSError) as error:
        logger.error("Items are not held but go on at once: %s", error, exc_info=error)
        return None
    room.connect()
    return room


class WaitingRoom:
    """Holds the items of a site's first pages, and sends each on once.

    An item stops waiting when

    - its site is learned;
    - its site has ``MOST_PAGES`` pages here, or all sites take ``MOST_BYTES``;
    - the site's first item has waited for ``BOILERPLATE_SITE_HOLD_SECONDS``;
    - one of the crawl's own limits, ``CLOSESPIDER_*``, requires it (:class:`CloseLimits`);
    - the spider is idle or closes;
    - the store fails.

    After any error here the items still go on; an item that cannot be held goes on at once. Without
    *learning* nothing is held, and what an earlier run has left goes first.

    After a kill Scrapy may request a page again although its items are held: it reads its requests
    from disk as they were before. The page that comes again replaces the held one. If an item of
    the held page was sent on in the meantime, one equal item is not sent again.
    """

    def __init__(self, crawler: Crawler, store: HoldingStore, learning: Learning | None) -> None:
        settings = crawler.settings
        assert crawler.spider is not None
        self._crawler = crawler
        self._spider = crawler.spider
        self._store = store
        self._learning = learning
        self._reports = Reports(crawler, "boilerplate/sites", logger, "the item goes on")
        self._max_nodes: int = read(settings, "BOILERPLATE_MAX_NODES")
        seconds: int = read(settings, "BOILERPLATE_SITE_HOLD_SECONDS")
        self._sites = HeldSites(Bounds(MOST_PAGES, MOST_BYTES, seconds))
        self._limits = CloseLimits(settings)
        self._first_pages = FirstPages()
        self._delivery = Delivery(crawler, store, self._reports)
        self._clock: AsyncioLoopingCall | LoopingCall | None = None
        self._is_first = True  # no item was held yet
        self._held: dict[str, list[HeldPage]] = {}  # by site
        self._by_response: WeakKeyDictionary[Response, HeldPage] = WeakKeyDictionary()
        self._went: WeakSet[Response] = WeakSet()  # first pages that do not wait
        # Pages that an earlier run has left:
        self._by_request: defaultdict[str, deque[HeldPage]] = defaultdict(deque)
        self._again: WeakKeyDictionary[Response, HeldPage] = WeakKeyDictionary()
        self._untaught: defaultdict[str, list[HeldPage]] = defaultdict(list)
        for page in store.pages():
            self._held.setdefault(page.site, []).append(page)
            self._sites.add(page.site, pages=1, items=len(page.items), size=page.size)
            self._untaught[page.site].append(page)
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
        replaced = self._come_again(response)
        try:
            taken = self._has_gone(item, response)
            if taken:
                self._reports.count("repeated")
            else:
                taken = self._take(item, response, replaced)
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

    def _take(self, item: object, response: TextResponse, replaced: HeldPage | None) -> bool:
        page = self._by_response.get(response)
        site = self._site_to_hold(response.url)
        if site is None or (page is not None and site not in self._sites):
            if page is not None and page.items:  # this item goes on before others of its page
                page.pinned = response
            return False
        taken = (
            self._take_first(item, response, site, replaced)
            if page is None
            else self._take_further(item, page)
        )
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
        self, item: object, response: TextResponse, site: str, replaced: HeldPage | None
    ) -> bool | None:
        """Hold the first item of a page, and learn from the page.

        Returns ``False`` if there is no room, ``None`` if the item needs no text, or if its page is
        the first of a site and would wait in vain.
        """
        assert self._learning is not None
        extractor = self._learning.first_extractor(item, response)
        if extractor is None:
            return None
        is_first = not (site in self._sites or self._learning.knows(site))
        if response in self._went or (is_first and not self._first_pages.should_wait()):
            self._went.add(response)
            self._tell_that_first_pages_go()
            return None
        read_page = page_of(response, self._max_nodes)  # this may fail; nothing is written yet
        plenty = self._sites.has_plenty(len(response.body))
        packed = Packed.of(response, item, self._spider, compressed=not plenty)
        if not self._sites.admits(site, packed.size):
            return False
        request = _request_key(self._crawler, response.request)
        page = self._store.add(site, request, packed, response, replaced)
        self._held.setdefault(site, []).append(page)
        self._by_response[response] = page
        self._sites.add(site, pages=1, items=1, size=page.size)
        self._reports.count("held")
        try:
            if self._learning.wants(read_page):
                found = extractor.extract(read_page)
                self._learning.learn(read_page, found)
                self._store.keep_ready(page, read_page, extractor, found)
        except Exception as error:
            self._reports.error(error, "Learning from a held page", response.url)
        if is_first:
            self._first_pages.waits(site)
        return True

    def _take_further(self, item: object, page: HeldPage) -> bool:
        """Hold a further item of a page, if there is room for it."""
        form = pack_item(item)
        if not self._sites.admits(page.site, len(form)):
            return False
        self._store.add_item(page, form)
        self._sites.add(page.site, items=1, size=len(form))
        return True

    # -- letting go --------------------------------------------------------------------------

    def release(self, site: str, *, for_good: bool = True) -> None:
        """Send on the held items of a site; *for_good*: later ones are not held either."""
        if site in self._sites:
            self._first_pages.goes(site, self._sites.pages(site))
            self._catch_up(site)
            if self._learning is not None:
                self._learning.save(site)
        self._sites.remove(site, for_good=for_good)
        # A limit of the crawl's counts what has arrived, so nothing may be late.
        self._delivery.send(self._held.pop(site, []), at_once=not for_good)
        self._show()

    def _release_all(self, *, for_good: bool = True) -> None:
        for site in list(self._held):
            self.release(site, for_good=for_good)

    # -- what an earlier run has left --------------------------------------------------------

    def _catch_up(self, site: str) -> None:
        """Learn from what an earlier run held of a site, which may be missing in its store."""
        for page in self._untaught.pop(site, []):
            try:
                self._learn_again(page)
            except Exception as error:  # noqa: PERF203 - each page may fail
                self._reports.error(error, "Learning from a page of an earlier run")

    def _learn_again(self, page: HeldPage) -> None:
        learning, form = self._learning, self._store.item(page.items[0])
        if learning is None or form is None:
            return
        response = self._store.response(page, self._spider)
        if not learning.learns(response.url):
            return
        extractor = learning.first_extractor(unpack_item(form), response)
        if extractor is not None:
            read_page = page_of(response, self._max_nodes)
            found = extractor.extract(read_page)
            learning.learn(read_page, found)
            self._store.keep_ready(page, read_page, extractor, found)

    def _come_again(self, response: Response) -> HeldPage | None:
        """Return the page that comes again with *response*; ``None`` if called before for it."""
        if not self._by_request or response in self._again:
            return None
        pages = self._by_request.get(_request_key(self._crawler, response.request))
        if not pages:
            return None
        page = self._again[response] = pages.popleft()
        return page

    def _has_gone(self, item: object, response: Response) -> bool:
        """Return whether an equal item of the same page was sent on already; once for each.

        Raises :exc:`CannotStoreError` for an item that can never have been held.
        """
        page = self._again.get(response)
        if page is None or not page.sent:
            return False
        key = digest(pack_item(item), response)
        page.sent[key] -= 1
        return page.sent[key] >= 0

    def _forget(self, page: HeldPage) -> None:
        """Forget a page that has come again, with those of its items that were not sent on yet."""
        pages = self._held.get(page.site, [])
        if page in pages:
            pages.remove(page)
            self._sites.add(page.site, pages=-1, items=-len(page.items), size=-page.size)
            if not pages:
                del self._held[page.site]
                self._sites.remove(page.site, for_good=False)
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
                *(sites.bounds.pages, sites.bounds.seconds),
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
