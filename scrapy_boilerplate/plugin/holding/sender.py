"""Sends held items on, a limited number at a time. An error in one does not stop the others."""

from __future__ import annotations

from collections import deque
from collections.abc import Awaitable, Callable, Iterable

from scrapy.utils.asyncio import call_later
from scrapy.utils.defer import deferred_from_coro, maybe_deferred_to_future
from twisted.internet.defer import Deferred


class Sender:
    """Calls *send* with each number that it is given, at most *most* at a time.

    While some are under way, it starts another only if *has_room* returns true. *failed* gets
    whatever *send* raises: an item pipeline that raises ``CancelledError`` must not stop the other
    items. *emptied* is called when all have gone. Between two items the event loop has a turn.
    """

    def __init__(
        self,
        send: Callable[[int], Awaitable[None]],
        failed: Callable[[BaseException], None],
        emptied: Callable[[], None],
        most: int,
        has_room: Callable[[], bool],
    ) -> None:
        self._send = send
        self._failed = failed
        self._emptied = emptied
        self._most = max(1, most)
        self._has_room = has_room
        self._waiting: deque[int] = deque()
        self._going: set[Deferred[None]] = set()
        self._scheduled = False
        self._listeners: list[Deferred[None]] = []

    def __len__(self) -> int:
        """Return how many items are still to go or on their way."""
        return len(self._waiting) + len(self._going)

    def add(self, numbers: Iterable[int]) -> None:
        """Send these items after those that are there."""
        self._waiting.extend(numbers)
        self._schedule()

    async def drained(self) -> None:
        """Wait until all items have gone."""
        while len(self):
            listener: Deferred[None] = Deferred()
            self._listeners.append(listener)
            await maybe_deferred_to_future(listener)

    def _schedule(self) -> None:
        if self._waiting and not self._scheduled and self._may_start():
            self._scheduled = True
            call_later(0, self._start)

    def _may_start(self) -> bool:
        return not self._going or (len(self._going) < self._most and self._has_room())

    def _start(self) -> None:
        self._scheduled = False
        if self._waiting:
            task = deferred_from_coro(self._run(self._waiting.popleft()))
            self._going.add(task)
            task.addBoth(self._ended, task)
        self._schedule()

    async def _run(self, number: int) -> None:
        try:
            await self._send(number)
        except (KeyboardInterrupt, SystemExit):
            raise
        except BaseException as error:
            self._failed(error)

    def _ended(self, _: object, task: Deferred[None]) -> None:
        self._going.discard(task)
        self._schedule()
        if not len(self):
            self._emptied()
            listeners, self._listeners = self._listeners, []
            for listener in listeners:
                listener.callback(None)
