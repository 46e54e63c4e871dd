"""Tests of linear time that work on a machine of any speed and load."""

from __future__ import annotations

from collections.abc import Callable
from time import sleep, thread_time
from timeit import Timer
from typing import TypeVar

T = TypeVar("T")

PATIENCE = 900  # seconds after which a test's process surely hangs

ROUNDS = 12
PAUSES = 0, 1, 10  # seconds before each try: a neighbour that fills the caches may work for a while

SHORTEST = 0.0005  # seconds below which the clock is too coarse


def assert_linear(
    make: Callable[[int], T],
    function: Callable[[T], object],
    size: int,
    times: int = 4,
    limit: float | None = None,
) -> None:
    """Assert that *function* takes linear time on the inputs that *make* builds.

    The inputs are ``make(size)`` and ``make(times * size)``. Linear time is about *times* as long
    for the second, quadratic time *times* squared; *limit* is between them, by default *times* to
    the power of 1.5. The processor time of this thread counts, without that of *make* and of the
    garbage collector, which also looks at what others have made.

    >>> assert_linear(lambda size: list(range(size)), sum, 10_000)
    """

    def seconds(size: int) -> float:
        made = make(size)
        return Timer(lambda: function(made), timer=thread_time).timeit(1)

    function(make(size // 10))  # the first call may load a model
    limit = limit or times**1.5
    for pause in PAUSES:
        sleep(pause)
        ratio = growth(seconds, size, times, limit)
        if ratio < limit:
            return
    assert ratio < limit, f"{times} times the input takes {ratio:.1f} times as long"


def growth(seconds: Callable[[int], float], size: int, times: int, limit: float) -> float:
    """Return how many times as long *times* the size takes; repeat until that is below *limit*."""
    small = min(seconds(size) for _ in range(5))
    large = seconds(times * size)
    for _ in range(ROUNDS):
        if large < limit * max(small, SHORTEST):
            break
        small = min(small, seconds(size))
        large = min(large, seconds(times * size))
    return large / max(small, SHORTEST)
