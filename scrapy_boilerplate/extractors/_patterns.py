"""Elements that share their attributes: comments, cards, teasers."""

from __future__ import annotations

import re
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from scrapy_boilerplate.page import Page

__all__ = ["Patterns"]

_DIGITS = re.compile("[0-9]+")


class Patterns(NamedTuple):
    """An element's pattern is its tag, ``class`` and ``id``, without their digits.

    >>> page = Page.parse("<p id=comment-1>One</p><p id=comment-2>Two</p><p>Three</p>")
    >>> Patterns.of(page).repeats.tolist()
    [1, 1, 2, 2, 1]
    """

    numbers: NDArray[np.int64]
    """Number of each element's pattern."""
    repeats: NDArray[np.int64]
    """How many elements of the page share each one's pattern; 1 for those without attributes."""

    @classmethod
    def of(cls, page: Page) -> Patterns:
        """Number the patterns of a page."""
        strings = _DIGITS.sub("", "\0".join(page.strings)).split("\0")  # no attribute holds a NUL
        ids: dict[str, int] = {}
        id_of = np.array([ids.setdefault(s, len(ids)) for s in strings], dtype=np.int64)
        class_id: NDArray[Any] = id_of[page.class_id]
        key = (page.tag * np.int64(len(ids)) + class_id) * len(ids) + id_of[page.id_id]
        _, numbers, sizes = np.unique(key, return_inverse=True, return_counts=True)
        named = (page.class_id > 0) | (page.id_id > 0)
        return cls(numbers, np.where(named, sizes[numbers], 1))
