"""Boosted trees as flat arrays.

Their values are added in the order of the trees, in single precision: the same on any machine.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from scrapy_boilerplate.core.auto._forest_native import Columns, sum_of_trees
from scrapy_boilerplate.core.auto._forest_native import probabilities as _probabilities
from scrapy_boilerplate.core.page.arrays import Float, Float32, Int32

__all__ = ["Columns", "Forest", "sum_of_trees"]


class Forest(NamedTuple):
    """Binary trees, the nodes of all of them in a row; a leaf is a node that leads to itself."""

    feature: Int32
    """Column that each node looks at; 0 for a leaf."""
    threshold: Float32
    """A row whose value is at most this goes left."""
    children: Int32
    """Of shape (nodes, 2): the next node, left and right."""
    value: Float32
    """What a leaf adds; 0 for other nodes."""
    roots: Int32
    """First node of each tree."""
    depth: Int32
    """Steps from each root to its farthest leaf."""

    def check(self, columns: int) -> None:
        """Raise :exc:`ValueError` if a node leads to none, or looks at none of *columns*."""
        nodes, trees = self.feature.size, self.roots.size
        shapes = (self.threshold.shape, self.value.shape, self.children.shape, self.depth.shape)
        parts = ((self.feature, columns), (self.children, nodes), (self.roots, nodes))
        if (
            shapes != ((nodes,), (nodes,), (nodes, 2), (trees,))
            or any(part.size and not 0 <= part.min() <= part.max() < end for part, end in parts)
            or self.depth.min(initial=0) < 0
        ):
            raise ValueError("the trees of the model are damaged")

    def probabilities(self, rows: Float32 | Columns) -> Float:
        """Return the logistic function of the sum of all trees, for each of *rows*."""
        if not isinstance(rows, Columns):
            rows = Columns(np.ascontiguousarray(rows, dtype=np.float32))
        return _probabilities(self, rows)
