"""Boosted trees as flat arrays, and the sum of what they say of each row.

The compiled loop and its twin in numpy answer alike, bit for bit: both add the trees' values in
their order, in single precision.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from scrapy_boilerplate.core.auto.elementary import tanh
from scrapy_boilerplate.core.native import native_or
from scrapy_boilerplate.core.page.arrays import Float, Float32, Int32

__all__ = ["Forest", "sum_of_trees"]

_NATIVE = "core.auto._forest_native"


class Forest(NamedTuple):
    """Binary trees, the nodes of all of them in a row.

    A leaf is a node whose two successors are itself, so that going down *depth* times ends in a
    leaf of any tree.
    """

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

    def probabilities(self, rows: Float32) -> Float:
        """Return the logistic function of the sum of all trees, for each of *rows*."""
        return _probabilities(self, np.ascontiguousarray(rows, dtype=np.float32))


STRIPE = 512
"""Rows that go down all trees at once in numpy."""


def _sum_of_trees(forest: Forest, rows: Float32) -> Float32:
    stripes = [_sum(forest, rows[begin : begin + STRIPE]) for begin in range(0, len(rows), STRIPE)]
    return np.concatenate(stripes) if stripes else np.zeros(0, dtype=np.float32)


def _sum(forest: Forest, rows: Float32) -> Float32:
    """Go down all trees with all rows, a level at a time; then add the trees in their order."""
    size, width = rows.shape
    values, successors = rows.ravel(), forest.children.ravel()
    begin = np.arange(size, dtype=np.int32) * width
    node = np.repeat(forest.roots[:, None], size, axis=1)
    for _ in range(int(forest.depth.max())):
        right = values[begin + forest.feature[node]] > forest.threshold[node]
        node = successors[2 * node + right]
    total = np.zeros(size, dtype=np.float32)
    for row in forest.value[node]:
        total += row
    return total


def _probabilities_in_numpy(forest: Forest, rows: Float32) -> Float:
    probabilities: Float = 0.5 + 0.5 * tanh(sum_of_trees(forest, rows).astype(np.float64) / 2)
    return probabilities


sum_of_trees = native_or(_sum_of_trees, _NATIVE, "sum_of_trees")
"""Return for each row the sum of the values of the leaves that it falls in."""

_probabilities = native_or(_probabilities_in_numpy, _NATIVE, "probabilities")
