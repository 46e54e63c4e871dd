"""Web archives as sources: their records as pages, or a file of rows for each archive."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping, Sequence

from scrapy_boilerplate.tools.cli.progress import RunCounts, tell
from scrapy_boilerplate.tools.cli.sources import PageFile
from scrapy_boilerplate.tools.places import inside, is_remote, read_bytes, whole_file
from scrapy_boilerplate.tools.row_files import FINISHED


def archived_pages(path: str, counts: RunCounts | None = None) -> Iterator[PageFile]:
    """Yield the pages of the archive at *path*; *counts* gets the records that are damaged.

    The last one says so if the archive cannot be read to its end.
    """
    from scrapy_boilerplate.tools.warc import ArchiveError, PageReader, archive_pages

    reader = PageReader()
    try:
        for record in archive_pages(path, reader):
            name = record.url or record.id or path
            yield PageFile(name, path, url=record.url, encoding=record.encoding, record=record)
    except ArchiveError as error:
        yield PageFile(path, path, error=str(error).removeprefix(f"{path}: "))
    if counts is not None:
        tell_damage(path, reader.counts, counts)


def tell_damage(path: str, found: Mapping[str, int], counts: RunCounts) -> None:
    """Count and tell the records of an archive that are damaged."""
    damage = counts.add_damage(found)
    if damage:
        tell(f"{path}: {damage}")


# -- archives that were learned, when a run goes on ------------------------------------------------


def sites_of(folder: str) -> str:
    """Return the store of what is learned for the rows in *folder*."""
    return inside(
        folder if is_remote(folder) else os.path.abspath(folder), FINISHED, "sites.sqlite"
    )


def not_learned(folder: str, archives: Sequence[str]) -> list[str]:
    """Return the archives whose pages earlier runs for *folder* have not learned from."""
    known = _learned(folder)
    return [path for path in archives if path not in known]


def note_learned(folder: str, archives: Sequence[str]) -> None:
    """Note for later runs that sites were learned from *archives*."""
    names = sorted({*_learned(folder), *archives})
    with whole_file(inside(folder, FINISHED, "learned.json")) as file:
        file.write(json.dumps(names, indent=1).encode())


def _learned(folder: str) -> list[str]:
    return list(json.loads(read_bytes(inside(folder, FINISHED, "learned.json")) or b"[]"))
