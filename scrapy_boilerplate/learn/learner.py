"""Learning many sites while their pages come in."""

from __future__ import annotations

import secrets
from collections.abc import Mapping

from scrapy_boilerplate.core.answer.extraction import Extraction
from scrapy_boilerplate.core.page import Page
from scrapy_boilerplate.learn import keys
from scrapy_boilerplate.learn.drift import (
    MOST_ROUNDS,
    DriftMonitor,
    Event,
    SiteChange,
    section_of,
)
from scrapy_boilerplate.learn.fingerprints import can_teach
from scrapy_boilerplate.learn.memory import SiteMemory, StateStore
from scrapy_boilerplate.learn.options import LearningOptions
from scrapy_boilerplate.learn.site_model import SiteModel
from scrapy_boilerplate.learn.site_state import WORKERS, SiteState
from scrapy_boilerplate.learn.template import SinglePageResult

__all__ = ["Event", "SiteLearner"]


class SiteLearner:
    """Learns sites from their pages and from what a single-page method found on each.

    Give it every page with the *single-page* method's own extraction (:meth:`observe`), ask for the
    site's model (:meth:`model`) and apply it. There is a model from the second page on. When the
    site is learned, after 20 pages or up to 40, the pages are forgotten and the model stays; from
    then on each page is compared with it, adds further templates, or reveals a redesign.

    Beyond *max_sites* or *max_bytes* the least recently used sites leave memory for the *store*.
    """

    def __init__(
        self,
        options: LearningOptions | None = None,
        *,
        key: str | keys.KeyFunction = "host",
        rules: Mapping[str, SiteModel] | None = None,
        store: StateStore | None = None,
        max_sites: int = 50_000,
        max_bytes: int = 128 << 20,
        worker: int | None = None,
    ) -> None:
        self.options = options or LearningOptions()
        self.key = keys.site_key(key)  # makes a site's key from a page's address
        self.rules = dict(rules or {})  # they add to what is learned; whole models replace it
        self._ruled: dict[str, tuple[SiteModel | None, SiteModel]] = {}
        # Distinguishes this learner's counts from those of others that share the store.
        self.worker = secrets.randbelow(WORKERS) if worker is None else worker % WORKERS
        self.memory = SiteMemory(
            self.options, store=store, max_sites=max_sites, max_bytes=max_bytes
        )
        self._watch = DriftMonitor(self.options, self.memory, self.worker)

    # -- learning ----------------------------------------------------------------------------

    def site_of(self, page: Page) -> str:
        """Return the key of the site that *page* belongs to."""
        return self.key(page.url or "")

    def observe(self, page: Page, extraction: Extraction | None) -> Event | None:
        """Learn from a page and what the single-page method found on it; return the effect, if any.

        Pages of a learned site are compared with its model. Pages with the same URL count once.
        Pages without text, blocked ones, and those whose *extraction* is ``None`` teach nothing.
        """
        site = self.site_of(page)
        if not page.is_html or extraction is None:
            return None
        if not can_teach(page, extraction) and not self.is_frozen(site):
            return None
        state = self.memory.get_or_new(site)
        if state.frozen:
            event = self._watch.see(site, state, page, extraction)
        else:
            state.observe(page, extraction)
            section = section_of(page.url)
            if section not in state.sections:
                alone = SinglePageResult(page, None, extraction)
                if not alone.is_stub(self.options.min_words):
                    state.add_section(section)
            event = self._freeze(site, state)
        self.memory.changed(site)
        return event

    def change(self, site: str) -> SiteChange | None:
        """Return the latest change of *site* that this learner has seen."""
        return self._watch.changes.get(site)

    def _freeze(self, site: str, state: SiteState) -> Event | None:
        most = self.options.freeze_pages
        if len(state.fingerprints) < most:
            return None
        model = self.memory.model(site)
        may_wait = not model.safe and not state.unstable
        if may_wait and state.distinct < MOST_ROUNDS * most:
            return None
        state.freeze(model)
        return "frozen"

    # -- models ------------------------------------------------------------------------------

    def model(self, site: str) -> SiteModel | None:
        """Return what was learned about *site* or its parent domain, with the rule for it.

        ``None`` means that the single-page method gets the whole page. While the site is being
        learned, the model may lack a third of the pages.
        """
        learned = keys.own_or_parents(site, self._learned)
        rule = keys.own_or_parents(site, self.rules.get) if self.rules else None
        if rule is None:
            return learned
        known = self._ruled.get(site)
        if known is None or known[0] is not learned:  # a page is read once by the same model
            known = self._ruled[site] = learned, rule.added_to(learned)
        return known[1]

    def _learned(self, site: str) -> SiteModel | None:
        if self.memory.get(site) is None:
            return None
        model = self.memory.model(site)
        return model if model.useful else None

    def is_frozen(self, site: str) -> bool:
        """Return whether *site* is learned, in memory or in the store."""
        state = self.memory.get(site)
        return state is not None and bool(state.frozen)

    # -- the sites in memory -----------------------------------------------------------------

    def state(self, site: str) -> bytes | None:
        """Return the serialised state of *site*, if it is in memory."""
        state = self.memory.peek(site)
        return state.to_bytes() if state is not None else None

    def load(self, site: str, state: bytes) -> bool:
        """Merge a serialised state into the state of *site*; return whether this froze the site.

        Raises :exc:`StateError` if the state is damaged or has another version.
        """
        return self.memory.merge(site, SiteState.from_bytes(state, self.options.freeze_pages))

    def flush(self, seconds: float = 0.0) -> list[str]:
        """Save to the store every state that changed so many *seconds* ago; load what it now holds.

        So workers share what they know. Returns the sites that others have learned meanwhile.
        """
        return self.memory.flush(seconds)
