"""The features of a page's blocks: their names, and the code that computes them."""

from collections.abc import Iterable, Mapping

import numpy as np
from numpy.typing import NDArray

from scrapy_boilerplate.core.auto.context import Surroundings
from scrapy_boilerplate.core.page import Page
from scrapy_boilerplate.core.page.arrays import Bool, Float, Float32, Int32

FEATURES: tuple[str, ...]
MARKS: Mapping[str, tuple[int, str]]
ABOVE: Mapping[str, str]
LEAST_OVERLAP: float
BESIDES: Mapping[int, frozenset[str]]

class Features:
    @property
    def words(self) -> Float: ...
    @property
    def total(self) -> int: ...
    @property
    def bits(self) -> Int32: ...
    @property
    def title_overlap(self) -> Float32: ...
    @property
    def named(self) -> Int32: ...
    @property
    def surroundings(self) -> Surroundings: ...
    def __init__(
        self,
        page: Page,
        rows: Int32,
        flags: Int32,
        meanings: Float,
        kinds: tuple[NDArray[np.uint8], NDArray[np.uint8]],
        copies: Float32,
        metadata: Iterable[float],
    ) -> None: ...
    def look(self, keep: Bool) -> tuple[int, int, int, int, bool, bool, int, int]: ...
    def matrix(self, start: int, stop: int, room: int = 0) -> Float32: ...
