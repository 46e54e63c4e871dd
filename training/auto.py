"""Trains ``auto``: ``python -m training.auto ../shared/data/wcxb-dev --output FILE``.

Reads the labelled sets, trains two forests over blocks and five over pages, and writes the model,
where ``--output`` is given. ``--cross-validate`` first prints what is reached on domains that
nothing was fitted on: neither trees, nor lexicon, nor calibration. ``--models`` writes the models
of its folds, and ``folds.json``, which names for each page the one that saw no page of its domain:
for ``training.rules``, and for benchmarks that need whole extractions. ``--extra`` are sets to
train on besides, with a weight; ``--test`` are sets that are measured and never trained on. The
same seed gives the same model. Needs lightgbm (the extra ``training``).
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Iterable, Mapping, Sequence
from copy import copy
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

import lightgbm
import numpy as np
from numpy.typing import NDArray

from benchmarks.data import read
from benchmarks.tables import share, table
from scrapy_boilerplate.core.auto._context_native import Context
from scrapy_boilerplate.core.auto._features_native import Features
from scrapy_boilerplate.core.auto.answers import BETA, choose_blocks
from scrapy_boilerplate.core.auto.block_rules import Favor, Kept, keep_blocks
from scrapy_boilerplate.core.auto.context import CONTEXT, Surroundings
from scrapy_boilerplate.core.auto.declarations import ADDRESS, MARKUP, METADATA
from scrapy_boilerplate.core.auto.forest import Forest
from scrapy_boilerplate.core.auto.kinds import KINDS, PageKind, kind_of
from scrapy_boilerplate.core.auto.lexicon import Lexicon
from scrapy_boilerplate.core.auto.model import (
    FirstJudgement,
    Judgement,
    Model,
    load_model,
    model_to_arrays,
)
from scrapy_boilerplate.core.page import Page
from training.examples import (
    Example,
    add_set_arguments,
    in_processes,
    read_examples,
    read_sets,
    sets_of,
)
from training.forests import TREES, even_forest, forest_of
from training.lexicon import Evidence
from training.page_kinds import kind_of_page, train_before, train_kinds
from training.pages import Words, domain_folds

Float = NDArray[np.float32]
Int = NDArray[Any]

EMPTY_WEIGHT = 2.0
"""How much more a page without content counts."""


class Recipe(NamedTuple):
    """What was varied."""

    rounds: int = 150
    context_rounds: int = 220
    """Trees of the second forest; with none it is the first once more, and changes nothing."""
    rate: float = 0.08
    page_rounds: int = 80
    kind_rounds: int = 120
    inner_folds: int = 5
    bare_share: float = 0.4
    """Share of the training pages that are read as if they had no classes and ids."""
    silent_share: float = 0.3
    """Share that is read as if the address was not known, and as many without what the markup says
    of the page."""
    least_domains: int = 3
    """Domains on which a word is seen that the lexicon keeps."""
    rows: float = 1.0
    """Share of the blocks that are trained on, for quick looks."""
    seed: int = 0


QUICK = Recipe(rounds=100, context_rounds=100, rate=0.12, rows=0.5)
"""For looks that need not be exact."""


# -- training --------------------------------------------------------------------------------


def train(examples: Sequence[Example], recipe: Recipe, known: Model | None = None) -> Model:
    """Train a model; of a *known* one only the forests that tell kinds.

    The lexicon's values for a training page come from the domains of the other inner folds, as they
    will for a page of a crawl.
    """
    pages = [e for e in examples if e.labels.size and (e.weight or not e.made)]
    groups = [page.group for page in pages]
    fold = domain_folds(groups, recipe.inner_folds, recipe.seed)
    counts = [(page.group, page.counts if page.weight else {}) for page in pages]
    evidence = Evidence(counts, recipe.least_domains)
    lexicons = [
        evidence.lexicon({g for g, k in zip(groups, fold, strict=True) if k != inner})
        for inner in range(recipe.inner_folds)
    ]
    seen = Seen.of(pages, fold, lexicons, np.random.default_rng(recipe.seed), recipe)
    made, made_fold = _made_of(examples, dict(zip(groups, fold.tolist(), strict=True)))
    others = Seen.of(made, made_fold, lexicons, np.random.default_rng(recipe.seed + 1), recipe)
    if known is not None:
        around = _judge_in_turn(seen, others, recipe)
        return known._replace(kinds=_kinds(seen, others, around, recipe))
    first = second = _train_on_blocks(pages, seen.features, recipe.rounds, recipe)
    kinds = (even_forest(),) * len(KINDS)
    if recipe.context_rounds:
        around = _judge_in_turn(seen, others, recipe)
        rows = (
            _with_context(own, alone.around)
            for own, alone in zip(seen.features, around[0], strict=True)
        )
        second = _train_on_blocks(pages, rows, recipe.context_rounds, recipe)
        kinds = _kinds(seen, others, around, recipe)
    lists, threads = (
        _train_before(told, pages, seen.features, recipe) for told in ("list", "thread")
    )
    even = np.array([0, 1], dtype=np.float32)  # not calibrated yet
    return Model(first, second, lists, threads, kinds, evidence.lexicon(groups), even, even)


class Seen(NamedTuple):
    """Pages as a model in training sees them: some without classes, some without metadata."""

    pages: list[Example]
    fold: Int
    """The inner fold of each page."""
    features: list[Float]
    """The features of the blocks of each page."""
    read: list[Given]

    @classmethod
    def of(
        cls,
        pages: list[Example],
        fold: Int,
        lexicons: Sequence[Lexicon],
        random: np.random.Generator,
        recipe: Recipe,
    ) -> Seen:
        """Read the pages, with the lexicon of the others' folds."""
        bare = random.random(len(pages)) < recipe.bare_share
        no_address, no_markup = random.random((2, len(pages))) < recipe.silent_share
        features, read = [], []
        for number, page in enumerate(pages):
            unknown = (ADDRESS if no_address[number] else ()) + (
                MARKUP if no_markup[number] else ()
            )
            found = page.features(lexicons[fold[number]], bare=bool(bare[number]), unknown=unknown)
            features.append(found.matrix(0, len(found.words)))
            read.append(Given(found.words, found.surroundings, features[-1]))
        return cls(pages, fold, features, read)


