"""The models in a store: taken for pages that are not learned from, put there from samples."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from weakref import finalize

from scrapy_boilerplate.learn.keys import KeyFunction, site_key
from scrapy_boilerplate.learn.samples import SiteSamples, storable
from scrapy_boilerplate.learn.site_model import SiteModel, ruled_model
from scrapy_boilerplate.learn.stores import SiteStore, open_store

MOST_MODELS = 10_000  # sites whose models are kept ready


class StoredModels:
    """Gives the serialised model of a page's site, with a person's rule, by the page's address."""

    def __init__(
        self,
        address: str | None,
        key: str | KeyFunction = "host",
        rules: Mapping[str, SiteModel] | None = None,
    ) -> None:
        self._site_of, self._rules = site_key(key), rules or {}
        self._store = None if address is None else SiteStore.open(address)
        if self._store is not None:
            finalize(self, self._store.close)  # of a worker, which ends without a word
        self._of_site = lru_cache(MOST_MODELS)(self._model)
        self._learned = lru_cache(MOST_MODELS)(self._read)

    def __call__(self, url: str) -> bytes | None:
        """Return the model for the page at *url*; ``None`` if nothing is known of its site."""
        return self._of_site(self._site_of(url))

    def _model(self, site: str) -> bytes | None:
        model = ruled_model(site, self._learned, self._rules)
        return None if model is None else model.to_bytes()

    def _read(self, site: str) -> SiteModel | None:
        return None if self._store is None else self._store.model(site)

    def close(self) -> None:
        """Close the store."""
        if self._store is not None:
            self._store.close()


def save_samples(samples: SiteSamples, address: str) -> int:
    """Merge what *samples* teach into the store at *address*; return how many sites there are."""
    with open_store(address) as store:
        states = {
            site: storable(state, model).to_bytes()
            for site, state in samples.states()
            if (model := samples.learned(site)) is not None
        }
        store.save_all(states)
    return len(states)
