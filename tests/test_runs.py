"""`mss` and `bte` against their definitions, tried on every run of tokens there is."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import accumulate

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from scrapy_boilerplate import extract
from scrapy_boilerplate.tools.testing.promises import squeeze

TOKEN = re.compile(r"<[^>]*>|[^<]+")
WORD = re.compile(r"\w+")
SYMBOL = re.compile(r"[^\w\s]")
INVISIBLE = re.compile(r"<(script|style)>.*?</\1>")


def documents() -> st.SearchStrategy[str]:
    """Documents in which every tag is written, so that they can be cut into tokens as they are."""
    texts = st.lists(st.sampled_from(["rain", "town.", "1 2 3", "a, b!", "…"]), min_size=1)
    leaf = st.one_of(
        texts.map(" ".join).map("{} ".format),  # no word runs on behind a script
        st.sampled_from(["<br>", "<img src='x'>", "<script>if (a) b();</script>", " "]),
    )

    def element(children: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
        names = st.sampled_from(["div", "span", "section", "em"])
        inside = st.lists(children, max_size=4).map("".join)
        return st.builds("<{0}>{1}</{0}>".format, names, inside)

    parts = st.lists(st.recursive(leaf, element, max_leaves=12), max_size=4).map("".join)
    return parts.map("<html><body>{}</body></html>".format)


def best_run(values: Sequence[float]) -> tuple[int, int]:
    """Return the run with the largest sum, by trying all of them; of equals the first to end."""
    sums = [0.0, *accumulate(values)]
    runs = [(i, j) for j in range(len(sums)) for i in range(j)]
    best = max(runs, key=lambda run: (sums[run[1]] - sums[run[0]], -run[1], -run[0]))
    return best if sums[best[1]] > sums[best[0]] else (0, 0)


@settings(max_examples=120, deadline=None)
@given(
    documents(),
    st.sampled_from([-3.25, -2.0, -1.0, -0.25]),
    st.sampled_from([1.0, 0.5, 2.0]),
    st.sampled_from([1.0, 0.0, 0.5]),
)
@example("<html><body><b>a a</b><b>a a</b><b>a a</b></body></html>", -1.0, 1.0, 1.0)
@example("<html><body><b>a a</b><b>a a a a</b></body></html>", -1.0, 1.0, 1.0)
def test_mss_is_the_run_with_the_largest_sum(
    html: str, tag_score: float, word_score: float, symbol_score: float
) -> None:
    tokens = TOKEN.findall(INVISIBLE.sub("", html))
    values = [
        tag_score
        if token.startswith("<")
        else word_score * len(WORD.findall(token)) + symbol_score * len(SYMBOL.findall(token))
        for token in tokens
    ]
    start, stop = best_run(values)
    expected = "".join(token for token in tokens[start:stop] if not token.startswith("<"))
    scores = {"tag_score": tag_score, "word_score": word_score, "symbol_score": symbol_score}
    assert squeeze(extract(html, extractor="mss", **scores).text) == squeeze(expected)


@settings(max_examples=120, deadline=None)
@given(documents())
@example("<html><body><b>a b</b><b>c d</b></body></html>")  # a tie of three
@example("<html><body>a<b>b</b>c</body></html>")  # a tie of the whole with its first word
def test_bte_has_most_words_inside_and_tags_outside(html: str) -> None:
    texts = TOKEN.findall(INVISIBLE.sub("", html))
    tokens = [  # (is a word, the text that it stands in)
        (not text.startswith("<"), number)
        for number, text in enumerate(texts)
        for _ in ([text] if text.startswith("<") else WORD.findall(text))
    ]
    size, tags = len(tokens), sum(not is_word for is_word, _ in tokens)
    best, region = tags, (0, 0)
    for j in range(1, size + 1):
        for i in range(j):
            words_inside = sum(is_word for is_word, _ in tokens[i:j])
            tags_outside = tags - ((j - i) - words_inside)
            if words_inside + tags_outside > best:
                best, region = words_inside + tags_outside, (i, j)
    inside = tokens[slice(*region)]
    expected = ""
    if inside:
        run = texts[inside[0][1] : inside[-1][1] + 1]
        expected = "".join(text for text in run if not text.startswith("<"))
    assert squeeze(extract(html, extractor="bte").text) == squeeze(expected)


ARTICLE = "<p>It rained all day in the town, and nobody went out to look at it.</p>"


@pytest.mark.parametrize("name", ["mss", "bte"])
def test_segments_are_the_paragraphs_of_the_run(name: str) -> None:
    html = f"<ul><li><a>Home</a></ul><div><h1>Rain in town</h1>{ARTICLE * 2}</div><p>©"
    extraction = extract(html, extractor=name)
    assert [segment.xpath for segment in extraction.segments[-2:]] == [
        "/html/body/div/p[1]",
        "/html/body/div/p[2]",
    ]
    assert extraction.segments == extraction.main
    assert extraction.text == "\n\n".join(segment.text for segment in extraction.segments)


@pytest.mark.parametrize("name", ["mss", "bte"])
def test_a_page_without_words_or_symbols_has_no_run(name: str) -> None:
    assert extract("<div><p></p><br></div>", extractor=name).kind == "empty"


def test_bte_counts_no_symbols() -> None:
    assert extract("<p>© … !</p>", extractor="bte").text == ""
    assert extract("<p>© … !</p>", extractor="mss").text == "© … !"


def test_mss_leaves_the_tags_of_scripts_and_comments_out() -> None:
    noise = "<script>a()</script><!-- <p> --><style>p {}</style>" * 40
    text = extract(f"{ARTICLE}{noise}{ARTICLE}", extractor="mss").text
    assert text.count("It rained") == 2
