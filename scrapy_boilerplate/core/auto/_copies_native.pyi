"""The compiled loops of :mod:`scrapy_boilerplate.core.auto.copies`."""

import numpy as np
from numpy.typing import NDArray

from scrapy_boilerplate.core.page.arrays import Float32, Int32

def copies(
    text: str, table: NDArray[np.uint8], starts: Int32, stops: Int32, limits: tuple[int, int, int]
) -> Float32: ...
