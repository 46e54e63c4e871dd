"""Crawls the addresses of a file: ``python learning_crawl.py URLS OUTPUT SETTINGS``.

Each item is written to ``OUTPUT.sink`` the moment that it is scraped; a feed is buffered, and a
kill would take what its buffer holds. An address that an earlier run's sink has, or whose item
waited when that run was killed, is not asked for again: what a project with a frontier does.
"""

from __future__ import annotations

import asyncio
import json
import resource
import shutil
import sqlite3
import sys
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import scrapy
from patching import patch_constants
from scrapy import signals
from scrapy.crawler import AsyncCrawlerProcess, CrawlerProcess
from scrapy.pipelines import ItemPipelineManager

from scrapy_boilerplate import get_extractor
from scrapy_boilerplate.plugin.extensions import BoilerplateSiteLearning
from scrapy_boilerplate.plugin.holding.store import HeldStore
from scrapy_boilerplate.plugin.state import CrawlState

urls, output, own = Path(sys.argv[1]), Path(sys.argv[2]), json.loads(sys.argv[3])


@dataclass
class Article:
    url: str
    number: int
    text: str = ""
    padding: str = ""


@dataclass
class Note:
    """Needs no text of its page, so that it is never held."""

    text: ClassVar[str] = ""
    url: str
    number: int


class Listener:
    """An item pipeline after ours, and a listener, that look at items and responses."""

    def __init__(self, crawler: Any) -> None:
        self.seen: list[Any] = []
        self.sink = output.with_suffix(".sink").open("ab", buffering=0)
        crawler.signals.connect(self.scraped, signal=signals.item_scraped)
        crawler.signals.connect(self.closed, signal=signals.spider_closed)

    @classmethod
    def from_crawler(cls, crawler: Any) -> Listener:
        return cls(crawler)

    def process_item(self, item: Any) -> Any:
        assert item.text is not None
        return item

    def scraped(self, item: Any, response: Any) -> None:
        callback = getattr(response.request.callback, "__name__", None)
        row = [item.url, response.url, response.status, response.meta["number"], callback]
        self.seen.append([*row, response.css("title::text").get()])
        self.sink.write(f"{json.dumps([item.url, item.text])}\n".encode())

    def closed(self) -> None:
        self.sink.close()
        output.with_suffix(".seen").write_text(json.dumps(self.seen))


class OwnProcessor(ItemPipelineManager):
    """An item processor of the project's own, that counts what it is asked for."""

    async def open_spider_async(self) -> None:
        self.crawler.stats.inc_value("own/opened")
        await super().open_spider_async()

    async def process_item_async(self, item: Any) -> Any:
        self.crawler.stats.inc_value("own/processed")
        return await super().process_item_async(item)

    async def close_spider_async(self) -> None:
        self.crawler.stats.inc_value("own/closed")
        await super().close_spider_async()


class Closing:
    """An item pipeline that says on disk that it was closed."""

    def close_spider(self) -> None:
        output.with_suffix(".closed").write_text("yes")

    def process_item(self, item: Any) -> Any:
        return item


class Raising:
    """Raises what stops a coroutine, on every third item."""

    async def process_item(self, item: Any) -> Any:
        if item.number % 3 == 0:
            raise {"cancelled": asyncio.CancelledError, "exit": GeneratorExit}[own["RAISE"]]
        return item


class Together:
    """Lets an item through when so many are in this pipeline at once; else the run fails."""

    def __init__(self) -> None:
        self.inside = 0
        self.enough = asyncio.Event()

    async def process_item(self, item: Any) -> Any:
        self.inside += 1
        if self.inside >= own["TOGETHER"]:
            self.enough.set()
        await asyncio.wait_for(self.enough.wait(), 30)
        return item


def break_store(name: str) -> None:
    """Let a method of the store of held items fail, as it does on a full or broken disk."""

    def fail(*_: Any, **__: Any) -> None:
        raise sqlite3.OperationalError("disk I/O error")

    assert hasattr(HeldStore, name)
    setattr(HeldStore, name, fail)


