"""The texts of a page's blocks: what stands for them, and which of them are titles."""

from __future__ import annotations

from functools import cache

import numpy as np
from numpy.typing import NDArray

from scrapy_boilerplate.core.page.arrays import Bool, Int32, Int64
from scrapy_boilerplate.learn._sketch_native import text_hashes as _text_hashes
from scrapy_boilerplate.learn._sketch_native import titled as _titled
from scrapy_boilerplate.learn.arrays import Hashes

_CODES = 0x10000  # code points of the table
_LEAST = 4  # characters of a title


def text_hashes(text: str, starts: Int32, stops: Int32) -> Hashes:
    """Return the hash of each slice of a text.

    >>> from scrapy_boilerplate.learn.paths import text_hash
    >>> text_hashes("Rain  today", np.int32([0]), np.int32([11])).tolist() == [
    ...     text_hash("rain today")
    ... ]
    True
    """
    return _text_hashes(text, starts, stops)


def are_titles(text: str, starts: Int32, stops: Int32, visible: Int64, title: str) -> Bool:
    """Tell of each slice whether it says what *title* says, or a good part of it.

    *visible* is the number of visible characters of each.
    """
    title = title.casefold()
    if len(title) < _LEAST:
        return np.zeros(starts.size, dtype=bool)
    letters = sum(not character.isspace() for character in title)
    return _titled(text, starts, stops, visible, title, letters, _folded())


@cache
def _folded() -> NDArray[np.uint32]:
    """Return the folded form of each character below U+10000, 0 where it is not one character."""
    forms = (chr(code).casefold() for code in range(_CODES))
    return np.array([ord(form) if len(form) == 1 else 0 for form in forms], dtype=np.uint32)
