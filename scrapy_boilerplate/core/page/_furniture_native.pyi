"""Finds the links on which page furniture can stand."""

import numpy as np
from numpy.typing import NDArray

def short_links(
    kinds: NDArray[np.uint8],
    tag: NDArray[np.int32],
    parent: NDArray[np.int32],
    end: NDArray[np.int32],
    first_text: NDArray[np.int32],
    last_text: NDArray[np.int32],
    text_start: NDArray[np.int32],
    text_stop: NDArray[np.int32],
    buffer: str,
    beginnings: NDArray[np.uint8],
) -> list[tuple[int, bool]]:
    """Return the links that are as short as a mark, or short and in or beside a heading.

    The second entry of each says whether it is in or beside one.
    """
