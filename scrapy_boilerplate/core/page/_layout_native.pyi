"""The loops of :mod:`.layout` over elements, text nodes and characters."""

import numpy as np
from numpy.typing import NDArray

def boundaries(
    kinds: NDArray[np.uint8], elements: NDArray[np.int32], size: int
) -> tuple[NDArray[np.uint8], NDArray[np.bool_]]:
    """Return what separates each text node from the one before, and if it opens a block."""

def lay_out(
    buffer: str,
    text_start: NDArray[np.int32],
    text_stop: NDArray[np.int32],
    breaks: NDArray[np.uint8],
    preformatted: NDArray[np.bool_],
    tabs: NDArray[np.int32],
    spans: NDArray[np.int64],
) -> list[str]:
    """Lay out each row of *spans* of text nodes."""

def separators(
    breaks: NDArray[np.uint8],
    row: NDArray[np.int32],
    column: NDArray[np.int32],
    spans: NDArray[np.int64],
) -> list[str]:
    """Return what separates each row of *spans* from the next one; nothing inside a line."""

def shown_apart(
    buffer: str,
    elements: NDArray[np.int32],
    texts: NDArray[np.int32],
    labels: NDArray[np.uint8],
) -> list[int]:
    """Return the text nodes that a browser shows apart from the one before, without white space."""

def runs_of(spans: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return *spans* with neighbours as one."""
