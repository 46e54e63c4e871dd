"""When a held item stops waiting: the bounds of a site, of the disk, and of the crawl.

An item stops waiting when

- its site is learned;
- its site has ``MOST_PAGES`` pages here, or the site's first item has waited for
  ``BOILERPLATE_SITE_HOLD_SECONDS`` (:class:`HeldSites`);
- what is held takes ``MOST_BYTES`` on disk (the store counts them);
- one of the crawl's own limits, ``CLOSESPIDER_*``, requires it (:class:`CloseLimits`);
- the spider is idle or closes;
- the store fails.
"""

from __future__ import annotations

from collections import OrderedDict, deque
from collections.abc import Callable, Iterator
from itertools import islice, takewhile
from time import monotonic
from typing import TYPE_CHECKING

from scrapy import signals

if TYPE_CHECKING:
    from scrapy.settings import BaseSettings
    from scrapy.signalmanager import SignalManager

    from scrapy_boilerplate.plugin.holding.store import HeldPage

MOST_PAGES = 25
"""Most pages of a site that are held."""

MOST_BYTES = 256_000_000
"""Most bytes that held pages and items take on disk."""

_MOST_DONE = 10_000
"""Sites that are remembered because they are not held any more; an older one may be held again."""

_MOST_NAMED = 5
"""Sites that a line of the log names."""


class HeldSites:
    """The held pages of each site, with the bounds of their number and time.

    *seconds* is how long a site holds pages, from its first one on; *clock* gives the time in
    seconds.
    """

    def __init__(self, seconds: float, clock: Callable[[], float] = monotonic) -> None:
        self.seconds = seconds
        self.most_pages = MOST_PAGES
        self.items = 0
        """Items that are held now."""
        self._clock = clock
        self._pages: dict[str, list[HeldPage]] = {}
        self._since: dict[str, float] = {}  # in the order of the sites' first pages
        # The last sites whose items are not held any more.
        self._done: OrderedDict[str, None] = OrderedDict()

    def __iter__(self) -> Iterator[str]:
        """Iterate over the sites with held items."""
        return iter(list(self._pages))

    def __contains__(self, site: str) -> bool:
        """Return whether anything of *site* is held."""
        return site in self._pages

    def pages(self, site: str) -> list[HeldPage]:
        """Return the held pages of *site*."""
        return list(self._pages.get(site, ()))

    def is_open(self, site: str) -> bool:
        """Return whether *site* may still be held."""
        return site not in self._done and min(self.most_pages, self.seconds) > 0

    def is_full(self, site: str) -> bool:
        """Return whether *site* holds as many pages as it may."""
        return len(self._pages.get(site, ())) >= self.most_pages

    def add(self, page: HeldPage) -> None:
        """Note that a page is held, with its items."""
        self._since.setdefault(page.site, self._clock())
        self._pages.setdefault(page.site, []).append(page)
        self.items += len(page.items)

    def discard(self, page: HeldPage) -> None:
        """Note that a page is not held any more."""
        pages = self._pages.get(page.site, [])
        if page in pages:
            pages.remove(page)
            self.items -= len(page.items)
            if not pages:
                self.take(page.site, for_good=False)

    def take(self, site: str, *, for_good: bool = True) -> list[HeldPage]:
        """Return the pages of *site*, which are not held any more; *for_good*: nor later ones."""
        if for_good:
            self._done[site] = None
            if len(self._done) > _MOST_DONE:
                self._done.popitem(last=False)
        pages = self._pages.pop(site, [])
        self._since.pop(site, None)
        self.items -= sum(len(page.items) for page in pages)
        return pages

    def overdue(self) -> list[str]:
        """Return the sites that hold pages for too long."""
        before = self._clock() - self.seconds
        return [site for site, _ in takewhile(lambda each: each[1] <= before, self._since.items())]

    @property
    def seconds_left(self) -> float:
        """Seconds until all that is held now is gone at the latest."""
        last = next(reversed(self._since.values()), None)
        return 0.0 if last is None else max(0.0, last + self.seconds - self._clock())

    def names(self) -> str:
        """Return the sites that hold items, the first few by name, with their items."""
        first = islice(self._pages.items(), _MOST_NAMED)
        named = [f"{site} ({sum(len(page.items) for page in pages)})" for site, pages in first]
        more = len(self._pages) - len(named)
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


class FirstPageLimit:
    """Decides whether a site's first page waits: in a broad crawl hardly any has a second one.

    >>> first_pages = FirstPageLimit()
    >>> for _ in range(FirstPageLimit.LOOKED_AT):
    ...     first_pages.went(in_vain=True)
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
        self._passed = 0

    def went(self, *, in_vain: bool) -> None:
        """Note that a first page that has waited goes; *in_vain*: no other page came meanwhile."""
        self._in_vain.append(in_vain)

    def should_wait(self) -> bool:
        """Return whether the first page of another site should wait."""
        enough = len(self._in_vain) == self.LOOKED_AT
        if not (enough and sum(self._in_vain) >= self._IN_VAIN * self.LOOKED_AT):
            return True
        self._passed += 1
        return self._passed % self._SAMPLE == 0
