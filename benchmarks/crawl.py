"""A crawl of local pages: does memory stay flat, does every item arrive, what does a page cost?

    python -m benchmarks.crawl --data ../shared/data/wcxb-dev --peers

Serves the pages from a process of its own, each with links to others, and crawls them with a
spider that uses ``response.css`` and a link extractor; every crawl is a fresh process. Printed are
the items in the feed and how many of them have a text; the processor time a page, over the last
nine tenths of the crawl, and how much of it is more than the same crawl without any extraction; and
the resident memory when shares of the crawl are done. A peer is called in the callback, with the
body of the response, since it does not take the tree that the spider has parsed.
"""

from __future__ import annotations

import argparse
import gc
import json
import re
import resource
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import islice
from multiprocessing import get_context
from pathlib import Path
from time import process_time
from typing import Any

import scrapy
from scrapy.crawler import AsyncCrawlerProcess
from scrapy.linkextractors import LinkExtractor

from benchmarks.data import read
from benchmarks.peers import PEERS, installed_peers
from benchmarks.tables import table

__all__ = ["resident_megabytes"]

PLAIN = "no extraction"
PLUGIN: dict[str, dict[str, Any]] = {
    "plugin": {},
    "plugin, no learning": {"BOILERPLATE_SITES": False},
}
CRAWL_PEERS = ("resiliparse", "turbohtml", "trafilatura")
POINTS = (0.1, 0.25, 0.5, 0.75, 1.0)
"""Shares of the crawl at which memory is read."""


# -- pages ---------------------------------------------------------------------------------------


def linked(page: bytes, number: int, url: str) -> bytes:
    """Return the page with links to four others at its end, so that one lost link loses no page.

    The links are absolute, since pages may have a ``base`` of their own.
    """
    targets = (number + 1, number + 7, 2 * number + 1, 2 * number + 2)
    links = "".join(f'<a href="{url}/page/{n}">{n}</a>' for n in targets).encode()
    start, end, rest = page.rpartition(b"</body>")
    return start + links + end + rest if end else page + links


