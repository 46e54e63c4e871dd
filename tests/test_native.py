"""Compiled code: the walk beside what lxml says, bounds of arrays, keys, odd trees."""

from __future__ import annotations

import gc
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from cases import column
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree
from markup import check
from parsel import Selector

from scrapy_boilerplate import Page, explain, extract
from scrapy_boilerplate.core.auto._context_native import CONTEXT
from scrapy_boilerplate.core.auto.features import FEATURES
from scrapy_boilerplate.core.auto.model import load_model, model_from_arrays, model_to_arrays
from scrapy_boilerplate.core.methods import extractor_names
from scrapy_boilerplate.core.page._text_native import Phrases
from scrapy_boilerplate.core.page._walk_native import walk
from scrapy_boilerplate.learn import SiteLearner

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
def test_the_walk_finds_what_lxml_has(html: str) -> None:
    check(Page(Selector(text=html, type="html").root))


@pytest.mark.parametrize("xml", column("xml_trees"))
def test_it_does_in_xml(xml: str) -> None:
    check(Page(etree.fromstring(xml)))
    check(Page(etree.fromstring(xml, etree.XMLParser(resolve_entities=False))))


def test_it_does_on_trees_built_by_hand() -> None:
    root = etree.Element("div", {"class": "c"})
    for number in range(600):  # more names than the walk caches
        child = etree.SubElement(root, f"x{number}")
        child.text, child.tail = "a", " b "
        child.append(etree.Comment("c"))
        child[0].tail = "after"
    check(Page(root))


def test_other_arguments_are_refused() -> None:
    for wrong in (None, "html", object()):
        with pytest.raises(TypeError):
            walk(wrong)


# -- compiled loops stay inside their arrays, and let go of a tree before others may change it


def test_a_page_whose_root_is_among_the_elements() -> None:
    html = "<p>" + "word " * 60 + "</p><div><a href=x>A link</a></div>"
    answer = extract(html, extractor="links")
    assert [segment.xpath for segment in answer.segments] == ["/html"]
    assert answer.text.split() == [*["word"] * 60, "A", "link"]


PAGE = Page.parse("<div><p>One <b>two</b></p><p>three</p></div>")


@pytest.mark.parametrize(
    "use",
    [
        lambda: PAGE.lay_out_all(np.array([[0, 99]])),
        lambda: PAGE.join([(0, 1), (99, 100)], ["One", "two"]),
        lambda: PAGE.xpath(99),
        lambda: PAGE.xpaths_later([-1 - 99])([0])[0],
        lambda: PAGE.xpaths_of(np.array([[0, 99]])),
        lambda: PAGE.xpaths_of(np.array([[99, 100]])),
    ],
)
def test_what_is_not_on_the_page_is_an_error(use: Callable[[], Any]) -> None:
    with pytest.raises(IndexError):
        use()


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("blocks_feature", 1 << 20),
        ("blocks_children", 1 << 20),
        ("blocks_children", -1),
        ("pages_roots", 1 << 20),
        ("pages_depth", -1),
        ("blocks_feature", len(FEATURES)),  # which only the second forest may look at
        ("context_feature", len(FEATURES + CONTEXT)),
    ],
)
def test_trees_that_lead_nowhere_are_refused(name: str, value: int) -> None:
    arrays = model_to_arrays(load_model())
    damaged = arrays[name].copy()
    damaged.flat[0] = value
    with pytest.raises((ValueError, IndexError)):
        model_from_arrays({**arrays, name: damaged})
    with pytest.raises(ValueError, match="damaged"):
        model_from_arrays({**arrays, "blocks_children": arrays["blocks_children"][:-1]})


def emptied_by_collections(root: Any, read: Callable[[Any], Any]) -> Any:
    """Return what *read* reads of a tree that the tenth collection of garbage empties.

    The first ones are those of what is made before a walk begins.
    """
    seen = 0

    def empty(phase: str, info: dict[str, int]) -> None:
        nonlocal seen
        seen += phase == "start"
        if seen == 10:
            root.clear()

    gc.collect()
    threshold = gc.get_threshold()
    gc.callbacks.append(empty)
    gc.set_threshold(1, 1, 1)
    try:
        return read(root)
    finally:
        gc.set_threshold(*threshold)
        gc.callbacks.remove(empty)


def test_a_collection_that_changes_the_tree_changes_no_answer() -> None:
    """What libxml2 frees may not be read again; a sanitizer sees it, others see a wrong answer."""
    html = "".join(f"<meta name=n{n} content=c{n}>" for n in range(500)) + (
        "<p class='a b' id=x>text <x-y>more</x-y>" * 500
    )

    def root() -> Any:
        return etree.fromstring(html, parser=etree.HTMLParser())

    assert repr(emptied_by_collections(root(), walk)) == repr(walk(root()))


# -- trees that no HTML parser makes ---------------------------------------------------------------


LONE = (
    b"<html lang='a&#xdfff;'><head><title>T&#xd800;</title><meta name='description' "
    b"content='d&#xd800;'/><script type='application/ld+json'>{&#xd800;}</script></head><body>"
    b"<div class='s&#xd800;'><p id='&#xd83d;&#xde00;'>One &#xd800;two <b>three</b> fo&#xdfff;ur."
    b"</p></div></body></html>"
)


@pytest.mark.parametrize("name", extractor_names())
def test_lone_surrogates_of_xml_are_read_as_html_has_them(name: str) -> None:
    root = etree.fromstring(LONE, etree.XMLParser(recover=True))
    page = Page(root)
    assert page.buffer == "One \ufffdtwo three fo\ufffdur."
    assert page.title == "T\ufffd"
    assert page.language == "a\ufffd"
    assert page.strings == ["", "s\ufffd", "\ufffd\ufffd"]
    extract(root, extractor=name).text.encode()
    explain(root, extractor=name)
    learner = SiteLearner()
    learner.observe(page, extract(page, extractor=name))
    assert list(learner.memory) == [""]


@pytest.mark.parametrize("tree", [etree.ElementTree(), etree.ElementTree(None)])
def test_a_tree_without_root_is_no_page(tree: object) -> None:
    assert extract(tree).kind == "not_html"
    assert explain(tree) == ()


PHRASES = (("ab", "bab", "a b"), ("bb", "é a", "日本"))


@given(st.text("abB éÉ日本😀İ", max_size=12), st.integers(0, 12), st.integers(0, 12))
def test_phrases_are_found_whatever_their_case(text: str, start: int, stop: int) -> None:
    phrases = Phrases(*PHRASES)

    def said(text: str) -> int:
        lower = text.lower()
        return sum(
            any(each in lower for each in group) << number for number, group in enumerate(PHRASES)
        )

    assert phrases.groups_in(text) == said(text)
    spans = np.array([[start, 2], [stop, 9]], dtype=np.int32)
    inside = [text[first:last] for first, last in spans.T.tolist() if first < last <= len(text)]
    found = phrases.groups_in_slices(text, spans[0], spans[1], 9)
    assert found == said("\n".join(each for each in inside if len(each) <= 9))
