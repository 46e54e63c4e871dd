"""The containers for which the pages of a site vote."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from scrapy_boilerplate.core.page.arrays import Bool, Float, cumulative, in_spans
from scrapy_boilerplate.learn.induction.blocks import Blocks

MOST_CONTAINERS = 6
_TOLERANCE = 0.15  # how much worse than the best a more specific container may be and still win
_LEAST_AGREEMENT = 0.6  # with the kept text (F1), on average, that a container needs
_SEVERAL = 3  # containers side by side that make a page an archive
_NEARLY_AS_RARE = 1.2  # times the pages of the rarest container; among those the smallest wins


def f1(one: Float, other: Float, both: Float) -> Float:
    """Return the agreement of two amounts of text that share the amount *both*."""
    agreement: Float = 2 * both / np.maximum(one + other, 1e-9)
    return agreement


@dataclass(frozen=True, slots=True)
class ContainerCandidate:
    """The evidence of the pages for a possible container."""

    scores: dict[int, float] = field(default_factory=dict)
    """Agreement with the good text, by page that has it once."""
    sizes: dict[int, float] = field(default_factory=dict)
    """Words inside it."""
    ranges: dict[int, tuple[int, int]] = field(default_factory=dict)
    """Blocks inside it."""
    several: dict[int, int] = field(default_factory=dict)
    """How many of them stand side by side, by page that has it several times."""

    @property
    def pages(self) -> set[int]:
        """Pages that have it."""
        return self.scores.keys() | self.several.keys()


@dataclass(frozen=True, slots=True, eq=False)
class Containers:
    """The containers that were chosen, and the pages that have them."""

    chosen: list[tuple[int, ContainerCandidate]]
    """Hash of each container's selector, and what the pages say of it; the rarer one first, since a
    page that has both is of its template."""
    articles: dict[int, tuple[int, int]]
    """The voting pages that have a container, and the blocks inside it."""
    archives: Bool
    """Whether each page shows articles side by side."""
    covered: Bool
    """Whether each page has a container."""
    inside: Bool
    """Whether each block stands in its page's container."""


def choose_containers(blocks: Blocks) -> Containers:
    """Choose containers by greedy cover of the voting pages."""
    candidates = _candidates(blocks)
    voting = set(np.flatnonzero(blocks.voting).tolist())
    archives = _archives(blocks, candidates, voting)
    chosen = [(key, candidates[key]) for key in _Election(blocks, candidates, archives).winners()]
    articles = _articles(chosen, sorted(voting))
    inside = in_spans([*articles.values()], blocks.words.size)
    covered = np.zeros(blocks.pages, dtype=bool)
    for _, candidate in chosen:
        covered[list(candidate.pages)] = True
    return Containers(chosen, articles, archives, covered, inside)


def _candidates(blocks: Blocks) -> dict[int, ContainerCandidate]:
    """Return the possible containers, by the hash of their selector."""
    good = cumulative(blocks.weight * blocks.good)
    fresh = cumulative(blocks.weight * ~blocks.repeated)
    words = cumulative(blocks.words)
    totals = blocks.by_page(blocks.weight * blocks.good)
    found: dict[int, ContainerCandidate] = {}
    for page, fingerprint in enumerate(blocks.fingerprints):
        first, last = blocks.start[page] + fingerprint.first, blocks.start[page] + fingerprint.last
        scores = f1(totals[page], fresh[last] - fresh[first], good[last] - good[first])
        rows = (
            fingerprint.keys,
            scores,
            fingerprint.count,
            words[last] - words[first],
            first,
            last,
        )
        for key, score, count, size, low, high in zip(*map(np.ndarray.tolist, rows), strict=True):
            candidate = found.setdefault(key, ContainerCandidate())
            if count == 1:
                candidate.scores[page] = score
                candidate.sizes[page] = size
                candidate.ranges[page] = (low, high)
            else:
                candidate.several[page] = count
    return found


