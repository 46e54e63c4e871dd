"""Numbers of elements by their keys and paths."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from scrapy_boilerplate import Page
from scrapy_boilerplate.core.page.elements import number_keys, path_numbers
from scrapy_boilerplate.tools.testing import assert_linear


def unmix(value: int) -> int:
    """Undo the last step of splitmix64."""
    for shift, factor in ((31, 0x94D049BB133111EB), (27, 0xBF58476D1CE4E5B9), (30, 1)):
        mixed = value
        for _ in range(64 // shift):
            value = mixed ^ value >> shift
        value = value * pow(factor, -1, 1 << 64) % (1 << 64)
    return value


def test_keys_made_to_fall_together_take_no_longer() -> None:
    """The last bits of each, mixed, are zero: in a table that is no secret all want one place."""
    assert_linear(
        lambda size: np.array([unmix(n << 40) for n in range(1, size)], dtype=np.uint64),
        number_keys,
        6_000,
    )


@given(st.lists(st.one_of(st.integers(0, 3), st.integers(2**64 - 9, 2**64 - 1))))
def test_equal_keys_have_equal_numbers(keys: list[int]) -> None:
    found = number_keys(np.array(keys, dtype=np.uint64)).tolist()
    assert len(set(zip(keys, found, strict=True))) == len(set(keys)) == len(set(found))


def test_ways_from_the_root() -> None:
    page = Page.parse("<ul><li>a<li>b</ul><ol><li>c</ol><li>d")
    numbers = path_numbers(page.tag.astype(np.int64), page.parent)
    assert numbers.tolist() == [0, 1, 2, 3, 3, 4, 5, 6]
