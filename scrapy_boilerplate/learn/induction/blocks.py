"""The blocks of a site's pages: which texts repeat, and which are good text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from scrapy_boilerplate.core.page.arrays import Bool, Float, Int
from scrapy_boilerplate.learn.facts import Vote
from scrapy_boilerplate.learn.fingerprints import IS_TEASER, KEPT, MATCHES_TITLE, Fingerprint
from scrapy_boilerplate.learn.options import LearningOptions
from scrapy_boilerplate.learn.paths import tags_of
from scrapy_boilerplate.learn.template import USUAL_BLOCK

_REPEATED = 0.25  # of the pages have a repeat in a trusted template path; elsewhere two of them
_NEAR_DUPLICATE = 0.6  # of two pages' text that they share, from which on only one of them counts
_TRUST, _DISTRUST = 0.5, 0.1  # kept shares of a path's text: above content, below boilerplate


def joined(records: Sequence[NDArray[np.void]]) -> NDArray[np.void]:
    """Return the records of all pages in a row; ``np.concatenate`` takes longer for small ones."""
    return np.frombuffer(b"".join(each.data for each in records), records[0].dtype)


class Blocks:
    """A row for each block that was remembered, page by page, in document order."""

    def __init__(
        self,
        fingerprints: Sequence[Fingerprint],
        names: Mapping[int, str],
        options: LearningOptions,
    ) -> None:
        self.options, self.fingerprints, self.pages = options, fingerprints, len(fingerprints)
        self.names = names  # what the hashes of paths and selectors stand for
        sizes = [fingerprint.blocks.size for fingerprint in fingerprints]
        self.start = np.append(0, np.cumsum(sizes)).astype(np.int64)  # first row of each page
        self.page = np.repeat(np.arange(self.pages), sizes)
        rows = joined([fingerprint.blocks for fingerprint in fingerprints])
        self.words: Float = rows["words"].astype(np.float64)
        self.kept: Bool
        self.kept, self.matches_title, self.is_teaser = (
            rows["flags"] & flag > 0 for flag in (KEPT, MATCHES_TITLE, IS_TEASER)
        )
        hashes = rows["path"].astype(np.uint64)
        self.paths: NDArray[np.uint64]  # hash of each template path that occurs
        self.paths, self.path = np.unique(hashes, return_inverse=True)
        self.texts: NDArray[np.uint64]  # hash of each text that occurs, with its template path
        both = hashes << np.uint64(32) | rows["text"]
        self.texts, self.text = np.unique(both, return_inverse=True)
        self._find_repeats()
        self._judge_paths()
        self._find_voters()

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
        return found.sum(axis=1)

    def name(self, path: int) -> str:
        """Return the name of a template path; empty if it is not known."""
        return self.names.get(int(self.paths[path]), "")

    def without(self, chosen: Bool, tags: frozenset[str]) -> Bool:
        """Return the *chosen* template paths in which none of these tags stands."""
        left: Bool = chosen.copy()
        rows = chosen.nonzero()[0]
        left[rows] = [tags.isdisjoint(tags_of(self.name(path))) for path in rows.tolist()]
        return left

    def votes(self, chosen: Bool, pages: Int, scores: Float) -> list[Vote]:
        """Return the *chosen* template paths whose names are known, those of most pages first."""
        votes = [
            Vote(name, int(pages[path]), round(float(scores[path]), 3))
            for path in chosen.nonzero()[0].tolist()
            if (name := self.name(path))
        ]
        return sorted(votes, key=lambda vote: (-vote.pages, vote.name))

    # -- what follows from the rows ----------------------------------------------------------

    def _find_repeats(self) -> None:
        # Pages that are not nearly the same as one before them, both in what was kept and in all:
        # a method may keep the same box on different pages.
        own = self.words * ~self.is_teaser
        alike = self._alike(own * self.kept) & self._alike(own)
        self.original: Bool = np.ones(self.pages, dtype=bool)
        for page in range(1, self.pages):
            self.original[page] = not (alike[page, :page] & self.original[:page]).any()
        self.counted: Bool = self.original[self.page]
        has_text = np.zeros((self.pages, self.texts.size), dtype=bool)
        has_text[self.page, self.text] = True
        # On how many original pages each text stands in its path, and from how many it repeats.
        self.text_pages: Int = has_text[self.original].sum(axis=0)
        self.often = max(2.0, _REPEATED * float(self.original.sum()))
        times = self.text_pages[self.text]
        twice, words = times >= 2, self.words * self.counted
        total, unique = self.by_path(words), self.by_path(words * ~twice)
        kept = self.by_path(words * (self.kept & ~twice))
        trusted = (kept > _TRUST * unique) & (2 * unique >= total)
        self.repeated: Bool = np.where(trusted[self.path], times >= self.often, twice)

    def _alike(self, weight: Float) -> Bool:
        """Return for each pair of pages whether they share most of their weighed text."""
        mass = np.zeros((self.pages, self.texts.size))
        mass[self.page, self.text] = weight
        total = mass.sum(axis=1)
        mass = mass[:, np.bincount(self.text) > 1]  # most texts stand on one page only
        shared = mass @ (mass > 0).T
        shared = np.minimum(shared, shared.T)
        union = total[:, None] + total[None, :] - shared
        return (shared >= _NEAR_DUPLICATE * union) & (shared > 0)

    def _judge_paths(self) -> None:
        self.present: Bool = np.zeros((self.pages, self.paths.size), dtype=bool)  # on each page
        self.present[self.page, self.path] = True
        words = self.words * (self.counted & ~self.repeated)
        own = self.by_path(words)
        # The share of each path's words that was kept, of text that does not repeat.
        self.share: Float = self.by_path(words * self.kept) / np.maximum(own, 1)
        self.judged: Bool = self.present[self.original].sum(axis=0) >= 2
        mostly_unique = 2 * own >= self.by_path(self.words * self.counted)
        self.trusted: Bool = self.judged & mostly_unique & (self.share > _TRUST)
        self.distrusted: Bool = self.judged & (self.share < _DISTRUST)

    def _find_voters(self) -> None:
        trusted = self.kept | self.trusted[self.path]
        self.good: Bool = trusted & ~self.repeated & ~self.is_teaser
        words, least = self.by_page(self.words * self.good), self.options.min_words
        # Pages that are lists by the method, or do little but point to other pages.
        pointing = self.by_page(self.words * (self.kept & self.is_teaser))
        is_list = np.array([each.kind == "list" for each in self.fingerprints], dtype=bool)
        points = (words < least) & (pointing > np.maximum(words, least / 2))
        self.lists: Bool = points | is_list
        self.voting: Bool = (words >= least) & self.original & ~self.lists
        # Long blocks in paths that most pages have weigh most: they are the article. Comments are
        # in fewer, and what stands around an article is short.
        presence = self.present[self.voting].sum(axis=0) / max(1, self.voting.sum())
        size = self.words**2 / (self.words + USUAL_BLOCK)
        self.weight: Float = presence[self.path] * size
