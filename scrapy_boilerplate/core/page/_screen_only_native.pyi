"""Finds links that can be there for the screen only, and numbers that begin lines of code."""

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from scrapy_boilerplate.core.page.node_arrays import Nodes

class Names:
    def __init__(self, names: Iterable[str]) -> None: ...
    def told(self, strings: list[str]) -> dict[int, set[str]]: ...

def find_aids(
    nodes: Nodes, kinds: NDArray[np.uint16], letters: NDArray[np.uint8]
) -> tuple[list[tuple[int, bool, str]], list[int], list[int], list[tuple[int, str]], int]: ...
def beside_code(
    nodes: Nodes, kinds: NDArray[np.uint16]
) -> tuple[list[tuple[int, int, int]], list[tuple[int, int]]]: ...
def line_numbers(nodes: Nodes, code: int) -> list[int]: ...
