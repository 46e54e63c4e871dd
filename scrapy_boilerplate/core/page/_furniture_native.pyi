"""Finds the links on which page furniture can stand, and numbers that begin lines of code."""

import numpy as np
from numpy.typing import NDArray

from scrapy_boilerplate.core.page.nodes import Nodes

def short_links(
    nodes: Nodes, kinds: NDArray[np.uint8], letters: NDArray[np.uint8]
) -> tuple[list[tuple[int, bool, str]], int]:
    """Return links that are as short as a mark, or short and in or beside a heading, and all kinds.

    Of each link: the element, whether it begins or ends a heading or stands beside one, its text.
    It begins with a character of ASCII that *letters* flags, or with one beyond.
    """

def line_numbers(nodes: Nodes, code: int) -> list[int]:
    """Return the text nodes of *code* that are a number in an element of its own and begin a line.

    Nothing is returned where they are all that there is.
    """
