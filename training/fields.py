"""Fits and measures the choice of title, authors and date: ``python -m training.fields DATA``.

DATA holds labelled pages, as ``wcxb-dev``, each read twice: as it is, and without what it declares.
A conditional logit model: of the candidates on a page the one with the highest score is chosen, and
the weights make the gold likely. They are cross-validated, grouped by registered domain, beside the
weights that the package has. ``--write`` writes those of titles, fitted on all pages; authors and
dates have a table of round numbers (``choosing.WEIGHTS``). Needs the extra ``training``.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize

from benchmarks.commands import a_folder, command
from benchmarks.data import registered_domain
from benchmarks.metadata import (
    Answer,
    LabelledMetadata,
    names_of,
    read_labels,
    without_declarations,
)
from scrapy_boilerplate import Page, core
from scrapy_boilerplate.core.answer.metadata import read_metadata
from scrapy_boilerplate.core.answer.metadata.authors import author_candidates
from scrapy_boilerplate.core.answer.metadata.choosing import LEAST, WEIGHTS, Candidate
from scrapy_boilerplate.core.answer.metadata.declared import read_declared, words_of
from scrapy_boilerplate.core.answer.metadata.languages import page_language
from scrapy_boilerplate.core.answer.metadata.publication import date_candidates
from scrapy_boilerplate.core.answer.metadata.titles import (
    page_title,
    title_candidates,
    title_text,
    weights,
)
from scrapy_boilerplate.core.answer.metadata.visible import Visible
from training.pages import held_out, write_arrays

Float = NDArray[np.float64]

PENALTY = 1.0  # weight of the squared weights against the likelihood of all pages
FOLDS = 5
NOTHING = Candidate("", "", {"nothing": 1.0})  # what is chosen where no candidate is good enough


@dataclass(frozen=True)
class Examples:
    """The candidates of all pages for one field, one after another."""

    values: Float  # a row for each candidate
    names: list[str]  # the feature in each column
    is_right: NDArray[np.bool_]
    page: NDArray[np.int64]  # index of each candidate's page
    group: list[str]  # registered domain of each page
    is_hidden: NDArray[np.bool_]  # whether each page was read without its declarations

    def of(self, pages: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Return which candidates belong to the flagged pages."""
        chosen: NDArray[np.bool_] = pages[self.page]
        return chosen


def candidates(labelled: LabelledMetadata) -> Iterator[tuple[str, list[tuple[Candidate, bool]]]]:
    """Yield the candidates of a page for each field, each with whether it is right."""
    page = Page.parse(labelled.html, url=labelled.url)
    declared = read_declared(page)
    titles = title_candidates(page, declared)
    visible = Visible(page, title_text(page, declared, page_title(page, declared)[0]))
    language = page_language(page).code
    authors = author_candidates(declared, visible, language)
    dates = date_candidates(declared, visible, language)
    gold = Answer(labelled.gold.title, labelled.gold.authors or "", labelled.gold.date or "")
    words, names = words_of(gold.title or ""), names_of(gold.authors or "")
    yield "title", [(each, words_of(each.value) == words) for each in titles]
    yield (
        "author",
        [(each, names_of("; ".join(each.value)) == names) for each in authors]
        + [(NOTHING, not names)],
    )
    shown = [each for each in dates if each.label != "updated"]
    yield (
        "date",
        [(each, each.value[:10] == gold.date) for each in shown] + [(NOTHING, not gold.date)],
    )


def read_examples(folder: Path, every: int) -> dict[str, Examples]:
    """Read the candidates of each labelled page, with its declarations and without."""
    found: dict[str, list[tuple[Mapping[str, float], bool, int]]] = {}
    group: list[str] = []
    is_hidden: list[bool] = []
    for labelled in list(read_labels(folder))[::every]:
        hidden = without_declarations(labelled.html)
        for html in (labelled.html, hidden):
            for field, rows in candidates(LabelledMetadata(html, labelled.url, labelled.gold)):
                found.setdefault(field, []).extend(
                    (each.facts, is_right, len(group)) for each, is_right in rows
                )
            group.append(registered_domain(labelled.url))
            is_hidden.append(html is hidden)
    return {field: _examples(rows, group, is_hidden) for field, rows in found.items()}


def calibration(folder: Path, every: int) -> Iterator[tuple[str, float, float]]:
    """Yield of each field the mean confidence of its answers and the error of that.

    The error is the mean difference between confidence and share of right answers, over ten groups
    of answers that are about as sure.
    """
    found: dict[str, list[tuple[float, bool]]] = {}
    for labelled in list(read_labels(folder))[::every]:
        gold = labelled.gold
        for html in (labelled.html, without_declarations(labelled.html)):
            metadata = read_metadata(Page.parse(html, url=labelled.url))
            names = names_of("; ".join(metadata.authors))
            for field, is_known, is_right in (
                ("title", gold.title, words_of(metadata.title) == words_of(gold.title or "")),
                ("authors", gold.authors, names == names_of(gold.authors or "")),
                ("date_published", gold.date, metadata.date_published[:10] == gold.date),
            ):
                if is_known and field in metadata.confidence:
                    found.setdefault(field, []).append((metadata.confidence[field], is_right))
    for field, pairs in found.items():
        values = np.array(sorted(pairs, key=lambda pair: pair[0]))
        groups = (
            abs(np.diff(each.mean(axis=0))[0]) * len(each) for each in np.array_split(values, 10)
        )
        yield field, float(values[:, 0].mean()), float(sum(groups) / len(values))


