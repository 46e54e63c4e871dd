"""How well an answer matches the gold text, and how sure a mean over pages is."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from math import sqrt
from typing import NamedTuple

import numpy as np

from scrapy_boilerplate.core.page.text import tokens


class Score(NamedTuple):
    """Word F1, precision and recall of one answer, each in [0, 1]."""

    f1: float
    precision: float
    recall: float


def score(answer: Sequence[str], gold: Sequence[str]) -> Score:
    """Compare two lists of tokens as multisets; their order does not count.

    Where the gold text is empty, all measures are 1 for an empty answer and 0 for any other.

    >>> score("the quick brown fox".split(), "the quick dog".split())
    Score(f1=0.5714285714285714, precision=0.5, recall=0.6666666666666666)
    >>> score([], []), score(["menu"], [])
    (Score(f1=1.0, precision=1.0, recall=1.0), Score(f1=0.0, precision=0.0, recall=0.0))
    """
    if not gold:
        perfect = float(not answer)
        return Score(perfect, perfect, perfect)
    if not answer:
        return Score(0.0, 0.0, 0.0)
    shared = (Counter(answer) & Counter(gold)).total()
    return Score(2 * shared / (len(answer) + len(gold)), shared / len(answer), shared / len(gold))


def word_score(answer: str, gold: str) -> Score:
    """Compare two texts by their :func:`~scrapy_boilerplate.core.page.text.tokens`.

    >>> word_score("A fox!", "a fox").f1
    1.0
    """
    return score(tokens(answer), tokens(gold))


def paired_difference(ours: Sequence[float], theirs: Sequence[float]) -> tuple[float, float]:
    """Return the mean of ``ours − theirs``, page by page, and its standard error.

    >>> paired_difference([1.0, 0.5], [0.5, 0.5])
    (0.25, 0.25)
    """
    gaps = np.subtract(ours, theirs)
    if gaps.size < 2:
        return float(gaps.sum()), float("nan")
    return float(gaps.mean()), float(gaps.std(ddof=1)) / sqrt(gaps.size)


def bootstrap_interval(values: Sequence[float], rounds: int = 1000) -> tuple[float, float]:
    """Return the percentile bootstrap interval of the mean of *values*, 95 % wide.

    >>> bootstrap_interval([0.5, 0.5, 0.5])
    (0.5, 0.5)
    """
    if not values:
        return float("nan"), float("nan")
    sample = np.asarray(values, dtype=float)
    random = np.random.default_rng(0)
    means = [sample[random.integers(0, sample.size, sample.size)].mean() for _ in range(rounds)]
    low, high = np.quantile(means, [0.025, 0.975])
    return float(low), float(high)