def serve(folder: str, distinct: int, count: int, port: Any) -> None:
    """Serve *count* pages until the process is ended; tell the port through a pipe."""
    bodies = [page.html for page in islice(read(folder), distinct)]

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = True

        def do_GET(self) -> None:
            name = self.path.rpartition("/")[2]
            number = int(name) if name.isdecimal() and self.path.startswith("/page/") else count
            body = b""
            if number < count:
                page = bodies[number % len(bodies)]
                body = linked(page, number, f"http://{self.headers['Host']}")
            self.send_response(200 if body else 404)
            self.send_header("Content-Type", "text/html")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *args: Any) -> None:
            """Write nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    port.send(server.server_address[1])
    server.serve_forever()


@contextmanager
def server(folder: str, distinct: int, count: int) -> Iterator[str]:
    """Run :func:`serve` in a process of its own; yields the address."""
    context = get_context("spawn")
    mine, its = context.Pipe()
    process = context.Process(target=serve, args=(folder, distinct, count, its), daemon=True)
    process.start()
    try:
        yield f"http://127.0.0.1:{mine.recv()}"
    finally:
        process.terminate()
        process.join()


# -- one crawl -----------------------------------------------------------------------------------


class Pages(scrapy.Spider):
    """Reads each page as spiders do, follows its links, yields one item."""

    name = "pages"

    def __init__(self, url: str, count: int, peer: str | None = None, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.start_urls = [f"{url}/page/0"]
        # Our server only: pages of a labelled set have links of the same form to their own sites.
        self.allowed_domains = ["127.0.0.1"]
        self._links = LinkExtractor(allow=rf"^{re.escape(url)}/page/\d+$")
        self._peer: Callable[..., str] | None = PEERS[peer] if peer else None
        self._marks = {max(1, round(count * share)): share for share in POINTS}
        self._seen = 0
        self.measured: dict[float, tuple[float, float]] = {}

    def parse(self, response: Any) -> Iterator[Any]:
        """Yield the item and the links of a page."""
        item = {
            "url": response.url,
            "title": response.css("title::text").get(),
            "headings": response.css("h1 *::text, h1::text").getall(),
        }
        if self._peer is not None:
            item["text"] = self._peer(response.body, response.url, None)
        yield item
        for link in self._links.extract_links(response):
            yield response.follow(link)
        self._seen += 1
        if self._seen in self._marks:
            gc.collect()  # response and selector refer to each other
            self.measured[self._marks[self._seen]] = (process_time(), resident_megabytes())


def resident_megabytes() -> float:
    """Return the memory of this process; its peak where the system does not tell the present."""
    status = Path("/proc/self/statm")
    if status.exists():
        return int(status.read_text().split()[1]) * resource.getpagesize() / 1e6
    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit / 1e6


def crawl(variant: str, url: str, count: int, output: str) -> None:
    """Crawl in this process; write the feed and the measurements."""
    process = AsyncCrawlerProcess(
        {
            "ADDONS": {"scrapy_boilerplate.Addon": 500} if variant in PLUGIN else {},
            **PLUGIN.get(variant, {}),
            "FEEDS": {f"{output}/items.jsonl": {"format": "jsonlines"}},
            "LOG_LEVEL": "ERROR",
            "TELNETCONSOLE_ENABLED": False,
            "RETRY_ENABLED": False,
            "METAREFRESH_ENABLED": False,  # the pages are to be read, not left
            "CONCURRENT_REQUESTS_PER_DOMAIN": 8,
        }
    )
    crawler = process.create_crawler(Pages)
    peer = variant if variant in PEERS else None
    process.crawl(crawler, url=url, count=count, peer=peer)
    process.start()
    measured = crawler.spider.measured  # type: ignore[union-attr]
    Path(output, "measured.json").write_text(json.dumps(measured))


def run(variant: str, url: str, count: int) -> dict[str, Any]:
    """Crawl in a process of its own; return what was measured."""
    with tempfile.TemporaryDirectory() as folder:
        arguments = ["--child", variant, url, str(count), folder]
        subprocess.run([sys.executable, "-m", "benchmarks.crawl", *arguments], check=True)
        measured = json.loads(Path(folder, "measured.json").read_text())
        with Path(folder, "items.jsonl").open(encoding="utf-8") as lines:
            items = {item["url"]: item.get("text", "") for item in map(json.loads, lines)}
    if len(items) != count:
        raise AssertionError(f"{variant}: {len(items)} items in the feed for {count} pages")
    first, *_, last = (measured[str(share)] for share in POINTS)
    return {
        "items": len(items),
        "texts": sum(bool(text.strip()) for text in items.values()),
        "ms": 1000 * (last[0] - first[0]) / (count * (1 - POINTS[0])),
        "memory": [measured[str(share)][1] for share in POINTS],
    }


# -- the table -----------------------------------------------------------------------------------


def report(results: dict[str, dict[str, Any]]) -> str:
    """Return the table of all crawls."""
    base = results[PLAIN]["ms"] if PLAIN in results else None
    header = ["crawl", "items", "with text", "CPU ms a page", "added"]
    header += [f"MB at {share:.0%}" for share in POINTS]
    rows = [
        [
            variant,
            str(result["items"]),
            str(result["texts"]),
            f"{result['ms']:.1f}",
            "" if base is None or variant == PLAIN else f"{result['ms'] - base:+.1f}",
            *(f"{memory:.0f}" for memory in result["memory"]),
        ]
        for variant, result in results.items()
    ]
    return table(header, rows)


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the crawls and print the table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--pages", type=int, default=2000, help="pages of each crawl")
    parser.add_argument("--data", help="folder of a labelled set, whose pages are crawled in turn")
    parser.add_argument(
        "--distinct", type=int, default=10**6, help="pages of the set, to see memory on the same"
    )
    parser.add_argument("--crawls", nargs="+", metavar="NAME", help="only these rows of the table")
    parser.add_argument("--peers", action="store_true", help="crawl with other tools, too")
    parser.add_argument(
        "--repeats", type=int, default=1, help="crawls of each; the cheapest counts"
    )
    parser.add_argument("--child", nargs=4, help=argparse.SUPPRESS)
    options = parser.parse_args(arguments)
    if options.child:
        variant, url, count, output = options.child
        return crawl(variant, url, int(count), output)
    if not options.data:
        parser.error("--data is needed")
    variants = [PLAIN, *PLUGIN]
    if options.peers:
        variants += [peer for peer in CRAWL_PEERS if peer in installed_peers()]
    if options.crawls:
        variants = [variant for variant in variants if variant in options.crawls]
    results: dict[str, dict[str, Any]] = {}
    with server(options.data, options.distinct, options.pages) as url:
        for _ in range(options.repeats):
            for variant in variants:
                print(f"{variant} …", file=sys.stderr)
                result = run(variant, url, options.pages)
                if variant not in results or result["ms"] < results[variant]["ms"]:
                    results[variant] = result
    print(report(results))
    return None


if __name__ == "__main__":
    main()
