"""The pipeline that fills items with what an extractor finds on their pages."""

from __future__ import annotations

import logging
from collections.abc import Callable
from time import perf_counter
from typing import TYPE_CHECKING, Any

from itemadapter import ItemAdapter
from scrapy.http import HtmlResponse
from w3lib.encoding import http_content_type_encoding

from scrapy_boilerplate.checks import check
from scrapy_boilerplate.choices import Chooser, FieldRequest
from scrapy_boilerplate.extensions import BoilerplateSiteLearning
from scrapy_boilerplate.fields import OUTPUTS
from scrapy_boilerplate.origins import Origin, Reading, origins_of
from scrapy_boilerplate.page import Page, page_of
from scrapy_boilerplate.page.decoding import utf8
from scrapy_boilerplate.reports import Reports
from scrapy_boilerplate.settings import read
from scrapy_boilerplate.spidermiddlewares import BoilerplateSpiderMiddleware
from scrapy_boilerplate.zyte import TYPED_OUTPUTS

if TYPE_CHECKING:
    from scrapy.crawler import Crawler
    from scrapy.http import Response
    from typing_extensions import Self

    from scrapy_boilerplate.extraction import Extraction
    from scrapy_boilerplate.extractors import Extractor

__all__ = ["BoilerplatePipeline"]

logger = logging.getLogger(__name__)

_OUTPUTS = {**OUTPUTS, **TYPED_OUTPUTS}


class BoilerplatePipeline:
    """Gives each item the text of its page, and the other outputs that its fields ask for.

    Needs :class:`~scrapy_boilerplate.spidermiddlewares.BoilerplateSpiderMiddleware`, except for
    items that carry their HTML in the field ``BOILERPLATE_HTML_FIELD``. The item goes on after any
    error.
    """

    ORDER = 100
    """Before the pipelines of most projects, so that they find the text in the item."""

    def __init__(self, crawler: Crawler) -> None:
        settings = crawler.settings
        self.crawler = crawler
        self._chooser = Chooser(settings, crawler.spider)
        self._html_field: str | None = read(settings, "BOILERPLATE_HTML_FIELD")
        self._max_body: int = read(settings, "BOILERPLATE_MAX_BODY")
        self._max_nodes: int = read(settings, "BOILERPLATE_MAX_NODES")
        self._origins = origins_of(crawler)
        self._learning: BoilerplateSiteLearning | None = None
        self._reports = Reports(crawler, "boilerplate", logger, "the item goes on")

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Return the pipeline, unless ``BOILERPLATE_ENABLED`` is false.

        Raises :exc:`ConfigurationError`, which stops the crawl, for any mistake.
        """
        check(crawler)
        return cls(crawler)

    def open_spider(self) -> None:
        """Open the site learner, and check that the spider middleware is enabled."""
        self._learning = self.crawler.get_extension(BoilerplateSiteLearning)
        if self._learning is not None:
            self._learning.open(self.first_extractor)
        middleware = self.crawler.get_spider_middleware(BoilerplateSpiderMiddleware)
        if middleware is None and self._html_field is None:
            logger.warning(
                "BoilerplatePipeline finds no responses: enable %s.BoilerplateSpiderMiddleware "
                "in SPIDER_MIDDLEWARES, or set BOILERPLATE_HTML_FIELD",
                BoilerplateSpiderMiddleware.__module__,
            )

    def process_item(self, item: Any) -> Any:
        """Fill the empty fields of *item* that ask for an output; return *item*."""
        origin = self._origins.take(item)
        response = origin.response if origin is not None else None
        try:
            self._fill(item, origin, response)
        except Exception as error:
            url = response.url if response is not None else None
            self._reports.error(error, "Filling an item", url)
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
        if reading is None:
            return None
        if response is not None and origin is not None and reading is origin.reading:
            field_requests = self._asked_for(field_requests, item, response, reading)
        filled = [self._fill_field(request, adapter, reading) for request in field_requests]
        if any(filled):
            self._count("items")
        return None

    def _asked_for(
        self, field_requests: list[FieldRequest], item: Any, response: Response, reading: Reading
    ) -> list[FieldRequest]:
        """Return the fields to fill in *item*.

        A dict accepts any field, but the default field may be unwanted on pages that the spider
        only follows. A dict gets it in three cases: the field is there and empty, the page holds an
        article, or the dict holds the page's address.
        """
        if not isinstance(item, dict) or _names_its_page(item, response):
            return field_requests
        wanted = []
        for request in field_requests:
            if not (request.asked or request.field in item):
                extraction = self._extraction(request.extractor, reading, _is_whole(request))
                if extraction is None or extraction.kind != "article":
                    self._skip_unasked(request.field, response)
                    continue
            wanted.append(request)
        return wanted

    def _field_requests(self, item_class: type, response: Response | None) -> list[FieldRequest]:
        request = response.request if response is not None else None
        field_requests, complaints = self._chooser.field_requests(item_class, request)
        for complaint in complaints:
            self._reports.count("errors")
            self._reports.count("errors/choice")
            if self._reports.is_new(complaint):
                url = response.url if response is not None else "no response"
                logger.error("%s (%s); the next level decides", complaint, url)
        return field_requests

    def _fill_field(
        self, field_request: FieldRequest, adapter: ItemAdapter, reading: Reading
    ) -> bool:
        """Fill one field; return whether that went well."""
        whole = _is_whole(field_request)
        extraction = self._extraction(field_request.extractor, reading, whole)
        if extraction is None:
            return False
        try:
            output = _OUTPUTS[field_request.output]
            adapter[field_request.field] = output(reading.page, extraction)
        except Exception as error:  # an item may refuse a value, or any
            what = f"Filling {type(adapter.item).__name__}.{field_request.field}"
            self._reports.error(error, what, reading.page.url)
            return False
        return True

    def _skip_unasked(self, field: str, response: Response) -> None:
        self._skip("not_asked")
        if self._reports.is_new("not asked"):
            logger.info(
                "A dict does not get %r: %s holds no article, and the dict has neither the field "
                "nor the page's address; set BOILERPLATE_FIELDS to fill every dict",
                *(field, response.url),
            )

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
            reading = self._read(response.body, lambda: page_of(response, self._max_nodes))
            origin.reading = reading._replace(known=origin.known) if reading else None
            if _is_read_otherwise(response):
                self._count("encoding_disagrees")
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
        return self._read(
            html,
            lambda: Page.parse(html, url=url, encoding=encoding, max_nodes=self._max_nodes),
        )

    def _read(self, body: bytes | str, parse: Callable[[], Page]) -> Reading | None:
        if self._max_body and len(body) > self._max_body:
            self._skip("too_large")
            return None
        started = perf_counter()
        page = parse()
        self._count("seconds", perf_counter() - started)
        self._count("pages")
        self._count("bytes_in", len(body))
        if page.over_budget:
            self._count("over_budget")
            if self._reports.is_new("over budget"):
                logger.warning(
                    "%s has more than BOILERPLATE_MAX_NODES = %d tags; only its beginning is read "
                    "(further pages are only counted)",
                    *(page.url, self._max_nodes),
                )
        elif page.truncated:
            self._count("truncated")
        if page.garbled:
            self._count("garbled")
        if page.reparsed:
            self._count("reparsed")
        return Reading(page, [])

    def _extraction(self, extractor: Extractor, reading: Reading, whole: bool) -> Extraction | None:
        """Return what *extractor* finds on a page; run it once. ``None`` if it failed there."""
        for known, extraction in reading.extractions:
            if known == (extractor, whole):
                return extraction
        extraction = None
        started = perf_counter()
        try:
            extraction = self._extract(reading, extractor, whole).on(reading.page)
        except Exception as error:  # other packages may raise anything
            self._reports.error(error, f"Extractor {extractor.name!r}", reading.page.url)
        self._count("seconds", perf_counter() - started)
        reading.extractions.append(((extractor, whole), extraction))
        if extraction is not None:
            self._count_extraction(reading.page, extraction)
        return extraction

    def _extract(self, reading: Reading, extractor: Extractor, whole: bool) -> Extraction:
        """Return the main content of a page, with its site's model unless *whole*."""
        if whole or self._learning is None:
            return extractor.extract(reading.page)
        return self._learning.extract(reading.page, extractor, reading.known)

    # -- stats -------------------------------------------------------------------------------

    def _count_extraction(self, page: Page, extraction: Extraction) -> None:
        self._count("extractions")
        self._count(f"extractor/{extraction.extractor}")
        self._count(f"kind/{extraction.kind}")
        self._count("chars_in", int(page.visible.sum()))
        self._count("chars_out", len("".join(extraction.text.split())))

    def _count(self, name: str, by: float = 1) -> None:
        self._reports.count(name, by)

    def _skip(self, reason: str) -> None:
        self._reports.count(f"skipped/{reason}")


