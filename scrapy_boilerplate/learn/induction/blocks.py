"""The blocks of a site's pages: which texts repeat, and which are good text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from scrapy_boilerplate.core.caching import cached_property
from scrapy_boilerplate.core.page.arrays import Bool, Float, Int
from scrapy_boilerplate.learn.facts import Vote
from scrapy_boilerplate.learn.fingerprints import IS_TEASER, KEPT, MATCHES_TITLE, Fingerprint
from scrapy_boilerplate.learn.options import LearningOptions
from scrapy_boilerplate.learn.paths import tags_of

USUAL_BLOCK = 15
"""Words from which on a block counts nearly in full."""

_REPEATED = 0.25  # of the pages have a repeat in a trusted template path; elsewhere two of them
_NEAR_DUPLICATE = 0.6  # of two pages' text that they share, from which on only one of them counts
_TRUST, _DISTRUST = 0.5, 0.1  # kept shares of a path's text: above content, below boilerplate


class Blocks:
    """A row for each block that was remembered, page by page, in document order."""

    def __init__(
        self,
        fingerprints: Sequence[Fingerprint],
        names: Mapping[int, str],
        options: LearningOptions,
    ) -> None:
        self.options = options
        self.names = names
        """What the hashes of paths and selectors stand for."""
        self.fingerprints = fingerprints
        self.pages = len(fingerprints)
        sizes = [fingerprint.blocks.size for fingerprint in fingerprints]
        self.start = np.append(0, np.cumsum(sizes)).astype(np.int64)
        """First row of each page, and the number of rows."""
        self.page = np.repeat(np.arange(self.pages), sizes)
        """Number of each block's page."""
        rows = np.concatenate([fingerprint.blocks for fingerprint in fingerprints])
        self.words: Float = rows["words"].astype(np.float64)
        self.kept: Bool
        """Whether the single-page method kept the block."""
        self.kept, self.matches_title, self.is_teaser = (
            rows["flags"] & flag > 0 for flag in (KEPT, MATCHES_TITLE, IS_TEASER)
        )
        hashes = rows["path"].astype(np.uint64)
        self.paths: NDArray[np.uint64]
        """Hash of each template path that occurs."""
        self.paths, self.path = np.unique(hashes, return_inverse=True)
        self.texts: NDArray[np.uint64]
        """Hash of each text that occurs, with its template path."""
        both = hashes << np.uint64(32) | rows["text"]
        self.texts, self.text = np.unique(both, return_inverse=True)

    def by_page(self, values: ArrayLike) -> Float:
        """Sum values of the blocks by page."""
        return np.bincount(self.page, values, self.pages).astype(np.float64, copy=False)

    def by_path(self, values: ArrayLike) -> Float:
        """Sum values of the blocks by template path."""
        return np.bincount(self.path, values, self.paths.size).astype(np.float64, copy=False)

    def pages_with(self, chosen: Bool) -> Int:
        """Return on how many pages each template path has one of the *chosen* blocks."""
        found = np.zeros((self.paths.size, self.pages), dtype=bool)
        found[self.path[chosen], self.page[chosen]] = True
        pages: Int = found.sum(axis=1)
        return pages

    def name(self, path: int) -> str:
        """Return the name of a template path; empty if it is not known."""
        return self.names.get(int(self.paths[path]), "")

    def without(self, chosen: Bool, tags: frozenset[str]) -> Bool:
        """Return the *chosen* template paths in which none of these tags stands."""
        left: Bool = chosen.copy()
        rows = np.flatnonzero(chosen)
        left[rows] = [tags.isdisjoint(tags_of(self.name(path))) for path in rows.tolist()]
        return left

    def votes(self, chosen: Bool, pages: Int, scores: Float) -> list[Vote]:
        """Return the *chosen* template paths whose names are known, those of most pages first."""
        votes = [
            Vote(name, int(pages[path]), round(float(scores[path]), 3))
            for path in np.flatnonzero(chosen).tolist()
            if (name := self.name(path))
        ]
        return sorted(votes, key=lambda vote: (-vote.pages, vote.name))

    # -- what repeats ------------------------------------------------------------------------

    @cached_property
    def original(self) -> Bool:
        """Whether each page is not nearly one before it, in what was kept and in all of it."""
        own = self.words * ~self.is_teaser
        alike = self._alike(own * self.kept) & self._alike(own)
        original = np.ones(self.pages, dtype=bool)
        for page in range(1, self.pages):
            original[page] = not (alike[page, :page] & original[:page]).any()
        return original

    def _alike(self, weight: Float) -> Bool:
        """Return for each pair of pages whether they share most of their weighed text."""
        mass = np.zeros((self.pages, self.texts.size))
        mass[self.page, self.text] = weight
        total = mass.sum(axis=1)
        mass = mass[:, np.bincount(self.text) > 1]  # most texts stand on one page only
        shared = mass @ (mass > 0).T
        shared = np.minimum(shared, shared.T)
        union = total[:, None] + total[None, :] - shared
        alike: Bool = (shared >= _NEAR_DUPLICATE * union) & (shared > 0)
        return alike

    @cached_property
    def counted(self) -> Bool:
        """Whether each block stands on an original page."""
        counted: Bool = self.original[self.page]
        return counted

    @cached_property
    def text_pages(self) -> Int:
        """Number of original pages on which each text stands in its template path."""
        present = np.zeros((self.pages, self.texts.size), dtype=bool)
        present[self.page, self.text] = True
        pages: Int = present[self.original].sum(axis=0)
        return pages

    @cached_property
    def often(self) -> float:
        """Number of pages from which on a text repeats wherever it stands."""
        return max(2.0, _REPEATED * float(self.original.sum()))

    @cached_property
    def repeated(self) -> Bool:
        """Whether each block's text repeats on other pages, in its template path."""
        times = self.text_pages[self.text]
        twice = times >= 2
        words = self.words * self.counted
        total, unique = self.by_path(words), self.by_path(words * ~twice)
        kept = self.by_path(words * (self.kept & ~twice))
        trusted = (kept > _TRUST * unique) & (2 * unique >= total)
        repeated: Bool = np.where(trusted[self.path], times >= self.often, twice)
        return repeated

    # -- template paths ----------------------------------------------------------------------

    @cached_property
    def present(self) -> Bool:
        """Whether each page has each template path."""
        present = np.zeros((self.pages, self.paths.size), dtype=bool)
        present[self.page, self.path] = True
        return present

    @cached_property
    def _fresh_words(self) -> Float:
        return self.words * (self.counted & ~self.repeated)

    @cached_property
    def share(self) -> Float:
        """Share of each template path's words that was kept, of text that does not repeat."""
        words = self.by_path(self._fresh_words)
        return self.by_path(self._fresh_words * self.kept) / np.maximum(words, 1)

    @cached_property
    def judged(self) -> Bool:
        """Whether each template path was seen on two pages and can be judged."""
        judged: Bool = self.present[self.original].sum(axis=0) >= 2
        return judged

    @cached_property
    def trusted(self) -> Bool:
        """Whether each template path is content."""
        mostly_unique = 2 * self.by_path(self._fresh_words) >= self.by_path(
            self.words * self.counted
        )
        return self.judged & mostly_unique & (self.share > _TRUST)

    @cached_property
    def distrusted(self) -> Bool:
        """Whether each template path is boilerplate."""
        return self.judged & (self.share < _DISTRUST)

    # -- good text ---------------------------------------------------------------------------

    @cached_property
    def good(self) -> Bool:
        """Whether each block is good text of its own page."""
        good: Bool = (self.kept | self.trusted[self.path]) & ~self.repeated & ~self.is_teaser
        return good

    @cached_property
    def lists(self) -> Bool:
        """Whether each page is a list by the method, or does little but point to other pages."""
        good_words = self.by_page(self.words * self.good)
        pointing = self.by_page(self.words * (self.kept & self.is_teaser))
        least = self.options.min_words
        points: Bool = (good_words < least) & (pointing > np.maximum(good_words, least / 2))
        found: Bool = points | np.array(
            [each.kind == "list" for each in self.fingerprints], dtype=bool
        )
        return found

    @cached_property
    def voting(self) -> Bool:
        """Whether each page has text enough to vote."""
        is_long: Bool = self.by_page(self.words * self.good) >= self.options.min_words
        return is_long & self.original & ~self.lists

    @cached_property
    def weight(self) -> Float:
        """What each block weighs in a vote.

        Long blocks in template paths that most pages have weigh most: they are the article.
        Comments are in fewer, and what stands around an article is short.
        """
        presence = self.present[self.voting].sum(axis=0) / max(1, self.voting.sum())
        weight: Float = presence[self.path] * self.words**2 / (self.words + USUAL_BLOCK)
        return weight
