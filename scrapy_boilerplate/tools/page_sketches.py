"""Sketches of pages, made where a page may crash or hang."""

from __future__ import annotations

from collections.abc import Iterable

from scrapy_boilerplate.core.methods import Extractor
from scrapy_boilerplate.core.page import Page
from scrapy_boilerplate.core.page.budget import MAX_NODES
from scrapy_boilerplate.learn.samples import SiteSamples, sketched
from scrapy_boilerplate.learn.state import SiteState
from scrapy_boilerplate.learn.stores.models import save_samples
from scrapy_boilerplate.tools.isolation import Lost, Mapper
from scrapy_boilerplate.tools.places import local_copy

PageBody = tuple["bytes | str | None", "str | None", "str | None"]
"""HTML, address, and the encoding that HTTP declares."""


class PageSketches:
    """Makes the sketches of pages. A callable that another process can make for itself."""

    def __init__(self, method: Extractor) -> None:
        self._method = method
        method.extract(Page.parse("<p>A page, so that the models are loaded."))

    def __call__(self, page: PageBody) -> bytes | None:
        """Return the sample of one page, serialised; ``None`` if it teaches nothing."""
        html, url, encoding = page
        if html is None:
            return None
        read = Page.parse(html, url=url, encoding=encoding, max_nodes=MAX_NODES)
        state = sketched(read, self._method.extract(read))
        return state.to_bytes() if state is not None else None


def sample_pages(pages: Iterable[PageBody], samples: SiteSamples, pool: Mapper) -> None:
    """Add *pages* to *samples*; *pool* reads them by :class:`PageSketches`.

    Pages that are lost there, and those without an address, are left out.
    """
    wanted = ((page[1], page) for page in pages if samples.wants(page[1]))
    for url, data in pool.pairs(wanted):
        if url is not None and data is not None and not isinstance(data, Lost):
            samples.add(url, SiteState.from_bytes(data))


def learned_sites(samples: SiteSamples) -> int:
    """Return how many sites are learned: those that have a model of their own."""
    models = (samples.model(site) for site, _ in samples.states())
    return len({id(model) for model in models if model is not None})  # a child has its parent's


def save_sites(samples: SiteSamples, store: str) -> None:
    """Merge samples into a site store, also in a SQLite file at an address such as ``s3://…``."""
    with local_copy(store, write=True) as path:
        save_samples(samples, path)
