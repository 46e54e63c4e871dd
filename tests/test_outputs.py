"""Markdown and HTML of a document: the same structure, read by other parsers than ours."""

from __future__ import annotations

import copy
import gc
import gzip
import json
import pickle
from collections import Counter
from pathlib import Path
from random import Random
from unittest import mock
from weakref import ref

import nh3
import numpy as np
import pytest
import structure
from cases import column, rows
from hypothesis import example, given
from hypothesis import strategies as st
from itemadapter import ItemAdapter
from lxml import html as lxml_html
from markup import documents
from parsel import Selector
from scrapy.http import HtmlResponse

from benchmarks import one_page
from scrapy_boilerplate import Extraction, Page, Segment, extract, extractor_names, get_extractor
from scrapy_boilerplate.core.answer.document import Document, Switches, build_document
from scrapy_boilerplate.core.answer.document.nodes import DefinitionList, Formula
from scrapy_boilerplate.core.answer.extraction import GIVEN, MADE_OUTPUTS, OUTPUTS
from scrapy_boilerplate.core.answer.output.html import html
from scrapy_boilerplate.core.answer.output.markdown import markdown
from scrapy_boilerplate.core.page.xpaths import XPaths

PAGES = sorted(Path(__file__).with_name("fixtures").glob("gate/*/pages/*.html.gz"))


def document(source: str | bytes) -> Document:
    """Return all of a page, its menus included."""
    page = Page.parse(source, url="https://example.com/")
    return build_document(page, np.ones(page.text_at.size, dtype=bool))


def says(source: str) -> str:
    """Return the Markdown of a page."""
    return markdown(document(source)).rstrip("\n")


@pytest.mark.parametrize(("source", "expected"), rows("markdown"))
def test_markdown(source: str, expected: str) -> None:
    assert says(source) == expected


@pytest.mark.parametrize("output", [markdown, html])
def test_nothing_kept_is_nothing(output) -> None:
    assert output(Document()) == ""


# -- two outputs, one structure --------------------------------------------------------------

INLINE = st.sampled_from("b i em strong del code a sub span br".split())
BLOCKS = st.sampled_from("p h1 h3 ul ol li blockquote table tr td pre div hr figure".split())
WORDS = st.sampled_from(
    [
        *("one", " two ", "3. ", "- ", "# ", "*", "**", "_", "`", "``", "~~", "[x](y)", "![z]"),
        *("&lt;b&gt;", "&amp;amp;", "\\", "|", "---", "===", "+ ", "&gt; ", "\n", "!", '"'),
        *("(", "é"),
        *("1) ", "~", "$", "a_b", "&#38;#35;", "<!-- c -->", "日本", "www.example.com", "[ ] "),
    ]
)


def _wrapped(names: st.SearchStrategy[str]) -> st.SearchStrategy[tuple[str, str]]:
    def tags(name: str) -> tuple[str, str]:
        if name in ("br", "hr"):
            return f"<{name}>", ""
        attribute = " href='/x?a=1&amp;b=(2)'" if name == "a" else ""
        return f"<{name}{attribute}>", f"</{name}>"

    return names.map(tags)


PARTS = st.recursive(
    WORDS,
    lambda inner: st.builds(
        lambda tags, parts: tags[0] + "".join(parts) + tags[1],
        _wrapped(INLINE) | _wrapped(BLOCKS),
        st.lists(inner, max_size=4),
    ),
    max_leaves=25,
)


def assert_same_structure(found: Document) -> None:
    """Assert that Markdown, read by markdown-it, says what the HTML says."""
    if any(isinstance(node, (DefinitionList, Formula)) for node in found.nodes):
        return  # which Markdown has no words for
    assert structure.of_markdown(markdown(found)) == structure.of_html(html(found))


@given(st.lists(PARTS, max_size=5).map("".join))
def test_markdown_and_html_agree(source: str) -> None:
    assert_same_structure(document(source))


@pytest.mark.parametrize("path", PAGES, ids=lambda path: f"{path.parts[-3]}-{path.name[:4]}")
def test_markdown_and_html_agree_on_real_pages(path: Path) -> None:
    assert_same_structure(document(gzip.decompress(path.read_bytes())))


# -- safe HTML -------------------------------------------------------------------------------

_ALLOWED = {"a": {"href"}, "img": {"src", "alt"}, "ol": {"start"}, "code": {"data-language"},
            "td": {"colspan", "rowspan"}, "th": {"colspan", "rowspan"},
            "input": {"type", "disabled", "checked"}}  # fmt: skip


def cleaned(markup: str) -> str:
    """Return what a sanitizer of another make leaves."""
    return nh3.clean(markup, tags=nh3.ALLOWED_TAGS | {"input"}, attributes=_ALLOWED, link_rel=None)


def normalised(markup: str) -> str:
    """Return the tree of some HTML, serialised."""
    tree = lxml_html.fragment_fromstring(markup, create_parent="div")
    text = lxml_html.tostring(tree, encoding="unicode")
    return text.replace("<tbody>", "").replace("</tbody>", "")  # which parsers add


