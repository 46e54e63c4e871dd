"""The loops of :mod:`scrapy_boilerplate.core.methods._runs` over text nodes."""

import numpy as np
from numpy.typing import NDArray

def tags_before(
    voids: NDArray[np.uint8],
    tag: NDArray[np.int32],
    depth: NDArray[np.int32],
    text_at: NDArray[np.int32],
    text_parent: NDArray[np.int32],
) -> NDArray[np.int64]:
    """Return the tags before each text node; *voids* flags the names of void elements."""

def best_run(texts: NDArray[np.float64], tags: NDArray[np.float64]) -> tuple[int, int]:
    """Return the run of text nodes with the largest sum, as start and stop."""
