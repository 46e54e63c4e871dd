"""What stands between the kept parts of a document is kept: lists, and sections."""

from __future__ import annotations

import numpy as np
import pytest

from scrapy_boilerplate import Page
from scrapy_boilerplate.core.auto.contents import settle_contents
from scrapy_boilerplate.core.auto.gaps import with_lists, with_sections
from scrapy_boilerplate.tools.testing import assert_linear

URL = "https://docs.example/oars"
RULES = "<ul><li>KERNEL is sdc</li><li>DRIVER is empty</li></ul>"
GAPS = {
    "list": RULES,
    "numbers": RULES.replace("ul>", "ol>"),
    "paragraph and list": f"<p>Looking at the parent:</p>{RULES}",
    "in a division": f"<div class=list>{RULES}</div>",
    "list in a list": "<ul><li>One<ul><li>Two</li></ul></li></ul>",
}


def kept(page: Page, word: str = "keep") -> np.ndarray:
    """Return which blocks say a word."""
    texts = page.lay_out_all(page.blocks)
    return np.array([word in text for text in texts])


@pytest.mark.parametrize("gap", GAPS)
def test_a_list_between_kept_texts_is_kept(gap: str) -> None:
    page = Page.parse(f"<div><p>keep one</p>{GAPS[gap]}<p>keep two</p></div><p>Menu")
    keep = kept(page)
    found = with_lists(page, keep, np.full(keep.size, 0.3))
    assert found.tolist() == [True] * (keep.size - 1) + [False]
    assert not (with_lists(page, keep, np.full(keep.size, 0.1)) & ~keep).any()


@pytest.mark.parametrize(
    "gap",
    [
        "<ul><li><a href=/a>KERNEL</a></li><li>or</li></ul>",
        "<ul><li><img src=a.png>KERNEL</li></ul>",
        "<ul><li><input type=checkbox>KERNEL</li></ul>",
        "<ul><li>KERNEL</li></ul><div>Advertisement</div>",
        "<h2>More</h2><ul><li>KERNEL</li></ul>",
    ],
)
def test_links_cards_and_other_blocks_are_no_such_list(gap: str) -> None:
    page = Page.parse(f"<div><p>keep one</p>{gap}<p>keep two</p></div>")
    keep = kept(page)
    assert with_lists(page, keep, np.full(keep.size, 0.3)).tolist() == keep.tolist()


def test_a_list_outside_of_the_text_is_not_between() -> None:
    page = Page.parse(
        f"<main><div><p>keep one</div></main><div><div>{RULES}</div></div><p>keep two"
    )
    keep = kept(page)
    assert with_lists(page, keep, np.full(keep.size, 0.3)).tolist() == keep.tolist()


CODE = "<pre>keep make</pre>"
RELATED = "<ul><li><a href=https://b.example/>b</a>, another one</li></ul>"
FLAT = "<h2 id=use>keep Use</h2><p>keep it so</p>{code}<h2 {id}>Related</h2>{rest}"
WRAPPED = (
    "<section id=use><h2>keep Use</h2><p>keep it so</p>{code}</section>"
    "<section {id}><h2>Related<a href=#related>¶</a></h2>{rest}</section>"
)
WIKI = (
    "<h2><span id=use>keep Use</span></h2><p>keep it so</p>{code}<h2><span {id}>Related</span>"
    "<span>[<a href=/edit>Edit</a>]</span></h2>{rest}"
)


def sections(
    shape: str, code: str = CODE, id: str = "id=related", rest: str = RELATED
) -> list[str]:
    """Return what a page keeps beside the blocks that say "keep"."""
    body = shape.format(code=code, id=id, rest=rest)
    page = Page.parse(
        f"<main><h1>keep Oars</h1><p>keep a few words</p>{body}</main><p>End", url=URL
    )
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
        {"id": ""},
        {"rest": "<ul><li><a href=/a>One</a><li><a href=b>Two</a></ul>"},
        {"rest": "<p><img src=a.png>A picture"},
        {"rest": "<p>" + "word " * 300},
        {"rest": "<ul class=toc><li>One</ul>"},
        {"rest": "<p>keep this"},
    ],
)
def test_what_is_no_section_of_a_document(shape: str, change: dict[str, str]) -> None:
    assert not sections(shape, **change)


TITLES = "".join(f"<li><a href=#s{n}>Part {n}</a></li>" for n in range(4))
PARTS = "".join(f"<h2 id=s{n}>keep Part {n}</h2><p>keep some text of it" for n in range(4))


@pytest.mark.parametrize(
    ("contents", "is_kept"),
    [
        (f"<ul>{TITLES}</ul>{PARTS}", True),
        (f"<ul class=page-toc>{TITLES}</ul>{PARTS}", False),
        (f"<div id=TOC><div><ul>{TITLES}</ul></div></div>{PARTS}", False),
        (f"{PARTS}<div><ul>{TITLES}</ul></div>", False),
    ],
)
def test_contents_that_an_author_wrote_are_kept_whole(contents: str, is_kept: bool) -> None:
    page = Page.parse(f"<main><h1>keep Oars</h1>{contents}<pre>keep x = 1</pre></main>")
    keep = kept(page)
    keep |= kept(page, "Part 1")  # the list is kept in part
    found = settle_contents(page, keep)
    in_list = page.texts_inside(page.has_tag(("li",)))[page.blocks[:, 0]]
    assert found[in_list].tolist() == [is_kept] * 4
    assert found[~in_list].tolist() == kept(page)[~in_list].tolist()


@pytest.mark.parametrize(
    "shape",
    ["<p>keep</p><ul><li>a</ul>", "<section id=a><h2 id=b>c</h2><p>d</p></section>", "<div>"],
)
def test_gaps_are_linear(shape: str) -> None:
    def page(size: int) -> Page:
        return Page.parse(f"<pre>keep</pre>{shape * size}<p>keep</p>")

    def fill(made: Page) -> object:
        keep = kept(made)
        return with_sections(made, with_lists(made, keep, np.full(keep.size, 0.3)))

    assert_linear(page, fill, 500)
