"""The models in a store: taken for pages that are not learned from, put there from samples."""

from __future__ import annotations

from functools import lru_cache

from scrapy_boilerplate.learn.keys import KeyFunction, own_or_parents, site_key
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
        self._store = open_store(address)
        self._rules = self._store.rules()
        self._own = lru_cache(MOST_MODELS)(self._read)

    def __call__(self, url: str) -> bytes | None:
        """Return the model for the page at *url*; ``None`` if nothing is known of its site."""
        return own_or_parents(self._site_of(url), self._own)

    def _read(self, site: str) -> bytes | None:
        if site in self._rules:
            return self._rules[site].to_bytes()
        data = self._store.load(site)
        if data is None:
            return None
        model = SiteState.from_bytes(data).learn(site, LearningOptions())
        return model.to_bytes() if model.useful else None

    def close(self) -> None:
        """Close the store."""
        self._store.close()


def save_samples(samples: SiteSamples, address: str) -> int:
    """Merge what *samples* teach into the store at *address*; return how many sites there are.

    Raises :exc:`StoreError`.
    """
    with open_store(address) as store:
        states = list(samples.states())
        for site, state in states:
            store.save(site, storable(site, state, samples.options).to_bytes())
    return len(states)
