"""The loop of :mod:`scrapy_boilerplate.core.auto.forest` over rows and trees."""

import numpy as np
from numpy.typing import NDArray

from scrapy_boilerplate.core.auto.forest import Forest

class Columns:
    """The rows that forests are asked about, column by column."""

    @property
    def rows(self) -> NDArray[np.float32]:
        """The rows as they were given."""

    def __init__(self, rows: NDArray[np.float32]) -> None: ...

def sum_of_trees(forest: Forest, rows: NDArray[np.float32] | Columns) -> NDArray[np.float32]:
    """Return for each of *rows* the sum of the values of the leaves that it falls in."""

def probabilities(forest: Forest, asked: Columns) -> NDArray[np.float64]:
    """Return the logistic function of that sum."""

def sum_plainly_only(wanted: bool = True) -> None:
    """Do as on an older processor, for tests."""
