"""The best contiguous run of a page's tokens: what `mss` and `bte` share."""

from __future__ import annotations

import numpy as np

from scrapy_boilerplate.core.methods._runs_native import judge_run as _judge_run
from scrapy_boilerplate.core.methods._runs_native import tags_before, weighted
from scrapy_boilerplate.core.methods.base import Verdict
from scrapy_boilerplate.core.page import Page
from scrapy_boilerplate.core.page.arrays import Float, Int64
from scrapy_boilerplate.core.page.walk import TagTable

VOID = frozenset(
    "area base br col embed hr img input link meta param source track wbr frame".split()
)
"""Elements that have no end tag."""

_VOIDS = TagTable(dict.fromkeys(VOID, 1), other=0, dtype=np.uint8)


def judge_run(page: Page, texts: Float, tags: Float) -> Verdict:
    """Keep the run of tokens with the largest sum; its paragraphs are the spans.

    *texts* are the values of the page's text nodes, *tags* the summed values of the tags before
    each; tags at the ends of a run do not belong to it. Of equal sums the first run that ends is
    taken, with its earliest start, as Kadane's pass finds it. A span's score is the sum of its own
    tokens, with the tags before it.
    """
    spans, keep, scores = _judge_run(texts, tags, page.blocks)

    def reason(number: int) -> str:
        place = "inside" if keep[number] else "outside"
        return f"{place} the best run; its own tokens sum to {scores[number]:+.2f}"

    return Verdict(spans, keep, scores, reason)


def tag_counts(page: Page) -> Int64:
    """Return the number of tags before each text node, since the one before it.

    Start and end tags are read off the tree, so an end tag that the source leaves out counts; void
    elements (``br``, ``img``) are one tag; those of elements that are never shown are not counted.
    """
    return tags_before(page, _VOIDS.of(page.names))


def fixed_values(page: Page, word: float, symbol: float, tag: float) -> tuple[Float, Float]:
    """Return what text nodes and the tags before each are worth, by a value for each token."""
    counts = page.words, page.symbols, tag_counts(page)
    texts, tags = weighted(*counts, word, symbol, tag)
    return texts, tags
