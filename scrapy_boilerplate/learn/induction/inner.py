"""Content and boilerplate inside the containers."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from scrapy_boilerplate.core.page.arrays import Bool, Float, Int
from scrapy_boilerplate.learn.facts import Vote
from scrapy_boilerplate.learn.induction.containers import Containers
from scrapy_boilerplate.learn.induction.goodtext import PathShares
from scrapy_boilerplate.learn.induction.repeats import Repeats
from scrapy_boilerplate.learn.induction.table import BlockTable
from scrapy_boilerplate.learn.options import LearningOptions
from scrapy_boilerplate.learn.paths import fold

MOST_REPEATS = 256
_SOMETIMES_KEPT = 0.25  # of a template path's text, for it to be content because all around it is


@dataclass(frozen=True, slots=True, eq=False)
class InnerPaths:
    """The template paths inside the containers."""

    content: Bool
    boilerplate: Bool


def judge_inner_paths(
    table: BlockTable,
    repeats: Repeats,
    paths: PathShares,
    containers: Containers,
    options: LearningOptions,
) -> InnerPaths:
    """Judge each template path inside the containers.

    Where the containers hold little but articles, all that was kept now and then is content, but
    for what mostly repeats or points elsewhere.
    """
    inner = np.zeros(table.paths.size, dtype=bool)
    inner[table.path[containers.inside]] = True
    fresh = table.words * (containers.inside & ~repeats.repeated)
    if (fresh * table.kept).sum() <= options.purity * fresh.sum():
        return InnerPaths(paths.trusted & inner, paths.distrusted & inner)
    words = table.words * repeats.counted
    bad_words = table.by_path(words * (repeats.repeated | table.is_teaser))
    bad = 2 * bad_words >= table.by_path(words)
    kept = paths.share >= _SOMETIMES_KEPT
    return InnerPaths(paths.judged & inner & ~bad & kept, paths.distrusted & inner & bad)


def path_votes(table: BlockTable, chosen: Bool, pages: Int, scores: Float) -> list[Vote]:
    """Return the *chosen* template paths whose names are known, those of most pages first."""
    votes = [
        Vote(table.name(path), int(pages[path]), round(float(scores[path]), 3))
        for path in np.flatnonzero(chosen).tolist()
        if table.is_named(path)
    ]
    return sorted(votes, key=lambda vote: (-vote.pages, vote.name))


def repeats_inside(table: BlockTable, repeats: Repeats, containers: Containers) -> frozenset[int]:
    """Return the hashes of the texts that repeat inside the containers, the most frequent ones."""
    texts = np.unique(table.text[containers.inside & repeats.repeated])
    texts = texts[np.argsort(-repeats.text_pages[texts], kind="stable")][:MOST_REPEATS]
    return frozenset(fold(table.texts[texts]).tolist())
