"""The next page of an article is found, and nothing else is taken for it."""

from __future__ import annotations

import pickle

import pytest
from cases import rows

from scrapy_boilerplate import Page, extract
from scrapy_boilerplate.core.answer.next_page import next_page

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


@pytest.mark.parametrize(("url", "links", "expected"), rows("next_pages"))
def test_only_the_next_page_is_found(url: str, links: str, expected: str) -> None:
    page, links, expected = (each.replace("{page}", STEM) for each in (url, links, expected))
    assert find(links, page or None) == expected


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


def test_the_first_base_counts_for_every_output() -> None:
    page = (
        "<base href=/first/><base href=/second/><link rel=canonical href=a><h1>Rain</h1>"
        f"<p>{'It rained all day. ' * 30}<a href=b>More</a> of it. {'It rained on. ' * 30}</p>"
    )
    answer = extract(page, url="https://example.com/x/a", extractor="mss-tuned")
    assert answer.metadata.canonical_url == "https://example.com/first/a"
    assert answer.links[0].href == "https://example.com/first/b"
