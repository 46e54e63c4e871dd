"""Maximum subsequence segmentation."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from scrapy_boilerplate.extractors.base import Extractor, Verdict
from scrapy_boilerplate.page import Page

__all__ = ["MSS", "best_run", "split_blocks", "tag_counts"]

_VOID = frozenset(
    "area base br col embed hr img input link meta param source track wbr frame".split()
)


@dataclass(frozen=True, slots=True)
class MSS(Extractor):
    """Maximum subsequence segmentation: the run of tokens with the largest sum.

    Each tag of the page, opening or closing, is worth *tag_score*; each text between two tags is
    worth *word_score* for each of its words and *symbol_score* for each of its symbols (visible
    characters outside words). The article is the contiguous run of tokens with the largest sum,
    found in one linear pass; of equal sums the first. The paragraphs of the run are its segments.

    Source: J. Pasternack, D. Roth, *Extracting Article Text from the Web with Maximum Subsequence
    Segmentation*, WWW 2009, baseline 2. Void elements (``br``, ``img``) count as one tag.

    Weaknesses: one contiguous run cannot leave out a box in the middle of an article, and with the
    source's constants a densely marked-up article is cut short; the preset ``mss-tuned`` has the
    constants that did best on the development pages.

    >>> from scrapy_boilerplate import extract
    >>> extract("<ul><li><a>Home</a></ul><p>One two three four five six.", extractor="mss").text
    'One two three four five six.'
    """

    name: ClassVar[str] = "mss"

    tag_score: float = -3.25
    """Value of a tag; below 0."""
    word_score: float = 1.0
    """Value of a word."""
    symbol_score: float = 1.0
    """Value of a visible character that is no part of a word."""

    def judge(self, page: Page) -> Verdict:
        """Find the best run and split it into paragraphs."""
        texts = self.word_score * page.words + self.symbol_score * page.symbols
        tags = self.tag_score * tag_counts(page)
        start, stop = best_run(texts, tags)
        spans = split_blocks(page, start, stop)
        keep = (spans[:, 0] >= start) & (spans[:, 1] <= stop)
        totals = np.concatenate([[0.0], np.cumsum(texts + tags)])
        scores = totals[spans[:, 1]] - totals[spans[:, 0]]

        def reason(number: int) -> str:
            place = "inside" if keep[number] else "outside"
            return f"{place} the best run; its own tokens sum to {scores[number]:+.2f}"

        return Verdict(spans, keep, scores, reason)


def tag_counts(page: Page) -> NDArray[Any]:
    """Return the number of tags before each text node, since the one before it."""
    opened = page.text_at.astype(np.int64)
    closed = opened - page.depth[page.text_parent] - 1
    voids = np.concatenate([[0], np.cumsum(page.has_tag(_VOID))])[opened]
    tags: NDArray[Any] = opened + closed - voids
    tags[1:] -= tags[:-1].copy()
    return tags


def best_run(texts: NDArray[Any], tags: NDArray[Any]) -> tuple[int, int]:
    """Return the contiguous run of text nodes ``[start, stop)`` with the largest sum.

    *texts* are the values of text nodes, *tags* the summed values of the tags before each; tags
    at the ends of a run do not belong to it. Of equal sums the first run that ends is taken, with
    its earliest start, as Kadane's pass finds it: it restarts only below 0. A page on which no run
    has a positive sum has an empty one.
    """
    after = np.cumsum(texts + tags)
    before = after - texts  # sum of all tokens before each text node
    lowest = np.minimum.accumulate(before)
    gain = after - lowest
    last = int(np.argmax(gain))
    if gain[last] <= 0:
        return 0, 0
    first = int(np.argmin(before[: last + 1]))
    return first, last + 1


def split_blocks(page: Page, start: int, stop: int) -> NDArray[Any]:
    """Return the page's blocks, split where the run ``[start, stop)`` begins and ends in one."""
    cuts = np.union1d(page.blocks[:, 0], [0, start, stop, page.text_at.size])
    return np.stack([cuts[:-1], cuts[1:]], axis=1)
