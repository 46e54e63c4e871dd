"""Page: its arrays against lxml's own view of the tree, XPaths, blocks, layout."""

from __future__ import annotations

from typing import Any
from urllib.parse import urljoin

import pytest
from cases import named, rows
from hypothesis import example, given
from hypothesis import strategies as st
from lxml import etree
from markup import (
    check,
    check_xpaths,
    documents,
    local_name,
    tree_pages,
    visible_elements,
)
from parsel import Selector
from scrapy.http import HtmlResponse

from scrapy_boilerplate import Page
from scrapy_boilerplate.core.page.addresses import joined

# -- generated and real pages ------------------------------------------------------------------


@given(documents | tree_pages(), st.lists(st.integers(0, 50), max_size=4))
@example("<p>a<!-- c -->b<?pi x?>c<![CDATA[d]]>e&amp;f", [1, 2])
@example("<svg:rect>a</svg:rect>b<svg:rect>c</svg:rect><o:p>d</o:p><o:p>e", [1])
@example("<a\"b'c>x</a\"b'c>y<p\x01q>z<p\x02q>z<p\x01q>w", [1])
@example("<pre>\ta\n<b>b</b>\n</pre> <p>c", [1, 2])
def test_generated_pages(html: str, cuts: list[int]) -> None:
    page = Page.parse(html)
    if page.is_html:
        check(page, cuts)


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


@pytest.mark.parametrize(
    ("html", "reparsed"),
    [
        ("<pre><div>a</pre>b", True),
        ("<PRE><Div title='</div>'>a</PRE\n>b", True),
        ("<ul><li><div>a<li>b</ul>", True),
        ("<pre><div>a</div></pre>b", False),
        # what a script writes or a comment says is no tag
        ("<ul><li><script>w('</s' + '<div>')</script>a</li></ul>", False),
        ("<pre><!-- <div> -->a</pre>b", False),
        ("<p>a<script>w('</html>b')</script>", False),
    ],
)
def test_only_tags_that_libxml2_passes_over_make_it_parse_again(html: str, reparsed: bool) -> None:
    for page in (Page.parse(html), Page.from_selector(Selector(html), source=html)):
        assert page.reparsed == reparsed


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
    page = Page.parse("<p><b><i>text</i></b></p><div>before<p><a>x</a></p>after <b>bold</b></div>")
    assert [page.xpath_of(start, stop) for start, stop in page.blocks] == [
        "/html/body/p",
        "/html/body/div/text()[1]",
        "/html/body/div/p",
        "/html/body/div",
    ]


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


# -- titles ------------------------------------------------------------------------------------


@pytest.mark.parametrize(("html", "title"), rows("page_titles"))
def test_title(html: str, title: str) -> None:
    page = Page.parse(html)
    assert page.title == title
    assert "icon" not in page.buffer
    assert "title" not in page.buffer


# -- blocks and layout -------------------------------------------------------------------------

END_OF_LINES = "a&#13;&#10;b&#13;c\x0cd\x85e\u2028f"


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        *named("laid_out"),
        (f"<p>{END_OF_LINES}</p>", "a b c d e f"),
        (f"<pre>{END_OF_LINES}</pre>", "a\nb\nc\nd\ne\nf"),
    ],
)
def test_layout(html: str, expected: str) -> None:
    page = Page.parse(f"<body>{html}")
    assert page.lay_out(0, page.text_at.size) == expected
    check(page, [1, 2, 3])


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


_PARTS = ["/", "a", ".", "..", "?", "#", ";", "http:", "https://", "b.c", ":80", "[", "é", " ", "@"]
_BASES = ["", "https://a.example/b/c?d=1#e", "http://A.example", "mailto:x", "//h/x", "https:"]


@given(st.sampled_from(_BASES), st.lists(st.sampled_from(_PARTS), max_size=7).map("".join))
@example("https://u:p@a.example:80/b", "/c/./d").via("a path that a join changes")
def test_addresses_are_joined_as_the_standard_library_joins_them(base: str, value: str) -> None:
    try:
        expected = urljoin(base, value).replace(" ", "%20")
    except ValueError:
        expected = ""
    assert joined(base, value) == expected
