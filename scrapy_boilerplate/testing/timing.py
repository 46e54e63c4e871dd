"""Whether time grows with the input and no faster, on a machine of any speed and load."""

from __future__ import annotations

import gc
from collections.abc import Callable
from time import thread_time
from typing import TypeVar

__all__ = ["PATIENCE", "assert_linear", "growth"]

T = TypeVar("T")

PATIENCE = 900
"""Seconds after which a process of a test surely hangs, however busy the machine is."""

ROUNDS = 12
SHORTEST = 0.0005
"""Seconds below which the clock says nothing."""


def assert_linear(
    make: Callable[[int], T], function: Callable[[T], object], size: int, limit: float = 8.0
) -> None:
    """Assert that *function* takes linear time on what *make* makes of *size* and 4 times *size*.

    That is about 4 times as long, quadratic time 16 times; *limit* is between them. Time is that of
    this thread's processor; what *make* does is not timed.

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
    """Return how many times as long 4 times *size* takes; it is tried until that is below *limit*.

    Other processes can only make a call slower, through the caches that they share with it, so what
    a call takes is the least that was seen. The smaller size is tried more often at first: if all
    of its times were too long, anything would seem linear.
    """
    small = min(seconds(size) for _ in range(5))
    large = seconds(4 * size)
    for _ in range(ROUNDS):
        if large < limit * max(small, SHORTEST):
            break
        small = min(small, seconds(size))
        large = min(large, seconds(4 * size))
    return large / max(small, SHORTEST)
