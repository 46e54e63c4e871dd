"""What the plugin costs a crawl: processor time a page and memory, beside other tools.

    python -m benchmarks.crawl --data ../shared/data/wcxb-dev --pages 250 --peers --repeats 3
    python -m benchmarks.crawl --data ../shared/data/wcxb-dev --pages 2000 --distinct 200
    python -m benchmarks.crawl --data ../shared/data/extra/news-2011 --hosts 5 12 --repeats 3
    python -m benchmarks.crawl --made 100000 --crawls "no extraction" learning

Crawls so many pages of a labelled set on one host, again and again where there are fewer. With
``--hosts`` it crawls all hosts that have so many pages, mixed in an order drawn at random, as a
broad crawl meets them. ``--made`` makes up so many hosts of one page each. A downloader middleware
answers from memory; the spider uses ``response.css`` and a link extractor, as most do. A peer is
called in the callback, with the response's body. Each crawl is a fresh process with an empty store,
and its feed must hold every item once. Printed are how many items have a text; the least processor
time a page of all repeats, without the first tenth of the crawl; how much more that is than without
extraction; the same of the last quarter alone; the files that are open then, beside how many were
at the first tenth; the memory when shares of the crawl are done; and the most memory at any time.
"""

from __future__ import annotations

import argparse
import gc
import json
import os
import random
import subprocess
import sys
import tempfile
from collections import Counter, defaultdict
from collections.abc import AsyncIterator, Iterator, Mapping
from itertools import islice
from pathlib import Path
from resource import RUSAGE_SELF, getpagesize, getrusage
from time import process_time
from typing import Any

import scrapy
from scrapy import signals
from scrapy.crawler import AsyncCrawlerProcess
from scrapy.http import HtmlResponse
from scrapy.linkextractors import LinkExtractor

from benchmarks.commands import a_folder, command
from benchmarks.data import LabelledPage, read
from benchmarks.peers import PEERS, installed_peers
from benchmarks.tables import table

PLAIN = "no extraction"
CRAWLS: dict[str, dict[str, Any]] = {
    PLAIN: {},
    "no learning": {"BOILERPLATE_SITES": False},
    "learning": {},
    "stripped": {"BOILERPLATE_STRIP": True},
}
CRAWL_PEERS = ("resiliparse", "turbohtml", "trafilatura")
POINTS = (0.1, 0.25, 0.5, 0.75, 1.0)  # shares of the crawl at which memory is read


class MadePages(Mapping[str, bytes]):
    """An article on each of so many hosts, made when it is asked for."""

    def __init__(self, hosts: int) -> None:
        self.hosts = hosts

    def __len__(self) -> int:
        return self.hosts

    def __iter__(self) -> Iterator[str]:
        return (f"http://host-{number}.example/article" for number in range(self.hosts))

    def __getitem__(self, url: str) -> bytes:
        rng = random.Random(url)
        words = [f"w{rng.randrange(5000)}" for _ in range(120)]
        menu = "".join(f"<li><a href='/{word}'>{word}</a>" for word in words[:10])
        text = "".join(f"<p>{' '.join(words[at : at + 30])}.</p>" for at in range(0, 120, 30))
        return f"<title>{url}</title><ul>{menu}</ul><div class=story>{text}</div>".encode()


def addressed(given: argparse.Namespace) -> Mapping[str, bytes]:
    """Return the body of each page by its address, in the order in which they are crawled."""
    if given.made:
        return MadePages(given.made)
    if not given.hosts:
        bodies = [page.html for page in islice(read(given.data), given.distinct or given.pages)]
        return {f"http://host.example/{n}": bodies[n % len(bodies)] for n in range(given.pages)}
    least, most = given.hosts
    hosts: defaultdict[str, list[LabelledPage]] = defaultdict(list)
    for page in read(given.data):
        hosts[page.site or page.group].append(page)
    pages = [
        (f"http://host-{host}.example/page-{number}", page.html)
        for host, rows in enumerate(rows for rows in hosts.values() if len(rows) >= least)
        for number, page in enumerate(rows[:most])
    ]
    random.Random(0).shuffle(pages)
    return dict(pages)


class FromMemory:
    """Answers each request with the page of its address."""

    def __init__(self, pages: Mapping[str, bytes]) -> None:
        self.pages = pages

    @classmethod
    def from_crawler(cls, crawler: Any) -> FromMemory:
        return cls(crawler.settings["PAGES"])

    def process_request(self, request: Any) -> HtmlResponse:
        body, headers = self.pages[request.url], {"Content-Type": "text/html"}
        return HtmlResponse(request.url, body=body, headers=headers)


class Pages(scrapy.Spider):
    """Reads each page as spiders do, and yields one item."""

    name = "pages"

    async def start(self) -> AsyncIterator[Any]:
        """Ask for all pages."""
        self.links = LinkExtractor()
        self.peer = PEERS.get(self.settings["CRAWL"])
        self.seen = 0
        self.seconds: list[float] = []
        self.memory: list[float] = []
        self.files: list[int] = []
        pages = self.settings["PAGES"]
        self.marks = [max(1, round(len(pages) * share)) for share in POINTS]
        for url in pages:
            yield scrapy.Request(url, dont_filter=True)

    def parse(self, response: Any) -> Any:
        self.links.extract_links(response)
        item = {"url": response.url, "title": response.css("title::text").get()}
        if self.peer is not None:
            item["text"] = self.peer(response.body, response.url, None)
        yield item
        self.seen += 1
        if self.seen in self.marks:
            gc.collect()  # response and selector refer to each other
            self.seconds.append(process_time())
            pages = int(Path("/proc/self/statm").read_text().split()[1])
            self.memory.append(pages * getpagesize() / 1e6)
            self.files.append(len(os.listdir("/proc/self/fd")))


