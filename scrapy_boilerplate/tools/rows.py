"""One row a page: what is written of each page of a dump, whatever the engine and the format."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import datetime, timezone
from functools import cache, lru_cache, partial
from importlib.resources import files
from pathlib import Path
from typing import Any, NamedTuple

from scrapy_boilerplate.core.answer.extraction import Extraction
from scrapy_boilerplate.core.answer.metadata import Metadata
from scrapy_boilerplate.core.answer.metadata.declared import read_declared
from scrapy_boilerplate.core.answer.metadata.languages import page_language
from scrapy_boilerplate.core.answer.metadata.page_metadata import VALUES
from scrapy_boilerplate.core.answer.record import Explanation
from scrapy_boilerplate.core.api import choose_method
from scrapy_boilerplate.core.methods import Extractor
from scrapy_boilerplate.core.names import unknown
from scrapy_boilerplate.core.page import Page
from scrapy_boilerplate.learn import SiteModel
from scrapy_boilerplate.learn.keys import host
from scrapy_boilerplate.tools.isolation import Failure, LendPool, Mapper, kept_pool

__all__ = ["COLUMNS", "METADATA", "InputPage", "Row", "text_digest"]

SECONDS = 30.0  # that an isolated page may take: the slowest of 5 704 takes half a second

MEMORY = 2 << 30  # that the process of isolated pages may take

Row = dict[str, Any]  # a value for each of COLUMNS


class InputPage(NamedTuple):
    """A page on its way to its row, with what is known of it before it is read."""

    html: bytes | str | None  # unpacked
    url: str | None = None
    encoding: str | None = None  # as HTTP declares it
    model: bytes | None = None  # of its site, serialised
    id: str | None = None  # WARC-Record-ID
    date: str | None = None  # WARC-Date
    status: int | None = None  # of HTTP
    digest: str | None = None  # SHA-1 of the body, in base 32
    reason: str | None = None  # why it is not to be extracted
    truncated: bool = False  # the record says that it was cut off, or its body has no end
    content_type: str | None = None  # as HTTP declares it
    x_robots_tag: str | None = None  # several joined by commas
    noindex: bool | None = None  # X-Robots-Tag says so; None without it
    tdm_reservation: bool | None = None  # an HTTP header says so; None without it
    archive: str | None = None  # its path or address
    offset: int | None = None  # of its record, or of the gzip member or zstd frame that holds it
    name: str = ""  # what the user of the command line calls it: its path or address
    file: str = ""  # that holds its bytes, until they are read
    folder: str = ""  # that was named, if the file was found in one

    def parsed(self) -> Page:
        return Page.parse(self.html or b"", url=self.url, encoding=self.encoding)


_TYPED = (
    "id url host date timestamp:timestamp status:int digest text text_digest markdown "
    "metadata:struct language language_score:float link_density:float text_share:float kind "
    "confidence:float truncated:bool garbled:bool extractor model site_pages:int "
    "content_type x_robots_tag noindex:bool tdm_reservation:bool archive offset:long reason"
).split()

# Columns and their types; docs/scale.md has their meanings. What is not known is None
COLUMNS: Mapping[str, str] = {
    name: kind or "string" for name, _, kind in (each.partition(":") for each in _TYPED)
}

# Fields and their types.
METADATA: Mapping[str, str] = {
    name: "strings" if isinstance(value, list) else "string"
    for name, value in Metadata().to_dict().items()
    if name in VALUES
}


def text_digest(text: str) -> str | None:
    """Return a digest of a text's words: the same for pages that differ in layout and case only.

    >>> text_digest("One, two") == text_digest("one – two."), text_digest("...")
    (True, None)
    """
    # In bytes, which takes a third of the time.
    said = text.casefold().encode("utf-8", "surrogatepass").translate(_APART)
    others = set(said.translate(None, _ASCII).decode("utf-8", "surrogatepass"))
    marks = [each for each in others if not each.isalnum()]
    if len(marks) > _MOST_MARKS:
        said = _MARK.sub(" ", said.decode("utf-8", "replace")).encode()
    else:
        for mark in marks:
            said = said.replace(mark.encode("utf-8", "surrogatepass"), b" ")
    words = b" ".join(said.split())
    return hashlib.blake2b(words, digest_size=16).hexdigest() if words else None


_MARK, _MOST_MARKS = re.compile(r"\W"), 100  # different ones that are looked for one by one
_ASCII = bytes(range(128))
_APART = bytes(32 if each < 128 and _MARK.match(chr(each)) else each for each in range(256))


def page_row(page: InputPage, found: Row | Failure) -> Row:
    """Return the row of a page from what a process has *found*, or how the page was lost.

    >>> page = InputPage(None, "https://www.a.example/", date="2026-01-02T03:04:05Z")
    >>> row = page_row(page, Failure("timeout"))
    >>> row["host"], row["timestamp"].isoformat(), row["reason"]
    ('a.example', '2026-01-02T03:04:05+00:00', 'timeout')
    """
    if isinstance(found, Failure):
        found = {"reason": found.as_reason}
    url = page.url or found.get("url")
    known = {name: value for name, value in page._asdict().items() if name in COLUMNS}
    return {
        **dict.fromkeys(COLUMNS),
        **known,
        "truncated": None,
        "timestamp": _time(page.date) if page.date else None,
        **found,
        "url": url,
        "host": (host(url) or None) if url else None,
        "reason": page.reason or found["reason"],
    }


# Beginnings of the reasons of rows whose pages could not be read
FAILURES = ("timeout", "crashed", "error", "too_large", "bad_encoding", "damaged", "archive")


def failure_of(row: Row) -> str | None:
    """Return which page could not be read, and why; ``None`` for a row of one that was."""
    reason = row["reason"] or ""
    return f"{row_name(row)}: {reason}" if reason.startswith(FAILURES) else None


def row_name(row: Row) -> str:
    at = "" if row["offset"] is None else f", byte {row['offset']}"
    return str(row["url"] or row["id"] or f"{row['archive']}{at}")


def _time(date: str) -> datetime | None:
    try:
        found = datetime.fromisoformat(date[:19].replace("Z", ""))
    except ValueError:
        return None
    return found.replace(tzinfo=timezone.utc)


class PageRows:
    """Finds what rows say of pages: a callable that another process can make for itself."""

    def __init__(
        self,
        extractor: str | Extractor = "auto",
        options: Mapping[str, object] | None = None,
        columns: Iterable[str] | None = None,
    ) -> None:
        self.method, self._switches = choose_method(extractor, options or {})
        self._columns = frozenset(check_columns(columns))
        self._model = model_version(self.method)
        self.method.extract(Page.parse("<p>A page, so that the models are loaded."))

    def __call__(self, page: InputPage) -> Row:
        if page.html is None:
            return {"reason": page.reason or "no_body"}
        return self.found(page, page.parsed())

    def answer(self, page: Page, model: bytes | None) -> Extraction:
        method = self.method
        found = _site_model(model).apply(page, method) if model else method.extract(page)
        return found.switched(self._switches)

    def explain(self, page: Page, model: bytes | None) -> tuple[Explanation, ...]:
        method = self.method
        return _site_model(model).explain(page, method) if model else method.explain(page)

    def found(self, page: InputPage, read: Page) -> Row:
        """Return the part of a page's row that comes from its body, which was *read*."""
        answer = self.answer(read, page.model)
        row: Row = {
            "url": page.url,
            "text": answer.text,
            "kind": answer.kind,
            "confidence": answer.confidence,
            "truncated": bool(answer.truncated or page.truncated),
            "garbled": answer.garbled,
            "extractor": self.method.name,
            "model": self._model,
            "site_pages": _site_model(page.model).pages if page.model else None,
            "reason": None if answer.text else answer.kind,
        }
        for name in _DEAR.keys() & self._columns:
            row[name] = _DEAR[name](answer)
        if not self._columns.isdisjoint(("language", "language_score")):
            row["language"], _, row["language_score"] = page_language(read)
            row["language"] = row["language"] or None
        if not self._columns.isdisjoint(("link_density", "text_share")):
            row |= _shares(answer)
        if not self._columns.isdisjoint(("noindex", "tdm_reservation")):
            row["noindex"], row["tdm_reservation"] = _reservations(read, page)
        return row