class Given(NamedTuple):
    """The features of a page that is read."""

    words: NDArray[np.float64]
    surroundings: Surroundings
    rows: Float

    def matrix(self, start: int, stop: int, room: int = 0) -> Float:
        """Return the features of the blocks ``[start, stop)``, and *room* for more columns."""
        return np.pad(self.rows[start:stop], ((0, 0), (0, room)))


def _with_context(features: Float, around: Context) -> Float:
    """Return what the second forest sees of each block."""
    rows = np.pad(features, ((0, 0), (0, len(CONTEXT))))
    around.put(rows)
    return rows


def _made_of(examples: Sequence[Example], fold: dict[str, int]) -> tuple[list[Example], Int]:
    """Return the made pages that tell kinds, of domains that are in a fold, and their folds."""
    made = [e for e in examples if e.made and not e.weight and e.group in fold]
    return made, np.array([fold[example.group] for example in made], dtype=np.int64)


def _kinds(
    seen: Seen,
    others: Seen,
    around: tuple[list[FirstJudgement], list[FirstJudgement]],
    recipe: Recipe,
) -> tuple[Forest, ...]:
    rows = [alone.page for part in around for alone in part]
    return train_kinds(seen.pages + others.pages, rows, recipe.kind_rounds, recipe.seed)


def _train_on_blocks(
    pages: Sequence[Example], parts: Iterable[Float], rounds: int, recipe: Recipe
) -> Forest:
    """Train a forest over blocks; *parts* are the features of those of each page."""
    random = np.random.default_rng(recipe.seed)
    sizes = [page.labels.size for page in pages]
    chosen = np.repeat([page.weight > 0 for page in pages], sizes)
    chosen &= random.random(chosen.size) < recipe.rows
    labels = np.concatenate([page.labels for page in pages])[chosen]
    weights = np.concatenate([_weights(page) for page in pages])[chosen]
    matrix = _put_together(parts, np.split(chosen, np.cumsum(sizes)[:-1]))
    data = lightgbm.Dataset(matrix, labels, weight=weights, params=TREES)
    rate = {"learning_rate": recipe.rate, "seed": recipe.seed}
    return forest_of(lightgbm.train(TREES | rate, data, rounds))


