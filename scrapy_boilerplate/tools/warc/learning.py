"""Learning the sites of web archives, so that a second reading applies what was learned."""

from __future__ import annotations

import json
import os
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
    wanted,
)
from scrapy_boilerplate.tools.places import Place, read_bytes, whole_file
from scrapy_boilerplate.tools.rows import MEMORY, SECONDS, InputPage
from scrapy_boilerplate.tools.warc.archived_pages import ArchiveError, PageReader, archive_pages


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
    on_page: Callable[[], object] | None = None,
    **options: object,
) -> int:
    """Learn the sites of web archives, each from a sample of its pages; return how many
    have a model.

    *store* is the address of a site store, whose states are merged with what is learned; give it
    to :func:`extract_archives`, or to a crawl. *note* is a file that keeps which archives were
    learned from: those of earlier calls are left out. *on_page* is called for each page that is
    read for it. The other arguments are those of :func:`extract_archives`, *key* what counts as one
    site. An archive that cannot be read to its end teaches what it can. Raises :exc:`StoreError` if
    the store fails.
    """
    known = _known(note)
    archives = [path for each in paths if (path := os.fspath(each)) not in known]
    if not archives:
        return 0
    samples, reader, counts = SiteSamples(key=key), reader or PageReader(), SiteCounts()
    broken: list[str] = []
    for page in _pages(archives, replace(reader, with_bodies=False), broken):
        if page.reason is None and page.url:
            counts.add(samples.key(page.url))

    def pages() -> Iterator[InputPage]:
        for page in wanted(_pages(archives, reader, broken), samples, counts):
            if on_page is not None:
                on_page()
            yield page

    method, _ = choose_method(extractor, options)
    with Isolated(
        PageFingerprints, method, processes=processes, seconds=seconds, memory=memory
    ) as pool:
        add_fingerprints(samples, pool.map(pages()))
    save_sites(samples, store)
    if note is not None:
        with whole_file(note) as file:
            file.write(json.dumps(sorted({*known, *archives} - {*broken}), indent=1).encode())
    return learned_sites(samples)


def _known(note: Place | None) -> set[str]:
    """Return the archives that the file *note* names."""
    try:
        return set(json.loads(read_bytes(note) or b"[]") if note is not None else ())
    except (ValueError, TypeError, RecursionError) as error:
        raise ValueError(f"{note} is damaged; remove it to learn from all archives") from error


def _pages(paths: Iterable[str], reader: PageReader, broken: list[str]) -> Iterator[InputPage]:
    """Yield the pages of archives, of each as far as it can be read; *broken* gets the others."""
    for path in paths:
        try:
            yield from archive_pages(path, reader.anew())
        except ArchiveError:  # noqa: PERF203 - of whole archives
            broken.append(path)
