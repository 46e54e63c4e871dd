from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scrapy_boilerplate.core.methods.web2text.block_features import (
    BLOCK_FEATURES,
    EDGE_FEATURES,
    features,
)
from scrapy_boilerplate.core.methods.web2text.network import choose_labels, load_model
from scrapy_boilerplate.core.page import Page

# -- features --------------------------------------------------------------------------------

HTML = """<html><head><title>Not a block</title></head><body>
<div class="menu"><ul><li><a href="/">Home</a></li><li><a href="/n">News</a></li></ul></div>
<div class="text"><h1>The Cat</h1>
<p>The cat sat on the mat. Did it sleep? In 1999 it <b>really</b> did: 3 days.</p>
<p>Home</p>
<form><input><span>© Us, mail a@b.org</span> see www.example.org</form></div>
</body></html>"""


def test_number_and_order_are_the_source_s() -> None:
    assert len(set(BLOCK_FEATURES)) == len(BLOCK_FEATURES) == 128
    assert len(set(EDGE_FEATURES)) == len(EDGE_FEATURES) == 25
    firsts = {1: "has_duplicate", 4: "has_word", 28: "has_parent", 69: "has_grandparent"}
    firsts |= {49: "parent_is_td", 90: "root_source_ratio", 110: "is_a", 128: "is_blockquote"}
    assert {number: BLOCK_FEATURES[number - 1] for number in firsts} == firsts


# -- networks --------------------------------------------------------------------------------


@given(st.data(), st.integers(1, 7), st.floats(0, 1), st.floats(0.05, 0.95))
def test_decoding_finds_the_most_probable_labels(
    data: st.DataObject, size: int, weight: float, threshold: float
) -> None:
    logs = st.floats(-20, 0)
    unary = np.array(data.draw(st.lists(st.tuples(logs, logs), min_size=size, max_size=size)))
    pairs = st.lists(st.tuples(logs, logs, logs, logs), min_size=size - 1, max_size=size - 1)
    pairwise = np.array(data.draw(pairs)).reshape(-1, 4)
    prior = math.log((1 - threshold) / threshold)

    def worth(labels: Any) -> float:
        own = sum(unary[i, label] + prior * label for i, label in enumerate(labels))
        both = sum(pairwise[i, 2 * a + b] for i, (a, b) in enumerate(itertools.pairwise(labels)))
        return float(own + weight * both)

    best = max(map(worth, itertools.product((0, 1), repeat=size)))
    decoded = choose_labels(unary, pairwise, weight, threshold).astype(int)
    assert worth(decoded) == pytest.approx(best, abs=1e-9)


# -- the extractor ---------------------------------------------------------------------------

ARTICLE = """<html><body><div id="nav"><ul><li><a href="/">Home</a><li><a href="/c">Cats</a>
<li><a href="/d">Dogs</a></ul></div><div id="main"><h1>Why cats sleep so long</h1>
<p>Cats sleep for up to sixteen hours a day, and <em>nobody</em> who has lived with one of them
will be surprised by that. Most of it is a light sleep, from which they wake at any sound.</p>
<p>It is a hunter's habit: a short chase takes much strength, so that the animal saves what it can
in the hours between. Wild cats do the same, and so do lions, which sleep for even longer.</p></div>
<div id="footer"><a href="/about">About us</a> | <a href="/privacy">Privacy</a> | © 2020</div>
</body></html>"""


MARKS = (
    f"<p>Is it? </p>{'<div>More</div>' * 11}<table><tr><td>a<td>b<tr><td>c</table>d<br>e<i>f</i>"
    f"<p>{'word, ' * 300}"
)
GOLDEN = [
    (ARTICLE, [
        0.0037, 0.0039, 0.0095, 0.1070, 0.8079, 0.8077, 0.8455, 0.7239, 0.0074, 0.0060, 0.0020,
        0.0021,
    ], [
        0.0941, 0.0622, 0.1385, 0.6638, 0.9172, 0.8864, 0.4994, 0.0975, 0.0294, 0.0096, 0.0168,
    ]),
    (HTML, [
        0.0152, 0.0291, 0.0955, 0.3801, 0.2303, 0.1171, 0.0101, 0.0019, 0.0044,
    ], [
        0.0780, 0.0707, 0.2129, 0.3415, 0.3546, 0.2367, 0.1793, 0.1974,
    ]),
    (MARKS, [
        0.8567, 0.9026, 0.9212, 0.9316, 0.9349, 0.9342, 0.9331, 0.9314, 0.9291, 0.9244, 0.9160,
        0.9058, 0.8913, 0.8341, 0.7949, 0.8028, 0.8184, 0.8372, 0.7866,
    ], [
        0.8977, 0.9698, 0.9802, 0.9825, 0.9825, 0.9825, 0.9825, 0.9825, 0.9824, 0.9794, 0.9497,
        0.7947, 0.7242, 0.6978, 0.6773, 0.9306, 0.9673, 0.9236,
    ]),
]  # fmt: skip
"""Probability that each text is content, and that each and the next are, by the shipped weights."""


@pytest.mark.parametrize(("html", "content", "both"), GOLDEN, ids=["article", "words", "marks"])
def test_answers_of_the_shipped_weights_stay(
    html: str, content: list[float], both: list[float]
) -> None:
    """A tenth more or less of any feature changes one of them, but of three that never vary."""
    unary, pairwise = load_model().log_probabilities(*features(Page.parse(html)))
    assert np.exp(unary[:, 1]) == pytest.approx(content, abs=5e-4)
    assert np.exp(pairwise[:, 3]) == pytest.approx(both, abs=5e-4)
    assert np.exp(unary).sum(axis=1) == pytest.approx(np.ones(len(unary)), rel=1e-5)