def _put_together(parts: Iterable[Float], chosen: Sequence[NDArray[np.bool_]]) -> Float:
    """Return the *chosen* rows of all *parts*, of which one at a time need be in memory."""
    matrix = np.zeros((0, 0), dtype=np.float32)
    start, size = 0, sum(int(flags.sum()) for flags in chosen)
    for part, flags in zip(parts, chosen, strict=True):
        if not matrix.size:
            matrix = np.empty((size, part.shape[1]), dtype=np.float32)
        rows = part[flags]
        matrix[start : start + len(rows)] = rows
        start += len(rows)
    return matrix


def _judge_in_turn(
    seen: Seen, made: Seen, recipe: Recipe
) -> tuple[list[FirstJudgement], list[FirstJudgement]]:
    """Return what forests of the other inner folds say of each page, and of each made one."""
    found: dict[tuple[int, int], FirstJudgement] = {}
    for inner in range(recipe.inner_folds):
        places = np.flatnonzero(seen.fold != inner).tolist()
        others, theirs = [seen.pages[n] for n in places], [seen.features[n] for n in places]
        model = Model(
            *(_train_on_blocks(others, theirs, recipe.rounds, recipe),) * 2,
            _train_before("list", others, theirs, recipe),
            even_forest(),
            (),
            Lexicon({}),
            *np.zeros((2, 2), dtype=np.float32),
        )
        for part, pages in enumerate((seen, made)):
            for number in np.flatnonzero(pages.fold == inner).tolist():
                found[part, number] = model.judge_alone(pages.read[number])
    return (
        [found[0, number] for number in range(len(seen.pages))],
        [found[1, number] for number in range(len(made.pages))],
    )


def _train_before(
    told: str, pages: Sequence[Example], parts: Sequence[Float], recipe: Recipe
) -> Forest:
    """Train a forest that tells pages before their blocks are judged; see :func:`train_before`."""
    return train_before(told, pages, [part[0] for part in parts], recipe.page_rounds, recipe.seed)


def _weights(page: Example) -> Float:
    """Return how much each block counts: long ones more, all pages of a set alike.

    Pages without content, of which there are few, count more.
    """
    assert page.arrays is not None
    weight = np.sqrt(page.arrays.per_block(page.arrays.words) + 0.3)
    of_page = page.weight * (1 if page.labels.any() else EMPTY_WEIGHT)
    return (of_page * 60 * weight / max(weight.sum(), 1)).astype(np.float32)


# -- measurement -----------------------------------------------------------------------------


class Answers(NamedTuple):
    """What models say of pages that they were not trained on, an entry a page."""

    examples: list[Example]
    f1: dict[str, list[float]]
    """By the way of answering."""
    expected: list[float]
    """Expected F1, not calibrated."""
    kinds: list[str]
    """The kind that each page is called, threads apart."""
    curve: dict[str, list[tuple[float, float]]]
    """Precision and recall of each page by ``favor``."""


FAVOURS: tuple[Favor, ...] = ("precision", "balanced", "recall")


def answers_of(model: Model, examples: Sequence[Example]) -> Answers:
    """Answer for each page in several ways; for none that was made."""
    examples = [example for example in examples if not example.made]
    answers = Answers(examples, {}, [], [], {})
    for example in examples:
        for name, value in _answer(model, example, answers).items():
            answers.f1.setdefault(name, []).append(value)
    return answers


def _answer(model: Model, example: Example, answers: Answers) -> dict[str, float]:
    ways = ("threshold .5", "without empty answers", *FAVOURS, "no classes", "no metadata")
    if example.arrays is None:
        answers.expected.append(1.0)
        answers.kinds.append("empty")
        for favour in FAVOURS:
            value = float(not example.words.size)
            answers.curve.setdefault(favour, []).append((value, value))
        return dict.fromkeys(ways, float(not example.words.size))
    features, bare, silent = (
        example.features(model.lexicon, **without)
        for without in ({}, {"bare": True}, {"unknown": METADATA})
    )
    judged = model.judge(features)
    content, page = judged.content, example.page()
    less = [
        (other, seen, model.judge(seen))
        for other, seen in zip(_told_less(page), (bare, silent), strict=True)
    ]
    kept = {favour: kept_by(judged, page, features, favour) for favour in FAVOURS}
    answers.expected.append(kept["balanced"].expected)
    answers.kinds.append(called(judged.kinds, kept["balanced"].keep))
    for favour, found in kept.items():
        pair = _precision_recall(example.words, found.keep)
        answers.curve.setdefault(favour, []).append(pair)
    keeps = [
        content >= 0.5,
        choose_blocks(content, features.words, BETA["balanced"], may_be_empty=False).keep,
        *(found.keep for found in kept.values()),
        *(kept_by(found, other, seen).keep for other, seen, found in less),
    ]
    return {way: example.words.f1(keep) for way, keep in zip(ways, keeps, strict=True)}


