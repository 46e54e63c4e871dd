"""A store behind a thread, so that no crawl waits for it, and a learner kept in step with it."""

from __future__ import annotations

from collections import OrderedDict, deque
from collections.abc import Callable, Mapping
from threading import Condition, Thread
from time import monotonic
from typing import Protocol

from scrapy_boilerplate.learn.learner import SiteLearner
from scrapy_boilerplate.learn.memory import StateStore

WAIT_SECONDS = 1.0  # that a load waits; after a longer one none waits until the store answers
MOST_QUEUED = 64 << 20  # bytes that may wait to be written; beyond, the longest waiting states go
MOST_AT_ONCE = 128  # states that are written in one transaction
_MOST_LOADS = 10_000  # sites; what is stored of others comes when they are saved
_FIRST_PAUSE, _LONGEST_PAUSE = 0.5, 30.0  # seconds after an error; each is twice the one before


class ClosableStore(StateStore, Protocol):
    """A store that holds a connection."""

    def save_all(self, states: Mapping[str, bytes]) -> Mapping[str, bytes]:
        """Store the states of sites, all or none, merged with those that are there."""

    def close(self) -> None:
        """Close the connection."""


class QueuedStore:
    """Reads and writes another store in a thread; what came late or differs has :meth:`arrived`."""

    def __init__(
        self, store: ClosableStore, *, patience: float = WAIT_SECONDS, most_bytes: int = MOST_QUEUED
    ) -> None:
        self._store, self._patience, self._most = store, patience, most_bytes
        self._changed = Condition()
        self._loads: OrderedDict[str, None] = OrderedDict()
        self._saves: OrderedDict[str, bytes] = OrderedDict()
        self._size = 0
        self._writing: dict[str, bytes] = {}
        self._most_at_once = MOST_AT_ONCE
        self._loaded: dict[str, bytes | None] = {}  # for who waits now
        self._arrived: deque[tuple[str, bytes]] = deque()
        self._errors: deque[Exception] = deque(maxlen=10)
        self._slow = self._closing = False
        self._pause = 0.0
        self.dropped = 0
        """States that had to go before they were written."""
        self._thread = Thread(target=self._run, name="boilerplate-site-store", daemon=True)
        self._thread.start()

    # -- for the crawl -----------------------------------------------------------------------

    def load(self, site: str) -> bytes | None:
        """Return the state of *site*; ``None`` too if the store does not answer at once."""
        with self._changed:
            waiting = self._saves.get(site, self._writing.get(site))
            if waiting is not None:
                return waiting
            if len(self._loads) < _MOST_LOADS:
                self._loads[site] = None
                self._changed.notify_all()
            if self._slow:
                return None
            if self._changed.wait_for(lambda: site in self._loaded, self._patience):
                return self._loaded.pop(site)
            self._slow = True
            return None

    def save(self, site: str, state: bytes) -> bytes:
        """Write *state* soon; return it as it is."""
        with self._changed:
            self._size += len(state) - len(self._saves.pop(site, b""))
            self._saves[site] = state
            while self._size > self._most and len(self._saves) > 1:
                self._size -= len(self._saves.popitem(last=False)[1])
                self.dropped += 1
            self._changed.notify_all()
        return state

    def arrived(self) -> list[tuple[str, bytes]]:
        """Return the sites and states that have come from the store since the last call."""
        with self._changed:
            arrived, self._arrived = list(self._arrived), deque()
            late = [(site, state) for site, state in self._loaded.items() if state is not None]
            self._loaded = {}
        return arrived + late

    def errors(self) -> list[Exception]:
        """Return what has gone wrong since the last call, at most the last ten errors."""
        with self._changed:
            errors = list(self._errors)
            self._errors.clear()
        return errors

    def close(self, timeout: float) -> int:
        """Write what waits for so many seconds at most; return how many states are not written."""
        with self._changed:
            self._closing = True
            self._loads.clear()
            self._changed.notify_all()
        self._thread.join(timeout)
        with self._changed:
            return len(self._saves) + len(self._writing)

    # -- the thread --------------------------------------------------------------------------

    def _run(self) -> None:
        try:
            self._work()
        finally:
            self._store.close()

    def _work(self) -> None:
        while not self._closing:
            with self._changed:
                self._changed.wait_for(lambda: self._loads or self._saves or self._closing)
            self._try_next(self._most_at_once)
            if self._pause:
                with self._changed:
                    self._changed.wait_for(lambda: self._closing, self._pause)
        for most in (MOST_AT_ONCE, 1):  # what fails goes to the end: at last each is tried alone
            for _ in range(-(-len(self._saves) // most)):
                self._try_next(most)

    def _try_next(self, most: int) -> None:
        try:
            self._do_next(most)
            self._pause, self._most_at_once = 0.0, min(2 * most, MOST_AT_ONCE)
        except Exception as error:
            with self._changed:
                self._errors.append(error)
                self._slow = True
                self._pause = min(2 * self._pause or _FIRST_PAUSE, _LONGEST_PAUSE)
                self._most_at_once = 1  # one may be to blame

    def _do_next(self, most: int) -> None:
        """Read one state or write some; reading goes first, since the crawl waits for it."""
        with self._changed:
            site = self._loads.popitem(last=False)[0] if self._loads else None
            if site is None:
                number = min(most, len(self._saves))
                self._writing = dict(self._saves.popitem(last=False) for _ in range(number))
                self._size -= sum(map(len, self._writing.values()))
        if site is not None:
            self._read(site)
        elif self._writing:
            self._write()

    def _read(self, site: str) -> None:
        started = monotonic()
        state = self._store.load(site)
        with self._changed:
            self._loaded[site] = state
            self._slow = monotonic() - started > self._patience
            self._changed.notify_all()

    def _write(self) -> None:
        unions: Mapping[str, bytes] = {}
        try:
            unions = self._store.save_all(self._writing)
        finally:
            with self._changed:
                for site, state in self._writing.items():
                    union = unions.get(site)
                    if union is None and site not in self._saves:  # again, after the others
                        self._saves[site] = state
                        self._size += len(state)
                    elif union is not None and union != state:
                        self._arrived.append((site, union))
                self._writing = {}


CLOSE_SECONDS = 30.0  # how long the end of a crawl waits for the store at most


class StoreExchange:
    """Writes what a learner has learned *seconds* after it changed, and takes over from others."""

    def __init__(
        self,
        learner: SiteLearner,
        store: QueuedStore,
        *,
        seconds: float,
        frozen: Callable[[str], None],
        failed: Callable[[Exception, str], None],
    ) -> None:
        self._learner, self._store = learner, store
        self._seconds, self._frozen, self._failed = seconds, frozen, failed

    def tick(self) -> None:
        """Take over what has arrived; write what is due."""
        self._take_over()
        self._learner.flush(self._seconds)

    def close(self, timeout: float = CLOSE_SECONDS) -> int:
        """Write all that is left; return how many sites could not be written in time."""
        self._learner.flush()
        lost = self._store.close(timeout) + self._store.dropped
        self._take_over()
        return lost

    def _take_over(self) -> None:
        for error in self._store.errors():
            self._failed(error, "Using the site store")
        for site, state in self._store.arrived():
            try:
                if self._learner.load(site, state):
                    self._frozen(site)
            except ValueError as error:  # noqa: PERF203 - the others go on
                self._failed(error, f"Reading the state of {site}")
