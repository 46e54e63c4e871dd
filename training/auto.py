"""Trains ``auto``: ``python -m training.auto ../shared/data/wcxb-dev --output FILE``.

Reads the labelled sets, trains two forests over blocks and five over pages, and writes the model,
where ``--output`` is given. ``--cross-validate`` first prints what is reached on domains that
nothing was fitted on: neither trees, nor lexicon, nor calibration; with ``--by-set`` on sets of
which nothing was seen. A change that gains on one set and loses on the mean does not ship.
``--json`` writes the word F1 of each page, for ``--before`` and ``benchmarks.quality``;
``--models`` writes the models of the folds, and ``folds.json``, which names for each page the one
that saw no page of its domain, for benchmarks that need whole extractions. The same seed gives the
same model. Needs lightgbm (the extra ``training``).
"""

from __future__ import annotations

import json
import time
from collections.abc import Collection, Iterable, Mapping, Sequence
from copy import copy
from itertools import compress, pairwise
from pathlib import Path
from typing import Any, NamedTuple

import lightgbm
import numpy as np
from numpy.typing import NDArray

from benchmarks.commands import a_file, a_folder, command, in_processes, new_file, new_folder
from benchmarks.data import read
from benchmarks.tables import share, table
from scrapy_boilerplate.core.auto._context_native import CONTEXT, Context, Surroundings
from scrapy_boilerplate.core.auto.block_rules import keep_blocks
from scrapy_boilerplate.core.auto.declarations import ADDRESS, MARKUP, METADATA
from scrapy_boilerplate.core.auto.features import FEATURES
from scrapy_boilerplate.core.auto.forest import Forest
from scrapy_boilerplate.core.auto.kinds import KINDS, kind_of
from scrapy_boilerplate.core.auto.lexicon import Lexicon
from scrapy_boilerplate.core.auto.model import Model, model_to_arrays
from scrapy_boilerplate.core.page import Page
from training.addresses import DETAILS
from training.examples import Example, add_set_arguments, read_sets, sets_of
from training.forests import TREES, even_forest, forest_of
from training.lexicon import Evidence
from training.page_kinds import kind_of_page, train_before, train_kinds
from training.pages import domain_folds, held_out, write_arrays

Float = NDArray[np.float32]
Int = NDArray[Any]

EMPTY_WEIGHT = 2.0  # how much more a page without content counts


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
    least_domains: int = 3  # domains on which a word is seen that the lexicon keeps
    rows: float = 1.0  # share of the blocks that are trained on, for quick looks
    seed: int = 0


QUICK = Recipe(rounds=100, context_rounds=100, rate=0.12, rows=0.5)
"""For looks that need not be exact."""


# -- training --------------------------------------------------------------------------------


