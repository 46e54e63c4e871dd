"""Keeps the blocks of which most others at the same place in the template are kept."""

from __future__ import annotations

import numpy as np

from scrapy_boilerplate.core.auto._features_native import ABOVE, Features
from scrapy_boilerplate.core.auto.lexicon import NAMED
from scrapy_boilerplate.core.page import Page
from scrapy_boilerplate.core.page.arrays import Bool, Float

_LIKELY, _KEPT = 0.35, 0.7
_FEW_WORDS, _LIKELY_OF_FEW, _KEPT_OF_FEW = 400, 0.25, 0.5
"""Probability from which on a block is kept, and the share of the words at its place that are; less
on a page of fewer words, which tells less of each block."""
_LEAST_ALIKE = 2  # kept blocks at its place
_MOST_LINKED = 0.5
_NO_TEXT = sum(1 << list(ABOVE).index(name) for name in "nav footer aside form button".split())
_NAMED_OTHERWISE = sum(
    1 << list(NAMED).index(name)
    for name in "comment related share side foot navigation author overlay form tags hidden".split()
)


def with_alike(page: Page, features: Features, keep: Bool, content: Float) -> Bool:
    """Return which blocks are kept with those that are like most of what *keep* flags.

    *content* is the probability of each block. The last lines of a poem or of a law are like those
    before, and shorter. Linear in the page.
    """
    is_short = features.total < _FEW_WORDS
    likely, share = (_LIKELY_OF_FEW, _KEPT_OF_FEW) if is_short else (_LIKELY, _KEPT)
    may_be = (
        ~keep
        & (content >= likely)
        & (features.bits & _NO_TEXT == 0)
        & (features.named & _NAMED_OTHERWISE == 0)
    )
    if not may_be.any():
        return keep
    words = features.words
    place = np.unique(features.surroundings.template, return_inverse=True)[1]
    total, kept = np.bincount(place, words), np.bincount(place, words * keep)
    is_like = (kept >= share * total) & (np.bincount(place, keep) >= _LEAST_ALIKE)
    linked = page.per_block(page.words * page.in_link)
    found = may_be & is_like[place] & (linked <= _MOST_LINKED * words)
    return keep | found if found.any() else keep
