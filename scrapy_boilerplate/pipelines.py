"""Fills the fields of items with what an extractor finds on their pages."""

from __future__ import annotations

import logging
from collections.abc import Callable
from time import perf_counter
from typing import TYPE_CHECKING, Any, NamedTuple

from itemadapter import ItemAdapter
from scrapy.exceptions import NotConfigured
from scrapy.http import HtmlResponse

from scrapy_boilerplate.choices import Chooser, FieldRequest
from scrapy_boilerplate.extensions import BoilerplateSiteLearning
from scrapy_boilerplate.fields import OUTPUTS
from scrapy_boilerplate.page import Page
from scrapy_boilerplate.settings import read
from scrapy_boilerplate.spidermiddlewares import BoilerplateSpiderMiddleware, Origin

if TYPE_CHECKING:
    from scrapy.crawler import Crawler
    from scrapy.http import Response
    from typing_extensions import Self

    from scrapy_boilerplate.extraction import Extraction
    from scrapy_boilerplate.extractors import Extractor

__all__ = ["BoilerplatePipeline", "Reading"]

logger = logging.getLogger(__name__)


class Reading(NamedTuple):
    """A page and what was extracted from it so far."""

    page: Page
    extractions: list[tuple[tuple[Extractor, bool], Extraction | None]]
    """What was found, by extractor and whether in the whole page; ``None`` if it has failed."""


MAX_LOGGED = 1000
"""Messages that are told apart, so that each is logged once; later ones are only counted."""


