"""Which kind of page ``auto`` says it is."""

import json
from typing import get_args

import numpy as np
import pytest

from scrapy_boilerplate import extract
from scrapy_boilerplate.core.answer.extraction import Kind
from scrapy_boilerplate.core.auto.features import read_features
from scrapy_boilerplate.core.auto.kinds import KINDS, LOOKED_AT, MEASURES, kind_of, measure_answer
from scrapy_boilerplate.core.auto.model import load_model
from scrapy_boilerplate.core.page import Page

# -- measures --------------------------------------------------------------------------------


def measured(
    content: list[float], words: list[float], units: list[list[int]], **looked_at: list[float]
) -> dict[str, float]:
    columns = [looked_at.get(name, [0] * len(words)) for name in LOOKED_AT]
    found = measure_answer(
        np.array(content),
        np.array(words, dtype=float),
        np.array(units, dtype=np.int32),
        np.array(columns, dtype=np.float32).T.copy(),
    )
    assert found.dtype == np.float32
    return dict(zip(MEASURES, found.tolist(), strict=True))


def test_measures_of_what_is_kept() -> None:
    found = measured(
        [0.1, 0.9, 0.8, 0.1, 0.9],
        [5, 10, 30, 8, 40],
        [[0, 0], [4, 1], [4, 4], [9, 9], [3, 2]],
        link_density=[1, 1, 0.5, 1, 0],
        is_sentence=[0, 0, 1, 0, 1],
        in_heading=[0, 1, 0, 0, 0],
        in_p=[0, 0, 1, 0, 1],
        from_title=[9, 0, 1, 2, 3],
        title_overlap=[1, 0.75, 0, 0, 0],
        media_2=[9, 1, 2, 9, 3],
    )
    kept = 10 + 30 + 40
    assert found == pytest.approx(
        {
            "kept_linked": (10 + 15) / kept,
            "kept_sentences": 70 / kept,
            "kept_in_p": 70 / kept,
            "kept_in_article": 0,
            "kept_in_cell": 0,
            "kept_longest": 40 / kept,
            "span_linked": (10 + 15 + 8) / (kept + 8),
            "kept_blocks": 3,
            "kept_big": 2,
            "kept_big_sentences": 2,
            "kept_links": 1,
            "kept_linked_headings": 1,
            "kept_links_share": 1 / 3,
            "kept_headings_linked": 1,
            "kept_first": 1 / 5,
            "kept_last": 1 / 5,
            "kept_units": 4,
            "kept_title": 0.75,
            "kept_from_title": 0,
            "kept_media": 2,
            "kept_words": np.log1p(kept),
            "kept_probability": (9 + 24 + 36) / kept,
            "kept_expected": found["kept_expected"],
        },
        rel=1e-5,
    )
    assert 0.8 < found["kept_expected"] < 0.95


def test_the_best_answer_is_measured_even_where_none_is_given() -> None:
    found = measured([0.01, 0.02], [30, 60], [[0, 0], [0, 0]])
    assert found["kept_blocks"] > 0
    assert found["kept_expected"] < 0.1


def test_one_block_without_words() -> None:
    found = measured([0.5], [0], [[0, 0]])
    assert all(np.isfinite(value) for value in found.values())


# -- kinds -----------------------------------------------------------------------------------


def test_the_first_kind_above_its_bound_is_told() -> None:
    none = dict.fromkeys(KINDS, 0.0)
    assert kind_of(none) is None
    assert kind_of(dict(KINDS)) is None
    for kind, bound in KINDS.items():
        assert kind_of(none | {kind: bound + 0.01}) == kind
    assert kind_of(none | {"list": 0.56, "product": 0.99}) == "list"
    assert kind_of(none | {"list": 0.54, "product": 0.99, "documentation": 1.0}) == "product"
    assert set(KINDS) < set(get_args(Kind))


STORY = "<p>It rained all day in the town, and nobody went out who did not have to.</p>" * 9
MENU = "<nav><a href=/>Home</a> <a href=/news>News</a> <a href=/about>About</a></nav>"


def story() -> str:
    return f"<title>Rain</title>{MENU}<article><h1>Rain in town</h1>{STORY}</article>"


def section_page(units: int = 12) -> str:
    teasers = "".join(
        f"<div class=teaser><h2><a href=/news/{n}>Rain in the town for the {n}th day</a></h2>"
        f"<p>It rained all day, and nobody went out on day {n}. <a href=/news/{n}>More</a></div>"
        for n in range(units)
    )
    return f"<title>News</title>{MENU}<main>{teasers}</main><a href=/news?page=2>2</a>"


def product() -> str:
    data = {"@type": "Product", "name": "Umbrella", "offers": {"@type": "Offer", "price": "9.90"}}
    return (
        "<title>Umbrella - The Shop</title><meta property=og:type content=product>"
        "<meta property=product:price:amount content=9.90>"
        f"<script type=application/ld+json>{json.dumps(data)}</script>{MENU}"
        "<main><h1>Umbrella</h1><div class=product-price>$9.90</div><form>"
        "<select><option>S<option>M</select><input type=number><button>Add to cart</button></form>"
        "<div class=description><p>A black umbrella of strong cloth, for two people.</p>"
        "<ul><li>Size: 100 cm</li><li>Weight: 400 g</li><li>Colour: black</li></ul></div></main>"
    )


def manual() -> str:
    code = "<pre><code>$ umbrella open --size 2</code></pre><p>Opens the umbrella for two.</p>"
    parts = "".join(f"<h2>Command {n}</h2><p>What it does.</p>{code}" for n in range(12))
    chapters = "".join(f"<li><a href=/guide/{n}>Guide {n}</a>" for n in range(12))
    side = f"<nav class=sidebar><ul>{chapters}</ul></nav>"
    made_by = '<meta name=generator content="Sphinx 7.2">'
    body = f"{MENU}{side}<main><h1>Commands</h1>{parts}</main>"
    return f"{made_by}<title>Commands</title>{body}"


PAGES = {
    "article": (story(), "http://a.example/2024/01/05/rain-in-town"),
    "list": (section_page(), "http://a.example/news/"),
    "product": (product(), "http://shop.example/products/umbrella"),
    "documentation": (manual(), "http://docs.example/guide/commands.html"),
}


@pytest.mark.parametrize("known", [True, False], ids=["address", "no address"])
@pytest.mark.parametrize("kind", PAGES)
def test_kind_of_a_page(kind: str, known: bool) -> None:
    html, url = PAGES[kind]
    answer = extract(html, url=url if known else None, extractor="auto")
    assert answer.kind == kind
    assert answer.is_one_text == (kind != "list")


def test_kinds_have_a_probability_each() -> None:
    page = Page.parse(story())
    kinds = load_model().judge(read_features(page, load_model().lexicon)).kinds
    assert list(kinds) == list(KINDS)
    assert all(0 <= probability <= 1 for probability in kinds.values())


def test_a_page_of_few_words_is_no_documentation() -> None:
    html, url = PAGES["documentation"]
    start, end = html.index("<h2>Command 1<"), html.index("</main>")
    assert extract(html[:start] + html[end:], url=url, extractor="auto").kind == "article"
