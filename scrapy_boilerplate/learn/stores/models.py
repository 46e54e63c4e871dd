"""The models in a store: taken for pages that are not learned from, put there from samples."""

from __future__ import annotations

from collections import OrderedDict

from scrapy_boilerplate.learn.keys import KeyFunction, own_or_parents, site_key
from scrapy_boilerplate.learn.model import StateError
from scrapy_boilerplate.learn.options import LearningOptions
from scrapy_boilerplate.learn.samples import SiteSamples, storable
from scrapy_boilerplate.learn.state import SiteState
from scrapy_boilerplate.learn.stores import open_store

MOST_MODELS = 10_000
"""Sites whose models are kept ready."""


class StoredModels:
    """Gives the serialised model of a page's site by the page's address, from a store.

    Rules that a person wrote win, as in a crawl. Raises :exc:`StoreError` if the store at *address*
    cannot be opened or read.
    """

    def __init__(self, address: str, key: str | KeyFunction = "host") -> None:
        self._site_of = site_key(key)
        self._options = LearningOptions()
        self._store = open_store(address)
        self._rules = {site: rule.to_bytes() for site, rule in self._store.rules().items()}
        self._known: OrderedDict[str, bytes | None] = OrderedDict()

    def __call__(self, url: str) -> bytes | None:
        """Return the model for the page at *url*; ``None`` if nothing is known of its site."""
        return own_or_parents(self._site_of(url), self._own)

    def _own(self, site: str) -> bytes | None:
        if site in self._rules:
            return self._rules[site]
        if site not in self._known:
            self._known[site] = self._load(site)
            if len(self._known) > MOST_MODELS:
                self._known.popitem(last=False)
        self._known.move_to_end(site)
        return self._known[site]

    def _load(self, site: str) -> bytes | None:
        data = self._store.load(site)
        try:
            state = None if data is None else SiteState.from_bytes(data)
        except StateError:  # the page has the single-page method
            return None
        model = state.learn(site, self._options) if state is not None else None
        return model.to_bytes() if model is not None and model.useful else None

    def close(self) -> None:
        """Close the store."""
        self._store.close()


def save_samples(samples: SiteSamples, address: str) -> int:
    """Merge what *samples* teach into the store at *address*; return how many sites there are.

    Raises :exc:`StoreError`.
    """
    store = open_store(address)
    try:
        count = 0
        for site, state in samples.states():
            store.save(site, storable(site, state, samples.options).to_bytes())
            count += 1
        return count
    finally:
        store.close()
