"""Learning the sites of web archives, so that a second reading applies what was learned."""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from typing import Any

from scrapy_boilerplate.core.api import choose_method
from scrapy_boilerplate.core.methods import Extractor
from scrapy_boilerplate.learn.fingerprints import page_id
from scrapy_boilerplate.learn.keys import KeyFunction, site_key
from scrapy_boilerplate.learn.options import LearningOptions
from scrapy_boilerplate.learn.samples import SAMPLE, SiteSamples
from scrapy_boilerplate.learn.site_state import SiteState
from scrapy_boilerplate.tools.isolation import Isolated
from scrapy_boilerplate.tools.page_fingerprints import (
    PageFingerprints,
    SiteCounts,
    learned_sites,
    samples_of,
    save_sites,
)
from scrapy_boilerplate.tools.places import Place, read_bytes, whole_file
from scrapy_boilerplate.tools.rows import MEMORY, SECONDS, InputPage
from scrapy_boilerplate.tools.warc.archived_pages import PageReader, told_pages
from scrapy_boilerplate.tools.warc.readers import readers


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
    learned from: those of earlier calls are left out. *on_pages* gets from time to time of how many
    pages samples were made. The other arguments are those of :func:`extract_archives`, *key* what
    counts as one site. An archive that cannot be read to its end teaches what it can. Raises
    :exc:`StoreError` if the store fails.
    """
    known = _known(note)
    archives = [path for each in paths if (path := os.fspath(each)) not in known]
    if not archives:
        return 0
    samples, counts, limits = SiteSamples(key=key), SiteCounts(), dict[str, int]()
    broken: set[str] = set()

    def take(part: dict[str, int] | tuple[list[str], list[tuple[str, bytes]]]) -> None:
        if isinstance(part, dict):
            for site, pages in part.items():
                counts.add(site, pages)
            return
        broken.update(part[0])
        for site, data in part[1]:
            state = SiteState.from_bytes(data, SAMPLE)
            on_pages(len(state.fingerprints))
            samples.merge(site, state)
            if (limit := samples.limit(site)) is not None:
                limits[site] = limit

    method, _ = choose_method(extractor, options)
    pool = partial(Isolated, PageFingerprints, method, seconds=seconds, memory=memory)
    make = partial(_Sampler, reader or PageReader(), key, pool)
    with readers(make, processes, len(archives), take) as lost:
        broken |= {task[0] for task, _ in lost((path, b"", {}) for path in archives)}
        enough = counts.to_bytes()
        tasks = ((path, enough, dict(limits)) for path in archives)  # which grow
        broken |= {task[0] for task, _ in lost(tasks)}
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


# An archive, the counts of all pages, the largest ids still wanted of some sites
_Task = tuple[str, bytes, Mapping[str, int]]


@dataclass
class _Sampler:
    """Counts the pages of each site in archives, and samples those of sites that have enough."""

    reader: PageReader
    key: str | KeyFunction
    pool: Callable[..., Isolated]
    processes: int

    def __post_init__(self) -> None:
        self._site_of = site_key(self.key)
        self._counts_of = lru_cache(1)(SiteCounts)
        self._pool = self.pool(processes=self.processes)

    def close(self) -> None:
        self._pool.close()

    def __call__(self, task: _Task) -> Iterator[Any]:
        """Yield how many pages each site has, or, when all are counted, the archive's samples."""
        path, counts, most = task
        if not counts:
            yield self._counted(path)
            return
        reader = self.reader.anew()
        pages = self._wanted(told_pages(path, reader), self._counts_of(counts), most)
        for samples in samples_of(pages, self._pool, self.key):
            yield (
                [path] * bool(reader.error),
                [(site, state.to_bytes()) for site, state in samples.states()],
            )

    def _counted(self, path: str) -> dict[str, int]:
        pages = told_pages(path, replace(self.reader.anew(), with_bodies=False))
        sites = (self._site_of(page.url) for page in pages if not page.reason and page.url)
        return dict(Counter(sites))

    def _wanted(
        self, pages: Iterable[InputPage], counts: SiteCounts, most: Mapping[str, int]
    ) -> Iterator[InputPage]:
        least = LearningOptions().min_pages
        for page in pages:
            site = self._site_of(page.url or "")
            if counts.has(site, least) and page_id(page.url, "") <= most.get(site, _ALL):
                yield page


_ALL = 1 << 64  # no id of a page is larger
