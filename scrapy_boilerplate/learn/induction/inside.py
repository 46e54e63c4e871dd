"""What belongs to the article inside its container, and before it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from scrapy_boilerplate.core.page.arrays import Bool, Float, Int
from scrapy_boilerplate.learn.facts import Vote
from scrapy_boilerplate.learn.induction.blocks import (
    USUAL_BLOCK,
    BlockTable,
    GoodText,
    PathShares,
    Repeats,
)
from scrapy_boilerplate.learn.induction.containers import Containers
from scrapy_boilerplate.learn.options import LearningOptions
from scrapy_boilerplate.learn.paths import fold

MOST_REPEATS = 256
_SOMETIMES_KEPT = 0.25  # of a template path's text, for it to be a lead, or content among content


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


def find_titles(
    table: BlockTable, repeats: Repeats, text: GoodText, containers: Containers
) -> list[Vote]:
    """Return the template paths of headings that say what the document's title says.

    They stand where articles begin.
    """
    articles = containers.articles
    begin = np.zeros(table.pages, dtype=np.int64)  # no title stands after the first long block
    long = text.good & (table.words >= USUAL_BLOCK)
    for page, (first, last) in articles.items():
        inside = np.flatnonzero(long[first:last])
        begin[page] = first + inside[0] + 1 if inside.size else last
    heading = table.matches_title & (repeats.text_pages[table.text] < 2)
    heading &= np.arange(heading.size) < begin[table.page]
    paths = np.unique(np.stack([table.path[heading], table.page[heading]]), axis=1)[0]
    counts = np.bincount(paths, minlength=table.paths.size)
    least = max(2.0, 0.1 * len(articles))
    return path_votes(table, counts >= least, counts, counts / max(1, len(articles)))


_LEAST_PAGES = 0.25  # of the articles that have a lead


def find_leads(table: BlockTable, repeats: Repeats, containers: Containers) -> list[Vote]:
    """Return the template paths before the containers of which the method kept some text.

    Only text counts that doesn't repeat and doesn't point elsewhere, and most of the path must be
    such text, in blocks long enough to be prose: dates, names and ways back are kept as often.
    """
    before = np.zeros(table.words.size, dtype=bool)
    for page, (first, _) in containers.articles.items():
        before[table.start[page] : first] = True
    own = before & ~repeats.repeated & ~table.is_teaser
    words = table.by_path(table.words * own)
    share = table.by_path(table.words * (own & table.kept)) / np.maximum(words, 1)
    mostly_own = 2 * words > table.by_path(table.words * before)
    is_prose = words >= USUAL_BLOCK * table.by_path(own)
    paths = np.unique(np.stack([table.path[own], table.page[own]]), axis=1)[0]
    pages = np.bincount(paths, minlength=table.paths.size)
    enough = pages >= max(2.0, _LEAST_PAGES * len(containers.articles))
    chosen = enough & mostly_own & is_prose & (share >= _SOMETIMES_KEPT)
    return path_votes(table, chosen, pages, share)
