"""Sites with several templates, and sites that lie: no article is lost, or only a few."""

from __future__ import annotations

from dataclasses import replace
from random import Random

import pytest
from generated_sites import METHOD, Made, Site, Weighing, believed, f1, single, taught
from hypothesis import given, settings
from hypothesis import strategies as st

from scrapy_boilerplate import Page
from scrapy_boilerplate.core.answer.extraction import Extraction
from scrapy_boilerplate.learn import Event, LearningOptions, SiteLearner, SiteState, merge_states

HOST = "news.example"
SITE = Site()
SECTIONS = [Site(container=f"{name}-text", main=f"{name}-main", seed=n, menu=f"{name}-menu")
            for n, name in enumerate(("review", "portrait", "letter"), 11)]  # fmt: skip


def in_section(section: Site, number: int) -> Made:
    """Return an article of a section, at an address of its own."""
    return section.article(number, comments=0, path=section.container)


def crawled(
    pages: list[Made], learner: SiteLearner, probability: float | None = None
) -> tuple[list[str], list[Event | None]]:
    """Return what a crawl gets from each page, and what each page does to the learner.

    With a *probability* the method weighs what the site says against its answer, and is so sure.
    """
    method = METHOD if probability is None else Weighing()
    answers: list[str] = []
    events: list[Event | None] = []
    for made in pages:
        page, alone = single(made)
        if probability is not None:
            alone = believed(page, alone, probability)
        events.append(learner.observe(page, alone))
        model = learner.model(HOST)
        answers.append((model.apply(page, method, alone) if model else alone).text)
    return answers, events


def lost(pages: list[Made], answers: list[str]) -> list[int]:
    """Return the numbers of the pages with less than half of their text."""
    pairs = zip(pages, answers, strict=True)
    return [number for number, (made, answer) in enumerate(pairs, 1) if f1(answer, made.gold) < 0.5]


# -- templates that come late ----------------------------------------------------------------


@pytest.mark.parametrize("probability", [None, 0.95])
def test_a_section_that_comes_late_loses_nothing_and_is_learned(probability: float | None) -> None:
    learner = taught(SITE.pages(60))
    for section in SECTIONS:
        pages = [in_section(section, number) for number in range(12)]
        answers, events = crawled(pages, learner, probability)
        assert lost(pages, answers) == []
        assert "relearning" not in events
        if probability is None:
            assert answers[-4:] == [made.gold for made in pages[-4:]]
    known = [SITE.article(500), *(in_section(section, 500) for section in SECTIONS)]
    assert crawled(known, learner)[0] == [made.gold for made in known]


def test_lists_are_still_empty_on_a_site_with_sections() -> None:
    learner = taught(SITE.pages(18, 4))
    crawled([in_section(section, n) for section in SECTIONS for n in range(8)], learner)
    pages = [site.tag_page(number) for site in (SITE, *SECTIONS) for number in (80, 81)]
    assert crawled(pages, learner)[0] == [""] * len(pages)


def odd(number: int) -> Made:
    """Return an article whose names no other page has."""
    letters = "".join(chr(97 + int(digit)) for digit in str(number))
    name = f"odd{letters}"
    return Site(seed=number, container=name, main=f"{name}-main", menu=f"{name}-menu").article(1)


def test_strangers_without_a_template_are_bounded_and_hide_no_later_one() -> None:
    learner = taught(SITE.pages(60))
    for number in range(120):
        made = odd(number)
        # Most pages are the site's own, so that it counts as neither redesigned nor left.
        crawled([replace(made, url=f"{made.url}/{number}")], learner)
        crawled([SITE.article(1000 + 3 * number + n) for n in range(3)], learner)
    state = learner.memory.peek(HOST)
    assert state.generation == 0
    assert len(state.fingerprints) <= LearningOptions().freeze_pages
    assert len(state.to_bytes()) <= 16 * 1024
    pages = [in_section(SECTIONS[0], number) for number in range(60)]
    crawled(pages, learner)
    assert crawled([pages[0]], learner)[0] == [pages[0].gold]


@pytest.mark.parametrize(("own", "probability"), [(0, 0.95), (3, None)])
def test_made_up_templates_that_take_all_room_lose_no_article(
    own: int, probability: float | None
) -> None:
    """Twenty templates of a few pages each, among *own* pages of the site for each."""
    learner = taught(SITE.pages(60))
    ours = iter(range(2000, 3000))
    for letter in "abcdefghijklmnopqrst":
        made_up = Site(container=f"x{letter}-text", main=f"x{letter}-main", menu=f"x{letter}-menu")
        for number in range(6):
            between = [SITE.article(next(ours)) for _ in range(own)]
            answers, _ = crawled([in_section(made_up, number), *between], learner, probability)
            assert lost(between, answers[1:]) == []
    for site in (*SECTIONS, SITE):
        pages = [in_section(site, 3000 + number) for number in range(20)]
        assert lost(pages, crawled(pages, learner, probability)[0]) == []


