"""The words of each output are those of the text."""

from __future__ import annotations

import re
from collections import Counter

import numpy as np
import pytest
from cases import rows
from hypothesis import given
from hypothesis import strategies as st
from structure import words_of_html, words_of_markdown

from scrapy_boilerplate import Extraction, Page, extract
from scrapy_boilerplate.core.answer.record import Rule


def words(text: str) -> Counter[str]:
    return Counter(re.findall(r"\w+", text))


def assert_same_words(found: Extraction) -> None:
    """Assert that each output of an answer says what its text says."""
    said = words(found.text)
    body = found.tei[found.tei.index("<body>") :]
    assert words(words_of_markdown(found.markdown)) == said
    assert words(words_of_html(found.html)) == said
    assert words(words_of_html(body.replace("<lb/>", " "))) == said
    assert words(words_of_html(found.prevertical)) == said


def answer(source: str, dropped: frozenset[int] = frozenset()) -> Extraction:
    """Return an answer that has all of a page but the *dropped* blocks."""
    page = Page.parse(source, url="https://example.com/")
    found = extract(page, extractor="mss", tag_score=0.0)
    flags = [number in dropped for number in range(len(page.blocks))]
    texts = np.repeat(flags, np.diff(page.blocks, axis=1)[:, 0]).astype(bool)
    return found.without(texts, Rule("test", "dropped"))


BLANKS = st.sampled_from(
    [" ", "\n", "&nbsp;", "\u2003", "<br>", "<wbr>", "", "<img src=a.png>", "<hr>", "<input>"]
)
INLINE = st.sampled_from(
    "span b i em strong a code kbd tt sub sup font abbr u del small label time".split()
    + "div p pre blockquote".split()  # which stand in lines, too
)
PIECES = st.recursive(
    BLANKS | st.sampled_from(["one", "Two", "3", "500", " four ", "five\n", "!", "-"]),
    lambda inner: st.builds(
        lambda name, parts: f"<{name}>{''.join(parts)}</{name}>",
        INLINE,
        st.lists(inner, max_size=3),
    ),
    max_leaves=15,
)
LINES = st.lists(PIECES, min_size=1, max_size=6).map("".join)
BLOCKS = st.sampled_from("p h2 li td div pre blockquote figcaption dt th".split())
PAGES = st.lists(
    st.builds(lambda name, line: f"<{name}>{line}</{name}>", BLOCKS, LINES), max_size=4
).map("".join)


@given(PAGES, st.frozensets(st.integers(0, 5), max_size=3))
def test_the_words_of_each_output_are_those_of_the_text(
    source: str, dropped: frozenset[int]
) -> None:
    assert_same_words(answer(source, dropped))


@pytest.mark.parametrize(("source", "expected"), rows("edges_of_words"))
def test_space_at_edges_is_kept(source: str, expected: str) -> None:
    assert answer(source).markdown.rstrip("\n") == expected


@pytest.mark.parametrize(
    ("source", "dropped", "expected"),
    [
        ("<p>x</p><code>one<hr>two</code>", 1, "x\n\n```\ntwo\n```"),
        ("<p>x</p><pre>one\n<div>two</div>\n<div>  three</div></pre>", 2,
         "x\n\n```\none\n  three\n```"),
    ],
)  # fmt: skip
def test_dropped_blocks_of_code_are_in_no_output(source: str, dropped: int, expected: str) -> None:
    found = answer(source, frozenset([dropped]))
    assert_same_words(found)
    assert found.markdown.rstrip("\n") == expected