def train(examples: Sequence[Example], recipe: Recipe) -> Model:
    """Train a model.

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
    fold_of = dict(zip(groups, fold.tolist(), strict=True))
    made = [e for e in examples if e.made and not e.weight and e.group in fold_of]
    made_fold = np.array([fold_of[each.group] for each in made], dtype=np.int64)
    others = Seen.of(made, made_fold, lexicons, np.random.default_rng(recipe.seed + 1), recipe)
    first = second = _asked(_train_on_blocks(seen, seen.features, recipe.rounds, recipe))
    kinds = (even_forest(),) * len(KINDS)
    if recipe.context_rounds:
        around, facts = _judge_in_turn(seen, others, recipe)
        rows = map(_with_context, seen.features, around)
        second = _asked(_train_on_blocks(seen, rows, recipe.context_rounds, recipe))
        kinds = train_kinds(seen.pages + others.pages, facts, recipe.kind_rounds, recipe.seed)
    before = seen.features, recipe.page_rounds, recipe.seed
    lists, threads = (train_before(told, pages, *before) for told in ("list", "thread"))
    even = np.array([0, 1], dtype=np.float32)  # not calibrated yet
    return Model(first, second, lists, threads, kinds, evidence.lexicon(groups), even, even)


class Seen(NamedTuple):
    """Pages as a model in training sees them: some without classes, some without metadata."""

    pages: list[Example]
    fold: Int  # the inner fold of each page
    features: list[Float]  # the features of the blocks of each page
    details: list[Float]  # what the whole address of each tells
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
        features, details, read = [], [], []
        for number, page in enumerate(pages):
            unknown = [*ADDRESS] if no_address[number] else []
            unknown += MARKUP if no_markup[number] else ()
            found = page.features(lexicons[fold[number]], bare=bool(bare[number]), unknown=unknown)
            features.append(found.matrix(0, len(found.words)))
            told = [-1.0 if no_address[number] else value for value in page.address.values()]
            details.append(np.array(told, dtype=np.float32))
            read.append(Given(found.words, found.surroundings, features[-1]))
        return cls(pages, fold, features, details, read)

    def some(self, places: Sequence[int]) -> Seen:
        """Return only the pages at *places*."""
        return Seen(
            [self.pages[place] for place in places],
            self.fold[places],
            [self.features[place] for place in places],
            [self.details[place] for place in places],
            [self.read[place] for place in places],
        )


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


def _train_on_blocks(
    seen: Seen, parts: Iterable[Float], rounds: int, recipe: Recipe
) -> lightgbm.Booster:
    """Train a forest that sees whole addresses; *parts* are the features of each page's blocks."""
    random, pages = np.random.default_rng(recipe.seed), seen.pages
    sizes = [page.labels.size for page in pages]
    chosen = np.repeat([page.weight > 0 for page in pages], sizes)
    chosen &= random.random(chosen.size) < recipe.rows
    labels = np.concatenate([page.labels for page in pages])[chosen]
    weights = np.concatenate([_weights(page) for page in pages])[chosen]
    flags = np.split(chosen, np.cumsum(sizes)[:-1])
    matrix = _put_together(map(_with_details, parts, seen.details), flags)
    data = lightgbm.Dataset(matrix, labels, weight=weights, params=TREES)
    rate = {"learning_rate": recipe.rate, "seed": recipe.seed}
    return lightgbm.train(TREES | rate, data, rounds)


def _asked(booster: lightgbm.Booster) -> Forest:
    """Return trees that need no more of an address than ``auto`` knows."""
    return forest_of(booster, booster.num_feature() - len(DETAILS))


def _with_details(features: Float, details: Float) -> Float:
    """Return what trees see of each block in training: the whole address, not the kind it tells."""
    rows = np.hstack((features, np.broadcast_to(details, (len(features), details.size))))
    rows[:, _KIND_OF_ADDRESS] = 0
    return rows


_KIND_OF_ADDRESS = [FEATURES.index(name) for name in ADDRESS]


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
) -> tuple[list[Context], list[NDArray[Any]]]:
    """Return what forests of the other inner folds say of each page, and of each made one.

    That is what is around its blocks, by trees that know the whole address, for the second forest
    to learn from; and what tells its kind, as ``auto`` asks.
    """
    around: dict[int, Context] = {}
    facts: dict[tuple[int, int], NDArray[Any]] = {}
    for inner in range(recipe.inner_folds):
        others = seen.some(np.flatnonzero(seen.fold != inner).tolist())
        booster = _train_on_blocks(others, others.features, recipe.rounds, recipe)
        model = Model(
            *(_asked(booster),) * 2,
            train_before("list", others.pages, others.features, recipe.page_rounds, recipe.seed),
            even_forest(),
            (),
            Lexicon({}),
            *np.zeros((2, 2), dtype=np.float32),
        )
        for part, pages in enumerate((seen, made)):
            for number in np.flatnonzero(pages.fold == inner).tolist():
                facts[part, number] = model.judge_alone(pages.read[number]).page
        knowing = forest_of(booster)
        for number in np.flatnonzero(seen.fold == inner).tolist():
            features, read = seen.features[number], seen.read[number]
            content = knowing.probabilities(_with_details(features, seen.details[number]))
            is_list = float(model.pages.probabilities(features[:1])[0])
            around[number] = Context(content, is_list, read.words, read.surroundings)
    return [around[number] for number in sorted(around)], [facts[key] for key in sorted(facts)]


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
    f1: dict[str, list[float]]  # by the way of reading the page
    expected: list[float]  # expected F1, not calibrated
    kinds: list[str]  # the kind that each page is called, threads apart


