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
from scrapy_boilerplate.core.page import Page
from scrapy_boilerplate.core.page.text import class_table
from scrapy_boilerplate.core.page.walk import ELEMENT_ROWS, bits_of

__all__ = ["FEATURES", "Features", "read_features"]

_CAPITAL, _DIGIT = 1, 2
_TABLE_SIZE = 0x10000  # code points of plane 0

_GROUPS = [frozenset(names.split()) for names in ABOVE.values()]
_UNUSED = [frozenset[str]()] * (min(BESIDES).bit_length() - 1 - len(ABOVE))
_FLAGS = bits_of([*_GROUPS, *_UNUSED, *BESIDES.values()])
"""The groups of an element, and what it is besides."""


def bits_in(groups: Mapping[str, str], names: str) -> int:
    """Return the bits of those *groups* of elements or words that have one of these names."""
    return sum(1 << bit for bit, name in enumerate(groups) if name in names.split())


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
        _FLAGS.of(page.names).view(np.int32),
        lexicon.meanings(strings),
        (_character_table(), class_table()),
        copies(page.buffer, class_table(), *slices),
        metadata,
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
