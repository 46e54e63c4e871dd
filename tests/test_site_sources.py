"""Where a site hides its articles: learned from its pages, and used where one page does not tell.

The pages are those of real frameworks (``fixtures/frameworks``) with texts of our own.
"""

from __future__ import annotations

import json
import re

import frameworks
import pytest
from frameworks import BEGINNINGS, PAGES

from scrapy_boilerplate import Page, get_extractor
from scrapy_boilerplate.core.answer.extraction import Extraction
from scrapy_boilerplate.learn import LearningOptions, SiteLearner, SiteModel, Vote

METHOD = get_extractor("auto")
SITE = "bay.example"
NEXT = "#__NEXT_DATA__: props.pageProps.post.body"
SOURCES = {make: source for make, source in frameworks.SOURCES.items() if source}
PLACE = re.compile(  # where the scripts of each put the article
    r"<p>Loading …</p>(?=<!|</main)|<span>Loading …</span>|<div id=.post.></div>"
)
WALL = "<div><p>" + "Subscribe to read on, and support those who write each day. " * 30 + "</div>"
TEXTS = (
    "The wall broke in the year {0}, and the {0} people who lived behind it carried what they had "
    "up to the church, where the priest let them sleep between the benches until the water fell.",
    "A ship came in the summer of {0} with timber from the north, and nobody had ordered it; the "
    "captain sold every board to the {0} families without a roof, and took fish for it.",
    "Rain fell on all days of autumn {0}, so that the masons could not work; they played cards in "
    "the inn, wrote home, and drew the plan of a new dam on the back of a menu, for {0} coins.",
    "The lamp went out at Christmas {0}, when the keeper was ill, and his daughter climbed up with "
    "a lantern and swung it all night long; the {0} sailors who saw it gave her a golden watch.",
    "The ice melted in March {0}, and with it came stones as large as horses, which still lie on "
    "the meadow below the school; children count them each spring, and never get to {0}, they say.",
    "The mill burned down on a Sunday of {0}, while all were at the fair, and the miller built it "
    "again with bricks and {0} new windows; it grinds no more corn, but a baker lives in it today.",
)


def paragraphs(number: int, count: int = 6) -> list[str]:
    """Return the article of a page; one paragraph is too little for one page to tell."""
    return [text.format(number) for text in TEXTS[:count]]


def html(make: str, number: int, *, count: int = 6, shown: str = "") -> str:
    """Return a page of a framework with an article of its own, and *shown* for all to see."""
    text = (PAGES / f"{make}.html").read_text()
    texts = [*paragraphs(number, count), *[""] * 6]
    for begins, new in zip((*BEGINNINGS, "Whoever walks out"), texts, strict=False):
        text = re.sub(re.escape(begins) + r"[^<\\]*", new, text)
    text = text.replace("How the harbour wall was built", f"The year {number} at the bay")
    text, places = PLACE.subn(lambda place: place[0] + shown, text)
    assert places == 1
    return text


def article(number: int, count: int = 6) -> str:
    """Return an article as a page shows it, or its first paragraphs."""
    shown = "".join(f"<p>{each}</p>" for each in paragraphs(number, count))
    return f"<article><h1>The year {number} at the bay</h1>{shown}</article>"


def page(make: str, number: int, *, count: int = 6, shown: str = "") -> Page:
    text = html(make, number, count=count, shown=shown)
    return Page.parse(text, url=f"https://{SITE}/{number}")


def learned(pages: list[Page]) -> SiteModel:
    learner = SiteLearner(LearningOptions(freeze_pages=100))
    for each in pages:
        learner.observe(each, METHOD.extract(each))
    return learner.model(SITE) or SiteModel(SITE)


def model_of(make: str) -> SiteModel:
    return learned([page(make, number) for number in range(1801, 1811)])


MODELS = {make: model_of(make) for make in SOURCES}


def applied(model: SiteModel, asked: Page) -> Extraction:
    return model.apply(asked, METHOD, METHOD.extract(asked))


@pytest.mark.parametrize("make", SOURCES)
def test_the_source_is_learned_where_it_was_used(make: str) -> None:
    (vote, *_) = MODELS[make].sources
    assert vote == Vote(SOURCES[make], 10, 1.0)


