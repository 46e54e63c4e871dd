"""The loops of :mod:`._token_values` over elements and text nodes."""

import numpy as np
from numpy.typing import NDArray

from scrapy_boilerplate.core.page import Page

def neighbourhoods(
    page: Page, logarithms: NDArray[np.float64], bits: NDArray[np.uint32]
) -> NDArray[np.float32]:
    """Return the features of text nodes, a row each."""
