"""Models of ``auto`` that did not see a part of a set: ``python -m training.folds --help``.

Writes a model for each fold and ``folds.json``, which names for each page the model that saw no
page of its domain. Benchmarks that need whole extractions read them with ``--folds``. Needs
lightgbm (the extra ``training``).
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import numpy as np

from scrapy_boilerplate.extractors.auto.model import model_to_arrays
from training.auto import Recipe, read_examples, train
from training.pages import domain_folds

__all__ = ["write_folds"]


def write_folds(pages: Path, output: Path, folds: int, recipe: Recipe) -> None:
    """Train on all folds but one, for each of them, and write the models to *output*."""
    examples = read_examples(pages, None)
    pages_of = [example for example in examples if not example.made]
    fold = domain_folds([example.group for example in pages_of], folds, recipe.seed).tolist()
    of_group = {example.group: of for example, of in zip(pages_of, fold, strict=True)}
    output.mkdir(parents=True, exist_ok=True)
    names = [f"fold-{number + 1}.npz" for number in range(folds)]
    for number, name in enumerate(names):
        seen = [e for e in examples if of_group[e.group] != number]
        arrays = model_to_arrays(train(seen, recipe).model)
        np.savez_compressed(output / name, allow_pickle=False, **arrays)
        print(f"{name}: trained on {len(seen)} pages", flush=True)
    model_of = {example.id: names[of] for example, of in zip(pages_of, fold, strict=True)}
    (output / "folds.json").write_text(json.dumps(model_of), encoding="utf-8")


def main() -> None:
    """Run from the command line."""
    parser = argparse.ArgumentParser(
        prog="python -m training.folds", description=__doc__.partition("\n")[0]
    )
    parser.add_argument("pages", type=Path, help="folder of a labelled set")
    parser.add_argument("--output", type=Path, required=True, help="folder of the models")
    parser.add_argument("--folds", type=int, default=5)
    parser.add_argument("--rounds", type=int, default=Recipe().rounds, help="trees")
    options = parser.parse_args()
    write_folds(options.pages, options.output, options.folds, Recipe(rounds=options.rounds))


if __name__ == "__main__":
    main()
