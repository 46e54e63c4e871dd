"""No output, method or option takes more than linear work on a shape: in calls, not in time."""

from __future__ import annotations

import sys
from collections.abc import Callable
from itertools import pairwise

import pytest

from benchmarks.limits import CHOICES, SHAPES, Everything, exponent, measured
from scrapy_boilerplate import extract

SIZES = (5_000, 10_000, 20_000, 40_000)
FEW, BOUND = 0.5, 1.2
"""Calls a character that are no growth, and the power of the size with which all may grow."""
FAST = ("deep cells", "deep links to pages", "links to pages in links")


def calls_of(make: Callable[[], object]) -> int:
    """Return how many functions are called, those of C too."""
    count = 0

    def note(frame: object, event: str, argument: object) -> None:
        nonlocal count
        count += event in ("call", "c_call")

    sys.setprofile(note)
    try:
        make()
    finally:
        sys.setprofile(None)
    return count


@pytest.mark.parametrize(
    "shape",
    [pytest.param(each, marks=() if each in FAST else pytest.mark.slow) for each in SHAPES],
)
def test_calls_grow_with_the_page(shape: str) -> None:
    calls = [measured(shape, size, calls_of, [*CHOICES]) for size in SIZES]
    grown = {step: growth([each[step] for each in calls]) for step in calls[0]}
    assert max(grown.values()) < BOUND, {step: each for step, each in grown.items() if each > 1}


def growth(calls: list[float]) -> float:
    """Return with which power of the size calls grow, but for steps that are taken once.

    Such a step is where a page gets too deep for a parser, or a path as long as it may be.
    """
    counted = [(size, each + FEW * size) for size, each in zip(SIZES, calls, strict=True)]
    return min(exponent(*zip(*pair, strict=True)) for pair in pairwise(counted))


def test_formulas_of_katex_in_one_another_are_read_once() -> None:
    pages = (f"<p>{'<span class=katex-html>' * number}{'<li>a b' * 4000}" for number in (1, 50))
    one, many = (extract(page, extractor=Everything()) for page in pages)
    assert calls_of(lambda: many.document) < 2 * calls_of(lambda: one.document)
