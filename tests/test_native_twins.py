"""What is compiled and its twins in numpy give the same arrays."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from twins import check_page, check_source, check_tree

from benchmarks.data import read_wcxb
from scrapy_boilerplate import Page
from scrapy_boilerplate.core.native import load_native
from scrapy_boilerplate.core.page import text
from scrapy_boilerplate.learn import texts
from scrapy_boilerplate.tools.testing.generated import tree_pages

EXAMPLES = sorted((Path(__file__).parent.parent / "example_project/sites").rglob("*.html"))

counts = load_native("core.page._text_native", "counts")
needs_native = pytest.mark.skipif(counts is None, reason="not compiled here")

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
@given(st.text(st.sampled_from("aZ9 .?!…;；．。·αᾶ\u0e01\u0eff\u0f00\n@[`{\U0001002e\U0001f600")))
def test_sentence_marks(string: str) -> None:
    found = text._sentence_marks(string, text._mark_table())
    assert found == text._sentence_marks_in_python(string, text._mark_table())
    matches = text._sentence_end().finditer(string)
    assert text.sentence_ends(string) == [m.end() for m in matches if (m.lastindex or 0) > 1]


@needs_native
def test_texts_of_every_assigned_code_point() -> None:
    # Between planes 3 and 14 none is assigned, and the last two planes are private.
    # Few at a time: each text is looked for in all of them.
    planes = (range(0x38000), range(0xE0000, 0xE8000), range(0x108000, 0x110000))
    for low in (low for plane in planes for low in plane[::0x200]):
        string = "".join(f"A{character}b " for character in map(chr, range(low, low + 0x200)))
        starts = np.arange(0, len(string), 4, dtype=np.int32)
        slices = (string, starts, starts + np.int32(4))
        hashes = texts._text_hashes(*slices)
        assert np.array_equal(hashes, texts._text_hashes_in_python(*slices)), hex(low)
        visible = np.full(starts.size, 3)
        about = (*slices, visible, string.casefold(), 3, texts._folded())
        assert texts._titled(*about).tolist() == texts._titled_in_python(*about).tolist()


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
    check_source(source)


@needs_native
@given(tree_pages(), st.randoms(use_true_random=False))
def test_generated_pages(html: str, random: Random) -> None:
    page = Page.parse(html)
    check_tree(page.root)
    check_page(page, random)


@needs_native
@pytest.mark.parametrize("path", EXAMPLES[::8], ids=lambda path: path.stem)
def test_pages_of_the_example(path: Path) -> None:
    source = path.read_text(encoding="utf-8")
    check_source(source)
    page = Page.parse(source, url=f"https://example.com/{path.stem}")
    check_tree(page.root)
    check_page(page, Random(path.stem))


@needs_native
@pytest.mark.slow
@pytest.mark.parametrize("part", range(8))
def test_all_development_pages(shared_data: Path, part: int) -> None:
    pages = list(read_wcxb(shared_data / "wcxb-dev"))[part::8]
    assert len(pages) > 100
    for labelled in pages:
        page = Page.parse(labelled.html, url=labelled.url)
        check_tree(page.root)
        check_page(page, Random(labelled.id))
