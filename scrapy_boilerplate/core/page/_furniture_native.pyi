"""Finds the links on which page furniture can stand, and numbers that begin lines of code."""

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from scrapy_boilerplate.core.page.nodes import Nodes

class Names:
    """Names of classes, in lower case, that are looked for."""

    def __init__(self, names: Iterable[str]) -> None: ...
    def told(self, strings: list[str]) -> dict[int, set[str]]:
        """Return by its number which of the names each string has that has one."""

def find_aids(
    nodes: Nodes, kinds: NDArray[np.uint8], letters: NDArray[np.uint8]
) -> tuple[list[tuple[int, bool, str]], list[int], list[int], list[tuple[int, str]], int]:
    """Return short links, code that begins with a number, buttons in code, others, all kinds.

    Links are as short as a mark, or short and in or beside a heading. Of each: the element, whether
    it begins or ends a heading or stands beside one, its text. Of buttons outside of code: the
    element, its text. Texts begin with a character of ASCII that *letters* flags, or with one
    beyond. Code is the outermost element of it.
    """

def line_numbers(nodes: Nodes, code: int) -> list[int]:
    """Return the text nodes of *code* that are a number in an element of its own and begin a line.

    Nothing is returned where they are all that there is.
    """
