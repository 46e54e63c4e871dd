"""Crawl the small sites beside this file, and show what the plugin made of their pages.

``python example_project/demo.py`` serves ``sites/`` on this machine, runs the spiders as a user
would (``scrapy crawl …``), one site with and without learning, and reports. Give an address to
crawl that site instead: ``python example_project/demo.py https://example.com/``.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from difflib import SequenceMatcher
from itertools import groupby
from pathlib import Path
from time import perf_counter
from urllib.parse import urlsplit

from scrapy_boilerplate import Page
from server import serve_all

HERE = Path(__file__).parent
OUTPUT = HERE / "output"
STORE = OUTPUT / "sites.sqlite"
WIDTH = 80
STARTED = perf_counter()

KEPT, LEARNED, REMOVED = "|", "x", " "
"""What became of a line: kept; removed because the site was learned; removed in any case."""


def say(what: str, result: str) -> None:
    """Print the line of a step, with the seconds since the start."""
    print(f"{perf_counter() - STARTED:5.1f} s  {what:<18} {result}", flush=True)


def scrapy(*arguments: str) -> str:
    """Run ``scrapy …`` in this project, as a user would; return what it prints."""
    command = [sys.executable, "-m", "scrapy", *arguments]
    return subprocess.run(command, cwd=HERE, check=True, stdout=subprocess.PIPE, text=True).stdout


def crawl(spider: str, urls: list[str], feed: str, *options: str) -> list[dict]:
    """Run one spider in a process of its own; return the items of its feed."""
    path = OUTPUT / f"{feed}.jsonl"
    feeds = ["-O", str(path), "-O", str(path.with_suffix(".csv"))]
    scrapy("crawl", spider, "-a", f"url={','.join(urls)}", *feeds, "-L", "WARNING", *options)
    with path.open(encoding="utf-8") as lines:
        # The server has made up the front pages.
        return [item for item in map(json.loads, lines) if urlsplit(item["url"]).path != "/"]


def lines_of(text: str) -> list[str]:
    """Return the lines of a text that are not blank, with single spaces."""
    return [" ".join(line.split()) for line in text.splitlines() if line.strip()]


def all_lines(url: str, sites: dict[str, Path]) -> list[str]:
    """Return the lines of all text that a browser would show of a page of the demo's sites."""
    parts = urlsplit(url)
    file = sites[f"{parts.scheme}://{parts.netloc}/"] / parts.path.lstrip("/")
    page = Page.parse((file / "index.html" if file.is_dir() else file).read_bytes())
    return lines_of(page.lay_out(0, len(page.text_start)))


def mark(lines: list[str], single: list[str], learned: list[str]) -> Iterator[tuple[str, str]]:
    """Yield what became of each of a page's lines, and the line."""
    marks = [REMOVED] * len(lines)
    for found, sign in ((single, LEARNED), (learned, KEPT)):
        matcher = SequenceMatcher(None, lines, found, autojunk=False)
        for start, _, size in matcher.get_matching_blocks():
            marks[start : start + size] = [sign] * size
    return zip(marks, lines, strict=True)


def show(marked: Iterator[tuple[str, str]], most: int = 6) -> None:
    """Print lines and what became of them; of a long run the first ones and the last."""
    for sign, run in groupby(marked, key=lambda pair: pair[0]):
        lines = [line for _, line in run]
        if len(lines) > most:
            lines[most - 2 : -1] = [f"({len(lines) - most + 1} more lines)"]
        for line in lines:
            shown = f"  {sign} {line}"
            print(shown if len(shown) <= WIDTH else shown[: WIDTH - 1] + "…")


def report_weblogs(items: list[dict], sites: dict[str, Path]) -> None:
    """Say what became of the pages of the two weblogs."""
    articles = sum(item["kind"] == "article" for item in items)
    before = sum(len(" ".join(all_lines(item["url"], sites))) for item in items)
    after = sum(len(" ".join(lines_of(item["text"]))) for item in items)
    removed = f"{1 - after / before:.0%} of all text removed"
    say("two weblogs", f"{len(items)} pages, {articles} articles; {removed}")


def report_headlines(pages: list[dict]) -> None:
    """Say what the method for pages full of links has found."""
    teasers = sum(len(page["teasers"] or ()) for page in pages)
    say("lists of links", f"{len(pages)} pages; the item field teasers holds {teasers}")


def report_portal(what: str, items: list[dict]) -> None:
    """Say how many of the portal's pages hold what is not an article."""
    boxes = sum("More on this" in item["text"] for item in items)
    lists = sum(bool(item["text"]) for item in items if "/tag/" in item["url"])
    say(what, f"{len(items)} pages; {boxes} with a box of teasers, {lists} lists as text")


def report_sites() -> None:
    """Print what was learned, as the plugin's own command shows it."""
    command = ("boilerplate-sites", "list", "--store", str(STORE.relative_to(HERE)))
    print(f"\n$ scrapy {' '.join(command)}\n{scrapy(*command).rstrip()}")


def report_page(single: list[dict], learned: list[dict], sites: dict[str, Path]) -> None:
    """Show line by line what learning has changed on the page where it has changed most."""
    texts = {item["url"]: item["text"] for item in learned}
    page = max(single, key=lambda item: len(item["text"]) - len(texts[item["url"]]))
    print(f"\nOne page of the portal, {page['url']}")
    print(f"  {KEPT} kept   {LEARNED} removed because the site was learned   others: removed\n")
    found = lines_of(page["text"]), lines_of(texts[page["url"]])
    show(mark(all_lines(page["url"], sites), *found))


def report_feeds() -> None:
    """Print where the items are."""
    print("\nThe items, a line each (the CSV beside each file holds the same)")
    for feed in sorted(OUTPUT.glob("*.jsonl")):
        here = feed.relative_to(Path.cwd()) if feed.is_relative_to(Path.cwd()) else feed
        print(f"  {here}")


def demo() -> None:
    """Crawl the sites beside this file and report."""
    print("Three small sites of real text; no network is needed")
    with serve_all() as sites, ThreadPoolExecutor(2) as pool:
        address = {folder.name: url for url, folder in sites.items()}
        for name, url in address.items():
            say(name, f"served at {url}")
        say("scrapy crawl", "four runs, two at a time …")
        store = ("-s", f"BOILERPLATE_SITE_STORE={STORE}")
        alone = ("-s", "BOILERPLATE_SITES=False")
        weblogs, portal = [address["rust-blog"], address["flink-blog"]], [address["portal"]]
        runs = [
            pool.submit(crawl, "articles", weblogs, "articles", *store),
            pool.submit(crawl, "headlines", weblogs[1:], "headlines", *alone),
            pool.submit(crawl, "articles", portal, "portal-single", *alone),
            pool.submit(crawl, "articles", portal, "portal-learned", *store),
        ]
        report_weblogs(runs[0].result(), sites)
        report_headlines(runs[1].result())
        single = runs[2].result()
        report_portal("portal, unlearned", single)
        learned = runs[3].result()
        report_portal("portal, learned", learned)
        report_sites()
        report_page(single, learned, sites)
    report_feeds()


def crawl_elsewhere(urls: list[str]) -> None:
    """Crawl some pages of other sites, and show the longest text."""
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
