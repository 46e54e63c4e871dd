"""Learning the sites of web archives, so that a second reading applies what was learned."""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace

from scrapy_boilerplate.core.api import choose_method
from scrapy_boilerplate.core.methods import Extractor
from scrapy_boilerplate.learn.keys import KeyFunction
from scrapy_boilerplate.learn.samples import SiteSamples
from scrapy_boilerplate.tools.isolation import Isolated
from scrapy_boilerplate.tools.page_fingerprints import (
    PageFingerprints,
    SiteCounts,
    add_fingerprints,
    learned_sites,
    save_sites,
)
from scrapy_boilerplate.tools.places import Place, read_bytes, whole_file
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
    note: Place | None = None,
    on_pages: Callable[[int], object] = id,
    **options: object,
) -> int:
    """Learn the sites of web archives, each from a sample of its pages; return how many
    have a model.

    *store* is the address of a site store, whose states are merged with what is learned; give it
    to :func:`extract_archives`, or to a crawl. *note* is a file that keeps which archives were
    learned from: those of earlier calls are left out. *on_pages* gets how many pages more were
    taken. The other arguments are those of :func:`extract_archives`. An archive that cannot be
    read to its end teaches what it can. Raises :exc:`StoreError` if the store fails.
    """
    known = _known(note)
    archives = [path for each in paths if (path := os.fspath(each)) not in known]
    if not archives:
        return 0
    method, _ = choose_method(extractor, options)
    samples, counts, reader = SiteSamples(key=key), SiteCounts(), reader or PageReader()
    for path in archives:
        light = told_pages(path, replace(reader.anew(), with_bodies=False))
        sites = Counter(samples.key(page.url) for page in light if not page.reason and page.url)
        for site, pages in sites.items():
            counts.add(site, pages)
    broken: set[str] = set()

    def wanted() -> Iterator[InputPage]:
        least = samples.options.min_pages
        for path in archives:
            own = reader.anew()
            for page in told_pages(path, own):
                is_enough = page.html is not None and counts.has(samples.key(page.url or ""), least)
                if is_enough and samples.wants(page.url):
                    on_pages(1)
                    yield page
            if own.error:
                broken.add(path)

    number = processes or os.cpu_count() or 1
    with Isolated(
        PageFingerprints, method, processes=number, seconds=seconds, memory=memory
    ) as pool:
        add_fingerprints(samples, pool.map(wanted()))
    save_sites(samples, store)
    if note is not None:
        with whole_file(note) as file:
            file.write(json.dumps(sorted({*known, *archives} - broken), indent=1).encode())
    return learned_sites(samples)


def _known(note: Place | None) -> set[str]:
    try:
        return set(json.loads(read_bytes(note) or b"[]") if note is not None else ())
    except (ValueError, TypeError, RecursionError) as error:
        raise ValueError(f"{note} is damaged; remove it to learn from all archives") from error