def kept_by(judged: Judgement, page: Page, features: Features, favor: Favor = "balanced") -> Kept:
    """Return what ``auto`` keeps of a page that was judged."""
    return keep_blocks(page, features, judged.content, favor, thread=judged.thread)


def _told_less(page: Page) -> tuple[Page, Page]:
    """Return *page* without classes and ids, and without its address."""
    bare, silent = copy(page), copy(page)
    bare.class_id, bare.id_id = np.zeros_like(page.class_id), np.zeros_like(page.id_id)
    silent.url = None
    return bare, silent


def called(probabilities: Mapping[PageKind, float], keep: NDArray[np.bool_]) -> str:
    """Return the kind that a page is called whose blocks *keep* flags, if it is no thread."""
    return kind_of(probabilities) or "article" if keep.any() else "empty"


def _precision_recall(words: Words, keep: NDArray[np.bool_]) -> tuple[float, float]:
    kept = words.ids[keep[words.nodes]] if words.ids.size else words.ids
    if not words.size:
        return (float(not kept.size),) * 2
    shared = np.minimum(np.bincount(kept, minlength=words.gold.size), words.gold).sum()
    return float(shared / max(kept.size, 1)), float(shared / words.size)


def merge(parts: Iterable[Answers]) -> Answers:
    """Put the answers of several folds together."""
    merged = Answers([], {}, [], [], {})
    for part in parts:
        merged.examples.extend(part.examples)
        merged.expected.extend(part.expected)
        merged.kinds.extend(part.kinds)
        for name, values in part.f1.items():
            merged.f1.setdefault(name, []).extend(values)
        for name, pairs in part.curve.items():
            merged.curve.setdefault(name, []).extend(pairs)
    return merged


def cross_validate(
    examples: Sequence[Example], home: str, folds: int, recipe: Recipe, processes: int = 1
) -> tuple[Answers, list[Model], dict[str, int]]:
    """Train on all folds but one and answer for that one, for each fold; domains are kept apart.

    The folds of the home set are the same whatever other sets there are. Return the models, too,
    and the fold of each domain.
    """
    examples, made = [e for e in examples if not e.made], [e for e in examples if e.made]
    homes = [e.group for e in examples if e.source == home]
    fold = dict(zip(homes, domain_folds(homes, folds, recipe.seed).tolist(), strict=True))
    others = [e.group for e in examples if e.group not in fold]
    if others:
        fold |= dict(zip(others, domain_folds(others, folds, recipe.seed).tolist(), strict=True))

    def answer(number: int) -> tuple[Answers, Model]:
        start = time.perf_counter()
        seen = [e for e in [*examples, *made] if fold.get(e.group, number) != number]
        unseen = [e for e in examples if fold[e.group] == number]
        model = train(seen, recipe)
        found = answers_of(model, unseen)
        at_home = [e.source == home for e in unseen]
        reached = np.array(found.f1["balanced"])[at_home].mean()
        print(
            f"fold {number + 1}: {len(examples) - len(unseen)} pages to train, "
            f"{sum(at_home)} of {home} to test, "
            f"word F1 {reached:.4f}, {time.perf_counter() - start:.0f} s",
            flush=True,
        )
        return found._replace(examples=[]), model  # pages need not travel between processes

    parts, models = zip(*in_processes(answer, folds, processes), strict=True)
    pages = [[e for e in examples if fold[e.group] == number] for number in range(folds)]
    answers = merge(part._replace(examples=own) for part, own in zip(parts, pages, strict=True))
    return answers, list(models), fold


def write_models(
    output: Path, models: Sequence[Model], fold: Mapping[str, int], folders: Iterable[Path]
) -> None:
    """Write the models of all folds, and which of them saw no page of a page's domain."""
    output.mkdir(parents=True, exist_ok=True)
    names = [f"fold-{number + 1}.npz" for number in range(len(models))]
    for name, model in zip(names, models, strict=True):
        np.savez_compressed(output / name, allow_pickle=False, **model_to_arrays(model))
    of_page = {
        page.id: names[fold.get(page.group, 0)] for folder in folders for page in read(folder)
    }
    (output / "folds.json").write_text(json.dumps(of_page), encoding="utf-8")


