"""The next page of an article is found, and nothing else is taken for it."""

from __future__ import annotations

import pickle

import pytest

from scrapy_boilerplate import Page, extract
from scrapy_boilerplate.core.answer.next_page import next_page
from scrapy_boilerplate.tools.testing import assert_linear

URL = "https://example.com/2024/long-story-of-rain.html"
STEM = URL.removesuffix(".html")
TEXT = "".join(
    f"<p>It rained on day {number} of that month too, and the people of the town stayed at home, "
    "read what there was to read, and waited for the river to fall again.</p>"
    for number in range(12)
)


def find(links: str, url: str | None = URL, head: str = "", *, is_thread: bool = False) -> str:
    html = f"<head><title>The story of rain</title>{head}</head><h1>The story of rain</h1>{TEXT}"
    return next_page(Page.parse(f"{html}<div>{links}</div>", url=url), is_thread=is_thread)


@pytest.mark.parametrize(
    ("url", "links", "expected"),
    [
        (URL, "1 <a href='?page=2'>2</a> <a href='?page=3'>3</a>", f"{URL}?page=2"),
        (URL, "<a href='?page=3'>Last</a> <a href='?page=2'>Next page</a>", f"{URL}?page=2"),
        (f"{URL}?page=2", "<a href='?page=1'>1</a> 2 <a href='?page=3'>3</a>", f"{URL}?page=3"),
        (f"{URL}?page=3", "<a href='?page=1'>1</a> <a href='?page=2'>2</a> 3", ""),
        (URL, f"<a href='{STEM}_2.html'>下一页</a>", f"{STEM}_2.html"),
        (URL, f"1 <a href='{STEM}_1.html'>2</a> <a href='{STEM}_2.html'>3</a>", f"{STEM}_1.html"),
        (URL, f"<a href='{STEM}-2.html'>[2]</a>", f"{STEM}-2.html"),
        (STEM, f"<a href='{STEM}/2/'>Suivante</a>", f"{STEM}/2/"),
        (STEM + "/2/", f"<a href='{STEM}/3/'>Weiter »</a>", f"{STEM}/3/"),
        (URL, "<a href='?seite=2'>Nächste Seite</a>", f"{URL}?seite=2"),
        (URL, "<a href='?pagina=2'>Siguiente</a>", f"{URL}?pagina=2"),
        (URL, "<a href='?p=2'>Далее</a>", f"{URL}?p=2"),
        (URL, "<a href='?page=2'><img alt='next'></a>", f"{URL}?page=2"),
        (URL, "<a href='?page=2' aria-label='Next'><svg></svg></a>", f"{URL}?page=2"),
        ("http://example.com/a?id=7&p=1", "<a href='?id=7&p=2'>&gt;</a>", "http://example.com/a?id=7&p=2"),
        ("http://a.pl/x,1,49,y.html", "<a href='/x,2,49,y.html'>2</a>", "http://a.pl/x,2,49,y.html"),
        # None of the same text.
        (URL, "<a rel=next href='/2024/another-story.html'>Next</a>", ""),
        (URL, "<a rel=next href='/2024/long-story-of-rain-2.html'>The rain goes on</a>", ""),
        ("http://a.com/chapter-5", "<a rel=next href='/chapter-6'>Next</a>", ""),
        ("http://a.com/news/57", "<a rel=next href='/news/58'>Next</a>", ""),
        ("http://a.com/2024/5/1/", "<a href='/2024/5/2/'>2</a> <a href='/2024/5/3/'>3</a>", ""),
        ("http://a.com/", "1 <a href='/page/2/'>2</a>", ""),
        ("http://a.com/rain/", "1 <a href='/rain/page/2/'>2</a>", ""),
        ("http://a.com/category/rain", "1 <a href='/category/rain?page=2'>2</a>", ""),
        (URL, "<a href='https://example.net/2024/long-story-of-rain.html?page=2'>2</a>", ""),
        (URL, "<a href='?page=3'>3</a>", ""),
        (URL, "<a href='?page=2'>Two storms that changed the town and its river for good</a>", ""),
        (URL, "<a href='?slide=2'>Next</a> <a href='?photo=2'>2</a>", ""),
        (URL, "<a href='?cpage=2#comments'>2</a> <a href='comment-page-2'>2</a>", ""),
        (URL, "<section id=comments>1 <a href='?page=2'>2</a></section>", ""),
        (URL, "<a href='#page-2'>2</a> <a href='javascript:next(2)'>Next</a>", ""),
        (URL, "<a href='http://[page=2'>2</a> <a href='mailto:a2@example.com'>2</a>", ""),
        (None, "<a href='?page=2'>2</a>", ""),
        ("http://[a", "<a href='?page=2'>2</a>", ""),
    ],
)  # fmt: skip
def test_only_the_next_page_is_found(url: str | None, links: str, expected: str) -> None:
    assert find(links, url) == expected


