"""The published algorithm beside which benchmarks show our learner."""

from __future__ import annotations

from generated_sites import METHOD, Made, Site, single

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


def test_the_published_algorithm_finds_an_end_of_several_tags() -> None:
    """Headings stand inside the article, too; only with the list after it one is its end."""

    def page(number: int) -> Made:
        paragraphs = SITE.paragraphs(number)
        body = "".join(
            f"<h2>Part {SITE.title(10 * number)}</h2><p>{text}</p>" for text in paragraphs
        )
        tail = "<h2>More</h2><ul><li>" + "<li>".join(SITE.headlines) + "</ul>"
        html = f"<article class=full>{body}{tail}</article>"
        return Made(f"https://{SITE.host}/{number}", html, "\n\n".join(paragraphs))

    learner = GoldMiner()
    for number in range(12):
        learner.observe(*single(page(number)))
    model = learner.model()
    assert model.container == '<article class="full">'
    assert model.end == ("<h2>", "<ul>")
    assert SITE.headlines[0] not in model.apply(page(99).page(), METHOD).text