def calibration(answers: Answers, home: str) -> tuple[Float, Float]:
    """Fit what pages of the home set reach by what was expected: isotonic, by merging neighbours.

    Returns the knots of a line that never falls.
    """
    chosen = [
        place for place, e in enumerate(answers.examples) if e.source == home and e.labels.size
    ]
    expected = np.array(answers.expected)[chosen]
    order = np.argsort(expected, kind="stable")
    f1 = np.array(answers.f1["balanced"])[chosen][order]
    pools: list[list[float]] = []  # sum of expected, sum of F1, number
    for x, y in zip(expected[order].tolist(), f1.tolist(), strict=True):
        pools.append([x, y, 1.0])
        while len(pools) > 1 and pools[-2][1] / pools[-2][2] >= pools[-1][1] / pools[-1][2]:
            last = pools.pop()
            pools[-1] = [a + b for a, b in zip(pools[-1], last, strict=True)]
    knots = np.array([(x / n, y / n) for x, y, n in pools], dtype=np.float32)
    return knots[:, 0], knots[:, 1]


def calibrated(answers: Answers, home: str, folds: int, seed: int) -> NDArray[np.float64]:
    """Return the confidence of each page, by a calibration on other domains."""
    fold = domain_folds([e.group for e in answers.examples], folds, seed)
    confidence = np.zeros(len(answers.examples))
    for number in range(folds):
        others = [place for place, k in enumerate(fold) if k != number]
        part = Answers(
            [answers.examples[place] for place in others],
            {"balanced": [answers.f1["balanced"][place] for place in others]},
            [answers.expected[place] for place in others],
            [],
            {},
        )
        mine = fold == number
        confidence[mine] = np.interp(np.array(answers.expected)[mine], *calibration(part, home))
    return confidence


# -- report ----------------------------------------------------------------------------------


def report(answers: Answers, home: str, folds: int, seed: int) -> str:
    """Return Markdown tables of what was reached, with standard errors."""
    sections = []
    for source in dict.fromkeys(e.source for e in answers.examples):
        places = [n for n, e in enumerate(answers.examples) if e.source == source]
        sections.append(f"**{source}**, {len(places)} pages\n\n{_by_group(answers, places)}")
    sections.append(f"**Precision and recall**\n\n{_curve(answers)}")
    kinds = kinds_table(kinds_by_type(answers.examples, answers.kinds))
    sections.append(f"**What pages are called**\n\n{kinds}")
    confidence = calibrated(answers, home, folds, seed)
    places = [n for n, e in enumerate(answers.examples) if e.source == home]
    f1 = np.array(answers.f1["balanced"])[places]
    sections.append(f"**Confidence on {home}**\n\n{_reliability(confidence[places], f1)}")
    return "\n\n".join(sections)


def _curve(answers: Answers) -> str:
    """Return a row a set and way of favour."""
    sources = np.array([example.source for example in answers.examples])
    lines = []
    for source in dict.fromkeys(sources.tolist()):
        for favour in FAVOURS:
            pairs = np.array(answers.curve[favour])[sources == source]
            f1 = np.array(answers.f1[favour])[sources == source]
            lines.append([source, favour, *map(_mean, (*pairs.T, f1))])
    return table(["set", "favor", "precision", "recall", "word F1"], lines, left=2)


def kinds_table(kinds: Mapping[str, Sequence[str]]) -> str:
    """Return how many pages of each row are called each kind."""
    names, lines = [*KINDS, "empty"], []
    for row, called in kinds.items():
        shares = [_mean(np.array([float(kind == name) for kind in called])) for name in names]
        lines.append([f"{row} ({len(called)})", *shares])
    return table(["pages", *names], lines)


def kinds_by_type(examples: Sequence[Example], kinds: Sequence[str]) -> dict[str, list[str]]:
    """Return what the pages are called by set and page type, where that is known."""
    found: dict[str, list[str]] = {}
    for example, kind in zip(examples, kinds, strict=True):
        if example.kind != "page":
            found.setdefault(f"{example.source}, {kind_of_page(example)}", []).append(kind)
    return found


LEAST_OF_SITE = 10
"""Pages of a site that has a row of its own."""


