"""`mss`, `bte`, `energy`, `links` and `scoring` against their definitions, and fitted values."""

from __future__ import annotations

import re
from collections.abc import Sequence
from fractions import Fraction
from itertools import accumulate
from typing import Any

import numpy as np
import pytest
from cases import named
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st
from markup import documents, tree_pages

from scrapy_boilerplate import Page, explain, extract
from scrapy_boilerplate.core.methods._kind import Patterns
from scrapy_boilerplate.core.methods._token_values import (
    learned_values,
    load_token_model,
)
from scrapy_boilerplate.core.methods.scoring import Candidates
from scrapy_boilerplate.tools.testing.promises import squeeze

TOKEN = re.compile(r"<[^>]*>|[^<]+")
WORD = re.compile(r"\w+")
SYMBOL = re.compile(r"[^\w\s]")
INVISIBLE = re.compile(r"<(script|style)>.*?</\1>|<!--.*?-->")


def token_documents() -> st.SearchStrategy[str]:
    """Documents in which every tag is written, so that they can be cut into tokens as they are."""
    texts = st.lists(st.sampled_from(["rain", "town.", "1 2 3", "a, b!", "…"]), min_size=1)
    leaf = st.one_of(
        texts.map(" ".join).map("{} ".format),  # no word runs on behind a script
        st.sampled_from(
            [
                *("<br>", "<img src='x'>", " ", "<!-- <p> -->"),
                *("<script>if (a) b();</script>", "<style>p {}</style>"),
            ]
        ),
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
    token_documents(),
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
@given(token_documents())
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


# -- energy ----------------------------------------------------------------------------------


def is_shown(node: Any) -> bool:
    return isinstance(node.tag, str) and node.tag not in ("script", "head")


class Oracle:
    """The definition, read off an lxml tree with recursion and fractions."""

    def __init__(self, root: Any, share: Fraction) -> None:
        self.root = root
        self.share = share

    def children(self, node: Any) -> list[Any]:
        """Child elements, and texts as pairs (parent, number among its texts, text)."""
        texts = [(node, 1, node.text)] if node.text else []
        nodes: list[Any] = [*texts]
        for child in node:
            if is_shown(child):
                nodes.append(child)
            if child.tail:
                nodes.append((node, 1 + sum(isinstance(n, tuple) for n in nodes), child.tail))
        return [n for n in nodes if not isinstance(n, tuple) or n[2].strip()]

    def height(self, node: Any) -> int:
        if isinstance(node, tuple):
            return 0
        return max((1 + self.height(child) for child in self.children(node)), default=0)

    def energy(self, node: Any) -> Fraction:
        if isinstance(node, tuple):
            return Fraction(len("".join(node[2].split())))
        return sum((self.share * self.energy(w) for w in self.children(node)), Fraction(0))

    def holds_text(self, node: Any) -> bool:
        return isinstance(node, tuple) or any(map(self.holds_text, self.children(node)))

    def coherent(self, node: Any) -> list[Any]:
        if not self.holds_text(node):
            return []
        if isinstance(node, tuple):
            return [node[:2]]
        if all(self.energy(w) <= self.energy(node) for w in self.children(node)):
            return [node]
        return [leaf for child in self.children(node) for leaf in self.coherent(child)]


def place(page: Page, xpath: str) -> Any:
    """Return an element, or the parent of a text and its number among the texts."""
    path, text, number = xpath.partition("/text()[")
    (node,) = page.root.xpath(path)
    return (node, int(number[:-1])) if text else node


@settings(max_examples=80, deadline=None)
@example("<script>x()</script><tr>word</tr>word", Fraction(1, 4), "prose")  # tr stands in head
@given(
    tree_pages(),
    st.sampled_from([Fraction(1, 4), Fraction(1, 2), Fraction(3, 4)]),
    st.sampled_from(["prose", "formula"]),
)
def test_partition_is_the_definition(html: str, share: Fraction, dissipation: str) -> None:
    page = Page.parse(html)
    assume(page.text_at.size and "<!--" not in html and not page.screen_only.size)
    oracle = Oracle(page.root, share)
    height = oracle.height(page.root)
    p = float(height * (share if dissipation == "formula" else 1 - share))
    extraction = extract(
        page, extractor="energy", metric="characters", dissipation=dissipation, p=p
    )
    nodes = [place(page, segment.xpath) for segment in extraction.segments]
    assert nodes == oracle.coherent(page.root)


@pytest.mark.parametrize(
    ("text", "known"),
    [
        ("The rain and THE town.", 3),  # case does not count
        ("theory, andes, then", 0),  # whole words only
        ("the,and;the", 3),
        ("de\u0301ja\u0300 vu", 1),  # combining marks belong to the word
        ("İstanbul and the", 2),  # its lower case is longer
        ("今日の天気", 1),  # one character, one word
        ("<b>th</b>e the", 1),
    ],
)
def test_energy_of_known_words(text: str, known: int) -> None:
    words = ["the", "And", "De\u0301Ja\u0300", "の"]
    html = f"<p>{text}</p>"
    segments = extract(html, extractor="energy", metric="dictionary", dictionary=words).segments
    assert sum(segment.score for segment in segments) == known


# -- links -----------------------------------------------------------------------------------

LARGE = "It rained all day in the town, and nobody who lived there went out."  # 14 words
MENU = "<ul><li><a>Home</a></li><li><a>News</a></li></ul>"


def found(html: str, **options: int) -> list[tuple[str, str]]:
    """Return role and XPath of each coherent text, without /html/body."""
    extraction = extract(html, extractor="links", **options)
    return [(s.role, s.xpath.removeprefix("/html/body")) for s in extraction.segments]


@pytest.mark.parametrize(("html", "expected"), named("roles"))
def test_roles_and_places_of_the_parts_of_a_page(html: str, expected: str) -> None:
    page = html.replace("{large}", LARGE).replace("{menu}", MENU)
    assert "|".join(f"{role} {xpath}" for role, xpath in found(page)) == expected


def roles(html: str, **options: int) -> set[str]:
    return {role for role, _ in found(html, **options)}


# -- values of tokens ------------------------------------------------------------------------

HTML = """<body><nav><ul><li><a href="/">Home</a></li></ul></nav><article><h1>Of a cat</h1>
<p>It sat on the mat, and sat there for a long time without any need to move.</p>
<p>Then it got up, looked around, and went away without another word.</p></article>
<footer>Imprint</footer></body>"""


def test_learned_run_is_the_article() -> None:
    found = extract(HTML, extractor="mss", scores="learned")
    assert found.text.startswith("Of a cat\n\nIt sat on the mat")
    assert found.text.endswith("without another word.")


def test_values_of_the_shipped_weights_stay() -> None:
    """A tenth more or less of any feature changes one of them."""
    assert load_token_model() is load_token_model()
    words, tags = learned_values(Page.parse(HTML))
    assert words == pytest.approx([-0.34014, 0.06133, 2.67395, 2.92021, -0.21989], abs=1e-4)
    assert tags == pytest.approx([-2.04082, -0.95908, 0.16118, 0.33541, -0.03782], abs=1e-4)


# -- scoring ---------------------------------------------------------------------------------

FACTORS = ("repeats", "links", "markup", "sentences", "equals", "length")

SENTENCES = "It rained all day in the town. Nobody went out, and the shops stayed shut. "
STORY = f"<div id=article><h2>Rain</h2><p>{SENTENCES * 3}</p><p>{SENTENCES * 2}</p></div>"
BAR = "<div id=menu><ul><li><a href=/>Home</a><li><a href=/n>News</a></ul></div>"


# -- what is measured ------------------------------------------------------------------------


@given(documents)
def test_every_block_has_one_candidate_and_no_character_is_lost(html: str) -> None:
    page = Page.parse(html)
    if not page.text_at.size:
        return
    found = Candidates.of(page, Patterns.of(page))
    assert found.owner.size == len(page.blocks)
    assert sorted(set(found.owner.tolist())) == list(range(found.elements.size))
    if page.visible.all():
        assert found.length.sum() == page.visible.sum()
    for values in found[2:]:
        assert values.shape == found.elements.shape
        assert np.all(np.isfinite(values))
        assert np.all(values >= 0)


CARDS = "<div class='card n{}'><section>Some text</section></div>"
REPEATED = "".join(map(CARDS.format, range(8))) + "<div class=once>Text</div>"


@pytest.mark.parametrize(
    ("measure", "html", "values"),
    [
        ("links", "<div>123 <a>45</a>6 <a>78</a></div>", [0.5]),  # a share of characters
        ("links", "<div><a>Menu</a></div><div>Text</div>", [1, 0]),
        ("markup", "<div><b>1</b><br><span>2</span>345</div>", [60]),  # for a hundred of them
        ("markup", "<div><p>12345</p><h2>67890</h2></div>", [0]),
        ("sentences", "<div>It rained. Did it? 今天。 No end</div>", [3]),
        ("repeats", REPEATED, [3] * 8 + [0]),
        ("repeats", REPEATED * 2, ([4] * 8 + [1]) * 2),
        ("equals", "<div>12345</div>" * 5, [4 / 1.05] * 5),  # more when they are short
        ("equals", f"<div>{'x' * 900}</div>" * 5, [0.4] * 5),
        ("equals", "<div>1</div><div>12</div>", [0, 0]),
    ],
)
def test_what_is_measured(measure: str, html: str, values: list[float]) -> None:
    page = Page.parse(html)
    found = Candidates.of(page, Patterns.of(page))
    assert getattr(found, measure).tolist() == pytest.approx(values)


# -- the answer ------------------------------------------------------------------------------


def test_parts_of_an_article_are_kept_unless_the_best_alone_is_wanted() -> None:
    html = f"{BAR}<section>{SENTENCES * 3}</section><section>Second. {SENTENCES * 2}</section>"
    assert extract(html, extractor="scoring").text.count("shut.") == 5
    assert extract(html, extractor="scoring", expand=1.0).text.count("shut.") == 3


def test_explanation_names_all_factors() -> None:
    parts = explain(BAR + STORY, extractor="scoring")
    assert [part.kept for part in parts] == [False, False, True, True, True]
    for part in parts:
        assert "of 2 layout elements" in part.reason
        assert all(f"{name} " in part.reason for name in FACTORS)
