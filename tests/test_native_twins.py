"""What is compiled and its twins in numpy give the same arrays."""

from __future__ import annotations

from itertools import pairwise
from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scrapy_boilerplate import Page
from scrapy_boilerplate.page import layout, text, trees, xpaths
from scrapy_boilerplate.page.native import load_native
from scrapy_boilerplate.testing.generated import tree_pages

counts = load_native("page._text_native", "counts")
end_of_html = load_native("page._text_native", "end_of_html")
boundaries = load_native("page._layout_native", "boundaries")
lay_out = load_native("page._layout_native", "lay_out")
strongest = load_native("page._layout_native", "strongest")
smallest = load_native("page._xpaths_native", "smallest")
ranks = load_native("page._xpaths_native", "ranks")
paths = load_native("page._xpaths_native", "paths")
needs_native = pytest.mark.skipif(
    None in (counts, end_of_html, boundaries, lay_out, strongest, smallest, ranks, paths),
    reason="not all that can be was compiled here",
)

# Of each class, some twice: in one, two and four bytes.
CHARACTERS = "ab1é Ж日กヶ.,-\u0301\u200d\u00ad\u00a0\n\0\U00020001\U0001f600\U000e0001\ud800"


@needs_native
@given(
    st.lists(
        st.tuples(
            st.sampled_from(["", "", " ", "\n\u00a0"]),
            st.text(st.sampled_from(CHARACTERS), min_size=1, max_size=20),
        ),
        max_size=5,
    )
)
def test_counts(pieces: list[tuple[str, str]]) -> None:
    assert counts is not None
    string = "".join(map("".join, pieces))
    stops = np.cumsum([len(gap + piece) for gap, piece in pieces], dtype=np.int32)
    starts = stops - np.array([len(piece) for _, piece in pieces], dtype=np.int32)
    slices = (string, text.class_table(), starts, stops)
    assert counts(*slices).tolist() == [row.tolist() for row in text._counts_in_numpy(*slices)]


@needs_native
def test_counts_of_every_code_point() -> None:
    assert counts is not None
    ends = [*range(0, 0x110000, 0x8000), 0x110000]
    for low, high in pairwise(ends):
        string = "".join(map(chr, range(low, high)))
        stops = np.arange(1, len(string) + 1, dtype=np.int32)
        slices = (string, text.class_table(), stops - np.int32(1), stops)
        assert np.array_equal(counts(*slices), text._counts_in_numpy(*slices)), hex(low)


@needs_native
@given(
    st.lists(
        st.one_of(
            st.sampled_from(["</html", "</HTML", "</Html>", "</html/", "</html\u00a0", "</h", "<"]),
            st.text("<>/html \u0148\U00010068", max_size=3),
            st.integers(55, 70).map("x".__mul__),
        ),
        max_size=6,
    ).map("".join)
)
def test_end_of_html(source: str) -> None:
    assert end_of_html is not None
    assert end_of_html(source) == trees._end_of_html_in_python(source)


@needs_native
@given(tree_pages())
def test_boundaries(html: str) -> None:
    assert boundaries is not None
    page = Page.parse(html)
    kinds = layout._KIND_OF.of(page.names)
    arrays = (kinds, page.tag, page.first_text, page.last_text, page.text_at.size)
    found, expected = boundaries(*arrays), layout._boundaries_in_numpy(*arrays)
    assert [row.tolist() for row in found] == [row.tolist() for row in expected]


def spans_of(page: Page, random: Random) -> np.ndarray:
    """Return some spans of text nodes."""
    texts = range(page.text_at.size)
    pairs = [sorted(random.choices(range(len(texts) + 1), k=2)) for _ in texts]
    return np.array([pair for pair in pairs if pair[0] < pair[1]], dtype=np.int64).reshape(-1, 2)


@needs_native
@given(tree_pages(), st.randoms(use_true_random=False))
def test_lay_out(html: str, random: Random) -> None:
    page = Page.parse(html)
    spans = spans_of(page, random)
    expected = [page.lay_out(start, stop) for start, stop in spans.tolist()]
    assert page.lay_out_all(spans) == expected


@needs_native
@given(tree_pages(), st.randoms(use_true_random=False))
def test_strongest(html: str, random: Random) -> None:
    assert strongest is not None
    page = Page.parse(html)
    spans = page.cut_blocks([t for t in range(page.text_at.size) if random.random() < 0.5])
    spans = spans[[random.random() < 0.8 for _ in spans]]
    if len(spans):
        breaks = page._boundaries[0]
        expected = layout._strongest_in_numpy(breaks, spans)
        assert strongest(breaks, spans).tolist() == expected.tolist()


@needs_native
@given(tree_pages(), st.randoms(use_true_random=False))
def test_xpaths(html: str, random: Random) -> None:
    page = Page.parse(html)
    arrays = (spans_of(page, random), page.text_parent, page.parent)
    arrays += (page.first_text, page.last_text, page.is_block)
    assert smallest(*arrays).tolist() == xpaths._smallest_in_numpy(*arrays).tolist()
    family = (page.tag, page.parent, len(page.names))
    rank = ranks(*family)
    assert rank.tolist() == xpaths._ranks_in_numpy(*family).tolist()
    elements = random.choices(range(page.tag.size), k=2 * page.tag.size)
    names = ["" if name == "o:p" else name for name in page.names]
    tree = ("/html", names, page.tag, page.parent, page.depth, rank, page.position)
    assert paths(elements, *tree) == xpaths._paths_in_python(elements, *tree)
