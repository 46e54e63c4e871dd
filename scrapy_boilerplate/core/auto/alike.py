"""Keeps blocks at the places of kept ones in the template, and callouts between kept ones."""

from __future__ import annotations

import numpy as np

from scrapy_boilerplate.core.answer.document.callouts import callout_of
from scrapy_boilerplate.core.answer.posts.unit_signs import flagged
from scrapy_boilerplate.core.auto._features_native import ABOVE, LEAST_ALIKE, Features
from scrapy_boilerplate.core.auto.features import bits_in
from scrapy_boilerplate.core.auto.lexicon import NAMED
from scrapy_boilerplate.core.auto.text_end import container
from scrapy_boilerplate.core.caching import remember
from scrapy_boilerplate.core.page import Page
from scrapy_boilerplate.core.page.arrays import Bool, Float

_LIKELY, _KEPT = 0.35, 0.7
_FEW_WORDS, _KEPT_OF_FEW = 400, 0.5
"""Probability from which on a block is kept, and the share of the words at its place that are; less
on a page of fewer words, which tells less of each block."""
_LEAST_KEPT = 2  # kept blocks at its place
_MOST_LINKED = 0.5
_HEADING = bits_in(ABOVE, "heading")
_NO_TEXT = bits_in(ABOVE, "nav footer aside form button")
_NAMED_OTHERWISE = bits_in(
    NAMED, "comment related share side foot navigation author overlay form tags hidden"
)


def with_alike(page: Page, features: Features, keep: Bool, content: Float) -> Bool:
    """Return which blocks are kept with those that are like most of what *keep* flags.

    *content* is the probability of each block. The last lines of a poem or of a law are like those
    before, and shorter. Linear in the page.
    """
    is_short = features.total < _FEW_WORDS
    likely, share = (LEAST_ALIKE, _KEPT_OF_FEW) if is_short else (_LIKELY, _KEPT)
    may_be = (content >= likely) & ~keep
    if np.count_nonzero(may_be):
        may_be &= (features.bits & _NO_TEXT == 0) & (features.named & _NAMED_OTHERWISE == 0)
    if not np.count_nonzero(may_be):
        return keep
    words, place = features.words, features.surroundings.template
    total, kept = np.bincount(place, words), np.bincount(place, words * keep)
    is_like = (kept >= share * total) & (np.bincount(place, keep) >= _LEAST_KEPT)
    found = may_be & is_like[place] & (page.linked <= _MOST_LINKED * words)
    found[:-1] |= may_be[:-1] & found[1:] & (features.bits[:-1] & _HEADING > 0)
    if not np.count_nonzero(found):
        return keep
    first, stop = container(page, words * keep, 1.0)  # outside is the foot of a layout's table
    found[:first] = found[stop:] = False
    return keep | found


def with_callouts(page: Page, keep: Bool, *, is_manual: bool = False) -> Bool:
    """Return which blocks are kept with the callouts right between those that *keep* flags, and in
    a manual with those behind one.

    >>> page = Page.parse("<p>Wait.<aside class='admonition note'>It is hot.</aside><p>Open it.")
    >>> with_callouts(page, np.array([True, False, True])).tolist()
    [True, True, True]
    """
    gaps = keep[:-1] > keep[1:]  # before the blocks that begin one
    if not np.count_nonzero(gaps):
        return keep
    begins = np.zeros(page.text_at.size + 1, dtype=bool)
    begins[page.block_starts[1:][gaps]] = True
    elements = (begins.take(page.first_text) & (page.class_id > 0)).nonzero()[0]
    spans = np.stack(page.blocks_in(elements))
    is_right = (np.append(keep, False)[spans[1]] | is_manual) & (spans[0] < spans[1])
    if not np.count_nonzero(is_right):
        return keep
    elements, spans = elements[is_right], spans[:, is_right]
    is_callout = flagged(page, page.class_id[elements], _is_callout)[page.class_id[elements]]
    found: Bool = keep.copy()
    for begin, end in spans.T[is_callout].tolist():
        words = page.words[page.blocks[begin, 0] : page.blocks[end - 1, 1]].sum()
        if not keep[begin:end].any() and page.linked[begin:end].sum() <= _MOST_LINKED * words:
            found[begin:end] = True
    return found


@remember(1 << 20)
def _is_callout(name: str) -> bool:
    told = callout_of(name)
    return told is not None and told.sure
