"""Learning many sites while their pages come in."""

from __future__ import annotations

import secrets
from collections import OrderedDict
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Literal, NamedTuple

from scrapy_boilerplate.extraction import Extraction
from scrapy_boilerplate.page import Page
from scrapy_boilerplate.sites import keys
from scrapy_boilerplate.sites.applying import compare
from scrapy_boilerplate.sites.facts import SiteFacts
from scrapy_boilerplate.sites.memory import SiteMemory, StateStore
from scrapy_boilerplate.sites.model import SiteModel
from scrapy_boilerplate.sites.options import LearningOptions
from scrapy_boilerplate.sites.sketch import draw, page_id
from scrapy_boilerplate.sites.state import WORKERS, SiteState
from scrapy_boilerplate.sites.template import view_of

__all__ = ["Event", "SiteLearner"]

Event = Literal["frozen", "extended", "relearning"]
"""The effect of an observed page: the site is now learned, its model has got further templates, or
it is out of date."""

_STEP = 2  # a model is learned again when there are so many times the pages
_MORE_STRANGERS = 5  # of a learned site, after which its model is extended again
_PATIENCE = 2  # a site is frozen after so many times the pages even if its model is not safe
_MOST_MISSING = 0.4  # share of the pages that may lack the container, of whatever site
_MOST_DOUBLINGS = 6  # of the pages between two checks, for a site that is learned in vain
_MOST_MODELS = 512  # models that are kept ready
_SUSPICION = 1000  # added by a page that loses most of what the method found on it
_ALLOWED = 250  # taken off by each page, and more where that was usual while the site was learned
_MOST_SUSPICION = 8000  # from which on a site is learned again: after 11 such pages, 20 at most
_MOST_ALLOWED = 600


class _Known(NamedTuple):
    """A model that is kept ready."""

    added: int
    """Pages that the state had been given when it was learned."""
    stage: tuple[int, ...]
    """Stage of the state."""
    settled: int
    """Later templates that do not depend on the strangers of the site."""
    model: SiteModel


class _Models:
    """The models kept ready: at most 512, those used last."""

    def __init__(self, options: LearningOptions) -> None:
        self._options = options
        self._known: OrderedDict[str, _Known] = OrderedDict()

    def get(self, site: str, state: SiteState) -> SiteModel:
        """Return the model of a state, learned again when the pages have doubled."""
        known = self._known.get(site)
        if known is not None and not self._is_outdated(known, state):
            self._known.move_to_end(site)
            return known.model
        model = state.learn(site, self._options)
        settled = len(SiteModel.from_bytes(state.frozen).also) if state.frozen else 0
        self.keep(site, state, model, settled)
        return model

    def unsettled(self, site: str, state: SiteState) -> tuple[SiteFacts, ...]:
        """Return the templates of a learned site that more strangers may change."""
        model = self.get(site, state)
        return model.also[self._known[site].settled :]

    def _is_outdated(self, known: _Known, state: SiteState) -> bool:
        has_doubled = not state.frozen and state.added >= _STEP * known.added
        return has_doubled or self._stage(state) != known.stage

    def _stage(self, state: SiteState) -> tuple[int, ...]:
        """Return what differs when a model is to be learned again."""
        known = len(state.sketches)
        is_full = known >= self._options.freeze_pages
        strangers = (known > 0) + known // _MORE_STRANGERS if state.frozen else 0
        return state.generation, bool(state.frozen), state.epoch, is_full, strangers

    def keep(self, site: str, state: SiteState, model: SiteModel, settled: int = 0) -> None:
        """Keep the model of a state ready."""
        self._known[site] = _Known(state.added, self._stage(state), settled, model)
        self._known.move_to_end(site)
        if len(self._known) > _MOST_MODELS:
            self._known.popitem(last=False)

    def drop(self, site: str) -> None:
        """Drop a model whose state was replaced."""
        self._known.pop(site, None)


