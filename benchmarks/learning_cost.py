"""What learning costs a crawl of many hosts: processor time a page, with it and without.

    python -m benchmarks.learning_cost --data ../shared/data/extra/news-2011 --least 5 --most 12
    python -m benchmarks.learning_cost --data ../shared/data/sites --most 100

Crawls the pages of all hosts of a labelled set that has so many of each, mixed in an order drawn at
random, as a broad crawl meets them. A downloader middleware answers from memory; the spider uses
``response.css`` and a link extractor, as most do. Each crawl is a process of its own with an empty
store. The crawls take turns, and the medians of their processor times are printed, so that other
work on the machine changes the figures little. *added* is how much more than without the plugin,
*over no learning* the share that learning adds to the crawl.
"""

from __future__ import annotations

import argparse
import json
import random
import subprocess
import sys
import tempfile
from collections import defaultdict
from collections.abc import AsyncIterator, Iterator, Sequence
from pathlib import Path
from statistics import median
from time import process_time
from typing import Any

import scrapy
from scrapy import signals
from scrapy.crawler import AsyncCrawlerProcess
from scrapy.http import HtmlResponse
from scrapy.linkextractors import LinkExtractor

from benchmarks.data import LabelledPage, read
from benchmarks.tables import table

__all__ = ["hosts_of", "main"]

PLAIN, ALONE, LEARNING = "no extraction", "no learning", "learning"
CRAWLS: dict[str, dict[str, Any]] = {
    PLAIN: {},
    ALONE: {"BOILERPLATE_SITES": False},
    "no learning, scripts kept": {"BOILERPLATE_SITES": False, "BOILERPLATE_STRIP": False},
    LEARNING: {},
    "learning, waits of 2 s": {"BOILERPLATE_SITE_HOLD_SECONDS": 2},
    "learning, JOBDIR": {"JOBDIR": "{folder}/job"},
}


def hosts_of(pages: Iterator[LabelledPage], least: int, most: int) -> list[list[LabelledPage]]:
    """Return the pages of each host that has at least so many, and of each not more than *most*."""
    hosts: defaultdict[str, list[LabelledPage]] = defaultdict(list)
    for page in pages:
        hosts[page.site or page.group].append(page)
    return [rows[:most] for rows in hosts.values() if len(rows) >= least]


class FromMemory:
    """Answers each request with the page of its number."""

    def __init__(self, crawler: Any) -> None:
        settings = crawler.settings
        self.pages = addressed(settings["DATA"], settings.getint("LEAST"), settings.getint("MOST"))

    @classmethod
    def from_crawler(cls, crawler: Any) -> FromMemory:
        """Read the pages that the settings name."""
        made = cls(crawler)
        crawler.addresses = list(made.pages)
        return made

    def process_request(self, request: Any) -> HtmlResponse:
        """Return the page."""
        body, headers = self.pages[request.url], {"Content-Type": "text/html"}
        return HtmlResponse(request.url, body=body, headers=headers)


def addressed(folder: str, least: int, most: int) -> dict[str, bytes]:
    """Return the body of each page by an address, in an order drawn at random."""
    pages = [
        (f"http://host-{host}.example/page-{number}", page.html)
        for host, rows in enumerate(hosts_of(read(folder), least, most))
        for number, page in enumerate(rows)
    ]
    random.Random(0).shuffle(pages)
    return dict(pages)


class Broad(scrapy.Spider):
    """Yields one item for each page."""

    name = "broad"
    began = 0.0

    async def start(self) -> AsyncIterator[Any]:
        """Ask for all pages."""
        links = LinkExtractor()
        self.links = links
        for number, url in enumerate(self.crawler.addresses):  # type: ignore[attr-defined]
            if not number:
                self.began = process_time()
            yield scrapy.Request(url, dont_filter=True)

    def parse(self, response: Any) -> Any:
        """Yield the item, whose text is for the plugin to fill in."""
        self.links.extract_links(response)
        yield {"url": response.url, "title": response.css("title::text").get()}


