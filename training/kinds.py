"""How well kinds of pages are told: by domain, and with each set left out in turn.

    python -m training.kinds ../shared/data/wcxb-dev --extra ../shared/data/extra \
        ../shared/data/cleaneval-dev ../shared/data/sites

A page is judged by forests that saw no page of its domain, or of its set. The blocks of the pages
that these learn from are judged by forests of other domains; with a set left out, these may have
seen it, which those that judge the set's own blocks have not. Threads come apart, before other
kinds (``scrapy_boilerplate.core.answer.posts``), and are not told here.
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from benchmarks.tables import share, table
from scrapy_boilerplate.core.auto.answers import choose_blocks
from scrapy_boilerplate.core.auto.forest import Forest
from scrapy_boilerplate.core.auto.kinds import KINDS, PageKind, kind_of
from scrapy_boilerplate.core.auto.metadata import ADDRESS, MARKUP
from scrapy_boilerplate.core.auto.model import Model
from training.auto import (
    Recipe,
    kinds_by_type,
    kinds_table,
    train,
)
from training.examples import Example, add_set_arguments, in_processes, read_sets
from training.left_out import families
from training.page_kinds import train_kinds
from training.pages import domain_folds

__all__ = ["Told", "curve", "measure", "price_of_emptying"]

BOUNDS = (0.3, 0.4, 0.5, 0.55, 0.6, 0.7, 0.8, 0.9)
"""Probabilities above which a page could be called a list."""


class Rows(NamedTuple):
    """What tells the kind of a page."""

    known: NDArray[Any]
    """As the page is."""
    learned: NDArray[Any]
    """As it is learned from: some pages without classes, address or markup."""
    is_empty: bool
    """Whether nothing of it is kept."""
    f1: float


class Told(NamedTuple):
    """What is said of a page."""

    kinds: dict[PageKind, float]
    """Probability of each kind; nothing of a page of which nothing is kept."""
    f1: float
    """Word F1 of what the first forest keeps."""


def measure(
    examples: Sequence[Example], folds: int, recipe: Recipe, processes: int = 1
) -> tuple[list[Told], list[Told]]:
    """Return what is told of each page that was not made: by domain, and by set left out."""
    pages = [example for example in examples if not example.made]
    groups = [page.group for page in pages]
    fold = dict(zip(groups, domain_folds(groups, folds, recipe.seed).tolist(), strict=True))
    left_out = families(pages)
    parts = [[e for e in examples if fold[e.group] == number] for number in range(folds)]
    parts += [[e for e in pages if e.source in family] for family in left_out]
    random = np.random.default_rng(recipe.seed)
    hidden = {id(e): random.random(3) < _shares(recipe) for e in examples}

    def judge(number: int) -> list[Rows | None]:
        unseen = parts[number]
        sources = left_out[number - folds] if number >= folds else ()
        apart = {example.group for example in unseen}
        seen = [e for e in examples if e.group not in apart and e.source not in sources]
        model = train(seen, recipe).model
        print(f"{len(unseen)} pages judged", flush=True)
        return [_rows(model, e, *hidden[id(e)].tolist()) for e in unseen]

    judged = in_processes(judge, len(parts), processes)
    of = {
        id(example): rows
        for part, found in zip(parts[:folds], judged[:folds], strict=True)
        for example, rows in zip(part, found, strict=True)
    }
    told: tuple[dict[int, Told], dict[int, Told]] = ({}, {})
    for number, (unseen, found) in enumerate(zip(parts, judged, strict=True)):
        sources = left_out[number - folds] if number >= folds else ()
        apart = {example.group for example in unseen}
        forests = _learn(
            [e for e in examples if e.group not in apart and e.source not in sources], of, recipe
        )
        for example, rows in zip(unseen, found, strict=True):
            told[number >= folds][id(example)] = _tell(forests, rows, example)
    return [told[0][id(page)] for page in pages], [told[1][id(page)] for page in pages]


def _shares(recipe: Recipe) -> NDArray[np.float64]:
    return np.array([recipe.bare_share, recipe.silent_share, recipe.silent_share])


def _rows(
    model: Model, example: Example, bare: bool, no_address: bool, no_markup: bool
) -> Rows | None:
    if example.arrays is None:
        return None
    unknown = (ADDRESS if no_address else ()) + (MARKUP if no_markup else ())
    known, learned = (
        model.judge_alone(example.features(model.lexicon, **how))
        for how in ({}, {"bare": bare, "unknown": unknown})
    )
    keep = choose_blocks(known.content, example.arrays.per_block(example.arrays.words)).keep
    return Rows(known.page, learned.page, not keep.any(), example.words.f1(keep))


def _learn(
    seen: Sequence[Example], of: Mapping[int, Rows | None], recipe: Recipe
) -> tuple[Forest, ...]:
    known = [(example, rows) for example in seen if (rows := of[id(example)]) is not None]
    learned = [rows.learned for _, rows in known]
    return train_kinds([e for e, _ in known], learned, recipe.kind_rounds, recipe.seed)


def _tell(forests: Sequence[Forest], rows: Rows | None, example: Example) -> Told:
    if rows is None or rows.is_empty:
        return Told({}, float(not example.words.size))
    page = rows.known[None]
    kinds = {
        kind: float(forest.probabilities(page)[0])
        for kind, forest in zip(KINDS, forests, strict=True)
    }
    return Told(kinds, rows.f1)


def report(pages: Sequence[Example], told: Sequence[Told]) -> str:
    """Return what pages are called, how right that is, and the curve of lists."""
    called = [(kind_of(each.kinds) or "article") if each.kinds else "empty" for each in told]
    by_type = kinds_by_type(pages, called)
    right = []
    for kind in KINDS:
        if kind != "list":
            of_home = {k: v for k, v in by_type.items() if k.startswith("wcxb-dev")}
            found = by_type[f"wcxb-dev, {kind}"].count(kind)
            said = sum(kinds.count(kind) for kinds in of_home.values())
            recall = found / len(by_type[f"wcxb-dev, {kind}"])
            right.append([kind, share(recall), share(found / said) if said else ""])
    accuracy = table(["kind of wcxb-dev", "recall", "precision"], right)
    parts = (kinds_table(by_type), accuracy, curve(pages, told), price_of_emptying(pages, told))
    return "\n\n".join(parts)


def curve(pages: Sequence[Example], told: Sequence[Told]) -> str:
    """Return how many index pages are called lists, and articles, by the bound of probability."""
    probability = np.array([each.kinds.get("list", 0.0) for each in told])
    empty = np.array([not each.kinds for each in told])
    types = np.array([f"{page.source}, {page.kind}" for page in pages])
    articles = [name for name in dict.fromkeys(types.tolist()) if name.endswith(", article")]
    index, lines = types == "sites, index", []
    for bound in BOUNDS:
        is_list = probability > bound
        worst = max((is_list[types == name].mean(), name) for name in articles)
        wrong = np.mean([is_list[types == name].mean() for name in articles])
        row = [share(is_list[index].mean()), share((is_list | empty)[index].mean())]
        forums = share(is_list[types == "wcxb-dev, forum"].mean())
        lines.append(
            [str(bound)[1:], *row, share(wrong), f"{share(worst[0])} ({worst[1]})", forums]
        )
    head = ["bound", "index pages", "or empty", "articles", "worst set", "forums"]
    return table(head, lines)


def price_of_emptying(pages: Sequence[Example], told: Sequence[Told]) -> str:
    """Return the word F1 that would be reached if pages above the bound were left empty."""
    probability = np.array([each.kinds.get("list", 0.0) for each in told])
    kept = np.array([each.f1 for each in told])
    left = np.array([float(not page.words.size) for page in pages])
    types = np.array([f"{page.source}, {page.kind}" for page in pages])
    sources = np.array([page.source for page in pages])
    shown = ("sites, index", "wcxb-dev, listing", "wcxb-dev, collection", "wcxb-dev, article")
    sets, lines = dict.fromkeys(sources.tolist()), []
    for bound in (*BOUNDS, 1.0):
        f1 = np.where(probability > bound, left, kept)
        over_sets = np.mean([f1[(sources == n) & (types != shown[0])].mean() for n in sets])
        by_type = [share(f1[types == name].mean()) for name in shown]
        lines.append(["none" if bound == 1 else str(bound)[1:], *by_type, share(over_sets)])
    return table(["emptied above", *shown, "mean over sets"], lines)


def main() -> None:
    """Run from the command line."""
    parser = argparse.ArgumentParser(
        prog="python -m training.kinds", description=__doc__.partition("\n")[0]
    )
    parser.add_argument("pages", type=Path, help="folder of the labelled set that counts most")
    add_set_arguments(parser)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    examples = read_sets(options)
    recipe = Recipe(rounds=120, context_rounds=0, rate=0.12, rows=0.5, seed=options.seed)
    by_domain, left_out = measure(examples, 5, recipe, options.processes)
    pages = [example for example in examples if not example.made]
    print(f"**Cross-validated by domain**\n\n{report(pages, by_domain)}\n")
    print(f"**Each set left out**\n\n{report(pages, left_out)}")


if __name__ == "__main__":
    main()
