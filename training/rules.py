"""What each rule above the model brings: ``python -m training.rules FOLDS SET ...``.

The pages are judged by models that saw no page of their domain, which ``training.auto --models``
has written to the folder FOLDS. Then each rule is turned off alone. Printed is what it brings: the
mean word F1 with all rules less that without this one, by set, with the standard error over pages.
What counts is the mean over sets.
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from multiprocessing import get_context
from pathlib import Path
from typing import Any, NamedTuple
from unittest.mock import patch

import numpy as np

from benchmarks.data import LabelledPage, fold_models, read, sample
from benchmarks.tables import gain, table
from scrapy_boilerplate.core.auto import block_rules, opening, wholes
from scrapy_boilerplate.core.auto.block_rules import keep_blocks
from scrapy_boilerplate.core.auto.features import read_features
from scrapy_boilerplate.core.auto.model import load_model
from scrapy_boilerplate.core.page import Page
from scrapy_boilerplate.core.page.arrays import Bool
from training.examples import sets_of
from training.pages import Words

__all__ = ["RULES", "measure", "report"]

NEVER = 2.0  # what no share and no probability reaches


def _none(page: Page, keep: Bool, *_: Any) -> Bool:
    return np.zeros_like(keep)


class Off(NamedTuple):
    """What stands in the place of a name of a module while a rule is turned off."""

    module: Any
    name: str
    value: Any


def _without(name: str) -> list[Off]:
    return [Off(block_rules, "RULES", [each for each in block_rules.RULES if each.name != name])]


RULES: Mapping[str, Sequence[Off]] = {
    **{rule.name: _without(rule.name) for rule in block_rules.RULES},
    "wholes: code": [Off(wholes, "_code", _none)],
    "opening: lede": [Off(opening, "LEAST_LEDE", NEVER)],
}
"""What turns off each rule, and parts of some."""


def measure(task: tuple[LabelledPage, Path]) -> list[float] | None:
    """Return the word F1 of a page with all rules, and without each; ``None`` without text."""
    labelled, file = task
    page = Page.parse(labelled.html, url=labelled.url)
    if not page.text_at.size:
        return None
    model = load_model(file)
    features = read_features(page, model.lexicon)
    judged = model.judge(features)
    words = Words.of_texts(page.lay_out_all(page.blocks), labelled.gold)

    def f1(off: Sequence[Off] = ()) -> float:
        with ExitStack() as stack:
            for module, name, value in off:
                stack.enter_context(patch.object(module, name, value))
            found = keep_blocks(page, features, judged.content, thread=judged.thread)
        return words.f1(found.keep)

    return [f1(), *map(f1, RULES.values())]


def report(sets: Mapping[str, np.ndarray[Any, Any]]) -> str:
    """Return a row a set, a column a rule, and the mean over sets; from what pages reach."""
    rows, means, errors = [], [], []
    for name, values in sets.items():
        brings = values[:, :1] - values[:, 1:]
        means.append(brings.mean(axis=0))
        errors.append(brings.std(axis=0, ddof=1) / np.sqrt(len(brings)))
        rows.append([f"{name} ({len(brings)})", *map(_difference, means[-1], errors[-1])])
    error = np.sqrt(np.square(errors).sum(axis=0)) / len(errors)
    rows.append(["mean over sets", *map(_difference, np.mean(means, axis=0), error)])
    return table(["pages", *RULES], rows)


def _difference(mean: float, error: float) -> str:
    return gain(mean, error) if mean or error else "0"


def main() -> None:
    """Run from the command line."""
    parser = argparse.ArgumentParser(
        prog="python -m training.rules", description=__doc__.partition("\n")[0]
    )
    add = parser.add_argument
    add("folds", type=Path, help="folder of models that training.auto --models has written")
    add("pages", type=Path, nargs="+", help="folders of labelled sets")
    add("--most", type=int, help="pages of each set (default: all)")
    add("--processes", type=int, default=2, help="pages at a time (default: %(default)s)")
    options = parser.parse_args()
    files = fold_models(options.folds)
    sets: dict[str, np.ndarray[Any, Any]] = {}
    for folder in sets_of(options.pages):
        tasks = [(page, files[page.id]) for page in read(folder) if page.id in files]
        chosen = {page.id for page in sample([page for page, _ in tasks], options.most)}
        tasks = [task for task in tasks if task[0].id in chosen]
        with get_context("fork").Pool(options.processes) as pool:
            found = pool.map(measure, tasks, chunksize=8)
        if found:
            sets[folder.name] = np.array([values for values in found if values is not None])
    print(report(sets))


if __name__ == "__main__":
    main()
