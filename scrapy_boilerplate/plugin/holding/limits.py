"""The spider's own limits, ``CLOSESPIDER_*``, and the room that they leave for holding items."""

from __future__ import annotations

from collections.abc import Callable
from time import monotonic
from typing import TYPE_CHECKING

from scrapy import signals

if TYPE_CHECKING:
    from scrapy.settings import BaseSettings
    from scrapy.signalmanager import SignalManager

_SHARE = 0.5
"""Share of a limit without items that may pass before all that is held goes."""


class CloseLimits:
    """Tells when all held items must go, so that a crawl ends when it would without holding.

    For ``CLOSESPIDER_ITEMCOUNT``, held items count as if they had arrived. Half of what
    ``CLOSESPIDER_TIMEOUT_NO_ITEM`` or ``CLOSESPIDER_PAGECOUNT_NO_ITEM`` allows may pass without
    an item. So each of Scrapy's periods that would have had an item still has one, wherever it
    begins.
    """

    def __init__(self, settings: BaseSettings, clock: Callable[[], float] = monotonic) -> None:
        self._items = settings.getint("CLOSESPIDER_ITEMCOUNT")
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
            (0 < self._items <= self._scraped + held)
            or (0 < self._pages * _SHARE <= self._pages_since)
            or (0 < self.seconds * _SHARE <= self._clock() - self._last_item)
        )
