"""The loops of :mod:`._token_values` over elements and text nodes."""

import numpy as np
from numpy.typing import NDArray

from scrapy_boilerplate.core.page import Page
from scrapy_boilerplate.core.page.arrays import Float, Float32

def neighbourhoods(page: Page, logarithms: Float, bits: NDArray[np.uint32]) -> Float32: ...
