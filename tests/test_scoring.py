from __future__ import annotations

from dataclasses import replace
from functools import reduce
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from markup import documents

from benchmarks.data import read_sites
from scrapy_boilerplate import Page, explain, extract, get_extractor
from scrapy_boilerplate.core.methods._kind import Patterns
from scrapy_boilerplate.core.methods.scoring import Candidates, Scoring

FACTORS = ("repeats", "links", "markup", "sentences", "equals", "length")
BETTER_WHEN_HIGHER = {"sentences", "length"}
LARGEST = {"links": 1.0}  # what a measure cannot exceed, where it has a bound

SENTENCES = "It rained all day in the town. Nobody went out, and the shops stayed shut. "
ARTICLE = f"<div id=article><h2>Rain</h2><p>{SENTENCES * 3}</p><p>{SENTENCES * 2}</p></div>"
MENU = "<div id=menu><ul><li><a href=/>Home</a><li><a href=/n>News</a></ul></div>"


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


def test_the_best_element_is_the_article() -> None:
    found = extract(f"{MENU}{ARTICLE}<div>© 2020 <a>Imprint</a></div>", extractor="scoring")
    assert found.text.startswith("Rain\n\nIt rained all day")
    assert "News" not in found.text
    assert "Imprint" not in found.text
    assert found.kind == "article"


def test_parts_of_an_article_are_kept_unless_the_best_alone_is_wanted() -> None:
    html = f"{MENU}<section>{SENTENCES * 3}</section><section>Second. {SENTENCES * 2}</section>"
    assert extract(html, extractor="scoring").text.count("shut.") == 5
    assert extract(html, extractor="scoring", expand=1.0).text.count("shut.") == 3


def test_comments_of_one_pattern_lose_against_an_article_of_the_same_words() -> None:
    comments = f"<div class=comment><div>{SENTENCES * 6}</div></div>" * 30
    found = extract(f"{ARTICLE}{comments}", extractor="scoring", expand=1.0, half_repeats=1.0)
    assert found.text.startswith("Rain")


def test_explanation_names_all_factors() -> None:
    parts = explain(MENU + ARTICLE, extractor="scoring")
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
    return f"<title>News</title>{MENU}{cards}{pages}"


def test_kind_tells_a_page_that_lists_articles() -> None:
    assert extract(front_page(12), extractor="scoring").kind == "list"
    assert extract(f"<title>Rain</title>{MENU}{ARTICLE * 2}", extractor="scoring").kind == "article"


def test_kind_depends_on_the_probability_that_is_asked_for() -> None:
    kinds = [
        extract(front_page(12), extractor="scoring", list_probability=p).kind for p in (0.0, 1.0)
    ]
    assert kinds == ["list", "article"]


def test_index_pages_are_found_and_articles_are_not(shared_data: Path) -> None:
    pages = [page for page in read_sites(shared_data / "sites") if page.kind != "page"][::25]
    kinds = {kind: [page for page in pages if page.kind == kind] for kind in ("index", "article")}
    found = {
        kind: np.mean([extract(p.html, url=p.url, extractor="scoring").kind == "list" for p in of])
        for kind, of in kinds.items()
    }
    assert found["index"] > 0.5
    assert found["article"] < 0.15


def test_options_reach_the_method() -> None:
    assert get_extractor("scoring", expand=0.5) == replace(Scoring(), expand=0.5)
