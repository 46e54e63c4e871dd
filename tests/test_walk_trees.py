"""Trees that no HTML parser makes: nothing raises."""

from __future__ import annotations

import pytest
from lxml import etree

from scrapy_boilerplate import Page, explain, extract
from scrapy_boilerplate.core.methods import extractor_names
from scrapy_boilerplate.learn import SiteLearner

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
