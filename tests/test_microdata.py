"""What the elements of a page say in microdata: ``posts.units``."""

from __future__ import annotations

from lxml import html as lxml_html

from scrapy_boilerplate import Page
from scrapy_boilerplate.core.answer.posts.units import read_items


def test_places_are_those_of_all_elements() -> None:
    root = lxml_html.document_fromstring(
        "<html itemtype=root><body><!-- a --><p>One.<b itemprop=comment>two</b>"
        "<i itemtype=https://schema.org/Answer itemprop=suggestedAnswer>three</i>"
    )
    answer = (4, "suggestedAnswer", "https://schema.org/Answer")
    assert list(read_items(Page(root))) == [(3, "comment", ""), answer]


def test_nothing_is_said() -> None:
    assert list(read_items(Page.parse("<p class=itemprop>One."))) == []
