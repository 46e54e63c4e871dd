"""The loops of :mod:`.layout` over elements, text nodes and characters."""

import numpy as np
from numpy.typing import NDArray

def read_texts(
    nodes: object, kinds: NDArray[np.uint16]
) -> tuple[
    NDArray[np.uint8], NDArray[np.bool_], NDArray[np.bool_], NDArray[np.int64], NDArray[np.bool_]
]:
    """Return breaks, what opens a block, what stands in links, blocks, block-level elements."""

def lay_out(
    buffer: str,
    text_start: NDArray[np.int32],
    text_stop: NDArray[np.int32],
    breaks: NDArray[np.uint8],
    preformatted: NDArray[np.bool_] | None,
    tabs: NDArray[np.int32] | None,
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

def runs_of(spans: NDArray[np.int64], keep: NDArray[np.uint8]) -> NDArray[np.int64]:
    """Return the kept *spans*, neighbours as one."""