WAYS: Mapping[str, Mapping[str, Any]] = {
    "balanced": {},
    "no classes": {"bare": True},
    "no metadata": {"unknown": METADATA},
}
"""Ways of reading a page."""


def answers_of(model: Model, examples: Sequence[Example]) -> Answers:
    """Answer for each page in several ways; for none that was made."""
    answers = Answers([e for e in examples if not e.made], {}, [], [])
    for example in answers.examples:
        page = example.page()
        for way, without in WAYS.items():
            f1, expected, kind = float(not example.words.size), 1.0, "empty"
            if example.arrays is not None:
                features = example.features(model.lexicon, **without)
                judged = model.judge(features)
                less = _told_less(page, **without)
                kept = keep_blocks(less, features, judged.content, thread=judged.thread)
                f1, expected = example.words.f1(kept.keep), kept.expected
                kind = kind_of(judged.kinds) or "article" if kept.keep.any() else "empty"
            answers.f1.setdefault(way, []).append(f1)
            if not without:
                answers.expected.append(expected)
                answers.kinds.append(kind)
    return answers


def _told_less(page: Page, *, bare: bool = False, unknown: Collection[str] = ()) -> Page:
    """Return *page* without classes and ids if *bare*, without its address if that is *unknown*."""
    less = copy(page)
    if bare:
        less.class_id, less.id_id = np.zeros_like(page.class_id), np.zeros_like(page.id_id)
    if unknown:
        less.url = None
    return less


class Part(NamedTuple):
    """Pages that a model answers for which has seen nothing of them."""

    name: str
    pages: list[Example]
    groups: Collection[str]  # the domains that it has not seen …
    sources: Collection[str] = ()  # … and sets, if these are left out whole


FAMILIES = (("cleaneval-2007", "cleaneval-dev"),)
"""Sets of one contest, which are left out together."""


def parts_by_domain(examples: Sequence[Example], home: str, folds: int, seed: int) -> list[Part]:
    """Return the folds of domains; those of the home set are the same beside any other sets."""
    pages = [e for e in examples if not e.made]
    homes = [e.group for e in pages if e.source == home]
    fold = dict(zip(homes, domain_folds(homes, folds, seed).tolist(), strict=True))
    others = [e.group for e in pages if e.group not in fold]
    if others:
        fold |= dict(zip(others, domain_folds(others, folds, seed).tolist(), strict=True))
    parts = []
    for number in range(folds):
        groups = {group for group, own in fold.items() if own == number}
        parts.append(Part(f"fold {number + 1}", [e for e in pages if e.group in groups], groups))
    return parts


def parts_by_set(examples: Sequence[Example]) -> list[Part]:
    """Return the sets, each to be left out with its domains."""
    together = {name: family for family in FAMILIES for name in family}
    parts = []
    for family in dict.fromkeys(together.get(e.source, (e.source,)) for e in examples):
        pages = [e for e in examples if e.source in family and not e.made]
        parts.append(Part(", ".join(family), pages, {e.group for e in pages}, family))
    return parts


def cross_validate(
    examples: Sequence[Example], parts: Sequence[Part], recipe: Recipe, processes: int = 1
) -> tuple[Answers, list[Model]]:
    """Answer for each part by a model that has seen nothing of it; return the models, too."""

    def answer(part: Part) -> tuple[Answers, Model]:
        start = time.perf_counter()
        others = [e for e in examples if e.source not in part.sources]
        model = train([e for e in others if e.group not in part.groups], recipe)
        found = answers_of(model, part.pages)
        print(
            f"{part.name}: {len(part.pages)} pages, word F1 {np.mean(found.f1['balanced']):.4f}, "
            f"{time.perf_counter() - start:.0f} s",
            flush=True,
        )
        return found._replace(examples=[]), model  # pages need not travel between processes

    found, models = zip(*in_processes(answer, parts, processes), strict=True)
    return Answers(
        [page for part in parts for page in part.pages],
        {way: [f1 for part in found for f1 in part.f1.get(way, ())] for way in WAYS},
        [expected for part in found for expected in part.expected],
        [kind for part in found for kind in part.kinds],
    ), list(models)


