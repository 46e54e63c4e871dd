"""Loops over a page's elements, of which children come after their parents."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from scrapy_boilerplate.page.native import load_native

__all__ = ["holders", "is_coherent", "number_keys", "pass_up", "path_hashes", "path_numbers"]

Bool = NDArray[np.bool_]
Int = NDArray[Any]


def number_keys(keys: NDArray[Any]) -> NDArray[np.int64]:
    """Return a number for each of integer *keys*, counted from 0: equal ones have the same.

    >>> a, b, c = number_keys(np.array([700, 5, 700])).tolist()
    >>> a == c, {a, b} == {0, 1}
    (True, True)
    """
    return _number_keys(keys.astype(np.uint64, copy=False))


def path_numbers(own: NDArray[np.integer[Any]], parent: NDArray[np.int32]) -> NDArray[np.int64]:
    """Return a number for each element that stands for its *own* number and those of all above.

    They are counted from 0; *parent* is the :class:`~scrapy_boilerplate.Page`'s array.

    >>> from scrapy_boilerplate import Page
    >>> page = Page.parse("<ul><li>One<li>Two</ul><p>Three")
    >>> path_numbers(page.tag, page.parent).tolist()  # html, body, ul, li, li, p
    [0, 1, 2, 3, 3, 4]
    """
    return _path_numbers(own.astype(np.int64, copy=False), parent)


# -- the twins in Python, and what is used -------------------------------------------------


def _number_keys_in_numpy(keys: NDArray[np.uint64]) -> NDArray[np.int64]:
    return np.unique(keys, return_inverse=True)[1].reshape(-1)


def _path_numbers_in_python(own: NDArray[np.int64], parent: NDArray[np.int32]) -> NDArray[np.int64]:
    known: dict[tuple[int, int], int] = {}
    numbers: list[int] = []
    for element, above in zip(own.tolist(), parent.tolist(), strict=True):
        way = numbers[above] if above >= 0 else -1
        numbers.append(known.setdefault((way, element), len(known)))
    return np.array(numbers, dtype=np.int64)


def _is_coherent_in_python(
    mass: NDArray[Any], text_parent: NDArray[Any], parent: NDArray[Any], share: float
) -> NDArray[np.bool_]:
    """Tell of each element whether none of its children has more energy than itself."""
    energy = [0.0] * parent.size
    highest = [0.0] * parent.size  # energy of each element's most energetic child
    parents = parent.tolist()

    def pass_on(value: float, above: int) -> None:
        energy[above] += share * value
        if value > highest[above]:
            highest[above] = value

    for value, above in zip(mass.tolist(), text_parent.tolist(), strict=True):
        pass_on(value, above)
    for element in range(len(energy) - 1, 0, -1):  # children stand after their parents
        pass_on(energy[element], parents[element])
    return np.array(highest) <= np.array(energy)


def _pass_up_in_python(elements: Int, parent: Int, values: Int) -> None:
    """Lower the value of the parent of each of *elements* to its own, the last ones first."""
    least, parents = values.tolist(), parent.tolist()
    for element in elements[::-1].tolist():  # children stand after their parents
        above = parents[element]
        if above >= 0 and least[element] < least[above]:
            least[above] = least[element]
    values[:] = least


def _holders_in_numpy(at: Int, parent: Int, is_block: Int, depth: int) -> Int:
    element: Int = at.astype(np.int64)
    for _ in range(depth):
        inline = (is_block[element] == 0) & (element > 0)
        if not inline.any():
            break
        element = np.where(inline, parent[element], element)
    return element


def _path_hashes_in_numpy(elements: Int, parent: Int, kind: Int, values: Int, powers: Int) -> Int:
    value: Int = values[kind[elements]] * powers[0]
    at: Int = parent[elements].astype(np.int64)
    for power in powers[1:]:
        value += np.where(at > 0, values[kind[at]] * power, np.uint64(0))
        at = np.where(at > 0, parent[at], at)
    hashes: Int = (value >> np.uint64(32)).astype(np.uint32)
    return hashes


_number_keys: Callable[[NDArray[np.uint64]], NDArray[np.int64]] = (
    load_native("page._elements_native", "number_keys") or _number_keys_in_numpy
)
_path_numbers: Callable[[NDArray[np.int64], NDArray[np.int32]], NDArray[np.int64]] = (
    load_native("page._elements_native", "path_numbers") or _path_numbers_in_python
)
is_coherent: Callable[..., Bool] = (
    load_native("page._elements_native", "is_coherent") or _is_coherent_in_python
)
pass_up: Callable[[Int, Int, Int], None] = (
    load_native("page._elements_native", "pass_up") or _pass_up_in_python
)
holders: Callable[..., Int] = load_native("page._elements_native", "holders") or _holders_in_numpy
path_hashes: Callable[..., Int] = (
    load_native("page._elements_native", "path_hashes") or _path_hashes_in_numpy
)
