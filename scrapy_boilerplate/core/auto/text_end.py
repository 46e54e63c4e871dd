"""Finds the end of the main text: other texts' teasers, which read like content, follow it.

Block by block a teaser in whole sentences looks like content. But it comes in a unit that also
links to its own page, and beside others like it: such units are dropped together.
"""

from __future__ import annotations

import numpy as np

from scrapy_boilerplate.core.page import Page, cumulative
from scrapy_boilerplate.core.page.arrays import Bool, Float, Int32

LEAST_UNITS, _LEAST_TEASERS = 4, 0.8
"""Units that are alike, and the share of them that holds a teaser."""

_END = 0.9
"""Share of the other kept words that stands before the end."""

_CONTAINER = 0.7
"""Share of the other kept words that the text's container holds; what it lists is content."""

_LEAST_WORDS, _LEAST_SHARE = 60, 0.3
"""Words that must be left, and their share of those kept; a page of less is a list of teasers."""


def after_the_end(page: Page, keep: Bool, words: Float, units: Int32) -> Bool:
    """Return which of the blocks that *keep* flags stand in teasers after the end.

    *units* tells for each block how many units are like its own, and how many of them hold a
    teaser. Linear in the page.

    >>> page = Page.parse("<div><p>The text.</div>" + "<p><a href=/x>Another text.</a>" * 4)
    >>> keep, words = np.ones(5, dtype=bool), np.array([90.0, 20, 20, 20, 20])
    >>> units = np.array([[0, 0], [4, 4], [4, 4], [4, 4], [4, 4]], dtype=np.int32)
    >>> after_the_end(page, keep, words, units).tolist()
    [False, True, True, True, True]
    """
    alike, teasers = units.T
    found: Bool = keep & (alike >= LEAST_UNITS)
    if np.count_nonzero(found):
        found &= teasers >= _LEAST_TEASERS * alike
    if not np.count_nonzero(found):
        return found
    rest = np.where(keep & ~found, words, 0.0)
    left = rest.sum()
    if left < max(_LEAST_WORDS, _LEAST_SHARE * words[keep].sum()):
        return np.zeros_like(found)
    found &= np.cumsum(rest) >= _END * left
    first, stop = _container(page, rest)
    found[first:stop] = False
    return found


def _container(page: Page, rest: Float) -> tuple[int, int]:
    """Return the blocks of the smallest element that holds most of the words of *rest*."""
    starts, sums = page.blocks[:, 0], cumulative(rest)
    # What holds most of the words holds the middle one.
    middle = int(np.searchsorted(sums[1:], sums[-1] / 2))
    above, parent = [int(page.text_parent[starts[middle]])], page.parent.data
    while above[-1]:
        above.append(parent[above[-1]])
    first = np.searchsorted(starts, page.first_text[above])
    stop = np.searchsorted(starts, page.last_text[above])
    smallest = np.flatnonzero(sums[stop] - sums[first] >= _CONTAINER * sums[-1])[0]
    return int(first[smallest]), int(stop[smallest])
