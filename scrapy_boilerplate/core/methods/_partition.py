"""The partition of a page into coherent texts: what `energy` and `links` share."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from scrapy_boilerplate.core.native import native_or
from scrapy_boilerplate.core.page import Page
from scrapy_boilerplate.core.page.arrays import Int32, Int64
from scrapy_boilerplate.core.page.elements import count_above

__all__ = ["Partition", "partition"]


class Partition(NamedTuple):
    """Nodes of a tree that hold every text node once and never one another, in document order."""

    spans: NDArray[np.int64]
    """Text nodes of each node, as rows of (start, stop)."""

    elements: NDArray[np.int64]
    """Each node's element; −1 for a single text node."""


def partition(page: Page, coherent: NDArray[np.bool_]) -> Partition:
    """Divide a page into its outermost *coherent* elements and the text nodes outside of them.

    >>> page = Page.parse("<div>One <p>two <b>three</b></p></div><p>four</p>")
    >>> nodes = partition(page, page.has_tag(["p", "b"]))
    >>> page.xpaths_of(nodes.spans, nodes.elements)
    ['/html/body/div/text()[1]', '/html/body/div/p', '/html/body/p']
    """
    arrays = (page.end, page.first_text, page.last_text, page.text_at.size)
    return Partition(*_partition(coherent.view(np.uint8), *arrays))


# -- what may be compiled --------------------------------------------------------------------


def _partition_in_numpy(
    coherent: NDArray[np.uint8], end: Int32, first_text: Int32, last_text: Int32, size: int
) -> tuple[Int64, Int64]:
    """Return the spans and elements of a partition of *size* text nodes."""
    coherent = coherent * (last_text > first_text)
    elements = np.flatnonzero((coherent > 0) & (count_above(coherent, end) == 1))
    edges = np.zeros(size + 1, dtype=np.int64)
    edges[first_text[elements]] += 1
    np.subtract.at(edges, last_text[elements], 1)
    alone = np.flatnonzero(np.cumsum(edges[:-1]) == 0)
    starts = np.concatenate([first_text[elements], alone])
    stops = np.concatenate([last_text[elements], alone + 1])
    nodes = np.concatenate([elements, np.full(alone.size, -1)])
    order = np.argsort(starts)
    return np.stack([starts, stops], axis=1)[order].astype(np.int64), nodes[order]


_partition = native_or(_partition_in_numpy, "core.methods._partition_native", "partition")
