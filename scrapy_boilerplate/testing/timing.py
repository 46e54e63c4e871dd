"""Tests of linear time that work on a machine of any speed and load."""

from __future__ import annotations

import gc
from collections.abc import Callable
from time import thread_time
from typing import TypeVar

__all__ = ["PATIENCE", "assert_linear", "growth"]

T = TypeVar("T")

PATIENCE = 900
"""Seconds after which a test's process surely hangs, even on a busy machine."""

ROUNDS = 12
SHORTEST = 0.0005
"""Seconds below which the clock is too coarse."""


def assert_linear(
    make: Callable[[int], T], function: Callable[[T], object], size: int, limit: float = 8.0
) -> None:
    """Assert that *function* takes linear time on the inputs that *make* builds.

    The inputs are ``make(size)`` and ``make(4 * size)``. Linear time is about 4 times as long for
    the second, quadratic time 16 times; *limit* is between them. The processor time of this thread
    counts, without that of *make*.

    >>> assert_linear(lambda size: list(range(size)), sum, 10_000)
    """

    def seconds(size: int) -> float:
        made = make(size)
        gc.collect()
        started = thread_time()
        function(made)
        return thread_time() - started

    function(make(size // 10))  # the first call may load a model
    ratio = growth(seconds, size, limit)
    assert ratio < limit, f"4 times the input takes {ratio:.1f} times as long"


def growth(seconds: Callable[[int], float], size: int, limit: float) -> float:
    """Return how many times as long 4 times *size* takes. Repeats until that is below *limit*.

    Other processes can only make a call slower, through shared caches, so the shortest time counts.
    The smaller size is tried more often at first: if all its times were too long, anything would
    seem linear.
    """
    small = min(seconds(size) for _ in range(5))
    large = seconds(4 * size)
    for _ in range(ROUNDS):
        if large < limit * max(small, SHORTEST):
            break
        small = min(small, seconds(size))
        large = min(large, seconds(4 * size))
    return large / max(small, SHORTEST)
