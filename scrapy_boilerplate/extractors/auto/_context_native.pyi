"""The columns of :mod:`scrapy_boilerplate.extractors.auto.context`, a block at a time."""

import numpy as np
from numpy.typing import NDArray

from scrapy_boilerplate.extractors.auto.context import Surroundings

def context(
    content: NDArray[np.float64],
    list_probability: float,
    words: NDArray[np.float64],
    around: Surroundings,
) -> NDArray[np.float32]:
    """Return what a second forest sees of each block."""
