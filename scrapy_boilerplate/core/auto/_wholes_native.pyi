"""The pass of :mod:`scrapy_boilerplate.core.auto.wholes` over elements and blocks."""

import numpy as np
from numpy.typing import NDArray

from scrapy_boilerplate.core.page.arrays import Bool, Float, Int32, Int64

def wholes(
    groups: NDArray[np.uint32],
    is_data_table: Bool,
    elements: Int32,
    blocks: Int64,
    words: Int64,
    in_link: Bool,
    keep: Bool,
    content: Float,
) -> Bool: ...
