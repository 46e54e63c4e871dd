"""One row a page: what is written of each page of a dump, whatever the engine and the format."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import datetime, timezone
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

from scrapy_boilerplate.core.answer.extraction import Explanation, Extraction
from scrapy_boilerplate.core.answer.metadata import Metadata
from scrapy_boilerplate.core.api import choose_method
from scrapy_boilerplate.core.methods import Extractor
from scrapy_boilerplate.core.page import Page
from scrapy_boilerplate.core.page.budget import MAX_NODES
from scrapy_boilerplate.learn import SiteModel
from scrapy_boilerplate.learn.keys import host
from scrapy_boilerplate.tools.isolation import Lost, Mapper
from scrapy_boilerplate.tools.page_sketches import PageBody

__all__ = ["COLUMNS", "METADATA", "Row", "text_digest"]

SECONDS = 30.0
"""How long a page may take where pages are isolated. The slowest of 5 704 takes half a second."""

MEMORY = 2 << 30
"""Bytes of memory that the process of isolated pages may take."""

Row = dict[str, Any]
"""A row: a value for each of :data:`COLUMNS`."""

PageInput = tuple["bytes | str | None", "str | None", "str | None", "bytes | None"]
"""A :data:`PageBody`, and the serialised model of the page's site."""

COLUMNS: Mapping[str, str] = {
    "id": "string",
    "url": "string",
    "host": "string",
    "date": "string",
    "timestamp": "timestamp",
    "status": "int",
    "digest": "string",
    "text": "string",
    "text_digest": "string",
    "markdown": "string",
    "metadata": "struct",
    "language": "string",
    "kind": "string",
    "confidence": "float",
    "truncated": "bool",
    "garbled": "bool",
    "extractor": "string",
    "model": "string",
    "site_pages": "int",
    "reason": "string",
}
"""Each column of a row, and its type. What is not known is ``None``.

``id``, ``date``, ``status``: of the WARC record, and ``timestamp``: its date as a time in UTC.
``host``: of the address, without ``www.``. ``digest``: SHA-1 of the body as it was read.
``text_digest``: :func:`text_digest`. ``language``: that of the metadata, by which rows are divided.
``metadata``: :data:`METADATA`. ``model``: :func:`model_version`. ``site_pages``: pages that the
model of the site was learned from, where one was applied. ``reason``: why the page has no text;
``None`` where it has one.
"""

METADATA: Mapping[str, str] = {
    name: "strings" if isinstance(value, list) else "string"
    for name, value in Metadata().to_dict().items()
    if name != "sources"
}
"""Each part of a row's ``metadata``, and its type."""


def text_digest(text: str) -> str | None:
    """Return a digest of a text's words: the same for pages that differ in layout and case only.

    >>> text_digest("One, two") == text_digest("one – two."), text_digest("...")
    (True, None)
    """
    words = " ".join(_WORDS.findall(text.casefold()))
    if not words:
        return None
    return hashlib.blake2b(words.encode("utf-8", "replace"), digest_size=16).hexdigest()


_WORDS = re.compile(r"\w+")


def placed_row(row: Row, url: str | None, date: str | None = None) -> Row:
    """Return a row with the address of its page, and when that was fetched.

    >>> row = placed_row(empty_row("timeout"), "https://www.a.example/", "2026-01-02T03:04:05Z")
    >>> row["host"], row["timestamp"].isoformat()
    ('a.example', '2026-01-02T03:04:05+00:00')
    """
    return {
        **row,
        "url": url,
        "host": (host(url) or None) if url else None,
        "date": date,
        "timestamp": _time(date) if date else None,
    }


def _time(date: str) -> datetime | None:
    try:
        found = datetime.fromisoformat(date[:19].replace("Z", ""))
    except ValueError:
        return None
    return found.replace(tzinfo=timezone.utc)


def empty_row(reason: str, **values: Any) -> Row:
    """Return the row of a page that was not extracted.

    >>> empty_row("timeout", url="https://a.example/")["reason"]
    'timeout'
    """
    return {**dict.fromkeys(COLUMNS), **values, "reason": reason}