def write_models(
    output: Path, models: Sequence[Model], parts: Sequence[Part], folders: Iterable[Path]
) -> None:
    """Write the models of all folds, and which of them saw no page of a page's domain."""
    name_of: dict[str, str] = {}
    for number, (model, part) in enumerate(zip(models, parts, strict=True), 1):
        name_of |= dict.fromkeys(part.groups, f"fold-{number}.npz")
        write_arrays(output / f"fold-{number}.npz", model_to_arrays(model))
    pages = {
        page.id: name_of.get(page.group, "fold-1.npz")
        for folder in folders
        for page in read(folder)
    }
    (output / "folds.json").write_text(json.dumps(pages), encoding="utf-8")


def of_home(answers: Answers, home: str) -> tuple[list[Example], NDArray[Any], NDArray[Any]]:
    """Return the pages of the home set, with what was expected of each and what it reached."""
    places = [n for n, example in enumerate(answers.examples) if example.source == home]
    pages = [answers.examples[place] for place in places]
    return pages, np.array(answers.expected)[places], np.array(answers.f1["balanced"])[places]


def calibration(
    pages: Sequence[Example], expected: NDArray[Any], reached: NDArray[Any]
) -> tuple[Float, Float]:
    """Fit what pages reach by what was expected: isotonic, by merging neighbours.

    Returns the knots of a line that never falls.
    """
    known = np.flatnonzero([page.labels.size for page in pages])
    pools: list[list[float]] = []  # sum of expected, sum of F1, number
    for place in known[np.argsort(expected[known], kind="stable")].tolist():
        x, y = float(expected[place]), float(reached[place])
        pools.append([x, y, 1.0])
        while len(pools) > 1 and pools[-2][1] / pools[-2][2] >= pools[-1][1] / pools[-1][2]:
            last = pools.pop()
            pools[-1] = [a + b for a, b in zip(pools[-1], last, strict=True)]
    knots = np.array([(x / n, y / n) for x, y, n in pools], dtype=np.float32)
    return knots[:, 0], knots[:, 1]


# -- report ----------------------------------------------------------------------------------


def report(answers: Answers, home: str, before: Sequence[Mapping[str, Any]] | None = None) -> str:
    """Return Markdown tables of what was reached, with standard errors.

    *before* is what :func:`as_json` made of an earlier run, to which differences are shown.
    """
    sections = [f"**Word F1**\n\n{_by_set(answers, before)}"]
    called: dict[str, list[str]] = {}
    for example, kind in zip(answers.examples, answers.kinds, strict=True):
        if example.kind != "page":
            called.setdefault(f"{example.source}, {kind_of_page(example)}", []).append(kind)
    names = [*KINDS, "empty"]
    rows = [
        [f"{name} ({len(kinds)})", *(_mean([kind == each for kind in kinds]) for each in names)]
        for name, kinds in called.items()
    ]
    sections.append(f"**What pages are called**\n\n{table(['pages', *names], rows)}")
    if any(example.source == home for example in answers.examples):
        sections.append(f"**Confidence on {home}**\n\n{_reliability(answers, home)}")
    return "\n\n".join(sections)


def _by_set(answers: Answers, before: Sequence[Mapping[str, Any]] | None) -> str:
    """Return a row a set, one a page type of it, and the mean over sets, index pages apart."""
    earlier = {(row["set"], row["id"]): row["f1"]["balanced"] for row in before or ()}
    f1 = np.array([answers.f1[way] for way in WAYS])
    was = [earlier.get((e.source, e.id), np.nan) for e in answers.examples]
    columns = np.vstack([f1, f1[0] - was]) if before else f1
    sets: dict[str, dict[str, list[int]]] = {}
    for place, example in enumerate(answers.examples):
        index = ", index" if example.kind == "index" else ""
        types = sets.setdefault(f"{example.source}{index}", {})
        types.setdefault(example.kind, []).append(place)
    rows, means = [], []
    for name, types in sets.items():
        places = [place for of_type in types.values() for place in of_type]
        parts = {name: places, **{f"… {kind}": own for kind, own in types.items()}}
        rows += [
            [f"{part} ({len(own)})", *(_mean(column[own]) for column in columns)]
            for part, own in parts.items()
            if part == name or len(types) > 1
        ]
        if not name.endswith(", index"):
            means.append(np.nanmean(columns[:, places], axis=1))
    rows.append(["mean over sets", *(f"{mean:.4f}" for mean in np.mean(means, axis=0))])
    return table(["pages", *WAYS, *(["difference"] if before else [])], rows)


