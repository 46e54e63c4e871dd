"""From probabilities of content to an answer: the blocks with the highest expected F1."""

from __future__ import annotations

from math import inf
from typing import NamedTuple

import numpy as np

from scrapy_boilerplate.core.auto._answers_native import choose as _choose
from scrapy_boilerplate.core.auto._answers_native import weigh as _weigh
from scrapy_boilerplate.core.page.arrays import Bool, Float, Int

BETA = {"precision": 0.5, "balanced": 1.0, "recall": 2.0}
"""How much recall counts beside precision, by name."""

FEW_WORDS, MIN_PROBABILITY = 50, 0.05
"""A page of fewer words, or of one block, has content unless all of its blocks have a lower
probability: it is a snippet rather than a page, and the model has hardly learned from any."""


class BlockChoice(NamedTuple):
    """The blocks to keep and what to expect of them."""

    keep: Bool
    expected: float
    """Expected F1; of no block the probability that there is no content."""
    least: float = inf
    """Least probability of the blocks, where it alone decided; infinite of no block."""


def choose_blocks(
    content: Float, words: Int | Float, beta: float = 1.0, *, may_be_empty: bool = True
) -> BlockChoice:
    """Return the answer with the highest expected F, for probabilities of *content* by block.

    Blocks are not independent: where an annotator keeps one teaser or comment, others are kept,
    too. So the odds of all blocks are taken to be too high or too low by one factor, and F is the
    mean over eight of these. With each, the odds to the power of 1.5, times the factor, are those
    of a block by itself (a logistic model with a normal random intercept). There F of a set of
    blocks is about twice the expected words of content in it, over its words and the expected words
    of content of the page (for *beta* 1). Nothing is answered where the probability of no content,
    Π(1 − p), is higher than that F times the probability of some.

    >>> content, words = np.array([0.1, 0.9, 0.4, 0.8]), np.array([5, 50, 20, 40])
    >>> [choose_blocks(content, words, beta).keep.tolist() for beta in (0.5, 1.0, 2.0)]
    [[False, True, False, True], [False, True, False, True], [False, True, True, True]]
    """
    content = np.ascontiguousarray(content, dtype=np.float64)
    words = np.ascontiguousarray(words, dtype=np.float64)
    return BlockChoice(*_choose(content, words, beta * beta, may_be_empty))


def weigh_evidence(
    content: Float, words: Int | Float, kept: Bool, evidence: Float, beta: float = 1.0
) -> BlockChoice:
    """Choose the blocks to keep, of which some were *kept*, if *evidence* (log-odds) counts, too.

    A block that is chosen, or left out, in both cases stays as it was; one that was kept without
    being chosen (since it completes a list or a table) goes if the evidence speaks against it.

    >>> content, words = np.array([0.9, 0.6, 0.2]), np.array([50, 20, 30])
    >>> kept = np.array([True, True, False])
    >>> weigh_evidence(content, words, kept, np.array([0.0, -3.0, 3.0])).keep.tolist()
    [True, False, True]
    """
    content = np.ascontiguousarray(content, dtype=np.float64)
    words = np.ascontiguousarray(words, dtype=np.float64)
    return BlockChoice(*_weigh(content, words, kept.view(np.uint8), evidence, beta * beta))