def make_read_only(crawler: Any) -> None:
    """Let the databases of a crawl refuse to be written, as on a disk that became read-only."""
    held_items = CrawlState.of(crawler).held_items
    queue = crawler.get_extension(BoilerplateSiteLearning)._exchange._store
    for store in (held_items._store, queue._store):
        store._database.execute("PRAGMA query_only = ON")


class Asked:
    """Counts how often a method is asked for its verdict on a page."""

    def __init__(self, method: type[Any]) -> None:
        self.times = 0
        judge = method.judge

        def counted(extractor: Any, page: Any) -> Any:
            self.times += 1
            return judge(extractor, page)

        method.judge = counted


class Sites(scrapy.Spider):
    name = "sites"

    async def start(self) -> AsyncIterator[Any]:
        done = addresses_done() if own.get("FRONTIER", True) else set()
        for number, url in enumerate(urls.read_text().split()):
            if url not in done:
                yield scrapy.Request(url, self.parse_article, meta={"number": number})

    def parse_article(self, response: Any) -> Any:
        if own.get("REMOVE_FILES_AT") == response.meta["number"]:
            for path in (Path(own["JOBDIR"], "boilerplate"), Path(own["BOILERPLATE_SITE_STORE"])):
                shutil.rmtree(path) if path.is_dir() else path.unlink(missing_ok=True)
        if own.get("READ_ONLY_AT") == response.meta["number"]:
            make_read_only(self.crawler)
        if own.get("NOTES"):
            yield Note(response.url, response.meta["number"])
        padding = "x" * own.get("PADDING", 0)
        yield Article(response.url, response.meta["number"], padding=padding)


def pipelines() -> dict[type, int]:
    return {globals()[own["PIPELINE"]]: 200, Listener: 300, Closing: 301}


def addresses_done() -> set[str]:
    sinks = [path.read_text() for path in output.parent.glob("*.sink")]
    lines = [line for sink in sinks for line in sink.splitlines(keepends=True)]
    done = {json.loads(line)[0] for line in lines if line.endswith("\n")}
    held = Path(own.get("JOBDIR", "."), "boilerplate", "held.sqlite")
    if held.exists():
        database = sqlite3.connect(held)
        done |= {
            json.loads(item)[2]["url"] for (item,) in database.execute("SELECT item FROM items")
        }
        database.close()
    return done


def main() -> None:
    if "FILE_SIZE" in own:
        resource.setrlimit(resource.RLIMIT_FSIZE, (own["FILE_SIZE"], own["FILE_SIZE"]))
    patch_constants(own)
    if "BREAK" in own:
        break_store(own["BREAK"])
    asked = Asked(type(get_extractor("mss-tuned")))
    select = "Select" in own.get("TWISTED_REACTOR", "")
    process = (CrawlerProcess if select else AsyncCrawlerProcess)(
        {
            "ADDONS": {"scrapy_boilerplate.Addon": 500},
            "BOILERPLATE_EXTRACTOR": "mss-tuned",
            "FEEDS": {str(output.with_suffix(".jsonl")): {"format": "jsonlines"}},
            "ITEM_PIPELINES": {Listener: 300, Closing: 301},
            "LOG_FILE": str(output.with_suffix(".log")),
            "LOG_LEVEL": "INFO",
            "TELNETCONSOLE_ENABLED": False,
            **own,
            **({"ITEM_PIPELINES": pipelines()} if "PIPELINE" in own else {}),
        }
    )
    crawler = process.create_crawler(Sites)
    process.crawl(crawler)
    process.start()
    learning = crawler.get_extension(BoilerplateSiteLearning)
    models = (
        {site: learning.learner.model(site) for site in learning.learner.memory} if learning else {}
    )
    stats = crawler.stats.get_stats()
    stats["asked"] = asked.times
    stats["models"] = {site: model.to_dict() for site, model in models.items() if model}
    output.with_suffix(".json").write_text(json.dumps(stats, default=str))


if __name__ == "__main__":
    main()
