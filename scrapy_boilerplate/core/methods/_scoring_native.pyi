"""The loops of :mod:`scrapy_boilerplate.core.methods.scoring` and of patterns over elements."""

import numpy as np
from numpy.typing import NDArray

from scrapy_boilerplate.core.page import Page

def patterns(
    strings: list[str],
    tag: NDArray[np.int32],
    class_id: NDArray[np.int32],
    id_id: NDArray[np.int32],
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the number of each element's pattern, and how many elements share it."""

def measure(
    page: Page, kinds: NDArray[np.uint8], doublings: NDArray[np.float64]
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float64]]:
    """Return the candidates, the one of each block, and a row of each measure."""

def lines(text: str, starts: NDArray[np.int32], stops: NDArray[np.int32]) -> str:
    """Return slices of *text*, a line each."""

def find_lists(
    page: Page,
    headings: NDArray[np.uint8],
    numbers: NDArray[np.int64],
    repeats: NDArray[np.int64],
    teaser: int,
) -> tuple[int, int, list[tuple[int, int]], list[int]]:
    """Return what a list of articles has."""
