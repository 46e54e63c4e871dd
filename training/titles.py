"""Fits the weights of the choice of titles: ``python -m training.titles DATA --write``.

DATA holds the labelled pages, as ``wcxb-dev``. A conditional logit model: of the texts on a page
that may be the title, the one with the highest score is chosen, and the weights make the gold title
likely. First it is cross-validated, grouped by registered domain; then fitted on all pages. Needs
the extra ``training``.
"""

from __future__ import annotations

import argparse
import gzip
import json
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize

from benchmarks.data import registered_domain
from scrapy_boilerplate import Page, core
from scrapy_boilerplate.core.answer.metadata.declared import find_subject, read_declared, words_of
from scrapy_boilerplate.core.answer.metadata.titles import candidates, features, title_evidence

Float = NDArray[np.float64]

PENALTY = 1.0
"""Weight of the squared weights against the likelihood of all pages."""
FOLDS = 5
LEAST_PAGES = 8
"""Pages with a feature that is neither always there nor always missing, below which it is left
out."""


@dataclass(frozen=True)
class Examples:
    """The candidates of all pages, one after another."""

    values: Float
    """A row for each candidate."""
    names: list[str]
    """The feature in each column."""
    is_title: NDArray[np.bool_]
    page: NDArray[np.int64]
    """Index of each candidate's page."""
    group: list[str]
    """Registered domain of each page."""

    def of(self, pages: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Return which candidates belong to the flagged pages."""
        chosen: NDArray[np.bool_] = pages[self.page]
        return chosen


def read_examples(folder: Path) -> Examples:
    """Read the candidates of each labelled page."""
    rows: list[dict[str, float]] = []
    is_title, page_of, group = [], [], []
    for number, path in enumerate(sorted(folder.glob("ground-truth/*.json"))):
        label = json.loads(path.read_text(encoding="utf-8"))
        body = gzip.decompress((folder / "html" / f"{path.stem}.html.gz").read_bytes())
        page = Page.parse(body, url=label["url"])
        declared = read_declared(page)
        titles, around = title_evidence(page, declared, find_subject(declared, page.title))
        gold = words_of(label["ground_truth"]["title"])
        for candidate in candidates(titles):
            rows.append(dict(features(candidate, around)))
            is_title.append(candidate.words == gold)
            page_of.append(number)
        group.append(registered_domain(label["url"]))
    names = sorted({name for row in rows for name in row})
    values = np.array([[row.get(name, 0.0) for name in names] for row in rows])
    return Examples(values, names, np.array(is_title), np.array(page_of), group)


def fit(examples: Examples, chosen: NDArray[np.bool_]) -> Float:
    """Return the weights that make the titles of the chosen candidates' pages most likely."""
    has_title = np.bincount(examples.page[examples.is_title], minlength=len(examples.group)) > 0
    used = chosen & examples.of(has_title)
    values, is_title, page = examples.values[used], examples.is_title[used], examples.page[used]
    starts = np.flatnonzero(np.diff(page, prepend=-1))
    owner = np.repeat(np.arange(starts.size), np.diff(np.append(starts, page.size)))

    def loss(weights: Float) -> tuple[float, Float]:
        scores = values @ weights
        scores -= np.maximum.reduceat(scores, starts)[owner]
        exponents = np.exp(scores)
        sums = np.add.reduceat(exponents, starts)
        likely = exponents / sums[owner]
        total = -(scores[is_title] - np.log(sums[owner][is_title])).sum()
        gradient = values.T @ (likely - is_title) + 2 * PENALTY * weights
        return float(total + PENALTY * weights @ weights), gradient

    found = minimize(loss, np.zeros(values.shape[1]), jac=True, method="L-BFGS-B")
    weights: Float = found.x
    return weights


def accuracy(examples: Examples, weights: Float, chosen: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Return for each page with chosen candidates whether the best one is the title."""
    scores = np.where(chosen, examples.values @ weights, -np.inf)
    order = np.lexsort((np.arange(scores.size), -scores, examples.page))
    first = order[np.flatnonzero(np.diff(examples.page[order], prepend=-1))]
    right = np.zeros(len(examples.group), dtype=bool)
    right[examples.page[first]] = examples.is_title[first]
    return right


def cross_validated(examples: Examples, seed: int) -> float:
    """Return the share of pages with the right title, each judged by weights of other domains."""
    domains = sorted(set(examples.group))
    folds = np.random.default_rng(seed).permutation(len(domains)) % FOLDS
    fold_of = dict(zip(domains, folds.tolist(), strict=True))
    fold = np.array([fold_of[domain] for domain in examples.group])
    right = np.zeros(len(fold), dtype=bool)
    for number in range(FOLDS):
        held_out = fold == number
        weights = fit(examples, examples.of(~held_out))
        right |= held_out & accuracy(examples, weights, examples.of(held_out))
    return float(right.mean())


def write(examples: Examples, weights: Float, path: Path) -> None:
    """Write the weights that are not nothing."""
    rounded = np.round(weights, 2)
    names = np.array(examples.names)[rounded != 0]
    np.savez_compressed(path, names=names, weights=rounded[rounded != 0])


def main() -> None:
    """Run the command."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path, help="folder of labelled pages, such as wcxb-dev")
    parser.add_argument("--write", action="store_true", help="write the weights into the package")
    parser.add_argument("--seeds", type=int, default=3, help="cross-validations with other folds")
    arguments = parser.parse_args()
    examples = read_examples(arguments.data)
    pages = len(examples.group)
    ceiling = np.unique(examples.page[examples.is_title]).size / pages
    print(f"{pages} pages, {len(examples.page)} candidates, {len(examples.names)} features")
    print(f"title among the candidates: {ceiling:.3f}")
    for seed in range(arguments.seeds):
        print(f"cross-validated, seed {seed}: {cross_validated(examples, seed):.4f}")
    everything = np.ones(examples.page.size, dtype=bool)
    weights = fit(examples, everything)
    print(f"fitted on all pages: {accuracy(examples, weights, everything).mean():.4f}")
    if arguments.write:
        write(examples, weights, Path(core.__file__).parent / "models" / "titles.npz")


if __name__ == "__main__":
    main()
