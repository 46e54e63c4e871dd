"""Trust in a site's model."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from scrapy_boilerplate.core.page.arrays import Bool, Float
from scrapy_boilerplate.learn.facts import Cut, Vote
from scrapy_boilerplate.learn.induction.blocks import BlockTable, GoodText, PathShares, Repeats
from scrapy_boilerplate.learn.induction.containers import Containers, f1
from scrapy_boilerplate.learn.induction.ends import first_end
from scrapy_boilerplate.learn.induction.inside import InnerPaths
from scrapy_boilerplate.learn.options import LearningOptions
from scrapy_boilerplate.learn.paths import template_path_hash

MOST_FRAME = 24
"""Template paths of a frame."""

_NO_TEXT = 1.5  # times as many pages may lack a container if some have too little text to tell
_SURE_PAGES = 16  # articles that must all have had a start anchor before its absence tells


def have_template(text: GoodText, containers: Containers, options: LearningOptions) -> bool:
    """Return whether the pages with text enough have a template in common."""
    covered = containers.covered[text.voting & ~text.lists]
    return bool(covered.mean() >= options.template_share)


def agreement(
    table: BlockTable, repeats: Repeats, containers: Containers, inner: InnerPaths
) -> Float:
    """Return the agreement of each article's container with what the single-page method kept."""
    fresh = ~repeats.repeated
    kept = table.words * (table.kept & fresh & ~table.is_teaser)
    answer = table.words * (containers.inside & fresh & ~inner.boilerplate[table.path])
    both = table.by_page(np.minimum(kept, answer))
    return f1(table.by_page(kept), table.by_page(answer), both)[list(containers.articles)]


def elsewhere(
    table: BlockTable,
    repeats: Repeats,
    containers: Containers,
    inner: InnerPaths,
    cuts: Sequence[Cut],
) -> float:
    """Return the share of articles whose answer lacks most of what the method kept."""
    kept = table.words * (table.kept & ~table.is_teaser)
    answered = np.zeros(kept.size, dtype=bool)
    ends = [[template_path_hash(name) for name in cut.paths] for cut in cuts]
    for first, last in containers.articles.values():
        paths = table.paths[table.path[first:last]].tolist()
        answered[first : first + first_end(paths, ends)] = True
    answered &= ~repeats.repeated & ~inner.boilerplate[table.path]
    most = 2 * table.by_page(kept * answered) < table.by_page(kept)
    return float(most[list(containers.articles)].mean())


def find_frames(
    table: BlockTable, paths: PathShares, containers: Containers
) -> tuple[frozenset[int], ...]:
    """Return for each container the hashes of the template paths that most pages with it have."""
    frames = []
    for _, candidate in containers.chosen:
        rows = sorted(candidate.pages)
        pages = paths.present[rows].sum(axis=0)
        usual = np.flatnonzero(2 * pages >= len(rows))
        usual = usual[np.lexsort((table.paths[usual], -pages[usual]))][:MOST_FRAME]
        frames.append(frozenset(table.paths[usual].tolist()))
    return tuple(frame for frame in frames if frame)


def is_safe(
    table: BlockTable,
    repeats: Repeats,
    text: GoodText,
    containers: Containers,
    options: LearningOptions,
) -> bool:
    """Return whether a page without container may be said to have no article."""
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

    present: Bool
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
    present: Bool = np.asarray(paths.present[:, anchors].any(axis=1))
    articles = list(containers.articles)
    required = bool(anchors) and bool(present[articles].all()) and len(articles) >= _SURE_PAGES
    return Anchors(present, required)
