"""The partition of a page into coherent texts: what `energy` and `links` share."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from scrapy_boilerplate.core.methods._partition_native import partition as _partition
from scrapy_boilerplate.core.page import Page


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
