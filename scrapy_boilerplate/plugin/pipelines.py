"""The pipeline that fills items with what an extractor finds on their pages."""

from __future__ import annotations

import logging
from collections.abc import Awaitable
from functools import partial
from inspect import isawaitable
from pathlib import Path
from time import perf_counter
from typing import NamedTuple, TypeVar

from itemadapter import ItemAdapter
from scrapy.crawler import Crawler
from scrapy.http import Response
from scrapy.settings import BaseSettings
from scrapy.utils.job import job_dir

from scrapy_boilerplate.core.answer.extraction import OUTPUTS, Extraction
from scrapy_boilerplate.core.answer.joining import join
from scrapy_boilerplate.core.methods import Extractor
from scrapy_boilerplate.core.methods.base import no_text
from scrapy_boilerplate.core.page import Page
from scrapy_boilerplate.plugin.choices import FieldPlan, FieldRequest
from scrapy_boilerplate.plugin.crawl import Component
from scrapy_boilerplate.plugin.extensions import BoilerplateSiteLearning, SiteAnswer
from scrapy_boilerplate.plugin.next_pages import NextPages
from scrapy_boilerplate.plugin.page_reader import ItemPages
from scrapy_boilerplate.plugin.records import PageRecord, address_of, addresses_of
from scrapy_boilerplate.plugin.reports import Reports
from scrapy_boilerplate.plugin.signals import page_extracted
from scrapy_boilerplate.plugin.spidermiddlewares import BoilerplateSpiderMiddleware
from scrapy_boilerplate.plugin.zyte import TYPED_OUTPUTS

__all__ = ["BoilerplatePipeline"]

logger = logging.getLogger(__name__)

Item = TypeVar("Item")
_OUTPUTS = {**OUTPUTS, **TYPED_OUTPUTS}


class _Task(NamedTuple):
    """An item that is in the pipeline, what it should get, and where from."""

    adapter: ItemAdapter
    plan: FieldPlan
    response: Response | None
    record: PageRecord | None


