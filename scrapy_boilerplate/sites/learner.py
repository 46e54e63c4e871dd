"""Learning many sites while their pages come in."""

from __future__ import annotations

import secrets
from collections import OrderedDict
from collections.abc import Iterator, Mapping
from typing import Literal, NamedTuple

from scrapy_boilerplate.extraction import Extraction
from scrapy_boilerplate.page import Page
from scrapy_boilerplate.sites import keys
from scrapy_boilerplate.sites.applying import locate
from scrapy_boilerplate.sites.memory import SiteMemory, StateStore
from scrapy_boilerplate.sites.model import SiteModel
from scrapy_boilerplate.sites.options import LearningOptions
from scrapy_boilerplate.sites.sketch import draw, page_id
from scrapy_boilerplate.sites.state import WORKERS, SiteState
from scrapy_boilerplate.sites.template import view_of

__all__ = ["Event", "SiteLearner"]

Event = Literal["frozen", "relearning"]
"""What an observed page brought about: the site is learned, or its model has become outdated."""

_STEP = 2  # a model is learned again when there are so many times the pages
_PATIENCE = 2  # a site is frozen after so many times the pages even if its model is not safe
_MOST_MISSING = 0.4  # share of the pages that may lack the container, of whatever site
_MOST_DOUBLINGS = 6  # of the pages between two checks, for a site that is learned in vain
_MOST_MODELS = 512  # models that are kept ready
_LONG_BLOCK = 10  # words from which on a block says that a page has text


def _misses(model: SiteModel, page: Page) -> bool:
    """Tell whether a page has text but no container."""
    view = view_of(page)
    if locate(model, view).place.kind != "absent":
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


class _Models:
    """The models that are kept ready, at most 512; those not used for the longest time leave."""

    def __init__(self, options: LearningOptions) -> None:
        self._options = options
        self._known: OrderedDict[str, _Known] = OrderedDict()

    def get(self, site: str, state: SiteState) -> SiteModel:
        """Return the model of a state, learned anew when there are twice as many pages."""
        known = self._known.get(site)
        if known is not None and (state.frozen or not self._is_outdated(known, state)):
            self._known.move_to_end(site)
            return known.model
        if state.frozen:
            model = SiteModel.from_bytes(state.frozen)
        else:
            model = state.learn(site, self._options)
        self.keep(site, state, model)
        return model

    def _is_outdated(self, known: _Known, state: SiteState) -> bool:
        return state.added >= _STEP * known.added or (self._is_full(state) and not known.full)

    def _is_full(self, state: SiteState) -> bool:
        return len(state.sketches) >= self._options.freeze_pages

    def keep(self, site: str, state: SiteState, model: SiteModel) -> None:
        """Keep the model of a state ready."""
        self._known[site] = _Known(state.added, self._is_full(state), model)
        self._known.move_to_end(site)
        if len(self._known) > _MOST_MODELS:
            self._known.popitem(last=False)

    def drop(self, site: str) -> None:
        """Let go of a model whose state is another now."""
        self._known.pop(site, None)


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
        self.borrow = borrow
        """Whether a site that learned nothing uses the model of the domain that it is part of."""
        self.worker = secrets.randbelow(WORKERS) if worker is None else worker % WORKERS
        """Tells this learner's counts from those of others that share a store."""
        self._models = _Models(self.options)
        self.memory = SiteMemory(
            self.options.freeze_pages,
            store=store,
            max_sites=max_sites,
            max_bytes=max_bytes,
            replaced=self._models.drop,
        )
        """What is known of the sites."""

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
        state = self.memory.get_or_new(site)
        if state.frozen:
            event = self._watch(site, state, page)
        elif extraction is None:
            return None
        else:
            spans = [segment.span for segment in extraction.main]
            state.add(page_id(page.url, page.buffer), *draw(view_of(page), spans))
            event = self._freeze(site, state)
        self.memory.changed(site)
        return event

    def _freeze(self, site: str, state: SiteState) -> Event | None:
        most = self.options.freeze_pages
        if len(state.sketches) < most:
            return None
        model = self._models.get(site, state)
        may_wait = not model.safe and not state.unstable
        if may_wait and state.distinct < _PATIENCE * most:
            return None
        state.freeze(model)
        self._models.keep(site, state, model)
        return "frozen"

    def _watch(self, site: str, state: SiteState, page: Page) -> Event | None:
        """Count the pages of a learned site that have text but no container.

        A site of which nothing could be learned is tried again. Each time that this is in vain
        there are twice as many pages until the next.
        """
        model = self._models.get(site, state)
        missed = model.useful and _misses(model, page)
        pages, misses = state.watch(self.worker, missed=missed)
        if pages < self.options.drift_pages << min(state.restarts, _MOST_DOUBLINGS):
            return None
        most = min(model.missing + self.options.drift_share, _MOST_MISSING)
        if model.useful and misses <= most * pages:
            state.passed()
            return None
        state.restart()
        self._models.drop(site)
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
        state = self.memory.get(site)
        if state is None:
            return None
        self.memory.use(site)
        model = self._models.get(site, state)
        return model if model.useful else None

    def is_frozen(self, site: str) -> bool:
        """Tell whether *site* is learned, here or by what the store has of it."""
        state = self.memory.get(site)
        return state is not None and bool(state.frozen)

    def is_learning(self, site: str) -> bool:
        """Tell whether pages of *site* teach anything.

        They do if it has a key and no rule, and is not learned yet.
        """
        return bool(site) and site not in self.rules and not self.is_frozen(site)

    def pages(self, site: str) -> int:
        """Return how many pages of *site* are remembered while it is learned."""
        state = self.memory.peek(site)
        return len(state.sketches) if state is not None else 0

    # -- the sites in memory -----------------------------------------------------------------

    def __iter__(self) -> Iterator[str]:
        """Iterate over the sites in memory, those not used for the longest time first."""
        return iter(self.memory)

    @property
    def evicted(self) -> int:
        """Sites that had to leave memory."""
        return self.memory.evicted

    def state(self, site: str) -> bytes | None:
        """Return the serialised state of *site*, if it is in memory."""
        state = self.memory.peek(site)
        return state.to_bytes() if state is not None else None

    def load(self, site: str, state: bytes) -> bool:
        """Merge a serialised state into what is known of *site*.

        Returns whether the site is frozen only by that. Raises :exc:`StateError` if it is damaged
        or of another version.
        """
        return self.memory.merge(site, SiteState.from_bytes(state, self.options.freeze_pages))

    def merge(self, other: SiteLearner) -> None:
        """Take in what another learner knows: the same as learning from both's pages."""
        for site in other.memory:
            state = other.memory.peek(site)
            if state is not None:
                self.memory.merge(site, state)

    def flush(self, share: float = 1.0) -> list[str]:
        """Save to the store every state that has changed since, and take over what is there now.

        So the workers that share a store come to know the same. Returns the sites that others have
        learned meanwhile. With a *share* below 1 each call saves that share of them, so that nobody
        waits long.
        """
        return self.memory.flush(share)

    def save(self, site: str) -> bool:
        """Save the state of one site as :meth:`flush` does; tell whether others have learned it."""
        return self.memory.save(site)