@pytest.mark.parametrize("make", SOURCES)
def test_short_articles_are_read_where_the_site_has_them(make: str) -> None:
    asked = page(make, 1900, count=1)
    assert METHOD.extract(asked).source in ("", SOURCES[make])  # this if it has the title
    answer = applied(MODELS[make], asked)
    assert answer.source == SOURCES[make]
    assert answer.kind == "article"
    assert all(answer.text.count(each) == 1 for each in paragraphs(1900, 1))
    assert not any(word in answer.text for word in ("Loading", "Imprint", "Home"))
    assert paragraphs(1900, 1)[0] in answer.markdown


@pytest.mark.parametrize("make", SOURCES)
def test_a_page_with_a_wall_goes_on_in_its_source(make: str) -> None:
    asked = page(make, 1900, shown=article(1900, 1) + WALL)
    assert not METHOD.extract(asked).source
    answer = applied(MODELS[make], asked)
    assert answer.source == SOURCES[make]
    assert all(answer.text.count(each) == 1 for each in paragraphs(1900, 5))
    assert "Subscribe" not in answer.text


@pytest.mark.parametrize("make", SOURCES)
def test_a_site_of_walls_teaches_its_source(make: str) -> None:
    walled = [page(make, number, shown=article(number, 1) + WALL) for number in range(1801, 1831)]
    assert not any(METHOD.extract(each).source for each in walled)
    assert SOURCES[make] in learned(walled).all_sources


OWN = (
    "<article>" + "".join(f"<p>Then {each.lower()}</p>" for each in paragraphs(1700)) + "</article>"
)
LIST = "".join(
    f"<div><h3><a href=/{n}>The year {n}</a></h3><p>{paragraphs(n)[0]}</p></div>"
    for n in range(1601, 1613)
)


@pytest.mark.parametrize("make", SOURCES)
@pytest.mark.parametrize("shown", [OWN, article(1900), article(1900, 3)[:-20]])
def test_a_page_with_its_article_is_read_as_it_stands(make: str, shown: str) -> None:
    count = 3 if shown.startswith(article(1900, 3)[:-20]) else 6
    asked = page(make, 1900, count=count, shown=f"<h1>The bay</h1>{shown}")
    alone = METHOD.extract(asked)
    if alone.source:
        pytest.skip("the page alone reads its source")
    answer = applied(MODELS[make], asked)
    assert not answer.source
    assert MODELS[make].shown(asked, METHOD) is asked


@pytest.mark.parametrize("make", ["nuxt-client", "astro-client"])
def test_a_page_of_lists_stays_one_without_the_title_beside_the_source(make: str) -> None:
    asked = page(make, 1900, shown=LIST)
    assert not METHOD.extract(asked).source
    assert not applied(MODELS[make], asked).source


def test_what_all_pages_have_is_no_article() -> None:
    def with_notice(number: int) -> Page:
        notice = {"notice": {"html": "".join(f"<p>{each}</p>" for each in paragraphs(1))}}
        state = f"<script type=application/json>{json.dumps(notice)}</script>"
        return Page.parse(f"<title>{number}</title>{state}", url=f"https://{SITE}/{number}")

    pages = [with_notice(number) for number in range(10)]
    assert not any(each.source for each in pages)
    assert not learned(pages).sources


# -- what is stored --------------------------------------------------------------------------------


def test_a_model_is_written_and_edited() -> None:
    form = MODELS["next-client"].to_dict()
    assert form["sources"] == [{"source": NEXT, "pages": 10, "score": 1.0}]
    assert SiteModel.from_bytes(MODELS["next-client"].to_bytes()) == MODELS["next-client"]
    by_hand = SiteModel.from_dict({"site": SITE, "sources": {"source": NEXT}})
    assert applied(by_hand, page("next-client", 1900, count=1)).source == NEXT


@pytest.mark.parametrize(
    "name", ["div.post", "//p", "x" * 100_000, "a: " + "b" * 400, "a: \x00", ""]
)
def test_what_is_no_source_is_refused(name: str) -> None:
    with pytest.raises(ValueError, match="source"):
        SiteModel.from_dict({"site": SITE, "sources": [{"source": name, "pages": 3}]})
