"""What holding a site's first items brings, by the longest time that they may be held.

    python -m benchmarks.holding --data ../shared/data/sites

Crawls each multi-page site on paper, one page each so many seconds (a politeness delay), without
sleeping: the learner sees the pages in an order drawn at random, and the holding policy of the
crawl, with a clock of its own, says when each item goes. Its text is then what the site's model of
that moment gives. Printed are, for the first pages of each site, of which any may be held: the mean
word F1, the share of items that went before the site was learned, and the mean seconds that an
item was held.
"""

from __future__ import annotations

import argparse
import random
from collections.abc import Sequence
from pathlib import Path
from statistics import fmean
from typing import NamedTuple

from benchmarks.metrics import score
from benchmarks.sites import Labelled, learner, method, prepare, sites_of
from benchmarks.tables import share, table
from scrapy_boilerplate.core.methods.base import Extractor
from scrapy_boilerplate.core.page.text import tokens
from scrapy_boilerplate.learn import SiteModel
from scrapy_boilerplate.plugin.holding.waiting import MOST_PAGES, Bounds, HeldSites

DELAYS = (0.5, 1.0, 2.0, 5.0, 10.0)
"""Seconds between two pages of a site."""

SECONDS = (0, 10, 30, 60, 120, 300, 600)
"""Longest times that the items of a site may be held."""

FIRST = 25
"""Pages of each site that are looked at."""


class Crawl:
    """The pages of a site in one order, with the model that is known after each."""

    def __init__(self, pages: Sequence[Labelled], extractor: Extractor) -> None:
        self.pages = pages
        self._extractor = extractor
        self._scores: dict[tuple[int, int], float] = {}
        teacher = learner()
        self.models: list[SiteModel | None] = [None]
        self.learned_at = len(pages) + 1
        for number, page in enumerate(pages, 1):
            teacher.observe(page.page, page.single)
            self.models.append(teacher.model("site"))
            if teacher.is_frozen("site"):
                self.learned_at = min(self.learned_at, number)

    def f1(self, page: int, known: int) -> float:
        """Return the F1 of a page with the model that is known after so many pages."""
        model = self.models[known]
        key = (page, id(model))
        if key not in self._scores:
            row = self.pages[page]
            answer = model.apply(row.page, self._extractor, row.single) if model else row.single
            self._scores[key] = score(tokens(answer.text), row.gold).f1
        return self._scores[key]


class Sent(NamedTuple):
    """When an item goes."""

    page: int
    known: int
    """Pages that the site is learned from by then."""
    waited: float


def crawl(pages: int, learned_at: int, delay: float, seconds: float) -> list[Sent]:
    """Return when the items of a site go, one page each *delay* seconds."""
    now = 0.0
    held_sites = HeldSites(Bounds(MOST_PAGES, 1 << 40, seconds), lambda: now)
    held: list[int] = []
    sent: list[Sent] = []

    def release(known: int, at: float) -> None:
        sent.extend(Sent(page, known, at - page * delay) for page in held)
        held.clear()
        held_sites.remove("site")

    for page in range(pages):
        now = page * delay
        if held_sites.overdue():
            release(page, seconds)
        if page + 1 <= learned_at and held_sites.admits("site", 0):
            held_sites.add("site", pages=1, items=1)
            held.append(page)
        else:
            sent.append(Sent(page, page + 1, 0.0))
        if held and (page + 1 == learned_at or held_sites.is_full("site")):
            release(page + 1, now)
    release(pages, now)
    return sent


def main() -> None:
    """Run what the command line asks for."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    add = parser.add_argument
    add("--data", type=Path, required=True, help="folder of the multi-page sites")
    add("--extractor", default="auto", help="name (default: %(default)s)")
    add("--seeds", type=int, default=1, help="orders of the pages (default: %(default)s)")
    add("--sites", nargs="+", help="only these sites")
    given = parser.parse_args()
    extractor = method(given.extractor)
    crawls = []
    for _, rows in sites_of(given.data, given.sites):
        for seed in range(given.seeds):
            order = random.Random(seed).sample(rows, k=min(len(rows), 2 * FIRST))
            crawls.append(Crawl(prepare(order, extractor), extractor))
    f1: list[list[str]] = []
    early: list[list[str]] = []
    waits: list[list[str]] = []
    for delay in DELAYS:
        for lines in (f1, early, waits):
            lines.append([f"{delay:g} s"])
        for seconds in SECONDS:
            runs = [
                (each, sent)
                for each in crawls
                for sent in crawl(len(each.pages), each.learned_at, delay, seconds)
                if sent.page < FIRST
            ]
            f1[-1].append(share(fmean(each.f1(sent.page, sent.known) for each, sent in runs)))
            early[-1].append(share(fmean(sent.known < each.learned_at for each, sent in runs)))
            waits[-1].append(f"{fmean(sent.waited for _, sent in runs):.0f}")
    headers = ["a page each", *(f"{seconds} s" for seconds in SECONDS)]
    print(f"\n{given.extractor}: word F1 of the first {FIRST} pages, by the longest time held\n")
    print(table(headers, f1))
    print("\nShare of them that went before their site was learned\n")
    print(table(headers, early))
    print("\nSeconds that they were held, mean\n")
    print(table(headers, waits))


if __name__ == "__main__":
    main()
