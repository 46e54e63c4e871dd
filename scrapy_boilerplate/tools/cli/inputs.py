"""Sources of pages, and the addresses of saved ones."""

from __future__ import annotations

import gzip
import json
import os
import re
import zlib
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from urllib.parse import quote

from scrapy_boilerplate.core.names import why
from scrapy_boilerplate.core.page import Page
from scrapy_boilerplate.core.page.responses import begins_like_html
from scrapy_boilerplate.tools.places import is_index, is_remote, is_special
from scrapy_boilerplate.tools.rows import InputPage

STDIN = "-"

MOST_FILE_BYTES = 128 << 20  # of a page, decompressed

_LISTED_BY = 1024  # bytes
_WEB_ADDRESS = re.compile(r"https?://", re.IGNORECASE)
_ARCHIVE = re.compile(r"\.(?:warc(?:\.gz|\.zst)?|wacz|w[ae]t(?:\.gz)?)\Z", re.IGNORECASE)
_PAGE = re.compile(r"\.(?:x?html?|[ps]html)(?:\.gz)?\Z", re.IGNORECASE)
_NO_PAGE = re.compile(
    r"\.(?:avif|bmp|css|csv|gif|ico|jpe?g|js|json|jsonl|md|mp[34]|pdf|png|svg|tiff?|ttf|txt|webp"
    r"|woff2?|xml|zip)(?:\.gz)?\Z",
    re.IGNORECASE,
)


class SourceError(Exception):
    """A page cannot be read; the message says why."""


def is_address(operand: str) -> bool:
    return _WEB_ADDRESS.match(operand) is not None


def is_archive(operand: str) -> bool:
    """Return whether an operand is a web archive, or an index of some, by its name."""
    name = operand.partition("?")[0] if is_remote(operand) else operand
    return not is_address(operand) and (is_index(operand) or _ARCHIVE.search(name) is not None)


def page_file(path: str, folder: str = "") -> InputPage:
    return InputPage(None, name=path, file=path, folder=folder)


def listed(operands: Iterable[str]) -> Iterator[InputPage]:
    """Yield the operands as files, and of each folder its pages and archives."""
    for operand in operands:
        if not is_address(operand) and os.path.isdir(operand):
            yield from (page_file(path, operand) for path in _pages_in(operand))
        else:
            yield page_file(operand)


def _pages_in(folder: str) -> Iterator[str]:
    for place, folders, files in os.walk(folder):
        folders.sort()
        for name in sorted(files):
            path = os.path.join(place, name)
            if is_special(path):
                continue
            if _PAGE.search(name) or _ARCHIVE.search(name):
                yield path
            elif not _NO_PAGE.search(name):
                with suppress(SourceError):
                    if begins_like_html(read_file(path, _LISTED_BY, whole=False)):
                        yield path


def _begins_like_host(path: str) -> bool:
    first = path.partition("/")[0]
    is_file = any(kind.search(first) for kind in (_PAGE, _NO_PAGE, _ARCHIVE))
    return _HOST_NAME.match(first) is not None and not is_file


def read_file(path: str, most: int = MOST_FILE_BYTES, *, whole: bool = True) -> bytes:
    """Return the bytes of a file, those of ``.gz`` decompressed; raise :exc:`SourceError`."""
    try:
        with gzip.open(path) if path.endswith(".gz") else Path(path).open("rb") as file:
            data = file.read(most + whole)
    except (OSError, EOFError, zlib.error, ValueError) as error:
        reason = why(error)
        if isinstance(error, FileNotFoundError) and _begins_like_host(path):
            reason += f"; did you mean https://{path}?"
        raise SourceError(f"cannot read it: {reason}") from error
    if len(data) > most:
        raise SourceError(f"it is larger than {most >> 20} MiB")
    return data


def read_page(
    page: InputPage, url: str | None = None, known: Mapping[str, str] | None = None
) -> InputPage:
    """Return a page with its body and address; raise :exc:`SourceError`."""
    if not page.file:
        return page
    html = read_file(page.file)
    return page._replace(html=html, url=url or address_of(page, html, known or {}))


# -- addresses of pages that were saved ---------------------------------------------------------

_DECLARED_WITHIN = 65536  # bytes
_HOST_NAME = re.compile(r"(?:[a-z0-9_-]+\.)+[a-z][a-z0-9-]*[a-z0-9](?:[:+]\d+)?\Z", re.IGNORECASE)
_INDEX_PAGE = re.compile(r"(?:\A|/)index\.x?html?\Z", re.IGNORECASE)


def load_addresses(path: str) -> dict[str, str]:
    """Read JSON Lines of ``file``, relative to it, and ``url``; raise :exc:`ValueError`."""
    folder = os.path.dirname(path)
    found = {}
    try:
        with open(path, encoding="utf-8") as lines:
            for row in map(json.loads, lines):
                found[_real(os.path.join(folder, row["file"]))] = str(row["url"])
    except OSError as error:
        raise ValueError(f"cannot read {path}: {error.strerror}") from error
    except (ValueError, KeyError, TypeError) as error:
        form = '{"file": PATH, "url": ADDRESS}'
        raise ValueError(f"{path}, line {len(found) + 1}: each line must be {form}") from error
    return found


def _real(path: str) -> str:
    return os.path.normpath(os.path.abspath(path))


def address_of(page: InputPage, html: bytes, known: Mapping[str, str]) -> str | None:
    """Return the address of a page, from the first of these that says it.

    The fetched one; the mapping *known*; the folders ``host/path`` that wget and HTTrack make; the
    page's own ``canonical`` link or ``og:url``. ``None`` if nothing does.

    >>> address_of(page_file("mirror/a.example/b.html", "mirror"), b"", {})
    'http://a.example/b.html'
    """
    if page.url is not None:
        return page.url
    named = known.get(_real(page.file)) if known else None
    return named or _by_folders(page) or _declared(html)


def _by_folders(page: InputPage) -> str | None:
    """Return what the path says if a folder of it, below the one that was named, is a host."""
    if not page.folder:
        return None
    inside = os.path.relpath(page.file, page.folder).replace(os.sep, "/").removesuffix(".gz")
    above = os.path.normpath(page.folder).replace(os.sep, "/")
    if above == ".":
        above = os.path.basename(os.path.abspath(above))
    steps = [*above.split("/"), *inside.split("/")]
    first = above.count("/")
    # Of folders above the one that was named the nearest may be a host, below it the first.
    for number in (*range(first, len(steps) - 1), *range(first - 1, -1, -1)):
        step = steps[number]
        if _HOST_NAME.match(step):
            path = _INDEX_PAGE.sub("/", "/".join(steps[number + 1 :])).lstrip("/")
            # wget writes a host's port after "+" where ":" is not allowed.
            return f"http://{step.replace('+', ':')}/{quote(path, safe='/%?&=@~:+,;!$()*')}"
    return None


def _declared(html: bytes) -> str | None:
    addresses = Page.parse(html[:_DECLARED_WITHIN]).addresses
    return next((each for each in addresses if _WEB_ADDRESS.match(each)), None)
