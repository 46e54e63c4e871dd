"""Opening archives: files, archives in WACZ files, addresses of file systems."""

from __future__ import annotations

import os
import re
import zipfile
import zlib
from collections.abc import Iterator
from typing import BinaryIO

from scrapy_boilerplate.tools.places import opened
from scrapy_boilerplate.tools.warc.pages import ArchivedPage, PageReader

_NO_PAGES = re.compile(r"\.w[ae]t(?:\.gz)?\Z", re.IGNORECASE)


class ArchiveError(OSError):
    """An archive that cannot be opened, or not be read to its end."""


def archive_pages(path: str | os.PathLike[str], reader: PageReader) -> Iterator[ArchivedPage]:
    """Yield the pages of the archive at *path*, in order; *reader* counts what it meets.

    *path* names a WARC file or a WACZ file. An address such as ``s3://bucket/name.warc.gz`` is
    opened by the file systems of pyarrow. Raises :exc:`ArchiveError`, also for Common Crawl's WET
    and WAT files, which hold texts and metadata of pages.
    """
    if _NO_PAGES.search(os.fspath(path).partition("?")[0]):
        raise ArchiveError(f"{path}: it holds no pages; read the WARC file that it was made from")
    try:
        for file in _open(os.fspath(path)):
            yield from reader.pages(file)
    except ArchiveError:
        raise
    except (OSError, ValueError, RuntimeError, zipfile.BadZipFile, zlib.error) as error:
        raise ArchiveError(f"{path}: {error}") from error


def _open(path: str) -> Iterator[BinaryIO]:
    """Yield the archive at *path*, or each of those in a WACZ file, open."""
    with opened(path) as file:
        if not path.lower().endswith(".wacz"):
            yield file
            return
        with zipfile.ZipFile(file) as folder:
            for name in sorted(folder.namelist()):
                if name.startswith("archive/") and not name.endswith("/"):
                    with folder.open(name) as archive:
                        yield archive  # type: ignore[misc]
