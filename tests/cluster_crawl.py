"""One of several crawls that share a queue: ``python cluster_crawl.py FOLDER NAME``.

``FOLDER/crawl.json`` has the addresses to begin with and the settings.
"""

from __future__ import annotations

import json
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import scrapy
from patching import patch_constants
from scrapy.crawler import AsyncCrawlerProcess

folder, name = Path(sys.argv[1]), sys.argv[2]
crawl = json.loads((folder / "crawl.json").read_text())


def append(kind: str, line: str) -> None:
    """Write a line at once, so that a kill does not take it."""
    with (folder / f"{name}.{kind}").open("ab", buffering=0) as file:
        file.write(f"{line}\n".encode())


class Write:
    """The last item pipeline, a feed without a buffer."""

    def process_item(self, item: Any) -> Any:
        append("written", json.dumps([item["url"], item["text"]]))
        return item


class Shared(scrapy.Spider):
    """Begins with the addresses; the queue in Redis gives each to one process."""

    name = "shared"

    async def start(self) -> AsyncIterator[Any]:
        for url in crawl["urls"]:
            yield scrapy.Request(url)

    def parse(self, response: Any) -> Any:
        append("asked", response.url)
        for href in response.css("li.next a::attr(href)").getall():
            yield response.follow(href)
        if "/article/" in response.url:
            yield {"url": response.url, "text": None}
        append("delivered", response.url)


patch_constants(crawl["settings"])
process = AsyncCrawlerProcess(
    {
        "LOG_FILE": str(folder / f"{name}.log"),
        "LOG_LEVEL": "INFO",
        "TELNETCONSOLE_ENABLED": False,
        "SCHEDULER": "scrapy_redis.scheduler.Scheduler",
        "DUPEFILTER_CLASS": "scrapy_redis.dupefilter.RFPDupeFilter",
        "SCHEDULER_PERSIST": True,
        "ADDONS": {"scrapy_boilerplate.Addon": 500},
        "ITEM_PIPELINES": {Write: 900},
        "JOBDIR": str(folder / f"{name}.job"),
        "CONCURRENT_REQUESTS": 8,
        **crawl["settings"],
    }
)
process.crawl(Shared)
process.start()
