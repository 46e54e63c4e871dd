"""From probabilities of content to an answer: the blocks with the highest expected F1."""

from __future__ import annotations

from math import exp
from typing import NamedTuple

import numpy as np

from scrapy_boilerplate.extractors.auto.elementary import log1p
from scrapy_boilerplate.page.arrays import Bool, Float, Int, cumulative
from scrapy_boilerplate.page.native import native_or

__all__ = ["BETA", "Answer", "choose_blocks"]

BETA = {"precision": 0.5, "balanced": 1.0, "recall": 2.0}
"""How much recall counts beside precision, by name."""

FEW_WORDS, HARDLY = 50, 0.05
"""A page of fewer words, or of one block, has content unless all of its blocks have a lower
probability: it is a snippet rather than a page, and the model has hardly learned from any."""

_SURE = 0.9999  # no block is content for certain
_LEAST = 1e-9

_TOGETHER = 0.75
"""How far the blocks of a page are content or not together; the rest of it each by itself."""

_LEVELS = (np.arange(32) + 0.5) / 32


class Answer(NamedTuple):
    """The blocks to keep and what to expect of them."""

    keep: Bool
    expected: float
    """Expected F1; of no block the probability that there is no content."""


def choose_blocks(
    content: Float,
    words: Int | Float,
    beta: float = 1.0,
    *,
    may_be_empty: bool = True,
) -> Answer:
    r"""Return the answer with the highest expected F, for probabilities of *content* by block.

    Were blocks independent, F of a set of blocks would be about twice the expected words of content
    in it, over its words and the expected words of content of the page (for *beta* 1). But what an
    annotator keeps, comments or teasers, is kept all over the page. Were that all, some level,
    equally often each from 0 to 1, would part the blocks that are content from those that are not.
    The expected F is a mean of the two. The best set holds the blocks above some probability.
    Nothing at all is answered where that is worth more: where the probability of no content,
    :math:`Π(1 − p)`, is higher than that F times the probability of some.

    >>> content, words = np.array([0.1, 0.9, 0.4, 0.8]), np.array([5, 50, 20, 40])
    >>> [choose_blocks(content, words, beta).keep.tolist() for beta in (0.5, 1.0, 2.0)]
    [[False, True, False, True], [False, True, False, True], [False, True, True, True]]
    """
    content = np.ascontiguousarray(content, dtype=np.float64)
    words = np.ascontiguousarray(words, dtype=np.float64)
    return Answer(*_choose(content, words, beta * beta, may_be_empty))


def _choose_in_numpy(
    content: Float, words: Float, square: float, may_be_empty: bool
) -> tuple[Bool, float]:
    order = (-content).argsort(kind="stable")
    found, kept = (content * words)[order].cumsum(), words[order].cumsum()
    above = np.searchsorted(-content[order], -_LEVELS)  # blocks above each level
    golds = np.append(0.0, kept)[above]
    scores = _expected(found, kept, golds, square)
    best = int(scores.argmax())
    nothing = exp(cumulative(log1p(-np.minimum(content[words > 0], _SURE)))[-1])
    keep = np.zeros(content.size, dtype=bool)
    if (kept[-1] < FEW_WORDS or content.size == 1) and content[order[0]] >= HARDLY:
        may_be_empty = False
    if may_be_empty and nothing > scores[best] * (1 - nothing):
        return keep, nothing
    keep[order[: best + 1]] = True
    return keep, float(_expected(found, kept, golds, 1.0)[best]) * (1 - nothing)


def _expected(found: Float, kept: Float, golds: Float, square: float) -> Float:
    """Return the expected F of the first blocks, of the first two and so on.

    *found* are their expected words of content, *kept* all of them, *golds* the words of content
    by level.
    """
    apart = (1 + square) * found / np.maximum(kept + square * found[-1], _LEAST)
    together = np.zeros(found.size)
    for gold, levels in zip(*np.unique(golds, return_counts=True), strict=True):
        together += levels * (np.minimum(kept, gold) / np.maximum(kept + square * gold, _LEAST))
    together *= (1 + square) / _LEVELS.size
    return apart + _TOGETHER * (together - apart)


_choose = native_or(_choose_in_numpy, "extractors.auto._answers_native", "choose")
