"""Models of ``auto`` that did not see a part of the sets: ``python -m training.folds --help``.

Writes a model for each fold and ``folds.json``, which names for each page the model that saw no
page of its domain. Benchmarks that need whole extractions read them with ``--folds``. Needs
lightgbm (the extra ``training``).
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from benchmarks.data import read, registered_domain
from scrapy_boilerplate.core.auto.model import model_to_arrays
from training.auto import (
    QUICK,
    Recipe,
    answers_of,
    calibration,
    merge,
    train,
)
from training.examples import Example, add_set_arguments, read_sets, sets_of
from training.pages import domain_folds

__all__ = ["domains_of", "write_folds"]


def domains_of(folders: Sequence[Path]) -> dict[str, str]:
    """Return the registered domain of each page by its id.

    Pages of a group stay together, and so do sites of one domain, which may share a template.
    """
    domain_of: dict[str, str] = {}
    found: dict[str, str] = {}
    for page in (page for folder in folders for page in read(folder)):
        own = registered_domain(page.url) if page.url else page.group
        found[page.id] = domain_of.setdefault(page.group, own)
    return found


def write_folds(
    examples: Sequence[Example], domains: dict[str, str], output: Path, folds: int, recipe: Recipe
) -> None:
    """Train on all folds but one, for each of them, and write the models to *output*.

    All are calibrated by what they reach on pages of the first set that they did not see.
    """
    home = examples[0].source
    of_page = dict(
        zip(domains, domain_folds(list(domains.values()), folds, recipe.seed).tolist(), strict=True)
    )
    of_group = {e.group: of_page[e.id] for e in examples if not e.made}
    names = [f"fold-{number + 1}.npz" for number in range(folds)]
    models, answers = [], []
    for number, name in enumerate(names):
        seen = [e for e in examples if of_group[e.group] != number]
        model = train(seen, recipe).model
        pages = [e for e in examples if e.source == home and not e.made]
        unseen = [e for e in pages if of_page[e.id] == number]
        models.append(model)
        answers.append(answers_of(model, unseen))
        print(f"{name}: trained on {len(seen)} pages", flush=True)
    expected, reached = calibration(merge(answers), home)
    output.mkdir(parents=True, exist_ok=True)
    for name, model in zip(names, models, strict=True):
        arrays = model_to_arrays(model._replace(expected=expected, reached=reached))
        np.savez_compressed(output / name, allow_pickle=False, **arrays)
    model_of = {page: names[fold] for page, fold in of_page.items()}
    (output / "folds.json").write_text(json.dumps(model_of), encoding="utf-8")


def main() -> None:
    """Run from the command line."""
    parser = argparse.ArgumentParser(
        prog="python -m training.folds", description=__doc__.partition("\n")[0]
    )
    add = parser.add_argument
    add("pages", type=Path, help="folder of the labelled set that counts most, and calibrates")
    add_set_arguments(parser)
    add("--output", type=Path, required=True, help="folder of the models")
    add("--folds", type=int, default=5)
    add("--rounds", type=int, default=Recipe().rounds, help="trees")
    add("--quick", action="store_true", help="fewer trees, on half of the blocks")
    options = parser.parse_args()
    examples = read_sets(options)
    folders = [options.pages, *sets_of(options.extra)]
    recipe = QUICK if options.quick else Recipe(rounds=options.rounds)
    write_folds(examples, domains_of(folders), options.output, options.folds, recipe)


if __name__ == "__main__":
    main()
