"""Show what is kept of a page, crawl the small sites beside this file, and say what came of it.

``python example_project/demo.py`` serves ``sites/`` on this machine, runs the spiders as a user
would (``scrapy crawl …``), one site without learning and twice with it, and reports. Give an
address to crawl that site instead: ``python example_project/demo.py https://example.com/``.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor, wait
from difflib import SequenceMatcher
from itertools import groupby
from pathlib import Path
from time import perf_counter
from typing import Any
from urllib.parse import urlsplit

from scrapy_boilerplate import Page, extract
from server import SITES, serve_all

HERE = Path(__file__).parent
OUTPUT = HERE / "output"
STORE = OUTPUT / "sites.sqlite"
WIDTH = 80
STARTED = perf_counter()

SHOWN = SITES / "flink-blog/2023/09/19/stateful-functions-3.3.0-release-announcement/index.html"
"""The real page that is shown before and after."""

KEPT, DROPPED = "|", "-"
"""What became of a line of a page."""

PATIENCE = 5
"""Seconds between two lines of progress."""


def say(what: str, result: str) -> None:
    """Print the line of a step, with the seconds since the start."""
    print(f"{perf_counter() - STARTED:5.1f} s  {what:<10} {result}", flush=True)


def scrapy(*arguments: str) -> str:
    """Run ``scrapy …`` in this project, as a user would; return what it prints."""
    command = [sys.executable, "-m", "scrapy", *arguments]
    return subprocess.run(command, cwd=HERE, check=True, stdout=subprocess.PIPE, text=True).stdout


def crawl(spider: str, urls: list[str], feed: str, *options: str) -> list[dict[str, Any]]:
    """Run one spider in a process of its own; return the items of its feed."""
    path = OUTPUT / f"{feed}.jsonl"
    feeds = ["-O", str(path), "-O", str(path.with_suffix(".csv"))]
    scrapy("crawl", spider, "-a", f"url={','.join(urls)}", *feeds, "-L", "WARNING", *options)
    with path.open(encoding="utf-8") as lines:
        # The server has made up the front pages.
        return [item for item in map(json.loads, lines) if urlsplit(item["url"]).path != "/"]


def crawl_twice(*arguments: Any) -> list[dict[str, Any]]:
    """Crawl again with what a first crawl has learned; return the items of the second."""
    crawl(*arguments)
    return crawl(*arguments)


def lines_of(text: str) -> list[str]:
    """Return the lines of a text that are not blank, with single spaces."""
    return [" ".join(line.split()) for line in text.splitlines() if line.strip()]


def all_lines(url: str, sites: dict[str, Path]) -> list[str]:
    """Return the lines of all text that a browser would show of a page of the demo's sites."""
    parts = urlsplit(url)
    file = sites[f"{parts.scheme}://{parts.netloc}/"] / parts.path.lstrip("/")
    page = Page.parse((file / "index.html" if file.is_dir() else file).read_bytes())
    return lines_of(page.lay_out(0, len(page.text_start)))


def mark(lines: list[str], kept: list[str]) -> Iterator[tuple[str, str]]:
    """Yield what became of each of a page's lines, and the line."""
    marks = [DROPPED] * len(lines)
    matcher = SequenceMatcher(None, lines, kept, autojunk=False)
    for start, _, size in matcher.get_matching_blocks():
        marks[start : start + size] = [KEPT] * size
    return zip(marks, lines, strict=True)


def show(marked: Iterable[tuple[str, str]], most: int = 6) -> None:
    """Print lines and what became of them; of a long run the first ones and the last."""
    for sign, run in groupby(marked, key=lambda pair: pair[0]):
        lines = [line for _, line in run]
        if len(lines) > most:
            lines[most - 2 : -1] = [f"({len(lines) - most + 1} more lines)"]
        for line in lines:
            shown = f"  {sign} {line}"
            print(shown if len(shown) <= WIDTH else shown[: WIDTH - 1] + "…")


def show_one_page() -> None:
    """Show line by line what is kept of a real page, and three numbers."""
    page = Page.parse(SHOWN.read_bytes())
    before = lines_of(page.lay_out(0, len(page.text_start)))
    found = extract(SHOWN.read_bytes())
    after = lines_of(found.text)
    print("One page of a weblog, as extract(html) reads it")
    print(f"  {KEPT} kept   {DROPPED} dropped\n")
    show(mark(before, after))
    words = [len(" ".join(lines).split()) for lines in (before, after)]
    print(f"\n  {words[0]} words on the page, {words[1]} in the text, {found.confidence:.0%} sure")