def crawl(name: str, data: str, least: str, most: str, extractor: str, folder: str) -> None:
    """Crawl in this process; write the feed and the processor time."""
    own = {
        key: value.format(folder=folder) if isinstance(value, str) else value
        for key, value in CRAWLS[name].items()
    }
    settings = {
        "ADDONS": {} if name == PLAIN else {"scrapy_boilerplate.Addon": 500},
        "BOILERPLATE_EXTRACTOR": extractor,
        "BOILERPLATE_SITE_STORE": f"{folder}/sites.sqlite",
        "DATA": data,
        "DOWNLOADER_MIDDLEWARES": {FromMemory: 1},
        "FEEDS": {f"{folder}/items.jsonl": {"format": "jsonlines"}},
        "LEAST": least,
        "LOG_LEVEL": "WARNING",
        "METAREFRESH_ENABLED": False,
        "MOST": most,
        "TELNETCONSOLE_ENABLED": False,
    }
    if name == PLAIN:
        settings = {key: value for key, value in settings.items() if "BOILERPLATE" not in key}
    process = AsyncCrawlerProcess({**settings, **own})
    crawler = process.create_crawler(Broad)
    seconds: list[float] = []

    def closed(spider: Broad) -> None:
        seconds.append(process_time() - spider.began)

    crawler.signals.connect(closed, signal=signals.spider_closed)
    process.crawl(crawler)
    process.start()
    Path(folder, "measured.json").write_text(json.dumps([seconds[0], len(crawler.addresses)]))  # type: ignore[attr-defined]


def run(name: str, arguments: Sequence[str]) -> tuple[float, int]:
    """Crawl in a process of its own; return CPU ms a page, and how many pages there were."""
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "benchmarks.learning_cost", "--child", name, *arguments]
        subprocess.run([*command, folder], check=True)
        seconds, pages = json.loads(Path(folder, "measured.json").read_text())
        with Path(folder, "items.jsonl").open(encoding="utf-8") as lines:
            items = [json.loads(line)["url"] for line in lines]
    assert len(items) == len(set(items)) == pages, "an item is missing, or came twice"
    return 1000 * seconds / pages, pages


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the crawls and print the table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    add = parser.add_argument
    add("--data", help="folder of a labelled set")
    add("--least", type=int, default=5, help="pages that a host has at least")
    add("--most", type=int, default=12, help="pages that are crawled of a host at most")
    add("--extractor", default="auto", help="name (default: %(default)s)")
    add("--repeats", type=int, default=3, help="crawls of each (default: %(default)s)")
    add("--crawls", nargs="+", metavar="NAME", default=list(CRAWLS), help="only these rows")
    add("--child", nargs=6, help=argparse.SUPPRESS)
    given = parser.parse_args(arguments)
    if given.child:
        return crawl(*given.child)
    passed = [given.data, str(given.least), str(given.most), given.extractor]
    times: dict[str, list[float]] = {name: [] for name in given.crawls}
    pages = 0
    for _ in range(given.repeats):
        for name in given.crawls:
            milliseconds, pages = run(name, passed)
            times[name].append(milliseconds)
            print(f"{name}: {milliseconds:.2f}", file=sys.stderr)
    print(f"{given.extractor}, {pages} pages, medians of {given.repeats} crawls\n")
    print(_report({name: median(values) for name, values in times.items()}))
    return None


def _report(times: dict[str, float]) -> str:
    rows = []
    for name, value in times.items():
        row = [name, f"{value:.2f}"]
        row.append(f"{value - times[PLAIN]:+.2f}" if PLAIN in times and name != PLAIN else "")
        learns = name.startswith(LEARNING)
        row.append(f"{value / times[ALONE] - 1:+.1%}" if learns and ALONE in times else "")
        rows.append(row)
    return table(["crawl", "CPU ms a page", "added", "over no learning"], rows)


if __name__ == "__main__":
    main()
