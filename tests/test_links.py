from __future__ import annotations

import pytest

from scrapy_boilerplate import Extraction, extract

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


def test_base_rule_links_are_texts_and_the_rest_is_grouped() -> None:
    html = f"<section><p>One.</p><p>Two.</p></section><a>Head</a><div><p>{LARGE}</p></div>"
    assert found(html) == [
        ("boilerplate", "/section"),
        ("navigation", "/a"),
        ("body", "/div"),
    ]


def test_base_rule_without_any_link() -> None:
    assert found(f"<p>{LARGE}</p><p>Two.</p>") == [("body", "/html")]


def test_inline_link_belongs_to_its_text() -> None:
    html = f"{MENU}<p>{LARGE} <a>See here</a> for more.</p>"
    assert found(html)[2:] == [("body", "/p")]


def test_inline_link_in_markup_belongs_to_its_text() -> None:
    html = f"{MENU}<p>{LARGE} <b><i><a>See here</a></i></b></p>"
    assert found(html)[2:] == [("body", "/p")]


def test_link_that_outweighs_the_words_beside_it_does_not() -> None:
    html = "<p>See: <a>the rain</a></p>"
    assert found(html) == [("boilerplate", "/p/text()[1]"), ("navigation", "/p/a")]
    assert found("<p>See: <a>rain</a></p>") == [("boilerplate", "/html")]


def test_link_that_leaves_its_paragraph_belongs_to_no_text() -> None:
    html = "<div>Some words first <a>Head<p>Teaser</p></a></div>"
    assert found(html) == [("boilerplate", "/div/text()[1]"), ("navigation", "/div/a")]


def test_separators_are_no_words() -> None:
    html = "<p><a>Home</a> | <a>News</a></p>"
    assert [role for role, _ in found(html)] == ["navigation", "boilerplate", "navigation"]


def test_bound_links_above_a_large_text_do_not_belong_to_it() -> None:
    html = f"<div><a>Up</a><section><p>{LARGE}</p><p>{LARGE}</p></section></div>"
    assert found(html) == [("navigation", "/div/a"), ("body", "/div/section")]


def test_bound_links_no_higher_than_the_text_belong_to_it() -> None:
    html = (
        f"<div><a>Up</a><section><p>{LARGE}</p><p><a>Read on</a></p><p>{LARGE}</p></section></div>"
    )
    assert found(html) == [("navigation", "/div/a"), ("body", "/div/section")]
    assert "Read on" in extract(html, extractor="links").text


def test_navigation_is_single_links_and_no_part_of_a_text() -> None:
    html = f"<article><p>{LARGE}</p>{MENU}<p>{LARGE}</p></article>"
    assert found(html) == [
        ("body", "/article/p[1]"),
        ("navigation", "/article/ul/li[1]/a"),
        ("navigation", "/article/ul/li[2]/a"),
        ("body", "/article/p[2]"),
    ]


def cards(number: int, more: str = "A few words.") -> str:
    card = f"<div><h3><a>Head line</a></h3><p>{more}</p></div>"
    return f"<section>{card * number}</section>"


def test_teasers_hold_head_and_text() -> None:
    assert found(cards(3)) == [("teaser", f"/section/div[{number}]") for number in (1, 2, 3)]


def test_teasers_need_siblings_of_the_same_make() -> None:
    assert [role for role, _ in found(cards(2))] == ["navigation", "boilerplate"] * 2
    assert [role for role, _ in found(cards(2), teasers=2)] == ["teaser"] * 2
    other = "<section><p>Words</p>" + cards(2) + "<p>Words</p></section>"
    assert "teaser" not in {role for role, _ in found(other)}


def test_teasers_are_short() -> None:
    html = cards(3, more="word " * 70)
    assert "teaser" not in {role for role, _ in found(html)}
    assert {role for role, _ in found(html, teaser_text=80)} == {"teaser"}


def test_teasers_are_the_innermost_nodes() -> None:
    html = "<main>" + cards(3) * 3 + "</main>"
    assert [xpath.count("/") for _, xpath in found(html)] == [3] * 9


def test_large_teasers_are_main_text() -> None:
    extraction = extract(cards(3, more=LARGE), extractor="links")
    assert extraction.text.count(LARGE) == 3
    assert [segment.role for segment in extraction.main] == ["teaser"] * 3


def article() -> Extraction:
    html = f"{MENU}<div><h1>Rain</h1><p>{LARGE}</p></div>{cards(3)}<p>{LARGE}</p><i>©</i>{MENU}"
    return extract(html, extractor="links")


def test_main_text_is_all_large_text() -> None:
    assert article().text == f"Rain\n\n{LARGE}\n\n{LARGE}"
    assert [segment.score for segment in article().main] == [15, 14]


def test_large_text_is_an_option() -> None:
    html = f"{MENU}<p>One two three.</p>{MENU}"
    assert extract(html, extractor="links").kind == "empty"
    assert extract(html, extractor="links", large_text=3).text == "One two three."


@pytest.mark.parametrize("part", ["<a name=x></a>", "<a><img></a>", "<a> </a>"])
def test_links_without_text_count_nothing(part: str) -> None:
    assert found(f"<div>{part}<p>{LARGE}</p></div>") == [("body", "/html")]
