"""The loops of :mod:`._runs` over text nodes."""

import numpy as np
from numpy.typing import NDArray

from scrapy_boilerplate.core.page.nodes import Nodes

def tags_before(nodes: Nodes, voids: NDArray[np.uint8]) -> NDArray[np.int64]:
    """Return the tags before each text node; *voids* flags the names of void elements."""

def weighted(
    words: NDArray[np.int64],
    symbols: NDArray[np.int64],
    tags: NDArray[np.int64],
    word: float,
    symbol: float,
    tag: float,
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return what text nodes and the tags before each are worth: *word* is the worth of a word …"""

def best_run(texts: NDArray[np.float64], tags: NDArray[np.float64]) -> tuple[int, int]:
    """Return the run of text nodes with the largest sum, as start and stop."""

def judge_run(
    texts: NDArray[np.float64], tags: NDArray[np.float64], blocks: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.bool_], NDArray[np.float64]]:
    """Return *blocks*, cut at the ends of the best run, whether each is in it, and its sum."""
