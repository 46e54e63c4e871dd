"""The loops of :mod:`scrapy_boilerplate.core.methods.justext` over texts and words."""

from collections.abc import Collection, Mapping

import numpy as np
from numpy.typing import NDArray

from scrapy_boilerplate.core.page import Page

def paragraphs(
    page: Page, kinds: NDArray[np.uint8]
) -> tuple[
    NDArray[np.int64], NDArray[np.int64], NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]
]:
    """Return the measures of paragraphs, their pieces and the first of each, spans and numbers."""

class Vocabulary:
    """Words, each of which is in some of a number of *groups*."""

    def __init__(self, words: Mapping[str, Collection[int]], groups: int) -> None:
        """*words* are in lower case."""
    def count(self, texts: str) -> NDArray[np.int64]:
        """Return how many words of each group stand in each of *texts*, and how many of all."""

def count_ideographs(text: str, table: NDArray[np.uint8]) -> int:
    """Return how many characters of *text* are of scripts without spaces between words."""
