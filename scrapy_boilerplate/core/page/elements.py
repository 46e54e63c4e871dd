"""Loops over a page's elements. Children come after their parents."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from scrapy_boilerplate.core.page.arrays import Bool, Int, Int32, Int64, cumulative
from scrapy_boilerplate.core.page.walk import TagTable

__all__ = [
    "bits_above",
    "bits_of",
    "count_above",
    "count_inside",
    "holders",
    "is_coherent",
    "number_keys",
    "outermost",
    "pass_up",
    "path_hashes",
    "path_numbers",
    "texts_inside",
]


def number_keys(keys: Int) -> Int64:
    """Return a number for each of integer *keys*, counted from 0: equal ones have the same.

    >>> a, b, c = number_keys(np.array([700, 5, 700])).tolist()
    >>> a == c, {a, b} == {0, 1}
    (True, True)
    """
    return _number_keys(keys.astype(np.uint64, copy=False))


def path_numbers(own: Int, parent: Int32) -> Int64:
    """Number the paths of elements: equal numbers on the whole way to the root, equal paths.

    *own* is a number for each element. Paths are counted from 0; *parent* is the
    :class:`~scrapy_boilerplate.Page`'s array.

    >>> from scrapy_boilerplate import Page
    >>> page = Page.parse("<ul><li>One<li>Two</ul><p>Three")
    >>> path_numbers(page.tag, page.parent).tolist()  # html, body, ul, li, li, p
    [0, 1, 2, 3, 3, 4]
    """
    return _path_numbers(own.astype(np.int64, copy=False), parent)


def count_inside(
    groups: Sequence[Iterable[str]], names: Sequence[str], tag: Int32, end: Int32, elements: Int64
) -> Int64:
    """Count the elements of some names inside each of *elements*: a row for each of *groups*.

    *names* are the page's tag names by tag id, *tag* and *end* its arrays; there may be 32 groups.

    >>> from scrapy_boilerplate import Page
    >>> page = Page.parse("<ul><li>One<li>Two <b>three</ul>")
    >>> groups, lists = [["li"], ["a", "b"]], np.array([1, 2])
    >>> count_inside(groups, page.names, page.tag, page.end, lists).tolist()
    [[2, 2], [1, 1]]
    """
    bits = bits_of(tuple(map(frozenset, groups))).of(names)
    return _count_inside(bits, len(groups), tag, end, elements)


@lru_cache(maxsize=64)
def bits_of(groups: tuple[frozenset[str], ...]) -> TagTable[np.uint32]:
    """Return a table of the groups that each tag name is in, a bit each; there may be 32."""
    bits: dict[str, int] = {}
    for number, group in enumerate(groups):
        for name in group:
            bits[name] = bits.get(name, 0) | 1 << number
    return TagTable(bits, other=0, dtype=np.uint32)


# -- the twins in Python, and what is used -------------------------------------------------


def _count_inside(
    bits: NDArray[np.uint32], groups: int, tag: Int32, end: Int32, elements: Int64
) -> Int64:
    of_element = bits[tag]
    sums = (cumulative(of_element & np.uint32(1 << group) > 0) for group in range(groups))
    return np.array([each[end[elements]] - each[elements + 1] for each in sums], dtype=np.int64)


def _number_keys(keys: NDArray[np.uint64]) -> Int64:
    return np.unique(keys, return_inverse=True)[1].reshape(-1)


def _path_numbers(own: Int64, parent: Int32) -> Int64:
    known: dict[tuple[int, int], int] = {}
    numbers: list[int] = []
    for element, above in zip(own.tolist(), parent.tolist(), strict=True):
        way = numbers[above] if above >= 0 else -1
        numbers.append(known.setdefault((way, element), len(known)))
    return np.array(numbers, dtype=np.int64)


def is_coherent(mass: Int64, text_parent: Int32, parent: Int32, share: float) -> Bool:
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


def count_above(flags: NDArray[np.uint8], end: Int32) -> Int64:
    """Return for each element how many of *flags* it and its ancestors have."""
    steps = np.zeros(end.size + 1, dtype=np.int64)
    steps[:-1] = flags
    steps -= np.bincount(end[flags > 0], minlength=steps.size)
    return steps[:-1].cumsum()


def bits_above(bits: NDArray[np.uint32], parent: Int32) -> NDArray[np.uint32]:
    """Return for each element the *bits* that it or an ancestor has."""
    found = bits.tolist()
    for element, above in enumerate(parent.tolist()):
        if above >= 0:
            found[element] |= found[above]
    return np.array(found, dtype=np.uint32)


def texts_inside(flags: NDArray[np.uint8], first_text: Int32, last_text: Int32, size: int) -> Bool:
    """Tell for each of *size* text nodes whether it stands in an element with one of *flags*."""
    opened = np.bincount(first_text[flags > 0], minlength=size + 1)
    closed = np.bincount(last_text[flags > 0], minlength=size + 1)
    inside: Bool = np.cumsum(opened - closed)[:size] > 0
    return inside


def outermost(
    flags: NDArray[np.uint8], end: Int32, first_text: Int32, last_text: Int32, size: int
) -> Int32:
    """Return the outermost element with one of *flags* around each of *size* text nodes, or -1."""
    found = np.full(size, -1, dtype=np.int32)
    outer = np.flatnonzero((flags > 0) & (count_above(flags, end) == 1))
    holds = outer[last_text[outer] > first_text[outer]]
    if holds.size:
        texts = np.arange(size)
        place = np.searchsorted(first_text[holds], texts, side="right") - 1
        inside = (place >= 0) & (texts < last_text[holds[place]])
        found[inside] = holds[place[inside]]
    return found


def pass_up(elements: Int64, parent: Int32, values: Int32) -> None:
    """Lower the value of the parent of each of *elements* to its own, the last ones first."""
    least, parents = values.tolist(), parent.tolist()
    for element in elements[::-1].tolist():  # children stand after their parents
        above = parents[element]
        if above >= 0 and least[element] < least[above]:
            least[above] = least[element]
    values[:] = least


def holders(at: Int32, parent: Int32, is_block: NDArray[np.uint8], depth: int) -> Int64:
    """Return the nearest block-level element above each of *at*, at most *depth* above it."""
    element = at.astype(np.int64)
    for _ in range(depth):
        inline = (is_block[element] == 0) & (element > 0)
        if not inline.any():
            break
        element = np.where(inline, parent[element], element)
    return element


def path_hashes(
    elements: Int,
    parent: Int32,
    kind: Int,
    values: NDArray[np.uint64],
    powers: NDArray[np.uint64],
) -> NDArray[np.uint32]:
    """Return a hash of the labels of each element and its nearest ancestors, without the root."""
    value: NDArray[np.uint64] = values[kind[elements]] * powers[0]
    at = parent[elements].astype(np.int64)
    for power in powers[1:]:
        value += np.where(at > 0, values[kind[at]] * power, np.uint64(0))
        at = np.where(at > 0, parent[at], at)
    hashes: NDArray[np.uint32] = (value >> np.uint64(32)).astype(np.uint32)
    return hashes
