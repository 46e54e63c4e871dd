"""The address of a saved page: from a mapping, from the page itself, or from where it lies."""

from __future__ import annotations

import csv
import json
import os
import re
from collections.abc import Mapping
from html import unescape
from pathlib import Path
from urllib.parse import quote

from scrapy_boilerplate.tools.cli.sources import PageFile

_LOOK_AT = 4096  # bytes
_SAVED_FROM = re.compile(rb"<!-- saved from url=\(\d+\)(https?://[^\s>]+)\s*-->", re.IGNORECASE)
_MIRRORED = re.compile(rb"<!-- Mirrored from ([^\s>]+) by HTTrack", re.IGNORECASE)
_HEAD_TAGS = re.compile(rb"<(?:link|meta)\s[^<>]*>", re.IGNORECASE)
_SAYS_ADDRESS = re.compile(
    rb"""\s(?:rel\s*=\s*["']?canonical|property\s*=\s*["']?og:url)["'\s/>]""", re.IGNORECASE
)
_ADDRESS = re.compile(rb"""\s(?:href|content)\s*=\s*["']?(https?://[^\s"'<>]+)""", re.IGNORECASE)
_HEAD = 65536  # bytes
_HOST = re.compile(r"(?:[a-z0-9_-]+\.)+[a-z][a-z0-9-]*[a-z0-9](?:[:+]\d+)?\Z", re.IGNORECASE)
_INDEX = re.compile(r"(?:\A|/)index\.x?html?\Z", re.IGNORECASE)


def load_addresses(path: str) -> dict[str, str]:
    """Read which file has which address: JSON Lines with ``file`` and ``url``, or two columns.

    Columns are separated by tabs, in a file ``.csv`` by commas. Paths are relative to the file.
    Raises :exc:`ValueError` that names the line.
    """
    folder = os.path.dirname(path)
    found = {}
    try:
        with Path(path).open(encoding="utf-8", newline="") as file:
            if path.endswith((".jsonl", ".ndjson")):
                rows = ((row["file"], row["url"]) for row in map(json.loads, file))
            else:
                rows = ((row[0], row[1]) for row in csv.reader(file, _dialect(path)))
            for name, url in rows:
                found[_real(os.path.join(folder, name))] = url
    except OSError as error:
        raise ValueError(f"cannot read {path}: {error.strerror}") from error
    except (ValueError, KeyError, IndexError, TypeError, csv.Error) as error:
        what = "'file' and 'url'" if "json" in path else "path and address"
        raise ValueError(f"{path}, line {len(found) + 1}: a line needs {what} ({error})") from error
    return found


def _dialect(path: str) -> type[csv.Dialect]:
    return csv.excel if path.endswith(".csv") else csv.excel_tab


def _real(path: str) -> str:
    return os.path.normpath(os.path.abspath(path))


def address_of(page: PageFile, html: bytes, known: Mapping[str, str]) -> str | None:
    """Return the address of a page, from the first of these that says it.

    The fetched one; the mapping *known*; the note that a browser or HTTrack leaves in what it
    saves; the folders ``host/path`` that wget and HTTrack make; the page's own ``canonical`` link
    or ``og:url``. ``None`` if nothing does.

    >>> html = b"<!-- Mirrored from a.example/b.html by HTTrack Website Copier -->"
    >>> address_of(PageFile("a.html", "a.html"), html, {})
    'http://a.example/b.html'
    """
    if page.url is not None:
        return page.url
    if known:
        named = known.get(_real(page.path))
        if named is not None:
            return named
    return _noted(html) or _by_folders(page) or _declared(html)


def _noted(html: bytes) -> str | None:
    beginning = html[:_LOOK_AT]
    saved = _SAVED_FROM.search(beginning)
    if saved is not None:
        return _text(saved[1])
    mirrored = _MIRRORED.search(beginning)
    return f"http://{_text(mirrored[1])}" if mirrored is not None else None


def _by_folders(page: PageFile) -> str | None:
    """Return what the path says if a folder of it, below the one that was named, is a host."""
    if not page.folder:
        return None
    inside = os.path.relpath(page.path, page.folder).replace(os.sep, "/").removesuffix(".gz")
    above = os.path.basename(os.path.abspath(page.folder))
    steps = [above, *inside.split("/")]
    for number, step in enumerate(steps[:-1]):
        if _HOST.match(step):
            path = _INDEX.sub("/", "/".join(steps[number + 1 :])).lstrip("/")
            # wget writes a host's port after "+" where ":" is not allowed.
            return f"http://{step.replace('+', ':')}/{quote(path, safe='/%?&=@~:+,;!$()*')}"
    return None


def _declared(html: bytes) -> str | None:
    for tag in _HEAD_TAGS.finditer(html, 0, _HEAD):
        if _SAYS_ADDRESS.search(tag[0]):
            address = _ADDRESS.search(tag[0])
            if address is not None:
                return unescape(_text(address[1]))
    return None


def _text(address: bytes) -> str:
    return address.decode("utf-8", "replace")
