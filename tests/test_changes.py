"""Sites that change while they are crawled: it is found, said, and taught from if that helps."""

from __future__ import annotations

from pathlib import Path

import pytest
from cases import BLOCKED
from generated_sites import METHOD, Made, Site, single, taught
from scraping import Crawl
from scrapy.http import HtmlResponse

from benchmarks.changes import CHANGES, IN_TIME, Found, found, made_host
from scrapy_boilerplate import Page, extract
from scrapy_boilerplate.learn import SiteLearner
from scrapy_boilerplate.learn.drift import MISMATCHES, SiteChange, section_of
from scrapy_boilerplate.plugin.extensions import BoilerplateSiteLearning
from scrapy_boilerplate.plugin.signals import boilerplate_site_changed

SITE = Site()
HOST = SITE.host


def blocked(number: int, kind: str = "cloudflare") -> Made:
    return Made(f"https://{HOST}/article/{number}", BLOCKED[kind], "")


@pytest.mark.parametrize("number", range(len(CHANGES)), ids=[each.__name__ for each in CHANGES])
def test_a_change_is_found_within_ten_pages(number: int) -> None:
    host = made_host(10 * number)
    result = found(host, METHOD)
    assert host.change == CHANGES[number].__name__
    assert result.false == 0
    assert result.after is not None
    assert result.after <= IN_TIME
    assert result.what in MISMATCHES.values()


@pytest.mark.parametrize("number", [1, 2, 3])
def test_a_host_that_does_not_change_is_left_alone(number: int) -> None:
    assert found(made_host(number), METHOD) == Found(None, 0)


def test_a_change_says_what_and_since_when() -> None:
    learner = taught(SITE.pages(30))
    assert learner.change(HOST) is None
    redesigned = Site(container="article-body")
    pages = [redesigned.article(number) for number in range(200, 210)]
    events = [learner.observe(*single(made)) for made in pages]
    assert events.count("relearning") == 1
    change = learner.change(HOST)
    assert change.what == "pages lack the container"
    assert change.since == pages[0].url
    assert change.pages == events.index("relearning") + 1 <= IN_TIME
    # What was learned of the new pages meanwhile is known at once.
    model = learner.model(HOST)
    page, alone = single(redesigned.article(300))
    assert model.apply(page, METHOD, alone).text == redesigned.article(300).gold


def test_a_blocked_site_keeps_its_model_and_is_told_once() -> None:
    learner = taught(SITE.pages(30))
    model = learner.model(HOST)
    events = [learner.observe(*single(blocked(number))) for number in range(100, 140)]
    assert events.count("blocked") == 1
    assert set(events) == {None, "blocked"}
    assert learner.model(HOST) == model
    change = learner.change(HOST)
    assert change.what == "pages are blocked"
    # It comes back, and is blocked once more.
    assert set(map(learner.observe, *zip(*map(single, SITE.pages(60)), strict=True))) == {None}
    events = [learner.observe(*single(blocked(number))) for number in range(200, 240)]
    assert events.count("blocked") == 1


def test_after_it_was_blocked_a_site_may_show_another_template() -> None:
    learner = taught(SITE.pages(30))
    taught([blocked(number) for number in range(100, 140)], learner)
    redesigned = Site(container="article-body")
    pages = [redesigned.article(number) for number in range(200, 215)]
    assert [learner.observe(*single(made)) for made in pages].count("relearning") == 1


def test_pages_of_another_template_among_the_known_ones_are_no_change() -> None:
    learner = taught(SITE.pages(30))
    other = Site(container="article-body")
    mixed = [
        site.article(number) for number in range(200, 236) for site in (other, other, other, SITE)
    ]
    events = {learner.observe(*single(made)) for made in mixed}
    assert events == {None, "extended"}
    assert learner.change(HOST) is None


