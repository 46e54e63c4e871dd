"""Learning many sites while their pages come in."""

from __future__ import annotations

import secrets
from collections import OrderedDict
from collections.abc import Iterator, Mapping
from typing import Literal, NamedTuple, Protocol

from scrapy_boilerplate.extraction import Extraction
from scrapy_boilerplate.page import Page
from scrapy_boilerplate.sites import keys
from scrapy_boilerplate.sites.applying import locate, view_of
from scrapy_boilerplate.sites.learning import LearningOptions
from scrapy_boilerplate.sites.model import SiteModel
from scrapy_boilerplate.sites.sketch import draw, page_id
from scrapy_boilerplate.sites.state import WORKERS, SiteState

__all__ = ["Event", "SiteLearner", "StateStore"]

Event = Literal["frozen", "relearning"]
"""What an observed page brought about: the site is learned, or its model has become outdated."""

_STEP = 2  # a model is learned again when there are so many times the pages
_PATIENCE = 2  # a site is frozen after so many times the pages even if its model is not safe
_MOST_MISSING = 0.4  # share of the pages that may lack the container, of whatever site
_MOST_DOUBLINGS = 6  # of the pages between two checks, for a site that is learned in vain
_MOST_MODELS = 512  # models that are kept ready
_LONG_BLOCK = 10  # words from which on a block says that a page has text


class StateStore(Protocol):
    """Keeps serialised states of sites between runs, or between workers."""

    def load(self, site: str) -> bytes | None:
        """Return the state of *site*, if there is one."""

    def save(self, site: str, state: bytes) -> bytes:
        """Keep the state of *site*, merged with what is there already (:func:`merge_states`).

        Returns what is there now.
        """


def _misses(model: SiteModel, page: Page) -> bool:
    """Tell whether a page has text but no container."""
    view = view_of(page)
    if locate(model, view).kind != "absent":
        return False
    own = view.words[(view.words >= _LONG_BLOCK) & ~view.is_teaser]
    return int(own.sum()) >= model.min_words


class _Known(NamedTuple):
    """A model that is kept ready."""

    added: int
    """Pages that the state had been given when it was learned."""
    full: bool
    """Whether the state remembered as many pages as it can."""
    model: SiteModel


