"""The collapsed DOM: the tree without what holds no text and without chains of single children."""

from __future__ import annotations

import numpy as np

from scrapy_boilerplate.core.page import Page
from scrapy_boilerplate.core.page.arrays import Int


class CollapsedDOM:
    """A page's text nodes as leaves, and above them inner nodes with two or more children.

    Elements without text are left out, which the ``br``, ``hr``, ``img`` and ``input`` that the
    source drops are, and an element with one child is merged with that child. So elements that hold
    the same text nodes are one node, with the tags of all of them; those that hold a single text
    node are merged with the leaf. Inner nodes are numbered in document order, the root first.
    """

    def __init__(self, page: Page) -> None:
        elements = np.flatnonzero(page.last_text > page.first_text)
        first, last = page.first_text[elements], page.last_text[elements]
        inner = last - first > 1
        # An element without empty ones around follows the one that it is merged with.
        opens = inner.copy()
        opens[1:] &= (first[1:] != first[:-1]) | (last[1:] != last[:-1])
        heads = np.flatnonzero(opens)
        numbers = np.cumsum(opens) - 1

        # Of inner nodes: the first text node, the one after the last, and the topmost element.
        self.first: Int = first[heads]
        self.last: Int = last[heads]
        self.element: Int = elements[heads]

        inner_of = np.full(page.tag.size, -1, dtype=np.int64)
        inner_of[elements[inner]] = numbers[inner]
        # Elements that are merged with leaves and their leaves, those of inner nodes and these.
        self.leaf_elements: Int = elements[~inner]
        self.leaf_of: Int = first[~inner]
        self.inner_elements: Int = elements[inner]
        self.inner_of: Int = numbers[inner]

        above = page.parent[self.element]
        self.parent: Int = np.where(above < 0, -1, inner_of[above])
        """Inner node above each inner node; −1 above the root."""
        self.parent[:1] = -1

        topmost = np.ones(self.leaf_of.size, dtype=bool)  # of the elements of each leaf
        topmost[1:] = self.leaf_of[1:] != self.leaf_of[:-1]
        holder = page.text_parent.astype(np.int64)
        holder[self.leaf_of[topmost]] = page.parent[self.leaf_elements[topmost]]
        self.parent_of_leaf: Int = np.where(holder < 0, -1, inner_of[holder])
        """Inner node above each leaf; −1 for the only leaf of a page."""

    @property
    def neighbours(self) -> tuple[Int, Int]:
        """Return for each pair of neighbouring leaves the nearest common ancestor and the distance.

        The distance is the number of edges between the two leaves; it is 2 for siblings.
        """
        size = self.parent_of_leaf.size
        closed = np.bincount(self.last - 1, minlength=size)[:-1]
        opened = np.bincount(self.first, minlength=size)[1:]
        topmost = np.full(size, -1, dtype=np.int64)  # inner node that ends with each leaf, if any
        topmost[self.last[::-1] - 1] = np.arange(self.last.size)[::-1]
        topmost = topmost[:-1]
        ancestor = np.where(topmost < 0, self.parent_of_leaf[:-1], self.parent[topmost])
        return ancestor, closed + opened + 2
