"""The loops of the methods ``energy`` and ``links``."""

import numpy as np
from numpy.typing import NDArray

from scrapy_boilerplate.core.page import Page
from scrapy_boilerplate.core.page.arrays import Bool, Float, Int32, Int64

def partition(
    coherent: NDArray[np.uint8], end: Int32, first_text: Int32, last_text: Int32, size: int
) -> tuple[Int64, Int64]: ...
def coherent_texts(
    page: Page, limits: tuple[int, int, int]
) -> tuple[Int64, Int64, Float, Bool, NDArray[np.int8]]: ...