class BoilerplatePipeline:
    """Gives each item the text of its page, and what else was asked for.

    Needs :class:`~scrapy_boilerplate.spidermiddlewares.BoilerplateSpiderMiddleware`, except for
    items that carry their HTML in the field ``BOILERPLATE_HTML_FIELD``. Whatever goes wrong, the
    item goes on.
    """

    ORDER = 100
    """Before the pipelines of most projects, so that they find the text in the item."""

    def __init__(self, crawler: Crawler) -> None:
        settings = crawler.settings
        self.crawler = crawler
        self._chooser = Chooser(settings, crawler.spider)
        self._html_field: str | None = read(settings, "BOILERPLATE_HTML_FIELD")
        self._max_body: int = read(settings, "BOILERPLATE_MAX_BODY")
        self._middleware: BoilerplateSpiderMiddleware | None = None
        self._learning: BoilerplateSiteLearning | None = None
        self._logged: set[tuple[str, ...]] = set()

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Return the pipeline, unless ``BOILERPLATE_ENABLED`` is false.

        Raises :exc:`ValueError`, which stops the crawl, for a wrong name, option or value.
        """
        if not read(crawler.settings, "BOILERPLATE_ENABLED"):
            raise NotConfigured
        return cls(crawler)

    def open_spider(self) -> None:
        """Find the spider middleware, which knows the responses of the items."""
        self._middleware = self.crawler.get_spider_middleware(BoilerplateSpiderMiddleware)
        self._learning = self.crawler.get_extension(BoilerplateSiteLearning)
        if self._learning is not None:
            self._learning.open()
        if self._middleware is None and self._html_field is None:
            logger.warning(
                "BoilerplatePipeline finds no responses: enable %s.BoilerplateSpiderMiddleware "
                "in SPIDER_MIDDLEWARES, or set BOILERPLATE_HTML_FIELD",
                BoilerplateSpiderMiddleware.__module__,
            )

    def process_item(self, item: Any) -> Any:
        """Fill the empty fields of *item* that something was asked for; return *item*."""
        origin = self._middleware.take(item) if self._middleware is not None else None
        response = origin.response if origin is not None else None
        try:
            self._fill(item, origin, response)
        except Exception as error:
            self._report(error, "Filling an item", response.url if response is not None else None)
        return item

    def first_extractor(self, item: Any, response: Response) -> Extractor | None:
        """Return the extractor of the first field of *item* that would be filled, if any would."""
        if not ItemAdapter.is_item(item) or (
            self._max_body and len(response.body) > self._max_body
        ):
            return None
        adapter = ItemAdapter(item)
        field_requests, _ = self._chooser.field_requests(type(item), response.request)
        empty = (
            field_request
            for field_request in field_requests
            if _is_empty(_value(adapter, field_request.field))
        )
        return next((field_request.extractor for field_request in empty), None)

    def _extract(self, page: Page, extractor: Extractor, whole: bool) -> Extraction:
        """Return the main content of *page*, by what was learned of its site unless *whole*."""
        if whole or self._learning is None:
            return extractor.extract(page)
        return self._learning.extract(page, extractor)

    # -- an item -----------------------------------------------------------------------------

    def _fill(self, item: Any, origin: Origin | None, response: Response | None) -> None:
        if not ItemAdapter.is_item(item):
            return self._skip("not_an_item")
        adapter = ItemAdapter(item)
        field_requests = self._field_requests(type(item), response)
        if not field_requests:
            return self._skip("off")
        field_requests = [
            field_request
            for field_request in field_requests
            if _is_empty(_value(adapter, field_request.field))
        ]
        if not field_requests:
            return self._skip("filled")
        reading = self._reading(adapter, origin, response)
        if reading is not None:
            filled = [
                self._fill_field(field_request, adapter, reading)
                for field_request in field_requests
            ]
            if any(filled):
                self._count("items")
        return None

    def _field_requests(self, item_class: type, response: Response | None) -> list[FieldRequest]:
        request = response.request if response is not None else None
        field_requests, complaints = self._chooser.field_requests(item_class, request)
        for complaint in complaints:
            self._count("errors")
            self._count("errors/choice")
            if self._is_new(complaint):
                url = response.url if response is not None else "no response"
                logger.error("%s (%s); the next level decides", complaint, url)
        return field_requests

    def _fill_field(
        self, field_request: FieldRequest, adapter: ItemAdapter, reading: Reading
    ) -> bool:
        """Fill one field; return whether that went well."""
        # Who asks for all coherent texts of a page does not want the site's container only.
        whole = field_request.output == "segments" and getattr(
            field_request.extractor, "partitions", False
        )
        extraction = self._extraction(field_request.extractor, reading, whole)
        if extraction is None:
            return False
        try:
            adapter[field_request.field] = OUTPUTS[field_request.output](reading.page, extraction)
        except Exception as error:  # an item may refuse a value, or any
            self._report(
                error, f"{type(adapter.item).__name__}.{field_request.field}", reading.page.url
            )
            return False
        return True

    # -- its page ----------------------------------------------------------------------------

    def _reading(
        self, adapter: ItemAdapter, origin: Origin | None, response: Response | None
    ) -> Reading | None:
        """Return the page of an item: its own HTML, or the response that it shares with others."""
        html = _value(adapter, self._html_field) if self._html_field is not None else None
        if not _is_empty(html):
            return self._read_html(html, adapter, response)
        if origin is None or response is None:
            self._skip("no_page")
            return None
        if origin.reading is None:
            origin.reading = self._read(response.body, lambda: page_of(response))
        return origin.reading

    def _read_html(
        self, html: Any, adapter: ItemAdapter, response: Response | None
    ) -> Reading | None:
        if not isinstance(html, (bytes, str)):
            raise TypeError(
                f"{self._html_field!r} must hold bytes or str, not {type(html).__name__}"
            )
        url = response.url if response is not None else _value(adapter, "url")
        encoding = getattr(response, "encoding", None)
        return self._read(html, lambda: Page.parse(html, url=url, encoding=encoding))

    def _read(self, body: bytes | str, parse: Callable[[], Page]) -> Reading | None:
        if self._max_body and len(body) > self._max_body:
            self._skip("too_large")
            return None
        started = perf_counter()
        page = parse()
        self._count("seconds", perf_counter() - started)
        self._count("pages")
        self._count("bytes_in", len(body))
        if page.truncated:
            self._count("truncated")
        if page.reparsed:
            self._count("reparsed")
        return Reading(page, [])

    def _extraction(self, extractor: Extractor, reading: Reading, whole: bool) -> Extraction | None:
        """Return what *extractor* finds on a page, once; ``None`` if it has failed there."""
        for known, extraction in reading.extractions:
            if known == (extractor, whole):
                return extraction
        page = reading.page
        extraction = None
        started = perf_counter()
        try:
            extraction = self._extract(page, extractor, whole)
        except Exception as error:  # a method of another package may do anything
            self._report(error, f"Extractor {extractor.name!r}", page.url)
        self._count("seconds", perf_counter() - started)
        reading.extractions.append(((extractor, whole), extraction))
        if extraction is not None:
            self._count("extractions")
            self._count(f"extractor/{extraction.extractor}")
            self._count(f"kind/{extraction.kind}")
            self._count("chars_in", int(page.visible.sum()))
            self._count("chars_out", len("".join(extraction.text.split())))
        return extraction

    # -- stats and log -----------------------------------------------------------------------

    def _count(self, name: str, by: float = 1) -> None:
        self.crawler.stats.inc_value(f"boilerplate/{name}", by)  # type: ignore[arg-type]

    def _skip(self, reason: str) -> None:
        self._count(f"skipped/{reason}")

    def _report(self, error: Exception, what: str, url: str | None) -> None:
        """Count an error, and log the first of its kind with its page and traceback."""
        kind = type(error).__name__
        self._count("errors")
        self._count(f"errors/{kind}")
        if self._is_new(what, kind):
            logger.error(
                "%s failed on %s: %s: %s (the item goes on; further errors of this kind are "
                "only counted)",
                *(what, url, kind, error),
                exc_info=error,
            )

    def _is_new(self, *message: str) -> bool:
        if message in self._logged or len(self._logged) >= MAX_LOGGED:
            return False
        self._logged.add(message)
        return True


def _value(adapter: ItemAdapter, name: str) -> Any:
    """Return a field's value; ``None`` if it has none, or if the item has no such field."""
    try:
        return adapter[name]
    except (KeyError, AttributeError):  # the latter where a class leaves a field without a value
        return None


def _is_empty(value: Any) -> bool:
    """Tell whether a field has nothing in it yet: no value, or one without content."""
    return value is None or (isinstance(value, (str, bytes, list, tuple, dict)) and not value)


def page_of(response: Response) -> Page:
    """Return the page of a response, from the tree that the spider's selectors use too."""
    if not isinstance(response, HtmlResponse):
        return Page.not_html(response.url)
    return Page.from_selector(response.selector, url=response.url, source=response.text)
