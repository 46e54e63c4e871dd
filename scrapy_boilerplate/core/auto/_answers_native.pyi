"""The loops of ``answers`` and ``kinds`` over the blocks of a page."""

import numpy as np
from numpy.typing import NDArray

def choose(
    content: NDArray[np.float64], words: NDArray[np.float64], square: float, may_be_empty: bool
) -> tuple[NDArray[np.bool_], float]:
    """Return which blocks to keep, and what to expect of them."""

def measure(
    content: NDArray[np.float64],
    words: NDArray[np.float64],
    units: NDArray[np.int32],
    looked_at: NDArray[np.float32],
) -> NDArray[np.float32]:
    """Return the measures of the best answer that is not empty."""
