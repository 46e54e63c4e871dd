"""What is compiled and its twins in numpy give the same arrays."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from contract import tree_pages
from hypothesis import given
from hypothesis import strategies as st

from scrapy_boilerplate import Page, layout, text
from scrapy_boilerplate._native import compiled

counts = compiled("_text_native", "counts")
boundaries = compiled("_layout_native", "boundaries")
needs_native = pytest.mark.skipif(
    counts is None or boundaries is None, reason="nothing was compiled here"
)

# Of each class, some twice: in one, two and four bytes.
CHARACTERS = "ab1é Ж日กヶ.,-\u0301\u200d\u00ad\u00a0\n\0\U00020001\U0001f600\U000e0001\ud800"


@needs_native
@given(st.text(st.sampled_from(CHARACTERS), min_size=1, max_size=40), st.sets(st.integers(0, 39)))
def test_counts(string: str, places: set[int]) -> None:
    assert counts is not None
    breaks = np.array(sorted(place for place in places if place < len(string)), dtype=np.int32)
    table = text._class_table()
    expected = text._counts_in_numpy(string, table, breaks)
    assert counts(string, table, breaks).tolist() == [row.tolist() for row in expected]


@needs_native
def test_counts_of_every_code_point() -> None:
    assert counts is not None
    ends = [*range(0, 0x110000, 0x8000), 0x110000]
    for low, high in pairwise(ends):
        string = "".join(map(chr, range(low, high)))
        table, none = text._class_table(), np.empty(0)
        expected = text._counts_in_numpy(string, table, none)
        assert np.array_equal(counts(string, table, none), expected), hex(low)


@needs_native
@given(tree_pages())
def test_boundaries(html: str) -> None:
    assert boundaries is not None
    page = Page.parse(html)
    kinds = np.array([layout._KIND_OF.get(name, 0) for name in page.names], dtype=np.uint8)
    arrays = (kinds, page.tag, page.first_text, page.last_text, page.text_at.size)
    found, expected = boundaries(*arrays), layout._boundaries_in_numpy(*arrays)
    assert [row.tolist() for row in found] == [row.tolist() for row in expected]
