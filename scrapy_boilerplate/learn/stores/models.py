"""The models in a store: taken for pages that are not learned from, put there from samples."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache

from scrapy_boilerplate.learn.keys import KeyFunction, own_or_parents, site_key
from scrapy_boilerplate.learn.options import LearningOptions
from scrapy_boilerplate.learn.samples import SiteSamples, storable
from scrapy_boilerplate.learn.site_model import SiteModel
from scrapy_boilerplate.learn.site_state import SiteState
from scrapy_boilerplate.learn.stores import open_store

MOST_MODELS = 10_000
"""Sites whose models are kept ready."""


class StoredModels:
    """Gives the serialised model of a page's site by the page's address, from a store.

    A person's *rules*, by site, add to what was learned, as in a crawl. Raises :exc:`StoreError` if
    the store at *address* cannot be opened or read.
    """

    def __init__(
        self,
        address: str | None,
        key: str | KeyFunction = "host",
        rules: Mapping[str, SiteModel] | None = None,
    ) -> None:
        self._site_of = site_key(key)
        self._rules = rules or {}
        self._store = None if address is None else open_store(address)
        self._of_site = lru_cache(MOST_MODELS)(self._model)
        self._learned = lru_cache(MOST_MODELS)(self._read)

    def __call__(self, url: str) -> bytes | None:
        """Return the model for the page at *url*; ``None`` if nothing is known of its site."""
        return self._of_site(self._site_of(url))

    def _model(self, site: str) -> bytes | None:
        learned = own_or_parents(site, self._learned)
        rule = own_or_parents(site, self._rules.get)
        if rule is None:
            return learned
        model = None if learned is None else SiteModel.from_bytes(learned)
        return rule.added_to(model).to_bytes()

    def _read(self, site: str) -> bytes | None:
        data = None if self._store is None else self._store.load(site)
        if data is None:
            return None
        model = SiteState.from_bytes(data).learn(site, LearningOptions())
        return model.to_bytes() if model.useful else None

    def close(self) -> None:
        """Close the store."""
        if self._store is not None:
            self._store.close()


def save_samples(samples: SiteSamples, address: str) -> int:
    """Merge what *samples* teach into the store at *address*; return how many sites there are.

    Raises :exc:`StoreError`.
    """
    with open_store(address) as store:
        states = {
            site: storable(state, model).to_bytes()
            for site, state in samples.states()
            if (model := samples.learned(site)) is not None
        }
        store.save_all(states)
    return len(states)
