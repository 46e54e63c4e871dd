"""How well ``auto`` does on sets that it saw nothing of: each set is left out in turn.

    python -m training.left_out ../shared/data/wcxb-dev --extra ../shared/data/extra \
        ../shared/data/cleaneval-dev ../shared/data/sites --quick --json today.json

What counts is the mean over sets: a change that gains on one set and loses on the mean does not
ship. ``--json`` writes what is reached on each page, for ``benchmarks.quality``, which puts other
tools beside it, and for ``--before``, which prints paired differences to an earlier run with their
standard errors. ``--quick`` trains fewer trees on half of the blocks.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from benchmarks.tables import gain, share, table
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

__all__ = ["measure", "report"]

FAMILIES = (("cleaneval-2007", "cleaneval-dev"),)
"""Sets of one contest, which are left out together."""

Rows = list[dict[str, Any]]
"""Set, name, kind and word F1 of each page."""


class Reached(NamedTuple):
    """What is reached on each page."""

    answers: Rows
    kinds: dict[str, list[str]]
    """What the pages are called by set and page type, threads apart."""


def families(examples: Sequence[Example]) -> list[tuple[str, ...]]:
    """Return the sets that are left out together, in the order of the pages."""
    together = {name: family for family in FAMILIES for name in family}
    return list(dict.fromkeys(together.get(e.source, (e.source,)) for e in examples))


def measure(examples: Sequence[Example], recipe: Recipe, processes: int = 1) -> Reached:
    """Leave out each family of sets in turn, and answer for its pages."""
    left_out = families(examples)

    def answer(number: int) -> Reached:
        unseen = [e for e in examples if e.source in left_out[number] and not e.made]
        groups = {e.group for e in unseen}
        others = [e for e in examples if e.source not in left_out[number]]
        model = train([e for e in others if e.group not in groups], recipe)
        answers, kinds = [], []
        for example in unseen:
            kind, f1 = "empty", float(not example.words.size)
            if example.arrays is not None:
                features = example.features(model.lexicon)
                judged = model.judge(features)
                keep = kept_by(judged, example.page(), features).keep
                kind, f1 = called(judged.kinds, keep), example.words.f1(keep)
            kinds.append(kind)
            answers.append(as_row(example, {"balanced": f1}))
        print(f"{', '.join(left_out[number])} left out", flush=True)
        return Reached(answers, kinds_by_type(unseen, kinds))

    parts = in_processes(answer, len(left_out), processes)
    return Reached(
        [answer for part in parts for answer in part.answers],
        {name: kinds for part in parts for name, kinds in part.kinds.items()},
    )


def report(answers: Rows, before: Rows | None = None) -> str:
    """Return the mean word F1 by set, index pages apart, and the difference to an earlier run."""
    reached, earlier = _by_set(answers), _by_set(before or [])
    rows, means = [], []
    for name, pages in reached.items():
        f1 = np.array(list(pages.values()))
        row = [f"{name} ({f1.size})", f"{share(f1.mean())} ± {share(_error(f1))}"]
        known = earlier.get(name, {})
        gains = np.array(
            [value - known[page] for page, value in pages.items() if page in known] or [0.0]
        )
        if before is not None:
            row.append(gain(gains.mean(), _error(gains)))
        rows.append(row)
        if not name.endswith("index"):
            means.append((f1.mean(), _error(f1), gains.mean(), _error(gains)))
    of_sets = np.array(means)
    mean, gained = of_sets[:, ::2].mean(axis=0)
    error, of_gain = np.sqrt(np.square(of_sets[:, 1::2]).sum(axis=0)) / len(means)
    rows.append(["mean over sets", f"{share(mean)} ± {share(error)}"])
    if before is not None:
        rows[-1].append(gain(gained, of_gain))
    return table(["left out", "word F1", *(["difference"] if before is not None else [])], rows)


def _by_set(answers: Rows) -> Mapping[str, dict[str, float]]:
    found: dict[str, dict[str, float]] = {}
    for answer in answers:
        name = f"{answer['set']}, index" if answer["kind"] == "index" else answer["set"]
        found.setdefault(name, {})[answer["id"]] = answer["f1"]["balanced"]
    return found


def _error(values: np.ndarray[Any, Any]) -> float:
    return float(values.std(ddof=1) / np.sqrt(values.size)) if values.size > 1 else 0.0


def main() -> None:
    """Run from the command line."""
    parser = argparse.ArgumentParser(prog="python -m training.left_out", description=__doc__)
    add = parser.add_argument
    add("pages", type=Path, help="folder of the labelled set that counts most")
    add_set_arguments(parser)
    add("--seed", type=int, default=0)
    add("--json", type=Path, help="write each page's word F1 to this file")
    add("--before", type=Path, help="such a file of an earlier run")
    add("--quick", action="store_true", help="fewer trees, on half of the blocks")
    options = parser.parse_args()
    recipe = (QUICK if options.quick else Recipe())._replace(seed=options.seed)
    reached = measure(read_sets(options), recipe, options.processes)
    before = json.loads(options.before.read_text(encoding="utf-8")) if options.before else None
    print(f"{report(reached.answers, before)}\n\n{kinds_table(reached.kinds)}")
    if options.json:
        options.json.write_text(json.dumps(reached.answers), encoding="utf-8")


if __name__ == "__main__":
    main()
