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


def path_numbers(
    own: NDArray[Any], parent: NDArray[Any], depth: NDArray[Any]
) -> NDArray[np.uint64]:
    """Return a number for each element that stands for its *own* number and those of all above.

    >>> from scrapy_boilerplate import Page
    >>> page = Page.parse("<ul><li>One<li>Two</ul><p>Three")
    >>> numbers = path_numbers(page.tag, page.parent, page.depth)
    >>> bool(numbers[3] == numbers[4]), bool(numbers[4] == numbers[5])  # li, li, p
    (True, False)
    """
    return _path_numbers(own.astype(np.int64, copy=False), parent, depth)


# -- the twins in Python, and what is used -------------------------------------------------


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
_path_numbers: Callable[..., NDArray[np.uint64]] = (
    load_native("page._elements_native", "path_numbers") or _path_numbers_in_numpy
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
