"""Types of the arrays that pages and methods consist of, their sums, and spans as flags."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias, overload

import numpy as np
from numpy.typing import NDArray

from scrapy_boilerplate.core.page._elements_native import cumulative as _cumulative

Bool: TypeAlias = NDArray[np.bool_]  # flags
Int32: TypeAlias = NDArray[np.int32]  # indices of elements and text nodes, offsets in the text
Int64: TypeAlias = NDArray[np.int64]  # counts, and indices that were computed
Int: TypeAlias = "NDArray[np.integer]"  # either of them, or the narrow ids of a table
Float: TypeAlias = NDArray[np.float64]  # measures and scores
Float32: TypeAlias = NDArray[np.float32]  # what models read and hold
Number: TypeAlias = "NDArray[np.integer] | NDArray[np.floating]"  # counts or measures


@overload
def cumulative(values: Bool | Int) -> Int64: ...
@overload
def cumulative(values: NDArray[np.floating]) -> Float: ...
@overload
def cumulative(values: Bool | Number) -> Int64 | Float: ...
def cumulative(values: Bool | Number) -> Int64 | Float:
    """Return the sums of *values* before each position, and after the last."""
    return _cumulative(values)


def spans_from(opens: Bool) -> Int64:
    """Return the rows of (start, stop) that begin at the flags, and end before the next one."""
    starts = opens.nonzero()[0]  # np.flatnonzero takes twice as long, np.append and np.stack more
    spans = np.empty((starts.size, 2), dtype=np.int64)
    spans[:, 0], spans[:-1, 1], spans[-1:, 1] = starts, starts[1:], opens.size
    return spans


def in_spans(spans: Int | Sequence[tuple[int, int]], size: int) -> Bool:
    """Return for each of *size* positions whether it is in one of the rows of (start, stop)."""
    edges = np.asarray(spans, dtype=np.int64).reshape(-1, 2)
    begun = np.bincount(edges[:, 0], minlength=size + 1)
    begun -= np.bincount(edges[:, 1], minlength=size + 1)
    return cumulative(begun)[1 : size + 1] > 0


def ranks(keys: Int) -> Int64:
    """Return for each key how many equal ones are before it."""
    order = np.argsort(keys, kind="stable")
    ordered = keys[order]
    first = np.ones(keys.size, dtype=bool)
    first[1:] = ordered[1:] != ordered[:-1]
    places = np.arange(keys.size)
    found = np.empty(keys.size, dtype=np.int64)
    found[order] = places - np.maximum.accumulate(np.where(first, places, 0))
    return found
