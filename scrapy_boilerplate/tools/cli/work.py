"""A worker's task: read a page, extract it, write the answer."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from functools import cached_property
from typing import Any, Literal, NamedTuple

from scrapy_boilerplate.core.answer.extraction import Extraction
from scrapy_boilerplate.core.answer.fields import OUTPUTS
from scrapy_boilerplate.core.api import choose_method
from scrapy_boilerplate.core.compare import compare
from scrapy_boilerplate.core.page import Page
from scrapy_boilerplate.learn.stores.models import StoredModels
from scrapy_boilerplate.tools.cli.formats import FORMATS, to_json
from scrapy_boilerplate.tools.cli.sources import PageFile, SourceError, address_of, read_file
from scrapy_boilerplate.tools.isolation import Lost
from scrapy_boilerplate.tools.page_sketches import PageSketches, Sketch
from scrapy_boilerplate.tools.rows import InputPage, PageRows, Row
from scrapy_boilerplate.tools.tables import (
    comparison_record,
    comparison_table,
    explanation_lines,
)

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

    def read(self, page: PageFile) -> InputPage:
        """Return a page with its body and its address; raise :exc:`SourceError`."""
        if page.error:
            raise SourceError(page.error)
        if page.record is not None:
            return page.record
        html = read_file(page.path)
        return InputPage(html, self.url or address_of(page, html, self.addresses), page.encoding)


class Sketching:
    """Makes the sketches of pages."""

    def __init__(self, asked: Asked) -> None:
        self._asked = asked
        self._sketch = PageSketches(choose_method(asked.extractor, asked.options)[0])

    def __call__(self, page: PageFile) -> Sketch | None:
        """Return the address of a page, and what it teaches; raise :exc:`SourceError`."""
        return self._sketch(self._asked.read(page))


class PageAnswer(NamedTuple):
    """The answer to a page, as plain values."""

    output: str | Row = ""
    """What is written: a text, or the part of a row that comes from the body."""
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
        """Return a page's :class:`PageAnswer` as a tuple; raise what an extractor raises."""
        try:
            answer = self._answer(page)
        except SourceError as error:
            answer = failed(self._asked, page, str(error))
        return answer.output, answer.error, answer.is_empty

    def _answer(self, file: PageFile) -> PageAnswer:
        asked = self._asked
        given = asked.read(file)
        if given.html is None:
            reason = given.reason or "no_body"
            if reason in FAILURES:
                return failed(asked, file, reason, reason)
            return PageAnswer({"reason": reason} if asked.as_rows else "", is_empty=True)
        page = self._rows.page(given)
        if not page.is_html and file.record is None:
            return failed(asked, file, "it is not HTML", "not_html")
        model = self._models(page.url) if self._models is not None and page.url else None
        if asked.as_rows:
            row = self._rows.found(given._replace(model=model), page)
            return PageAnswer(row, is_empty=not row["text"])
        text, values, is_empty = self._shown(page, model)
        if text is None:
            text = _record(asked, file, page.url, values)
        return PageAnswer(text, is_empty=is_empty)

    @cached_property
    def _models(self) -> StoredModels | None:
        """The models of sites: opened where pages are read, after any fork."""
        asked = self._asked
        return StoredModels(asked.sites, asked.key) if asked.sites is not None else None

    def _shown(self, page: Page, model: bytes | None) -> tuple[str | None, dict[str, Any], bool]:
        """Return what is shown: a text, or values of a record; and whether it is nothing."""
        asked, is_record = self._asked, FORMATS[self._asked.format].is_record
        if asked.show == "comparison":
            methods = comparison_record(compare(page))
            return None if is_record else comparison_table(methods), {"methods": methods}, False
        if asked.show == "explanation":
            blocks = self._rows.explain(page, model)
            text = None if is_record else explanation_lines(blocks)
            return text, {"blocks": [asdict(each) for each in blocks]}, not blocks
        answer = self._rows.answer(page, model)
        about = _about(answer, page) if asked.with_metadata else {}
        render = FORMATS[asked.format].render
        if render is not None:
            return render(answer, about), {}, not answer.text
        values = {name: OUTPUTS[name](page, answer) for name in asked.fields}
        return None, {**values, **({"metadata": about} if about else {})}, not answer.text


def failed(asked: Asked, page: PageFile, error: str, reason: str = "") -> PageAnswer:
    """Return what stands for a page that cannot be read; its row has *reason*."""
    url = page.url or asked.url
    if asked.as_rows:
        return PageAnswer({"url": url, "reason": reason or f"error: {error}"}, error)
    if FORMATS[asked.format].is_record:
        return PageAnswer(_record(asked, page, url, {"error": error}), error)
    return PageAnswer("", error)


def lost(asked: Asked, page: PageFile, answer: Lost, seconds: float) -> PageAnswer:
    """Return what stands for a page that cost its process, or raised."""
    errors = {
        "timeout": f"it took longer than {seconds:g} seconds",
        "crashed": f"it ended its process ({answer.message or 'no answer'})",
        "error": answer.message,
    }
    return failed(asked, page, errors[answer.reason], answer.as_reason)


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
