"""Learning the sites of web archives, so that a second reading applies what was learned."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence

from scrapy_boilerplate.core.api import choose_method
from scrapy_boilerplate.core.methods import Extractor
from scrapy_boilerplate.learn.keys import KeyFunction
from scrapy_boilerplate.learn.samples import SiteSamples
from scrapy_boilerplate.tools.isolation import Isolated
from scrapy_boilerplate.tools.page_fingerprints import (
    PageFingerprints,
    add_fingerprints,
    learned_sites,
    save_sites,
)
from scrapy_boilerplate.tools.places import Place
from scrapy_boilerplate.tools.rows import MEMORY, SECONDS, InputPage
from scrapy_boilerplate.tools.warc.archived_pages import PageReader, told_pages


def learn_archives(
    paths: Iterable[Place],
    store: str,
    *,
    extractor: str | Extractor = "auto",
    key: str | KeyFunction = "host",
    processes: int | None = None,
    seconds: float = SECONDS,
    memory: int | None = MEMORY,
    reader: PageReader | None = None,
    **options: object,
) -> int:
    """Learn the sites of web archives, each from a sample of its pages; return how many
    have a model.

    *store* is the address of a site store, whose states are merged with what is learned; give it
    to :func:`extract_archives`, or to a crawl. The other arguments are those of
    :func:`extract_archives`. An archive that cannot be read to its end teaches what it can. Raises
    :exc:`StoreError` if the store fails.
    """
    method, _ = choose_method(extractor, options)
    samples, number = SiteSamples(key=key), processes or os.cpu_count() or 1
    archives = [os.fspath(path) for path in paths]
    pages = teaching_pages(archives, samples, reader or PageReader())
    with Isolated(
        PageFingerprints, method, processes=number, seconds=seconds, memory=memory
    ) as pool:
        add_fingerprints(samples, pool.map(pages))
    save_sites(samples, store)
    return learned_sites(samples)


def teaching_pages(
    archives: Sequence[str], samples: SiteSamples, reader: PageReader
) -> Iterator[InputPage]:
    """Yield the pages that *samples* want."""
    for path in archives:
        for page in told_pages(path, reader.anew()):
            if page.html is not None and samples.wants(page.url):
                yield page
