"""Tables of contents are no text of a page; sections beside the kept ones of a document are."""

from __future__ import annotations

import numpy as np
import pytest

from scrapy_boilerplate import Page, extract
from scrapy_boilerplate.core.auto.sections import with_sections
from scrapy_boilerplate.tools.testing import assert_linear

TITLES = ["Why it was built", "How boats are painted", "What winter does", "Who kept the lamp"]
ITEMS = [f"<a href=#s{number}>{title}</a>" for number, title in enumerate(TITLES)]
PLAIN = "<ul>" + "".join(f"<li>{item}</li>" for item in ITEMS) + "</ul>"
NUMBERED = "<ol>" + "".join(f"<li>{n}. {item}</li>" for n, item in enumerate(ITEMS, 1)) + "</ol>"
CONTENTS = {
    "list": f"<div>{PLAIN}</div>",
    "numbers": f"<div>{NUMBERED}</div>",
    "heading inside": f"<div class=toc><h2>On this page</h2>{PLAIN}</div>",
    "navigation": f"<div role=navigation><div><h2>On this page</h2></div>{PLAIN}</div>",
    "paragraphs": "<div>" + "".join(f"<p>{item}</p>" for item in ITEMS) + "</div>",
    "breaks": f"<p>{'<br>'.join(ITEMS)}</p>",
    "nested": f"<ul><li>{ITEMS[0]}<ul><li>{ITEMS[1]}</li><li>{ITEMS[2]}</li></ul></li></ul>",
    "cells": f"<table><tr><td><b>On this page</b>{PLAIN}</td></tr></table>",
}
SECTIONS = "".join(
    f"<h2 id=s{number}>{title}</h2><p>The harbour was built in 187{number}, when the fishermen of "
    "the village asked for a safe place, and its walls are made of granite from the north.</p>"
    for number, title in enumerate(TITLES)
)


@pytest.mark.parametrize("place", ["first", "after the lede"])
@pytest.mark.parametrize("make", CONTENTS)
def test_a_table_of_contents_is_no_text_and_headings_stay(make: str, place: str) -> None:
    lede = "<p>The old harbour is on the north side of the village, and it is still in use.</p>"
    parts = [CONTENTS[make], lede] if place == "first" else [lede, CONTENTS[make]]
    answer = extract(f"<title>Harbour</title><main><h1>Harbour</h1>{''.join(parts)}{SECTIONS}")
    assert "On this page" not in answer.text
    assert [answer.text.count(title) for title in TITLES] == [1] * len(TITLES)
    assert "still in use" in answer.text


def test_a_heading_with_nothing_but_contents_goes_with_them() -> None:
    page = f"<main><h1>Harbour</h1><p>A safe place.</p><h2>On this page</h2>{PLAIN}{SECTIONS}"
    assert "On this page" not in extract(page).text


@pytest.mark.parametrize("href", ["/boats/{}", "https://a.example/{}#top"])
def test_links_to_other_pages_in_a_text_are_no_contents(href: str) -> None:
    links = "".join(
        f"<li><a href={href.format(n)}>{title}</a></li>" for n, title in enumerate(TITLES)
    )
    html = f"<title>Harbour</title><main><h1>Harbour</h1>{SECTIONS}<p>See:</p><ul>{links}</ul>"
    explained = extract(html).explain()
    assert not any(each.rule == "contents" for each in explained)


def kept(page: Page) -> np.ndarray:
    """Return which blocks say "keep"."""
    return np.array(["keep" in text for text in page.lay_out_all(page.blocks)])


CODE = "<pre>keep make</pre>"
RELATED = "<ul><li><a href=https://b.example/>b</a>, another one</li></ul>"
FLAT = "<h2 id=use>keep Use</h2><p>keep it so</p>{code}<h2>Related</h2>{rest}"
WRAPPED = (
    "<section id=use><h2>keep Use</h2><p>keep it so</p>{code}</section>"
    "<section><h2>Related<a href=#related>¶</a></h2>{rest}</section>"
)
WIKI = (
    "<h2><span id=use>keep Use</span></h2><p>keep it so</p>{code}<h2><span>Related</span>"
    "<span>[<a href=/edit>Edit</a>]</span></h2>{rest}"
)


def sections(shape: str, code: str = CODE, rest: str = RELATED) -> list[str]:
    """Return what a page keeps beside the blocks that say "keep"."""
    body = shape.format(code=code, rest=rest)
    page = Page.parse(f"<main><h1>keep Oars</h1><p>keep a few words</p>{body}</main><p>End")
    found = with_sections(page, kept(page)) & ~kept(page)
    return page.lay_out_all(page.blocks[found])


@pytest.mark.parametrize("shape", [FLAT, WRAPPED, WIKI], ids=["flat", "wrapped", "wiki"])
def test_a_section_beside_kept_ones_is_kept(shape: str) -> None:
    assert "another one" in " ".join(sections(shape))
    assert "License" in " ".join(sections(shape.replace("Related", "License"), rest="<p>MIT"))
    assert "End" not in sections(shape)


@pytest.mark.parametrize("shape", [FLAT, WRAPPED], ids=["flat", "wrapped"])
@pytest.mark.parametrize(
    "change",
    [
        {"code": ""},
        {"rest": "<ul><li><a href=/a>One</a><li><a href=b>Two</a></ul>"},
        {"rest": "<p><img src=a.png>A picture"},
        {"rest": "<p>" + "word " * 300},
        {"rest": "<p>keep this"},
    ],
)
def test_what_is_no_section_of_a_document(shape: str, change: dict[str, str]) -> None:
    assert not sections(shape, **change)


def test_sections_are_found_in_linear_time() -> None:
    def page(size: int) -> Page:
        return Page.parse("<h2>keep</h2><pre>keep</pre>" + "<div><h2>c</h2><p>d</p></div>" * size)

    assert_linear(page, lambda made: with_sections(made, kept(made)), 500)
