"""`mss`, `bte`, `energy`, `links` and `scoring` against their definitions, and fitted values."""

from __future__ import annotations

import re
from collections.abc import Sequence
from fractions import Fraction
from functools import reduce
from itertools import accumulate
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from cases import named
from generated_sites import METHOD, Site, single
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st
from markup import documents, tree_pages

from benchmarks.data import read
from benchmarks.goldminer import GoldMiner
from scrapy_boilerplate import Page, explain, extract, get_extractor
from scrapy_boilerplate.core.methods._kind import Patterns
from scrapy_boilerplate.core.methods._runs import tag_counts
from scrapy_boilerplate.core.methods._token_values import (
    FEATURES,
    TokenModel,
    learned_values,
    load_token_model,
    neighbourhoods,
)
from scrapy_boilerplate.core.methods.scoring import Candidates, Scoring
from scrapy_boilerplate.core.page.arrays import Float32
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


ARTICLE = "<p>It rained all day in the town, and nobody went out to look at it.</p>"


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


RAIN = """<body><ul><li><a>Home</a><li><a>News</a></ul><div><h1>Rain</h1><p>It rained all
day in the town.<p>Nobody who lived there went out to look at it.</div><p>Imprint</body>"""


def test_main_text_has_the_most_energy_of_its_own() -> None:
    extraction = extract(RAIN, extractor="energy", p=1)
    (main,) = extraction.main
    assert main.xpath == "/html/body/div"
    assert main.text.splitlines()[::2] == [
        "Rain",
        "It rained all day in the town.",
        "Nobody who lived there went out to look at it.",
    ]
    assert main.score == max(segment.score for segment in extraction.segments) == 18
    assert len(extraction.segments) > 1


def test_shares_stay_between_nothing_and_all() -> None:
    for dissipation in ("formula", "prose"):  # nothing is lost, everything is lost at once
        extraction = extract(RAIN, extractor="energy", dissipation=dissipation, p=1e9)
        assert [segment.xpath for segment in extraction.segments] == ["/html"]
    almost = extract(RAIN, extractor="energy", p=4.999)
    assert all(segment.xpath.endswith("/text()[1]") for segment in almost.segments)


def test_nothing_has_energy() -> None:
    extraction = extract("<div><p>! ? …</p><p>—</p></div>", extractor="energy")
    assert (extraction.text, extraction.kind, extraction.main) == ("", "empty", ())
    assert [segment.text for segment in extraction.segments] == ["! ? …\n\n—"]


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


def test_a_large_dictionary_is_not_printed() -> None:
    method = get_extractor("energy", metric="dictionary", dictionary=[*map(str, range(100))])
    assert repr(method) == "Energy(metric='dictionary', p=4.0, dissipation='prose')"


# -- links -----------------------------------------------------------------------------------

LARGE = "It rained all day in the town, and nobody who lived there went out."  # 14 words
MENU = "<ul><li><a>Home</a></li><li><a>News</a></li></ul>"


def found(html: str, **options: int) -> list[tuple[str, str]]:
    """Return role and XPath of each coherent text, without /html/body."""
    extraction = extract(html, extractor="links", **options)
    return [(s.role, s.xpath.removeprefix("/html/body")) for s in extraction.segments]