def crawl(name: str, given: argparse.Namespace) -> None:
    """Crawl in this process and folder; write the feed and the measurements."""
    pages = addressed(given)
    plugin = {
        "ADDONS": {"scrapy_boilerplate.Addon": 500},
        "BOILERPLATE_EXTRACTOR": given.extractor,
        "BOILERPLATE_SITE_STORE": "sites.sqlite",
        **CRAWLS.get(name, {}),
    }
    process = AsyncCrawlerProcess(
        {
            "CRAWL": name,
            "DOWNLOADER_MIDDLEWARES": {FromMemory: 1},
            "FEEDS": {"items.jsonl": {"format": "jsonlines"}},
            "LOG_LEVEL": "ERROR",
            "METAREFRESH_ENABLED": False,  # the pages are to be read, not left
            "PAGES": pages,
            "TELNETCONSOLE_ENABLED": False,
            **({} if name == PLAIN or name in PEERS else plugin),
        }
    )
    crawler = process.create_crawler(Pages)

    def closed(spider: Pages) -> None:
        begun = POINTS[0] * len(pages)
        milliseconds = 1000 * (process_time() - spider.seconds[0]) / (len(pages) - begun)
        late = 1000 * (spider.seconds[-1] - spider.seconds[-2]) / (len(pages) * (1 - POINTS[-2]))
        peak = getrusage(RUSAGE_SELF).ru_maxrss * 1024 / 1e6
        level = [late, spider.files[0], spider.files[-1]]
        measured = json.dumps([milliseconds, [*spider.memory, peak], level])
        Path("measured.json").write_text(measured)

    crawler.signals.connect(closed, signal=signals.spider_closed)
    process.crawl(crawler)
    process.start()
    with Path("items.jsonl").open(encoding="utf-8") as lines:
        urls = [json.loads(line)["url"] for line in lines]
    wrong = sorted(pages.keys() - set(urls)) or [u for u, n in Counter(urls).items() if n > 1]
    assert not wrong, f"items are missing, or came twice: {wrong[:20]}"


def run(name: str, arguments: list[str]) -> tuple[float, list[float], list[float], int]:
    """Crawl in a process of its own; return what was measured, and the number of texts."""
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "benchmarks.crawl", *arguments, "--child", name, folder]
        subprocess.run(command, check=True)
        with Path(folder, "items.jsonl").open(encoding="utf-8") as lines:
            texts = sum(bool(json.loads(line).get("text", "").strip()) for line in lines)
        return *json.loads(Path(folder, "measured.json").read_text()), texts


def report(results: dict[str, tuple[float, list[float], list[float], int]]) -> str:
    shares = [*(f"MB at {at:.0%}" for at in POINTS), "at most"]
    header = ["crawl", "with text", "CPU ms a page", "added", "at last", "files", *shares]
    rows = []
    for name, (milliseconds, memory, (late, before, files), texts) in results.items():
        is_first = name == PLAIN or PLAIN not in results
        added = "" if is_first else f"{milliseconds - results[PLAIN][0]:+.1f}"
        level = [f"{late:.1f}", f"{before:.0f} → {files:.0f}"]
        megabytes = [f"{m:.0f}" for m in memory]
        rows.append([name, str(texts), f"{milliseconds:.1f}", added, *level, *megabytes])
    return table(header, rows)


def main() -> None:
    parser = command(__doc__)
    add = parser.add_argument
    add("--data", type=a_folder, help="folder of a labelled set")
    add("--made", type=int, metavar="HOSTS", help="made-up hosts of a page each, without data")
    add("--pages", type=int, default=2000, help="pages of each crawl (default: %(default)s)")
    add("--distinct", type=int, help="pages of the set, to see memory on the same")
    add("--hosts", type=int, nargs=2, metavar=("LEAST", "MOST"), help="pages of a host")
    add("--extractor", default="auto", help="name (default: %(default)s)")
    add("--crawls", nargs="+", metavar="NAME", default=[*CRAWLS], help="only these rows")
    add("--peers", action="store_true", help="crawl with other tools, too")
    add("--repeats", type=int, default=1, help="crawls of each; the cheapest counts")
    add("--child", nargs=2, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if not (given.data or given.made):
        parser.error("give --data or --made")
    given.data = given.data and given.data.resolve()
    if given.child:
        name, folder = given.child
        os.chdir(folder)
        return crawl(name, given)
    names = given.crawls + [
        each for each in CRAWL_PEERS if given.peers and each in installed_peers()
    ]
    results: dict[str, tuple[float, list[float], list[float], int]] = {}
    for _ in range(given.repeats):
        for name in names:
            found = run(name, sys.argv[1:])
            results[name] = min(found, results.get(name, found))
            print(f"{name}: {found[0]:.2f}", file=sys.stderr)
    print(report({name: results[name] for name in names}))
    return None


if __name__ == "__main__":
    main()
