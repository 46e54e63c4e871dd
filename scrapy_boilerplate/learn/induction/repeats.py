"""Texts that stand on several pages, and pages that are nearly the same."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from scrapy_boilerplate.core.page.arrays import Bool, Float, Int
from scrapy_boilerplate.learn.induction.table import BlockTable
from scrapy_boilerplate.learn.options import LearningOptions


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
