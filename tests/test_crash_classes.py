"""Pages that hang, kill or silently truncate other tools: each with the right answer.

Every method runs on each of them, on the biggest at a tenth of the size. All of it, with the
environment variable BOILERPLATE_FULL_SIZE, takes minutes.
"""

from __future__ import annotations

import os
from functools import cache

import pytest
from crash_cases import ARTICLE, CASES, MORE_THAN_A_NODE, SENTENCES
from lxml import etree
from lxml import html as lxml_html
from parsel import Selector
from scrapy.http import HtmlResponse

from scrapy_boilerplate import Page, extract, extractor_names, get_extractor
from scrapy_boilerplate.tools.testing.promises import check_answer, check_explanation

SLOW_TO_EXPLAIN = 300  # text nodes
FULL_SIZE = bool(os.environ.get("BOILERPLATE_FULL_SIZE"))


def page_of(name: str) -> Page:
    return Page.parse(CASES[name].make(), max_nodes=None)


@cache
def smaller_page_of(name: str) -> Page:
    smaller = CASES[name].smaller
    return Page.parse(smaller(), max_nodes=None) if smaller and not FULL_SIZE else page_of(name)


@pytest.mark.parametrize("name", CASES)
def test_what_a_page_says_of_itself(name: str) -> None:
    case = CASES[name]
    answer = extract((case.smaller or case.make)(), extractor="mss", tag_score=0.0)
    assert answer.metadata.sources.keys() <= answer.metadata.to_dict().keys()
    assert all(post.text for post in (*answer.comments, *answer.posts))


@pytest.mark.parametrize("name", CASES)
def test_no_text_is_lost(name: str) -> None:
    case, page = CASES[name], page_of(name)
    position = 0
    for text in (*case.has, *(case.main if not case.has else ())):
        position = page.buffer.find(text, position) + len(text)
        assert position >= len(text), f"{text!r} is missing"
    assert not [text for text in case.has_not if text in page.buffer]
    text, times = case.times
    assert not text or page.buffer.count(text) == times
    assert (page.is_html, page.truncated) == (case.is_html, case.truncated)
    if not text:
        assert page.reparsed == case.reparsed
    if not (case.has or case.main or case.times[1]):
        assert page.text_at.size == 0 or name.startswith("JSON")


@pytest.mark.parametrize("extractor", extractor_names())
@pytest.mark.parametrize("name", CASES)
def test_every_method(name: str, extractor: str) -> None:
    case, page = CASES[name], smaller_page_of(name)
    try:
        method = get_extractor(extractor)
    except ImportError as error:  # a method may need an extra
        pytest.skip(str(error))
    answer = method.extract(page)
    check_answer(method, page, answer)
    if not page.text_at.size and case.is_html:
        assert answer.kind == ("blocked" if case.is_blocked else "empty")
    found = " ".join(answer.text.split())
    assert not [text for text in case.main if text not in found]
    if page.text_at.size < SLOW_TO_EXPLAIN:
        check_explanation(method, page, answer)


# -- trees that others parsed ------------------------------------------------------------------


def test_a_tree_that_was_cut_is_flagged() -> None:
    """Without the source nothing can be read again; then the answer says so."""
    html = "<div>" * 5_000 + "deep" + "</div>" * 5_000 + ARTICLE
    for tree in (lxml_html.fromstring(html), Selector(text=html), Selector(text=html).root):
        page = Page(tree) if isinstance(tree, etree._Element) else Page.from_selector(tree)
        assert page.truncated == (SENTENCES[0] not in page.buffer)
        assert extract(tree).truncated == page.truncated
    huge_text = lxml_html.fromstring(f"<p>{'word ' * (MORE_THAN_A_NODE // 5)}</p>{ARTICLE}")
    assert Page(huge_text).truncated


def test_the_source_of_a_response_completes_its_tree() -> None:
    html = "<html><body>" + "<div>" * 5_000 + "deep" + f"</html>{ARTICLE}"
    response = HtmlResponse("http://example.com/", body=html.encode())
    before = etree.tostring(response.selector.root)
    page = Page.from_selector(response.selector, source=response.text)
    assert page.buffer.index("deep") < page.buffer.index(SENTENCES[0])
    assert page.root is not response.selector.root or not page.reparsed
    assert etree.tostring(response.selector.root) == before


def test_sources_with_lone_surrogates() -> None:
    selector = Selector(text="<html><body><p>one</p></body></html><p>two ?</p>")
    page = Page.from_selector(selector, source="<html><body><p>one</p></body></html><p>two \ud800")
    assert page.reparsed
    assert page.buffer == "onetwo \ufffd"


# -- encodings ---------------------------------------------------------------------------------

NO_ENCODINGS = "rot13 base64 hex zlib bz2 uu quopri idna punycode undefined unicode_escape".split()


@pytest.mark.parametrize("codec", [*NO_ENCODINGS, "raw_unicode_escape", "\ud800", "\0", ""])
def test_codecs_that_are_no_encodings(codec: str) -> None:
    body = f'<meta charset="{codec}"><p>Größe \\x41</p>'.encode("utf-8", "replace")
    for page in (
        Page.parse(body),
        Page.parse(body, encoding=codec),
        Page.parse(f'<?xml encoding="{codec}"?>'.encode("utf-8", "replace") + body),
    ):
        assert page.buffer == "Größe \\x41"


@pytest.mark.parametrize("name", ["article", "main", "section", "header"])
def test_elements_that_the_parser_leaves_in_the_head_are_read(name: str) -> None:
    page = Page.parse(f"<title>Rain</title><{name}><p>It rained.</p></{name}><p>All day.")
    assert page.root.find("head").find(name) is not None  # where a browser has it in the body
    assert page.lay_out(0, page.text_at.size) == "It rained.\n\nAll day."
    assert page.title == "Rain"
