"""Fitting ``scoring`` and the learned values of ``mss``, on pages small enough for a test."""

from __future__ import annotations

import sys
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from benchmarks.data import LabelledPage, fold_models
from scrapy_boilerplate import Page, get_extractor
from scrapy_boilerplate.core.auto.declarations import METADATA
from scrapy_boilerplate.core.auto.features import FEATURES
from scrapy_boilerplate.core.auto.lexicon import Lexicon
from scrapy_boilerplate.core.auto.model import load_model
from scrapy_boilerplate.core.methods._token_values import FEATURES as TOKEN_FEATURES
from scrapy_boilerplate.core.methods.scoring import Scoring
from training import mss, scoring

WORDS = "the cat sat on a mat and it was glad of that while outside it went on raining".split()


def labelled(number: int, kind: str = "article") -> LabelledPage:
    random = np.random.default_rng(number)
    paragraphs = [" ".join(random.choice(WORDS, 25)) + "." for _ in range(3 + number % 4)]
    menu = "".join(f"<li><a href=/{n}>Topic {n}</a>" for n in range(4 + number % 5))
    body = "".join(f"<p>{paragraph}</p>" for paragraph in paragraphs)
    html = (
        f"<ul>{menu}</ul><div>{body}</div><div><a href=/i>Imprint</a> <a href=/p>Privacy</a></div>"
    )
    return LabelledPage(
        id=str(number),
        html=html.encode(),
        gold="\n".join(paragraphs),
        url=None,
        group=f"site{number % 6}",
        kind=kind,
    )


PAGES = [labelled(number) for number in range(12)]


# -- mss -------------------------------------------------------------------------------------


def test_learned_values_find_the_articles_of_other_sites() -> None:
    examples = [mss.prepare(page) for page in PAGES]
    model = mss.fit(examples[:8])
    assert model.weights.shape == (len(TOKEN_FEATURES),)
    assert [mss.learned_f1(model, example) for example in examples[8:]] == [1] * 4


def test_fit_of_mss_does_not_depend_on_the_order_of_pages() -> None:
    examples = [mss.prepare(page) for page in PAGES]
    one, other = mss.fit(examples), mss.fit(examples[::-1])
    assert one.weights == pytest.approx(other.weights, abs=1e-3)


def test_cross_validation_of_mss_prints_every_method(capsys: pytest.CaptureFixture[str]) -> None:
    mss.cross_validate([mss.prepare(page) for page in PAGES], 3, 0)
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines] == [*mss.FIXED, "learned"]
    assert "word F1 1.0000" in lines[-1]


# -- auto ------------------------------------------------------------------------------------


def test_training_of_auto_reads_the_features_of_auto(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "lightgbm", ModuleType("lightgbm"))  # which only trains
    example = import_module("training.examples").prepare(PAGES[0], "example")
    lexicon = Lexicon({})
    for without in ({}, {"bare": True}, {"unknown": METADATA}):
        found = example.features(lexicon, **without)
        size = len(example.labels)
        assert found.matrix(0, size).shape == (size, len(FEATURES))


def test_pages_of_a_site_and_more_index_pages_that_only_tell_lists(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "lightgbm", ModuleType("lightgbm"))
    examples = import_module("training.examples")
    kinds = ["article"] * 6 + ["index"] * 6
    pages = [replace(PAGES[n], site="a", kind=kind) for n, kind in enumerate(kinds)]
    pages += [replace(page, site=None, id=f"alone {page.id}") for page in PAGES[:3]]
    monkeypatch.setattr(examples, "read", lambda folder: pages)
    found = examples.read_examples(Path("set"), None, 0.2, pages_a_site=2, processes=1)
    of_site = [example for example in found if example.site]
    assert sum(example.weight > 0 for example in of_site) == 2
    assert {example.kind for example in of_site if not example.weight} == {"index"}
    assert sum(example.kind == "index" for example in of_site) == 4
    assert [example.weight for example in found if not example.site] == [0.2] * 3


@pytest.mark.parametrize("url", [None, "https://example.com/threads/mats.1/"])
def test_what_is_measured_is_what_auto_answers(
    url: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "lightgbm", ModuleType("lightgbm"))
    auto = import_module("training.auto")
    comments = "".join(
        f"<li class=comment id=comment-{number}><cite class=author>Ada {name}</cite> "
        f"<time>May {number}, 2025</time><p>{page.gold.splitlines()[0]}</p></li>"
        for number, (name, page) in enumerate(zip("xyz", PAGES[1:], strict=False), start=1)
    )
    html = f"{PAGES[0].html.decode()}<ol class=commentlist>{comments}</ol>"
    prepare = import_module("training.examples").prepare
    example = prepare(replace(PAGES[0], html=html.encode(), url=url), "example")
    found = auto.answers_of(load_model(), [example]).f1
    for way, address in (("balanced", url), ("no metadata", None)):
        answer = get_extractor("auto").judge(Page.parse(html, url=address))
        assert found[way] == [example.words.f1(answer.keep)]
        assert (answer.kind == "thread") is bool(address)