class SiteLearner:
    """Learns sites from their pages and what a single-page method found on each.

    Give it every page with the *single-page* method's own extraction (:meth:`observe`), ask it for
    the site's model (:meth:`model`) and apply that. What follows from how many pages were seen:

    - 1: no model. From 2 on: a model; pages without its container fall back to the single-page
      method.
    - From 8 on the model may answer "no article", if 85 % of the pages have its container or are
      lists, and half of the others were articles.
    - From 20 on the site is learned, if the model is safe (else it goes on, up to twice as many
      pages): the pages are forgotten, the model stays.
    - From then on it watches how many pages have text but no container. If their share rises by a
      third over 50 pages, the site was redesigned: it is learned anew. So is a site of which
      nothing could be learned. Each time that this is in vain there are twice as many pages until
      the next, and after two such times it may no more answer "no article": its pages have no
      template in common.

    Memory is bounded: by the pages remembered of a site, and by *max_sites* and *max_bytes* over
    all sites. When there are more, those that were not used for the longest time leave; the
    *store*, if there is one, has them still.

    >>> learner = SiteLearner()
    >>> learner.model("a.example") is None
    True
    """

    def __init__(
        self,
        options: LearningOptions | None = None,
        *,
        key: str | keys.KeyFunction = "host",
        rules: Mapping[str, SiteModel] | None = None,
        store: StateStore | None = None,
        borrow: bool = True,
        max_sites: int = 50_000,
        max_bytes: int = 128 << 20,
        worker: int | None = None,
    ) -> None:
        self.options = options or LearningOptions()
        self.key = keys.site_key(key)
        """Makes a site's key from a page's address."""
        self.rules = dict(rules or {})
        """Models written by hand, by site; they win over what is learned."""
        self.store = store
        self.borrow = borrow
        """Whether a site that learned nothing uses the model of the domain that it is part of."""
        self.max_sites = max_sites
        self.max_bytes = max_bytes
        self.worker = secrets.randbelow(WORKERS) if worker is None else worker % WORKERS
        """Tells this learner's counts from those of others that share a store."""
        self.evicted = 0
        """Sites that had to leave memory."""
        self._states: OrderedDict[str, SiteState] = OrderedDict()
        self._sizes: dict[str, int] = {}
        self._bytes = 0
        self._models: OrderedDict[str, _Known] = OrderedDict()
        self._unsaved: set[str] = set()

    # -- learning ----------------------------------------------------------------------------

    def site_of(self, page: Page) -> str:
        """Return the key of the site that *page* belongs to."""
        return self.key(page.url or "")

    def observe(self, page: Page, extraction: Extraction | None) -> Event | None:
        """Learn from a page and what the single-page method found on it.

        That is not needed of a site that is learned already (:meth:`is_learning`). A page that was
        observed before, by its address, counts once. Pages without text do not count. Returns what
        came of it.
        """
        if not page.text_at.size:
            return None
        site = self.site_of(page)
        if site in self.rules:
            return None
        state = self._state(site)
        if state.frozen:
            event = self._watch(site, state, page)
        elif extraction is None:
            return None
        else:
            spans = [segment.span for segment in extraction.main]
            state.add(page_id(page.url, page.buffer), *draw(view_of(page), spans))
            event = self._freeze(site, state)
        self._touch(site, state)
        return event

    def _freeze(self, site: str, state: SiteState) -> Event | None:
        most = self.options.freeze_pages
        if len(state.sketches) < most:
            return None
        model = self._learned(site, state)
        may_wait = not model.safe and not state.unstable
        if may_wait and state.distinct < _PATIENCE * most:
            return None
        state.freeze(model)
        self._keep(site, state, model)
        return "frozen"

    def _watch(self, site: str, state: SiteState, page: Page) -> Event | None:
        """Count the pages of a learned site that have text but no container.

        A site of which nothing could be learned is tried again. Each time that this is in vain
        there are twice as many pages until the next.
        """
        model = self._learned(site, state)
        missed = model.useful and _misses(model, page)
        pages, misses = state.watch(self.worker, missed=missed)
        if pages < self.options.drift_pages << min(state.restarts, _MOST_DOUBLINGS):
            return None
        most = min(model.missing + self.options.drift_share, _MOST_MISSING)
        if model.useful and misses <= most * pages:
            state.passed()
            return None
        state.restart()
        self._models.pop(site, None)
        return "relearning"

    # -- models ------------------------------------------------------------------------------

    def model(self, site: str) -> SiteModel | None:
        """Return the model of *site*: written by hand, learned, or that of its parent domain.

        ``None`` means that the single-page method should have the whole page. While the site is
        learned the model is at most half of the pages behind.
        """
        own = self._own(site)
        if own is not None or not self.borrow:
            return own
        return next(filter(None, map(self._own, keys.parents(site))), None)

    def _own(self, site: str) -> SiteModel | None:
        if site in self.rules:
            return self.rules[site]
        if site not in self._states and not self._load(site):
            return None
        state = self._states[site]
        self._states.move_to_end(site)
        model = self._learned(site, state)
        return model if model.useful else None

    def _learned(self, site: str, state: SiteState) -> SiteModel:
        known = self._models.get(site)
        if known is not None and (state.frozen or not self._is_outdated(known, state)):
            self._models.move_to_end(site)
            return known.model
        if state.frozen:
            model = SiteModel.from_bytes(state.frozen)
        else:
            model = state.learn(site, self.options)
        self._keep(site, state, model)
        return model

    def _is_outdated(self, known: _Known, state: SiteState) -> bool:
        full = len(state.sketches) >= self.options.freeze_pages
        return state.added >= _STEP * known.added or (full and not known.full)

    def _keep(self, site: str, state: SiteState, model: SiteModel) -> None:
        full = len(state.sketches) >= self.options.freeze_pages
        self._models[site] = _Known(state.added, full, model)
        self._models.move_to_end(site)
        if len(self._models) > _MOST_MODELS:
            self._models.popitem(last=False)

    def is_frozen(self, site: str) -> bool:
        """Tell whether *site* is learned, here or by what the store has of it."""
        known = site in self._states or self._load(site)
        return known and bool(self._states[site].frozen)

    def is_learning(self, site: str) -> bool:
        """Tell whether pages of *site* teach anything: it has a key, no rule, and is not
        learned.
        """
        return bool(site) and site not in self.rules and not self.is_frozen(site)

    def pages(self, site: str) -> int:
        """Return how many pages of *site* are remembered while it is learned."""
        return len(self._states[site].sketches) if site in self._states else 0

    # -- states ------------------------------------------------------------------------------

    def __iter__(self) -> Iterator[str]:
        """Iterate over the sites in memory, those not used for the longest time first."""
        return iter(list(self._states))

    def __len__(self) -> int:
        """Return the number of sites in memory."""
        return len(self._states)

    @property
    def size(self) -> int:
        """Bytes of memory that the states take, about."""
        return self._bytes

    def state(self, site: str) -> bytes | None:
        """Return the serialised state of *site*, if it is in memory."""
        return self._states[site].to_bytes() if site in self._states else None

    def load(self, site: str, state: bytes) -> None:
        """Merge a serialised state into what is known of *site*.

        Raises :exc:`StateError` if it is damaged or of another version.
        """
        self._merge(site, SiteState.from_bytes(state, self.options.freeze_pages))

    def merge(self, other: SiteLearner) -> None:
        """Take in what another learner knows: the same as learning from both's pages."""
        for site, state in other._states.items():
            self._merge(site, state)

    def forget(self, site: str) -> None:
        """Forget what is known of *site* in memory."""
        self._states.pop(site, None)
        self._models.pop(site, None)
        self._unsaved.discard(site)
        self._bytes -= self._sizes.pop(site, 0)

    def flush(self) -> list[str]:
        """Save to the store every state that has changed since, and take over what is there now.

        So the workers that share a store come to know the same. Returns the sites that others have
        learned meanwhile.
        """
        if self.store is None:
            self._unsaved.clear()
            return []
        return [site for site in sorted(self._unsaved) if self._exchange(site, self.store)]

    def save(self, site: str) -> bool:
        """Save the state of one site as :meth:`flush` does; tell whether others have learned it."""
        if self.store is None or site not in self._unsaved:
            return False
        return self._exchange(site, self.store)

    def _exchange(self, site: str, store: StateStore) -> bool:
        """Save a state, take over the union; return whether the site is learned only by that."""
        state = self._states[site]
        mine = state.to_bytes()
        union = store.save(site, mine)
        self._unsaved.discard(site)
        if union == mine:
            return False
        self._states[site] = SiteState.from_bytes(union, self.options.freeze_pages)
        self._models.pop(site, None)
        self._weigh(site)
        return bool(self._states[site].frozen) and not state.frozen

    def _merge(self, site: str, state: SiteState) -> None:
        mine = self._state(site)
        mine.merge(state)
        self._models.pop(site, None)
        self._touch(site, mine)

    def _state(self, site: str) -> SiteState:
        if site not in self._states and not self._load(site):
            self._states[site] = SiteState(self.options.freeze_pages)
        return self._states[site]

    def _load(self, site: str) -> bool:
        stored = self.store.load(site) if self.store is not None else None
        if stored is None:
            return False
        self._states[site] = SiteState.from_bytes(stored, self.options.freeze_pages)
        self._account(site)
        return True

    def _touch(self, site: str, state: SiteState) -> None:
        self._unsaved.add(site)
        self._states.move_to_end(site)
        self._account(site)

    def _weigh(self, site: str) -> None:
        size = self._states[site].size
        self._bytes += size - self._sizes.get(site, 0)
        self._sizes[site] = size

    def _account(self, site: str) -> None:
        self._weigh(site)
        while len(self._states) > 1 and (
            len(self._states) > self.max_sites or self._bytes > self.max_bytes
        ):
            oldest = next(iter(self._states))
            if self.store is not None and oldest in self._unsaved:
                self.store.save(oldest, self._states[oldest].to_bytes())
            self.forget(oldest)
            self.evicted += 1
