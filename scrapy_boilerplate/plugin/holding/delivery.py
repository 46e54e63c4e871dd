"""Sends held items through the item pipelines, and forgets each when it has arrived."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from scrapy import signals

from scrapy_boilerplate.plugin._scrapy import run_pipelines, wake_closing_scraper, wake_engine
from scrapy_boilerplate.plugin.holding.forms import unpack_item
from scrapy_boilerplate.plugin.holding.sender import Sender
from scrapy_boilerplate.plugin.state import CrawlState, sending, sent

if TYPE_CHECKING:
    from scrapy.crawler import Crawler
    from scrapy.http import TextResponse

    from scrapy_boilerplate.plugin.holding.leftovers import Leftovers
    from scrapy_boilerplate.plugin.holding.store import HoldingStore
    from scrapy_boilerplate.plugin.reports import Reports


class _Parcel(NamedTuple):
    item: object
    response: TextResponse
    page: int  # its number


class Delivery:
    """Sends items of the store on, as many at a time as Scrapy would.

    The limits are ``CONCURRENT_ITEMS`` items, and pages of ``SCRAPER_SLOT_MAX_ACTIVE_SIZE`` bytes.
    An error in the store is reported, and the item goes on.
    """

    def __init__(
        self, crawler: Crawler, store: HoldingStore, leftovers: Leftovers, reports: Reports
    ) -> None:
        settings = crawler.settings
        self._crawler = crawler
        self._store = store
        self._leftovers = leftovers
        self._reports = reports
        self._bytes = 0
        self._going: set[int] = set()
        most_bytes = settings.getint("SCRAPER_SLOT_MAX_ACTIVE_SIZE")
        self._sender = Sender(
            self._send,
            failed=partial(reports.error, what="Sending a held item"),
            emptied=partial(wake_engine, crawler),
            most=settings.getint("CONCURRENT_ITEMS"),
            has_room=lambda: self._bytes < most_bytes,
        )

    def connect(self) -> None:
        """Listen for what becomes of the items, after all who listen already."""
        for signal in (signals.item_scraped, signals.item_dropped, signals.item_error):
            self._crawler.signals.connect(self._arrived, signal=signal)

    def __len__(self) -> int:
        """Return how many items are still to go or on their way."""
        return len(self._sender)

    def send(self, numbers: Iterable[int]) -> None:
        """Send items on in the background."""
        self._sender.add(numbers)

    async def drained(self) -> None:
        """Wait until all items have gone."""
        await self._sender.drained()

    async def _send(self, number: int) -> None:
        parcel = self._read(number)
        if parcel is None:
            return
        self._going.add(number)
        item, response, page = parcel
        record = CrawlState.of(self._crawler).remember(item, response)
        try:
            self._store.mark(number)
            self._store.recall(page, response, record)
        except Exception as error:
            self._reports.error(error, "Noting that a held item goes on", response.url)
        size = len(response.body)
        self._bytes += size
        try:
            with sending(number):
                await run_pipelines(self._crawler, item, response)
        except Exception as error:  # of a log formatter; Scrapy catches those of pipelines
            self._reports.error(error, "Sending a held item", response.url)
        finally:
            self._bytes -= size
            wake_closing_scraper(self._crawler)
        if number in self._going:  # no signal has told that it arrived
            self._remove(number)
        self._reports.count("released")

    def _read(self, number: int) -> _Parcel | None:
        """Return an item that goes now; ``None`` if it was replaced, or cannot be read."""
        try:
            row = self._store.item(number)
            if row is None:
                return None
            form, page = row
            response = self._store.response(page, self._crawler.spider)  # type: ignore[arg-type]
            item = unpack_item(form)
        except Exception as error:  # its class may have changed since the run that was killed
            self._reports.count("unreadable")
            self._reports.error(error, "Reading a held item")
            return None
        if page in self._leftovers:
            self._leftovers.note(page, form, response)
        return _Parcel(item, response, page)

    def _arrived(self) -> None:
        """Forget an item at once when it has arrived, before anything else is done.

        Until :meth:`_send` goes on other pages may be parsed; a kill in between would make the item
        come twice.
        """
        number = sent()
        if number is not None:
            self._remove(number)

    def _remove(self, number: int) -> None:
        self._going.discard(number)
        try:
            self._store.remove(number)
        except sqlite3.Error as error:
            self._reports.error(error, "Forgetting a held item that has arrived")
