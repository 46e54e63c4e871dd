"""What a crawl does with a page besides extracting it, as steps that can be counted."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache, partial
from types import SimpleNamespace
from typing import Any, ClassVar

import numpy as np
from parsel import Selector
from scrapy import Request, Spider
from scrapy.core.spidermw import SpiderMiddlewareManager
from scrapy.http import HtmlResponse
from scrapy.utils.test import get_crawler

from scrapy_boilerplate import Page, get_extractor
from scrapy_boilerplate.core.methods import Extractor, Verdict
from scrapy_boilerplate.learn import SiteLearner
from scrapy_boilerplate.plugin.pipelines import BoilerplatePipeline
from scrapy_boilerplate.plugin.spidermiddlewares import BoilerplateSpiderMiddleware
from scrapy_boilerplate.plugin.state import CrawlState

__all__ = ["LEARNING", "PIPELINE", "crawl_steps"]

PIPELINE, LEARNING = "pipeline", "learning"
ADDRESS = "https://host.example/page"


@dataclass(frozen=True, slots=True)
class Nothing(Extractor):
    """Keeps nothing, at no cost."""

    name: ClassVar[str] = "nothing"

    def judge(self, page: Page) -> Verdict:
        """Drop all text as one span."""
        spans = np.array([[0, page.text_at.size]], dtype=np.int64)
        return Verdict(spans, np.zeros(1, dtype=bool), np.zeros(1), str)


class _Pages(Spider):
    name = "pages"

    def parse(self, response: Any) -> None:
        """Yield nothing."""


class _Crawl:
    """The plugin's components in a crawl without an engine, with an extractor at no cost."""

    def __init__(self) -> None:
        own = {
            "BOILERPLATE_EXTRACTOR": Nothing(),
            "ITEM_PIPELINES": {BoilerplatePipeline: BoilerplatePipeline.ORDER},
            "SPIDER_MIDDLEWARES": {BoilerplateSpiderMiddleware: BoilerplateSpiderMiddleware.ORDER},
        }
        crawler = get_crawler(_Pages, own)
        crawler.spider = crawler._create_spider()
        middlewares = SpiderMiddlewareManager.from_crawler(crawler)
        scraper = SimpleNamespace(spidermw=middlewares)
        crawler.engine = SimpleNamespace(scraper=scraper)  # type: ignore[assignment]
        self.spider = crawler.spider
        self._state = CrawlState.of(crawler)
        self._middleware = next(
            each for each in middlewares.middlewares if type(each) is BoilerplateSpiderMiddleware
        )
        self._pipeline = BoilerplatePipeline.from_crawler(crawler)
        self._pipeline.open_spider()

    def item(self, text: str) -> Callable[[], object]:
        """Return the way of a page's only item through the plugin; the page has been read."""
        request = Request(ADDRESS, callback=self.spider.parse)
        response = HtmlResponse(ADDRESS, body=text.encode(), encoding="utf-8", request=request)
        page = Page.parse(text, url=ADDRESS)
        page.lay_out_all(page.blocks[:0])  # any method counts and lays out …
        page.visible.sum()  # … what it keeps
        self._state.record(response).read = page
        return partial(self._send, {"url": ADDRESS}, response)

    def _send(self, item: object, response: HtmlResponse) -> object:
        self._middleware.get_processed_item(item, response)
        with self._state.following(item):
            return self._pipeline.process_item(item)


@cache
def _crawl() -> _Crawl:
    return _Crawl()


def crawl_steps(text: str) -> Iterator[tuple[str, Callable[[], Any]]]:
    """Yield the calls to count on one page.

    ``pipeline``: an item's way through spider middleware, item processor and pipeline without
    reading and extracting its page. ``learning``: a page is learned from.
    """
    yield PIPELINE, _crawl().item(text)
    page = Page.from_selector(Selector(text=text, type="html"), url=ADDRESS, source=text)
    found = get_extractor("mss").extract(page)
    yield LEARNING, partial(SiteLearner().observe, page, found)
