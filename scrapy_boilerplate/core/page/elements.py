"""Loops over a page's elements. Children come after their parents."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache

import numpy as np

from scrapy_boilerplate.core.page._elements_native import (
    bits_above,
    count_above,
    holders,
    is_coherent,
    keep_texts,
    names_of,
    outermost,
    pass_up,
    path_hashes,
    without_texts,
)
from scrapy_boilerplate.core.page._elements_native import count_inside as _count_inside
from scrapy_boilerplate.core.page._elements_native import number_keys as _number_keys
from scrapy_boilerplate.core.page._elements_native import path_numbers as _path_numbers
from scrapy_boilerplate.core.page.arrays import Int, Int32, Int64
from scrapy_boilerplate.core.page.walk import TagTable

__all__ = [
    "bits_above",
    "bits_of",
    "count_above",
    "count_inside",
    "holders",
    "is_coherent",
    "keep_texts",
    "names_of",
    "number_keys",
    "outermost",
    "pass_up",
    "path_hashes",
    "path_numbers",
    "without_texts",
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
    """Count the elements of each of *groups* of names, a row each, inside each of *elements*."""
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
