"""Learning the sites of web archives, so that a second reading applies what was learned."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from contextlib import suppress

from scrapy_boilerplate.core.api import choose_method
from scrapy_boilerplate.core.methods import Extractor
from scrapy_boilerplate.learn.keys import KeyFunction, site_key
from scrapy_boilerplate.learn.samples import SiteSamples
from scrapy_boilerplate.tools.isolation import Isolated
from scrapy_boilerplate.tools.page_sketches import (
    PageSketches,
    SiteCounts,
    add_sketches,
    learned_sites,
    save_sites,
    wanted,
)
from scrapy_boilerplate.tools.rows import MEMORY, SECONDS, InputPage
from scrapy_boilerplate.tools.warc.pages import (
    MOST_BODY,
    MOST_RECORD,
    ArchiveError,
    PageReader,
    archive_pages,
)


def learn_archives(
    paths: Iterable[str | os.PathLike[str]],
    store: str,
    *,
    extractor: str | Extractor = "auto",
    key: str | KeyFunction = "host",
    processes: int | None = None,
    seconds: float = SECONDS,
    memory: int | None = MEMORY,
    most_record: int = MOST_RECORD,
    most_body: int = MOST_BODY,
    **options: object,
) -> int:
    """Learn the sites of web archives, each from a sample of its pages; return how many
    have a model.

    *store* is the address of a site store, whose states are merged with what is learned; give it
    to :func:`extract_archives`, or to a crawl. The other arguments are those of
    :func:`extract_archives`, *key* what counts as one site. Raises :exc:`ArchiveError` if an
    archive cannot be read to its end, and :exc:`StoreError` if the store fails.
    """
    samples, paths = SiteSamples(key=key), list(paths)
    counts = count_sites(paths, key, most_record)

    def pages() -> Iterator[InputPage]:
        for path in paths:
            yield from archive_pages(path, PageReader(most_record, most_body))

    method, _ = choose_method(extractor, options)
    processes = processes or os.cpu_count() or 1
    with Isolated(
        PageSketches, method, processes=processes, seconds=seconds, memory=memory
    ) as pool:
        add_sketches(samples, pool.map(wanted(pages(), samples, counts)))
    save_sites(samples, store)
    return learned_sites(samples)


def count_sites(
    paths: Iterable[str | os.PathLike[str]], key: str | KeyFunction, most_record: int = MOST_RECORD
) -> SiteCounts:
    """Count the pages of each site by their addresses, without reading the pages.

    An archive that cannot be read to its end counts as far as it can.
    """
    counts, site_of = SiteCounts(), site_key(key)
    for path in paths:
        with suppress(ArchiveError):
            for page in archive_pages(path, PageReader(most_record, with_bodies=False)):
                if page.reason is None and page.url:
                    counts.add(site_of(page.url))
    return counts
