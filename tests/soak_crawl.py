"""One crawl of the soak test: ``python soak_crawl.py FOLDER learning|plain``.

It asks for each address of ``FOLDER/urls`` of which nothing was delivered.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import scrapy
from scrapy.crawler import AsyncCrawlerProcess

folder, mode = Path(sys.argv[1]), sys.argv[2]


def append(name: str, line: str) -> None:
    """Write a line at once, so that a kill does not take it."""
    with (folder / name).open("ab", buffering=0) as file:
        file.write(f"{line}\n".encode())


class Deliver:
    """The last item pipeline."""

    def process_item(self, item: Any) -> Any:
        append("delivered", json.dumps([item["url"], item["text"] or ""]))
        return item


class Soak(scrapy.Spider):
    name = "soak"

    async def start(self) -> AsyncIterator[Any]:
        done = addresses_done()
        for url in (folder / "urls").read_text().split():
            if url not in done:
                yield scrapy.Request(url, cb_kwargs={"url": url})

    def parse(self, response: Any, url: str) -> Any:
        """Return an item of each page, whatever it is."""
        append("returned", url)
        yield {"url": url, "text": None if mode == "learning" else ""}


def addresses_done() -> set[str]:
    """Return the addresses whose item was delivered."""
    delivered = folder / "delivered"
    lines = delivered.read_text().splitlines(keepends=True) if delivered.exists() else []
    return {json.loads(line)[0] for line in lines if line.endswith("\n")}


if __name__ == "__main__":
    settings: dict[str, Any] = {
        "ITEM_PIPELINES": {Deliver: 900},
        "JOBDIR": str(folder / "job"),
        "CONCURRENT_REQUESTS": 64,
        "DOWNLOAD_TIMEOUT": 6,
        "RETRY_TIMES": 1,
        "REDIRECT_MAX_TIMES": 3,
        "TELNETCONSOLE_ENABLED": False,
        "LOG_LEVEL": "INFO",
        "LOG_FILE": str(folder / f"{time.time():.3f}.log"),
    }
    if mode == "learning":
        settings |= {
            "ADDONS": {"scrapy_boilerplate.Addon": 500},
            "BOILERPLATE_SITE_STORE": str(folder / "sites.sqlite"),
        }
    process = AsyncCrawlerProcess(settings)
    process.crawl(Soak)
    process.start()
