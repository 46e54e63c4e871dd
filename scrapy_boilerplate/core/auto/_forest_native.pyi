"""The loop of :mod:`scrapy_boilerplate.core.auto.forest` over rows and trees."""

import numpy as np
from numpy.typing import NDArray

from scrapy_boilerplate.core.auto.forest import Forest

def sum_of_trees(forest: Forest, rows: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return for each of *rows* the sum of the values of the leaves that it falls in."""

def probabilities(forest: Forest, rows: NDArray[np.float32]) -> NDArray[np.float64]:
    """Return the logistic function of that sum."""

def sum_by_fours(wanted: bool = True) -> None:
    """Do as on an older processor, for tests."""