@pytest.mark.parametrize("source", column("attacks"))
def test_a_sanitizer_finds_nothing_to_remove(source: str) -> None:
    found = html(document(source))
    assert normalised(cleaned(found)) == normalised(found)


@given(documents)
def test_a_sanitizer_finds_nothing_to_remove_from_any_page(source: str) -> None:
    found = html(document(source))
    assert normalised(cleaned(found)) == normalised(found)


@given(documents)
def test_html_reads_as_the_same_text(source: str) -> None:
    page = Page.parse(source, url="https://example.com/")
    if "math" in source or "<button" in source or "svg" in source or "template" in source:
        return  # formulas, and what is left out of code
    again = Page.parse("<html><body>" + html(document(source)) + "</body></html>")
    text = page.lay_out(0, page.text_at.size)
    assert "".join(again.lay_out(0, again.text_at.size).split()) == "".join(text.split())


# -- switches ----------------------------------------------------------------------------------

RAIN = "<p>It rained all <b>day</b> in the <a href=/town>town</a>, and nobody went out to look.</p>"
RICH = (
    f"<h1>Rain</h1>{RAIN * 3}<table><tr><th>Year<th>Drops<tr><td>2025"
    f"<td>twelve</table>{RAIN[:-4]}<img src=x.png alt=Rain></p>"
    f"<ol class=comments>"
    + "".join(
        f"<li class=comment id=comment-{n}><cite>Ada</cite> <time>2025-09-0{n}</time>"
        f"<p>I was there as well, and it was {word}.</p></li>"
        for n, word in enumerate(("wet", "cold"), 1)
    )
    + "</ol>"
)
MARKS = {
    "tables": ("twelve", "twelve", "twelve", "twelve", "twelve"),
    "comments": ("cold", "cold", "cold", "cold", "cold"),
    "images": (None, "![Rain]", "<img", "<graphic", None),
    "links": (None, "[town](https", "<a href", "<ref", None),
    "formatting": (None, "**day**", "<strong>", "<hi", None),
}
"""What says that a part is there, in each output of ``TEXTS``; nothing where it never is."""
TEXTS = ("text", "markdown", "html", "tei", "prevertical")
LISTS = {"tables": "tables", "images": "images", "links": "links"}


@pytest.mark.parametrize("extractor", ["auto", "mss-tuned"])
@pytest.mark.parametrize("switch", MARKS)
def test_switches_leave_parts_out_of_every_output(switch: str, extractor: str) -> None:
    page = Page.parse(RICH, url="https://example.com/rain")
    with_it = extract(page, extractor=extractor, **{switch: True})
    without = extract(page, extractor=extractor, **{switch: False})
    if switch == "comments" and extractor == "auto":  # a short page, all of which it takes
        with_it = extract(page, extractor="mss-tuned")
    for name, mark in zip(TEXTS, MARKS[switch], strict=True):
        if mark is not None:
            assert mark in getattr(with_it, name), name
            assert mark not in getattr(without, name), name
            assert mark not in without.to_dict()[name]
        assert "nobody went out to look" in getattr(without, name)
    if switch in LISTS:
        assert getattr(with_it, LISTS[switch])
        assert not getattr(without, LISTS[switch])
        assert not without.to_dict()[LISTS[switch]]
    assert "".join(markdown(part.document) for part in without.sections).split() == (
        without.markdown.split()
    )
    assert (len(without.comments), without.title) == (2, "Rain")  # not parts of the main content
    assert (without.text == with_it.text) is (switch not in ("tables", "comments"))
    assert_same_structure(without.document)
    assert pickle.loads(pickle.dumps(without)).markdown == without.markdown


@pytest.mark.parametrize(
    "table",
    [
        "<table>" + "<tr><th>Some words<td>A few more of them</tr>" * 9 + "</table>",
    ],
)
def test_a_page_that_is_a_table_is_empty_without_tables(table: str) -> None:
    answer = extract(table, extractor="mss", tag_score=0.0, tables=False)
    assert (answer.text, answer.kind, answer.markdown, answer.segments) == ("", "empty", "", ())


@example("<h1>", "comments")
@given(documents, st.sampled_from(["tables", "comments"]))
def test_switches_hold_on_any_page(source: str, switch: str) -> None:
    page = Page.parse(source)
    whole = extract(page, extractor="links")
    without = whole.switched(Switches(**{switch: False}))
    left = "".join(without.text.split())
    assert Counter(left) <= Counter("".join(whole.text.split()))
    html(without.document), without.prevertical
    assert [each.span for each in without.main] == sorted(each.span for each in without.main)


# -- documentation, and answers that outlive their pages -------------------------------------


def test_the_page_of_the_documentation_is_what_comes_out_now() -> None:
    """If not: ``python -m benchmarks.one_page``."""
    assert one_page.OUTPUT.read_text(encoding="utf-8") == one_page.one_page()


ARTICLE = (
    "<h1>A title</h1>" + "<p>Some <b>words</b> and <a href=/a>a link</a> of an article.</p>" * 9
)


