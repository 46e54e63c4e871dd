"""Logistic regression, as ``mss``, ``scoring`` and what tells threads are fitted."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[Any]
STEPS, CLOSE = 30, 1e-4


def fit_logistic(inputs: Floats, targets: Floats, counts: Floats, penalty: Floats) -> Floats:
    """Return the weights of the columns of *inputs*, by Newton's method.

    *counts* says how much each row counts, *penalty* how much the square of each weight costs.

    >>> columns = np.array([[0.0, 1.0], [1.0, 1.0], [2.0, 1.0], [3.0, 1.0]])
    >>> fit_logistic(columns, np.array([0, 0, 1, 1]), np.ones(4), np.array([0.1, 1e-6])).round(1)
    array([ 2.7, -4. ])
    """
    weights = np.zeros(inputs.shape[1])
    for _ in range(STEPS):
        said = 1 / (1 + np.exp(-(inputs @ weights.astype(inputs.dtype))))
        slope = inputs.T @ (counts * (said - targets)) + penalty * weights
        curvature = (inputs * (counts * said * (1 - said))[:, None]).T @ inputs
        step = np.linalg.solve(curvature + np.diag(penalty), slope)
        weights -= step
        if np.abs(step).max() < CLOSE:
            break
    return weights
