"""What a dump teaches does not depend on the order and the division of its pages."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence

import pytest
from generated_sites import METHOD, Made, Site

from scrapy_boilerplate import Page
from scrapy_boilerplate.learn import LearningOptions, SiteLearner, SiteModel, extract_site
from scrapy_boilerplate.learn.samples import SAMPLE, SiteSamples, sample_of, storable
from scrapy_boilerplate.learn.site_state import SiteState
from scrapy_boilerplate.learn.stores.models import StoredModels
from scrapy_boilerplate.learn.stores.sqlite import SQLiteStore

PAGES = [*Site().pages(120, tags=12), *Site(host="example.com", seed=5).pages(9)]


def sampled(pages: Sequence[Made]) -> SiteSamples:
    samples = SiteSamples()
    for made in pages:
        page = made.page()
        samples.observe(page, METHOD.extract(page))
    return samples


def states(samples: SiteSamples) -> dict[str, bytes]:
    return {site: state.to_bytes() for site, state in samples.states()}


WHOLE = sampled(PAGES)


@pytest.mark.parametrize("seed", range(3))
def test_order_and_division_of_the_pages(seed: int) -> None:
    shuffled = PAGES * 2  # each page comes twice
    generator = random.Random(seed)
    generator.shuffle(shuffled)
    parts = [shuffled[:1], shuffled[1:40], shuffled[40:]]
    merged = SiteSamples()
    for part in parts:
        for site, state in sampled(part).states():
            merged.merge(site, SiteState.from_bytes(state.to_bytes(), SAMPLE))
    assert states(merged) == states(WHOLE)
    assert merged.model("news.example") == WHOLE.model("news.example")


def test_a_sample_is_bounded_and_the_rest_is_not_read() -> None:
    counts = {site: len(state.fingerprints) for site, state in WHOLE.states()}
    assert counts == {"news.example": SAMPLE, "example.com": 9}
    wanted = [made.url for made in PAGES if WHOLE.wants(made.url)]
    assert len(wanted) == SAMPLE + 9
    assert not WHOLE.wants(None)
    assert not WHOLE.wants("no address")
    assert WHOLE.size < 4000 * sum(counts.values())


def test_extract_site_does_not_depend_on_the_order() -> None:
    dump = [(made.url, made.html) for made in PAGES]
    forward = {url: answer.text for url, answer in extract_site(dump, extractor=METHOD)}
    backward = {url: answer.text for url, answer in extract_site(dump[::-1], extractor=METHOD)}
    assert forward == backward


def test_a_site_without_a_model_has_that_of_its_parent() -> None:
    assert WHOLE.model("sub.example.com") == WHOLE.model("example.com") is not None
    assert WHOLE.model("other.net") is None
    rule = SiteModel.from_dict({"site": "example.com", "containers": ["div.x"]})
    assert SiteSamples(rules={"example.com": rule}).model("sub.example.com") == rule


BLOCK = "<title>Just a moment...</title><p>Checking your browser before you enter a.example."


@pytest.mark.parametrize(("html", "kind"), [("", "empty"), (BLOCK, "blocked")])
def test_empty_and_blocked_pages_teach_nothing(html: str, kind: str) -> None:
    page = Page.parse(html, url="https://a.example/")
    found = METHOD.extract(page)
    assert found.kind == kind
    assert sample_of(page, found) is None


def test_a_crawl_goes_on_from_what_a_dump_taught(tmp_path: object) -> None:
    store = SQLiteStore(f"{tmp_path}/sites.sqlite")
    for site, state in WHOLE.states():
        store.save(site, storable(state, WHOLE.learned(site)).to_bytes())
    learner = SiteLearner(LearningOptions(), store=store)
    assert learner.is_frozen("news.example")
    assert learner.model("news.example") == WHOLE.model("news.example")
    assert not learner.is_frozen("example.com")
    assert len(learner.memory.peek("example.com").fingerprints) == 9
    models = StoredModels(f"{tmp_path}/sites.sqlite")
    for site in ("news.example", "example.com"):
        expected = WHOLE.model(site)
        assert models(f"https://{site}/1") == expected.to_bytes()
    assert models("https://sub.example.com/1") == models("https://example.com/1")
    assert models("https://other.net/") is None
    models.close()
    store.close()


def test_extract_site_streams(capsys: pytest.CaptureFixture[str]) -> None:
    dump = [(made.url, made.html) for made in PAGES[:30]]
    taken: list[str] = []

    def once() -> Iterator[tuple[str, str]]:
        for url, html in dump:
            taken.append(url)
            yield url, html

    answers = extract_site(once(), extractor=METHOD, progress=True)
    first = next(answers)
    assert len(taken) == 30  # all have taught before the first is extracted
    again = extract_site(dump, extractor=METHOD)  # which is gone through twice
    assert [first, *answers] == list(again)
    shown = capsys.readouterr().err
    assert "learn: 30 pages" in shown
    assert "extract: 100%" in shown
