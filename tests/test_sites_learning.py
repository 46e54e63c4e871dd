"""What is learned of a site, and what follows from the number of its pages."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from weakref import ref

import numpy as np
import pytest
from generated_sites import METHOD, Made, Site, Weighing, believed, learned, single, taught
from lxml import etree
from parsel import Selector

from scrapy_boilerplate import Extractor, Page, get_extractor
from scrapy_boilerplate.core.answer.extraction import Extraction, Kind
from scrapy_boilerplate.core.answer.record import Segment
from scrapy_boilerplate.core.methods.base import Verdict
from scrapy_boilerplate.learn import LearningOptions, SiteLearner, SiteModel
from scrapy_boilerplate.learn.template import view_of
from scrapy_boilerplate.tools.testing.promises import check_answer, check_segments

SITE = Site()
ARTICLES = [SITE.article(number) for number in range(500, 504)]
TAGS = [SITE.tag_page(number) for number in range(70, 73)]
HOST = "news.example"


def answers(learner: SiteLearner, tested: list[Made]) -> list[str]:
    model = learner.model(HOST)
    return [model.apply(made.page(), METHOD).text for made in tested]


# -- the policy ------------------------------------------------------------------------------


def test_one_page_teaches_nothing() -> None:
    assert taught(SITE.pages(1)).model(HOST) is None


@pytest.mark.parametrize("size", [2, 4, 7])
def test_no_text_of_its_own_is_called_empty_before_it_is_safe(size: int) -> None:
    stranger = Page.parse(f"<main>{'<p>Another template has other words. ' * 9}</main>")
    model = learned(size)
    assert not model.safe
    assert model.apply(stranger, METHOD) == METHOD.extract(stranger)
    found = [model.apply(made.page(), METHOD).text for made in TAGS]
    assert any(found) is (size < 3)  # links alone are no text of their own


def test_pages_of_lists_are_empty_once_it_is_safe() -> None:
    found = [learned(8, 2).apply(made.page(), METHOD) for made in (*TAGS, *ARTICLES)]
    assert [each.text for each in found] == ["", "", "", *(made.gold for made in ARTICLES)]
    assert [each.kind for each in found[:3]] == ["list"] * 3
    one_entry = SITE.tag_page(80, entries=1).page()
    assert learned(9, 3).apply(one_entry, METHOD).text == ""


def test_the_site_decides_what_is_a_list() -> None:
    """A method that takes articles for lists, and lists for articles, is overruled."""
    model = learned(8, 2)
    for made, said, kind in ((ARTICLES[0], "list", "article"), (TAGS[0], "article", "list")):
        page = made.page()
        alone = METHOD.extract(page).replace(kind=said)
        assert model.apply(page, METHOD, alone).kind == kind
        assert model.apply(made.page(), Says(said)).kind == kind


@dataclass(frozen=True)
class Says(Extractor):
    """A method that says one kind of all pages, and makes segments when somebody asks."""

    name = "says"
    kind: Kind = "list"

    def judge(self, page: Page) -> Verdict:
        return METHOD.judge(page)._replace(kind=self.kind)


def test_a_site_is_frozen_once() -> None:
    learner = SiteLearner()
    events = [learner.observe(*single(made)) for made in SITE.pages(30, 2)]
    assert events.count("frozen") == 1
    assert events.index("frozen") == 19
    assert learner.is_frozen(HOST)
    assert not learner.memory.peek(HOST).fingerprints
    assert answers(learner, ARTICLES) == [made.gold for made in ARTICLES]


def test_a_site_of_lists_only_is_not_locked_early() -> None:
    learner = SiteLearner(LearningOptions(safe_pages=3, freeze_pages=4))
    events = [learner.observe(*single(SITE.tag_page(number))) for number in range(60, 90)]
    assert "frozen" not in events[:4]
    assert "frozen" in events


NAMES = (
    "alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi omicron pi".split()
)


def mixed(number: int) -> Made:
    """Return a page of a host whose every page is of another make."""
    name = f"{NAMES[number % 16]}-{NAMES[number // 16 % 16]}"
    make = Site(seed=number, container=name, main=f"{name}-main")
    return make.tag_page(number) if number % 9 == 8 else make.article(number)


def test_a_host_of_pages_of_many_makes_is_left_alone() -> None:
    learner = SiteLearner(LearningOptions(safe_pages=4, freeze_pages=6, drift_pages=10))
    events = []
    for number in range(200):
        page, alone = single(mixed(number))
        events.append(learner.observe(page, alone))
        model = learner.model(HOST)
        assert model is None or model.apply(page, METHOD, alone).text
    # Each time it is tried after twice as many pages, and takes 12 pages.
    assert events.count("relearning") <= 4
    assert learner.is_frozen(HOST)


def test_a_host_that_got_a_template_is_learned_after_all() -> None:
    options = LearningOptions(safe_pages=4, freeze_pages=6, drift_pages=10)
    learner = taught([mixed(number) for number in range(16)], SiteLearner(options))
    assert learner.is_frozen(HOST)
    assert learner.model(HOST) is None
    taught([SITE.article(number) for number in range(25)], learner)
    assert answers(learner, ARTICLES) == [made.gold for made in ARTICLES]


def test_a_site_that_is_not_frozen_goes_on_learning() -> None:
    learner = SiteLearner(LearningOptions(freeze_pages=1000))
    for number in range(140):
        learner.observe(*single(SITE.article(number)))
        model = learner.model(HOST)
    assert model is not None
    assert model.pages > 140 / 1.5


@pytest.mark.parametrize("url", ["http://[unclosed", "http://a.example:port/x", "no address"])
def test_pages_of_odd_addresses_teach(url: str) -> None:
    learner = SiteLearner(key=lambda url: "site")
    page = Page.parse("<h1>Rain</h1>" + "<p>It rained all day in the town. " * 9, url=url)
    learner.observe(page, METHOD.extract(page))
    assert learner.memory.get("site") is not None


@pytest.mark.parametrize(
    "wrong",
    [
        {"min_pages": 1},
        {"safe_pages": 1},
        {"freeze_pages": 5},
        {"coverage": 1.5},
        {"template_share": -0.1},
    ],
)
def test_options_are_checked(wrong: dict[str, float]) -> None:
    with pytest.raises(ValueError, match=next(iter(wrong))):
        LearningOptions(**wrong)


# -- what is learned -------------------------------------------------------------------------


def test_an_article_that_teasers_quote_keeps_its_text() -> None:
    quoting = [SITE.tag_page(0), SITE.tag_page(0, entries=8)]  # both quote articles 0 to 5
    learner = taught([*SITE.pages(9), *quoting])
    assert answers(learner, [SITE.article(2)]) == [SITE.article(2).gold]


def test_near_duplicates_do_not_vote_against_each_other() -> None:
    """Each article has a print view under another address."""
    views = [SITE.article(n, path=path) for n in range(6) for path in ("article", "print")]
    learner = taught(views)
    assert answers(learner, [SITE.article(3)]) == [SITE.article(3).gold]
    assert answers(learner, ARTICLES) == [made.gold for made in ARTICLES]


def test_stubs_do_not_vote() -> None:
    stub = (
        "<title>{0}</title><div id=main><div class=stub><p>See {0} for more words.</p></div></div>"
    )
    stubs = [Made(f"https://{HOST}/stub/{n}", stub.format(f"Entry {n}"), "") for n in range(8)]
    model = taught([*stubs, *SITE.pages(5)]).model(HOST)
    assert [vote.name for vote in model.containers] == ["div.story"]


def test_a_model_that_disagrees_loses_its_vote() -> None:
    """The method keeps something else on every page: no container holds it."""
    learner = SiteLearner()
    for made in SITE.pages(12):
        page = made.page()
        third = page.blocks[len(page.buffer) % 3 :: 3]
        learner.observe(page, answer_of(page, map(tuple, third.tolist())))
    assert learner.model(HOST) is None


# -- applying --------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["mss-tuned", "justext", "links", "energy"])
def test_answers_are_of_the_page_that_was_given(name: str) -> None:
    method = get_extractor(name)
    model = learned(10)
    for made in [*ARTICLES, *TAGS]:
        page = made.page()
        before = etree.tostring(page.root)
        answer = model.apply(page, method)
        assert etree.tostring(page.root) == before
        assert answer == model.apply(page, method) == model.apply(made.page(), method)
        assert answer.extractor == method.name
        check_answer(method, page, answer)
        check_segments(page, answer)


def test_every_block_is_explained() -> None:
    model = learned(10)
    page = ARTICLES[0].page()
    blocks = model.explain(page, METHOD)
    assert "".join(block.text for block in blocks).split() == page.buffer.split() or blocks
    titles = [s.text for s in model.apply(page, METHOD).main if s.role == "title"]
    assert titles == [SITE.title(500)]
    by_text = {block.text: block.reason.partition(" (")[0] for block in blocks}
    assert by_text["Home"] == "site: outside the site's container"
    assert by_text[SITE.title(500)] == "site: the article's title"
    assert by_text[SITE.headlines[0]] in (
        "site: repeats on other pages of the site",
        "site: boilerplate template path",
    )
    kept = [block.text for block in blocks if block.kept]
    assert kept == ARTICLES[0].gold.split("\n\n")
    reasons = {block.reason for block in model.explain(TAGS[0].page(), METHOD)}
    assert {reason.partition(" (")[0] for reason in reasons} == {
        "site: no article: div.story occurs several times: a page of lists"
    }


def test_a_method_of_another_make_will_do() -> None:
    """All that a method must have is a name and ``extract``."""

    class First:
        name = "first"

        def extract(self, page: Page) -> Extraction:
            return answer_of(page, [(0, 1)]).replace(extractor=self.name)

    model = learned(10)
    answer = model.apply(ARTICLES[0].page(), First())
    assert answer.text == ARTICLES[0].gold  # the site's content template paths are kept besides
    assert answer.extractor == "first"


class Counting:
    """A method that counts how often it is asked, and says how sure it is of its answer."""

    name = "counting"

    def __init__(self, confidence: float | None) -> None:
        self.confidence = confidence
        self.asked = 0

    def extract(self, page: Page) -> Extraction:
        self.asked += 1
        return METHOD.extract(page).replace(extractor=self.name, confidence=self.confidence)


def test_what_the_method_found_on_the_whole_page_is_not_asked_for_again() -> None:
    model = learned(10)
    page, alone = single(ARTICLES[0])
    method = Counting(None)
    answer = model.apply(page, method, alone)
    assert answer.text == ARTICLES[0].gold
    assert method.asked == 0
    assert model.apply(page, method) == answer.replace(extractor=method.name)
    assert method.asked == 1
    assert model.apply(TAGS[0].page(), method).text == ""
    assert method.asked == 2  # no page is emptied unless it is known what the method finds on it


def answer_of(
    page: Page, spans: Iterable[tuple[int, int]], confidence: float | None = None
) -> Extraction:
    """Return an answer that has these spans of a page."""
    spans = list(spans)
    main = tuple(Segment(page.lay_out(*span), page.xpath_of(*span), span=span) for span in spans)
    text = page.join(spans, [segment.text for segment in main])
    return Extraction(text, main, main, "article", confidence, "mss")


def stub(text: str, around: str = "") -> Page:
    """Return a page whose story is one link, as those of untranslated pages are."""
    head = SITE.title(900)
    return Page.parse(
        f"<title>{head}</title><div id=main><h1 class=headline>{head}</h1><div class=story>"
        f"<p><a href=/en>{text}</a></p></div>{around}</div>"
    )


def test_a_method_that_is_sure_is_believed_even_of_what_looks_like_a_teaser() -> None:
    model = learned(8)
    page = stub(SITE.paragraphs(900)[0])
    found = answer_of(page, map(tuple, page.blocks.tolist()), 0.9)
    answer = model.apply(page, Weighing(), believed(page, found, 0.95))
    assert answer.text == f"{SITE.title(900)}\n\n{SITE.paragraphs(900)[0]}"
    assert (answer.confidence or 0) > 0.9  # the site says so, too


def within(page: Page, name: str, confidence: float | None = None) -> Extraction:
    """Return all that stands in the division of this class or id, as the answer of a method."""
    path = f"ancestor-or-self::div[@class='{name}' or @id='{name}']"
    spans = map(tuple, page.blocks.tolist())
    inner = (span for span in spans if page.root.xpath(page.xpath_of(*span))[0].xpath(path))
    return answer_of(page, inner, confidence)


@pytest.mark.parametrize(("probability", "stays"), [(0.95, True), (0.6, False)])
def test_what_repeats_stays_if_the_method_is_sure_of_it(probability: float, stays: bool) -> None:
    model = learned(10)
    page = SITE.article(600).page()
    answer = model.apply(page, Weighing(), believed(page, within(page, "story"), probability))
    assert (SITE.headlines[0] in answer.text) is stays
    assert SITE.paragraphs(600)[0] in answer.text
    kept = [segment.span for segment in answer.main]
    assert kept == sorted(kept)


@pytest.mark.parametrize(
    ("more", "articles", "stays"),
    [("By Ann Reed, 4 May 2025", 9, True), ("one two", 9, False), ("one two", 2, True)],
)
def test_what_stands_outside_goes_unless_it_is_a_byline_or_few_articles_say_so(
    more: str, articles: int, stays: bool
) -> None:
    made = SITE.article(600)
    page = replace(made, html=made.html.replace("<h1", f"<h4>{more}</h4><h1")).page()
    (number,) = np.flatnonzero([page.lay_out(*span) == more for span in page.blocks.tolist()])
    span = tuple(page.blocks[number].tolist())
    above = Segment(more, page.xpath_of(*span), span=span)
    found = within(page, "story")
    main = (above, *found.main)
    found = believed(page, found.replace(main=main, segments=main), 0.8)
    form = {"containers": [{"selector": "div.story", "pages": 9, "score": 9.0}]}
    model = SiteModel.from_dict({"site": HOST, "articles": articles, **form})
    assert (more in model.apply(page, Weighing(), found).text) is stays


LEAD = (
    "What is in short the matter of this long story, said in a row of more than fifteen words: {}"
)


def with_lead(number: int) -> Made:
    """Return an article whose date and lead stand before its container."""
    made = SITE.article(number, comments=0)
    lead = LEAD.format(SITE.title(number + 1000))
    before = f"<p class=date>{number} May 2026</p><p class=lead>{lead}</p><div class=story>"
    html = made.html.replace("<div class=story>", before)
    return Made(made.url, html, f"{lead}\n\n{made.gold}")


def test_what_the_method_kept_before_the_container_stays_without_repeats() -> None:
    learner = SiteLearner()
    for number in range(10):
        page = with_lead(number).page()
        learner.observe(page, within(page, "main", 0.6))
    model = learner.model(HOST)
    assert [vote.name for vote in model.containers] == ["div.story"]
    assert SiteModel.from_bytes(model.to_bytes()) == model
    page = with_lead(700).page()
    answer = model.apply(page, METHOD, within(page, "main", 0.6))
    assert LEAD.format(SITE.title(1700)) in answer.text
    assert "700 May" in answer.text  # as the method has it
    assert SITE.headlines[0] not in answer.text


@pytest.mark.parametrize("probability", [0.95, None])
def test_a_container_with_next_to_nothing_of_an_answer_is_not_believed(
    probability: float | None,
) -> None:
    learner = taught(SITE.pages(8))
    model = learner.model(HOST)
    made = SITE.article(700, comments=0)
    body = made.html.replace("<div class=story>", "<div class=other>")
    made = Made(made.url, body.replace("<ol", f"<div class=story>{'More. ' * 9}</div><ol"), "")
    page = made.page()
    other = [
        (first, after)
        for first, after in page.blocks.tolist()
        if page.lay_out(first, after) in SITE.paragraphs(700)
    ]
    alone = answer_of(page, other)
    found = alone if probability is None else believed(page, alone, probability)
    method = METHOD if probability is None else Weighing()
    assert SITE.paragraphs(700)[2] in model.apply(page, method, found).text


@pytest.mark.parametrize(
    ("confidence", "kind", "stays"),
    [(0.92, "article", True), (0.85, "article", False), (0.92, "list", False)],
)
def test_no_site_empties_a_page_of_which_the_method_is_sure(
    confidence: float, kind: Kind, stays: bool
) -> None:
    model = learned(20)
    page = SITE.notice(1, words=5).page()
    found = METHOD.extract(page).replace(kind=kind, confidence=confidence)
    answer = model.apply(page, Weighing(), believed(page, found, 0.95))
    assert answer.text == (found.text if stays else "")


@pytest.mark.parametrize("words", [8, 16, 30])
def test_a_list_that_points_nowhere_is_no_index_page(words: int) -> None:
    page = SITE.notice(1, words, "Who we are").page()
    found = METHOD.extract(page).replace(kind="list", confidence=0.4)
    assert learned(20, 3).apply(page, Weighing(), believed(page, found, 0.6)).text == found.text


@pytest.mark.parametrize(("articles", "stays"), [(10, True), (20, False)])
def test_many_articles_show_that_a_page_of_several_is_none_however_sure_the_method_is(
    articles: int, stays: bool
) -> None:
    model = learned(articles)
    assert model.safe
    page = Page.parse(re.sub("</?a[^>]*>", "", SITE.tag_page(90).html))  # nothing points elsewhere
    found = within(page, "story", 0.97)
    answer = model.apply(page, Weighing(), believed(page, found, 0.95))
    assert answer.text == (found.text if stays else "")
    assert (answer.confidence or 0) > 0.95  # in what was answered, whichever it is


@pytest.mark.parametrize(("probability", "stays"), [(0.9995, True), (0.95, False)])
def test_linked_headings_make_no_list_of_a_page_of_which_the_method_is_sure(
    probability: float, stays: bool
) -> None:
    model = learned(9, 3)
    assert model.safe
    page = SITE.tag_page(80, entries=1).page()
    answer = model.apply(page, Weighing(), believed(page, within(page, "story"), probability))
    assert (SITE.paragraphs(800)[0] in answer.text) is stays


def test_a_method_that_took_something_else_is_asked_again() -> None:
    """Long comments win on the whole page; inside the container the story does."""
    model = learned(8)
    short = SITE.article(900, comments=0)
    said = "".join(f"<li><p>{text}</p>" for text in SITE.paragraphs(901, 30))
    menu = "<nav>" + "<i></i>" * 800 + "</nav>"  # that no run of text goes over
    page = Page.parse(
        short.html.replace("<ol class=comments>", f"{menu}<ol class=comments>{said}"), url=short.url
    )
    assert SITE.paragraphs(900)[0] not in METHOD.extract(page).text
    assert model.apply(page, METHOD).text == short.gold


TOOLS = "<h5>{}</h5>".format("".join(f"<a href=/{n}>tool {n}</a> " for n in range(4)))


def test_tools_below_the_title_make_no_teasers_of_an_article() -> None:
    """A heading of several links is no headline of another text."""

    def with_tools(number: int) -> Made:
        made = SITE.article(number)
        return Made(
            made.url, made.html.replace("<div class=story>", TOOLS + "<div class=story>"), ""
        )

    learner = taught([with_tools(number) for number in range(10)])
    made = with_tools(700)
    (answer,) = answers(learner, [made])
    assert SITE.paragraphs(700)[0] in answer
    assert SITE.headlines[0] not in answer
    page = made.page()
    told = [page.lay_out(*span) in SITE.paragraphs(700) for span in page.blocks.tolist()]
    assert not view_of(page).is_teaser[told].any()


@pytest.mark.parametrize(
    ("row", "points"),
    [
        ("2019-12-19 19:29 <a href=/1>A harbour</a>", True),
        ("<a href=/1>A harbour</a> (20 March 2021)", True),
        ("2019 <a href=/1>A harbour</a>", False),  # a year opens a sentence, too
        ("In 2019 and 2020 they built <a href=/1>a harbour</a>", False),
        ("20/3: <a href=/1>Harbour</a> is dug", False),
        ("19:29 2019-12-19 A harbour", False),
    ],
)
def test_a_link_with_its_date_points_elsewhere(row: str, points: bool) -> None:
    page = Page.parse(f"<h1>Title</h1><p>A text.</p><ul><li>{row}</ul>")
    assert view_of(page).is_teaser.tolist() == [False, False, points]


def index_page(number: int, entry: str, tag: str = "div") -> Page:
    """Return a page of the site's frame, whose entries have neither its container nor headings."""
    entries = "".join(
        f"<{tag} class=entry>{entry.format(n=n, title=SITE.title(n), text=SITE.paragraphs(n)[0])}"
        f"</{tag}>"
        for n in range(10 * number, 10 * number + 5)
    )
    made = SITE.tag_page(number, entries=0)
    html = made.html.replace("<div id=main>", f"<div id=main><b>All posts</b>{entries}")
    return Page.parse(html, url=made.url)