def _shares(answer: Extraction) -> Row:
    page = answer.page
    if page is None:
        return {"link_density": None, "text_share": None}
    kept = answer.kept(page)
    words, links = int(page.words[kept].sum()), int(page.words[kept & page.in_link].sum())
    return {
        "link_density": links / words if words else None,
        "text_share": words / max(int(page.words.sum()), 1),
    }


def robots_noindex(rules: str | None) -> bool | None:
    """Return whether rules for all robots keep a page out of search; ``None`` if there are none.

    >>> robots_noindex("max-snippet:9, noindex"), robots_noindex("otherbot: none")
    (True, False)
    """
    return _NOINDEX.search(rules) is not None if rules else None


_NOINDEX = re.compile(r"(?:\A|,)\s{0,99}(?:noindex|none)\s{0,99}(?=,|\Z)", re.IGNORECASE)


def tdm_reserved(value: str | None) -> bool | None:
    """Return what a reservation says by the TDM Reservation Protocol; ``None`` for another value.

    >>> tdm_reserved("1"), tdm_reserved("0"), tdm_reserved(None)
    (True, False, None)
    """
    return {"1": True, "0": False}.get((value or "").strip())


def _reservations(read: Page, page: InputPage) -> tuple[bool | None, bool | None]:
    declared = read_declared(read)
    noindex = [page.noindex, *map(robots_noindex, declared.contents("robots"))]
    tdm = [page.tdm_reservation, *map(tdm_reserved, declared.contents("tdm-reservation"))]
    return _any_says(noindex), _any_says(tdm)


