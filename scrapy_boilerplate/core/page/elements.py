"""Loops over a page's elements. Children come after their parents."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from scrapy_boilerplate.core.page._elements_native import (
    bits_above,
    count_above,
    holders,
    is_coherent,
    keep_texts,
    names_of,
    number_keys,
    outermost,
    pass_up,
    path_hashes,
    path_numbers,
    without_texts,
)
from scrapy_boilerplate.core.page.walk import TagTable

__all__ = [
    "bits_above",
    "bits_of",
    "count_above",
    "holders",
    "is_coherent",
    "keep_texts",
    "names_of",
    "number_keys",
    "outermost",
    "pass_up",
    "path_hashes",
    "path_numbers",
    "without_texts",
]


@lru_cache(maxsize=64)
def bits_of(groups: tuple[frozenset[str], ...]) -> TagTable[np.uint32]:
    """Return a table of the groups that each tag name is in, a bit each; there may be 32."""
    bits: dict[str, int] = {}
    for number, group in enumerate(groups):
        for name in group:
            bits[name] = bits.get(name, 0) | 1 << number
    return TagTable(bits, other=0, dtype=np.uint32)