def test_sets_left_out_in_turn(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever answers for a set has seen no page of it, of its contest or of its domains."""
    monkeypatch.setitem(sys.modules, "lightgbm", ModuleType("lightgbm"))
    auto = import_module("training.auto")
    sets = ("wcxb-dev", "cleaneval-2007", "cleaneval-dev", "news-2011")
    prepare = import_module("training.examples").prepare
    examples = [prepare(PAGES[0], name) for name in sets for _ in range(2)]
    for number, example in enumerate(examples):
        example.group = f"{number}.example"
    examples[-1].group = examples[0].group
    seen = []

    def train(pages: list[Any], recipe: Any) -> Any:
        seen.append([page.source for page in pages])
        return load_model()

    monkeypatch.setattr(auto, "train", train)
    answers, _ = auto.cross_validate(examples, auto.parts_by_set(examples), auto.Recipe())
    reached = auto.as_json(answers)
    assert [answer["set"] for answer in reached] == [name for name in sets for _ in "12"]
    cleaneval = ["cleaneval-2007"] * 2 + ["cleaneval-dev"] * 2
    assert seen == [
        [*cleaneval, "news-2011"],
        ["wcxb-dev"] * 2 + ["news-2011"] * 2,
        ["wcxb-dev", *cleaneval],
    ]
    better = [{**row, "f1": {"balanced": row["f1"]["balanced"] - 0.25}} for row in reached]
    *_, last = auto.report(answers, "wcxb-dev", better).partition("mean over sets")
    assert last.splitlines()[0].split("|")[-2].strip() == "0.2500"


def test_domains_left_out_in_turn(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Whoever answers for a domain has seen no page of it, nor any made of one."""
    monkeypatch.setitem(sys.modules, "lightgbm", ModuleType("lightgbm"))
    auto = import_module("training.auto")
    prepare = import_module("training.examples").prepare
    examples = [replace(prepare(page, "set"), group=page.group) for page in PAGES]
    examples.append(replace(examples[0], made=True, kind="index"))
    seen = []

    def train(pages: list[Any], recipe: Any) -> Any:
        seen.append({page.group for page in pages})
        return load_model()

    monkeypatch.setattr(auto, "train", train)
    parts = auto.parts_by_domain(examples, "set", 3, 0)
    answers, models = auto.cross_validate(examples, parts, auto.Recipe())
    assert sorted(page.id for page in answers.examples) == sorted(page.id for page in PAGES)
    assert all(own.isdisjoint(part.groups) for own, part in zip(seen, parts, strict=True))
    monkeypatch.setattr(auto, "read", lambda folder: PAGES)
    auto.write_models(tmp_path, models, parts, [Path("set")])
    files = fold_models(tmp_path)
    for number, part in enumerate(parts, 1):
        assert {files[page.id].name for page in part.pages} == {f"fold-{number}.npz"}


# -- scoring ---------------------------------------------------------------------------------


def test_search_of_constants_never_ends_below_its_start_and_is_reproducible() -> None:
    examples = scoring.prepare(PAGES)
    pool = scoring.Pool(examples)

    def worth(method: Scoring) -> float:
        return sum(map(pool.f1, pool.keep(method, scoring.FACTORS)))

    found = scoring.fit(examples, scoring.FACTORS, 20, seed=1)
    assert worth(found) >= worth(Scoring())
    assert found == scoring.fit(examples, scoring.FACTORS, 20, seed=1)
    for name, (low, high) in scoring.BOUNDS.items():
        assert low <= getattr(found, name) <= high


def test_constants_of_factors_that_are_left_out_stay() -> None:
    found = scoring.fit(scoring.prepare(PAGES), ["length"], 20, seed=1)
    assert found.half_links == Scoring().half_links


def test_pool_agrees_with_the_method() -> None:
    examples = scoring.prepare(PAGES)
    pool, method = scoring.Pool(examples), Scoring()
    _, near = pool.keep(method, scoring.FACTORS)
    for number, example in enumerate(examples):
        keep = method.judge(example.view).keep
        assert np.array_equal(near[pool.page == number][example.candidates.owner], keep)
        assert scoring.reach(example, method, scoring.FACTORS).settled == 1


def test_kind_is_learned_and_every_set_counts_the_same() -> None:
    random = np.random.default_rng(0)
    lists = np.arange(90) % 3 == 0
    measures = random.normal(size=(90, 7))
    measures[:, 2] += 4 * lists
    weights = scoring.fit_kind(measures, lists, np.array(["a"] * 60 + ["b"] * 30))
    odds = measures @ weights[:-1] + weights[-1]
    assert weights[2] > 2 * np.abs(np.delete(weights[:-1], 2)).max()
    assert ((odds > 0) == lists).mean() > 0.95
    assert scoring._area(odds, lists) > 0.99
    # A set that is there ten times over weighs no more than the other.
    more = np.concatenate([np.repeat(np.arange(60), 10), np.arange(60, 90)])
    sources = np.array(["a"] * 600 + ["b"] * 30)
    again = scoring.fit_kind(measures[more], lists[more], sources)
    assert again == pytest.approx(weights, rel=0.05, abs=0.05)


def test_area_under_the_curve() -> None:
    truth = np.array([False, False, True, True])
    assert scoring._area(np.array([1.0, 2.0, 3.0, 4.0]), truth) == 1
    assert scoring._area(np.array([4.0, 3.0, 2.0, 1.0]), truth) == 0
    assert scoring._area(np.array([1.0, 3.0, 2.0, 4.0]), truth) == 0.75
