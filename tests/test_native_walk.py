"""The walk finds what its oracle in Python finds."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree
from oracles.walk import assert_same
from parsel import Selector

from scrapy_boilerplate.core.page._walk_native import walk

FRAGMENTS = [
    *("<p>", "</p>", "<div class='a b'>", "<div class=''>", "</div>", "<br>", "<b id=x>", "</b>"),
    *("text", " ", "\u00a0", "\u3000\u2003", "é", "日本", "😀", "&amp;", "&nbsp;", "&#1;", "\n"),
    *("<!-- c -->", "<?pi x?>", "<script>", "</script>", "<svg><title>s</title>", "</svg>"),
    *("<title>t</title>", "<head>", "</head>", "<noscript><title>n</title></noscript>"),
    *("<a href=#n>", "<a href=b#n>", "</a>", "<sup>", "</sup>", "1", "[xi]", "note 2", "Home", "†",
     "*"),
    *("<input type=Password>", "<meta http-equiv=Refresh>", "<i class=side-Note>", "</i>"),
    *("<div data-s='{}'>", "<script data-s='[1]'>", "<template><input type=password></template>"),
    *("<o:p>", "</o:p>", "<my-tag CLASS=c id>", "</my-tag>", "<table><tr><td>", "</table>"),
]  # fmt: skip


@given(st.lists(st.sampled_from(FRAGMENTS), max_size=40).map("".join))
def test_same_on_generated_pages(html: str) -> None:
    assert_same(Selector(text=html, type="html").root)


@pytest.mark.parametrize(
    "xml",
    [
        "<a/>",
        "<a>x<![CDATA[<y>]]>z<!-- -->\u00a0<B class='q'>t</B>u</a>",
        "<h:html xmlns:h='http://www.w3.org/1999/xhtml'><h:head><h:title>T</h:title></h:head>"
        "<h:body><h:p h:class='no' class='yes' id='i&amp;j'>x</h:p><h:svg/></h:body></h:html>",
        "<!DOCTYPE a [<!ENTITY e 'text'>]><a id='&e;x'>one &e; two<b/>&e;</a>",
        "<TITLE>root</TITLE>",
        "<script>hidden<title>t</title></script>",
    ],
)
@pytest.mark.parametrize("resolve", [True, False])
def test_same_on_xml(xml: str, resolve: bool) -> None:
    assert_same(etree.fromstring(xml, parser=etree.XMLParser(resolve_entities=resolve)))


def test_same_below_any_element_and_on_trees_built_by_hand() -> None:
    root = etree.Element("div", {"class": "c"})
    for number in range(600):  # more names than the compiled walk caches
        child = etree.SubElement(root, f"x{number}")
        child.text, child.tail = "a", " b "
        child.append(etree.Comment("c"))
        child[0].tail = "after"
    for element in [root, root[3], root[3][0]]:
        assert_same(element)


def test_same_on_deep_trees() -> None:
    root = node = etree.Element("div")
    for _ in range(20_000):
        node = etree.SubElement(node, "div")
    node.text = "deep"
    assert_same(root)


def test_same_on_real_pages() -> None:
    pages = sorted((Path(__file__).parent.parent / "example_project/sites").rglob("*.html"))
    assert len(pages) > 30
    for path in pages:
        assert_same(Selector(text=path.read_text(encoding="utf-8"), type="html").root)


def test_other_arguments_are_refused() -> None:
    for wrong in (None, "html", object()):
        with pytest.raises(TypeError):
            walk(wrong)