def _by_group(answers: Answers, places: Sequence[int]) -> str:
    groups: dict[str, list[int]] = {"all": list(places)}
    for place in places:
        example = answers.examples[place]
        groups.setdefault(example.kind, []).append(place)
        if example.site is not None:
            groups.setdefault(f"{example.site}, {example.kind}s", []).append(place)
    ways = list(answers.f1)
    rows_ = [
        [f"{group} ({len(members)})", *(_mean(np.array(answers.f1[w])[members]) for w in ways)]
        for group, members in groups.items()
        if group != "page" and (len(members) >= LEAST_OF_SITE or ", " not in group)
    ]
    return table(["pages", *ways], rows_)


def _mean(values: NDArray[np.float64]) -> str:
    """Return the mean with its standard error."""
    if len(values) < 2:
        return share(values.mean())
    error = values.std(ddof=1) / np.sqrt(len(values))
    return f"{share(values.mean())} ± {share(error)}"


def _reliability(confidence: NDArray[np.float64], f1: NDArray[np.float64]) -> str:
    edges = [0, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 1.0001]
    lines = []
    for low, high in pairwise(edges):
        inside = (confidence >= low) & (confidence < high)
        if inside.any():
            lines.append(
                [
                    f"{low:.2f}–{min(high, 1):.2f}",
                    str(int(inside.sum())),
                    share(confidence[inside].mean()),
                    _mean(f1[inside]),
                ]
            )
    error = np.abs(confidence - f1).mean()
    head = table(["confidence", "pages", "mean confidence", "word F1"], lines)
    return f"{head}\n\nMean absolute error {share(error)}."


def as_json(answers: Answers) -> list[dict[str, Any]]:
    """Return each page with its word F1 by the way of answering."""
    return [
        as_row(example, {way: values[place] for way, values in answers.f1.items()})
        for place, example in enumerate(answers.examples)
    ]


def as_row(example: Example, f1: Mapping[str, float]) -> dict[str, Any]:
    """Return one page with its word F1 by the way of answering, for ``benchmarks.quality``."""
    rounded = {way: round(value, 5) for way, value in f1.items()}
    page = {"set": example.source, "id": example.id, "kind": example.kind, "site": example.site}
    return {**page, "f1": rounded}


def main() -> None:
    """Run from the command line."""
    parser = argparse.ArgumentParser(prog="python -m training.auto", description=__doc__)
    add = parser.add_argument
    add("pages", type=Path, help="folder of the labelled set that counts most, and calibrates")
    add_set_arguments(parser)
    add("--test", type=Path, nargs="*", default=[], help="sets to measure and never train on")
    add("--cross-validate", action="store_true", help="measure first, and calibrate by it")
    add("--folds", type=int, default=5)
    add("--models", type=Path, help="folder that gets the models of the folds")
    add("--seed", type=int, default=0)
    add("--rounds", type=int, default=Recipe().rounds, help="trees")
    add("--quick", action="store_true", help="fewer trees, on half of the blocks")
    add("--json", type=Path, help="write each page's word F1 of the cross-validation to this file")
    add("--output", type=Path, help="file of the model, trained on all pages")
    add("--kinds-of", type=Path, help="model of which only the forests that tell kinds are trained")
    options = parser.parse_args()
    recipe = QUICK if options.quick else Recipe(rounds=options.rounds)
    recipe = recipe._replace(seed=options.seed)
    home = options.pages.name
    examples = read_sets(options, options.seed)
    knots = None
    if options.cross_validate:
        answers, models, fold = cross_validate(
            examples, home, options.folds, recipe, options.processes
        )
        print(report(answers, home, options.folds, options.seed), flush=True)
        knots = calibration(answers, home)
        if options.models:
            models = [each._replace(expected=knots[0], reached=knots[1]) for each in models]
            folders = [options.pages, *sets_of(options.extra)]
            write_models(options.models, models, fold, folders)
        if options.json:
            options.json.write_text(json.dumps(as_json(answers)), encoding="utf-8")
    if not (options.output or options.test):
        return
    known = options.kinds_of and load_model(options.kinds_of)
    model = train(examples, recipe, known)
    if knots is not None:
        model = model._replace(expected=knots[0], reached=knots[1])
    for folder in sets_of(options.test):
        unseen = read_examples(folder, options.cache, processes=options.processes)
        print(report(answers_of(model, unseen), folder.name, options.folds, options.seed))
    if options.output:
        np.savez_compressed(options.output, allow_pickle=False, **model_to_arrays(model))
        print(f"{options.output}: {options.output.stat().st_size} bytes")


if __name__ == "__main__":
    main()
