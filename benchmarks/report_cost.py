"""Measures what the report of a crawl costs a page, beside the extraction.

    python -m benchmarks.report_cost --data ../shared/data/sites

The pages of each site are counted as a crawl counts them, the method's answers once as they are and
once as those of the site's model.
"""

from __future__ import annotations

import argparse
from collections import defaultdict
from pathlib import Path
from time import process_time

from benchmarks.data import read
from scrapy_boilerplate import Page, extract
from scrapy_boilerplate.learn import SiteModel
from scrapy_boilerplate.learn.keys import host
from scrapy_boilerplate.tools.report import CrawlFigures

__all__ = ["measure"]

ROUNDS = 5


def measure(urls: list[str], answers: list[object], model: SiteModel | None) -> float:
    """Return the least seconds a page that counting the answers takes, of several rounds."""
    taken = []
    for _ in range(ROUNDS):
        figures = CrawlFigures("benchmark")
        started = process_time()
        for url, answer in zip(urls, answers, strict=True):
            figures.add(host(url), url, answer, answer, model)  # type: ignore[arg-type]
        taken.append((process_time() - started) / len(urls))
    return min(taken)


def main() -> None:
    """Run the command."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--data", type=Path, required=True, help="folder of labelled pages")
    parser.add_argument("--limit", type=int, default=500, help="pages (default: %(default)s)")
    given = parser.parse_args()
    sites = defaultdict(list)
    for page in read(given.data):
        sites[host(page.url or "")].append(page)
    pages = [page for each in sites.values() for page in each][: given.limit]
    started = process_time()
    answers = [extract(Page.parse(page.html, url=page.url)) for page in pages]
    alone = (process_time() - started) / len(pages)
    urls = [page.url or "" for page in pages]
    print(f"{len(pages)} pages: extraction {1000 * alone:.2f} ms a page")
    for name, model in (("alone", None), ("with models", SiteModel("any"))):
        cost = measure(urls, list(answers), model)
        print(f"report, {name}: {1000 * cost:.3f} ms a page, {cost / alone:.1%}")


if __name__ == "__main__":
    main()
