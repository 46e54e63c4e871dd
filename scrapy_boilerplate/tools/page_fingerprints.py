"""Fingerprints of pages, made where a page may crash or hang."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain, islice

from scrapy_boilerplate.core.methods import Extractor
from scrapy_boilerplate.learn.keys import KeyFunction
from scrapy_boilerplate.learn.options import LearningOptions
from scrapy_boilerplate.learn.samples import SiteSamples, sample_of
from scrapy_boilerplate.learn.site_state import SiteState
from scrapy_boilerplate.learn.stores.models import save_samples
from scrapy_boilerplate.tools.isolation import Failure, Mapper
from scrapy_boilerplate.tools.places import local_copy
from scrapy_boilerplate.tools.rows import InputPage, PageRows


class PageFingerprints:
    """Makes the fingerprints of pages: a callable that another process can make for itself."""

    def __init__(self, method: Extractor) -> None:
        self._method = PageRows(method).method

    def __call__(self, page: InputPage) -> PageFingerprint | None:
        """Return a page's address and its sample; ``None`` if it teaches nothing."""
        if page.html is None:
            return None
        read = page.parsed()
        state = sample_of(read, self._method.extract(read))
        return (page.url or "", state.fingerprints, state.names) if state is not None else None


# The address, the fingerprint by the page's id, names of hashes
PageFingerprint = tuple[str, dict[int, bytes], dict[int, str]]


MOST_HELD_BYTES = 64 << 20  # of fingerprints that a reader holds before it hands them on

_PAGES_AT_ONCE = 1000  # between two looks at the bytes


def samples_of(
    pages: Iterable[InputPage],
    pool: Mapper,
    key: str | KeyFunction,
    options: LearningOptions | None = None,
) -> Iterator[SiteSamples]:
    samples, pages = SiteSamples(options, key=key), iter(pages)
    for first in pages:
        some = chain([first], islice(pages, _PAGES_AT_ONCE))
        wanted = (page for page in some if page.html is not None and samples.wants(page.url))
        add_fingerprints(samples, pool.map(wanted))
        if samples.size >= MOST_HELD_BYTES:
            yield samples
            samples = SiteSamples(options, key=key)
    yield samples


def add_fingerprints(
    samples: SiteSamples, fingerprints: Iterable[PageFingerprint | Failure | None]
) -> int:
    """Add what :class:`PageFingerprints` has made; return how many pages belong to no site."""
    strays = 0
    for found in fingerprints:
        if found is not None and not isinstance(found, Failure):
            url, by_id, names = found
            if samples.key(url):
                samples.add(url, SiteState(fingerprints=by_id, names=names))
            else:
                strays += 1
    return strays


def learned_sites(samples: SiteSamples) -> int:
    models = (samples.learned(site) for site, _ in samples.states())
    return sum(model is not None and model.useful for model in models)


def save_sites(samples: SiteSamples, store: str) -> None:
    """Merge samples into a site store, also in a SQLite file at an address such as ``s3://…``."""
    with local_copy(store, write=True) as path:
        save_samples(samples, path)
