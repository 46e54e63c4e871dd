"""What is known of sites in memory: states, exchanged with a store, and models; both bounded."""

from __future__ import annotations

from bisect import bisect
from collections import OrderedDict
from collections.abc import Iterator
from math import ceil
from time import monotonic
from typing import NamedTuple, Protocol

from scrapy_boilerplate.learn.facts import SiteFacts
from scrapy_boilerplate.learn.options import LearningOptions
from scrapy_boilerplate.learn.site_model import SiteModel
from scrapy_boilerplate.learn.site_state import SiteState

# Pages of a site at which it is learned again: 2, 3, 5, 8, 11, 17, 25, 38 …
_STEPS = 2, 3, 5, 8, *(ceil(1.5**step) - 1 for step in range(6, 50))
_MORE_UNMATCHED = 5  # of a learned site, after which its model is extended again
_MOST_READY_MODELS = 512  # models that are kept ready: those used last


class StateStore(Protocol):
    """Keeps serialised states of sites between runs, or between workers."""

    def load(self, site: str) -> bytes | None:
        """Return the state of *site*, if there is one."""

    def save(self, site: str, state: bytes) -> bytes:
        """Store the state of *site*, merged with the stored one; return what is there now."""


class _ReadyModel(NamedTuple):
    stage: tuple[int, ...]  # of the state that it was learned from
    model: SiteModel
    unfrozen: tuple[SiteFacts, ...]


class SiteMemory:
    """The states of many sites, by key, and the models of some; those used last."""

    def __init__(
        self, options: LearningOptions, *, store: StateStore | None, max_sites: int, max_bytes: int
    ) -> None:
        self._options, self._store = options, store
        self._max_sites, self._max_bytes = max_sites, max_bytes
        self.evicted = 0  # sites that left to make room
        self.size = 0  # bytes that the states take, about
        self._states: OrderedDict[str, SiteState] = OrderedDict()
        self._models: OrderedDict[str, _ReadyModel] = OrderedDict()
        self._sizes: dict[str, int] = {}
        self._unsaved: dict[str, float] = {}  # the sites that the store lacks, and since when
        self._errors: list[Exception] = []  # of sites that had to leave

    def __iter__(self) -> Iterator[str]:
        """Iterate over the sites, the least recently used first."""
        return iter(list(self._states))

    def __len__(self) -> int:
        """Return the number of sites."""
        return len(self._states)

    def peek(self, site: str) -> SiteState | None:
        """Return the state of *site* if it is in memory."""
        return self._states.get(site)

    def get(self, site: str) -> SiteState | None:
        """Return the state of *site*, from the store if necessary."""
        if site not in self._states:
            stored = self._store.load(site) if self._store is not None else None
            if stored is None:
                return None
            self._put(site, SiteState.from_bytes(stored, self._options.freeze_pages))
        return self._states.get(site)

    def get_or_new(self, site: str) -> SiteState:
        """Return the state of *site*, an empty one if it is not known."""
        state = self.get(site)
        if state is None:
            state = self._states[site] = SiteState(self._options.freeze_pages)
        return state

    def changed(self, site: str) -> None:
        """Note that the state of *site* has changed."""
        self._unsaved.setdefault(site, monotonic())
        self._put(site, self._states[site])

    def merge(self, site: str, state: SiteState) -> bool:
        """Merge a state into that of *site*; return whether this has frozen the site."""
        mine = self.get_or_new(site)
        before = bool(mine.frozen)
        mine.merge(state)
        self._models.pop(site, None)
        self.changed(site)
        return bool(mine.frozen) and not before

    def forget(self, site: str) -> None:
        """Drop the state of *site*."""
        for known in (self._states, self._unsaved, self._models):
            known.pop(site, None)
        self.size -= self._sizes.pop(site, 0)

    def _put(self, site: str, state: SiteState) -> None:
        """Hold a state, and make room for it."""
        self._states[site] = state
        self._states.move_to_end(site)
        size = state.size
        self.size += size - self._sizes.get(site, 0)
        self._sizes[site] = size
        while len(self) > 1 and (len(self) > self._max_sites or self.size > self._max_bytes):
            oldest = next(iter(self._states))
            try:
                self.save(oldest)
            except Exception as error:  # the bounds hold all the same; the next flush raises it
                self._errors[:] = [error]
            self.forget(oldest)
            self.evicted += 1

    # -- models ------------------------------------------------------------------------------

    def model(self, site: str) -> SiteModel:
        """Return the model of a site in memory. It is learned again at certain numbers of pages."""
        return self.ready(site)[0]

    def ready(self, site: str) -> tuple[SiteModel, tuple[SiteFacts, ...]]:
        """Return the model, and its templates that more unmatched pages may change."""
        state = self._states[site]
        stage, known = self._stage(state), self._models.get(site)
        if known is None or known.stage != stage:
            frozen = len(SiteModel.from_bytes(state.frozen).also) if state.frozen else 0
            model = state.learn(site, self._options)
            known = self._models[site] = _ReadyModel(stage, model, model.also[frozen:])
            if len(self._models) > _MOST_READY_MODELS:
                self._models.popitem(last=False)
        self._models.move_to_end(site)
        self._states.move_to_end(site)
        return known.model, known.unfrozen

    def _stage(self, state: SiteState) -> tuple[int, ...]:
        """Return what differs when a model is to be learned again."""
        known, is_learned = len(state.fingerprints), bool(state.frozen)
        if is_learned and not known:  # nearly all pages of a long crawl
            return state.generation, is_learned, state.epoch
        options = self._options
        steps = options.min_pages, options.safe_pages, options.freeze_pages
        enough = sum(known >= step for step in steps)
        unmatched = (known > 0) + known // _MORE_UNMATCHED if is_learned else 0
        grown = 0 if is_learned else bisect(_STEPS, state.added)
        return state.generation, is_learned, state.epoch, enough, unmatched, grown

    # -- the store ---------------------------------------------------------------------------

    def flush(self, seconds: float = 0.0) -> list[str]:
        """Save what changed so many seconds ago; return the sites that others froze."""
        before, frozen = monotonic() - seconds, list[str]()
        errors, self._errors = self._errors, []
        for site in [site for site, since in self._unsaved.items() if since <= before]:
            try:
                if self.save(site):
                    frozen.append(site)
            except Exception as error:  # noqa: PERF203 - the others go on
                errors.append(error)
        if errors:  # when all were tried
            raise errors[0]
        return frozen

    def save(self, site: str) -> bool:
        """Save a state if it has changed; return whether others have frozen the site."""
        state = self._states[site]
        if self._store is None or site not in self._unsaved:
            self._unsaved.pop(site, None)
            return False
        mine = state.to_bytes()
        union = self._store.save(site, mine)
        del self._unsaved[site]
        if union == mine:
            return False
        merged = self._states[site] = SiteState.from_bytes(union, self._options.freeze_pages)
        self._models.pop(site, None)
        self._sizes[site] += merged.size - state.size
        self.size += merged.size - state.size
        return bool(merged.frozen) and not state.frozen
