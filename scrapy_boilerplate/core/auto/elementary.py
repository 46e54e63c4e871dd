"""Elementary functions as C has them, bit for bit.

Numpy brings its own on some processors, whose last bit may differ. A tree's threshold may lie
between the two; then the answer would depend on the processor.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray

_log = np.frompyfunc(math.log, 1, 1)
_log1p = np.frompyfunc(math.log1p, 1, 1)
_tanh = np.frompyfunc(math.tanh, 1, 1)


def log(values: ArrayLike) -> NDArray[np.float64]:
    """Return the natural logarithms of positive *values*."""
    return np.asarray(_log(values), dtype=np.float64)


def log1p(values: ArrayLike) -> NDArray[np.float64]:
    """Return the natural logarithms of 1 + *values*, which are above −1.

    >>> log1p([0, 1]).tolist()
    [0.0, 0.6931471805599453]
    """
    return np.asarray(_log1p(values), dtype=np.float64)


def tanh(values: ArrayLike) -> NDArray[np.float64]:
    """Return the hyperbolic tangents of *values*."""
    return np.asarray(_tanh(values), dtype=np.float64)