def _archives(blocks: Blocks, candidates: dict[int, ContainerCandidate], voting: set[int]) -> Bool:
    """Tell of each page whether it shows articles side by side.

    There the container that by itself is right on most pages stands several times; what is around
    them must not win by being on all pages.
    """
    archives = np.zeros(blocks.pages, dtype=bool)
    least = 1 - _TOLERANCE
    for candidate in candidates.values():
        several = [page for page, count in candidate.several.items() if count >= _SEVERAL]
        if not several or 2 * len(candidate.scores) < len(voting):
            continue
        fits = {page for page in voting if candidate.scores.get(page, 0.0) >= least}
        if 3 * len(fits) >= 2 * len(voting & candidate.pages) and 2 * len(fits) >= len(voting):
            archives[several] = True
    return archives


def _articles(
    chosen: list[tuple[int, ContainerCandidate]], voting: list[int]
) -> dict[int, tuple[int, int]]:
    """Return the pages whose first container stands there once, and the blocks inside it."""
    articles: dict[int, tuple[int, int]] = {}
    for page in voting:
        first = next((candidate for _, candidate in chosen if page in candidate.pages), None)
        if first is not None and page in first.ranges:
            articles[page] = first.ranges[page]
    return articles


class _Vote(NamedTuple):
    """The evidence for a candidate while some pages have no container yet."""

    total: float
    """Agreement with the good text, summed over these pages."""
    pages: int
    """Pages that have it."""
    size: float
    """Words inside it, on average."""


class _Election:
    """Greedy cover: the container that most of the open pages vote for, again and again."""

    def __init__(
        self, blocks: Blocks, candidates: dict[int, ContainerCandidate], archives: Bool
    ) -> None:
        self._candidates = {key: each for key, each in candidates.items() if key in blocks.names}
        self._voting = set(np.flatnonzero(blocks.voting & ~archives).tolist())
        self._fitting: set[int] = set()  # pages that a chosen container fits

    def winners(self) -> list[int]:
        """Return the keys of the containers, the rarer one first."""
        open_pages = set(self._voting)
        chosen: list[int] = []
        while open_pages and len(chosen) < MOST_CONTAINERS:
            best = self._best(self._votes(open_pages, chosen))
            if best is None:
                break
            chosen.append(best)
            winner = self._candidates[best]
            fits = {page for page, score in winner.scores.items() if score >= 0.5}
            self._fitting |= fits
            open_pages -= fits | winner.several.keys()
        return sorted(chosen, key=lambda key: (len(self._candidates[key].pages), chosen.index(key)))

    def _votes(self, open_pages: set[int], chosen: list[int]) -> dict[int, _Vote]:
        least = max(2.0, 0.05 * len(self._voting))
        votes: dict[int, _Vote] = {}
        for key, candidate in self._candidates.items():
            support = open_pages & candidate.scores.keys()
            if key in chosen or len(support) < least:
                continue
            # Several of them inside another container are parts of an article.
            several = candidate.several.keys() & self._fitting
            pages = self._voting & (candidate.scores.keys() | several)
            agreement = sum(candidate.scores.get(page, 0.0) for page in sorted(pages))
            if agreement < _LEAST_AGREEMENT * len(pages):
                continue
            total = sum(candidate.scores[page] for page in sorted(support))
            size = sum(candidate.sizes[page] for page in support) / len(support)
            votes[key] = _Vote(total, len(candidate.pages), size)
        return votes

    def _best(self, votes: dict[int, _Vote]) -> int | None:
        """Return the most specific of the candidates that are nearly as good as the best."""
        most = max((vote.total for vote in votes.values()), default=0.0)
        if most <= 0:
            return None
        least = most * (1 - _TOLERANCE)
        good = {key: vote for key, vote in votes.items() if vote.total >= least}
        rarest = min(vote.pages for vote in good.values())
        return min(
            (vote.pages > rarest * _NEARLY_AS_RARE, vote.size, vote.pages, -vote.total, key)
            for key, vote in good.items()
        )[-1]