def test_a_page_that_shares_nothing_with_the_site_is_not_emptied() -> None:
    learner = taught(SITE.pages(30, 4))
    short = Made(f"https://{HOST}/note", "<main><p>A note of a few words, and no more.</main>", "")
    crawled([odd(1)], learner)  # since then the site is known to have such pages
    assert crawled([short], learner)[0] == ["A note of a few words, and no more."]


# -- sites that lie --------------------------------------------------------------------------


def decoy(number: int, where: str) -> Made:
    """Return an article beside the known container, which holds other text."""
    made, other = SITE.article(number, comments=0), SITE.paragraphs(number + 5000, 2)
    told = "".join(f"<p>{text}</p>" for text in SITE.paragraphs(number))
    bait = "".join(f"<p>{text}</p>" for text in other)
    head, _, rest = made.html.partition("<div class=story>")
    foot = rest.partition("<ol class=comments>")[2]
    body = f"<div class=story>{bait}</div><div class={where}>{told}</div><ol class=comments>{foot}"
    return Made(made.url, head + body, made.gold)


@pytest.mark.parametrize(("every", "probability"), [(1, None), (3, 0.95)])
@pytest.mark.parametrize("honest", [4, 40])
def test_decoys_in_the_known_container_lose_no_article(
    honest: int, probability: float | None, every: int
) -> None:
    """Not even with a method that has no confidence."""
    learner = taught(SITE.pages(honest))
    numbers = range(200, 300)
    pages = [decoy(n, "elsewhere") if n % every == 0 else SITE.article(n) for n in numbers]
    answers, _ = crawled(pages, learner, probability)
    assert lost(pages, answers) == []


def test_decoys_that_come_after_thousands_of_good_pages_lose_no_article() -> None:
    learner = taught(SITE.pages(40))
    page, alone = single(SITE.article(900))
    for _ in range(2000):
        assert learner.observe(page, alone) is None
    pages = [decoy(number, "elsewhere") for number in range(200, 240)]
    assert lost(pages, crawled(pages, learner)[0]) == []


def test_text_that_was_seeded_on_early_pages_is_not_dropped() -> None:
    later = range(100, 135)
    early = []
    for number in range(20):
        made = SITE.article(number, comments=0)
        seeded = "".join(
            f"<p>{text}</p>"
            for other in later
            for at, text in enumerate(SITE.paragraphs(other))
            if number in Random(f"{other} {at}").sample(range(20), 2)
        )
        early.append(
            replace(made, html=made.html.replace("<div class=mostread>", seeded + "<div>"))
        )
    learner = taught(early)
    assert learner.is_frozen(HOST)
    pages = [SITE.article(number, comments=0) for number in later]
    assert lost(pages, crawled(pages, learner)[0]) == []


@pytest.mark.parametrize("probability", [None, 0.85, 0.95])
@pytest.mark.parametrize("first", [3, 12, 30])
@pytest.mark.parametrize("back", [False, True])
def test_a_redesign_costs_no_page_much_and_the_crawl_nothing(
    first: int, back: bool, probability: float | None
) -> None:
    one, two = ([in_section(site, n) for n in range(60)] for site in (SITE, SECTIONS[0]))
    pages = two[:first] + one if back else one[:first] + two
    found, _ = crawled(pages, SiteLearner(), probability)
    gains = [
        f1(answer, made.gold) - f1(single(made)[1].text, made.gold)
        for made, answer in zip(pages, found, strict=True)
    ]
    assert sum(gains) >= 0
    assert min(gains) > -0.1


# -- states ----------------------------------------------------------------------------------


LEARNED = taught(SITE.pages(20)).state(HOST)
STRANGERS = [single(in_section(SECTIONS[n % 2], n)) for n in range(26)]
chosen = st.lists(st.integers(0, len(STRANGERS) - 1), max_size=24)


def with_strangers(numbers: list[int], epoch: int = 0) -> SiteState:
    assert LEARNED is not None
    state = SiteState.from_bytes(LEARNED)
    for number in numbers:
        state.observe(*STRANGERS[number])
    state.epoch = epoch
    return state


@given(chosen, chosen, chosen, st.tuples(*[st.integers(0, 1)] * 3))
@settings(max_examples=40)
def test_strangers_merge_in_any_order(
    one: list[int], two: list[int], three: list[int], epochs: tuple[int, int, int]
) -> None:
    pairs = zip((one, two, three), epochs, strict=True)
    a, b, c = (with_strangers(*pair).to_bytes() for pair in pairs)
    assert merge_states(a, b) == merge_states(b, a)
    assert merge_states(a, a) == a
    assert merge_states(merge_states(a, b), c) == merge_states(a, merge_states(b, c))


def test_nothing_is_asked_of_a_page_whose_answer_is_not_known() -> None:
    learner = taught(SITE.pages(30))
    before = learner.state(HOST)
    assert learner.observe(in_section(SECTIONS[0], 1).page(), None) is None
    assert learner.observe(Page.parse("<p>", url=f"https://{HOST}/"), Extraction("")) is None
    assert learner.state(HOST) == before
