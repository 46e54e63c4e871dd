"""The loops of :mod:`scrapy_boilerplate.core.page.xpaths` over elements."""

import numpy as np
from numpy.typing import NDArray

def smallest(
    spans: NDArray[np.int64],
    text_parent: NDArray[np.int32],
    parent: NDArray[np.int32],
    first_text: NDArray[np.int32],
    last_text: NDArray[np.int32],
    is_block: NDArray[np.bool_],
) -> NDArray[np.int32]:
    """Return for each span the element that stands for it, −1 for a single text node."""

def ranks(tag: NDArray[np.int32], parent: NDArray[np.int32], tags: int) -> NDArray[np.int32]:
    """Return each element's position among the siblings of its tag, 0 for an only one."""

def paths(
    elements: list[int],
    root: str,
    names: list[str],
    tag: NDArray[np.int32],
    parent: NDArray[np.int32],
    depth: NDArray[np.int32],
    rank: NDArray[np.int32],
    position: NDArray[np.int32],
    ordinal: NDArray[np.int32],
    longest: int,
) -> list[str]:
    """Return the XPaths of *elements*; *root* is that of the root."""
