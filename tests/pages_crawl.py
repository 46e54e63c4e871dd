"""Crawls articles on several pages: ``python pages_crawl.py URL ARTICLES OUTPUT SETTINGS``."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import scrapy
from scrapy.crawler import AsyncCrawlerProcess, CrawlerProcess


class Articles(scrapy.Spider):
    """Asks for the first page of each article, and yields two items for it."""

    name = "articles"
    boilerplate = {"pages": True, "fields": {"text": "text", "truncated": "truncated"}}  # noqa: RUF012
    articles = 0
    url = ""

    async def start(self):
        for number in range(self.articles):
            is_again = self.settings.getbool("ASKS_AGAIN")
            yield scrapy.Request(f"{self.url}/story-{number}.html", dont_filter=is_again)

    def parse(self, response):
        for part in ("a", "b"):
            yield {"url": response.url, "part": part}


def main(url: str, articles: str, output: str, settings: dict[str, Any]) -> None:
    is_twisted = settings.get("TWISTED_REACTOR", True) is None
    process = (CrawlerProcess if is_twisted else AsyncCrawlerProcess)(
        {
            "ADDONS": {"scrapy_boilerplate.Addon": 500},
            "FEEDS": {f"{output}.jsonl": {"format": "jsonlines", "overwrite": False}},
            "LOG_FILE": f"{output}.log",
            "TELNETCONSOLE_ENABLED": False,
            "RETRY_ENABLED": False,
            "ROBOTSTXT_OBEY": True,
            "DOWNLOAD_TIMEOUT": 10,
            **settings,
        }
    )
    crawler = process.create_crawler(Articles)
    process.crawl(crawler, url=url, articles=int(articles))
    process.start()
    Path(f"{output}.json").write_text(json.dumps(crawler.stats.get_stats(), default=str))


if __name__ == "__main__":
    url, articles, output, settings = sys.argv[1:]
    main(url, articles, output, json.loads(settings))
