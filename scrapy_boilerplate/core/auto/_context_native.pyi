"""The columns of :mod:`scrapy_boilerplate.core.auto.context`, a block at a time."""

import numpy as np
from numpy.typing import NDArray

from scrapy_boilerplate.core.auto.context import Surroundings

class Context:
    """What a second forest sees of the blocks of a page."""

    def __init__(
        self,
        content: NDArray[np.float64],
        list_probability: float,
        words: NDArray[np.float64],
        around: Surroundings,
    ) -> None: ...
    def put(self, rows: NDArray[np.float32], start: int = 0) -> None:
        """Put the columns of the blocks from *start* on behind those of *rows*, into their room."""
