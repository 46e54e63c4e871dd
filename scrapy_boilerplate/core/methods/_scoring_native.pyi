"""The loops of :mod:`scrapy_boilerplate.core.methods.scoring` and of patterns over elements."""

import numpy as np
from numpy.typing import NDArray

from scrapy_boilerplate.core.page import Page
from scrapy_boilerplate.core.page.arrays import Float, Int32, Int64

def patterns(
    strings: list[str], tag: Int32, class_id: Int32, id_id: Int32
) -> tuple[Int64, Int64]: ...
def measure(
    page: Page, kinds: NDArray[np.uint8], doublings: Float
) -> tuple[Int64, Int64, Float]: ...
def lines(text: str, starts: Int32, stops: Int32) -> str: ...
def find_lists(
    page: Page, headings: NDArray[np.uint8], numbers: Int64, repeats: Int64, teaser: int
) -> tuple[int, int, list[tuple[int, int]], list[int]]: ...
