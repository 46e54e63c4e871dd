"""A learner and a store kept in step, a little at a time."""

from __future__ import annotations

from collections.abc import Callable
from time import monotonic

from scrapy_boilerplate.learn.learner import SiteLearner
from scrapy_boilerplate.learn.stores.queued import QueuedStore

CLOSE_SECONDS = 30.0
"""How long the end of a crawl waits for the store at most."""


class StoreExchange:
    """Writes what a learner has learned to its store, and takes over what others have.

    Every *seconds* a round begins, which is over when the next one begins; call :meth:`tick` every
    *tick_seconds*. *frozen* is called with each site that another worker has frozen, *failed* with
    each error and what it happened at.
    """

    def __init__(
        self,
        learner: SiteLearner,
        store: QueuedStore,
        *,
        seconds: float,
        tick_seconds: float,
        frozen: Callable[[str], None],
        failed: Callable[[Exception, str], None],
    ) -> None:
        self._learner, self._store = learner, store
        self._seconds, self._share = seconds, tick_seconds / max(seconds, tick_seconds)
        self._frozen, self._failed = frozen, failed
        self._began = monotonic()

    def tick(self) -> None:
        """Take over what has arrived; write this tick's share of the round."""
        self._take_over()
        due = monotonic() - self._began >= self._seconds
        if due:
            self._began = monotonic()
        if due or self._learner.memory.is_flushing:
            self._learner.flush(self._share)

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
            self._merge(site, state)

    def _merge(self, site: str, state: bytes) -> None:
        try:
            if self._learner.load(site, state):
                self._frozen(site)
        except ValueError as error:
            self._failed(error, f"Reading the state of {site}")
