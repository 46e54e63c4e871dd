"""Learning sites from a dump: a bounded sample of each site's pages, in any order."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from scrapy_boilerplate.core.answer.extraction import Extraction
from scrapy_boilerplate.core.page import Page
from scrapy_boilerplate.learn.drift import remember
from scrapy_boilerplate.learn.keys import KeyFunction, own_or_parents, site_key
from scrapy_boilerplate.learn.model import SiteModel
from scrapy_boilerplate.learn.options import FREEZE_PAGES, LearningOptions
from scrapy_boilerplate.learn.sketch import page_id
from scrapy_boilerplate.learn.state import SiteState

SAMPLE = 100
"""Pages of a site from which a dump is learned."""


class SiteSamples:
    """The sketches of a sample of each site's pages.

    Of each site the pages with the smallest ids are remembered. The ids are hashes of addresses, so
    this is a random sample; it does not depend on the order of the pages, on repeated pages, or on
    how they were divided before their samples were merged. A site with millions of pages costs no
    more memory than one with a hundred, and most of its pages need not even be read
    (:meth:`wants`). Pages without an address belong to no site.

    >>> samples = SiteSamples()
    >>> page = Page.parse("<p>One two three four five.", url="https://a.example/1")
    >>> samples.observe(page, Extraction(""))
    >>> [(site, len(state.sketches)) for site, state in samples.states()]
    [('a.example', 1)]
    """

    def __init__(
        self,
        options: LearningOptions | None = None,
        *,
        key: str | KeyFunction = "host",
        rules: Mapping[str, SiteModel] | None = None,
    ) -> None:
        self.options = options or LearningOptions(freeze_pages=SAMPLE)
        """When a model is used; its ``freeze_pages`` is the size of a sample."""
        self.key = site_key(key)
        """Makes a site's key from a page's address."""
        self._rules = dict(rules or {})
        self._states: dict[str, SiteState] = {}
        self._models: dict[str, SiteModel] = {}

    def wants(self, url: str | None) -> bool:
        """Return whether the page at *url* would be remembered if it has text."""
        site = self.key(url or "")
        if not site or site in self._rules:
            return False
        state = self._states.get(site)
        if state is None or len(state.sketches) < state.most:
            return True
        return page_id(url, "") <= max(state.sketches)

    def observe(self, page: Page, extraction: Extraction) -> None:
        """Sample a page, and what the single-page method found on it."""
        if self.wants(page.url):
            self.add(page.url or "", sketched(page, extraction))

    def add(self, url: str, state: SiteState | None) -> None:
        """Add the page at *url*, as :func:`sketched` has it."""
        if state is not None:
            self.merge(self.key(url), state)

    def merge(self, site: str, state: SiteState) -> None:
        """Add the sample of a site from another part of the dump."""
        self._states.setdefault(site, SiteState(self.options.freeze_pages)).merge(state)
        self._models.pop(site, None)

    def states(self) -> Iterator[tuple[str, SiteState]]:
        """Yield each site and its sample."""
        yield from self._states.items()

    @property
    def size(self) -> int:
        """Approximate bytes of memory."""
        return sum(state.size for state in self._states.values())

    def model(self, site: str) -> SiteModel | None:
        """Return the model of *site*, or that of its nearest parent domain that has one."""
        return own_or_parents(site, self._own)

    def _own(self, site: str) -> SiteModel | None:
        if site in self._rules:
            return self._rules[site]
        if site not in self._states:
            return None
        if site not in self._models:
            self._models[site] = self._states[site].learn(site, self.options)
        model = self._models[site]
        return model if model.useful else None


def sketched(page: Page, extraction: Extraction) -> SiteState | None:
    """Return the sample of a single page; ``None`` for one without text, which teaches nothing.

    *extraction* is what the single-page method found on it.
    """
    if not page.text_at.size:
        return None
    state = SiteState()
    remember(state, page, extraction)
    return state


def storable(site: str, state: SiteState, options: LearningOptions) -> SiteState:
    """Return the state of a site as crawls keep it in their stores.

    A site with enough pages for a crawl is learned. Of another one the sketches stay, and a crawl
    goes on from there.
    """
    if len(state.sketches) < FREEZE_PAGES:
        return state
    learned = SiteState()
    learned.freeze(state.learn(site, options))
    return learned