def _is_whole(request: FieldRequest) -> bool:
    """Tell whether a field wants the whole page, not only the site's container.

    It does if its output is all coherent texts.
    """
    return request.output == "segments" and getattr(request.extractor, "partitions", False)


def _names_its_page(item: dict[str, Any], response: Response) -> bool:
    """Tell whether a value of *item* is the page's address, before or after redirections."""
    request = response.request
    earlier = [request.url, *request.meta.get("redirect_urls", ())] if request is not None else []
    addresses = {response.url, *earlier}
    return any(isinstance(value, str) and value in addresses for value in item.values())


def _value(adapter: ItemAdapter, name: str) -> Any:
    """Return a field's value; ``None`` without a value or without that field."""
    try:
        return adapter[name]
    except (KeyError, AttributeError):  # the latter where a class leaves a field without a value
        return None


def _is_empty(value: Any) -> bool:
    """Tell whether a field is empty: no value, or a value without content."""
    return value is None or (isinstance(value, (str, bytes, list, tuple, dict)) and not value)


def _is_read_otherwise(response: Response) -> bool:
    """Tell whether Scrapy decodes a UTF-8 response wrongly because of a ``meta``."""
    if not isinstance(response, HtmlResponse) or response.encoding == "utf-8":
        return False
    header = (response.headers.get(b"Content-Type") or b"").decode("latin-1")
    return http_content_type_encoding(header) is None and utf8(response.body) is not None
