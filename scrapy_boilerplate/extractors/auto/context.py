"""What the second forest sees of a block: what the first one says of it and of those around it.

A block is rarely content alone. What stands beside it, in the same element, or elsewhere in
elements of the same tags and classes, says more of a doubtful block than the block itself.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeAlias

import numpy as np

from scrapy_boilerplate.extractors.auto.features import distances
from scrapy_boilerplate.page import cumulative
from scrapy_boilerplate.page.arrays import Bool, Float, Float32, Int, Int32, Int64
from scrapy_boilerplate.page.native import native_or

__all__ = ["CONTEXT", "LEVELS_ABOVE", "Surroundings", "context"]

CONTEXT = (
    # Probabilities: of the block, of its neighbours, and means over more and more around it.
    *("own", "before_2", "before_1", "after_1", "after_2", "around_2", "around_5", "around_10"),
    # Means over the blocks in the same template path, full path, and elements above.
    *("in_template", "in_path", "in_element_0", "in_element_1", "in_element_2"),
    # Where it stands in what is likely content.
    *("expected_before", "since_likely", "until_likely", "run", "from_longest_run"),
    # The page.
    *("runs", "longest_run", "expected", "most", "mean", "likely", "list", "doubt"),
)
"""Names of the columns."""

LIKELY, HOLES, FAR = 0.5, 2, 99
"""Probability of a likely block, unlikely ones that do not end a run of these, and the blocks
after which distances count no more."""
NEAR, FRAME, RADII = (-2, -1, 1, 2), 2, (2, 5, 10)
"""Neighbours that are looked at one by one, how far these go, and how far those go that are looked
at together."""
LEVELS_ABOVE = 3
"""Block-level elements above a block that are looked at, the nearest first."""
WORDLESS, LEAST = 0.3, 1e-9
"""Words that each block counts for beside its own, and the least sum that is divided by."""


Surroundings: TypeAlias = tuple[Int32, Int32, Int32]
"""Which blocks belong together: a number for the tags and first classes of three elements above
each block; one for those of all elements above it; and, of shape (blocks, LEVELS_ABOVE, 2), the
first block in each element above, and the one behind the last."""


def _context(
    content: Float, list_probability: float, words: Float, around: Surroundings
) -> Float32:
    template, path, inside = around
    size, weight = content.size, words + WORDLESS
    expected = content * weight
    sums, weights, number = cumulative(expected), cumulative(weight), np.arange(size)
    framed = np.full(size + 2 * FRAME, -1.0)
    framed[FRAME:-FRAME] = content

    def means(spans: Iterable[tuple[Int, Int]]) -> list[Float]:
        return [(sums[high] - sums[low]) / (weights[high] - weights[low]) for low, high in spans]

    def means_of(key: Int32) -> Float:
        by_key = np.bincount(key, expected) / np.maximum(np.bincount(key, weight), WORDLESS)
        of_key: Float = by_key[key]
        return of_key

    windows = [
        (np.maximum(number - radius, 0), np.minimum(number + radius + 1, size)) for radius in RADII
    ]
    likely = content >= LIKELY
    run, found = _runs(likely, expected)
    longest = int(found.argmax()) if found.size else -1  # the number of no run, too
    here = np.flatnonzero(run == longest)
    total = max(sums[-1], LEAST)
    of_blocks = [
        content,
        *(framed[FRAME + by : FRAME + by + size] for by in NEAR),
        *means(windows),
        means_of(template),
        means_of(path),
        *means(inside.transpose(1, 2, 0)),
        sums[:-1] / total,
        *distances(likely, FAR),
        np.where(run >= 0, found[run], -1) if found.size else np.full(size, -1.0),
        np.clip(np.minimum(number - here[0], 0) + np.maximum(number - here[-1], 0), -FAR, FAR),
    ]
    of_page = (
        found.size,
        found[longest] / total if found.size else 0.0,
        sums[-1],
        content.max(),
        sums[-1] / weights[-1],
        cumulative(weight * likely)[-1] / weights[-1],
        list_probability,
        cumulative(expected * (1 - content))[-1] / weights[-1],
    )
    columns = [*of_blocks, *(np.full(size, fact) for fact in of_page)]
    return np.stack(columns, axis=1).astype(np.float32)


def _runs(likely: Bool, expected: Float) -> tuple[Int64, Float]:
    """Return the number of the run that each block is in, −1 for none, and what each run holds."""
    run = np.full(likely.size, -1, dtype=np.int64)
    places = np.flatnonzero(likely)
    if places.size:
        run[places] = np.cumsum(np.diff(places, prepend=places[0]) > HOLES + 1)
    found: Float = np.bincount(run[places], expected[places]).astype(np.float64)
    return run, found


context = native_or(_context, "extractors.auto._context_native", "context")
"""Return a row a block with the columns of :data:`CONTEXT`, of single precision.

Takes the probability that each block is content, that the page is a list, the words of each block,
and its :data:`Surroundings`; there is one block at least. Linear in the blocks.
"""
