"""Places where articles end before their container does."""

from __future__ import annotations

import numpy as np

from scrapy_boilerplate.learn.facts import Cut
from scrapy_boilerplate.learn.induction.containers import Containers
from scrapy_boilerplate.learn.induction.goodtext import GoodText
from scrapy_boilerplate.learn.induction.inner import InnerPaths
from scrapy_boilerplate.learn.induction.repeats import Repeats
from scrapy_boilerplate.learn.induction.table import BlockTable

MOST_CUTS = 4

Ends = dict[tuple[int, ...], dict[int, tuple[float, float]]]
"""Template paths and pairs of them: good and bad words from there on, by page."""


def find_cuts(
    table: BlockTable, repeats: Repeats, text: GoodText, containers: Containers, inner: InnerPaths
) -> list[Cut]:
    """Return template paths, or pairs of neighbouring ones, after which no good text stands.

    Found by greedy cover of the articles, as the containers are.
    """
    articles = containers.articles
    least = max(2.0, 0.25 * len(articles))
    ends = _worth_cutting(table, text, containers, _ends(table, repeats, text, containers, inner))
    cuts: list[Cut] = []
    done: set[int] = set()
    while len(cuts) < MOST_CUTS:
        worth = {
            end: sum(pages[page][1] for page in sorted(pages.keys() - done))
            for end, pages in ends.items()
            if len(pages.keys() - done) >= least
        }
        if not worth:
            break
        best = min(worth, key=lambda end: (-worth[end], len(end), end))
        found = ends[best]
        words = sum(bad for _, bad in found.values()) / len(found)
        cuts.append(Cut(tuple(map(table.name, best)), len(found), round(words, 1)))
        done |= found.keys()
    return cuts


def _ends(
    table: BlockTable, repeats: Repeats, text: GoodText, containers: Containers, inner: InnerPaths
) -> Ends:
    """Return all possible ends.

    Bad is what repeats or points elsewhere, and is not dropped as boilerplate anyway.
    """
    good = np.append(0, np.cumsum(table.words * text.good))
    is_bad = ~text.good & (table.is_teaser | repeats.repeated) & ~inner.boilerplate[table.path]
    bad = np.append(0, np.cumsum(table.words * is_bad))
    ends: Ends = {}
    for page, (first, last) in containers.articles.items():
        paths = table.path[first:last].tolist()
        for at, path in enumerate(paths):
            block = first + at
            if good[block] > good[first]:  # the article has begun
                after = (float(good[last] - good[block]), float(bad[last] - bad[block]))
                ends.setdefault((path,), {}).setdefault(page, after)
                ends.setdefault((paths[at - 1], path), {}).setdefault(page, after)
    return ends


def _worth_cutting(table: BlockTable, text: GoodText, containers: Containers, ends: Ends) -> Ends:
    """Return the ends with names after which stands much that is bad, and next to nothing good."""
    good = table.words * text.good
    total = sum(float(good[first:last].sum()) for first, last in containers.articles.values())
    return {
        end: pages
        for end, pages in ends.items()
        if all(map(table.is_named, end))
        and sum(bad for _, bad in pages.values())
        > max(10 * sum(good for good, _ in pages.values()), 0.02 * total)
    }
