"""Crawl the two small sites beside this file, and show what the plugin made of their pages.

``python example_project/demo.py`` serves ``sites/`` on this machine, runs both spiders as a user
would (``scrapy crawl …``), stops the server and reports. Give an address to crawl that site
instead: ``python example_project/demo.py https://example.com/``.
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


def crawl(spider: str, urls: list[str], *options: str) -> list[dict]:
    """Run one spider in a process of its own; return the items of its feed."""
    feed = OUTPUT / f"{spider}.jsonl"
    command = [sys.executable, "-m", "scrapy", "crawl", spider, "-a", f"url={','.join(urls)}"]
    command += ["-O", str(feed), "-O", str(feed.with_suffix(".csv")), "-L", "WARNING", *options]
    subprocess.run(command, cwd=HERE, check=True)
    with feed.open(encoding="utf-8") as lines:
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


def report(items: list[dict], headlines: list[dict], sites: dict[str, Path]) -> None:
    """Print what a person wants to see."""
    pages = [item for item in items if not item["url"].endswith(tuple(sites))]
    articles = [item for item in pages if item["kind"] == "article"]
    before = {item["url"]: visible_text(item["url"], sites) for item in pages}
    removed = 1 - sum(len(item["text"]) for item in pages) / sum(map(len, before.values()))
    example = min(articles, key=lambda item: abs(len(item["text"]) - 1500))
    teasers = [teaser["text"] for page in headlines for teaser in page["teasers"] or ()]
    print(f"Pages crawled:      {len(pages)} of {len(sites)} sites")
    print(f"Articles found:     {len(articles)}")
    print(f"Text removed:       {removed:.0%} of all characters")
    print(f"\nBefore, {example['url']}\n{excerpt(before[example['url']])}")
    print(f"\nAfter\n{excerpt(example['text'])}")
    print(f"\nHeadlines and links of {len(headlines)} pages, by `links`: {len(teasers)}, such as")
    print(
        excerpt("\n".join(max(teasers, key=len) for teasers in [teasers[i::3] for i in range(3)]))
    )


def main() -> None:
    """Crawl and report."""
    OUTPUT.mkdir(exist_ok=True)
    if sys.argv[1:]:
        items = crawl("articles", sys.argv[1:], "-s", "CLOSESPIDER_PAGECOUNT=50")
        print(f"Pages crawled: {len(items)}")
        print(excerpt(max((item["text"] for item in items), key=len, default="")))
    else:
        with serve_all() as sites:
            addresses = list(sites)
            items = crawl("articles", addresses)
            listing = next(url for url, folder in sites.items() if folder.name == "flink-blog")
            headlines = crawl("headlines", [listing])
            report(items, headlines, sites)
    print("\nFeeds:")
    for feed in sorted(OUTPUT.iterdir()):
        print(f"  {feed}")


if __name__ == "__main__":
    main()
