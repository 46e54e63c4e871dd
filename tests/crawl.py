"""Runs a spider of this file in a process of its own.

``python crawl.py NAME ARGUMENTS OUTPUT SETTINGS``: the spider's arguments and settings are JSON.
"""

from __future__ import annotations

import gc
import json
import sys
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import Any, ClassVar
from weakref import WeakSet

import attrs
import scrapy
from itemadapter import ItemAdapter
from pydantic import BaseModel, Field
from scrapy import signals
from scrapy.crawler import AsyncCrawlerProcess, CrawlerProcess
from scrapy.exceptions import DropItem
from scrapy.linkextractors import LinkExtractor
from scrapy.spiders import CrawlSpider, Rule

from scrapy_boilerplate import extract_with, get_extractor
from scrapy_boilerplate.plugin.extensions import BoilerplateSiteLearning


class ScrapyItem(scrapy.Item):
    name = scrapy.Field()
    text = scrapy.Field()
    headline = scrapy.Field(boilerplate="title")


@dataclass
class DataclassItem:
    name: str
    text: str = ""
    headline: str = field(default="", metadata={"boilerplate": "title"})


@attrs.define
class AttrsItem:
    name: str
    text: str = ""
    headline: str = attrs.field(default="", metadata={"boilerplate": "title"})


class PydanticItem(BaseModel):
    name: str
    text: str | None = None
    headline: str | None = Field(default=None, json_schema_extra={"boilerplate": "title"})


class DropSome:
    """A pipeline before ours that drops what says so."""

    def process_item(self, item: Any) -> Any:
        """Return *item*, unless its name is "dropped"."""
        if isinstance(item, dict) and item.get("name") == "dropped":
            raise DropItem("as it asked for")
        return item


class Watching(scrapy.Spider):
    """Knows which responses are alive."""

    url = "to be given"

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.alive: WeakSet[Any] = WeakSet()
        self.most_alive = 0

    def watch(self, response: Any) -> None:
        self.alive.add(response)
        if len(self.alive) % 20 == 0:
            gc.collect()
            self.most_alive = max(self.most_alive, len(self.alive))

    def facts(self) -> dict[str, Any]:
        return {"alive": len(self.alive), "most_alive": self.most_alive}


class Everything(Watching):
    """Yields items of all types, in all ways."""

    name = "everything"
    custom_settings: ClassVar = {"ITEM_PIPELINES": {DropSome: 50}}

    async def start(self):
        yield {"name": "start"}
        for path, callback in [
            ("/types", self.parse_types),
            ("/async", self.parse_async),
            ("/list", self.parse_list),
            ("/redirect", self.parse_one),
            ("/json", self.parse_one),
            ("/chosen", self.parse_chosen),
        ]:
            yield scrapy.Request(self.url + path, callback)
        one = [False, "mss-tuned", {"extractor": "mss", "tag_score": -100}, "no-such-name"]
        for number, choice in enumerate(one):
            yield scrapy.Request(
                f"{self.url}/one?{number}",
                self.parse_one,
                meta={"boilerplate": choice},
                cb_kwargs={"name": f"meta {number}"},
            )
        yield scrapy.Request(self.url + "/missing", self.parse_one, errback=self.failed)
        yield scrapy.Request("http://127.0.0.1:1/", self.parse_one, errback=self.failed)
        yield scrapy.FormRequest(
            self.url + "/one",
            self.parse_one,
            method="GET",
            formdata={"q": "form"},
            cb_kwargs={"name": "form"},
            dont_filter=True,
        )

    def parse_types(self, response):
        self.watch(response)
        for cls in (ScrapyItem, DataclassItem, AttrsItem, PydanticItem, dict):
            yield cls(name=cls.__name__)
        yield {"name": "dropped"}
        yield {"name": "filled", "text": "mine"}

    async def parse_async(self, response):
        self.watch(response)
        for number in range(3):
            yield {"name": f"async {number}"}

    async def parse_list(self, response):
        self.watch(response)
        return [{"name": "list 0"}, {"name": "list 1"}]

    def parse_one(self, response, name=None):
        self.watch(response)
        yield {"name": name or response.url.rpartition("/")[2]}

    @extract_with("mss", tag_score=-100, fields={"text": "text", "kind": "kind"})
    def parse_chosen(self, response):
        self.watch(response)
        yield {"name": "chosen"}

    def failed(self, failure):
        response = getattr(failure.value, "response", None)
        yield {"name": "failed with response" if response is not None else "failed"}


class Many(Watching, CrawlSpider):
    """Follows links, as most spiders do."""

    name = "many"
    rules = (Rule(LinkExtractor(allow="/page/"), callback="parse_page", follow=True),)

    async def start(self):
        yield scrapy.Request(self.url + "/page/0")

    def parse_page(self, response):
        self.watch(response)
        for part in ("a", "b"):
            yield {"url": response.url, "part": part, "title": response.css("title::text").get()}


class Articles(Watching):
    """Asks for the first page of each article, and yields two items for it."""

    name = "articles"
    boilerplate = {"pages": True, "fields": {"text": "text", "truncated": "truncated"}}  # noqa: RUF012
    custom_settings: ClassVar = {"ROBOTSTXT_OBEY": True, "DOWNLOAD_TIMEOUT": 10}
    articles = 0

    async def start(self):
        for number in range(self.articles):
            is_again = self.settings.getbool("ASKS_AGAIN")
            yield scrapy.Request(f"{self.url}/story-{number}.html", dont_filter=is_again)

    def parse(self, response):
        self.watch(response)
        for part in ("a", "b"):
            yield {"url": response.url, "part": part}


