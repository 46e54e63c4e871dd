"""What the second forest sees of a block: what the first one says of it and of those around it.

A block is rarely content alone. What stands beside it, in the same element, or elsewhere in
elements of the same tags and classes, says more of a doubtful block than the block itself.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple, Protocol

import numpy as np

from scrapy_boilerplate.core.auto.features import LEVELS, distances
from scrapy_boilerplate.core.native import native_or
from scrapy_boilerplate.core.page import cumulative
from scrapy_boilerplate.core.page.arrays import Bool, Float, Float32, Int, Int32, Int64

__all__ = ["CONTEXT", "Context", "Surroundings", "context"]

NEAR, FRAME, RADII, REACHES = (-3, -2, -1, 1, 2, 3), 3, (2, 5, 10, 25), (5, 15)
"""Neighbours that are looked at one by one, how far these go; how far those go that are looked at
together, on both sides and on each."""

CONTEXT = (
    # Probabilities: of the block, of its neighbours, and means over more and more around it, then
    # over those before and behind it.
    *("own", "before_3", "before_2", "before_1", "after_1", "after_2", "after_3"),
    *(f"around_{radius}" for radius in RADII),
    *(f"{side}_within_{reach}" for reach in REACHES for side in ("before", "after")),
    # Means over the blocks in the same template path, full path, units alike, and elements above;
    # share of the page's expected words in each of these.
    *("in_template", "in_path", "in_units"),
    *(f"{name}_{level}" for level in range(LEVELS) for name in ("in_element", "share_of_element")),
    # Where it stands in what is likely content.
    *("expected_before", "found_before", "found_after"),
    *("since_likely", "until_likely", "run", "from_longest_run", "words_from_longest_run"),
    # How many units are alike, and how many of them hold a teaser.
    *("units", "teasers"),
    # The page.
    *("runs", "longest_run", "expected", "most", "mean", "likely", "doubt", "list"),
)
"""Names of the columns."""

LIKELY, HOLES, FAR = 0.5, 2, 99
"""Probability of a likely block, unlikely ones that do not end a run of these, and the blocks
after which distances count no more."""
WORDLESS, LEAST = 0.3, 1e-9
"""Words that each block counts for beside its own, and the least sum that is divided by."""


class Surroundings(NamedTuple):
    """Which blocks belong together."""

    template: Int32
    """A number for the tags and first classes of three elements above each block …"""
    path: Int32
    """… and one for those of all elements above it."""
    unit: Int32
    """The first block in any unit like that of each block, the block itself if it is in none."""
    chain: Int32
    """Of shape (blocks, LEVELS): the elements above each block."""
    within: Int32
    """Of shape (2, elements): the first block in each element, and the one behind the last."""
    units: Int32
    """How many units are like that of each block, and how many of them hold a teaser."""


class Context(Protocol):
    """What a second forest sees of the blocks of a page."""

    def put(self, rows: Float32, start: int = 0) -> None:
        """Put the columns of the blocks from *start* on behind those of *rows*, into their room."""


class _InNumpy:
    def __init__(
        self, content: Float, list_probability: float, words: Float, around: Surroundings
    ) -> None:
        self._columns = _columns(content, list_probability, words, around)

    def put(self, rows: Float32, start: int = 0) -> None:
        rows[:, -len(CONTEXT) :] = self._columns[start : start + len(rows)]


def _columns(
    content: Float, list_probability: float, words: Float, around: Surroundings
) -> Float32:
    weight = words + WORDLESS
    expected = content * weight
    sums = _Sums(cumulative(expected), cumulative(weight))
    runs = _Runs.of(content >= LIKELY, expected)
    of_page = (*_of_page(content, weight, sums, runs), list_probability)
    columns = [
        *_near(content, sums),
        *_together(content, weight, sums, around),
        *_in_runs(sums, runs),
        *around.units.T,
        *(np.full(content.size, fact) for fact in of_page),
    ]
    return np.stack(columns, axis=1).astype(np.float32)


class _Sums(NamedTuple):
    """Before each block, and after the last one."""

    expected: Float
    """Expected words of content."""
    weights: Float

    def mean(self, low: Int, high: Int) -> Float:
        """Return the mean probability of the words in the blocks ``[low, high)``."""
        weights = np.maximum(self.weights[high] - self.weights[low], LEAST)
        mean: Float = (self.expected[high] - self.expected[low]) / weights
        return mean

    def share(self, low: Int, high: Int) -> Float:
        """Return the share of the page's expected words that these blocks have."""
        share: Float = (self.expected[high] - self.expected[low]) / self.total
        return share

    @property
    def total(self) -> float:
        return max(float(self.expected[-1]), LEAST)