@pytest.mark.parametrize(
    ("url", "links", "expected"),
    [
        ("http://a.com/t?t=9", "<a href='?t=9&start=15&sid=5'>2</a>", "t=9&start=15&sid=5"),
        ("http://a.com/t?t=9&start=15", "<a href='?t=9&start=30'>Next</a>", "t=9&start=30"),
        ("http://a.com/t?topic=123.0", "<a href='?topic=123.20'>2</a>", "topic=123.20"),
    ],
)  # fmt: skip
def test_pages_of_a_thread_may_be_counted_by_posts(url: str, links: str, expected: str) -> None:
    assert find(links, url, is_thread=True) == f"http://a.com/t?{expected}"
    assert not find(links, url)


@pytest.mark.parametrize("other", ["https://other.example", "https://example.com:8080"])
def test_a_page_does_not_continue_on_another_server(other: str) -> None:
    head = f"<link rel=canonical href='{other}/rain'>"
    link = f"<a href='{other}/rain?page=2'>2</a>"
    assert find(link, None, head) == f"{other}/rain?page=2"  # nobody knows its address
    assert find(link, URL, head) == ""


def test_declared_addresses_count() -> None:
    head = f"<base href='https://example.com/x/'><link rel=canonical href='{URL}'>"
    assert find("<a href='?page=2'>2</a>", None, head) == ""
    assert find(f"<a href='{URL}?page=2'>2</a>", None, head) == f"{URL}?page=2"
    assert find("", head=f"<link rel=next href='{URL}?page=2'>") == f"{URL}?page=2"


@pytest.mark.parametrize(
    ("head", "expected"),
    [
        ("", f"{URL}?page=2"),
        ("<meta property=og:type content=article>", f"{URL}?page=2"),
        ("<meta property=og:type content=website>", ""),
        ('<script type="application/ld+json">{"@type": "CollectionPage"}</script>', ""),
    ],
)
def test_an_extraction_has_it_if_its_page_is_one_text(head: str, expected: str) -> None:
    html = f"<title>Rain</title>{head}<h1>The story of rain</h1>{TEXT}1 <a href='?page=2'>2</a>"
    answer = extract(html, url=URL)
    assert answer.kind == "article"
    assert answer.next_page == expected
    assert answer.to_dict()["next_page"] == expected
    assert pickle.loads(pickle.dumps(answer)).next_page == expected


def test_a_page_without_text_has_none() -> None:
    assert extract("<a href='?page=2'>2</a>", url=URL).next_page == ""


@pytest.mark.parametrize(
    "unit",
    ["<a href='?page=2'>next</a>", "<a href='/page-1_2,3'>2</a>", "&page=2"],
)
def test_many_links_cost_linear_time(unit: str) -> None:
    assert_linear(
        lambda size: f"<a href='?a{unit * size}'>2</a>" if unit[0] == "&" else unit * size,
        lambda html: next_page(Page.parse(html, url=URL)),
        2000,
    )


def test_the_first_base_counts_for_every_output() -> None:
    page = (
        "<base href=/first/><base href=/second/><link rel=canonical href=a><h1>Rain</h1>"
        f"<p>{'It rained all day. ' * 30}<a href=b>More</a> of it. {'It rained on. ' * 30}</p>"
    )
    answer = extract(page, url="https://example.com/x/a", extractor="mss-tuned")
    assert answer.metadata.canonical_url == "https://example.com/first/a"
    assert answer.links[0].href == "https://example.com/first/b"