POSTS = "<div class=name><a href=/a/{n}>{title}</a></div><p>{text}</p>"


@pytest.mark.parametrize(
    ("articles", "entry", "kind", "is_empty"),
    [
        (1, POSTS, "article", False),
        (4, POSTS, "article", True),  # headlines that are no headings, each above a text
        (4, "<p>{text}</p>", "article", False),
        (4, "<a href=/a/{n}>{title} {text}</a>", "article", True),  # links alone
        (4, "<b>2021-03-04 10:30</b> <a href=/a/{n}>{title} {text}</a>", "list", True),
        (1, "<a href=/a/{n}>{title} {text}</a>", "article", False),
        (4, "<p>{n} pages</p>", "article", True),  # hardly a word
    ],
)
def test_pages_of_others_are_empty_from_few_articles_on(
    articles: int, entry: str, kind: Kind, is_empty: bool
) -> None:
    learner = taught([SITE.article(number) for number in range(200, 200 + articles)])
    page = index_page(3, entry)
    found = answer_of(page, map(tuple, page.blocks[4:-1].tolist()), 0.8).replace(kind=kind)
    alone = believed(page, found, 0.95)
    model = learner.model(HOST)
    answer = model.apply(page, Weighing(), alone) if model else alone
    assert (not answer.text) is is_empty


def test_a_container_whose_text_points_nowhere_is_no_list_though_the_method_says_so() -> None:
    """The people of a project, one a line, say, on a page without the articles' title."""
    model = taught([SITE.article(number) for number in range(200, 212)]).model(HOST)
    made = SITE.article(700, comments=0)
    page = Page.parse(re.sub("<h1.*?</h1>", "", made.html), url=made.url)
    alone = METHOD.extract(page).replace(kind="list", confidence=0.5)
    assert SITE.paragraphs(700)[0] in model.apply(page, METHOD, alone).text


# -- dumps -----------------------------------------------------------------------------------


@pytest.mark.parametrize("known", [0, 30])
def test_what_was_learned_from_a_page_does_not_hold_it(known: int) -> None:
    learner = taught(SITE.pages(known))
    for number, made in enumerate(SITE.article(n) for n in range(600, 605)):
        # A page of a given tree is held by its answers, as it cannot be read again.
        page = Page.from_selector(Selector(made.html), url=made.url)
        learner.observe(page, METHOD.extract(page))
        model = learner.model(HOST)
        assert model is not None or known + number < 2
        if model is not None:
            model.apply(page, METHOD)
        dead = ref(page)
        del page
        assert dead() is None
