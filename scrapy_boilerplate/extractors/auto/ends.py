"""What stands after the end of the main text: other texts' teasers, which read like content.

Block by block a teaser in whole sentences looks like content. But it comes in a unit that also
links to its own page, and beside others like it: such units are dropped together.
"""

from __future__ import annotations

import numpy as np

from scrapy_boilerplate.page.arrays import Bool, Float, Float32

__all__ = ["COLUMNS", "after_the_end"]

COLUMNS = ("unit_family_teasers", "unit_before", "unit_after")
"""The features of blocks that are needed: the share of a unit and its like that hold a teaser, and
how many of them stand before and behind, as log(1 + n)."""

_LEAST_TEASERS = 0.8
_LEAST_UNITS = 4

_END = 0.9
"""Share of the other kept words that stands before the end."""

_LEAST_WORDS, _LEAST_SHARE = 60, 0.3
"""Words that must be left, and their share of those kept; a page of less is a list of teasers."""


def after_the_end(keep: Bool, words: Float, units: Float32) -> Bool:
    """Return which of the blocks that *keep* flags stand in teasers after the end.

    *units* has the :data:`COLUMNS` of each block, a row each.

    >>> keep, words = np.ones(5, dtype=bool), np.array([90.0, 20, 20, 20, 20])
    >>> others = np.log1p([[0, 0], [0, 3], [1, 2], [2, 1], [3, 0]])
    >>> units = np.column_stack([[0, 1, 1, 1, 1], others]).astype(np.float32)
    >>> after_the_end(keep, words, units).tolist()
    [False, True, True, True, True]
    """
    teasers, before, behind = units.T
    number = np.rint(np.exp(before) + np.exp(behind)) - 1
    found: Bool = keep & (teasers >= _LEAST_TEASERS) & (number >= _LEAST_UNITS)
    if not found.any():
        return found
    rest = np.where(keep & ~found, words, 0.0)
    left = rest.sum()
    if left < max(_LEAST_WORDS, _LEAST_SHARE * words[keep].sum()):
        return np.zeros_like(found)
    return found & (np.cumsum(rest) >= _END * left)
