"""The compiled loops of :mod:`scrapy_boilerplate.core.auto.copies`."""

import numpy as np
from numpy.typing import NDArray

def copies(
    text: str,
    table: NDArray[np.uint8],
    starts: NDArray[np.int32],
    stops: NDArray[np.int32],
    limits: tuple[int, int, int],
) -> NDArray[np.float32]:
    """Return the rows of ``COPIES``; *limits* are those of ``copies``."""
