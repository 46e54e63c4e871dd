"""The best contiguous run of a page's tokens: what `mss` and `bte` share."""

from __future__ import annotations

import numpy as np

from scrapy_boilerplate.core.methods.base import Verdict
from scrapy_boilerplate.core.page import Page
from scrapy_boilerplate.core.page.arrays import Float, Int64, cumulative

VOID = frozenset(
    "area base br col embed hr img input link meta param source track wbr frame".split()
)
"""Elements that have no end tag."""


def best_run(texts: Float, tags: Float) -> tuple[int, int]:
    """Return the run of text nodes with the largest sum, as start and stop."""
    after = cumulative(texts + tags)[1:]
    before = after - texts
    gains = after - np.minimum.accumulate(before)
    stop = int(gains.argmax()) + 1
    return (int(before[:stop].argmin()), stop) if gains[stop - 1] > 0 else (0, 0)


def judge_run(page: Page, texts: Float, tags: Float) -> Verdict:
    """Keep the run of tokens with the largest sum; its paragraphs are the spans.

    *texts* are the values of the page's text nodes, *tags* the summed values of the tags before
    each; tags at the ends of a run do not belong to it. Of equal sums the first run that ends is
    taken, with its earliest start, as Kadane's pass finds it. A span's score is the sum of its own
    tokens, with the tags before it.
    """
    first, stop = best_run(texts, tags)
    spans = page.cut_blocks([edge for edge in (first, stop) if edge < texts.size])
    sums = cumulative(texts + tags)[spans]
    keep, scores = (spans[:, 0] >= first) & (spans[:, 0] < stop), sums[:, 1] - sums[:, 0]

    def reason(number: int) -> str:
        place = "inside" if keep[number] else "outside"
        return f"{place} the best run; its own tokens sum to {scores[number]:+.2f}"

    return Verdict(spans, keep, scores, reason)


def tag_counts(page: Page) -> Int64:
    """Return the number of tags before each text node, since the one before it.

    Start and end tags are read off the tree, so an end tag that the source leaves out counts; void
    elements (``br``, ``img``) are one tag; those of elements that are never shown are not counted.
    """
    ends = page.text_at - cumulative(page.has_tag(VOID))[page.text_at]
    before = page.text_at + ends - page.depth[page.text_parent] - 1
    counts = before.astype(np.int64)
    counts[1:] -= before[:-1]  # np.diff takes five times as long
    return counts


def fixed_values(page: Page, word: float, symbol: float, tag: float) -> tuple[Float, Float]:
    """Return what text nodes and the tags before each are worth, by a value for each token."""
    counts = np.array([page.words, page.symbols, tag_counts(page)], dtype=np.float64)
    words, symbols, tags = counts * [[word], [symbol], [tag]]
    return words + symbols, tags
