"""Elements that share their attributes, or the path to them: comments, cards, teasers."""

from __future__ import annotations

import re
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from scrapy_boilerplate.page import Page

__all__ = ["Patterns", "path_numbers"]

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


def path_numbers(page: Page, own: NDArray[Any]) -> NDArray[np.uint64]:
    """Return a number for each element that stands for its *own* number and those of all above.

    >>> page = Page.parse("<ul><li>One<li>Two</ul><p>Three")
    >>> numbers = path_numbers(page, page.tag)
    >>> bool(numbers[3] == numbers[4]), bool(numbers[4] == numbers[5])  # li, li, p
    (True, False)
    """
    step = own.astype(np.uint64)
    step += (page.depth.astype(np.uint64) + np.uint64(1)) * np.uint64(0x9E3779B97F4A7C15)
    step = (step ^ (step >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    step = (step ^ (step >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    step ^= step >> np.uint64(31)
    # The sum over an element and those above it, as in `Page.count_above`; it may well overflow.
    steps = np.append(step, np.uint64(0))
    np.subtract.at(steps, page.end, step)
    return np.cumsum(steps[:-1], dtype=np.uint64)
