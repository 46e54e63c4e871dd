"""The published algorithm beside which benchmarks show our learner."""

from __future__ import annotations

from generated_sites import METHOD, Site, single

from benchmarks.goldminer import GoldMiner
from scrapy_boilerplate import Page

SITE = Site()


def test_the_published_algorithm() -> None:
    learner = GoldMiner()
    assert learner.model() is None
    for made in SITE.pages(12):
        learner.observe(*single(made))
    model = learner.model()
    assert model.container in ('<div class="story">', '<div id="main">')
    page = SITE.article(500).page()
    answer = model.apply(page, METHOD)
    assert all(text in answer.text for text in SITE.paragraphs(500))
    assert "All rights reserved" not in answer.text
    assert all(segment.text == page.lay_out(*segment.span) for segment in answer.main)
    assert model.apply(Page.parse("<p>Words of another template."), METHOD).text == ""
    assert model.apply(Page.parse(""), METHOD).kind == "empty"
