"""States of sites: they merge in any order, are bounded, and survive as bytes."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path
from random import Random

import pytest
from generated_sites import METHOD, Made, Site, single, taught
from hypothesis import given, settings
from hypothesis import strategies as st

from scrapy_boilerplate import Page
from scrapy_boilerplate.learn import (
    LearningOptions,
    SiteLearner,
    SiteModel,
    StateError,
    extract_site,
    merge_states,
)
from scrapy_boilerplate.learn.fingerprints import Fingerprint
from scrapy_boilerplate.learn.samples import SAMPLE, SiteSamples, sample_of, storable
from scrapy_boilerplate.learn.site_model import compressed, decompressed
from scrapy_boilerplate.learn.site_state import MAGIC, SiteState
from scrapy_boilerplate.learn.stores import SiteStore, open_store
from scrapy_boilerplate.learn.stores.models import StoredModels
from scrapy_boilerplate.learn.stores.sqlite import SQLiteStore

SITE = Site()
HOST = "news.example"
OPTIONS = LearningOptions(freeze_pages=8, safe_pages=8)
LEARNED = taught(SITE.pages(20)).state(HOST) or b""
DRAWN = list(map(single, SITE.pages(11, 3)))


def state_of(numbers: list[int]) -> SiteState:
    state = SiteState(OPTIONS.freeze_pages)
    for number in numbers:
        state.observe(*DRAWN[number])
    return state


@pytest.fixture
def store(tmp_path: Path) -> Iterator[SiteStore]:
    with closing(open_store(str(tmp_path / "sites.sqlite"))) as store:
        yield store


# -- merging ---------------------------------------------------------------------------------

numbers = st.lists(st.integers(0, len(DRAWN) - 1), max_size=20)


@given(st.lists(numbers, min_size=1, max_size=4), st.randoms())
@settings(max_examples=60)
def test_merging_is_learning_from_the_union_in_any_order(
    parts: list[list[int]], random: Random
) -> None:
    whole = [number for part in parts for number in part]
    random.shuffle(whole)
    expected = state_of(whole)
    states = [state_of(part) for part in parts]
    random.shuffle(states)
    merged = states.pop()
    while states:
        merged.merge(states.pop(random.randrange(len(states))))
    assert merged.to_bytes() == expected.to_bytes()
    learned = merged.learn(HOST, OPTIONS)
    assert learned == expected.learn(HOST, OPTIONS)
    assert learned.title_parts or len({*whole}) < 8  # the name of the site, which all titles have


def test_the_model_of_most_pages_wins() -> None:
    learning = taught(SITE.pages(30)[25:])
    few = taught(SITE.pages(8), SiteLearner(OPTIONS))
    assert (learning.is_frozen(HOST), few.is_frozen(HOST)) == (False, True)
    for other in (learning, few):
        state = other.state(HOST) or b""
        assert merge_states(LEARNED, state) == merge_states(state, LEARNED) == LEARNED


def test_a_later_generation_wins() -> None:
    old, new = SiteState(), state_of([1])
    old.freeze(state_of(list(range(10))).learn(HOST, OPTIONS))
    new.generation = 1
    assert merge_states(old.to_bytes(), new.to_bytes()) == new.to_bytes()
    assert merge_states(new.to_bytes(), old.to_bytes()) == new.to_bytes()


counted = st.lists(st.tuples(st.integers(0, 3), st.booleans()), max_size=8)
MODEL = state_of(list(range(10))).learn(HOST, OPTIONS)


def watched(pages: list[tuple[int, bool]], checks: int) -> SiteState:
    state = SiteState(OPTIONS.freeze_pages)
    state.freeze(MODEL)
    for _ in range(checks):
        state.passed()
    for worker, missed in pages:
        state.watch(worker, missed=missed)
    return state


@given(counted, counted, counted, st.tuples(*[st.integers(0, 2)] * 3))
@settings(max_examples=60)
def test_counts_of_learned_sites_merge_in_any_order(
    one: list[tuple[int, bool]],
    two: list[tuple[int, bool]],
    three: list[tuple[int, bool]],
    checks: tuple[int, int, int],
) -> None:
    a, b, c = (watched(*pair).to_bytes() for pair in zip((one, two, three), checks, strict=True))
    assert merge_states(a, b) == merge_states(b, a)
    assert merge_states(a, a) == a
    assert merge_states(merge_states(a, b), c) == merge_states(a, merge_states(b, c))


@given(counted, counted)
@settings(max_examples=40)
def test_counts_of_two_workers_are_summed(
    one: list[tuple[int, bool]], two: list[tuple[int, bool]]
) -> None:
    two = [(worker + 4, missed) for worker, missed in two]
    a, b = watched(one, 1), watched(two, 1)
    for _ in range(2):  # whatever is merged how often
        a.merge(b)
        b.merge(a)
    assert a.to_bytes() == b.to_bytes() == watched(one + two, 1).to_bytes()
    pages, missed = a.watch(9, missed=True)
    assert (pages, missed) == (len(one + two) + 1, sum(miss for _, miss in one + two) + 1)


def test_two_workers_notice_a_redesign_together(store: SiteStore) -> None:
    """Neither has seen pages enough by itself."""
    options = LearningOptions(safe_pages=4, freeze_pages=6, drift_pages=10)
    taught(SITE.pages(8), SiteLearner(options, store=store)).flush()
    workers = [SiteLearner(options, store=store, worker=number) for number in range(2)]
    pages = [Site(container="article-body").article(number) for number in range(200, 213)]
    for number, made in enumerate(pages[:12]):
        assert workers[number % 2].observe(*single(made)) in (None, "extended")
    for worker in workers:
        worker.flush()
    assert workers[1].observe(*single(pages[12])) == "relearning"


# -- bytes -----------------------------------------------------------------------------------


@given(st.binary(max_size=64))
def test_noise_is_no_state(data: bytes) -> None:
    with pytest.raises(StateError):
        SiteState.from_bytes(data)


LEARNING = state_of([0, 1, 2, 3]).to_bytes()


@given(st.sampled_from([LEARNING, LEARNED]), st.integers(0, 10**6), st.integers(1, 255))
@settings(max_examples=200)
def test_a_damaged_state_is_noticed_or_harmless(data: bytes, at: int, change: int) -> None:
    damaged = bytearray(data)
    damaged[at % len(data)] ^= change
    try:
        read = SiteState.from_bytes(bytes(damaged))
    except StateError:
        return
    assert read.to_bytes() == data  # a bit that the compression does not use


def test_another_version_is_named() -> None:
    with pytest.raises(StateError, match="version 04"):
        SiteState.from_bytes(LEARNING[:3] + b"\x04" + LEARNING[4:])


COSTLY = ["//p[count(//p[count(//p) > 0]) > 0]", "p ~ p ~ p", ":not(p)", "body" + " > a" * 9999]
"""What no learner writes, and what takes long on a page."""


@pytest.mark.parametrize(
    "wrong",
    [
        {"generation": float("inf")},
        {"epoch": "new"},
        {"counts": [[1, 2, 3]]},
        {"fingerprints": [["1f", "00"]]},
        {"fingerprints": {"1f": 7}},
        {"names": {"1f": 7}},
        {"names": ["1f"]},
        {"model": 3},
        {"model": {"site": "a.example", "pages": "many"}},
        {"generation": 10**30},
        {"epoch": -1},
        {"shortest": 10**400},
        {"sections": [-1]},
        {"counts": [[1, 10**30, 0, 0]]},
        {"model": {"site": "a.example", "pages": 10**400}},
        {"model": {"site": "a.example", "agreement": float("nan")}},
        {"model": {"site": "a.example", "containers": [{"selector": "div", "pages": 10**400}]}},
        *({"names": {"1f": name}} for name in COSTLY),
        *({"model": {"site": "a.example", "drop": [name]}} for name in COSTLY[:2]),
        *({"model": {"site": "a.example", "containers": [{"selector": s}]}} for s in COSTLY),
        {"model": {"site": "a", "also": [{"site": "a", "containers": [{"selector": "//p"}]}]}},
    ],
)
def test_a_state_that_somebody_has_made_is_refused(wrong: dict[str, object]) -> None:
    form = decompressed(LEARNING, MAGIC) | wrong
    with pytest.raises(StateError, match="damaged"):
        SiteState.from_bytes(compressed(form, MAGIC, 6))


@given(st.binary(max_size=200))
def test_noise_is_no_fingerprint(data: bytes) -> None:
    try:
        fingerprint = Fingerprint.from_bytes(data)
    except ValueError:
        return
    assert fingerprint.to_bytes() == data  # five bytes may well be an empty one


# -- bounds ----------------------------------------------------------------------------------


def test_a_state_of_huge_pages_is_small() -> None:
    learner = SiteLearner()
    for number in range(19):
        random = Random(number)
        blocks = "".join(
            f'<div class="a{"bcdefghij"[i % 9]}{"klmnopq"[i % 7]} x{i}" id="{chr(97 + i % 26)}w">'
            f"<p>{random.random()} {random.random()} " + "word " * random.randint(3, 30) + "</div>"
            for i in range(1500)
        )
        page = Page.parse(f"<main>{blocks}</main>", url=f"https://big.example/{number}")
        learner.observe(page, METHOD.extract(page))
    state = learner.state("big.example")
    assert state is not None
    assert len(state) <= 16 * 1024
    assert learner.memory.size <= 64 * 1024


def test_sites_leave_memory_when_they_are_too_many(store: SiteStore) -> None:
    learner = SiteLearner(store=store, max_sites=3)
    hosts = [f"site-{number}.example" for number in range(5)]
    for host in hosts[:3]:
        taught(Site(host=host).pages(3), learner)
    assert learner.model(hosts[0]) is not None  # used last, so it stays longest
    for host in hosts[3:]:
        taught(Site(host=host).pages(3), learner)
    assert set(learner.memory) == {hosts[0], hosts[3], hosts[4]}
    assert learner.memory.evicted == 2
    assert list(store.sites()) == [hosts[1], hosts[2]]
    assert learner.model(hosts[1]) is not None  # it comes back from the store


def test_sites_leave_memory_when_they_are_too_large() -> None:
    learner = SiteLearner(max_bytes=20_000)
    for number in range(30):
        taught(Site(host=f"site-{number}.example").pages(3), learner)
    assert learner.memory.size <= 20_000
    assert 0 < len(list(learner.memory)) < 30
    assert learner.memory.evicted == 30 - len(list(learner.memory))


# -- what a dump teaches does not depend on the order and the division of its pages ---------------

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
