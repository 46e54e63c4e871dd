"""What fits models, on pages small enough for a test: training and alignment."""

from __future__ import annotations

import sys
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from random import Random
from types import ModuleType, SimpleNamespace
from typing import Any

import numpy as np
import pytest

from benchmarks.data import LabelledPage, fold_models
from scrapy_boilerplate import Page, get_extractor
from scrapy_boilerplate.core.auto.features import FEATURES
from scrapy_boilerplate.core.auto.forest import sum_of_trees
from scrapy_boilerplate.core.auto.model import load_model
from scrapy_boilerplate.core.methods._token_values import FEATURES as TOKEN_FEATURES
from scrapy_boilerplate.core.methods.scoring import Scoring
from training import mss, scoring
from training.addresses import DETAILS, details_of
from training.alignment import align

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


# -- auto ------------------------------------------------------------------------------------


@pytest.fixture(autouse=True)
def without_lightgbm(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "lightgbm", ModuleType("lightgbm"))  # which only trains


def test_what_training_sees_of_an_address() -> None:
    address = "https://shop.example.com/Product/blog/a-b_d1.html?q=12"
    told = set(details_of(Page.parse("<p>One.")).items())
    assert told == {(name, -1.0) for name in DETAILS}
    found = details_of(Page.parse("<p>One.", url=address))
    assert {name.removeprefix("address_"): value for name, value in found.items() if value} == {
        "depth": 3,
        "hyphens": 2,
        "last": 11,
        "digits": 1,
        "query": 4,
        "file": 1,
        "path_product": 1,
        "path_article": 1,
        "host_product": 1,
    }


def test_trees_forget_all_of_an_address_but_the_kind_that_it_tells() -> None:
    forest_of = import_module("training.forests").forest_of
    names, random = list(DETAILS), Random(0)
    columns = [FEATURES.index("words"), *range(len(FEATURES), len(FEATURES) + len(DETAILS))]

    def tree(depth: int) -> dict[str, Any]:
        if not depth:
            return {"leaf_value": random.random()}
        split = {"split_feature": random.choice(columns), "threshold": random.uniform(-1, 6)}
        return {**split, "left_child": tree(depth - 1), "right_child": tree(depth - 1)}

    def value(tree: dict[str, Any], row: Any) -> float:
        while "split_feature" in tree:
            is_left = row[tree["split_feature"]] <= tree["threshold"]
            tree = tree["left_child" if is_left else "right_child"]
        leaf: float = tree["leaf_value"]
        return leaf

    trees = [tree(5) for _ in range(50)]
    booster = SimpleNamespace(
        dump_model=lambda: {"tree_info": [{"tree_structure": t} for t in trees]}
    )
    forest = forest_of(booster, len(FEATURES))
    forest.check(len(FEATURES))
    for kind in range(3):
        row = np.zeros(len(FEATURES) + len(DETAILS), dtype=np.float32)
        row[columns[0]] = random.uniform(0, 6)
        row[FEATURES.index("page_address")] = kind
        for name in {name for name, values in DETAILS.values() if len(values) == 2}:
            row[FEATURES.index(name)] = random.randint(0, 1)
        for name, (feature, values) in DETAILS.items():
            place = len(FEATURES) + names.index(name)
            row[place] = values[int(row[FEATURES.index(feature)])]
        known = sum_of_trees(forest, row[None, : len(FEATURES)])
        assert known[0] == pytest.approx(sum(value(each, row) for each in trees), rel=1e-5)


@pytest.mark.parametrize("url", [None, "https://example.com/threads/mats.1/"])
def test_what_is_measured_is_what_auto_answers(url: str | None) -> None:
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
        assert {Path(files[page.id]).name for page in part.pages} == {f"fold-{number}.npz"}


# -- scoring ---------------------------------------------------------------------------------


def test_pool_agrees_with_the_method() -> None:
    examples = scoring.prepare(PAGES)
    pool, method = scoring.Pool(examples), Scoring()
    _, near = pool.keep(method, scoring.FACTORS)
    for number, example in enumerate(examples):
        keep = method.judge(example.view).keep
        assert np.array_equal(near[pool.page == number][example.candidates.owner], keep)


# -- alignment -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("html", "gold", "shares"),
    [
        # Of two occurrences the one beside the rest is taken.
        ("<p>Big news</p><p>Menu<p>About us<p>Big news</p><p>Today it rained a lot.",
         "Big news\n\nToday it rained a lot.", [0, 0, 0, 1, 1]),
        ("<p>Today it rained a lot.<p>The end<p>Menu<p>About us<p>The end",
         "Today it rained a lot. The end", [1, 1, 0, 0, 0]),
        # Words that are scattered over other sentences are not aligned.
        ("<p>All the news of the day in a mail</p><p>The cat sat on a mat in the sun.</p>",
         "The cat sat on a mat in the sun. A day of fun.", [0, 1]),
        # Long text in another order is found.
        ("<p>First of all comes this.</p><p>Menu</p><p>Then there are other things to say.</p>",
         "Then there are other things to say. First of all comes this.", [1, 0, 1]),
        # Nodes without words take the share of those around.
        ("<p>*<p>A text with words.<p>* * *<p>And some more of it.<p>* *<p>Menu<p>*",
         "A text with words. And some more of it.", [0.5, 1, 1, 1, 0.5, 0, 0]),
        ("<p>首页</p><p>今天天气很好。</p>", "今天天气很好。", [0, 1]),
        ("<p>one two three four five or not</p>", "One two three four five", [19 / 24]),
        ("<p>Menu</p><p>* *</p>", "", [0, 0]),
        ("<p>* *</p>", "gold", [0]),
        ("", "gold", []),
    ],
)  # fmt: skip
def test_shares_of_gold(html: str, gold: str, shares: list[float]) -> None:
    assert align(Page.parse(html), gold).shares().tolist() == pytest.approx(shares)
