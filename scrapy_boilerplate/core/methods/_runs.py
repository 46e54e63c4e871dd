"""The best contiguous run of a page's tokens: what `mss` and `bte` share."""

from __future__ import annotations

import numpy as np

from scrapy_boilerplate.core.methods._runs_native import best_run as _best_run
from scrapy_boilerplate.core.methods._runs_native import tags_before as _tags_before
from scrapy_boilerplate.core.methods.base import Verdict
from scrapy_boilerplate.core.page import Page, cumulative
from scrapy_boilerplate.core.page.arrays import Int64, Number
from scrapy_boilerplate.core.page.walk import TagTable

VOID = frozenset(
    "area base br col embed hr img input link meta param source track wbr frame".split()
)
"""Elements that have no end tag."""

_VOIDS = TagTable(dict.fromkeys(VOID, 1), other=0, dtype=np.uint8)


def judge_run(page: Page, texts: Number, tags: Number) -> Verdict:
    """Keep the run of tokens with the largest sum; its paragraphs are the spans.

    *texts* are the values of the page's text nodes, *tags* the summed values of the tags before
    each. A span's score is the sum of its own tokens, with the tags before it.
    """
    start, stop = best_run(texts, tags)
    # No text node starts where the page ends; the first one, which is taken then, opens a block.
    spans = page.cut_blocks([start, stop % page.text_at.size])
    keep = (spans[:, 0] >= start) & (spans[:, 1] <= stop)
    totals = cumulative(texts + tags)
    scores = (totals[spans[:, 1]] - totals[spans[:, 0]]).astype(np.float64)

    def reason(number: int) -> str:
        place = "inside" if keep[number] else "outside"
        return f"{place} the best run; its own tokens sum to {scores[number]:+.2f}"

    return Verdict(spans, keep, scores, reason)


def tag_counts(page: Page) -> Int64:
    """Return the number of tags before each text node, since the one before it.

    Start and end tags are read off the tree, so an end tag that the source leaves out counts; void
    elements (``br``, ``img``) are one tag; those of elements that are never shown are not counted.
    """
    return _tags_before(_VOIDS.of(page.names), page.tag, page.depth, page.text_at, page.text_parent)


def best_run(texts: Number, tags: Number) -> tuple[int, int]:
    """Return the contiguous run of text nodes ``[start, stop)`` with the largest sum.

    *texts* are the values of text nodes, *tags* the summed values of the tags before each; tags
    at the ends of a run do not belong to it. Of equal sums the first run that ends is taken, with
    its earliest start, as Kadane's pass finds it: it restarts only below 0. A page on which no run
    has a positive sum has an empty one.

    >>> best_run(np.array([1, 5, 6, 1]), np.array([-2, -3, -1, -4]))
    (1, 3)
    """
    values = [each.astype(np.float64, copy=False) for each in (texts, tags)]
    return _best_run(*values)
