"""Elements that share their attributes, or the path to them: comments, cards, teasers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from scrapy_boilerplate._native import compiled
from scrapy_boilerplate.page import Page

__all__ = ["Patterns", "number_keys", "path_numbers"]


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
        strings = "\0".join(page.strings)  # no attribute holds a NUL
        texts = strings.encode("utf-8", "surrogatepass").translate(None, b"0123456789")
        ids: dict[bytes, int] = {}
        numbers_of = [ids.setdefault(text, len(ids)) for text in texts.split(b"\0")]
        id_of = np.array(numbers_of, dtype=np.int64)
        class_id: NDArray[Any] = id_of[page.class_id]
        key = (page.tag * np.int64(len(ids)) + class_id) * len(ids) + id_of[page.id_id]
        numbers = number_keys(key)
        named = (page.class_id > 0) | (page.id_id > 0)
        return cls(numbers, np.where(named, np.bincount(numbers)[numbers], 1))


def number_keys(keys: NDArray[Any]) -> NDArray[np.int64]:
    """Return a number for each of integer *keys*, counted from 0: equal ones have the same.

    >>> a, b, c = number_keys(np.array([700, 5, 700])).tolist()
    >>> a == c, {a, b} == {0, 1}
    (True, True)
    """
    return _number_keys(keys.astype(np.uint64, copy=False))


def path_numbers(page: Page, own: NDArray[Any]) -> NDArray[np.uint64]:
    """Return a number for each element that stands for its *own* number and those of all above.

    >>> page = Page.parse("<ul><li>One<li>Two</ul><p>Three")
    >>> numbers = path_numbers(page, page.tag)
    >>> bool(numbers[3] == numbers[4]), bool(numbers[4] == numbers[5])  # li, li, p
    (True, False)
    """
    return _path_numbers(own.astype(np.int64, copy=False), page.parent, page.depth)


# -- what may be compiled --------------------------------------------------------------------


def _number_keys_in_numpy(keys: NDArray[np.uint64]) -> NDArray[np.int64]:
    return np.unique(keys, return_inverse=True)[1].reshape(-1)


def _path_numbers_in_numpy(
    own: NDArray[np.int64], parent: NDArray[Any], depth: NDArray[Any]
) -> NDArray[np.uint64]:
    step = own.astype(np.uint64)
    step += (depth.astype(np.uint64) + np.uint64(1)) * np.uint64(0x9E3779B97F4A7C15)
    step = (step ^ (step >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    step = (step ^ (step >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    step ^= step >> np.uint64(31)
    # Sums over an element and those above it, in steps of twice the distance; they may overflow.
    numbers, above = np.append(step, np.uint64(0)), np.append(parent, -1)
    for _ in range(int(depth.max()).bit_length()):
        numbers = numbers + numbers[above]
        above = above[above]
    return numbers[:-1]


_number_keys: Callable[[NDArray[np.uint64]], NDArray[np.int64]] = (
    compiled("_elements_native", "number_keys") or _number_keys_in_numpy
)
_path_numbers: Callable[..., NDArray[np.uint64]] = (
    compiled("_elements_native", "path_numbers") or _path_numbers_in_numpy
)