def _examples(
    rows: list[tuple[Mapping[str, float], bool, int]], group: list[str], is_hidden: list[bool]
) -> Examples:
    facts, is_right, page = zip(*rows, strict=True)
    names = sorted({name for each in facts for name in each})
    values = np.array([[float(each.get(name, 0.0)) for name in names] for each in facts])
    return Examples(values, names, np.array(is_right), np.array(page), group, np.array(is_hidden))


def fit(examples: Examples, chosen: NDArray[np.bool_]) -> Float:
    """Return the weights that make the gold of the chosen candidates' pages most likely."""
    has_gold = np.bincount(examples.page[examples.is_right], minlength=len(examples.group)) > 0
    used = chosen & examples.of(has_gold)
    values, is_right, page = examples.values[used], examples.is_right[used], examples.page[used]
    starts = np.flatnonzero(np.diff(page, prepend=-1))
    owner = np.repeat(np.arange(starts.size), np.diff(np.append(starts, page.size)))

    def loss(weights: Float) -> tuple[float, Float]:
        scores = values @ weights
        scores -= np.maximum.reduceat(scores, starts)[owner]
        exponents = np.exp(scores)
        sums = np.add.reduceat(exponents, starts)
        likely = exponents / sums[owner]
        right = np.where(is_right, likely, 0.0)
        of_right = np.add.reduceat(right, starts)  # several may be right
        gradient = values.T @ (likely - right / of_right[owner]) + 2 * PENALTY * weights
        total = -np.log(of_right).sum()
        return float(total + PENALTY * weights @ weights), gradient

    found = minimize(loss, np.zeros(values.shape[1]), jac=True, method="L-BFGS-B")
    weights: Float = found.x
    return weights


def accuracy(examples: Examples, weights: Float, chosen: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Return for each page with chosen candidates whether the best one is right."""
    scores = np.where(chosen, examples.values @ weights, -np.inf)
    order = np.lexsort((np.arange(scores.size), -scores, examples.page))
    first = order[np.flatnonzero(np.diff(examples.page[order], prepend=-1))]
    right = np.zeros(len(examples.group), dtype=bool)
    right[examples.page[first]] = examples.is_right[first]
    return right


def cross_validated(examples: Examples, seed: int) -> NDArray[np.bool_]:
    """Return of each page whether it is right, judged by weights of other domains."""
    right = np.zeros(len(examples.group), dtype=bool)
    for seen, asked in held_out(examples.group, FOLDS, seed):
        fitted = fit(examples, examples.of(seen))
        right |= asked & accuracy(examples, fitted, examples.of(asked))
    return right


def packaged(field: str, names: list[str]) -> Float:
    """Return the weights of the package for these features."""
    known = weights() if field == "title" else {**WEIGHTS[field], "nothing": LEAST}
    return np.array([known.get(name, 0.0) for name in names])


def main() -> None:
    parser = command(__doc__)
    parser.add_argument("data", type=a_folder, help="folder of labelled pages, such as wcxb-dev")
    parser.add_argument("--write", action="store_true", help="write the weights of titles")
    parser.add_argument("--seeds", type=int, default=3, help="cross-validations with other folds")
    parser.add_argument("--every", type=int, default=1, help="take every n-th page")
    arguments = parser.parse_args()
    for field, mean, error in calibration(arguments.data, arguments.every):
        print(f"{field}: mean confidence {mean:.3f}, calibration error {error:.3f}")
    for field, examples in read_examples(arguments.data, arguments.every).items():
        everything = np.ones(examples.page.size, dtype=bool)
        ours = packaged(field, examples.names)
        judged = {"of the package": accuracy(examples, ours, everything)}
        for seed in range(arguments.seeds):
            judged[f"cross-validated, seed {seed}"] = cross_validated(examples, seed)
        print(f"{field}: {len(examples.group)} pages, {everything.size} candidates")
        for name, right in judged.items():
            hidden = examples.is_hidden
            print(f"  {right[~hidden].mean():.4f} {right[hidden].mean():.4f} hidden, {name}")
        fitted = fit(examples, everything)
        if field != "title":
            order = np.argsort(-np.abs(fitted)).tolist()
            print("  fitted:", ", ".join(f"{examples.names[n]} {fitted[n]:.1f}" for n in order))
        elif arguments.write:
            rounded = np.round(fitted, 2)
            arrays = {"names": np.array(examples.names), "weights": rounded}
            known = {name: array[rounded != 0] for name, array in arrays.items()}
            write_arrays(Path(core.__file__).parent / "models" / "titles.npz", known)


if __name__ == "__main__":
    main()
