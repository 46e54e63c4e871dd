"""The picture of decisions shows what the methods do."""

from __future__ import annotations

import pytest
from lxml import etree

from benchmarks import decisions
from scrapy_boilerplate import Page, extract


def test_the_picture_is_drawn_from_the_methods_as_they_are() -> None:
    pytest.importorskip("justext")
    page = Page.parse(decisions.PAGE.read_bytes())
    found = decisions.strips(page)
    assert [strip.name for strip in found] == list(decisions.CURVES)
    for strip in found:
        kept = [each.span for each in extract(decisions.PAGE, extractor=strip.name).main]
        words = sum(int(page.words[start:stop].sum()) for start, stop in kept)
        assert sum(stop - start for start, stop in strip.kept) == words, strip.name
    drawn = decisions.OUTPUT.read_text(encoding="utf-8")
    assert decisions.draw(page, found) == drawn, "run python -m benchmarks.decisions"
    assert len(etree.fromstring(drawn.encode()).xpath("//*[local-name()='polyline']")) == len(found)
    start, stop = decisions.article(page)
    assert 0 < start < stop < page.words.sum()
