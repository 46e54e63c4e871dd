"""The loops of :mod:`._runs` over text nodes."""

import numpy as np
from numpy.typing import NDArray

from scrapy_boilerplate.core.page.arrays import Bool, Float, Int64
from scrapy_boilerplate.core.page.node_arrays import Nodes

def tags_before(nodes: Nodes, voids: NDArray[np.uint8]) -> Int64: ...
def best_run(texts: Float, tags: Float) -> tuple[int, int]: ...
def judge_run(texts: Float, tags: Float, blocks: Int64) -> tuple[Int64, Bool, Float]: ...