def _any_says(said: list[bool | None]) -> bool | None:
    known = [each for each in said if each is not None]
    return any(known) if known else None


# Columns that are made only if they are asked for
_DEAR: Mapping[str, Callable[[Extraction], Any]] = {
    "text_digest": lambda answer: text_digest(answer.text),
    "markdown": lambda answer: answer.markdown,
    "metadata": lambda answer: {
        name: value for name, value in answer.metadata.to_dict().items() if name in METADATA
    },
}


def check_columns(names: Iterable[str] | None) -> tuple[str, ...]:
    """Return names of columns, by default all; raise :exc:`ValueError` for an unknown one."""
    columns = tuple(COLUMNS if names is None else names)
    for name in columns:
        if name not in COLUMNS:
            raise ValueError(unknown("column", name, list(COLUMNS)))
    return columns


def page_pool(
    extractor: str | Extractor,
    options: Mapping[str, object],
    columns: Iterable[str] | None = None,
    *,
    isolate: bool = True,
    seconds: float = SECONDS,
    memory: int | None = MEMORY,
) -> LendPool:
    """Return what lends a process that makes rows; raise :exc:`ValueError` for a mistake."""
    choose_method(extractor, options)
    make = PageRows, extractor, options, check_columns(columns)
    return partial(kept_pool, *make, isolate=isolate, seconds=seconds, memory=memory)


def rows_of(
    pages: Iterable[InputPage], pool: Mapper, find: Callable[[str], bytes | None] | None = None
) -> Iterator[Row]:
    """Yield a row a page; *find* gives the model of a page's site by its address."""

    def with_model(page: InputPage) -> InputPage:
        return page._replace(model=find(page.url)) if find is not None and page.url else page

    for page, found in pool.pairs((page._replace(html=None), with_model(page)) for page in pages):
        yield page_row(page, found)


# Models used last: pages of one site stand together
_site_model = lru_cache(512)(SiteModel.from_bytes)

_MODEL_FILES = {"mss-learned": "mss"}  # of the other methods it has the method's name


def model_version(extractor: Extractor) -> str:
    """Return what a method's answers depend on: the package's version, and its trained model."""
    from scrapy_boilerplate import __version__

    own = getattr(extractor, "model", None)
    digest = _digest(own if isinstance(own, str) else None, extractor.name)
    return f"{__version__}+{digest}" if digest else __version__


@cache
def _digest(path: str | None, method: str) -> str:
    """Return the first digits of the SHA-256 of a model's file; empty if there is none."""
    name = _MODEL_FILES.get(method, method)
    file = Path(path) if path else files("scrapy_boilerplate.core").joinpath(f"models/{name}.npz")
    return hashlib.sha256(file.read_bytes()).hexdigest()[:12] if file.is_file() else ""
