"""What a page says of itself."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from parsel import Selector

from scrapy_boilerplate import Page, extract
from scrapy_boilerplate.core.auto import metadata as module
from scrapy_boilerplate.core.auto.metadata import ADDRESS, MARKUP, METADATA, metadata_features
from scrapy_boilerplate.core.native import load_native
from scrapy_boilerplate.core.page.walk import walk, walk_in_python

native: Callable[[Any, int], Iterable[tuple[str, str]]] | None = load_native(
    "core.auto._metadata_native", "declarations"
)

values = st.text(st.sampled_from("ab:é&\"'< \n"), max_size=6)
attributes = st.dictionaries(
    st.sampled_from(["name", "property", "itemprop", "content", "NAME", "type"]),
    values | st.just("application/ld+json"),
    max_size=4,
)
elements = st.builds(
    lambda name, found, text: (
        f"<{name} "
        + " ".join(f'{key}="{value.replace(chr(34), "&quot;")}"' for key, value in found.items())
        + f">{text}"
    ),
    st.sampled_from(["meta", "META", "script", "p", "head", "svg", "/script", "/head", "x:meta"]),
    attributes,
    values,
)


@pytest.mark.skipif(native is None, reason="not compiled here")
@given(st.lists(elements, max_size=12).map("".join))
def test_compiled_declarations_equal_their_twin(html: str) -> None:
    assert native is not None
    root = Selector(text=html or "<p>", type="html").root
    assert list(native(root, 3)) == list(module.declarations(root, 3))
    whole = list(module.declarations(root, sum(1 for _ in root.iter())))
    assert list(native(root, walk(root).declared)) == whole
    assert list(module.declarations(root, walk_in_python(root).declared)) == whole


def test_what_is_missing_is_unknown() -> None:
    assert metadata_features(Page.parse("<p>One.")) == dict.fromkeys(METADATA, -1.0)
    known = metadata_features(Page.parse("<p>One.", url="http://example.com/"))
    assert {name for name, value in known.items() if value == -1} == set(MARKUP)


@pytest.mark.parametrize("url", ["", "x", "http://[", "mailto:a@b.c", "\0", "//"])
def test_no_address(url: str) -> None:
    facts = metadata_features(Page.parse("<p>One.", url=url))
    assert {facts[name] for name in ADDRESS} == {-1.0}


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
        {{"@type": ["BlogPosting", "x"]}}]</script><script>"@type": "Event"</script></{place}>"""
    facts = metadata_features(Page.parse(html))
    assert facts["page_metas"] == 2
    assert facts["page_open_graph"] == 3
    assert facts["page_description"] == len("Six cats.")
    assert facts["page_schema_product"] == facts["page_schema_article"] == 1
    assert facts["page_schema_event"] == 0


@given(st.text(max_size=30))
def test_no_address_is_an_error(url: str) -> None:
    assert extract("<p>One sentence, and another one.", url=f"http://example.com/{url}").main
