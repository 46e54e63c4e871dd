"""Crawls the addresses of a file: ``python learning_crawl.py URLS OUTPUT SETTINGS``.

An address that a feed of an earlier run has, or whose item waited when that run was killed, is not
asked for again: what a project with a frontier of its own does.
"""

from __future__ import annotations

import json
import sqlite3
import sys
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import scrapy
from scrapy import signals
from scrapy.crawler import AsyncCrawlerProcess, CrawlerProcess

urls, output, own = Path(sys.argv[1]), Path(sys.argv[2]), json.loads(sys.argv[3])


@dataclass
class Article:
    url: str
    number: int
    text: str = ""


class Listener:
    """An item pipeline after ours, and a listener, that look at items and responses."""

    def __init__(self, crawler: Any) -> None:
        self.seen: list[Any] = []
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

    def closed(self) -> None:
        output.with_suffix(".seen").write_text(json.dumps(self.seen))


class Sites(scrapy.Spider):
    name = "sites"

    async def start(self) -> AsyncIterator[Any]:
        done = addresses_done()
        for number, url in enumerate(urls.read_text().split()):
            if url not in done:
                yield scrapy.Request(url, self.parse_article, meta={"number": number})

    def parse_article(self, response: Any) -> Any:
        yield Article(response.url, response.meta["number"])


def addresses_done() -> set[str]:
    feeds = output.parent.glob("*.jsonl")
    lines = [line for feed in feeds for line in feed.read_text().splitlines()]
    done = {json.loads(line)["url"] for line in lines if line.endswith("}")}
    held = Path(own.get("JOBDIR", "."), "boilerplate", "held.sqlite")
    if held.exists():
        database = sqlite3.connect(held)
        done |= {
            json.loads(item)[2]["url"] for (item,) in database.execute("SELECT item FROM items")
        }
        database.close()
    return done


def main() -> None:
    select = "Select" in own.get("TWISTED_REACTOR", "")
    process = (CrawlerProcess if select else AsyncCrawlerProcess)(
        {
            "ADDONS": {"scrapy_boilerplate.Addon": 500},
            "BOILERPLATE_EXTRACTOR": "mss-tuned",
            "FEEDS": {str(output.with_suffix(".jsonl")): {"format": "jsonlines"}},
            "ITEM_PIPELINES": {Listener: 300},
            "LOG_FILE": str(output.with_suffix(".log")),
            "LOG_LEVEL": "INFO",
            "TELNETCONSOLE_ENABLED": False,
            **own,
        }
    )
    crawler = process.create_crawler(Sites)
    process.crawl(crawler)
    process.start()
    stats = crawler.stats.get_stats()
    output.with_suffix(".json").write_text(json.dumps(stats, default=str))


if __name__ == "__main__":
    main()