def test_stubs_are_no_change_though_the_site_was_learned_from_some() -> None:
    stubs = [
        Made(f"https://{HOST}/shots/ld-{number}", "<title>Screen</title><pre>Menu Help", "")
        for number in range(20)
    ]
    learner = taught([*stubs[:3], *SITE.pages(30)])
    assert {learner.observe(*single(made)) for made in stubs} == {None}


def test_pages_that_have_moved_or_hold_no_html_do_not_count() -> None:
    learner = SiteLearner(worker=1)
    taught(SITE.pages(30), learner)
    before = learner.state(HOST)
    other = Page.not_html(f"https://{HOST}/article/1")
    assert learner.observe(other, METHOD.extract(other)) is None
    moved = "<title>Moved</title><meta http-equiv=refresh content='0; url=/there'>"
    for number in range(100, 160):
        page = Page.parse(f"{moved}<p>Moved</p>", url=f"https://{HOST}/article/{number}")
        assert page.block.name == "redirect"
        assert learner.observe(page, METHOD.extract(page)) is None
    assert learner.state(HOST) == before


def test_nothing_is_learned_from_blocked_pages() -> None:
    learner = taught([blocked(number, kind) for number, kind in enumerate(BLOCKED)])
    assert len(learner.memory) == 0
    taught(SITE.pages(8), learner)
    before = learner.state(HOST)
    taught([blocked(number) for number in range(100, 120)], learner)
    assert learner.state(HOST) == before


def test_a_change_is_known_to_another_run() -> None:
    """The count goes on where the run before has ended."""
    pages = [Site(container="article-body").article(number) for number in range(200, 210)]
    first = taught(pages[:4], taught(SITE.pages(30), SiteLearner(worker=1)))
    second, state = SiteLearner(worker=1), first.state(HOST)
    assert state is not None
    second.load(HOST, state)
    assert "relearning" in [second.observe(*single(made)) for made in pages[4:8]]


def test_sections_of_a_site() -> None:
    same = {"/news/1", "/news/23.html"}, {"/2024/5/a", "/2023/12/b"}, {"/a-slug", "/about", "", "/"}
    hashes = [{section_of(f"https://a.example{path}") for path in paths} for paths in same]
    assert [len(each) for each in hashes] == [1, 1, 1]
    assert len(set.union(*hashes)) == 3
    assert section_of(None) == section_of("")


# -- in a crawl --------------------------------------------------------------------------------


def test_a_crawl_says_what_has_changed(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    crawl = Crawl(
        {
            "EXTENSIONS": {BoilerplateSiteLearning: 500},
            "BOILERPLATE_SITE_STORE": str(tmp_path / "sites.sqlite"),
            "BOILERPLATE_EXTRACTOR": "mss-tuned",
        }
    )
    told: list[tuple[str, SiteChange | None]] = []

    def hear(url: str, event: str, site: str, change: SiteChange | None) -> None:
        told.append((event, change))

    crawl.crawler.signals.connect(hear, signal=boilerplate_site_changed)
    pages = SITE.pages(30) + [blocked(number) for number in range(100, 112)]
    for made in pages:
        response = HtmlResponse(made.url, body=made.html.encode(), encoding="utf-8")
        item = crawl.scrape(response, {"url": made.url, "text": ""})[0]
        assert bool(item["text"]) == bool(made.gold)
    assert [event for event, _ in told] == ["frozen", "blocked"]
    assert told[0][1] is None
    assert told[1][1] is not None
    assert told[1][1].since == pages[30].url
    stats = crawl.stats
    assert (stats["sites/blocked"], stats["kind/blocked"]) == (1, 12)
    assert f"{HOST} has changed: pages are blocked since {pages[30].url}" in caplog.text


def test_the_status_tells_of_a_block() -> None:
    body = b"<title>News</title><h1>Sorry</h1><p>Come back later, or write to us."
    for status, kind in ((200, "article"), (404, "article"), (403, "blocked"), (503, "blocked")):
        response = HtmlResponse("https://a.example/1", status=status, body=body, encoding="utf-8")
        assert extract(response, extractor="mss").kind == kind
