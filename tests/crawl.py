"""Runs a spider of this file in a process of its own.

``python crawl.py NAME ARGUMENTS OUTPUT SETTINGS``: the spider's arguments and settings are JSON.
"""

from __future__ import annotations

import gc
import json
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar
from weakref import WeakSet

import attrs
import scrapy
from pydantic import BaseModel, Field
from scrapy.crawler import AsyncCrawlerProcess, CrawlerProcess
from scrapy.exceptions import DropItem
from scrapy.linkextractors import LinkExtractor
from scrapy.spiders import CrawlSpider, Rule

from scrapy_boilerplate import extract_with


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


SPIDERS = {each.name: each for each in (Everything, Many, Articles)}


def main(name: str, arguments: dict[str, Any], output: str, settings: dict[str, Any]) -> int:
    is_twisted = settings.get("TWISTED_REACTOR", True) is None
    process = (CrawlerProcess if is_twisted else AsyncCrawlerProcess)(
        {
            "ADDONS": {"scrapy_boilerplate.Addon": 500},
            "FEEDS": {f"{output}.jsonl": {"format": "jsonlines", "overwrite": False}},
            "LOG_FILE": f"{output}.log",
            "TELNETCONSOLE_ENABLED": False,
            "RETRY_ENABLED": False,
            **settings,
        }
    )
    crawler = process.create_crawler(SPIDERS[name])
    process.crawl(crawler, **arguments)
    process.start()
    if process.bootstrap_failed:
        return 1
    gc.collect()
    spider = crawler.spider
    facts = {"alive": len(spider.alive), "most_alive": spider.most_alive}
    stats = {**crawler.stats.get_stats(), **facts}
    Path(f"{output}.json").write_text(json.dumps(stats, default=str))
    return 0


if __name__ == "__main__":
    name, arguments, output, settings = sys.argv[1:]
    sys.exit(main(name, json.loads(arguments), output, json.loads(settings)))
