"""Page: its arrays against lxml's own view of the tree, XPaths, blocks, layout."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from urllib.parse import urljoin

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from lxml import etree
from lxml import html as lxml_html
from markup import (
    check,
    check_arrays,
    check_blocks,
    check_layout,
    check_xpaths,
    documents,
    local_name,
    visible_elements,
    well_formed,
)
from parsel import Selector
from scrapy.http import HtmlResponse

from scrapy_boilerplate import Page
from scrapy_boilerplate.core.page.addresses import joined
from scrapy_boilerplate.tools.testing import assert_linear

EXAMPLES = sorted((Path(__file__).parent.parent / "example_project/sites").rglob("*.html"))


# -- generated and real pages ------------------------------------------------------------------


@given(documents | well_formed, st.lists(st.integers(0, 50), max_size=4))
@example("<p>a<!-- c -->b<?pi x?>c<![CDATA[d]]>e&amp;f", [1, 2])
@example("<svg:rect>a</svg:rect>b<svg:rect>c</svg:rect><o:p>d</o:p><o:p>e", [1])
@example("<a\"b'c>x</a\"b'c>y<p\x01q>z<p\x02q>z<p\x01q>w", [1])
@example("<pre>\ta\n<b>b</b>\n</pre> <p>c", [1, 2])
def test_generated_pages(html: str, cuts: list[int]) -> None:
    page = Page.parse(html)
    if page.is_html:
        check(page, cuts)


@given(documents, st.integers(0, 30))
def test_sub_elements(html: str, number: int) -> None:
    whole = Page.parse(html)
    nodes = [node for node in whole.root.iter() if isinstance(node.tag, str)]
    check(Page(nodes[number % len(nodes)]))


@pytest.mark.parametrize("path", EXAMPLES[::5], ids=lambda path: path.parent.name[:30])
def test_pages_of_the_example(path: Path) -> None:
    page = Page.parse(path.read_bytes())
    check_arrays(page)
    check_xpaths(page, step=23)
    check_blocks(page)
    check_layout(page, [5, 50, 500])


@given(documents)
def test_same_tree_as_a_response(html: str) -> None:
    body = html.encode("utf-8", "replace")
    page = Page.parse(body, encoding="utf-8")
    response = HtmlResponse("http://example.com/", body=body, encoding="utf-8")
    if page.is_html and not page.reparsed:
        expected = etree.tostring(response.selector.root.getroottree())
        assert etree.tostring(page.root.getroottree()) == expected


# -- kinds of trees ----------------------------------------------------------------------------


def test_namespaced_xhtml() -> None:
    root = etree.fromstring(
        b'<?xml version="1.0"?><html xmlns="http://www.w3.org/1999/xhtml" '
        b'xmlns:s="http://www.w3.org/2000/svg"><head><title>The <b/>title</title></head>'
        b"<body><p>one</p><P>odd</P><p>two<s:a>link</s:a><script>x</script></p>"
        b"<s:svg><s:title>no</s:title><s:p>hidden</s:p></s:svg><s:p>three</s:p><p>four</p></body>"
        b"</html>"
    )
    page = Page(root)
    check(page)
    assert page.title == "The"
    assert page.buffer == "oneoddtwolinkthreefour"
    assert page.has_tag(["p"]).sum() == 5
    assert page.in_link.tolist() == [False, False, False, True, False, False]
    assert page.xpath_of(0, 1) == "/*/*[2]/*[1]"
    # … and from a prefixed element below the root
    check(Page(root[1][4]))


def test_entities_and_cdata_in_xml() -> None:
    parser = etree.XMLParser(resolve_entities=False)
    page = Page(
        etree.fromstring(
            "<!DOCTYPE a [<!ENTITY e 'x'>]><a>1&e;2<b><![CDATA[<3>]]></b>4</a>", parser
        )
    )
    check(page)
    assert page.buffer == "12<3>4"


def test_root_is_a_comment_or_invisible() -> None:
    root = Page.parse("<html><!-- c --><head><title>t</title></head><p>x").root
    comment = next(root.iter(etree.Comment))
    for node in (comment, root.find("head"), root.find("head/title")):
        page = Page(node)
        assert page.text_at.size == page.tag.size == 0
        assert page.lay_out(0, 0) == ""
        assert page.blocks.shape == (0, 2)


def test_tails_do_not_belong_to_a_sub_element() -> None:
    selector = Selector(text="<div><p>in<b>side</b></p>outside</div>")
    page = Page.from_selector(selector.css("p")[0])
    assert page.buffer == "inside"
    assert page.xpath(0) == "/html/body/div/p"
    assert page.xpath_of(0, 2) == "/html/body/div/p"
    assert page.root is selector.css("p")[0].root


def test_selectors_without_a_tree() -> None:
    for selector in (
        Selector(text='{"a": [1]}', type="json"),
        Selector(text="<p>text</p>").xpath("//p/text()")[0],
        Selector(text="<p class=x>").xpath("//p/@class")[0],
    ):
        page = Page.from_selector(selector)
        assert not page.is_html
        assert page.text_at.size == 0


def test_a_selector_is_not_parsed_again(monkeypatch: pytest.MonkeyPatch) -> None:
    text = "<html><body><p>one</p>\n</body></html>\n<!-- cached -->\n<script>'x'</script>\n"
    response = HtmlResponse("http://example.com/", body=text.encode())
    selector = response.selector
    before = etree.tostring(selector.root.getroottree())

    def fail(*args: Any, **kwargs: Any) -> None:
        raise AssertionError("parsed again")

    monkeypatch.setattr("scrapy_boilerplate.core.page.trees.parse_html5", fail)
    page = Page.from_selector(selector, source=response.text)
    assert page.root is selector.root
    monkeypatch.setattr("scrapy_boilerplate.core.page.trees.parse_text", fail)
    assert Page.from_selector(selector).root is selector.root
    assert Page.from_selector(selector, source="<p>one</p>").root is selector.root
    assert not page.reparsed
    assert not page.truncated
    assert etree.tostring(selector.root.getroottree()) == before


def test_parsers_that_lxml_shares_between_documents() -> None:
    short = lxml_html.fromstring("<html><body><p>short page</p></body></html>")
    deep = lxml_html.fromstring("<div>" * 300 + "deep" + "</div>" * 300 + "<p>after</p>")
    assert short.getroottree().parser is deep.getroottree().parser
    assert not Page(short).truncated
    assert Page(deep).truncated
    lxml_html.fromstring("<p>another")
    assert not Page(short).truncated


@pytest.mark.parametrize("first", ["</HTML>", "</html>", "</Html>"])
def test_text_between_two_ends_is_kept_however_they_are_spelt(first: str) -> None:
    page = Page.parse(f"<html><body><p>one</p></body>{first}<p>two</p></html>")
    assert "one" in page.buffer
    assert "two" in page.buffer


# -- XPaths ------------------------------------------------------------------------------------


def test_xpaths() -> None:
    page = Page.parse(
        "<div><p>a</p><ul><li>b</li><li>c <b>d</b> e</li></ul><p>f</p></div><o:p>g</o:p>"
    )
    assert [page.xpath_of(start, stop) for start, stop in page.blocks] == [
        "/html/body/div/p[1]",
        "/html/body/div/ul/li[1]",
        "/html/body/div/ul/li[2]",
        "/html/body/div/p[2]",
        "/html/body/*[2]",
    ]
    assert page.xpaths_later([-1 - 4])([0])[0] == "/html/body/div/ul/li[2]/text()[2]"
    assert page.xpath_of(2, 4) == "/html/body/div/ul/li[2]"
    assert page.xpath_of(0, 2) == "/html/body/div"


@pytest.mark.parametrize("invisible", ["", "<noscript><b>1</b></noscript><svg><g><g/></g></svg>"])
def test_long_xpaths_say_the_number_of_the_element(invisible: str) -> None:
    levels = "".join(f"<{'x' * 90}{number}>{invisible}a" for number in range(40))
    page = Page.parse(f"<p>first</p>{levels}<p>b<i>c</i></p>text")
    check_xpaths(page)
    paths = page.xpaths_of(page.blocks)
    assert paths[0] == "/html/body/p"
    assert paths[1].startswith(f"/html/body/{'x' * 90}0")
    assert paths[-2].startswith("/html/descendant::*[")
    assert max(map(len, paths)) <= 1000
    inner = Page(page.root.xpath("//i")[0])
    assert inner.xpath(0).startswith("/descendant::*[")
    check_xpaths(inner)


def test_xpath_of_a_block_beside_others() -> None:
    page = Page.parse("<div>before<p>inside</p>after <b>bold</b></div>")
    assert [page.xpath_of(start, stop) for start, stop in page.blocks] == [
        "/html/body/div/text()[1]",
        "/html/body/div/p",
        "/html/body/div",
    ]


def test_an_inline_wrapper_is_not_the_node_of_a_paragraph() -> None:
    page = Page.parse("<p><b><i>text</i></b></p><div><p><a>x</a></p></div>")
    assert page.xpath_of(0, 1) == "/html/body/p"
    assert page.xpath_of(1, 2) == "/html/body/div/p"


# -- titles ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("html", "title"),
    [
        ("<title>  A \n title&amp; </title><p>x", "A title&"),
        ("<p>x", ""),
        ("<html><head><title></title><title>second</title></head><p>x", "second"),
        ("<p>no head</p><div><title>in the body</title></div>", "in the body"),
        ("<svg><title>icon</title></svg><p>x", ""),
        ("<svg><g><title>icon</title></g></svg><p>x</p><title>page</title>", "page"),
        ("<p>x<subtitle>no</subtitle>", ""),
        ("<noscript><p>a</p><xtitle>no</xtitle></noscript>", ""),
    ],
)
def test_title(html: str, title: str) -> None:
    page = Page.parse(html)
    assert page.title == title
    assert "icon" not in page.buffer
    assert "title" not in page.buffer


# -- blocks and layout -------------------------------------------------------------------------

LAID_OUT = {
    "headings":
     ("<h1>Title</h1><h2>Sub\n title</h2><p>Text <b>bold</b>ly, <i>it</i> <a>is</a>.</p>More",
     "Title\n\nSub title\n\nText boldly, it is.\n\nMore"),
    "text between blocks": ("<div><div>a</div>b<div>c</div></div>", "a\n\nb\n\nc"),
    "list": ("x<ul><li>a</li>\n <li>b</li></ul>y", "x\n\na\nb\n\ny"),
    "list, items not closed": ("<ul><li>a<li>b</ul><p>c", "a\nb\n\nc"),
    "nested list": ("<ul><li>a<ol><li>b<li>c</ol><li>d</ul>", "a\nb\nc\nd"),
    "list items of paragraphs": ("<ul><li><p>a</p></li><li><p>b</p><p>c</p></li><li>d</ul>",
     "a\nb\n\nc\nd"),
    "neighbouring lists": ("<ul><li>a</ul><ol><li>b</ol>", "a\n\nb"),
    "list item with line break": ("<ul><li>a<br>b<li>c</ul>", "a\nb\nc"),
    "menu": ("<menu><li>a<li>b</menu>", "a\nb"),
    "definitions": ("<dl><dt>t<dd>d<dt>u<dd>e</dl><p>x", "t\nd\nu\ne\n\nx"),
    "data table": ("<table><caption>C</caption><thead><tr><th>h</th><th>k</th></tr></thead>\n"
     "<tbody><tr><td>1</td> <td> <b>2</b> x</td></tr><tr><th>3<td>4</tbody></table>end",
     "C\nh\tk\n1\t2 x\n3\t4\n\nend"),
    "empty cells": ("<p>x<table><tr><td></td><td>a</td><td> </td><td>b</td></tr><tr><td>c</table>",
     "x\n\n\ta\t\tb\nc"),
    "a column of images": ("<p>x<table><tr><td><img><td>a<td>b<tr><td><img><td><td>c</table>",
     "x\n\na\tb\n\tc"),
    "empty cells in a layout table": ("<table><tr><td><h1>a</h1><td><td>b<tr><td><td>c</table>",
     "a\tb\nc"),
    "lines in a cell":
     ("<table><tr><td>Line one<br>Line two<td>B<tr><td><p>c</p><p>d</p><td>e</table>",
     "Line one Line two\tB\nc d\te"),
    "layout table":
     ("<table><tr><td><h2>a</h2><p>b</p></td><td><div>c</div></td></tr><tr><td>d</table>",
     "a\n\nb\tc\nd"),
    "nested tables":
     ("<table><tr><td>a<table><tr><td>b<td>c<tr><td>d</table>e<td>f<tr><td>g</table>",
     "a\n\nb\tc\nd\n\ne\tf\ng"),
    "list in a cell": ("<table><tr><td><ul><li>a<li>b</ul><td>c<tr><td>d</table>", "a\nb\tc\nd"),
    "table in a list": ("<ul><li><table><tr><td>a<td>b<tr><td>c</table><li>d</ul>", "a\tb\nc\n\nd"),
    "neighbouring tables": ("<table><tr><td>a</table><table><tr><td>b</table>", "a\n\nb"),
    "cells without a table": ("<div>x<td>a<td>b</div>", "x\n\na\n\nb"),
    "pre": ("<p>a</p><pre>\n\tb\n   c  d\n\n e\n</pre>f", "a\n\n\tb\n   c  d\n\n e\n\nf"),
    "pre with inline elements": ("<pre><b>if</b> x:\n  <i>y</i></pre>", "if x:\n  y"),
    "pre and code": ("<pre><code>a\n  b</code></pre><code>c\n  d</code>", "a\n  b\n\nc d"),
    "pre with line breaks": ("<pre>def f():<br>    <b>return</b> 1<br><br></pre>",
     "def f():\n    return 1"),
    "lines of pre": ("<pre><code><div><i>if</i> x:</div><div>  <i>y</i>()</div></code></pre>",
     "if x:\n  y()"),
    "lines of pre that end": ("<pre><div>if x:\n</div><div>  <i>y</i>()\n</div></pre>",
     "if x:\n  y()"),
    "lines of pre by style":
     ("<pre><span style='display: block'>a</span><span style='display:block'>  b</span></pre>",
     "a\n  b"),
    "pre that begins with white space": ("a<pre>  <b>b</b>\n<p>c</p></pre>", "a\n\n  b\nc"),
    "blank lines of pre": ("<pre><div>a</div><div> <br></div><p>b</p></pre>", "a\n \nb"),
    "textarea": ("<textarea>a\n  b</textarea>", "a b"),
    "line breaks": ("a<br>b<br/>\nc<br><br>d<br> <br><br>e", "a\nb\nc\n\nd\n\ne"),
    "line break in a heading": ("<h1>a<br>b</h1>", "a\nb"),
    "line breaks between blocks": ("<p>a<br></p><br><p>b</p>", "a\n\nb"),
    "rule": ("<div>a<hr>b</div>", "a\n\nb"),
    "quotation": ("<blockquote><p>a</p>b</blockquote>c", "a\n\nb\n\nc"),
    "figure": ("<figure><img><figcaption>a</figcaption></figure>b", "a\n\nb"),
    "details": ("<details><summary>a</summary>b</details>", "a\n\nb"),
    "options": ("<select><option>a<option>b</select>", "a\n\nb"),
    "no-break spaces": ("<p>a&nbsp;&nbsp;b &nbsp;\u3000c\u200bd</p>", "a b cd"),
    "soft hyphen": ("<p>a&shy;b</p>", "ab"),
    "nothing to see between blocks": ("<p>a</p><p>&#8203;</p><div>\x01<b>&shy;</b></div>b",
     "a\n\nb"),
    "nothing to see in a cell": ("<table><tr><td>a<td>&#8203;<td>b</table>", "a\t\tb"),
    "nothing to see beside a word": ("<p>a<b>&#8203;</b>b <i>\x02c</i></p>", "ab c"),
    "ends of lines in pre": ("<pre>a&#13;&#10;b&#13;c\x0cd\x85e\u2028f</pre>", "a\nb\nc\nd\ne\nf"),
    "ends of lines": ("<p>a&#13;&#10;b&#13;c\x0cd\x85e\u2028f</p>", "a b c d e f"),
    "inline elements": ("<p>a<b>b</b> <i> c</i><span> d</span>\n<a>e</a></p>", "ab c d e"),
    "labels side by side": ("<p><span>HOKA</span><span>Clifton</span><span>9</span></p>",
     "HOKA Clifton 9"),
    "links of a menu": ("<nav><a>Home</a><a><b>About us</b></a><a>News</a>", "Home About us News"),
    "a link and a badge": ("<div><a>Inbox</a><span>12</span><span>New</span>", "Inbox 12 New"),
    "buttons": ("<div><button>Save</button><button>Cancel", "Save Cancel"),
    "nested labels": ("<p><a><i>New York</i></a><span><i>Sweden</i></span></p>", "New York Sweden"),
    "markup in words":
     ("<p><b>T</b>his <span>T</span><span>hat</span> H<sub>2</sub>O <span>f</span>oo "
     "<span>o</span><span>f</span> Mac<span>Donald</span> <em>Data</em><em>Watch</em></p>",
     "This That H2O foo of MacDonald DataWatch"),
    "short parts of words":
     ("<p><span>i</span><span>Phone</span> <span>3</span><span>D</span> <a>e</a><a>Bay</a></p>",
     "iPhone 3D eBay"),
    "highlighted code":
     ("<p><code><span>get</span><span>Name</span></code><pre><a>is</a><a>Open</a></pre>",
     "getName\n\nisOpen"),
    "scripts without case":
     ("<p><span>新闻</span><span>联播</span><a>2006</a><a>年</a><a>كتاب</a><a>جديد</a></p>",
     "新闻联播2006年كتابجديد"),
    "labels with text between": ("<p><a>One</a>Two<a>Three</a></p>", "OneTwoThree"),
    "labels and punctuation": ("<p><a>One</a><a>(Two)</a><a>Three</a></p>", "One(Two)Three"),
    "labels on lines": ("<p><a>One</a><br><a>Two</a></p>", "One\nTwo"),
    "comments in a word": ("<p>a<!-- c -->b<?pi?>c", "abc"),
    "invisible between": ("<p>a<script>x</script>b <style>y</style> c<template>z</template>",
     "ab c"),
    "empty elements": ("<p></p><p>a</p><p> </p><div></div><p>b", "a\n\nb"),
    "image between words": ("<p>a <img alt=x> b", "a b"),
    "entities": ("<p>&lt;b&gt; &amp;amp; &eacute;&#x1f600;&bogus;", "<b> &amp; é😀&bogus;"),
    "right to left": ("<p dir=rtl>שלום <bdi>abc</bdi> עולם", "שלום abc עולם"),
    "chinese indent": ("<p>\u3000\u3000你好</p><p>\u3000\u3000世界", "你好\n\n世界"),
}  # fmt: skip


@pytest.mark.parametrize(("html", "expected"), LAID_OUT.values(), ids=LAID_OUT)
def test_layout(html: str, expected: str) -> None:
    page = Page.parse(f"<body>{html}")
    assert page.lay_out(0, page.text_at.size) == expected
    check(page, [1, 2, 3])


def test_a_view_keeps_labels_apart() -> None:
    page = Page.parse("<p><a>Home</a><a>News</a><a>About</a></p>")
    view = page.restricted(np.array([True, False, True]))
    assert view.lay_out(0, 2) == "Home About"
    assert page.words.tolist() == [1, 1, 1]


def test_many_labels_take_linear_time() -> None:
    def make(size: int) -> str:
        return "<span>Home<a>News</a></span><a>Two</a>" * size

    assert_linear(make, lambda html: Page.parse(html).lay_out(0, 9), 5000)


def test_blocks_are_paragraphs_items_and_cells() -> None:
    page = Page.parse(
        "<h1>a<br>b</h1><p>c <b>d</b></p>e<br><br>f<ul><li>g<li>h</ul><table><tr><td>i<td>j</table>"
    )
    assert [page.lay_out(start, stop) for start, stop in page.blocks] == [
        *("a\nb", "c d", "e", "f", "g", "h", "i", "j")
    ]


def test_join_leaves_out_what_is_dropped() -> None:
    page = Page.parse(
        "<p>a</p><p>b</p><p>c</p><ul><li>d<li>e<li>f</ul>"
        "<table><tr><td>g<td>h<td>i<tr><td>j</table><p>k <b>l</b> m"
    )

    def join(letters: str) -> str:
        texts = ["abcdefghijklm".index(letter) for letter in letters]
        return page.join([(i, i + 1) for i in texts], letters)

    assert join("ac") == "a\n\nc"
    assert join("df") == "d\nf"
    assert join("cd") == "c\n\nd"
    assert join("eg") == "e\n\ng"
    assert join("gi") == "g\t\ti"
    assert join("gj") == "g\nj"
    assert join("jk") == "j\n\nk"
    assert join("km") == "k m"
    assert join("") == ""


def test_words_symbols_and_links_by_text_node() -> None:
    page = Page.parse("<p>One, <a href=x>two <b>three</b></a>four.</p><p>日本 &amp; co")
    assert page.words.tolist() == [1, 1, 1, 1, 3]
    assert page.symbols.tolist() == [1, 0, 0, 1, 1]
    assert page.visible.tolist() == [4, 3, 5, 5, 5]
    assert page.in_link.tolist() == [False, True, True, False, False]
    assert page.per_block(page.words).tolist() == [4, 3]


@given(documents, st.sampled_from([("a",), ("div", "p"), ("td", "li", "b"), ("nothing",)]))
def test_count_above(html: str, names: tuple[str, ...]) -> None:
    page = Page.parse(html)
    flags = page.has_tag(names)
    elements = visible_elements(page.root)
    expected = [
        sum(local_name(n.tag) in names for n in [node, *node.iterancestors()] if n in elements)
        for node in elements
    ]
    assert page.count_above(flags).tolist() == expected


def test_nothing_of_lxml_lives_on() -> None:
    page = Page.parse("<p>a<b>b</b></p>")
    for name in ("buffer", "names", "strings"):
        value = getattr(page, name)
        assert type(value) is str or all(type(item) is str for item in value)
    assert page.parse("<p>x").strings == [""]


_PARTS = ["/", "a", ".", "..", "?", "#", ";", "http:", "https://", "b.c", ":80", "[", "é", " ", "@"]
_BASES = ["", "https://a.example/b/c?d=1#e", "http://A.example", "mailto:x", "//h/x", "https:"]


@given(st.sampled_from(_BASES), st.lists(st.sampled_from(_PARTS), max_size=7).map("".join))
@example("https://u:p@a.example:80/b", "/c/./d").via("a path that a join changes")
def test_addresses_are_joined_as_the_standard_library_joins_them(base: str, value: str) -> None:
    try:
        expected = urljoin(base, value)
    except ValueError:
        expected = ""
    assert joined(base, value) == expected


# -- what the elements of a page say in microdata --------------------------------------------------


def test_places_are_those_of_all_elements() -> None:
    root = lxml_html.document_fromstring(
        "<html itemtype=root><body><!-- a --><p>One.<b itemprop=comment>two</b>"
        "<i itemtype=https://schema.org/Answer itemprop=suggestedAnswer>three</i>"
    )
    found = [(place, node.tag) for place, node in Page(root).nodes_with("itemprop", "itemtype")]
    assert found == [(0, "html"), (3, "b"), (4, "i")]


def test_nothing_is_said() -> None:
    assert Page.parse("<p class=itemprop>One.").nodes_with("itemprop", "itemtype") == []
