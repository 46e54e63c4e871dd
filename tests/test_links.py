from __future__ import annotations

import pytest
from cases import named

from scrapy_boilerplate import extract

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
