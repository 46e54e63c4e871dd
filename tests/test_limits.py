"""No output of a shape takes more than linear work: counted in calls, not timed."""

from __future__ import annotations

import sys
from collections.abc import Callable
from math import log

import pytest

from benchmarks.limits import SHAPES, measured

SMALL, LARGE = 3_000, 12_000
FEW, BOUND = 500, 1.2
"""Calls that are no growth, and the power of the size with which their number may grow."""


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


@pytest.mark.parametrize("shape", SHAPES)
def test_calls_grow_with_the_page(shape: str) -> None:
    small, large = (measured(shape, size, calls_of) for size in (SMALL, LARGE))
    grown = {
        step: log((large[step] + FEW) / (small[step] + FEW)) / log(LARGE / SMALL) for step in large
    }
    assert max(grown.values()) < BOUND, {step: each for step, each in grown.items() if each > 1}