class BoilerplatePipeline(Component):
    """Gives each item the text of its page, and the other outputs that its fields ask for.

    Needs :class:`~scrapy_boilerplate.plugin.spidermiddlewares.BoilerplateSpiderMiddleware`, except
    for items that carry their HTML in the field ``BOILERPLATE_HTML_FIELD``. An item is sent on
    after any error.
    """

    ORDER = 100
    """Before the pipelines of most projects, so that they find the text in the item."""

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        self._chooser, self._records = self._state.chooser, self._state.records
        self._learning: BoilerplateSiteLearning | None = None
        self._reports = Reports(crawler, "boilerplate", logger, "the item is sent")
        self._pages = ItemPages(crawler.settings, self._reports)
        self._next_pages = NextPages(crawler, self._pages, self._reports)

    def open_spider(self) -> None:
        """Open the site learner, and check that the spider middleware is enabled."""
        self._learning = self.crawler.get_extension(BoilerplateSiteLearning)
        if self._learning is not None:
            self._learning.open()
        self._state.fill = self.fill
        _warn_of_held_items(self.crawler.settings)
        middleware = self.crawler.get_spider_middleware(BoilerplateSpiderMiddleware)
        if middleware is None and self._pages.html_field is None:
            logger.warning(
                "BoilerplatePipeline receives no responses: enable %s.BoilerplateSpiderMiddleware "
                "in SPIDER_MIDDLEWARES, or set BOILERPLATE_HTML_FIELD",
                BoilerplateSpiderMiddleware.__module__,
            )

    def process_item(self, item: Item) -> Item | Awaitable[Item]:
        """Fill the empty fields of *item*, perhaps when the further pages of its article came."""
        try:
            response = self._records.take(item)
            adapter = ItemAdapter(item)
        except Exception:  # TypeError, or what its own class raises
            self._reports.count("skipped/not_an_item")
            return item
        try:
            request = response.request if response is not None else None
            plan = self._chooser.plan(type(item), request)
        except Exception as error:  # an item class may raise anything
            self._reports.error(error, "Choosing for an item", _url(response))
            return item
        self._complain(plan.complaints, response)
        record = self._records.of(response) if response is not None else None
        task = _Task(adapter, plan, response, record)
        if plan.pages and response is not None:
            return self._fill_later(item, task)
        return self._fill_now(item, task)

    async def _fill_later(self, item: Item, task: _Task) -> Item:
        adapter, plan, response, record = task
        assert record is not None
        assert response is not None
        try:
            wanted = plan.empty_in(adapter)
            # Not for HTML of the item's own.
            if wanted and self._pages.read(adapter, record, response) is record:
                await self._follow(wanted[0], record, response)
        except Exception as error:
            self._reports.error(error, "Following the pages of an article", response.url)
        return self._fill_now(item, task)

    async def _follow(self, wanted: FieldRequest, record: PageRecord, response: Response) -> None:
        find = partial(self._extraction, wanted.extractor, whole=False)
        await self._next_pages.follow(record, response, find)

    def _fill_now(self, item: Item, task: _Task) -> Item:
        try:
            self._fill(task)
        except Exception as error:
            self._reports.error(error, "Filling an item", _url(task.response))
        return item

    async def fill(self, item: Item, response: Response) -> Item:
        """Fill an item that another component has made for *response*; return it."""
        self._records.remember(item, response)
        found = self.process_item(item)
        return await found if isawaitable(found) else found

    async def extraction(self, response: Response) -> Extraction:
        """Return what the choices for *response* give, once; raise what the extractor raises."""
        plan = self._chooser.plan_of_page(response.request)
        self._complain(plan.complaints, response)
        (wanted,) = plan.fields
        record = self._pages.read(ItemAdapter({}), self._records.of(response), response)
        if record is None:
            return no_text(Page.not_html(response.url), "not_html", wanted.extractor.name)
        if plan.pages:
            await self._follow(wanted, record, response)
        found = self._answer(wanted, record)
        return found if found is not None else wanted.extractor.extract(record.page)

    # -- an item -----------------------------------------------------------------------------

    def _fill(self, task: _Task) -> None:
        adapter, plan, response, record = task
        if not plan.fields:
            name = type(adapter.item).__name__
            if plan.lacking and self._reports.first_time("lacking", name):
                logger.info(
                    "Items of %s are sent as they are: the class has no field %s. Define it, or "
                    "set BOILERPLATE_FIELDS",
                    *(name, plan.lacking),
                )
            return self._reports.count("skipped/off")
        wanted = plan.empty_in(adapter)
        if not wanted:
            return self._reports.count("skipped/filled")
        read = self._pages.read(adapter, record, response)
        if read is None:
            return self._say_why_no_page(adapter) if response is None else None
        if response is not None and read is record:
            wanted = self._asked_for(wanted, adapter.item, response, read)
        filled = [self._fill_field(request, adapter, read) for request in wanted]
        if any(filled):
            self._reports.count("items")
        return None

    def _asked_for(
        self,
        field_requests: list[FieldRequest],
        item: object,
        response: Response,
        record: PageRecord,
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
                extraction = self._extraction(request.extractor, record, _is_whole(request))
                if extraction is None or not extraction.is_one_text:
                    self._skip_unasked(request.field, response)
                    continue
            wanted.append(request)
        return wanted

    def _complain(self, complaints: list[str], response: Response | None) -> None:
        for complaint in complaints:
            self._reports.count("errors")
            self._reports.count("errors/choice")
            if self._reports.first_time(complaint):
                url = response.url if response is not None else "no response"
                logger.error("%s (%s); the next place decides", complaint, url)

    def _fill_field(
        self, field_request: FieldRequest, adapter: ItemAdapter, record: PageRecord
    ) -> bool:
        """Fill one field; return whether that went well."""
        try:
            extraction = self._answer(field_request, record)
            if extraction is None:
                return False
            output = _OUTPUTS[field_request.output]
            adapter[field_request.field] = output(extraction)
        except Exception as error:  # an item may refuse a value, or any
            what = f"Filling {type(adapter.item).__name__}.{field_request.field}"
            self._reports.error(error, what, record.page.url)
            return False
        return True

    def _say_why_no_page(self, adapter: ItemAdapter) -> None:
        """Log it the first time that the response of an item's address is gone."""
        address = address_of(adapter.item)
        if self._records.was_fetched(address) and self._reports.first_time("page is gone"):
            logger.warning(
                "The item of %s is not filled: the callback of another page yields it, and its own "
                "response no longer exists. Yield it from its own callback, or use "
                "extract(response) (further items are only counted: boilerplate/skipped/no_page)",
                address,
            )

    def _skip_unasked(self, field: str, response: Response) -> None:
        self._reports.count("skipped/not_asked")
        if self._reports.first_time("not asked"):
            logger.info(
                "A dict is sent without %r: %s has no article, and the dict has neither the field "
                "nor the URL of the page. Set BOILERPLATE_FIELDS to fill every dict",
                *(field, response.url),
            )

    # -- what its page says ------------------------------------------------------------------

    def _answer(self, request: FieldRequest, record: PageRecord) -> Extraction | None:
        """Return what a field is filled from: the answer for its page, or for all pages."""
        further = record.further
        whole = _is_whole(request)
        first = self._extraction(request.extractor, record, whole)
        if first is None or further is None:
            return first and first.switched(request.switches)
        later = [self._extraction(request.extractor, each, whole) for each in further.records]
        found = [first, *later]
        answers = [each.switched(request.switches) for each in found if each is not None]
        is_cut = further.is_cut or len(answers) < len(found)
        if len(answers) == 1 and not is_cut:
            return answers[0]
        known = id(answers[0])  # which lives as long as the record
        if known not in further.joined:
            further.joined[known] = join(answers, is_cut=is_cut)
        return further.joined[known]

    def _extraction(
        self, extractor: Extractor, record: PageRecord, whole: bool
    ) -> Extraction | None:
        """Return what *extractor* finds on a page; run it once. ``None`` if it failed there."""
        for known, extraction in record.answers:
            if known == (extractor, whole):
                return extraction
        extraction = None
        started = perf_counter()
        try:
            if whole or self._learning is None:  # without the model of the site
                answer = SiteAnswer(extractor.extract(record.page))
            else:
                answer = self._learning.extract(record, extractor)
            extraction = answer.extraction.on(record.page)
            if not record.answers:
                self.crawler.signals.send_catch_log(
                    page_extracted,
                    url=record.page.url or "",
                    extraction=answer.extraction,
                    alone=answer.alone,
                    model=answer.model,
                )
        except Exception as error:  # other packages may raise anything
            self._reports.error(error, f"Extractor {extractor.name!r}", record.page.url)
        self._reports.count("seconds", perf_counter() - started)
        record.answers.append(((extractor, whole), extraction))
        if extraction is not None:
            self._count_extraction(record.page, extraction)
        return extraction

    # -- stats -------------------------------------------------------------------------------

    def _count_extraction(self, page: Page, extraction: Extraction) -> None:
        self._reports.count("extractions")
        self._reports.count(f"extractor/{extraction.extractor}")
        self._reports.count(f"kind/{extraction.kind}")
        if extraction.kind == "blocked" and page.block and self._reports.first_time("blocked"):
            logger.info(
                "%s gets no text: %s. If that is wrong, set the option 'blocked' to False "
                "(further pages are only counted)",
                *(page.url, page.block.reason),
            )
        self._reports.count("chars_in", int(page.visible.sum()))
        self._reports.count("chars_out", len("".join(extraction.text.split())))


def _warn_of_held_items(settings: BaseSettings) -> None:
    """Warn if the job directory has items that an early version has kept there."""
    folder = job_dir(settings)
    if folder is not None and (file := Path(folder, "boilerplate", "held.sqlite")).exists():
        logger.warning(
            "%s contains items of an early version, which cannot be read. Delete the file and "
            "crawl the pages again",
            file,
        )


def _url(response: Response | None) -> str | None:
    return response.url if response is not None else None


def _is_whole(request: FieldRequest) -> bool:
    """Return whether a field wants all coherent texts of the page, not the site's container."""
    return request.output == "segments" and getattr(request.extractor, "partitions", False)


def _names_its_page(item: dict[str, object], response: Response) -> bool:
    """Return whether a value of *item* is the page's address, before or after redirections."""
    addresses = addresses_of(response)
    return any(
        isinstance(value, str) and value.partition("#")[0] in addresses for value in item.values()
    )