def share_removed(items: list[dict[str, Any]], sites: dict[str, Path]) -> float:
    """Return the share of the characters of all pages that no item has."""
    before = sum(len(" ".join(all_lines(item["url"], sites))) for item in items)
    after = sum(len(" ".join(lines_of(item["text"]))) for item in items)
    return 1 - after / before


def lists_as_text(items: list[dict[str, Any]]) -> int:
    """Return how many of the portal's lists of articles were taken for an article."""
    return sum(bool(item["text"]) for item in items if "/tag/" in item["url"])


def report_sites() -> None:
    """Print what was learned, as the plugin's own command shows it."""
    command = ("boilerplate-sites", "list", "--store", str(STORE.relative_to(HERE)))
    print(f"\n$ scrapy {' '.join(command)}\n{scrapy(*command).rstrip()}")


def report_feeds() -> None:
    """Print where the items are."""
    print("\nThe items, a line each (the CSV beside each file holds the same)")
    for feed in sorted(OUTPUT.glob("*.jsonl")):
        here = feed.relative_to(Path.cwd()) if feed.is_relative_to(Path.cwd()) else feed
        print(f"  {here}")


def wait_for(runs: list[Future[Any]]) -> None:
    """Wait until all crawls are done; print a line of progress every few seconds."""
    while True:
        done, rest = wait(runs, timeout=PATIENCE)
        say("crawling", f"{len(done)} of {len(runs)} crawls are done")
        if not rest:
            return


def demo() -> None:
    """Show a page, crawl the sites beside this file, and report."""
    show_one_page()
    print("\nThree small sites of real text, served on this machine and crawled by Scrapy")
    with serve_all() as sites, ThreadPoolExecutor(2) as pool:
        address = {folder.name: url for url, folder in sites.items()}
        store = ("-s", f"BOILERPLATE_SITE_STORE={STORE}")
        alone = ("-s", "BOILERPLATE_SITES=False")
        weblogs, portal = [address["rust-blog"], address["flink-blog"]], [address["portal"]]
        runs = [
            pool.submit(crawl, "articles", weblogs, "articles", *store),
            pool.submit(crawl, "headlines", weblogs[1:], "headlines", *alone),
            pool.submit(crawl, "articles", portal, "portal-single", *alone),
            pool.submit(crawl_twice, "articles", portal, "portal-learned", *store),
        ]
        wait_for(runs)
        articles, headlines, single, learned = (run.result() for run in runs)
        teasers = sum(len(page["teasers"] or ()) for page in headlines)
        found = sum(item["kind"] in ("article", "documentation") for item in articles)
        print()
        print(f"  {len(articles)} pages of two weblogs: {found} articles")
        print(
            f"  {share_removed(articles, sites):.0%} of their text removed: menus, boxes, footers"
        )
        print(f"  {len(headlines)} lists of links, read by another extractor: {teasers} teasers")
        before, after = lists_as_text(single), lists_as_text(learned)
        what = f"{before} lists taken for articles, learned {after}"
        print(f"  {len(learned)} pages of a portal: {what}")
        report_sites()
    report_feeds()
    print("\nWhere next")
    print("  docs/tutorial.md: from an empty folder to a corpus")
    print("  python example_project/demo.py https://example.com/: another site")
    print("  scrapy boilerplate-inspect https://example.com/: why a block was kept")


def crawl_elsewhere(urls: list[str]) -> None:
    """Crawl some pages of other sites, and show the longest text."""
    say("crawling", "at most 50 pages …")
    items = crawl("articles", urls, "articles", "-s", "CLOSESPIDER_PAGECOUNT=50")
    say("crawled", f"{len(items)} pages")
    longest = max((item["text"] for item in items), key=len, default="")
    show((KEPT, line) for line in lines_of(longest))
    report_feeds()


def main() -> None:
    """Crawl what was asked for, or the demo's sites."""
    sys.stdout.reconfigure(errors="replace")  # a terminal may not know all of a page's letters
    OUTPUT.mkdir(exist_ok=True)
    for old in OUTPUT.iterdir():
        old.unlink()
    if sys.argv[1:]:
        crawl_elsewhere(sys.argv[1:])
    else:
        demo()


if __name__ == "__main__":
    main()
