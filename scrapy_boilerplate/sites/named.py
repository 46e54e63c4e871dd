"""The elements of a page that may be containers, by selector."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain
from typing import NamedTuple

import numpy as np

from scrapy_boilerplate.page.arrays import Bool, Int
from scrapy_boilerplate.sites.arrays import Hashes

__all__ = ["Named", "by_selector", "heaviest_of", "side_by_side"]


class Named(NamedTuple):
    """Elements by selector, in document order."""

    elements: Int
    """Index of each element."""
    hashes: Hashes
    """Hash of its selector."""
    numbers: Int
    """Which of the element's selectors that is."""
    nameless: Bool
    """Whether the element has no selector of its own; then the hash is 0."""


def by_selector(found: Int, kind: Int, own: Sequence[tuple[int, ...]]) -> Named:
    """Return the elements *found*, each once for each of its selectors.

    *kind* is the number of each element's tag class, *own* the hashes of each tag class's
    selectors. An element without any stands here once.
    """
    sizes = np.fromiter((max(1, len(hashes)) for hashes in own), dtype=np.int64, count=len(own))
    flat = np.fromiter(
        chain.from_iterable(hashes or (0,) for hashes in own),
        dtype=np.uint32,
        count=int(sizes.sum()),
    )
    times = sizes[kind[found]]
    elements = np.repeat(found, times)
    numbers = np.arange(elements.size) - np.repeat(np.cumsum(times) - times, times)
    hashes = flat[(np.cumsum(sizes) - sizes)[kind[elements]] + numbers]
    nameless = np.array([not hashes for hashes in own], dtype=bool)[kind[elements]]
    return Named(elements, hashes, numbers, nameless)


def side_by_side(named: Named, words: Int, end: Int) -> tuple[Int, Int]:
    """Return for each selector the row of its heaviest element, and how many stand side by side.

    Counted are elements that do not stand inside one another and hold a tenth of the heaviest
    one's *words* at least; *end* is the page's.
    """
    order = np.lexsort((named.elements, named.hashes))
    if not order.size:
        return order, order
    hashes = named.hashes[order]
    opens = np.append(True, hashes[1:] != hashes[:-1])
    starts = np.flatnonzero(opens)
    group = np.cumsum(opens) - 1
    most = np.maximum.reduceat(words[order], starts)
    heavy = 10 * words[order] >= most[group]
    rows = order[heavy]
    groups = group[heavy]
    # Within a group the elements ascend; one is outside the others if it starts after they end.
    ends = end[named.elements[rows]] + groups * (np.int64(end.size) + 1)
    begins = named.elements[rows] + groups * (np.int64(end.size) + 1)
    outer = np.append(True, begins[1:] >= np.maximum.accumulate(ends)[:-1])
    count = np.bincount(groups[outer], minlength=starts.size)
    heaviest = order[np.lexsort((-words[order], group))[starts]]
    return heaviest, count


def heaviest_of(elements: Int, words: Int, ends: Int) -> tuple[int, int]:
    """Return what :func:`side_by_side` does, for the elements of one selector."""
    first = int(np.argmax(words))
    after, count = -1, 0
    for element in elements[10 * words >= words[first]].tolist():
        if element >= after:
            count += 1
        after = max(after, int(ends[element]))
    return first, count
