"""Finds texts that stand on a page more than once."""

import numpy as np
from numpy.typing import NDArray

from scrapy_boilerplate.core.page.arrays import Float32, Int32

COPIES: tuple[str, ...]

def copies(text: str, table: NDArray[np.uint8], starts: Int32, stops: Int32) -> Float32: ...