# -- crawls that are killed, and whose sites are learned ---------------------------------------


@dataclass
class Article:
    url: str
    number: int
    text: str = ""


class Sink:
    """Writes each item the moment that it is scraped: a kill takes what a feed's buffer holds."""

    def __init__(self, crawler: Any) -> None:
        path = Path(f"{crawler.settings['OUTPUT']}.sink")
        self.file = path.open("ab", buffering=0)
        crawler.signals.connect(self.scraped, signal=signals.item_scraped)
        crawler.signals.connect(self.closed, signal=signals.spider_closed)

    @classmethod
    def from_crawler(cls, crawler: Any) -> Sink:
        return cls(crawler)

    def scraped(self, item: Any) -> None:
        item = ItemAdapter(item)
        self.file.write(f"{json.dumps([item['url'], item['text']])}\n".encode())

    def closed(self) -> None:
        self.file.close()


class Sites(scrapy.Spider):
    """Asks for the addresses of a file, but for those that an earlier run's sink has."""

    name = "sites"
    urls = ""
    defaults: ClassVar = {
        "EXTENSIONS": {Sink: 0},
        "BOILERPLATE_EXTRACTOR": "mss-tuned",
        "LOG_LEVEL": "INFO",
        "RETRY_ENABLED": True,
    }

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.asked = 0
        method: Any = type(get_extractor("mss-tuned"))
        judge = method.judge

        def counted(extractor: Any, page: Any) -> Any:
            self.asked += 1
            return judge(extractor, page)

        method.judge = counted

    async def start(self):
        done = self.addresses_done()
        for number, url in enumerate(Path(self.urls).read_text().split()):
            if url not in done:
                yield scrapy.Request(url, self.parse_article, meta={"number": number})

    def parse_article(self, response):
        yield Article(response.url, response.meta["number"])

    def addresses_done(self) -> set[str]:
        sinks = [path.read_text() for path in Path(self.urls).parent.glob("*.sink")]
        lines = [line for sink in sinks for line in sink.splitlines(keepends=True)]
        return {json.loads(line)[0] for line in lines if line.endswith("\n")}

    def facts(self) -> dict[str, Any]:
        """Return how often a method was asked for its verdict, and what is known of the sites."""
        learning = self.crawler.get_extension(BoilerplateSiteLearning)
        learner = learning.learner if learning else None
        models = {site: learner.model(site) for site in learner.memory} if learner else {}
        known = {site: model.to_dict() for site, model in models.items() if model}
        return {"asked": self.asked, "models": known}


class Shared(scrapy.Spider):
    """Begins with the same addresses as others; the queue in Redis gives each to one process."""

    name = "shared"
    urls: ClassVar[list[str]] = []
    defaults: ClassVar = {
        "EXTENSIONS": {Sink: 0},
        "FEEDS": {},
        "LOG_LEVEL": "INFO",
        "RETRY_ENABLED": True,
        "SCHEDULER": "scrapy_redis.scheduler.Scheduler",
        "DUPEFILTER_CLASS": "scrapy_redis.dupefilter.RFPDupeFilter",
        "SCHEDULER_PERSIST": True,
        "CONCURRENT_REQUESTS": 8,
    }

    async def start(self):
        for url in self.urls:
            yield scrapy.Request(url)

    def note(self, kind: str, line: str) -> None:
        """Write a line at once."""
        with Path(f"{self.settings['OUTPUT']}.{kind}").open("ab", buffering=0) as file:
            file.write(f"{line}\n".encode())

    def parse(self, response):
        self.note("asked", response.url)
        for href in response.css("li.next a::attr(href)").getall():
            yield response.follow(href)
        if "/article/" in response.url:
            yield {"url": response.url, "text": None}
        self.note("delivered", response.url)

    def facts(self) -> dict[str, Any]:
        return {}


SPIDERS = {each.name: each for each in (Everything, Many, Articles, Sites, Shared)}


def patch_constants(settings: dict[str, Any]) -> None:
    """Set what ``PATCH`` names: ``{"extensions.FLUSH_SECONDS": 3}``; each must be there."""
    for path, value in settings.get("PATCH", {}).items():
        module, _, name = path.rpartition(".")
        owner = import_module(f"scrapy_boilerplate.plugin.{module}")
        assert hasattr(owner, name), path
        setattr(owner, name, value)


def main(name: str, arguments: dict[str, Any], output: str, settings: dict[str, Any]) -> int:
    patch_constants(settings)
    reactor = settings.get("TWISTED_REACTOR", "asyncio")
    is_twisted = reactor is None or "Select" in reactor
    process = (CrawlerProcess if is_twisted else AsyncCrawlerProcess)(
        {
            "ADDONS": {"scrapy_boilerplate.Addon": 500},
            "FEEDS": {f"{output}.jsonl": {"format": "jsonlines", "overwrite": False}},
            "LOG_FILE": f"{output}.log",
            "OUTPUT": output,
            "TELNETCONSOLE_ENABLED": False,
            "RETRY_ENABLED": False,
            **getattr(SPIDERS[name], "defaults", {}),
            **settings,
        }
    )
    crawler = process.create_crawler(SPIDERS[name])
    process.crawl(crawler, **arguments)
    process.start()
    if process.bootstrap_failed:
        return 1
    gc.collect()
    stats = {**crawler.stats.get_stats(), **crawler.spider.facts()}
    Path(f"{output}.json").write_text(json.dumps(stats, default=str))
    return 0


if __name__ == "__main__":
    name, arguments, output, settings = sys.argv[1:]
    sys.exit(main(name, json.loads(arguments), output, json.loads(settings)))