class PageRows:
    """Makes the rows of pages. A callable that another process can make for itself.

    *extractor* and *options* are those of :func:`~scrapy_boilerplate.extract`. Of a page with more
    than *max_nodes* tags the beginning is read. Raises :exc:`ValueError` for an unknown extractor
    or option.

    >>> row = PageRows("mss")((b"<p>One two three four five six.", "https://a.example", None, None))
    >>> row["text"], row["kind"], row["reason"]
    ('One two three four five six.', 'article', None)
    """

    def __init__(
        self,
        extractor: str | Extractor = "auto",
        options: Mapping[str, object] | None = None,
        max_nodes: int = MAX_NODES,
    ) -> None:
        self.method, self._switches = choose_method(extractor, options or {})
        self._model = model_version(self.method)
        self._max_nodes = max_nodes
        self.method.extract(Page.parse("<p>A page, so that the models are loaded."))

    def __call__(self, page: PageInput) -> Row:
        """Return the row of a page."""
        html, url, encoding, model = page
        if html is None:
            return empty_row("no_body", url=url)
        return self.row(self.page((html, url, encoding)), model)

    def page(self, body: PageBody) -> Page:
        """Return the page in *body*, which is there, as far as it is read."""
        html, url, encoding = body
        return Page.parse(html or b"", url=url, encoding=encoding, max_nodes=self._max_nodes)

    def answer(self, page: Page, model: bytes | None) -> Extraction:
        """Return what is kept of a page, by the serialised model of its site if there is one."""
        method = self.method
        found = _site_model(model).apply(page, method) if model else method.extract(page)
        return found.switched(self._switches)

    def explain(self, page: Page, model: bytes | None) -> tuple[Explanation, ...]:
        """Return for each block of a page why it was kept or dropped."""
        method = self.method
        return _site_model(model).explain(page, method) if model else method.explain(page)

    def row(self, page: Page, model: bytes | None) -> Row:
        """Return the row of a page that was read."""
        answer = self.answer(page, model)
        metadata = answer.metadata.to_dict()
        return {
            **dict.fromkeys(COLUMNS),
            "url": page.url,
            "host": (host(page.url) or None) if page.url else None,
            "text": answer.text,
            "text_digest": text_digest(answer.text),
            "markdown": answer.markdown,
            "metadata": {name: metadata[name] for name in METADATA},
            "language": metadata["language"] or None,
            "kind": answer.kind,
            "confidence": answer.confidence,
            "truncated": answer.truncated,
            "garbled": answer.garbled,
            "extractor": self.method.name,
            "model": self._model,
            "site_pages": _site_model(model).pages if model else None,
            "reason": None if answer.text else answer.kind,
        }


def rows_of(pages: Iterable[PageInput], pool: Mapper) -> Iterator[Row]:
    """Yield the row of each of *pages*, in order; *pool* makes them by :class:`PageRows`.

    A page that is lost has a row that says why.
    """
    return (row_or_lost(row) for row in pool.map(pages))


def with_models(
    pages: Iterable[PageBody], find: Callable[[str], bytes | None] | None
) -> Iterator[PageInput]:
    """Yield *pages* with the models that *find* gives by their addresses."""
    for html, url, encoding in pages:
        yield html, url, encoding, find(url) if find and url else None


def row_or_lost(answer: Row | Lost) -> Row:
    """Return the row that a process has made, or the one that says how the page was lost."""
    if not isinstance(answer, Lost):
        return answer
    return empty_row(f"{answer.reason}: {answer.message}" if answer.message else answer.reason)


class _Models:
    """The models of sites that were used last: pages of one site stand together."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._known: dict[bytes, SiteModel] = {}

    def __call__(self, data: bytes) -> SiteModel:
        model = self._known.pop(data, None) or SiteModel.from_bytes(data)
        self._known[data] = model
        if len(self._known) > self._most:
            del self._known[next(iter(self._known))]
        return model


_site_model: Callable[[bytes], SiteModel] = _Models(512)

_MODEL_FILES = {"mss-learned": "mss"}  # of the other methods it has the method's name


def model_version(extractor: Extractor) -> str:
    """Return what a method's answers depend on: the package's version, and its trained model.

    >>> from scrapy_boilerplate import get_extractor
    >>> [model_version(get_extractor(name)).count("+") for name in ("bte", "auto")]
    [0, 1]
    """
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
