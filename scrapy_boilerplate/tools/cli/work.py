"""A worker's task: read a page, extract it, write the answer."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal, NamedTuple

from scrapy_boilerplate.core.answer.extraction import Extraction
from scrapy_boilerplate.core.answer.fields import OUTPUTS
from scrapy_boilerplate.core.api import choose_method
from scrapy_boilerplate.core.compare import compare
from scrapy_boilerplate.core.page import Page
from scrapy_boilerplate.learn.samples import SiteSamples
from scrapy_boilerplate.learn.state import SiteState
from scrapy_boilerplate.learn.stores.models import StoredModels
from scrapy_boilerplate.tools.cli.addresses import address_of
from scrapy_boilerplate.tools.cli.formats import FORMATS, to_json
from scrapy_boilerplate.tools.cli.sources import PageFile, SourceError, read_file
from scrapy_boilerplate.tools.cli.views import (
    comparison_record,
    comparison_table,
    explanation_lines,
    explanation_record,
)
from scrapy_boilerplate.tools.isolation import Lost
from scrapy_boilerplate.tools.page_sketches import PageBody, PageSketches
from scrapy_boilerplate.tools.rows import PageRows, Row, empty_row, row_or_lost

Show = Literal["answer", "comparison", "explanation"]
"""What is shown of a page."""

RECORD = ("text", "kind", "confidence", "extractor")
"""Fields of a record if none are asked for."""

FAILURES = ("timeout", "crashed", "error", "too_large", "bad_encoding")
"""Beginnings of the reasons of rows whose pages could not be read."""


@dataclass(frozen=True)
class Asked:
    """The options of a run; sent to each worker once."""

    extractor: str = "auto"
    options: Mapping[str, object] = field(default_factory=dict)
    """Options of the extractor."""
    addresses: Mapping[str, str] = field(default_factory=dict)
    """Address by path, see :func:`load_addresses`."""
    url: str | None = None
    """The address of the only page."""
    key: str = "host"
    """What counts as one site."""
    sites: str | None = None
    """The store of the models that are applied."""
    show: Show = "answer"
    format: str = "text"
    fields: tuple[str, ...] = RECORD
    """Outputs in a record."""
    with_metadata: bool = False
    as_rows: bool = False
    """Whether a page becomes a row of :data:`~scrapy_boilerplate.tools.rows.COLUMNS`."""

    def body(self, page: PageFile) -> PageBody:
        """Return HTML, address and encoding of a page; raise :exc:`SourceError`."""
        if page.error:
            raise SourceError(page.error)
        if page.record is not None:
            return page.record.html, page.url, page.encoding
        html = read_file(page.path)
        return html, self.url or address_of(page, html, self.addresses), page.encoding


class Sketching:
    """Makes the sketches of pages."""

    def __init__(self, asked: Asked) -> None:
        self._asked = asked
        self._sketch = PageSketches(choose_method(asked.extractor, asked.options)[0])

    def __call__(self, page: PageFile) -> tuple[str | None, bytes | None]:
        """Return the address of a page, and what it teaches; raise :exc:`SourceError`."""
        body = self._asked.body(page)
        return body[1], self._sketch(body)


def add_sketches(
    samples: SiteSamples,
    sketches: Iterable[tuple[PageFile, tuple[str | None, bytes | None] | Lost]],
) -> int:
    """Add to *samples* what :class:`Learning` has made; return how many pages have no site."""
    strays = 0
    for _, sketch in sketches:
        if isinstance(sketch, Lost):
            continue
        url, state = sketch
        if not samples.key(url or ""):
            strays += 1
        elif state is not None:
            samples.add(url or "", SiteState.from_bytes(state))
    return strays


class Made(NamedTuple):
    """A worker's answer to a page, as plain values."""

    output: str | Row = ""
    """The answer: written, or a row."""
    error: str = ""
    """Why there is none."""
    is_empty: bool = False
    """Whether the page was read but has no text."""


