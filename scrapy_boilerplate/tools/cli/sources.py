"""Sources of pages: files, folders, web archives, addresses and standard input."""

from __future__ import annotations

import gzip
import os
import re
import zlib
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from scrapy_boilerplate.core.page.responses import begins_like_html
from scrapy_boilerplate.tools.rows import InputPage

STDIN = "-"
"""The operand that stands for standard input."""

MOST_BYTES = 128 << 20
"""Bytes of the largest page that is read, decompressed."""

_LOOK_AT = 1024  # bytes
_ADDRESS = re.compile(r"https?://", re.IGNORECASE)
_INDEX = re.compile(r"\.(?:cdxj(?:\.gz)?|parquet)\Z", re.IGNORECASE)  # of archives
_ARCHIVE = re.compile(r"\.(?:warc(?:\.gz|\.zst)?|wacz|w[ae]t(?:\.gz)?)\Z", re.IGNORECASE)
_PAGE = re.compile(r"\.(?:x?html?|[ps]html)(?:\.gz)?\Z", re.IGNORECASE)
_NO_PAGE = re.compile(
    r"\.(?:avif|bmp|css|csv|gif|ico|jpe?g|js|json|jsonl|md|mp[34]|pdf|png|svg|tiff?|ttf|txt|webp"
    r"|woff2?|xml|zip)(?:\.gz)?\Z",
    re.IGNORECASE,
)


_HOST = re.compile(r"(?:[a-z0-9-]+\.)+[a-z]{2,24}\Z", re.IGNORECASE)


class SourceError(Exception):
    """A page cannot be read; the message says why."""


class PageFile(NamedTuple):
    """A page that lies in a file: its own, one that was fetched, or a web archive."""

    name: str
    """What the user calls it: the path or the address."""
    path: str
    """Where its bytes are."""
    folder: str = ""
    """The folder that was named, if the file was found in one."""
    url: str | None = None
    """Its address, if it is known."""
    encoding: str | None = None
    """What the HTTP header declares."""
    error: str = ""
    """Why there are no bytes."""
    record: InputPage | None = None
    """What the web archive at :attr:`path` has of it; the body only until it is extracted."""


def is_address(operand: str) -> bool:
    """Return whether an operand is the address of a page, to be fetched."""
    return _ADDRESS.match(operand) is not None


def is_archive(operand: str) -> bool:
    """Return whether an operand is a web archive, or an index of some, by its name."""
    return not is_address(operand) and (is_index(operand) or _ARCHIVE.search(operand) is not None)


def is_index(operand: str) -> bool:
    """Return whether an operand is an index of web archives, by its name."""
    return _INDEX.search(operand) is not None


def listed(operands: Iterable[str]) -> Iterator[PageFile]:
    """Yield the operands as files, and of each folder its pages, then those of the folders in it.

    A page of a folder has a name that says so (``.html``, ``.htm.gz`` …), or begins like HTML.
    Archives count as one page each. What is not there is found out when it is read.
    """
    for operand in operands:
        if not is_address(operand) and os.path.isdir(operand):
            yield from (PageFile(path, path, operand) for path in _pages_in(operand))
        else:
            yield PageFile(operand, operand)


def _pages_in(folder: str) -> Iterator[str]:
    for place, folders, files in os.walk(folder):
        folders.sort()
        for name in sorted(files):
            path = os.path.join(place, name)
            is_named = _PAGE.search(name) or _ARCHIVE.search(name)
            if is_named or (not _NO_PAGE.search(name) and _begins_like_html(path)):
                yield path


def _begins_like_html(path: str) -> bool:
    try:
        return begins_like_html(read_file(path, _LOOK_AT, whole=False))
    except SourceError:
        return False


def _begins_like_host(path: str) -> bool:
    first = path.partition("/")[0]
    is_file = any(kind.search(first) for kind in (_PAGE, _NO_PAGE, _ARCHIVE))
    return _HOST.match(first) is not None and not is_file


def read_file(path: str, most: int = MOST_BYTES, *, whole: bool = True) -> bytes:
    """Return the bytes of a file, decompressed if its name ends in ``.gz``.

    Raises :exc:`SourceError` for a file that cannot be read, or is larger than *most* bytes unless
    its beginning is enough (*whole* is false).
    """
    try:
        with gzip.open(path) if path.endswith(".gz") else Path(path).open("rb") as file:
            data = file.read(most + whole)
    except (OSError, EOFError, zlib.error, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        if isinstance(error, FileNotFoundError) and _begins_like_host(path):
            reason += f"; did you mean https://{path}?"
        raise SourceError(f"cannot read it: {reason}") from error
    if len(data) > most:
        raise SourceError(f"it is larger than {most >> 20} MiB")
    return data
