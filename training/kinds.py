"""What kinds pages are called, with their address and without it: ``python -m training.kinds``.

    python -m training.kinds FOLDS ../shared/data/wcxb-dev --extra ../shared/data/extra \
        ../shared/data/cleaneval-dev ../shared/data/sites

A page is judged by a model that saw no page of its domain, which ``training.auto --models`` has
written to the folder FOLDS, and its kind is told by forests that learned from the pages of the
other models. Threads come apart, before other kinds (``scrapy_boilerplate.core.answer.posts``),
and are not told here.
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from benchmarks.data import fold_models
from benchmarks.tables import share, table
from scrapy_boilerplate.core.auto.answers import choose_blocks
from scrapy_boilerplate.core.auto.declarations import ADDRESS, MARKUP
from scrapy_boilerplate.core.auto.forest import Forest
from scrapy_boilerplate.core.auto.kinds import KINDS, kind_of
from scrapy_boilerplate.core.auto.model import Model, load_model
from training.auto import Recipe
from training.examples import Example, add_set_arguments, in_processes, read_sets
from training.page_kinds import kind_of_page, train_kinds

__all__ = ["Called", "measure", "report"]


class Rows(NamedTuple):
    """What tells the kind of a page."""

    known: NDArray[Any]
    """As the page is …"""
    no_address: NDArray[Any]
    """… and without its address."""
    learned: NDArray[Any]
    """As it is learned from: some pages without classes, address or markup."""
    is_empty: bool
    """Whether nothing of it is kept."""


class Called(NamedTuple):
    """What a page is called."""

    with_address: str
    without: str


def measure(
    examples: Sequence[Example], files: Mapping[str, Path], recipe: Recipe, processes: int = 1
) -> list[Called]:
    """Return what each page is called that was not made.

    *files* gives the model of each page by its id; a made page has that of its domain.
    """
    of_group = {e.group: files[e.id] for e in examples if not e.made and e.id in files}
    folds = sorted(set(of_group.values()))
    parts = [[e for e in examples if of_group.get(e.group) == file] for file in folds]
    hidden = np.random.default_rng(recipe.seed).random((len(examples), 3)) < (
        recipe.bare_share,
        recipe.silent_share,
        recipe.silent_share,
    )
    hide = dict(zip(map(id, examples), hidden.tolist(), strict=True))

    def judge(number: int) -> list[Rows | None]:
        model = load_model(folds[number])
        return [_rows(model, example, *hide[id(example)]) for example in parts[number]]

    judged = in_processes(judge, len(parts), processes)
    called: dict[int, Called] = {}
    for number, part in enumerate(parts):
        others = [
            pair
            for n in range(len(parts))
            if n != number
            for pair in zip(parts[n], judged[n], strict=True)
        ]
        known = [(example, rows.learned) for example, rows in others if rows is not None]
        pages, learned = zip(*known, strict=True)
        forests = train_kinds(pages, learned, recipe.kind_rounds, recipe.seed)
        for example, rows in zip(part, judged[number], strict=True):
            called[id(example)] = _call(forests, rows)
    return [called[id(e)] for e in examples if id(e) in called and not e.made]


def _rows(
    model: Model, example: Example, bare: bool, no_address: bool, no_markup: bool
) -> Rows | None:
    if example.arrays is None:
        return None
    unknown = (ADDRESS if no_address else ()) + (MARKUP if no_markup else ())
    ways: tuple[dict[str, Any], ...] = (
        {},
        {"unknown": ADDRESS},
        {"bare": bare, "unknown": unknown},
    )
    known, silent, learned = (
        model.judge_alone(example.features(model.lexicon, **how)) for how in ways
    )
    keep = choose_blocks(known.content, example.arrays.per_block(example.arrays.words)).keep
    return Rows(known.page, silent.page, learned.page, not keep.any())


def _call(forests: Sequence[Forest], rows: Rows | None) -> Called:
    if rows is None or rows.is_empty:
        return Called("empty", "empty")

    def kind(page: NDArray[Any]) -> str:
        found = (float(forest.probabilities(page[None])[0]) for forest in forests)
        return kind_of(dict(zip(KINDS, found, strict=True))) or "article"

    return Called(kind(rows.known), kind(rows.no_address))


def report(pages: Sequence[Example], called: Sequence[Called]) -> str:
    """Return how many pages of each set and type are called each kind, with and without address."""
    found: dict[str, list[Called]] = {}
    for page, each in zip(pages, called, strict=True):
        found.setdefault(f"{page.source}, {kind_of_page(page)}", []).append(each)
    lines = []
    for name, told in found.items():
        ways = [np.array(way) for way in zip(*told, strict=True)]
        shares = [" / ".join(share((way == kind).mean()) for way in ways) for kind in KINDS]
        lines.append([f"{name} ({len(told)})", *shares, share((ways[0] != ways[1]).mean())])
    return table(["pages", *(f"{kind}, no address" for kind in KINDS), "differ"], lines)


def main() -> None:
    """Run from the command line."""
    parser = argparse.ArgumentParser(
        prog="python -m training.kinds", description=__doc__.partition("\n")[0]
    )
    add = parser.add_argument
    add("folds", type=Path, help="folder of models that training.auto --models has written")
    add("pages", type=Path, help="folder of the labelled set that counts most")
    add_set_arguments(parser)
    add("--seed", type=int, default=0)
    options = parser.parse_args()
    files = fold_models(options.folds)
    examples = read_sets(options)
    called = measure(examples, files, Recipe(seed=options.seed), options.processes)
    print(report([e for e in examples if not e.made and e.id in files], called))


if __name__ == "__main__":
    main()
