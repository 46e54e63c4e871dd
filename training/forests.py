"""Trees as lightgbm grows them, and as ``auto`` reads them. Needs lightgbm."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import lightgbm
import numpy as np

from scrapy_boilerplate.core.auto.forest import Forest
from scrapy_boilerplate.core.auto.model import all_names
from training.addresses import DETAILS

TREES = {
    "objective": "cross_entropy",  # labels are shares
    "num_leaves": 31,
    "max_depth": 9,
    "min_data_in_leaf": 60,
    "feature_fraction": 0.25,
    "bagging_fraction": 0.7,
    "bagging_freq": 1,
    "lambda_l2": 5.0,
    "max_bin": 63,
    "use_missing": False,
    "num_threads": 1,
    "deterministic": True,
    "force_col_wise": True,
    "verbose": -1,
}
PAGE_TREES = TREES | {
    "num_leaves": 6,
    "min_data_in_leaf": 20,
    "learning_rate": 0.05,
    "max_bin": 31,
}


def forest_of(booster: lightgbm.Booster, width: float = np.inf) -> Forest:
    """Return the trees of *booster*, which saw the details of addresses from column *width* on."""
    nodes: list[Node] = []
    roots, depths = [], []

    def add(tree: dict[str, Any]) -> tuple[int, int]:
        """Add a tree; return its root and its depth. No tree is deep."""
        tree, place = _as_asked(tree, width), len(nodes)
        if "split_feature" not in tree:
            nodes.append((0, np.inf, place, place, tree["leaf_value"]))
            return place, 0
        nodes.append((0, 0.0, 0, 0, 0.0))
        left, left_depth = add(tree["left_child"])
        right, right_depth = add(tree["right_child"])
        nodes[place] = (tree["split_feature"], float(_single(tree["threshold"])), left, right, 0.0)
        return place, 1 + max(left_depth, right_depth)

    for tree in booster.dump_model()["tree_info"]:
        root, depth = add(tree["tree_structure"])
        roots.append(root)
        depths.append(depth)
    return _forest(nodes, roots, depths)


def _as_asked(tree: dict[str, Any], width: float) -> dict[str, Any]:
    """Return *tree* with a split on what is known when ``auto`` asks, not on a detail."""
    while tree.get("split_feature", -1) >= width:
        name, values = tuple(DETAILS.values())[tree["split_feature"] - int(width)]
        to_left = sum(value <= tree["threshold"] for value in values)
        if 0 < to_left < len(values):
            feature = all_names().index(name)
            return {**tree, "split_feature": feature, "threshold": to_left - 0.5}
        tree = tree["left_child" if to_left else "right_child"]
    return tree


Node = tuple[int, float, int, int, float]
"""Feature, threshold, next nodes to the left and right, value."""


def even_forest() -> Forest:
    """Return a forest of one leaf, which says that all is as likely as not."""
    return _forest([(0, np.inf, 0, 0, 0.0)], [0], [0])


def _forest(nodes: Sequence[Node], roots: Sequence[int], depths: Sequence[int]) -> Forest:
    feature, threshold, left, right, value = zip(*nodes, strict=True)
    return Forest(
        np.array(feature, dtype=np.int32),
        np.array(threshold, dtype=np.float32),
        np.array([left, right], dtype=np.int32).T.copy(),
        np.array(value, dtype=np.float32),
        np.array(roots, dtype=np.int32),
        np.array(depths, dtype=np.int32),
    )


def _single(threshold: float) -> np.float32:
    """Return the largest number in single precision that is not above *threshold*."""
    single = np.float32(threshold)
    return single if single <= threshold else np.nextafter(single, np.float32(-np.inf))
