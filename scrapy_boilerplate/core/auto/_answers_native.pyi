"""The loops of ``answers`` and ``kinds`` over the blocks of a page."""

import numpy as np
from numpy.typing import NDArray

from scrapy_boilerplate.core.page.arrays import Bool, Float, Float32, Int32

def choose(
    content: Float, words: Float, square: float, may_be_empty: bool
) -> tuple[Bool, float]: ...
def weigh(
    content: Float, words: Float, kept: NDArray[np.uint8], evidence: Float, square: float
) -> tuple[Bool, float]: ...
def measure(content: Float, words: Float, units: Int32, looked_at: Float32) -> Float32: ...
