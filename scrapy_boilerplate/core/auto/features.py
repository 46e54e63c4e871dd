"""Reads the features of a page's blocks.

Which there are, in what order, and how each is computed stands in ``_features_native.pyx``.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

import numpy as np
from numpy.typing import NDArray

from scrapy_boilerplate.core.auto._copies_native import copies
from scrapy_boilerplate.core.auto._features_native import ABOVE, BESIDES, FEATURES, MARKS, Features
from scrapy_boilerplate.core.auto.declarations import metadata_features
from scrapy_boilerplate.core.auto.lexicon import Lexicon
from scrapy_boilerplate.core.caching import remember
from scrapy_boilerplate.core.page import Page
from scrapy_boilerplate.core.page.arrays import Int32
from scrapy_boilerplate.core.page.text import class_table
from scrapy_boilerplate.core.page.walk import ELEMENT_ROWS, KNOWN_TAGS

__all__ = ["FEATURES", "Features", "read_features"]

_CAPITAL, _DIGIT = 1, 2
_TABLE_SIZE = 0x10000  # code points of plane 0


def read_features(
    page: Page,
    lexicon: Lexicon,
    *,
    classes: bool = True,
    metadata: Mapping[str, float] | None = None,
) -> Features:
    """Read the features of *page*, which has one block at least; without *classes* no attributes.

    *metadata* are the values of :data:`~.declarations.METADATA`, by default the page's own.
    """
    flags = _known_flags()
    if len(page.names) > flags.size:  # tags of the page's own, which stand in no group
        own = [_flags(name) for name in page.names[flags.size :]]
        flags = np.append(flags, np.array(own, dtype=np.int32))
    metadata = metadata_features(page) if metadata is None else metadata
    first, after = page.blocks.T
    slices = page.text_start[first], page.text_stop[after - 1]
    rows, strings = page.element_rows, page.strings
    if not classes:
        rows, strings = rows.copy(), [""]
        rows[[*map(ELEMENT_ROWS.index, ("class_id", "id_id"))]] = 0
    return Features(
        page,
        rows,
        flags,
        lexicon.meanings(strings),
        (_character_table(), class_table()),
        copies(page.buffer, class_table(), *slices),
        metadata.values(),
    )


@cache
def _character_table() -> NDArray[np.uint8]:
    """Return the kind of each code point of plane 0."""
    plane = [*map(chr, range(_TABLE_SIZE))]
    table = np.fromiter(map(str.isupper, plane), dtype=np.uint8, count=_TABLE_SIZE) * _CAPITAL
    table[np.fromiter(map(str.isdigit, plane), dtype=bool, count=_TABLE_SIZE)] = _DIGIT
    for number, marks in MARKS.values():
        table[[ord(mark) for mark in marks]] = number
    return table


@remember(1 << 18)
def _flags(name: str) -> int:
    """Return the bits of an element of that name: its groups, and what else it is."""
    groups = sum(1 << bit for bit, names in enumerate(ABOVE.values()) if name in names.split())
    return groups + sum(flag for flag, names in BESIDES.items() if name in names)


@cache
def _known_flags() -> Int32:
    return np.array([_flags(name) for name in KNOWN_TAGS], dtype=np.int32)
