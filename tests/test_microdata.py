"""What the elements of a page say in microdata: ``Page.nodes_with``."""

from __future__ import annotations

from lxml import html as lxml_html

from scrapy_boilerplate import Page


def test_places_are_those_of_all_elements() -> None:
    root = lxml_html.document_fromstring(
        "<html itemtype=root><body><!-- a --><p>One.<b itemprop=comment>two</b>"
        "<i itemtype=https://schema.org/Answer itemprop=suggestedAnswer>three</i>"
    )
    found = [(place, node.tag) for place, node in Page(root).nodes_with("itemprop", "itemtype")]
    assert found == [(0, "html"), (3, "b"), (4, "i")]


def test_nothing_is_said() -> None:
    assert Page.parse("<p class=itemprop>One.").nodes_with("itemprop", "itemtype") == []
