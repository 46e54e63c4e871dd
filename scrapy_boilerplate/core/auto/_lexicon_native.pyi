"""The compiled loops of :mod:`scrapy_boilerplate.core.auto.lexicon`."""

from collections.abc import Collection, Sequence

import numpy as np
from numpy.typing import NDArray

class Words:
    """What is known of each word: its value, and the groups that have it, a bit each."""

    def __init__(
        self, words: Collection[str], values: Collection[float], named: Collection[int]
    ) -> None:
        """*words* are in lower case, letters of ASCII only."""

    def meanings(self, strings: Sequence[str]) -> NDArray[np.float64]:
        """Return what attributes say: a row a field of ``Meaning``, a column a string."""
