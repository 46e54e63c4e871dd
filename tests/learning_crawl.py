"""Crawls the addresses of a file: ``python learning_crawl.py URLS OUTPUT SETTINGS``.

Each item is written to ``OUTPUT.sink`` the moment that it is scraped; a feed is buffered, and a
kill would take what its buffer holds. An address that an earlier run's sink has is not asked for
again: what a project with a frontier does.
"""

from __future__ import annotations

import json
import sys
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import scrapy
from patching import patch_constants
from scrapy import signals
from scrapy.crawler import AsyncCrawlerProcess, CrawlerProcess

from scrapy_boilerplate import get_extractor
from scrapy_boilerplate.plugin.extensions import BoilerplateSiteLearning

urls, output, own = Path(sys.argv[1]), Path(sys.argv[2]), json.loads(sys.argv[3])


@dataclass
class Article:
    url: str
    number: int
    text: str = ""


class Listener:
    """An item pipeline after ours, and a listener, that writes each item at once."""

    def __init__(self, crawler: Any) -> None:
        self.sink = output.with_suffix(".sink").open("ab", buffering=0)
        crawler.signals.connect(self.scraped, signal=signals.item_scraped)
        crawler.signals.connect(self.closed, signal=signals.spider_closed)

    @classmethod
    def from_crawler(cls, crawler: Any) -> Listener:
        return cls(crawler)

    def process_item(self, item: Any) -> Any:
        assert item.text is not None
        return item

    def scraped(self, item: Any) -> None:
        self.sink.write(f"{json.dumps([item.url, item.text])}\n".encode())

    def closed(self) -> None:
        self.sink.close()


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
        done = addresses_done()
        for number, url in enumerate(urls.read_text().split()):
            if url not in done:
                yield scrapy.Request(url, self.parse_article, meta={"number": number})

    def parse_article(self, response: Any) -> Any:
        yield Article(response.url, response.meta["number"])


def addresses_done() -> set[str]:
    sinks = [path.read_text() for path in output.parent.glob("*.sink")]
    lines = [line for sink in sinks for line in sink.splitlines(keepends=True)]
    return {json.loads(line)[0] for line in lines if line.endswith("\n")}


def main() -> None:
    patch_constants(own)
    asked = Asked(type(get_extractor("mss-tuned")))
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