class Extracting:
    """Reads pages and makes their answers."""

    def __init__(self, asked: Asked) -> None:
        self._asked = asked
        self._rows = PageRows(asked.extractor, asked.options)

    def __call__(self, page: PageFile) -> tuple[str | Row, str, bool]:
        """Return a page's :class:`Made` as a tuple; raise what an extractor raises."""
        try:
            made = self._made(page)
        except SourceError as error:
            made = failed(self._asked, page, str(error))
        return made.output, made.error, made.is_empty

    def _made(self, page: PageFile) -> Made:
        if page.record is not None and page.record.html is None:
            reason = page.record.reason or "no_body"
            if reason in FAILURES:
                return failed(self._asked, page, reason, reason)
            return Made(empty_row(reason) if self._asked.as_rows else "", is_empty=True)
        read = self._rows.page(self._asked.body(page))
        if not read.is_html and page.record is None:
            return failed(self._asked, page, "it is not HTML", "not_html")
        model = self._models(read.url) if self._models is not None and read.url else None
        if self._asked.as_rows:
            row = self._rows.row(read, model)
            return Made(row, is_empty=not row["text"])
        made: Made = getattr(self, f"_{self._asked.show}")(page, read, model)
        return made

    @cached_property
    def _models(self) -> StoredModels | None:
        """The models of sites: opened where pages are read, after any fork."""
        asked = self._asked
        return StoredModels(asked.sites, asked.key) if asked.sites is not None else None

    # -- what is shown ---------------------------------------------------------------------------

    def _answer(self, file: PageFile, page: Page, model: bytes | None) -> Made:
        asked, answer = self._asked, self._rows.answer(page, model)
        about = _about(answer, page) if asked.with_metadata else {}
        render = FORMATS[asked.format].render
        if render is not None:
            return Made(render(answer, about), is_empty=not answer.text)
        values: dict[str, Any] = {name: OUTPUTS[name](page, answer) for name in asked.fields}
        if about:
            values["metadata"] = about
        return Made(_record(asked, file, page.url, values), is_empty=not answer.text)

    def _comparison(self, file: PageFile, page: Page, _: bytes | None) -> Made:
        comparison = compare(page)
        if not FORMATS[self._asked.format].is_record:
            return Made(comparison_table(comparison))
        values = {"methods": comparison_record(comparison)}
        return Made(_record(self._asked, file, page.url, values))

    def _explanation(self, file: PageFile, page: Page, model: bytes | None) -> Made:
        blocks = self._rows.explain(page, model)
        if not FORMATS[self._asked.format].is_record:
            return Made(explanation_lines(blocks), is_empty=not blocks)
        values = {"blocks": explanation_record(blocks)}
        return Made(_record(self._asked, file, page.url, values), is_empty=not blocks)


def failed(asked: Asked, page: PageFile, error: str, reason: str = "") -> Made:
    """Return what stands for a page that cannot be read; its row has *reason*."""
    url = page.url or asked.url
    if asked.as_rows:
        return Made(empty_row(reason or f"error: {error}", url=url), error)
    if FORMATS[asked.format].is_record:
        return Made(_record(asked, page, url, {"error": error}), error)
    return Made("", error)


def lost(asked: Asked, page: PageFile, answer: Lost, seconds: float) -> Made:
    """Return what stands for a page that cost its process, or raised."""
    errors = {
        "timeout": f"it took longer than {seconds:g} seconds",
        "crashed": f"it ended its process ({answer.message or 'no answer'})",
        "error": answer.message,
    }
    return failed(asked, page, errors[answer.reason], row_or_lost(answer)["reason"])


def _record(asked: Asked, page: PageFile, url: str | None, values: Mapping[str, Any]) -> str:
    named = {"file": page.name} if page.path == page.name else {}
    record = {**named, "url": url, **values}
    if asked.format == "jsonl":
        return to_json(record) + "\n"
    return to_json(record, indent=2)


def _about(extraction: Extraction, page: Page) -> dict[str, Any]:
    """Return the metadata that say something."""
    values = {"url": page.url, **extraction.metadata.to_dict()}
    return {name: value for name, value in values.items() if value and name != "sources"}
