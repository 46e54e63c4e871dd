"""Features of the second forest: the first one's probabilities, of a block and of those around it.

A block is rarely content alone. What stands beside it, in the same element, or elsewhere in
elements of the same tags and classes, says more of a doubtful block than the block itself.
"""

from __future__ import annotations

from typing import NamedTuple

from scrapy_boilerplate.core.page.arrays import Int32

LEVELS = 5
"""Block-level elements above a block that are looked at, the nearest first."""

RADII, REACHES = (2, 5, 10, 25), (5, 15)
"""How far the blocks around one go that are looked at together, on both sides and on each."""

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


class Surroundings(NamedTuple):
    """Groups of blocks that belong together."""

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
