"""Tables of contents are no text of a page; sections beside the kept ones of a document are."""

from __future__ import annotations

import numpy as np
import pytest
from cases import column

from scrapy_boilerplate import Page, extract
from scrapy_boilerplate.core.auto.alike import with_callouts
from scrapy_boilerplate.core.auto.contents import drop_contents
from scrapy_boilerplate.core.auto.lists import with_lists
from scrapy_boilerplate.core.auto.sections import with_sections

TITLES = ["Why it was built", "How boats are painted", "What winter does", "Who kept the lamp"]
ITEMS = [f"<a href=#s{number}>{title}</a>" for number, title in enumerate(TITLES)]
PLAIN = "<ul>" + "".join(f"<li>{item}</li>" for item in ITEMS) + "</ul>"
NUMBERED = "<ol>" + "".join(f"<li>{n}. {item}</li>" for n, item in enumerate(ITEMS, 1)) + "</ol>"
CONTENTS = {
    "list": f"<div>{PLAIN}</div>",
    "numbers": f"<div>{NUMBERED}</div>",
    "heading inside": f"<div class=toc><h2>On this page</h2>{PLAIN}</div>",
    "label inside": f"<div class=toc><p>On this page</p>{PLAIN}</div>",
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


def kept(page: Page, word: str = "keep") -> np.ndarray:
    """Return which blocks say a word."""
    return np.array([word in text for text in page.lay_out_all(page.blocks)])


RULES = "<ul><li>KERNEL is sdc</li><li>DRIVER is empty</li></ul>"
GAPS = {
    "list": RULES,
    "numbers": RULES.replace("ul>", "ol>"),
    "paragraph and list": f"<p>Looking at the parent:</p>{RULES}",
    "in a division": f"<div class=list>{RULES}</div>",
    "table of data": "<div><div><table><tr><th>Key<th>Value<tr><td>KERNEL<td>sdc</table></div>"
    "</div>",
    "table that can be sorted": "<table><tr><th><button>Key</button><th><button>Value</button>"
    "<tr><td>KERNEL<td>sdc</table>",
    "code": "<div><p>Run:</p><pre>KERNEL=sdc</pre></div>",
    "formula": "<div><math><mi>a</mi><mo>=</mo><mi>b</mi></math></div>",
    "list in a list": "<ul><li>One<ul><li>Two</li></ul></li></ul>",
}


@pytest.mark.parametrize("gap", GAPS)
def test_a_list_between_kept_texts_is_kept(gap: str) -> None:
    page = Page.parse(f"<div><p>keep one</p>{GAPS[gap]}<p>keep two</p></div><p>Menu")
    keep = kept(page)
    found = with_lists(page, keep, np.full(keep.size, 0.3))
    assert found.tolist() == [True] * (keep.size - 1) + [False]
    assert not (with_lists(page, keep, np.full(keep.size, 0.1)) & ~keep).any()


@pytest.mark.parametrize("gap", column("no_lists"))
def test_links_cards_and_other_blocks_are_no_such_list(gap: str) -> None:
    page = Page.parse(f"<div><p>keep one</p>{gap}<p>keep two</p></div>")
    keep = kept(page)
    assert with_lists(page, keep, np.full(keep.size, 0.3)).tolist() == keep.tolist()


MEMBER = (
    "<div class=sign>static int <a href=/max>MAX</a></div><button>Copy</button>"
    "<div class=about>Most bytes of a frame.</div>"
)
MANUAL = "<h1>keep Frames</h1>{opening}<p>keep one</p><h2>keep Fields</h2>{gap}<p>keep two</p>"


@pytest.mark.parametrize(
    ("opening", "gap", "added"),
    [
        ("", MEMBER, ["static int MAX", "Copy", "Most bytes of a frame."]),
        ("<p>May 1, by Ada</p>", "", []),
        ("", "<nav><p>Most bytes of a frame</p></nav>", []),
        ("", "<div><a href=/a>Most bytes of a frame</a></div>", []),
        ("", f"<p>{'word ' * 300}</p>", []),
    ],
    ids=["member", "line below the headline", "navigation", "links", "long"],
)
def test_what_is_between_kept_texts_of_a_manual_is_kept(
    opening: str, gap: str, added: list[str]
) -> None:
    page = Page.parse(f"<main>{MANUAL.format(opening=opening, gap=gap)}</main>")
    keep, content = kept(page), np.full(len(page.blocks), 0.3)
    found = with_lists(page, keep, content, is_manual=True) & ~keep
    assert page.lay_out_all(page.blocks[found]) == added
    assert not (with_lists(page, keep, content) & ~keep).any()
    assert not (with_lists(page, keep, content / 3, is_manual=True) & ~keep).any()


@pytest.mark.parametrize("is_manual", [True, False])
def test_a_callout_at_the_end_of_a_manual_is_kept(is_manual: bool) -> None:
    page = Page.parse("<p>keep one</p><div class='admonition tip'><p>Tip</p><p>Save it.</div>")
    assert with_callouts(page, kept(page), is_manual=is_manual)[1:].tolist() == [is_manual] * 2


LINKS = "".join(f"<li><a href=#s{n}>Part {n}</a></li>" for n in range(4))
PARTS = "".join(f"<h2 id=s{n}>keep Part {n}</h2><p>keep some text of it" for n in range(4))


@pytest.mark.parametrize(
    ("contents", "is_kept"),
    [
        (f"<ul>{LINKS}</ul>{PARTS}", True),
        (f"<ul class=page-toc>{LINKS}</ul>{PARTS}", False),
        (f"<div id=TOC><div><ul>{LINKS}</ul></div></div>{PARTS}", False),
        (f"{PARTS}<div><ul>{LINKS}</ul></div>", False),
    ],
)
def test_contents_that_an_author_wrote_are_kept_whole(contents: str, is_kept: bool) -> None:
    page = Page.parse(f"<main><h1>keep Oars</h1>{contents}<pre>keep x = 1</pre></main>")
    keep = kept(page)
    keep |= kept(page, "Part 1")  # the list is kept in part
    found = drop_contents(page, keep)
    in_list = page.texts_inside(page.has_tag(("li",)))[page.blocks[:, 0]]
    assert found[in_list].tolist() == [is_kept] * 4
    assert found[~in_list].tolist() == kept(page)[~in_list].tolist()


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


def sections(
    shape: str, code: str = CODE, rest: str = RELATED, *, is_manual: bool = False
) -> list[str]:
    """Return what a page keeps beside the blocks that say "keep"."""
    body = shape.format(code=code, rest=rest)
    page = Page.parse(f"<main><h1>keep Oars</h1><p>keep a few words</p>{body}</main><p>End")
    found = with_sections(page, kept(page), is_manual=is_manual) & ~kept(page)
    return page.lay_out_all(page.blocks[found])


BOXED = (
    "<div><div><div><h2 id=use>keep Use</h2></div></div><p>keep it so</p>{code}</div>"
    "<div><div><div><h2>Related</h2></div></div>{rest}</div>"
)


@pytest.mark.parametrize("shape", [FLAT, WRAPPED, BOXED])
def test_a_section_of_one_link_is_kept(shape: str) -> None:
    shape = shape.replace("Related", "License")
    assert sections(shape, rest="<p><a href=/mit>MIT</a>") == ["License", "MIT"]


@pytest.mark.parametrize("shape", [FLAT, WRAPPED, WIKI, BOXED])
def test_a_section_beside_kept_ones_is_kept(shape: str) -> None:
    assert "another one" in " ".join(sections(shape))
    assert "License" in " ".join(sections(shape.replace("Related", "License"), rest="<p>MIT"))
    assert "End" not in sections(shape)
    assert "another one" in " ".join(sections(shape, code="", is_manual=True))
    assert not sections(shape, code="")
    steps = "<p><a href=/next>Next: Rudders</a></p>"
    assert "Next: Rudders" not in sections(shape, rest=RELATED + steps)


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
