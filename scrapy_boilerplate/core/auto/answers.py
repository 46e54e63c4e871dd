"""From probabilities of content to an answer: the blocks with the highest expected F1."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import exp
from typing import NamedTuple

import numpy as np

from scrapy_boilerplate.core.auto.elementary import log1p
from scrapy_boilerplate.core.native import native_or
from scrapy_boilerplate.core.page.arrays import Bool, Float, Int, cumulative

__all__ = ["BETA", "Answer", "choose_blocks"]

BETA = {"precision": 0.5, "balanced": 1.0, "recall": 2.0}
"""How much recall counts beside precision, by name."""

FEW_WORDS, HARDLY = 50, 0.05
"""A page of fewer words, or of one block, has content unless all of its blocks have a lower
probability: it is a snippet rather than a page, and the model has hardly learned from any."""

_SURE = 0.9999  # no block is content for certain
_LEAST = 1e-9

_SHIFTS = (1 / 20, 1 / 5.5, 1 / 2.6, 1 / 1.35, 1.35, 2.6, 5.5, 20.0)
"""Factors by which the odds of all blocks may be wrong together, each as likely."""


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

    Blocks are not independent: where an annotator keeps one teaser or comment, others are kept,
    too. So the odds of all blocks are taken to be too high or too low by one factor, and F is the
    mean over eight of these. With each, the odds to the power of 1.5, times the factor, are those
    of a block by itself, which on average leaves its probability as it is (a logistic model with a
    normal random intercept). There F of a set of blocks is about twice the expected words of
    content in it, over its words and the expected words of content of the page (for *beta* 1). The
    best set holds the blocks above some probability. Nothing at all is answered where that is worth
    more: where the probability of no content, :math:`Π(1 − p)`, is higher than that F times the
    probability of some.

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
    kept = words[order].cumsum()
    found = [(shifted * words)[order].cumsum() for shifted in _shifted(content)]
    scores = _expected(found, kept, square)
    best = int(scores.argmax())
    nothing = exp(cumulative(log1p(-np.minimum(content[words > 0], _SURE)))[-1])
    keep = np.zeros(content.size, dtype=bool)
    if (kept[-1] < FEW_WORDS or content.size == 1) and content[order[0]] >= HARDLY:
        may_be_empty = False
    if may_be_empty and nothing > scores[best] * (1 - nothing):
        return keep, nothing
    keep[order[: best + 1]] = True
    return keep, float(_expected(found, kept, 1.0)[best]) * (1 - nothing)


def _shifted(content: Float) -> Iterator[Float]:
    """Yield the probabilities with each shift."""
    likely = np.minimum(content, _SURE)
    odds = likely / (1 - likely)
    odds *= np.sqrt(odds)
    for shift in _SHIFTS:
        yield 1 - 1 / (1 + shift * odds)


def _expected(found: Sequence[Float], kept: Float, square: float) -> Float:
    """Return the expected F of the first blocks, of the first two and so on.

    *kept* are their words, *found* the expected words of content among them with each shift.
    """
    total = np.zeros(kept.size)
    for with_shift in found:
        total += with_shift / np.maximum(kept + square * with_shift[-1], _LEAST)
    return total * (1 + square) / len(found)


_choose = native_or(_choose_in_numpy, "core.auto._answers_native", "choose")
