"""Boosted trees as flat arrays, and the sum of what they say of each row.

The compiled loop and its twin in numpy answer alike, bit for bit: both add the trees' values in
their order, in single precision.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from importlib import import_module
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from scrapy_boilerplate._native import SWITCH

__all__ = ["Forest", "sum_of_trees"]

Float = NDArray[np.float32]
Int = NDArray[np.int32]


class Forest(NamedTuple):
    """Binary trees, the nodes of all of them in a row.

    A leaf is a node whose two successors are itself, so that going down *depth* times ends in a
    leaf of any tree.
    """

    feature: Int
    """Column that each node looks at; 0 for a leaf."""

    threshold: Float
    """A row whose value is at most this goes left."""

    children: Int
    """Of shape (nodes, 2): the next node, left and right."""

    value: Float
    """What a leaf adds; 0 for other nodes."""

    roots: Int
    """First node of each tree."""

    depth: Int
    """Steps from each root to its farthest leaf."""

    def probabilities(self, rows: Float) -> NDArray[np.float64]:
        """Return the logistic function of the sum of all trees, for each of *rows*."""
        scores = sum_of_trees(self, np.ascontiguousarray(rows, dtype=np.float32))
        return np.asarray(0.5 + 0.5 * np.tanh(scores.astype(np.float64) / 2))


def _sum_of_trees(forest: Forest, rows: Float) -> Float:
    total = np.zeros(len(rows), dtype=np.float32)
    number = np.arange(len(rows))
    successors = forest.children.reshape(-1)
    for root, depth in zip(forest.roots.tolist(), forest.depth.tolist(), strict=True):
        node = np.full(len(rows), root, dtype=np.int32)
        for _ in range(depth):
            right = rows[number, forest.feature[node]] > forest.threshold[node]
            node = successors[2 * node + right]
        total += forest.value[node]
    return total


def compiled() -> Callable[[Forest, Float], Float] | None:
    """Return the compiled loop, or ``None`` if it was not built or is switched off."""
    if os.environ.get(SWITCH):
        return None
    try:
        native: Any = import_module("scrapy_boilerplate._forest_native")
    except ImportError:
        return None
    loop: Callable[[Forest, Float], Float] = native.sum_of_trees
    return loop


sum_of_trees: Callable[[Forest, Float], Float] = compiled() or _sum_of_trees
"""Return for each row the sum of the values of the leaves that it falls in."""
