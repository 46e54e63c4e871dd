"""Crawl the small sites beside this file, and show what the plugin made of their pages.

``python example_project/demo.py`` serves ``sites/`` on this machine, runs both spiders as a user
would (``scrapy crawl …``), one site with and without learning, stops the server and reports. Give
an address to crawl that site instead: ``python example_project/demo.py https://example.com/``.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from urllib.parse import urlsplit

from scrapy_boilerplate import Page
from server import serve_all

HERE = Path(__file__).parent
OUTPUT = HERE / "output"


def crawl(spider: str, urls: list[str], feed: str, *options: str) -> list[dict]:
    """Run one spider in a process of its own; return the items of its feed."""
    path = OUTPUT / f"{feed}.jsonl"
    command = [sys.executable, "-m", "scrapy", "crawl", spider, "-a", f"url={','.join(urls)}"]
    command += ["-O", str(path), "-O", str(path.with_suffix(".csv")), "-L", "WARNING", *options]
    subprocess.run(command, cwd=HERE, check=True)
    with path.open(encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def visible_text(url: str, sites: dict[str, Path]) -> str:
    """Return all text of a page of the demo's sites, as a browser would show it."""
    parts = urlsplit(url)
    file = sites[f"{parts.scheme}://{parts.netloc}/"] / parts.path.lstrip("/")
    page = Page.parse((file / "index.html" if file.is_dir() else file).read_bytes())
    return page.lay_out(0, len(page.text_start))


def excerpt(text: str, lines: int = 8, width: int = 96) -> str:
    """Return the first and last lines of a text, shortened."""
    shown = [" ".join(line.split())[:width] for line in text.splitlines() if line.strip()]
    if len(shown) > 2 * lines:
        shown[lines:-lines] = [f"… {len(shown) - 2 * lines} more lines …"]
    return "\n".join(f"  | {line}" for line in shown)


def without_front_pages(items: list[dict]) -> list[dict]:
    """Return the items of the real pages: the server has made up the front pages."""
    return [item for item in items if urlsplit(item["url"]).path != "/"]


def report_articles(items: list[dict], sites: dict[str, Path]) -> None:
    """Print what became of the pages of the two weblogs."""
    articles = [item for item in items if item["kind"] == "article"]
    before = {item["url"]: visible_text(item["url"], sites) for item in items}
    removed = 1 - sum(len(item["text"]) for item in items) / sum(map(len, before.values()))
    example = min(articles, key=lambda item: abs(len(item["text"]) - 1500))
    print(f"Pages crawled:      {len(items)} of two weblogs")
    print(f"Articles found:     {len(articles)}")
    print(f"Text removed:       {removed:.0%} of all characters")
    print(f"\nBefore, {example['url']}\n{excerpt(before[example['url']])}")
    print(f"\nAfter\n{excerpt(example['text'])}")


def report_headlines(pages: list[dict]) -> None:
    """Print some of what the method for pages full of links has found."""
    teasers = [teaser["text"] for page in pages for teaser in page["teasers"] or ()]
    longest = [max(teasers[third::3], key=len) for third in range(3)]
    print(f"\nOf {len(pages)} pages full of links, `links` gives {len(teasers)} texts, such as")
    print(excerpt("\n".join(longest)))


def report_portal(single: list[dict], learned: list[dict]) -> None:
    """Print what learning a site changes on a portal."""
    texts = {item["url"]: item["text"] for item in learned}
    articles = [item for item in single if texts[item["url"]]]
    example = max(articles, key=lambda item: len(item["text"]) / len(texts[item["url"]]))
    for name, items in (("without", single), ("with", learned)):
        listed = sum(bool(item["text"]) for item in items if "/tag/" in item["url"])
        boxes = sum("More on this" in item["text"] for item in items)
        print(
            f"Portal, {name} learning: {len(items)} pages, {boxes} articles hold a box of teasers, "
            f"{listed} lists of teasers count as text"
        )
    print(f"\nBefore learning, {example['url']}\n{excerpt(example['text'])}")
    print(f"\nAfter learning\n{excerpt(texts[example['url']])}")


def demo() -> None:
    """Crawl the sites beside this file and report."""
    with serve_all() as sites:
        address = {folder.name: url for url, folder in sites.items()}
        weblogs = crawl("articles", [address["rust-blog"], address["flink-blog"]], "articles")
        headlines = crawl("headlines", [address["flink-blog"]], "headlines")
        portal = [address["portal"]]
        single = crawl("articles", portal, "portal-single", "-s", "BOILERPLATE_SITES=False")
        learned = crawl("articles", portal, "portal-learned")
        report_articles(without_front_pages(weblogs), sites)
        report_headlines(headlines)
        print()
        report_portal(without_front_pages(single), without_front_pages(learned))


def main() -> None:
    """Crawl what was asked for, or the demo's sites."""
    OUTPUT.mkdir(exist_ok=True)
    if sys.argv[1:]:
        items = crawl("articles", sys.argv[1:], "articles", "-s", "CLOSESPIDER_PAGECOUNT=50")
        print(f"Pages crawled: {len(items)}")
        print(excerpt(max((item["text"] for item in items), key=len, default="")))
    else:
        demo()
    print("\nFeeds:")
    for feed in sorted(OUTPUT.iterdir()):
        print(f"  {feed}")


if __name__ == "__main__":
    main()