def _near(content: Float, sums: _Sums) -> Iterator[Float]:
    """Yield the probability of each block, and of those that stand before and behind it."""
    size, number = content.size, np.arange(content.size)

    def away(by: int) -> Int:
        place: Int = np.clip(number + by, 0, size)
        return place

    framed = np.full(size + 2 * FRAME, -1.0)
    framed[FRAME:-FRAME] = content
    yield content
    for by in NEAR:
        yield framed[FRAME + by : FRAME + by + size]
    for radius in RADII:
        yield sums.mean(away(-radius), away(radius + 1))
    for reach in REACHES:
        yield sums.mean(away(-reach), number)
        yield sums.mean(away(1), away(reach + 1))


def _together(content: Float, weight: Float, sums: _Sums, around: Surroundings) -> Iterator[Float]:
    """Yield what the blocks have that are elsewhere in alike elements, or in the same one."""
    for key in (around.template, around.path, around.unit):
        weights = np.maximum(np.bincount(key, weight), WORDLESS)
        yield (np.bincount(key, content * weight) / weights)[key]
    for element in around.chain.T:
        low, high = around.within[:, element]
        yield sums.mean(low, high)
        yield sums.share(low, high)


def _in_runs(sums: _Sums, runs: _Runs) -> Iterator[Float | Int]:
    """Yield where each block stands in what is likely content."""
    expected, weights, number = sums.expected, sums.weights[:-1], np.arange(runs.likely.size)
    first, last = runs.ends
    yield expected[:-1] / sums.total
    yield expected[:-1]
    yield expected[-1] - expected[1:]
    yield from distances(runs.likely, FAR)
    yield np.where(runs.run >= 0, np.append(runs.found, 0)[runs.run], -1)
    yield np.clip(np.minimum(number - first, 0) + np.maximum(number - last, 0), -FAR, FAR)
    before, behind = weights - weights[first], weights - sums.weights[last + 1]
    yield np.minimum(before, 0) + np.maximum(behind, 0)


def _of_page(content: Float, weight: Float, sums: _Sums, runs: _Runs) -> tuple[float, ...]:
    words = sums.weights[-1]
    return (
        runs.found.size,
        runs.found.max() / sums.total if runs.found.size else 0.0,
        sums.expected[-1],
        content.max(),
        sums.expected[-1] / words,
        cumulative(weight * runs.likely)[-1] / words,
        cumulative(content * weight * (1 - content))[-1] / words,
    )


class _Runs(NamedTuple):
    """Runs of likely blocks."""

    likely: Bool
    run: Int64
    """The number of the run that each block is in, −1 for none."""
    found: Float
    """Expected words of content in each run."""

    @classmethod
    def of(cls, likely: Bool, expected: Float) -> _Runs:
        run = np.full(likely.size, -1, dtype=np.int64)
        places = np.flatnonzero(likely)
        if places.size:
            run[places] = np.cumsum(np.diff(places, prepend=places[0]) > HOLES + 1)
        found: Float = np.bincount(run[places], expected[places]).astype(np.float64)
        return cls(likely, run, found)

    @property
    def ends(self) -> tuple[int, int]:
        """The first and the last block of the longest run; of the page if there is none."""
        longest = int(self.found.argmax()) if self.found.size else -1  # the number of no run, too
        first, last = np.flatnonzero(self.run == longest)[[0, -1]].tolist()
        return first, last


context: Callable[[Float, float, Float, Surroundings], Context] = native_or(
    _InNumpy, "core.auto._context_native", "Context"
)
"""Return the columns of :data:`CONTEXT`, a row a block.

Takes the probability that each block is content, that the page is a list, the words of each block,
and its :data:`Surroundings`; there is one block at least. Linear in the blocks.
"""
