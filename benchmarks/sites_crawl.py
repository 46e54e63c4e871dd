"""A real crawl of each multi-page site, with and without learning: what is in the feed.

    python -m benchmarks.sites_crawl --data ../shared/data/sites --extractor mss-tuned

A downloader middleware answers each request with the labelled page of that address, so that all of
the plugin is at work as in any crawl: pages wait until their site is learned, and the items of the
first ones go into the feed with the better text. Every crawl is a process of its own with an empty
store, and takes the pages in an order drawn at random. Printed are, from the feed, the share of
sentences and of characters that are unique, which the article on site learning reports (Endrédy,
Novák 2013, table 1), and what it does not report: the recall of the gold text; besides the word F1
of articles, and the share of index pages whose text is empty.
"""

from __future__ import annotations

import argparse
import json
import random
import subprocess
import sys
import tempfile
from collections.abc import AsyncIterator, Sequence
from pathlib import Path
from typing import Any

import scrapy
from scrapy.crawler import AsyncCrawlerProcess
from scrapy.http import HtmlResponse

from benchmarks.data import LabelledPage, read_sites
from benchmarks.metrics import score
from benchmarks.sites import mean, sites_of
from benchmarks.tables import share, table
from scrapy_boilerplate.core.page.text import tokens
from scrapy_boilerplate.tools.duplication import duplication

__all__ = ["main"]


class Labelled:
    """Answers each request with the labelled page of that address."""

    def __init__(self, crawler: Any) -> None:
        self._pages = {page.url: page for page in read_sites(Path(crawler.settings["SITE"]))}

    @classmethod
    def from_crawler(cls, crawler: Any) -> Labelled:
        """Read the pages of the folder that the setting ``SITE`` names."""
        return cls(crawler)

    def process_request(self, request: Any) -> HtmlResponse:
        """Return the page."""
        headers = {"Content-Type": "text/html"}
        body = self._pages[request.meta["address"]].html
        return HtmlResponse(request.url, body=body, headers=headers)


class Site(scrapy.Spider):
    """Yields one item for each page."""

    name = "site"

    async def start(self) -> AsyncIterator[Any]:
        """Ask for all pages, in an order drawn at random."""
        urls = [page.url for page in read_sites(Path(self.settings["SITE"]))]
        random.Random(self.settings.getint("SEED")).shuffle(urls)
        for url in urls:
            # Scrapy writes addresses in another way; the labels are by the one that was given.
            yield scrapy.Request(url, dont_filter=True, meta={"address": url})

    def parse(self, response: Any) -> Any:
        """Yield the item, whose text is for the plugin to fill in."""
        yield {"url": response.meta["address"]}


def crawl(site: str, extractor: str, seed: str, learning: str, output: str) -> None:
    """Crawl a site in this process; write the feed."""
    process = AsyncCrawlerProcess(
        {
            "ADDONS": {"scrapy_boilerplate.Addon": 500},
            "BOILERPLATE_EXTRACTOR": extractor,
            "BOILERPLATE_SITES": bool(learning),
            "BOILERPLATE_SITE_STORE": f"{output}/sites.sqlite",
            "DOWNLOADER_MIDDLEWARES": {Labelled: 1},
            "FEEDS": {f"{output}/items.jsonl": {"format": "jsonlines"}},
            "LOG_LEVEL": "WARNING",
            "METAREFRESH_ENABLED": False,
            "SEED": seed,
            "SITE": site,
            "TELNETCONSOLE_ENABLED": False,
        }
    )
    process.crawl(Site)
    process.start()


def feed(site: Path, extractor: str, seed: int, learning: bool) -> dict[str, str]:
    """Crawl a site in a process of its own; return the text by address."""
    with tempfile.TemporaryDirectory() as output:
        arguments = [str(site), extractor, str(seed), "yes" if learning else "", output]
        command = [sys.executable, "-m", "benchmarks.sites_crawl", "--crawl", *arguments]
        subprocess.run(command, check=True)
        lines = Path(output, "items.jsonl").read_text(encoding="utf-8").splitlines()
    items = [json.loads(line) for line in lines]
    texts = {item["url"]: item["text"] for item in items}
    assert len(texts) == len(items), "an item came twice"
    return texts


MEASURES = ("unique sentences", "unique characters", "recall", "F1, articles", "index empty")


def measures(texts: dict[str, str], pages: Sequence[LabelledPage]) -> list[float]:
    """Return one figure for each of :data:`MEASURES`."""
    assert len(texts) == len({page.url for page in pages}), "an item is missing"
    counts = duplication(texts.values())[""]
    scores = [(page.kind, score(tokens(texts[page.url]), tokens(page.gold))) for page in pages]
    return [
        counts.sentence_share,
        counts.character_share,
        mean([found.recall for kind, found in scores if kind == "article"]),
        mean([found.f1 for kind, found in scores if kind == "article"]),
        mean([found.f1 for kind, found in scores if kind == "index"]),
    ]


def main() -> None:
    """Run what the command line asks for."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    add = parser.add_argument
    add("--data", type=Path, help="folder of the multi-page sites")
    add("--extractor", default="mss-tuned", help="name (default: %(default)s)")
    add("--seed", type=int, default=0, help="of the order of pages (default: %(default)s)")
    add("--sites", nargs="+", help="only these sites")
    add("--crawl", nargs=5, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.crawl:
        return crawl(*given.crawl)
    rows = []
    for site, pages in sites_of(given.data, given.sites):
        runs = [
            measures(feed(given.data / site, given.extractor, given.seed, learning), pages)
            for learning in (False, True)
        ]
        rows.append([site, *(value for pair in zip(*runs, strict=True) for value in pair)])
    rows.append(["mean over sites", *map(mean, zip(*(row[1:] for row in rows), strict=True))])
    headers = [text for name in MEASURES for text in (f"{name}, alone", "learned")]
    print(f"\n{given.extractor}: what a crawl's feed holds, without and with learning\n")
    print(table(["site", *headers], [[row[0], *map(share, row[1:])] for row in rows]))
    return None


if __name__ == "__main__":
    main()
