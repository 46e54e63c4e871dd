"""The features of a page's blocks: their names, and the code that computes them."""

from collections.abc import Iterable, Mapping

import numpy as np
from numpy.typing import NDArray

from scrapy_boilerplate.core.auto.context import Surroundings
from scrapy_boilerplate.core.page import Page

FEATURES: tuple[str, ...]
"""Names of all features, in the order of their columns."""

MARKS: Mapping[str, tuple[int, str]]
"""Kinds of marks: their numbers, behind those of capitals and digits, and their characters."""

ABOVE: Mapping[str, str]
"""Groups of elements of which a block stands inside one or not; a bit for each, in their order."""

BESIDES: Mapping[int, frozenset[str]]
"""What an element is besides: elements by bit."""

class Features:
    """The features of a page's blocks; made by `features.read_features`."""

    @property
    def words(self) -> NDArray[np.float64]:
        """Words of each block."""

    @property
    def total(self) -> int:
        """Words of the page."""

    @property
    def bits(self) -> NDArray[np.int32]:
        """The groups of elements that each block stands in, a bit each."""

    @property
    def title_overlap(self) -> NDArray[np.float32]:
        """Share of the page's title that each short block has."""

    @property
    def named(self) -> NDArray[np.int32]:
        """The groups of words in classes and ids above each block, a bit each."""

    @property
    def surroundings(self) -> Surroundings:
        """Which blocks belong together."""

    def __init__(
        self,
        page: Page,
        flags: NDArray[np.int32],
        meanings: NDArray[np.float64],
        kinds: tuple[NDArray[np.uint8], NDArray[np.uint8]],
        copies: NDArray[np.float32],
        title_limits: tuple[int, int, float, float],
        metadata: Iterable[float],
        known_tags: tuple[int, int],
        classes: bool,
    ) -> None:
        """Read *page*."""

    def look(self, keep: NDArray[np.bool_]) -> tuple[int, int, int, bool, int]:
        """Return what rules go by, of the blocks that *keep* flags.

        How many units are alike at most that one stands in; the first long one, and the headline
        before it, as far as these are not kept together, −1 for none; whether one is hardly a word;
        the names above them, a bit each.
        """

    def matrix(self, start: int, stop: int, room: int = 0) -> NDArray[np.float32]:
        """Return the features of the blocks ``[start, stop)``, a row a block.

        Behind them is *room* for more columns, which are not set.
        """