def test_a_very_long_address_of_a_page_is_no_base() -> None:
    html = f"<p>{'It rained all day in the town. ' * 9}<a href='b'>a link</a>"
    for length, href in ((10, "b"), (4000, "b"), (100_000, "b")):
        url = "https://a.example/" + "x/" * (length // 2)
        (link,) = extract(html, url=url).links
        assert link.href == (url + href if length < 5000 else href)


def cards(number: int, more: str = "A few words.") -> str:
    card = f"<div><h3><a>Head line</a></h3><p>{more}</p></div>"
    return f"<section>{card * number}</section>"


@pytest.mark.parametrize(("html", "expected"), named("roles"))
def test_roles_and_places_of_the_parts_of_a_page(html: str, expected: str) -> None:
    page = html.replace("{large}", LARGE).replace("{menu}", MENU)
    assert "|".join(f"{role} {xpath}" for role, xpath in found(page)) == expected


def roles(html: str, **options: int) -> set[str]:
    return {role for role, _ in found(html, **options)}


def test_teasers_are_short_innermost_and_have_siblings_of_their_make() -> None:
    assert roles(cards(2), teasers=2) == {"teaser"}
    other = "<section><p>Words</p>" + cards(2) + "<p>Words</p></section>"
    assert "teaser" not in roles(other)
    long = cards(3, more="word " * 70)
    assert "teaser" not in roles(long)
    assert roles(long, teaser_text=80) == {"teaser"}
    assert [xpath.count("/") for _, xpath in found(f"<main>{cards(3) * 3}</main>")] == [3] * 9


def test_main_text_is_all_large_text_teasers_too() -> None:
    html = f"{MENU}<div><h1>Rain</h1><p>{LARGE}</p></div>{cards(3)}<p>{LARGE}</p><i>©</i>{MENU}"
    article = extract(html, extractor="links")
    assert article.text == f"Rain\n\n{LARGE}\n\n{LARGE}"
    assert [segment.score for segment in article.main] == [15, 14]
    large = extract(cards(3, more=LARGE), extractor="links")
    assert large.text.count(LARGE) == 3
    assert [segment.role for segment in large.main] == ["teaser"] * 3


def test_large_text_is_an_option() -> None:
    html = f"{MENU}<p>One two three.</p>{MENU}"
    assert extract(html, extractor="links").kind == "empty"
    assert extract(html, extractor="links", large_text=3).text == "One two three."


# -- values of tokens ------------------------------------------------------------------------

HTML = """<body><nav><ul><li><a href="/">Home</a></li></ul></nav><article><h1>Of a cat</h1>
<p>It sat on the mat, and sat there for a long time without any need to move.</p>
<p>Then it got up, looked around, and went away without another word.</p></article>
<footer>Imprint</footer></body>"""


def features(html: str) -> Float32:
    page = Page.parse(html)
    return neighbourhoods(page, tag_counts(page))


@pytest.mark.parametrize("score", [-1e6, -800.0, 0.0, 800.0, 1e6])
def test_probabilities_never_overflow(score: float) -> None:
    model = TokenModel(np.zeros(len(FEATURES), dtype=np.float32), score)
    (content,) = model.probabilities(features("<p>one</p>"))
    assert content == pytest.approx(np.clip(score, 0, 1) if score else 0.5)


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
BETTER_WHEN_HIGHER = {"sentences", "length"}
LARGEST = {"links": 1.0}  # what a measure cannot exceed, where it has a bound

SENTENCES = "It rained all day in the town. Nobody went out, and the shops stayed shut. "
STORY = f"<div id=article><h2>Rain</h2><p>{SENTENCES * 3}</p><p>{SENTENCES * 2}</p></div>"
BAR = "<div id=menu><ul><li><a href=/>Home</a><li><a href=/n>News</a></ul></div>"


def made(**measures: list[float]) -> Candidates:
    """Return candidates with these measures, all others alike."""
    (size,) = {len(values) for values in measures.values()}
    plain = {name: np.ones(size) for name in FACTORS}
    arrays = {name: np.array(values, dtype=np.float64) for name, values in measures.items()}
    return Candidates(np.arange(size), np.arange(size), **{**plain, **arrays})


# -- the six factors -------------------------------------------------------------------------


def values_of(name: str) -> st.SearchStrategy[float]:
    return st.floats(0, LARGEST.get(name, 1e7))


@pytest.mark.parametrize("name", FACTORS)
@given(st.data(), st.floats(1e-3, 1e4))
def test_a_factor_is_bounded_and_monotone(name: str, data: st.DataObject, half: float) -> None:
    one, other = sorted(data.draw(st.tuples(values_of(name), values_of(name))))
    method = Scoring(**{f"half_{name}": half})
    low, high = method.factors(made(**{name: [one, other]}))[name]
    assert 0 <= low <= 1
    assert 0 <= high <= 1
    assert (low <= high) if name in BETTER_WHEN_HIGHER else (low >= high)


@pytest.mark.parametrize("name", FACTORS)
def test_a_factor_is_one_half_at_its_constant(name: str) -> None:
    method = Scoring()
    half = getattr(method, f"half_{name}")
    value = half - 1 if name == "sentences" else half  # it counts one sentence more
    assert method.factors(made(**{name: [value]}))[name] == pytest.approx([0.5])


@pytest.mark.parametrize("name", sorted(set(FACTORS) - BETTER_WHEN_HIGHER))
def test_a_factor_is_one_where_there_is_nothing_to_blame(name: str) -> None:
    assert Scoring().factors(made(**{name: [0.0]}))[name] == [1]


@given(documents)
def test_scores_are_products_of_the_factors(html: str) -> None:
    page = Page.parse(html)
    if not page.text_at.size:
        return
    method = Scoring()
    found = Candidates.of(page, Patterns.of(page))
    scores = reduce(np.multiply, method.factors(found).values())
    verdict = method.judge(page)
    assert verdict.scores == pytest.approx(scores[found.owner])
    assert np.all(verdict.keep[verdict.scores == scores.max()])
    assert np.all((verdict.scores > 0) & (verdict.scores <= 1))


@given(documents, st.floats(0.01, 1), st.floats(0.01, 1))
def test_a_lower_share_keeps_no_less(html: str, one: float, other: float) -> None:
    page = Page.parse(html)
    if not page.text_at.size:
        return
    less, more = (Scoring(expand=expand).judge(page).keep for expand in sorted((one, other))[::-1])
    assert np.all(more >= less)


# -- what is measured ------------------------------------------------------------------------


def test_candidates_have_the_text_that_no_nested_one_has() -> None:
    page = Page.parse("<div>12345<p>678</p><div>1<b>2</b></div>9</div><ul><li>four</ul>")
    found = Candidates.of(page, Patterns.of(page))
    names = [page.names[page.tag[element]] for element in found.elements]
    assert names == ["body", "div", "div"]
    assert found.length.tolist() == [4, 9, 2]


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


def test_comments_of_one_pattern_lose_against_an_article_of_the_same_words() -> None:
    comments = f"<div class=comment><div>{SENTENCES * 6}</div></div>" * 30
    found = extract(f"{STORY}{comments}", extractor="scoring", expand=1.0, half_repeats=1.0)
    assert found.text.startswith("Rain")


def test_explanation_names_all_factors() -> None:
    parts = explain(BAR + STORY, extractor="scoring")
    assert [part.kept for part in parts] == [False, False, True, True, True]
    for part in parts:
        assert "of 2 layout elements" in part.reason
        assert all(f"{name} " in part.reason for name in FACTORS)


# -- lists -----------------------------------------------------------------------------------

TEASER = (
    "<div class=teaser><h3><a href=/{n}>Headline number {n} of the day</a></h3>"
    "<p>What happened there in some words, of which the page has more</p></div>"
)


def front_page(teasers: int) -> str:
    cards = "".join(TEASER.format(n=n) for n in range(teasers))
    pages = "<div><a href=?p=2>2</a> <a href=?p=3>3</a></div>"
    return f"<title>News</title>{BAR}{cards}{pages}"


def test_kind_depends_on_the_probability_that_is_asked_for() -> None:
    kinds = [
        extract(front_page(12), extractor="scoring", list_probability=p).kind for p in (0.0, 1.0)
    ]
    assert kinds == ["list", "article"]


def test_index_pages_are_found_and_articles_are_not(shared_data: Path) -> None:
    pages = [page for page in read(shared_data / "sites") if page.kind != "page"][::25]
    kinds = {kind: [page for page in pages if page.kind == kind] for kind in ("index", "article")}
    found = {
        kind: np.mean([extract(p.html, url=p.url, extractor="scoring").kind == "list" for p in of])
        for kind, of in kinds.items()
    }
    assert found["index"] > 0.5
    assert found["article"] < 0.15


# -- the published algorithm beside which benchmarks show our learner -----------------------------

SITE = Site()


def test_the_published_algorithm() -> None:
    learner = GoldMiner()
    assert learner.model() is None
    for made in SITE.pages(12):
        learner.observe(*single(made))
    model = learner.model()
    assert model.container in ('<div class="story">', '<div id="main">')
    page = SITE.article(500).page()
    answer = model.apply(page, METHOD)
    assert all(text in answer.text for text in SITE.paragraphs(500))
    assert "All rights reserved" not in answer.text
    assert all(segment.text == page.lay_out(*segment.span) for segment in answer.main)
    assert model.apply(Page.parse("<p>Words of another template."), METHOD).text == ""
    assert model.apply(Page.parse(""), METHOD).kind == "empty"
