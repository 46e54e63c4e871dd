"""How well ``auto`` does on sets that it saw nothing of: each set is left out in turn.

    python -m training.left_out ../shared/data/wcxb-dev --extra ../shared/data/extra \
        ../shared/data/cleaneval-dev ../shared/data/sites --quick

Beside the recipe of today stands the first one (no ``news-2011``, no ``articles-zh``, no made
pages, no second forest, less weight of all sets but one), on the same pages; both answer as
``auto`` does today. The standard errors are those of paired differences. What counts is the mean
over sets: a change that gains on one set and loses on the mean does not ship. ``--quick`` trains
fewer trees on half of the blocks. ``--json`` writes what today's recipe reaches on each page, for
``benchmarks.quality``, which puts other tools beside it.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from benchmarks.tables import share, table
from training.auto import (
    QUICK,
    Recipe,
    as_row,
    called,
    kept_by,
    kinds_by_type,
    kinds_table,
    train,
)
from training.examples import Example, add_set_arguments, in_processes, read_sets

__all__ = ["Way", "measure", "report"]

FIRST_UNREAD, FIRST_WEIGHT = ("news-2011", "articles-zh"), 0.4
"""What the first recipe was not trained on, and how much less all other sets counted."""

FAMILIES = (("cleaneval-2007", "cleaneval-dev"),)
"""Sets of one contest, which are left out together."""

Scores = dict[str, list[float]]
"""Word F1 of the pages of each set."""


class Way(NamedTuple):
    """A way of training."""

    recipe: Recipe
    is_first: bool = False
    """Whether it is the first one."""

    def seen(self, examples: Iterable[Example]) -> list[Example]:
        """Return the pages that are trained on."""
        if not self.is_first:
            return list(examples)
        return [
            e if e.at_home else replace(e, weight=0.0 if e.made else FIRST_WEIGHT * e.weight)
            for e in examples
            if e.source not in FIRST_UNREAD
        ]


class Reached(NamedTuple):
    """What a way reaches on each page."""

    f1: Scores
    kinds: dict[str, list[str]]
    """What the pages are called by set and page type, threads apart."""
    answers: list[dict[str, Any]]
    """Set, name, kind and word F1 of each page."""


def families(examples: Sequence[Example]) -> list[tuple[str, ...]]:
    """Return the sets that are left out together, in the order of the pages."""
    together = {name: family for family in FAMILIES for name in family}
    return list(dict.fromkeys(together.get(e.source, (e.source,)) for e in examples))


def group_of(example: Example) -> str:
    """Return the row of the tables in which a page counts: its set, index pages apart."""
    return f"{example.source}, index" if example.kind == "index" else example.source


def measure(examples: Sequence[Example], way: Way, processes: int = 1) -> Reached:
    """Leave out each family of sets in turn, and answer for its pages."""
    left_out = families(examples)

    def answer(number: int) -> Reached:
        unseen = [e for e in examples if e.source in left_out[number] and not e.made]
        groups = {e.group for e in unseen}
        others = [e for e in examples if e.source not in left_out[number]]
        seen = way.seen(e for e in others if e.group not in groups)
        model = train(seen, way.recipe).model
        reached, kinds = Reached({}, {}, []), []
        for example in unseen:
            kind, f1 = "empty", float(not example.words.size)
            if example.arrays is not None:
                features = example.features(model.lexicon)
                judged = model.judge(features)
                keep = kept_by(judged, example.page(), features).keep
                kind, f1 = called(judged.kinds, keep), example.words.f1(keep)
            reached.f1.setdefault(group_of(example), []).append(f1)
            kinds.append(kind)
            reached.answers.append(as_row(example, {"balanced": f1}))
        reached.kinds.update(kinds_by_type(unseen, kinds))
        print(f"{', '.join(left_out[number])} left out", flush=True)
        return reached

    parts = in_processes(answer, len(left_out), processes)
    return Reached(
        {name: values for part in parts for name, values in part.f1.items()},
        {name: kinds for part in parts for name, kinds in part.kinds.items()},
        [answer for part in parts for answer in part.answers],
    )


def report(ours: Sequence[Reached], others: Sequence[Reached]) -> str:
    """Return a table of both ways with paired differences, means over seeds.

    A second one says what pages are called by the first seed.
    """
    rows, means, gains, errors = [], [], [], []
    for name in ours[0].f1:
        mine, other = (_over_seeds([run.f1[name] for run in runs]) for runs in (ours, others))
        gain = mine - other
        error = gain.std(ddof=1) / np.sqrt(gain.size)
        rows.append(_row(f"{name} ({gain.size})", other.mean(), mine.mean(), gain.mean(), error))
        if not name.endswith("index"):
            means.append((other.mean(), mine.mean()))
            gains.append(gain.mean())
            errors.append(error)
    error = np.sqrt(np.square(errors).sum()) / len(errors)
    rows.append(_row("mean over sets", *np.mean(means, axis=0), np.mean(gains), error))
    head = table(["left out", "first recipe", "today", "difference"], rows)
    return f"{head}\n\n{kinds_table(ours[0].kinds)}"


def _over_seeds(runs: Sequence[Sequence[float]]) -> NDArray[np.float64]:
    mean: NDArray[np.float64] = np.mean(runs, axis=0)
    return mean


def _row(name: str, other: float, mine: float, gain: float, error: float) -> list[str]:
    difference = f"{gain:+.4f} ± {error:.4f}".replace("0.", ".")
    return [name, share(other), share(mine), difference]


def main() -> None:
    """Run from the command line."""
    parser = argparse.ArgumentParser(prog="python -m training.left_out", description=__doc__)
    add = parser.add_argument
    add("pages", type=Path, help="folder of the labelled set that counts most")
    add_set_arguments(parser)
    add("--seeds", type=int, nargs="+", default=[0])
    add("--json", type=Path, help="write each page's word F1 by the last seed to this file")
    add("--quick", action="store_true", help="fewer trees, on half of the blocks")
    options = parser.parse_args()
    recipe = QUICK if options.quick else Recipe()
    examples = read_sets(options)
    runs: tuple[list[Reached], list[Reached]] = ([], [])
    for seed in options.seeds:
        today = Way(recipe._replace(seed=seed))
        first = Way(today.recipe._replace(context_rounds=0), is_first=True)
        for found, way in zip(runs, (today, first), strict=True):
            found.append(measure(examples, way, options.processes))
    print(report(*runs))
    if options.json:
        options.json.write_text(json.dumps(runs[0][-1].answers), encoding="utf-8")


if __name__ == "__main__":
    main()
