"""Which kind of page ``auto`` says it is."""

import json
from typing import get_args

import pytest

from scrapy_boilerplate import extract
from scrapy_boilerplate.core.answer.extraction import Kind
from scrapy_boilerplate.core.auto.kinds import KINDS, kind_of

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


def test_a_page_of_few_words_is_no_documentation() -> None:
    html, url = PAGES["documentation"]
    start, end = html.index("<h2>Command 1<"), html.index("</main>")
    assert extract(html[:start] + html[end:], url=url, extractor="auto").kind == "article"
