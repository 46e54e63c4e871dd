"""The document model: what was kept, with its structure."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from cases import rows
from hypothesis import given
from markup import documents

from scrapy_boilerplate import Page
from scrapy_boilerplate.core.answer.document import Document, Switches, build_document
from scrapy_boilerplate.core.answer.document._reader_native import MAX_NESTING
from scrapy_boilerplate.core.answer.document.nodes import (
    Cell,
    Code,
    Formula,
    Image,
    InlineCode,
    Item,
    LineBreak,
    Link,
    List,
    NoteReference,
    Row,
    Rule,
    Text,
)
from scrapy_boilerplate.core.page.characters import readable

URL = "https://example.com/news/1"
LEAVES = (Text, InlineCode, Formula, Image, NoteReference, LineBreak, Code, Rule)
"""Nodes that hold no others."""


def document(html: str, drop: str = "") -> Document:
    """Return all of a page, but for the text nodes that hold *drop*."""
    page = Page.parse(html, url=URL)
    texts = [page.lay_out(text, text + 1) for text in range(page.text_at.size)]
    keep = np.array([not drop or drop not in text for text in texts], dtype=bool)
    return build_document(page, keep)


def outline(found: Document) -> str:
    """Return the names of the nodes, nested, with what the leaves say."""
    pieces = []
    ends: list[int] = []
    for index, node in enumerate(found.nodes):
        pieces += [")" for end in ends if end == index]
        ends = [end for end in ends if end != index]
        name = type(node).__name__
        if isinstance(node, LEAVES):
            pieces.append(repr(node.text) if isinstance(node, Text) else name)
        else:
            pieces.append(f"{name}(")
            ends.append(found.ends[index])
    pieces += [")"] * len(ends)
    return " ".join(pieces).replace("( ", "(").replace(" )", ")")


def nodes(found: Document, kind: type) -> list[Any]:
    """Return the nodes of one kind."""
    return [node for node in found.nodes if isinstance(node, kind)]


@pytest.mark.parametrize(("html", "expected"), rows("structure"))
def test_structure(html: str, expected: str) -> None:
    assert outline(document(html)) == expected


def test_dropped_cells_keep_their_place() -> None:
    found = document("<table><tr><td>one<td>no<td>three<tr><td>a<td>b<td>c</table>", drop="no")
    assert len(nodes(found, Cell)) == 6


@pytest.mark.parametrize(
    "html",
    [
        "<table><thead><th>a<th>b<tbody><tr><td>c<td>d</table>",
        "<table><thead><td>a</td><td>b</td></thead><tr><td>c<td>d<tr><td>e<td>f</table>",
        "<table><th>a<th>b<tr><td>c<td>d</table>",
        "<table><tbody><th>a<td>b</tbody><tbody><tr><th>c<td>d<tr><th>e<td>f</tbody></table>",
        "<table><tr><td>one<td><tr><td>a<td>b</table>",
    ],
)
def test_rows_have_all_cells_empty_ones_and_those_without_a_row(html: str) -> None:
    found = document(html)
    rows = [index for index, node in enumerate(found.nodes) if isinstance(node, Row)]
    assert {len(list(found.children(row))) for row in rows} == {2}


@pytest.mark.parametrize(
    "html",
    [
        "<table><tr><th>Menu<td>" + "many words " * 80 + "<tr><td>b<td>c</table><p>End",
        "<table><tr><td>A menu<td><p>Long text.</p><pre>x</pre></table>",
        "<table><tr><td><table><tr><td>a<td>b<tr><td>c<td>d</table><td>e<tr><td>f<td>g</table>",
        "<table role=presentation><tr><th>a<th>b<tr><td>c<td>d</table>",
        "<table><tr><td>a<td>" + "many words " * 80 + "<tr><td>b<td>c</table>",
    ],
)
def test_tables_that_arrange_the_page_are_no_tables(html: str) -> None:
    assert outline(document(html)).count("Table(") == html.count("<table") - 1


def test_spans_of_cells_are_bounded() -> None:
    found = document(
        "<table><tr><th colspan=9007199254740991>a<th rowspan=-1>b<tr><td>c<td>d</table>"
    )
    assert [(cell.colspan, cell.rowspan) for cell in nodes(found, Cell)[:2]] == [(1, 1), (1, 1)]
    found = document("<table><tr><th colspan=99999>a<th rowspan=3>b<tr><td>c<td>d</table>")
    assert [(cell.colspan, cell.rowspan) for cell in nodes(found, Cell)[:2]] == [(1000, 1), (1, 3)]


@pytest.mark.parametrize(("html", "expected"), rows("code_as_typed"))
def test_code_is_as_it_was_typed(html: str, expected: str) -> None:
    assert [code.text for code in nodes(document(html), Code)] == [expected]


@pytest.mark.parametrize(
    "html",
    [
        "<span class=katex><span><math><semantics><mi>x</mi><annotation encoding="
        "'application/x-tex'>x^2</annotation></semantics></math></span>"
        "<span class=katex-html>x2</span></span>",
        "<math alttext='{\\displaystyle x^2}'><mi>x</mi><mn>2</mn></math>"
        "<img src=f.svg alt='{\\displaystyle x^2}'>",
    ],
)
def test_formulas_come_once(html: str) -> None:
    found = document(f"<p>Let {html} be a number.</p>")
    assert nodes(found, Formula) == [Formula("x^2")]
    assert outline(found) == "Paragraph('Let ' Formula ' be a number.')"


@pytest.mark.parametrize(("html", "expected"), rows("links"))
def test_links(html: str, expected: str) -> None:
    assert "|".join(link.href for link in nodes(document(html), Link)) == expected


def test_images_in_wrappers_stand_where_their_xpath_says() -> None:
    found = document("<p>Some text.<a href=/b><picture><img src=a></picture> <img src=b></a></p>")
    images = [isinstance(node, Image) for node in found.nodes]
    xpaths = [xpath for xpath, is_image in zip(found.xpaths, images, strict=True) if is_image]
    assert xpaths == ["/html/body/p/a/picture/img", "/html/body/p/a/img"]


def test_images_of_dropped_parts_are_dropped() -> None:
    html = "<p>Some text.<img src=a alt=' An  image '></p><div>Dropped teaser.<img src=b></div>"
    assert nodes(document(html, drop="teaser"), Image) == [Image(f"{URL[:-1]}a", "An image")]


# -- figures -----------------------------------------------------------------------------------

RAIN = "<p>It rained all day in the town, and nobody went out to look.</p>"


def figure(caption: str, image: str = "<img src=a.png>") -> str:
    return f"<figure>{image}<figcaption>{caption}</figcaption></figure>"


@pytest.mark.parametrize(
    ("part", "images", "caption"),
    [
        (figure("harbour"), 1, True),
        (figure("harbour", "<a href=/b><picture><img src=a.png></picture></a>"), 1, True),
        (f"<div><div>{figure('harbour')}</div>{figure('boats')}</div>", 2, True),
        ("<div><img src=a.png><figcaption>harbour</figcaption></div>", 1, True),
        (figure("harbour", "<noscript><img src=a.png></noscript><i></i>"), 1, True),
        (figure("A harbour, seen <a href=/b>from here</a> in 1874"), 1, True),
        (figure("harbour", "<iframe src=a></iframe>"), 0, False),
        (figure("<a href=/b>The old harbour</a> at night"), 0, False),
        (f"<div>{figure('harbour')}<h3>Another text, no part of this one</h3></div>", 0, False),
        (f"<a href=/b>{figure('harbour')}</a>", 0, False),
    ],
)
def test_figures_of_the_text(part: str, images: int, caption: bool) -> None:
    html = f"<article>{RAIN}{part}{RAIN}</article>"
    page = Page.parse(html, url=URL)
    keep = page.has_tag(("p",))[page.text_parent]
    found = build_document(page, keep)
    assert (len(nodes(found, Image)), "harbour" in said(found)) == (images, False)
    assert any("harbour" in image.caption == image.alt for image in nodes(found, Image)) == caption
    assert not nodes(build_document(page, keep, Switches(images=False)), Image)


def test_checkboxes_and_numbers_of_lists() -> None:
    found = document(
        "<ol start=4><li><input type=checkbox checked> a<li><input type=checkbox>b<li>c</ol>"
    )
    assert nodes(found, List) == [List(ordered=True, start=4)]
    assert [item.checked for item in nodes(found, Item)] == [True, False, None]


def test_checkboxes_in_labels_and_values_of_items() -> None:
    found = document(
        "<ol><li value=4><label><input type=checkbox checked><span></span></label> a"
        "<li value=9><span><input type=checkbox></span> b</ol>"
        "<ol><li>c</ol><p>Then:<ol><li value=x>d</ol>"
    )
    assert [each.start for each in nodes(found, List)] == [4, 1, 1]
    assert [item.checked for item in nodes(found, Item)] == [True, False, None, None]


def test_nesting_is_bounded_and_nothing_is_lost() -> None:
    found = document("<blockquote>a" * 300 + "</blockquote>" * 300)
    spans = list(enumerate(found.ends))
    deepest = max(sum(begin < leaf < end for begin, end in spans) for leaf, _ in spans)
    assert deepest <= MAX_NESTING + 2  # a paragraph and its wrapper
    assert "".join(text.text for text in nodes(found, Text)).count("a") == 300


def said(found: Document) -> str:
    """Return all visible characters of a document."""
    texts = (
        node.text if isinstance(node, (Text, Code, InlineCode)) else "" for node in found.nodes
    )
    return "".join("".join(texts).split())


@given(documents)
def test_every_kept_character_is_there_in_order(html: str) -> None:
    if "math" in html or "<button" in html or "svg" in html or "template" in html:
        return  # formulas, and what is left out of code
    page = Page.parse(html)
    found = build_document(page, np.ones(page.text_at.size, dtype=bool))
    text = page.lay_out(0, page.text_at.size)
    assert said(found) == "".join(text.split())


@given(documents)
def test_every_node_stands_where_its_xpath_says(html: str) -> None:
    page = Page.parse(html)
    found = build_document(page, np.ones(page.text_at.size, dtype=bool))
    assert len(found.nodes) == len(found.ends) == len(found.xpaths)
    for node, xpath in zip(found.nodes, found.xpaths, strict=True):
        (place,) = page.root.xpath(xpath)
        if isinstance(node, Text) and xpath.endswith("]") and isinstance(place, str):
            assert node.text.lstrip().startswith("".join(readable(str(place)).split()[:1]))
