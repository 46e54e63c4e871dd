"""Whether time grows with the input and no faster: a ratio, tried again on a busy machine."""

from __future__ import annotations

import gc
from collections.abc import Callable
from time import process_time
from typing import TypeVar

__all__ = ["assert_linear"]

T = TypeVar("T")


def assert_linear(
    make: Callable[[int], T], function: Callable[[T], object], size: int, limit: float = 8.0
) -> None:
    """Assert that *function* takes linear time on what *make* makes of *size* and 4 times *size*.

    That is about 4 times as long, quadratic time 16 times; *limit* is between them. A busy machine
    may spoil an attempt, but hardly each of four. What *make* does is not timed.

    >>> assert_linear(lambda size: list(range(size)), sum, 10_000)
    """

    def seconds(size: int, runs: int) -> float:
        times = []
        for _ in range(runs):
            made = make(size)
            gc.collect()
            started = process_time()
            function(made)
            times.append(process_time() - started)
        return min(times)

    function(make(size // 10))  # the first call may load a model
    ratios = []
    for attempt in range(4):
        ratios.append(seconds(4 * size, 1 + attempt) / max(seconds(size, 2), 0.0005))
        if ratios[-1] < limit:
            return
    raise AssertionError(f"4 times the input takes {ratios} times as long")
