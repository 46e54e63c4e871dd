"""Items scraped through the real middlewares and pipelines, without an engine."""

from __future__ import annotations

import asyncio
import io
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

import scrapy
from scrapy.core.spidermw import SpiderMiddlewareManager
from scrapy.http import HtmlResponse, Response, TextResponse
from scrapy.utils.asyncgen import as_async_generator
from scrapy.utils.misc import load_object
from scrapy.utils.reactor import install_reactor, is_reactor_installed
from scrapy.utils.test import get_crawler

from scrapy_boilerplate import Page
from scrapy_boilerplate.core.methods.mss import MSS
from scrapy_boilerplate.plugin.pipelines import BoilerplatePipeline
from scrapy_boilerplate.plugin.spidermiddlewares import BoilerplateSpiderMiddleware

TEXT = "A first sentence that has several words.\n\nA second one, which follows the first."
HTML = (
    "<html><head><title>The\n title</title></head><body>"
    "<ul><li><a href='/'>Home</a><li><a href='/n'>News</a></ul>"
    "<p>A first sentence that has several words.</p>"
    "<p>A second one, which follows the first.</p></body></html>"
)
BY_HAND: dict[str, Any] = {
    "SPIDER_MIDDLEWARES_BASE": {},
    "SPIDER_MIDDLEWARES": {BoilerplateSpiderMiddleware: BoilerplateSpiderMiddleware.ORDER},
    "ITEM_PIPELINES": {BoilerplatePipeline: BoilerplatePipeline.ORDER},
    "BOILERPLATE_EXTRACTOR": "mss",
}


class Spider(scrapy.Spider):
    name = "spider"

    def parse(self, response):
        """Yield nothing of interest."""


class Crawl:
    """A crawler with its real managers of middlewares and pipelines, and no engine."""

    def __init__(self, settings: Any = None, spider: type[scrapy.Spider] = Spider) -> None:
        if not is_reactor_installed() and scrapy.version_info < (2, 15):
            install_reactor("twisted.internet.asyncioreactor.AsyncioSelectorReactor")
        self.crawler = get_crawler(spider, {**BY_HAND, **(settings or {})})
        self.crawler.spider = self.crawler._create_spider()
        self._middlewares = SpiderMiddlewareManager.from_crawler(self.crawler)
        self._pipelines = load_object(self.crawler.settings["ITEM_PROCESSOR"]).from_crawler(
            self.crawler
        )
        scraper = SimpleNamespace(spidermw=self._middlewares, itemproc=self._pipelines)
        self.crawler.engine = SimpleNamespace(scraper=scraper)  # type: ignore[assignment]
        asyncio.run(self._pipelines.open_spider_async())

    def scrape(self, response: Response, *items: Any) -> list[Any]:
        """Return the items as the pipelines have left them, all yielded before any is processed."""

        async def callback(response: Any, request: Any) -> Any:
            return list(items)

        async def run() -> list[Any]:
            request = scrapy.Request(response.url)
            output = await self._middlewares.scrape_response_async(callback, response, request)
            yielded = [item async for item in as_async_generator(output)]
            return [await self._pipelines.process_item_async(item) for item in yielded]

        return asyncio.run(run())

    def process(self, item: Any) -> Any:
        """Return an item that came from no response."""
        return asyncio.run(self._pipelines.process_item_async(item))

    @property
    def stats(self) -> dict[str, Any]:
        """The plugin's stats, without their prefix and the time."""
        stats = self.crawler.stats.get_stats()
        start = "boilerplate/"
        return {
            name.removeprefix(start): value
            for name, value in stats.items()
            if name.startswith(start) and name != "boilerplate/seconds"
        }


def page(html: str | bytes = HTML, cls: type = HtmlResponse, **meta: Any) -> Any:
    body = html.encode() if isinstance(html, str) else html
    request = scrapy.Request("https://example.com/page", meta=meta)
    kwargs = {"encoding": "utf-8"} if issubclass(cls, TextResponse) else {}
    return cls("https://example.com/page", body=body, request=request, **kwargs)


def exported(kind: type[Any], *items: Any, **options: Any) -> str:
    """Return what an exporter writes of some items."""
    file = io.BytesIO()
    exporter = kind(file, **options)
    exporter.start_exporting()
    for item in items:
        exporter.export_item(item)
    exporter.finish_exporting()
    return file.getvalue().decode(options.get("encoding", "utf-8"))


@dataclass(frozen=True, slots=True)
class Broken(MSS):
    """Fails on pages that say so."""

    name = "broken"

    def judge(self, page: Page) -> Any:
        if "fail" in page.buffer:
            raise RuntimeError("no luck")
        return super(Broken, self).judge(page)
