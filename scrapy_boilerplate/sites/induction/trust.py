"""How far what was learned can be trusted."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from scrapy_boilerplate.sites.arrays import Bools, Floats
from scrapy_boilerplate.sites.facts import Vote
from scrapy_boilerplate.sites.induction.containers import Containers, f1
from scrapy_boilerplate.sites.induction.goodtext import GoodText, PathShares
from scrapy_boilerplate.sites.induction.inner import InnerPaths
from scrapy_boilerplate.sites.induction.repeats import Repeats
from scrapy_boilerplate.sites.induction.table import BlockTable
from scrapy_boilerplate.sites.options import LearningOptions

__all__ = ["Anchors", "agreement", "find_anchors", "have_template", "is_safe"]

_NO_TEXT = 1.5  # times as many pages may lack a container if some have too little text to tell
_SURE_PAGES = 16  # articles that must all have had a start anchor before its absence tells


def have_template(text: GoodText, containers: Containers, options: LearningOptions) -> bool:
    """Tell whether the pages with text enough have a template in common."""
    covered = containers.covered[text.voting & ~text.lists]
    return bool(covered.mean() >= options.template_share)


def agreement(
    table: BlockTable, repeats: Repeats, containers: Containers, inner: InnerPaths
) -> Floats:
    """Return the agreement of each article's container with what the single-page method kept."""
    fresh = ~repeats.repeated
    kept = table.words * (table.kept & fresh & ~table.is_teaser)
    answer = table.words * (containers.inside & fresh & ~inner.boilerplate[table.path])
    both = table.by_page(np.minimum(kept, answer))
    return f1(table.by_page(kept), table.by_page(answer), both)[list(containers.articles)]


def is_safe(
    table: BlockTable,
    repeats: Repeats,
    text: GoodText,
    containers: Containers,
    options: LearningOptions,
) -> bool:
    """Tell whether a page without container may be said to have no article."""
    original = repeats.original
    lists = text.lists | containers.archives
    covered = containers.covered | lists
    telling = original & (covered | text.voting)  # too little text tells nothing
    others = int((original & ~lists).sum())
    return bool(
        table.pages >= options.safe_pages
        and covered[telling].mean() >= options.coverage
        and covered[original].mean() >= 1 - _NO_TEXT * (1 - options.coverage)
        and 2 * len(containers.articles) >= max(others, options.safe_pages)
    )


@dataclass(frozen=True, slots=True, eq=False)
class Anchors:
    """The start anchors: what the titles of articles say of pages."""

    present: Bools
    """Whether each page has one."""
    required: bool
    """Whether a page with a container but no title is no article."""


def find_anchors(
    table: BlockTable, paths: PathShares, containers: Containers, titles: Sequence[Vote]
) -> Anchors:
    """Tell which pages have a title where articles have theirs."""
    names = {vote.name for vote in titles}
    anchors = [
        path
        for path in range(table.paths.size)
        if table.is_named(path) and table.name(path) in names
    ]
    present: Bools = np.asarray(paths.present[:, anchors].any(axis=1))
    articles = list(containers.articles)
    required = bool(anchors) and bool(present[articles].all()) and len(articles) >= _SURE_PAGES
    return Anchors(present, required)