class SiteLearner:
    """Learns sites from their pages and from what a single-page method found on each.

    Give it every page with the *single-page* method's own extraction (:meth:`observe`), ask for the
    site's model (:meth:`model`) and apply it. The number of pages seen decides:

    - 1: no model. From 2 on: a model; pages without its container fall back to the single-page
      method.
    - From 8 on the model may answer "no article", if 85 % of the pages have its container or are
      lists, and half of the others were articles.
    - From 20 on the site is learned, if the model is safe (else it goes on, up to twice as many
      pages): the pages are forgotten, the model stays.
    - From then on it watches how many pages have text but no container. If their share rises by a
      third over 50 pages, the site was redesigned and is learned again. A site from which
      nothing could be learned is also learned again. Each failure doubles the pages until the
      next attempt. After two failures the model may no longer answer "no article": the pages
      have no template in common.

    Memory is bounded: by the pages remembered of each site, and by *max_sites* and *max_bytes* for
    all sites. Beyond that, the sites that were not used for the longest time leave memory; the
    *store*, if there is one, still has them.

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
        """Models written by hand, by site. They win over learned models."""
        self.borrow = borrow
        """Whether a site without a model of its own uses the model of its parent domain."""
        self.worker = secrets.randbelow(WORKERS) if worker is None else worker % WORKERS
        """Distinguishes this learner's counts from those of others that share the store."""
        self._models = _Models(self.options)
        self.memory = SiteMemory(
            self.options.freeze_pages,
            store=store,
            max_sites=max_sites,
            max_bytes=max_bytes,
            replaced=self._models.drop,
        )
        """The states of the sites."""

    # -- learning ----------------------------------------------------------------------------

    def site_of(self, page: Page) -> str:
        """Return the key of the site that *page* belongs to."""
        return self.key(page.url or "")

    def observe(self, page: Page, extraction: Extraction | None) -> Event | None:
        """Learn from a page and what the single-page method found on it.

        Of a learned site the pages are compared with its model. Pages with the same address count
        once. Pages without text do not count, nor do those whose *extraction* is ``None``. Returns
        the effect, if there is any.
        """
        site = self.site_of(page)
        if not page.text_at.size or extraction is None or site in self.rules:
            return None
        state = self.memory.get_or_new(site)
        if state.frozen:
            event = self._watch(site, state, page, extraction)
        else:
            self._add(state, page, extraction)
            event = self._freeze(site, state)
        self.memory.changed(site)
        return event

    def _add(self, state: SiteState, page: Page, extraction: Extraction) -> None:
        spans = [segment.span for segment in extraction.main]
        state.add(page_id(page.url, page.buffer), *draw(view_of(page), spans))

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

    def _watch(
        self, site: str, state: SiteState, page: Page, extraction: Extraction
    ) -> Event | None:
        """Compare a page of a learned site with the model.

        Strangers teach further templates. A site whose pages lose what the method found on them,
        or lack the container, is learned again; so is one from which nothing could be learned. Each
        failure doubles the pages until the next attempt.
        """
        model = self._models.get(site, state)
        seen = compare(model, page, extraction)
        usual = _ALLOWED + round(_SUSPICION * model.elsewhere)
        added = _SUSPICION * seen.is_lost - min(usual, _MOST_ALLOWED)
        pages, misses = state.watch(self.worker, missed=seen.is_stranger, suspicion=added)
        if state.suspicion(self.worker) >= _MOST_SUSPICION:
            return self._restart(site, state)
        unsettled = self._models.unsettled(site, state)
        if seen.is_stranger or any(seen.template is each for each in unsettled):
            self._add(state, page, extraction)
            if self._extend(site, state):
                return "extended"
        if pages < self.options.drift_pages << min(state.restarts, _MOST_DOUBLINGS):
            return None
        most = min(model.missing + self.options.drift_share, _MOST_MISSING)
        if model.useful and misses <= most * pages:
            state.passed()
            return None
        return self._restart(site, state)

    def _restart(self, site: str, state: SiteState) -> Event:
        state.restart()
        self._models.drop(site)
        return "relearning"

    def _extend(self, site: str, state: SiteState) -> bool:
        """Let the strangers become part of the model when there are enough; tell whether they did.

        Strangers that have nothing in common are forgotten in the end, to make room for others.
        """
        most = self.options.freeze_pages
        if len(state.sketches) < most:
            return False
        is_stale = state.distinct >= _PATIENCE * most
        if not is_stale and not self._models.unsettled(site, state):
            return False
        model, covered = state.extended(site, self.options)
        if not covered:
            state.forget_strangers()
            return False
        state.extend(replace(model, strangers=0), covered)
        return True

    # -- models ------------------------------------------------------------------------------

    def model(self, site: str) -> SiteModel | None:
        """Return the model of *site*: written by hand, learned, or that of its parent domain.

        ``None`` means that the single-page method gets the whole page. While the site is being
        learned the model may lack up to half of the pages.
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
        """Tell whether *site* is learned, in memory or in the store."""
        state = self.memory.get(site)
        return state is not None and bool(state.frozen)

    def is_learning(self, site: str) -> bool:
        """Tell whether pages of *site* are learned from.

        They are if the site has a key and no rule, and is not learned yet.
        """
        return bool(site) and site not in self.rules and not self.is_frozen(site)

    def pages(self, site: str) -> int:
        """Return how many pages of *site* are remembered while it is learned."""
        state = self.memory.peek(site)
        return len(state.sketches) if state is not None and not state.frozen else 0

    # -- the sites in memory -----------------------------------------------------------------

    def __iter__(self) -> Iterator[str]:
        """Iterate over the sites in memory, the least recently used first."""
        return iter(self.memory)

    @property
    def evicted(self) -> int:
        """Number of sites that left memory to make room."""
        return self.memory.evicted

    def state(self, site: str) -> bytes | None:
        """Return the serialised state of *site*, if it is in memory."""
        state = self.memory.peek(site)
        return state.to_bytes() if state is not None else None

    def load(self, site: str, state: bytes) -> bool:
        """Merge a serialised state into the state of *site*.

        Returns whether this has frozen the site. Raises :exc:`StateError` if the state is damaged
        or has another version.
        """
        return self.memory.merge(site, SiteState.from_bytes(state, self.options.freeze_pages))

    def merge(self, other: SiteLearner) -> None:
        """Merge another learner's states: the same as learning from the pages of both."""
        for site in other.memory:
            state = other.memory.peek(site)
            if state is not None:
                self.memory.merge(site, state)

    def flush(self, share: float = 1.0) -> list[str]:
        """Save to the store every state that has changed since, and take over what is there now.

        Workers that share a store so exchange what they know. Returns the sites that others have
        learned in the meantime. With a *share* below 1 each call saves only that share of them, so
        that no call takes long.
        """
        return self.memory.flush(share)

    def save(self, site: str) -> bool:
        """Save the state of one site like :meth:`flush`; tell whether others have learned it."""
        return self.memory.save(site)
