"""Template paths and blocks that hold good text, and pages with enough of it to vote."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from scrapy_boilerplate.core.page.arrays import Bool, Float
from scrapy_boilerplate.learn.induction.repeats import Repeats
from scrapy_boilerplate.learn.induction.table import BlockTable
from scrapy_boilerplate.learn.options import LearningOptions

USUAL_BLOCK = 15
"""Words from which on a block counts nearly in full."""


@dataclass(frozen=True, slots=True, eq=False)
class PathShares:
    """The single-page method's share of each template path's text that does not repeat."""

    present: Bool
    """For each page and template path whether it is there."""
    share: Float
    """Share of its words that was kept."""
    judged: Bool
    """Whether it was seen on two pages and can be judged."""
    trusted: Bool
    """Whether it is content."""
    distrusted: Bool
    """Whether it is boilerplate."""


def judge_paths(table: BlockTable, repeats: Repeats, options: LearningOptions) -> PathShares:
    """Judge each template path by what was kept of its text."""
    fresh = repeats.counted & ~repeats.repeated
    words = table.by_path(table.words * fresh)
    share = table.by_path(table.words * (fresh & table.kept)) / np.maximum(words, 1)
    present = table.has_path()
    judged: Bool = present[repeats.original].sum(axis=0) >= 2
    mostly_unique = 2 * words >= table.by_path(table.words * repeats.counted)
    trusted: Bool = judged & mostly_unique & (share > options.trust)
    return PathShares(present, share, judged, trusted, judged & (share < options.distrust))


@dataclass(frozen=True, slots=True, eq=False)
class GoodText:
    """Places of good text."""

    good: Bool
    """Whether each block is good text of its own page."""
    lists: Bool
    """Whether each page does little but point to other pages."""
    voting: Bool
    """Whether each page has text enough to vote."""
    weight: Float
    """What each block weighs in a vote."""


def find_good_text(
    table: BlockTable, repeats: Repeats, paths: PathShares, options: LearningOptions
) -> GoodText:
    """Find the good text, and the pages that have enough of it.

    In a vote long blocks in template paths that most pages have weigh most: they are the article.
    Comments are in fewer, and what stands around an article is short.
    """
    good = (table.kept | paths.trusted[table.path]) & ~repeats.repeated & ~table.is_teaser
    page_words = table.by_page(table.words * good)
    pointing = table.by_page(table.words * (table.kept & table.is_teaser))
    least = np.maximum(page_words, options.min_words / 2)
    lists = (page_words < options.min_words) & (pointing > least)
    voting = (page_words >= options.min_words) & repeats.original
    presence = paths.present[voting].sum(axis=0) / max(1, voting.sum())
    weight: Float = presence[table.path] * table.words**2 / (table.words + USUAL_BLOCK)
    return GoodText(good, lists, voting, weight)
