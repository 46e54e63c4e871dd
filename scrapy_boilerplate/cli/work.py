"""What a worker does with a page: read it, extract it, write the answer."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal, NamedTuple

from scrapy_boilerplate.api import choose_method
from scrapy_boilerplate.cli.addresses import address_of
from scrapy_boilerplate.cli.formats import FORMATS, to_json
from scrapy_boilerplate.cli.sources import PageFile, SourceError, read_file
from scrapy_boilerplate.cli.views import (
    comparison_record,
    comparison_table,
    explanation_lines,
    explanation_record,
)
from scrapy_boilerplate.compare import compare
from scrapy_boilerplate.document import Switches
from scrapy_boilerplate.extraction import Extraction
from scrapy_boilerplate.extractors import Extractor
from scrapy_boilerplate.fields import OUTPUTS
from scrapy_boilerplate.page import Page
from scrapy_boilerplate.sites.keys import site_key
from scrapy_boilerplate.sites.learner import SiteLearner
from scrapy_boilerplate.sites.model import SiteModel
from scrapy_boilerplate.sites.options import LearningOptions
from scrapy_boilerplate.sites.samples import SAMPLE

__all__ = ["RECORD", "Extracting", "Learning", "Row", "Show", "Taught"]

Show = Literal["answer", "comparison", "explanation"]
"""What is shown of a page."""

RECORD = ("text", "kind", "confidence", "extractor")
"""Fields of a record if none are asked for."""


class Row(NamedTuple):
    """What became of a page."""

    page: PageFile
    output: str = ""
    """The answer, written."""
    error: str = ""
    """Why there is none."""
    is_empty: bool = False
    """Whether the page was read but has no text."""


class Taught(NamedTuple):
    """What a page teaches about its site."""

    page: PageFile
    site: str = ""
    """The site's key, empty if the page's address is not known."""
    state: bytes | None = None
    """The state of a site with this page alone."""
    error: str = ""


@dataclass(frozen=True)
class _Reading:
    """How pages are read and which method runs; sent to each worker once."""

    extractor: str = "auto"
    options: Mapping[str, object] = field(default_factory=dict)
    """Options of the extractor."""
    addresses: Mapping[str, str] = field(default_factory=dict)
    """Address by path, see :func:`load_addresses`."""
    url: str | None = None
    """The address of the only page."""
    key: str = "host"
    """What counts as one site."""

    @cached_property
    def _chosen(self) -> tuple[Extractor, Switches]:
        return choose_method(self.extractor, self.options)

    @property
    def _method(self) -> Extractor:
        return self._chosen[0]

    def _page(self, file: PageFile) -> Page:
        if file.error:
            raise SourceError(file.error)
        html = read_file(file.path)
        url = self.url or address_of(file, html, self.addresses)
        page = Page.parse(html, url=url, encoding=file.encoding)
        if not page.is_html:
            raise SourceError("it is not HTML")
        return page

    def _site(self, page: Page) -> str:
        return site_key(self.key)(page.url or "")


@dataclass(frozen=True)
class Learning(_Reading):
    """Reads pages to learn their sites."""

    def __call__(self, file: PageFile) -> Taught:
        """Return what a page teaches about its site. Never raises."""
        try:
            page = self._page(file)
            site = self._site(page)
            learner = SiteLearner(LearningOptions(freeze_pages=SAMPLE), key=self.key)
            if site:
                learner.observe(page, self._method.extract(page))
            return Taught(file, site, learner.state(site))
        except Exception as error:
            return Taught(file, error=_message(error))

    def failed(self, file: PageFile, error: str) -> Taught:
        """Return what is known of a page that cost its worker."""
        return Taught(file, error=error)


@dataclass(frozen=True)
class Extracting(_Reading):
    """Reads pages and writes their answers."""

    show: Show = "answer"
    format: str = "text"
    fields: tuple[str, ...] = RECORD
    """Outputs in a record."""
    with_metadata: bool = False
    models: Mapping[str, bytes] = field(default_factory=dict)
    """Serialised model of each learned site."""

    def __call__(self, file: PageFile) -> Row:
        """Return what becomes of a page. Never raises."""
        try:
            page = self._page(file)
            output, is_empty = getattr(self, f"_{self.show}")(file, page)
            return Row(file, output, is_empty=is_empty)
        except Exception as error:
            return self.failed(file, _message(error))

    def failed(self, file: PageFile, error: str) -> Row:
        """Return the row of a page that cannot be read, or cost its worker."""
        output = ""
        if FORMATS[self.format].is_record:
            output = self._record(file, file.url or self.url, {"error": error})
        return Row(file, output, error)

    def _record(self, file: PageFile, url: str | None, values: Mapping[str, Any]) -> str:
        named = {"file": file.name} if file.path == file.name else {}
        record = {**named, "url": url, **values}
        if self.format == "jsonl":
            return to_json(record) + "\n"
        return to_json(record, indent=2)

    @cached_property
    def _models(self) -> dict[str, SiteModel]:
        return {site: SiteModel.from_bytes(data) for site, data in self.models.items()}

    def _model(self, page: Page) -> SiteModel | None:
        return self._models.get(self._site(page)) if self._models else None

    # -- what is shown: the text, and whether there is nothing to show ---------------------------

    def _answer(self, file: PageFile, page: Page) -> tuple[str, bool]:
        model, method = self._model(page), self._method
        extraction = method.extract(page) if model is None else model.apply(page, method)
        extraction = extraction.switched(self._chosen[1])
        about = _about(extraction, page) if self.with_metadata else {}
        render = FORMATS[self.format].render
        if render is not None:
            return render(extraction, about), not extraction.text
        values: dict[str, Any] = {name: OUTPUTS[name](page, extraction) for name in self.fields}
        if about:
            values["metadata"] = about
        return self._record(file, page.url, values), not extraction.text

    def _comparison(self, file: PageFile, page: Page) -> tuple[str, bool]:
        comparison = compare(page)
        if not FORMATS[self.format].is_record:
            return comparison_table(comparison), False
        values = {"methods": comparison_record(comparison)}
        return self._record(file, page.url, values), False

    def _explanation(self, file: PageFile, page: Page) -> tuple[str, bool]:
        model, method = self._model(page), self._method
        blocks = method.explain(page) if model is None else model.explain(page, method)
        if not FORMATS[self.format].is_record:
            return explanation_lines(blocks), not blocks
        values = {"blocks": explanation_record(blocks)}
        return self._record(file, page.url, values), not blocks


def _about(extraction: Extraction, page: Page) -> dict[str, Any]:
    """Return the metadata that say something."""
    values = {"url": page.url, **extraction.metadata.to_dict()}
    return {name: value for name, value in values.items() if value and name != "sources"}


def _message(error: Exception) -> str:
    if isinstance(error, SourceError):
        return str(error)
    return f"{type(error).__name__}: {error}"
