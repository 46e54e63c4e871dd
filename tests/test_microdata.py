"""What the elements of a page say in microdata: ``posts.microdata``."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree
from lxml import html as lxml_html

from scrapy_boilerplate.core.answer.posts import microdata
from scrapy_boilerplate.core.native import load_native

native: Callable[[etree._Element], list[tuple[int, str, str]]] | None = load_native(
    "core.answer.posts._microdata_native", "items"
)
needs_native = pytest.mark.skipif(native is None, reason="not compiled here")

tags = st.builds(
    lambda name, attributes: f"<{name} {' '.join(attributes)}>text",
    st.sampled_from(["div", "p", "li", "!-- --", "/div", "x:b", "meta", "svg", "?pi"]),
    st.lists(
        st.sampled_from(
            [
                "itemprop",
                "itemprop=''",
                "itemprop=comment",
                "itemtype=é",
                "class=itemprop",
                "ITEMTYPE=b",
            ]
        ),
        max_size=3,
    ),
)


@needs_native
@given(st.lists(tags, max_size=12).map("".join))
def test_compiled_items_equal_their_twin(html: str) -> None:
    assert native is not None
    root = lxml_html.document_fromstring(f"<p>{html}")
    for element in root.iter(etree.Element):
        assert native(element) == list(microdata.items(element))


@needs_native
def test_attributes_that_a_dtd_gives() -> None:
    assert native is not None
    root = etree.fromstring('<!DOCTYPE a [<!ATTLIST b itemprop CDATA "comment">]><a><b/><c/></a>')
    assert native(root) == list(microdata.items(root)) == [(1, "comment", "")]


@pytest.mark.parametrize("items", [microdata.items, pytest.param(native, marks=needs_native)])
def test_places_are_those_of_all_elements(items: Callable[..., list[tuple[int, str, str]]]) -> None:
    root = lxml_html.document_fromstring(
        "<html itemtype=root><body><!-- a --><p>One.<b itemprop=comment>two</b>"
        "<i itemtype=https://schema.org/Answer itemprop=suggestedAnswer>three</i>"
    )
    answer = (4, "suggestedAnswer", "https://schema.org/Answer")
    assert list(items(root)) == [(3, "comment", ""), answer]
