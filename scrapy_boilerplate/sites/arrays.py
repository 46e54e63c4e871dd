"""The arrays that the site learner works on."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from scrapy_boilerplate.page.arrays import Bool

__all__ = ["Hashes", "in_spans"]

Hashes: TypeAlias = NDArray[np.uint32]


def in_spans(spans: Iterable[tuple[int, int]], size: int) -> Bool:
    """Return for each of *size* positions whether it stands in one of the disjoint *spans*.

    >>> in_spans([(1, 3)], 4).tolist()
    [False, True, True, False]
    """
    steps = np.zeros(size + 1, dtype=np.int64)
    for start, stop in spans:
        steps[start] += 1
        steps[stop] -= 1
    inside: Bool = np.cumsum(steps[:-1]) > 0
    return inside
