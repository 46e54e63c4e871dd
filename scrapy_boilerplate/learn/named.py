"""The elements of a page that may be containers, by selector."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from scrapy_boilerplate.core.page.arrays import Bool, Int, Int32, Int64
from scrapy_boilerplate.learn._sketch_native import by_selector as _by_selector
from scrapy_boilerplate.learn._sketch_native import side_by_side as _side_by_side
from scrapy_boilerplate.learn.arrays import Hashes


class Named(NamedTuple):
    """Elements by selector, in document order."""

    elements: Int64
    """Index of each element."""
    hashes: Hashes
    """Hash of its selector."""
    numbers: Int
    """Which of the element's selectors that is."""
    nameless: Bool
    """Whether the element has no selector of its own; then the hash is 0."""


def by_selector(found: Int64, kind: Int64, own: list[tuple[int, ...]]) -> Named:
    """Return the elements *found*, each once for each of its selectors.

    *kind* is the number of each element's tag class, *own* the hashes of each tag class's
    selectors. An element without any stands here once.
    """
    return Named(*_by_selector(found, kind, own))


def side_by_side(elements: Int64, hashes: Hashes, words: Int64, end: Int32) -> tuple[Int64, Int64]:
    """Return for each selector the row of its heaviest element, and how many stand side by side.

    Given are ascending *elements*, each with the hash of a selector and its *words*. Counted are
    those that do not stand inside one another and hold a tenth of the heaviest one's words at
    least; *end* is the page's. Selectors are in the order in which they come first.
    """
    return _side_by_side(elements, hashes, words, end)


def heaviest_of(elements: Int, words: Int, ends: Int) -> tuple[int, int]:
    """Return what :func:`side_by_side` does, for the elements of one selector."""
    first = int(np.argmax(words))
    after, count = -1, 0
    for element in elements[10 * words >= words[first]].tolist():
        if element >= after:
            count += 1
        after = max(after, int(ends[element]))
    return first, count
