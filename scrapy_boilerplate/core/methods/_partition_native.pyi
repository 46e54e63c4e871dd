"""The loops of the methods ``energy`` and ``links``."""

import numpy as np
from numpy.typing import NDArray

from scrapy_boilerplate.core.page import Page

def partition(
    coherent: NDArray[np.uint8],
    end: NDArray[np.int32],
    first_text: NDArray[np.int32],
    last_text: NDArray[np.int32],
    size: int,
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the spans and elements of a partition of *size* text nodes."""

def coherent_texts(
    page: Page, limits: tuple[int, int, int]
) -> tuple[
    NDArray[np.int64], NDArray[np.int64], NDArray[np.float64], NDArray[np.bool_], NDArray[np.int8]
]:
    """Return spans, elements, words, which are large, and roles of a page's coherent texts."""
