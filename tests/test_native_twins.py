"""What is compiled and its twins in numpy give the same arrays."""

from __future__ import annotations

from itertools import pairwise
from random import Random

import numpy as np
import pytest
from contract import tree_pages
from hypothesis import given
from hypothesis import strategies as st

from scrapy_boilerplate import Page, layout, text, xpaths
from scrapy_boilerplate._native import compiled

counts = compiled("_text_native", "counts")
boundaries = compiled("_layout_native", "boundaries")
lay_out = compiled("_layout_native", "lay_out")
smallest = compiled("_xpaths_native", "smallest")
ranks = compiled("_xpaths_native", "ranks")
paths = compiled("_xpaths_native", "paths")
needs_native = pytest.mark.skipif(
    None in (counts, boundaries, lay_out, smallest, ranks, paths),
    reason="not all that can be was compiled here",
)

# Of each class, some twice: in one, two and four bytes.
CHARACTERS = "ab1é Ж日กヶ.,-\u0301\u200d\u00ad\u00a0\n\0\U00020001\U0001f600\U000e0001\ud800"


@needs_native
@given(
    st.text(st.sampled_from(CHARACTERS), min_size=1, max_size=40),
    st.sets(st.integers(0, 39)),
    st.lists(st.integers(0, 40)),
)
def test_counts(string: str, ends: set[int], wanted: list[int]) -> None:
    assert counts is not None
    breaks = np.array(sorted(place for place in ends if place < len(string)), dtype=np.int32)
    places = np.array(sorted(place for place in wanted if place <= len(string)), dtype=np.int32)
    table = text.class_table()
    expected = text._counts_in_numpy(string, table, breaks, places)
    assert counts(string, table, breaks, places).tolist() == [row.tolist() for row in expected]


@needs_native
def test_counts_of_every_code_point() -> None:
    assert counts is not None
    ends = [*range(0, 0x110000, 0x8000), 0x110000]
    for low, high in pairwise(ends):
        string = "".join(map(chr, range(low, high)))
        table, none, places = text.class_table(), np.empty(0), np.arange(len(string) + 1)
        expected = text._counts_in_numpy(string, table, none, places)
        assert np.array_equal(counts(string, table, none, places), expected), hex(low)


@needs_native
@given(tree_pages())
def test_boundaries(html: str) -> None:
    assert boundaries is not None
    page = Page.parse(html)
    kinds = np.array([layout._KIND_OF.get(name, 0) for name in page.names], dtype=np.uint8)
    arrays = (kinds, page.tag, page.first_text, page.last_text, page.text_at.size)
    found, expected = boundaries(*arrays), layout._boundaries_in_numpy(*arrays)
    assert [row.tolist() for row in found] == [row.tolist() for row in expected]


def spans_of(page: Page, random: Random) -> np.ndarray:
    """Return some spans of text nodes."""
    texts = range(page.text_at.size)
    pairs = [sorted(random.choices(range(len(texts) + 1), k=2)) for _ in texts]
    return np.array([pair for pair in pairs if pair[0] < pair[1]], dtype=np.int32).reshape(-1, 2)


@needs_native
@given(tree_pages(), st.randoms(use_true_random=False))
def test_lay_out(html: str, random: Random) -> None:
    page = Page.parse(html)
    spans = spans_of(page, random)
    expected = [page.lay_out(start, stop) for start, stop in spans.tolist()]
    assert page.lay_out_all(spans) == expected


@needs_native
@given(tree_pages(), st.randoms(use_true_random=False))
def test_xpaths(html: str, random: Random) -> None:
    page = Page.parse(html)
    starts, stops = np.ascontiguousarray(spans_of(page, random).T)
    arrays = (starts, stops, page.text_parent, page.parent)
    arrays += (page.first_text, page.last_text, page.is_block)
    assert smallest(*arrays).tolist() == xpaths._smallest_in_numpy(*arrays).tolist()
    family = (page.tag, page.parent, len(page.names))
    rank = ranks(*family)
    assert rank.tolist() == xpaths._ranks_in_numpy(*family).tolist()
    elements = random.choices(range(page.tag.size), k=2 * page.tag.size)
    names = ["" if name == "o:p" else name for name in page.names]
    tree = ("/html", names, page.tag, page.parent, page.depth, rank, page.position)
    assert paths(elements, *tree) == xpaths._paths_in_python(elements, *tree)
