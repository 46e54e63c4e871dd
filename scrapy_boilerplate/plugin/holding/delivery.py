"""Sends held items through the item pipelines, and forgets each when it has arrived."""

from __future__ import annotations

import sqlite3
import zlib
from collections import deque
from collections.abc import Iterable
from typing import TYPE_CHECKING

from scrapy import signals
from scrapy.utils.asyncio import call_later
from scrapy.utils.defer import deferred_from_coro, maybe_deferred_to_future
from twisted.internet.defer import Deferred

from scrapy_boilerplate.core.page.responses import with_source
from scrapy_boilerplate.plugin._scrapy import run_pipelines, wake_closing_scraper, wake_engine
from scrapy_boilerplate.plugin.holding.forms import unpack_item
from scrapy_boilerplate.plugin.state import CrawlState, sending, sent

if TYPE_CHECKING:
    from scrapy.crawler import Crawler
    from scrapy.http import Response, TextResponse

    from scrapy_boilerplate.plugin.holding.store import HeldPage, HeldStore
    from scrapy_boilerplate.plugin.reports import Reports


def digest(item: str, response: Response) -> int:
    """Return what tells a packed item of a response from others, in this process."""
    return hash((item, zlib.crc32(response.body)))


class Delivery:
    """Sends items of the store on, as many at a time as Scrapy would.

    The limits are ``CONCURRENT_ITEMS`` items, and pages of ``SCRAPER_SLOT_MAX_ACTIVE_SIZE`` bytes.
    Between two items the event loop has a turn. No error stops another item: one in the store is
    reported, and the item goes on; a pipeline may even raise ``CancelledError``.
    """

    def __init__(self, crawler: Crawler, store: HeldStore, reports: Reports) -> None:
        settings = crawler.settings
        self._crawler = crawler
        self._store = store
        self._reports = reports
        self._most = max(1, settings.getint("CONCURRENT_ITEMS"))
        self._most_bytes = settings.getint("SCRAPER_SLOT_MAX_ACTIVE_SIZE")
        self._bytes = 0
        self._queue: deque[tuple[HeldPage, int]] = deque()
        self._tasks: set[Deferred[None]] = set()
        self._is_scheduled = False
        self._drained: Deferred[None] | None = None

    def connect(self) -> None:
        """Listen for what becomes of the items, after all who listen already."""
        for signal in (signals.item_scraped, signals.item_dropped, signals.item_error):
            self._crawler.signals.connect(self._arrived, signal=signal)

    def __len__(self) -> int:
        """Return how many items are still to go or on their way."""
        return len(self._queue) + len(self._tasks)

    def send(self, pages: Iterable[HeldPage], *, at_once: bool = False) -> None:
        """Send the items of pages on in the background; *at_once*: as many as may go now."""
        self._queue.extend((page, number) for page in pages for number in page.items)
        while at_once and self._queue and self._may_start():
            self._start()
        self._schedule()

    async def drained(self) -> None:
        """Wait until all items have gone."""
        while len(self):
            self._drained = Deferred()
            await maybe_deferred_to_future(self._drained)

    # -- one after another -------------------------------------------------------------------

    def _schedule(self) -> None:
        if self._queue and not self._is_scheduled and self._may_start():
            self._is_scheduled = True
            call_later(0, self._start_next)

    def _may_start(self) -> bool:
        return not self._tasks or (len(self._tasks) < self._most and self._bytes < self._most_bytes)

    def _start_next(self) -> None:
        self._is_scheduled = False
        if self._queue:
            self._start()
        self._schedule()

    def _start(self) -> None:
        task = deferred_from_coro(self._run(*self._queue.popleft()))
        self._tasks.add(task)
        task.addBoth(self._ended, task)

    async def _run(self, page: HeldPage, number: int) -> None:
        try:
            await self._send(page, number)
        except (KeyboardInterrupt, SystemExit):
            raise
        except BaseException as error:
            self._reports.error(error, "Sending a held item")

    def _ended(self, _: object, task: Deferred[None]) -> None:
        self._tasks.discard(task)
        self._schedule()
        if not len(self):
            wake_engine(self._crawler)
            drained, self._drained = self._drained, None
            if drained is not None:
                drained.callback(None)

    # -- an item -----------------------------------------------------------------------------

    async def _send(self, page: HeldPage, number: int) -> None:
        found = self._read(page, number)
        if found is None:
            return
        item, response = found
        record = CrawlState.of(self._crawler).remember(item, response)
        record.is_taught = True
        if page.answer is not None and record.held_answer is None:
            with_source(page.answer.page, response)
            record.held_answer = page.answer
        try:
            self._store.mark(number)
        except sqlite3.Error as error:
            self._reports.error(error, "Noting that a held item goes on", response.url)
        size = len(response.body)
        self._bytes += size
        try:
            with sending(page, number):
                await run_pipelines(self._crawler, item, response)
        except Exception as error:  # of a log formatter; Scrapy catches those of pipelines
            self._reports.error(error, "Sending a held item", response.url)
        finally:
            self._bytes -= size
            wake_closing_scraper(self._crawler)
        self._remove(page, number)  # if no signal has told that it arrived
        self._reports.count("released")

    def _read(self, page: HeldPage, number: int) -> tuple[object, TextResponse] | None:
        """Return an item that goes now; ``None`` if it was replaced, or cannot be read."""
        try:
            form = self._store.item(number)
            if form is None:
                return None
            response = self._store.response(page, self._crawler.spider)  # type: ignore[arg-type]
            item = unpack_item(form)
        except Exception as error:  # its class may have changed since the run that was killed
            self._reports.count("unreadable")
            self._reports.error(error, "Reading a held item")
            return None
        if page.sent is not None:
            page.sent[digest(form, response)] += 1
        return item, response

    def _arrived(self) -> None:
        """Forget an item at once when it has arrived, before anything else is done.

        Until :meth:`_send` goes on other pages may be parsed; a kill in between would make the item
        come twice.
        """
        held = sent()
        if held is not None:
            self._remove(*held)

    def _remove(self, page: HeldPage, number: int) -> None:
        if number not in page.items:
            return
        try:
            self._store.remove(page, number)
        except sqlite3.Error as error:
            self._reports.error(error, "Forgetting a held item that has arrived")