def test_a_page_that_is_gone_is_read_again() -> None:
    method, pages, answers = get_extractor("mss-tuned"), [], []
    for n in range(12):
        page = Page.parse(f"{ARTICLE}<p>Number {n}.")
        pages.append(ref(page))
        answers.append(method.extract(page))
    del page
    gc.collect()
    assert [each() for each in pages] == [None] * 12
    assert [f"Number {n}." in each.markdown for n, each in enumerate(answers)] == [True] * 12


# -- many answers, few trees -------------------------------------------------------------------


def response_of(html: str, encoding: str = "utf-8") -> HtmlResponse:
    return HtmlResponse("https://example.com/a", body=html.encode(encoding), encoding=encoding)


@pytest.mark.parametrize("encoding", ["utf-8", "cp1252", "utf-16"])
def test_answers_of_responses_hold_no_trees(encoding: str) -> None:
    response = response_of(ARTICLE + "<p>One café.", encoding)
    answer = extract(response, extractor="mss-tuned")
    whole = answer.markdown
    again = extract(response, extractor="mss-tuned")
    page = ref(again._page())
    extract("<p>another page")  # the one before it is kept for what is asked next
    del response
    gc.collect()
    assert page() is None
    assert again.markdown == whole
    assert "café" in whole


FIRST_PAGES = {path.parts[-3]: path for path in reversed(PAGES)}


@pytest.mark.parametrize("site", FIRST_PAGES)
@pytest.mark.parametrize("seed", range(3))
def test_a_spider_may_change_the_tree_after_it_was_read(site: str, seed: int) -> None:
    body = gzip.decompress(FIRST_PAGES[site].read_bytes())
    selector = Selector(body=body)
    page = Page.from_selector(selector, url="https://example.com/a")
    answer = extract(page)
    nodes = list(selector.root.iter())[1:]
    for node in Random(seed).sample(nodes, len(nodes) // 3):
        parent = node.getparent()
        parent.remove(node)
        if seed:
            parent.append(node.makeelement("time", {"datetime": "2025-01-02"}))
    for read in OUTPUTS.values():
        read(answer)


def test_a_changed_tree_that_is_gone_is_not_taken_for_another() -> None:
    response = response_of(f"<div id=a>Some words of <b>a teaser</b>.</div>{ARTICLE}")
    response.css("#a")[0].drop()
    held = extract(response, extractor="mss-tuned")
    assert "**words**" in held.markdown
    answer = extract(response, extractor="mss-tuned")
    extract("<p>another page")
    del response, held
    gc.collect()
    assert "teaser" not in answer.markdown
    assert answer.markdown.split() == answer.text.split()
    assert answer.switched(Switches(tables=False)) is answer
    assert (answer.title, answer.posts) == ("A title", ())


# -- the text alone makes no segments; who asks for them gets what he always got ------------------

PARAGRAPH = "It rained here, and it went on raining, so that we stayed where we were all day. " * 4
HTML = (
    "<html lang=en><body><ul><li><a href=/>Home</a><li><a href=/n>News</a></ul><div><h1>Title</h1>"
    + f"<p>{PARAGRAPH}</p><ul><li>one item</ul>" * 9
)


@pytest.mark.parametrize("name", extractor_names())
def test_text_kind_and_confidence_make_no_xpath(name: str) -> None:
    page = Page.parse(HTML)
    with mock.patch.object(XPaths, "of_elements", side_effect=AssertionError):
        answer = get_extractor(name).extract(page)
        assert answer.text
        assert answer.kind != "empty"
        assert answer.kept(page).any()
        assert answer.markdown
        assert answer.metadata.language
        assert answer.main_spans.size
        assert answer.on(page).main_spans.size
        with pytest.raises(AssertionError):
            _ = answer.segments
        with pytest.raises(AssertionError):
            _ = answer.document.xpaths
    assert len(answer.document.xpaths) == len(answer.document.nodes)
    assert answer.main_spans.tolist() == [list(segment.span) for segment in answer.main]


def test_it_is_a_value_like_any_other() -> None:
    answer, same = extract(HTML, extractor="links"), extract(HTML, extractor="links")
    assert answer == same
    assert hash(answer) == hash(same)
    for other in (pickle.loads(pickle.dumps(answer)), copy.copy(answer), answer.replace()):
        assert other == answer
        assert other.segments == answer.segments
        assert other.main == answer.main
    given = Extraction("Text", (Segment("Text", "/html"),), (), "article")
    assert given.segments[0].text == "Text"
    assert not given.main_spans.size
    with pytest.raises(AttributeError, match="no attribute 'segment'"):
        answer.segment  # type: ignore[attr-defined]  # noqa: B018
    with pytest.raises(AttributeError):
        answer.main = ()


def test_it_is_no_item_and_has_a_plain_form() -> None:
    answer = extract(HTML, url="https://example.com/a")
    assert not ItemAdapter.is_item(answer)
    form = json.loads(json.dumps(answer.to_dict()))
    assert set(form) == {*GIVEN, *MADE_OUTPUTS}
    assert form == json.loads(json.dumps(pickle.loads(pickle.dumps(answer)).to_dict()))
    public = {name for name in vars(answer) if not name.startswith("_")}
    assert public <= {*dir(Extraction), *Extraction.__annotations__}
