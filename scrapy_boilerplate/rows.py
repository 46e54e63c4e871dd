"""One row a page: what is written of each page of a dump, whatever the engine and the format."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

from scrapy_boilerplate.api import choose_method
from scrapy_boilerplate.extraction import Extraction
from scrapy_boilerplate.extractors import Extractor
from scrapy_boilerplate.isolation import Lost, Mapper
from scrapy_boilerplate.metadata import Metadata
from scrapy_boilerplate.page import Page
from scrapy_boilerplate.page.budget import MAX_NODES
from scrapy_boilerplate.sites import SiteModel
from scrapy_boilerplate.sites.sampling import PageBody

__all__ = [
    "COLUMNS",
    "MEMORY",
    "METADATA",
    "SECONDS",
    "PageBody",
    "PageInput",
    "PageRows",
    "Row",
    "empty_row",
    "model_version",
    "rows_of",
    "with_models",
]

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
    "date": "string",
    "status": "int",
    "digest": "string",
    "text": "string",
    "markdown": "string",
    "metadata": "struct",
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

``id``, ``date``, ``status``: of the WARC record. ``digest``: SHA-1 of the body as it was read.
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
        self._method, self._switches = choose_method(extractor, options or {})
        self._model = model_version(self._method)
        self._max_nodes = max_nodes
        self._method.extract(Page.parse("<p>A page, so that the models are loaded."))

    def __call__(self, page: PageInput) -> Row:
        """Return the row of a page."""
        html, url, encoding, site_model = page
        if html is None:
            return empty_row("no_body", url=url)
        read = Page.parse(html, url=url, encoding=encoding, max_nodes=self._max_nodes)
        model = _site_model(site_model) if site_model else None
        answer = model.apply(read, self._method) if model else self._method.extract(read)
        return self._row(answer.switched(self._switches), url, model)

    def _row(self, answer: Extraction, url: str | None, model: SiteModel | None) -> Row:
        metadata = answer.metadata.to_dict()
        return {
            **dict.fromkeys(COLUMNS),
            "url": url,
            "text": answer.text,
            "markdown": answer.markdown,
            "metadata": {name: metadata[name] for name in METADATA},
            "kind": answer.kind,
            "confidence": answer.confidence,
            "truncated": answer.truncated,
            "garbled": answer.garbled,
            "extractor": self._method.name,
            "model": self._model,
            "site_pages": model.pages if model else None,
            "reason": None if answer.text else answer.kind,
        }


def rows_of(pages: Iterable[PageInput], pool: Mapper) -> Iterator[Row]:
    """Yield the row of each of *pages*, in order; *pool* makes them by :class:`PageRows`.

    A page that is lost has a row that says why.
    """
    for row in pool.map(pages):
        yield _lost_row(row) if isinstance(row, Lost) else row


def with_models(
    pages: Iterable[PageBody], find: Callable[[str], bytes | None] | None
) -> Iterator[PageInput]:
    """Yield *pages* with the models that *find* gives by their addresses."""
    for html, url, encoding in pages:
        yield html, url, encoding, find(url) if find and url else None


def _lost_row(lost: Lost) -> Row:
    return empty_row(f"{lost.reason}: {lost.message}" if lost.message else lost.reason)


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
    file = Path(path) if path else files("scrapy_boilerplate").joinpath(f"models/{name}.npz")
    return hashlib.sha256(file.read_bytes()).hexdigest()[:12] if file.is_file() else ""
