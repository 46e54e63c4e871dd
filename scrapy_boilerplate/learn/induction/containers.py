"""The containers for which the pages of a site vote."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from scrapy_boilerplate.core.page.arrays import Bool, Float, cumulative, in_spans
from scrapy_boilerplate.learn.induction.blocks import Blocks, joined

Number = TypeVar("Number", bound=np.generic)

MOST_CONTAINERS = 6
_TOLERANCE = 0.15  # how much worse than the best a more specific container may be and still win
_LEAST_AGREEMENT = 0.6  # with the kept text (F1), on average, that a container needs
_SEVERAL = 3  # containers side by side that make a page an archive
_NEARLY_AS_RARE = 1.2  # times the pages of the rarest container; among those the smallest wins


def f1(one: Float, other: Float, both: Float) -> Float:
    """Return the agreement of two amounts of text that share the amount *both*."""
    return 2 * both / np.maximum(one + other, 1e-9)


class Chosen(NamedTuple):
    """A container that was chosen."""

    name: str
    pages: Bool  # whether each page has it
    score: float  # sum of its agreement (F1) with the good text, over pages that have it once


@dataclass(frozen=True, slots=True, eq=False)
class Containers:
    """The containers that were chosen, and the pages that have them."""

    chosen: list[Chosen]  # the rarer one first, since a page that has both is of its template
    articles: dict[int, tuple[int, int]]  # voting pages with a container, and the blocks inside it
    archives: Bool  # whether each page shows articles side by side
    covered: Bool  # whether each page has a container
    inside: Bool  # whether each block stands in its page's container


def choose_containers(blocks: Blocks) -> Containers:
    """Choose containers by greedy cover of the voting pages."""
    table = _Candidates(blocks)
    archives = _archives(table, blocks.voting)
    rows = _winners(table, blocks.voting, archives)
    pages = table.pages[rows]
    chosen = [
        Chosen(table.names[row], table.pages[row], float(table.scores[row].sum())) for row in rows
    ]
    covered = np.asarray(pages.any(axis=0))
    articles: dict[int, tuple[int, int]] = {}
    for page in (blocks.voting & covered).nonzero()[0].tolist():
        first = rows[int(pages[:, page].argmax())]  # a page is of the first container's template
        if table.once[first, page]:
            articles[page] = int(table.first[first, page]), int(table.after[first, page])
    inside = in_spans([*articles.values()], blocks.words.size)
    return Containers(chosen, articles, archives, covered, inside)


class _Candidates:
    """The possible containers that two pages have: a row for each, a column for each page."""

    def __init__(self, blocks: Blocks) -> None:
        prints = blocks.fingerprints
        page = np.repeat(np.arange(blocks.pages), [each.containers.size for each in prints])
        every = joined([each.containers for each in prints])
        keys, key, times = np.unique(every["key"], return_inverse=True, return_counts=True)
        row = (np.cumsum(times > 1) - 1)[key]
        shape = int((times > 1).sum()), blocks.pages
        cells = times[key] > 1
        at = row[cells], page[cells]

        def spread(values: NDArray[Number]) -> NDArray[Number]:
            table = np.zeros(shape, dtype=values.dtype)
            table[at] = values[cells]
            return table

        first, after = (every[name] + blocks.start[page] for name in ("first", "last"))
        count = every["count"].astype(np.int64)
        good = cumulative(blocks.weight * blocks.good)
        fresh = cumulative(blocks.weight * ~blocks.repeated)
        words = cumulative(blocks.words)
        total = blocks.by_page(blocks.weight * blocks.good)[page]
        scores = f1(total, fresh[after] - fresh[first], good[after] - good[first]) * (count == 1)
        self.names = [blocks.names.get(number, "") for number in keys[times > 1].tolist()]
        self.first, self.after = spread(first), spread(after)  # the blocks inside it
        self.count = spread(count)  # how many stand side by side
        self.once: Bool = self.count == 1
        self.pages: Bool = self.count > 0
        self.scores = spread(scores)  # agreement with the good text on pages that have it once …
        self.sizes = spread((words[after] - words[first]) * (count == 1))  # … and words inside it


def _archives(table: _Candidates, voting: Bool) -> Bool:
    """Tell of each page whether it has several of a container that is right on most pages."""
    fits = (voting & (table.scores >= 1 - _TOLERANCE)).sum(axis=1)
    votes = voting.sum()
    is_right = (2 * table.once.sum(axis=1) >= votes) & (2 * fits >= votes)
    is_right &= 3 * fits >= 2 * (voting & table.pages).sum(axis=1)
    return (table.count[is_right] >= _SEVERAL).any(axis=0)


def _winners(table: _Candidates, voting: Bool, archives: Bool) -> list[int]:
    """Return the rows of containers that cover the voting pages, greedily; the rarer one first."""
    voting = voting & ~archives
    open_pages, fitting = voting.copy(), np.zeros_like(voting)
    may_win = np.array([bool(name) for name in table.names], dtype=bool)
    often = table.pages.sum(axis=1)
    winners: list[int] = []
    while open_pages.any() and len(winners) < MOST_CONTAINERS:
        support = table.once & open_pages
        votes = support.sum(axis=1)
        # Several of them inside another container are parts of an article.
        judged = voting & (table.once | (table.pages & fitting))
        agreement = (table.scores * judged).sum(axis=1)
        fit = may_win & (votes >= max(2.0, 0.05 * voting.sum()))
        fit &= agreement >= _LEAST_AGREEMENT * judged.sum(axis=1)
        total = (table.scores * support).sum(axis=1)
        if not (total[fit] > 0).any():
            break
        fit &= total >= total[fit].max() * (1 - _TOLERANCE)
        rows = fit.nonzero()[0]
        size = (table.sizes[rows] * support[rows]).sum(axis=1) / votes[rows]
        is_common = often[rows] > often[rows].min() * _NEARLY_AS_RARE
        best = int(rows[np.lexsort((rows, -total[rows], often[rows], size, is_common))[0]])
        winners.append(best)
        may_win[best] = False
        fits = table.once[best] & (table.scores[best] >= 0.5)
        fitting |= fits
        open_pages &= ~(fits | (table.count[best] > 1))
    return sorted(winners, key=lambda row: (often[row], winners.index(row)))