def _mean(values: Sequence[float] | NDArray[Any]) -> str:
    """Return the mean with its standard error."""
    if len(values) < 2:
        return share(float(np.mean(values)))
    error = np.nanstd(values, ddof=1) / np.sqrt(len(values))
    return f"{share(float(np.nanmean(values)))} ± {share(float(error))}"


def _reliability(answers: Answers, home: str) -> str:
    """Return what pages of the home set reach by their confidence, calibrated on other domains."""
    pages, expected, f1 = of_home(answers, home)
    confidence = np.zeros(len(pages))
    for seen, asked in held_out([page.group for page in pages], CALIBRATED):
        knots = calibration(list(compress(pages, seen)), expected[seen], f1[seen])
        confidence[asked] = np.interp(expected[asked], *knots)
    rows = []
    for low, high in pairwise([0, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 1.0001]):
        inside = (confidence >= low) & (confidence < high)
        if inside.any():
            found = share(confidence[inside].mean()), _mean(f1[inside])
            rows.append([f"{low:.2f}–{min(high, 1):.2f}", str(int(inside.sum())), *found])
    error = np.abs(confidence - f1).mean()
    head = table(["confidence", "pages", "mean confidence", "word F1"], rows)
    return f"{head}\n\nMean absolute error {share(error)}."


CALIBRATED = 5  # folds in which confidence is calibrated to measure it


def as_json(answers: Answers) -> list[dict[str, Any]]:
    """Return each page with its word F1 by the way of reading it, for ``benchmarks.quality``."""
    return [
        {
            "set": example.source,
            "id": example.id,
            "kind": example.kind,
            "site": example.site,
            "f1": {way: round(values[place], 5) for way, values in answers.f1.items()},
        }
        for place, example in enumerate(answers.examples)
    ]


def main() -> None:
    parser = command(__doc__)
    add = parser.add_argument
    add("pages", type=a_folder, help="folder of the labelled set that counts most, and calibrates")
    add_set_arguments(parser)
    add("--cross-validate", action="store_true", help="measure first, and calibrate by it")
    add("--folds", type=int, default=5, help="of domains (default: %(default)s)")
    add("--by-set", action="store_true", help="leave out sets in turn, not domains")
    add("--before", type=a_file, help="what --json wrote of an earlier run, to print differences")
    add("--models", type=new_folder, help="folder that gets the models of the folds")
    add("--seed", type=int, default=0)
    add("--rounds", type=int, default=Recipe().rounds, help="trees")
    add("--quick", action="store_true", help="fewer trees, on half of the blocks")
    add("--json", type=new_file, help="file of each page's word F1 in the cross-validation")
    add("--output", type=new_file, help="file of the model, trained on all pages")
    options = parser.parse_args()
    if (options.models or options.json) and not options.cross_validate:
        parser.error("--models and --json are of a cross-validation: add --cross-validate")
    recipe = QUICK if options.quick else Recipe(rounds=options.rounds)
    recipe = recipe._replace(seed=options.seed)
    home = options.pages.name
    examples = read_sets(options, options.seed)
    knots = None
    if options.cross_validate:
        parts = parts_by_domain(examples, home, options.folds, options.seed)
        parts = parts_by_set(examples) if options.by_set else parts
        answers, models = cross_validate(examples, parts, recipe, options.processes)
        before = json.loads(options.before.read_text(encoding="utf-8")) if options.before else None
        print(report(answers, home, before), flush=True)
        knots = calibration(*of_home(answers, home))
        if options.models:
            models = [each._replace(expected=knots[0], reached=knots[1]) for each in models]
            write_models(options.models, models, parts, [options.pages, *sets_of(options.extra)])
        if options.json:
            options.json.write_text(json.dumps(as_json(answers)), encoding="utf-8")
    if options.output:
        model = train(examples, recipe)
        if knots is not None:
            model = model._replace(expected=knots[0], reached=knots[1])
        write_arrays(options.output, model_to_arrays(model))
        print(f"{options.output}: {options.output.stat().st_size} bytes")


if __name__ == "__main__":
    main()
