"""The loops of :mod:`.layout` over elements, text nodes and characters."""

import numpy as np
from numpy.typing import NDArray

from scrapy_boilerplate.core.page.arrays import Bool, Int32, Int64

def read_texts(
    nodes: object, kinds: NDArray[np.uint16]
) -> tuple[NDArray[np.uint8], Bool, Bool, Int64, Bool]: ...
def lay_out(
    buffer: str,
    text_start: Int32,
    text_stop: Int32,
    breaks: NDArray[np.uint8],
    preformatted: Bool | None,
    tabs: Int32 | None,
    spans: Int64,
) -> list[str]: ...
def separators(breaks: NDArray[np.uint8], row: Int32, column: Int32, spans: Int64) -> list[str]: ...
def runs_of(spans: Int64, keep: NDArray[np.uint8]) -> Int64: ...
