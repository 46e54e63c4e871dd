"""The blocks of a site's pages: which texts repeat, and which are good text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from scrapy_boilerplate.core.page.arrays import Bool, Float, Int
from scrapy_boilerplate.learn.options import LearningOptions
from scrapy_boilerplate.learn.sketch import Sketch

Scalar = TypeVar("Scalar", bound=np.generic)


@dataclass(frozen=True, slots=True, eq=False)
class BlockTable:
    """A row for each block that was remembered, page by page, in document order."""

    sketches: list[Sketch]
    """The sketch of each page, in an order that does not depend on when the page came."""
    names: Mapping[int, str]
    """What the hashes of paths and selectors stand for."""
    start: Int
    """First row of each page, and the number of rows."""
    page: Int
    """Number of each block's page."""
    words: Float
    """Words of each block."""
    kept: Bool
    """Whether the single-page method kept the block."""
    matches_title: Bool
    is_teaser: Bool
    paths: NDArray[np.uint64]
    """Hash of each template path that occurs."""
    path: Int
    """Number of each block's template path in :attr:`paths`."""
    texts: NDArray[np.uint64]
    """Hash of each text that occurs, with its template path."""
    text: Int
    """Number of each block's text in :attr:`texts`."""

    @property
    def pages(self) -> int:
        """Number of pages."""
        return len(self.sketches)

    def by_page(self, values: ArrayLike) -> Float:
        """Sum values of the blocks by page."""
        return np.bincount(self.page, values, self.pages).astype(np.float64)

    def by_path(self, values: ArrayLike) -> Float:
        """Sum values of the blocks by template path."""
        return np.bincount(self.path, values, self.paths.size).astype(np.float64)

    def has_path(self) -> Bool:
        """Return for each page and template path whether the page has it."""
        present = np.zeros((self.pages, self.paths.size), dtype=bool)
        present[self.page, self.path] = True
        return present

    def has_text(self) -> Bool:
        """Return for each page and text whether the page has it."""
        present = np.zeros((self.pages, self.texts.size), dtype=bool)
        present[self.page, self.text] = True
        return present

    def is_named(self, path: int) -> bool:
        """Return whether a template path's name is known."""
        return int(self.paths[path]) in self.names

    def name(self, path: int) -> str:
        """Return the name of a template path."""
        return self.names[int(self.paths[path])]


def read_blocks(sketches: Sequence[Sketch], names: Mapping[int, str]) -> BlockTable:
    """Put the blocks of all pages into one table."""
    ordered = sorted(sketches, key=Sketch.order)
    sizes = [sketch.paths.size for sketch in ordered]

    def column(name: str, kind: type[Scalar]) -> NDArray[Scalar]:
        parts = [np.zeros(0, kind), *(getattr(sketch, name) for sketch in ordered)]
        return np.concatenate(parts).astype(kind)

    hashes = column("paths", np.uint64)
    paths, path = np.unique(hashes, return_inverse=True)
    both = hashes << np.uint64(32) | column("texts", np.uint64)
    texts, text = np.unique(both, return_inverse=True)
    return BlockTable(
        sketches=ordered,
        names=names,
        start=np.append(0, np.cumsum(sizes)).astype(np.int64),
        page=np.repeat(np.arange(len(sizes)), sizes),
        words=column("words", np.float64),
        kept=column("kept", np.bool_),
        matches_title=column("matches_title", np.bool_),
        is_teaser=column("is_teaser", np.bool_),
        paths=paths,
        path=path,
        texts=texts,
        text=text,
    )


@dataclass(frozen=True, slots=True, eq=False)
class Repeats:
    """Text that repeats on the pages of a site."""

    original: Bool
    """Whether each page is not nearly the same as one before it."""
    counted: Bool
    """Whether each block stands on such a page."""
    text_pages: Int
    """Number of original pages on which each text stands in its template path."""
    repeated: Bool
    """Whether each block's text repeats on other pages, in its template path."""


def find_repeats(table: BlockTable, options: LearningOptions) -> Repeats:
    """Find the texts that repeat."""
    original = _originals(table, options)
    counted = original[table.page]
    text_pages: Int = table.has_text()[original].sum(axis=0)
    times = text_pages[table.text]
    twice = times >= 2
    words = table.words * counted
    total, unique = table.by_path(words), table.by_path(words * ~twice)
    kept = table.by_path(words * (table.kept & ~twice))
    trusted = (kept > options.trust * unique) & (2 * unique >= total)
    often = times >= max(2.0, options.repeated_share * original.sum())
    repeated: Bool = np.where(trusted[table.path], often, twice)
    return Repeats(original, counted, text_pages, repeated)


def _originals(table: BlockTable, options: LearningOptions) -> Bool:
    """Tell of each page whether it is not nearly the same as one before it.

    Both in what was kept and in all of it: a method may keep the same box on different pages.
    """
    own = table.words * ~table.is_teaser
    alike = _alike(table, own * table.kept, options) & _alike(table, own, options)
    original = np.ones(table.pages, dtype=bool)
    for page in range(1, table.pages):
        original[page] = not (alike[page, :page] & original[:page]).any()
    return original


def _alike(table: BlockTable, weight: Float, options: LearningOptions) -> Bool:
    """Return for each pair of pages whether they share most of their weighed text."""
    mass = np.zeros((table.pages, table.texts.size))
    mass[table.page, table.text] = weight
    shared = mass @ (mass > 0).T
    shared = np.minimum(shared, shared.T)
    total = mass.sum(axis=1)
    union = total[:, None] + total[None, :] - shared
    alike: Bool = (shared >= options.near_duplicate * union) & (shared > 0)
    return alike


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
