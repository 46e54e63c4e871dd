"""What a page says of itself."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scrapy_boilerplate import Page, extract
from scrapy_boilerplate.core.auto.declarations import ADDRESS, MARKUP, METADATA, metadata_features


def test_what_is_missing_is_unknown() -> None:
    assert metadata_features(Page.parse("<p>One.")) == dict.fromkeys(METADATA, -1.0)
    known = metadata_features(Page.parse("<p>One.", url="http://example.com/"))
    assert {name for name, value in known.items() if value == -1} == set(MARKUP)


@pytest.mark.parametrize("url", ["", "x", "http://[", "mailto:a@b.c", "\0", "//"])
def test_no_address(url: str) -> None:
    facts = metadata_features(Page.parse("<p>One.", url=url))
    assert {facts[name] for name in ADDRESS} == {-1.0}


@pytest.mark.parametrize(
    "declared", ["<link rel=canonical href={}>", "<meta property=og:url content={}>"]
)
def test_the_address_that_a_page_declares_speaks_where_none_is_given(declared: str) -> None:
    url = "https://a.example/blog/2024/05/a-storm-at-sea.html"
    html = f"<head>{declared.format(url)}</head><p>Text"
    known, told = (metadata_features(Page.parse(html, url=given)) for given in (url, None))
    assert known == told
    assert told["page_address_depth"] == 4
    other = metadata_features(Page.parse(html, url="https://b.example/"))
    assert other["page_address_depth"] == 0


def test_no_declared_address_is_an_error() -> None:
    for wrong in ("", "/a/b", "http://[c", "javascript:x"):
        page = Page.parse(f"<head><link rel=canonical href='{wrong}'></head><p>Text")
        assert {metadata_features(page)[name] for name in ADDRESS} == {-1.0}


def test_address() -> None:
    facts = metadata_features(
        Page.parse("<p>One.", url="https://shop.example.com/Product/a-b_c1.html?q=12")
    )
    assert facts["page_address_depth"] == 2
    assert facts["page_address_hyphens"] == 2
    assert facts["page_address_file"] == 1
    assert facts["page_address_query"] == 4
    assert facts["page_path_product"] == facts["page_host_product"] == 1
    assert facts["page_path_forum"] == facts["page_address_date"] == 0


@pytest.mark.parametrize("place", ["head", "body"])
def test_markup(place: str) -> None:
    html = f"""<html><{place}><meta property=og:type content=Product><meta name=Description
        content="Six cats."><script type="application/ld+json">{{"@graph": [{{"@type": "Offer"}},
        {{"@type": ["BlogPosting", "x"]}}]</script><script>"@type": "Recipe"</script></{place}>"""
    facts = metadata_features(Page.parse(html))
    assert facts["page_metas"] == 2
    assert facts["page_open_graph"] == 3
    assert facts["page_description"] == len("Six cats.")
    assert facts["page_schema_product"] == facts["page_schema_article"] == 1
    assert facts["page_schema_recipe"] == 0


@given(st.text(max_size=30))
def test_no_address_is_an_error(url: str) -> None:
    assert extract("<p>One sentence, and another one.", url=f"http://example.com/{url}").main
