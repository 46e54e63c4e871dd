"""Fits the learned token values of ``mss``: ``python -m training.mss ../shared/data/wcxb-dev``.

Prints what ``scores="learned"`` reaches on domains that it was not fitted on, then fits all pages
and writes the weights where ``--output`` is given.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import compress
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from benchmarks.data import LabelledPage
from scrapy_boilerplate.core.methods._runs import best_run, tag_counts
from scrapy_boilerplate.core.methods._token_values import TokenModel, neighbourhoods, token_values
from scrapy_boilerplate.core.page import Page
from training.alignment import align
from training.logistic import fit_logistic
from training.pages import Words, held_out, run, table_by_kind

CONTENT_SHARE = 2 / 3
"""Share of a text node's characters that are aligned with the gold text, if it is content."""
RIDGE = 1e-3
"""Beside the mean loss of a token; features are not standardised, most of them are flags."""


class Example(NamedTuple):
    """A page with what the classifier sees of it, and its labels."""

    features: NDArray[np.float32]
    tokens: NDArray[Any]  # number of words and symbols of each text node
    tags: NDArray[Any]  # number of tags before each text node
    inside: NDArray[np.bool_]
    """Whether each text node stands between the first and the last one of the gold text."""
    words: Words
    group: str
    kind: str


def prepare(labelled: LabelledPage) -> Example:
    """Read a page, its features and its labels."""
    page = Page.parse(labelled.html, url=labelled.url)
    words = Words.of(page, labelled.gold)
    gold = np.flatnonzero(align(page, labelled.gold).shares() >= CONTENT_SHARE)
    inside = np.zeros(page.text_at.size, dtype=bool)
    if gold.size:
        inside[gold[0] : gold[-1] + 1] = True
    tags = tag_counts(page)
    return Example(
        features=neighbourhoods(page, tags),
        tokens=page.words + page.symbols,
        tags=tags,
        inside=inside,
        words=words,
        group=labelled.group,
        kind=labelled.kind,
    )


def fit(examples: Sequence[Example]) -> TokenModel:
    """Fit the logistic regression; each page counts the same.

    Within a page a text node counts as often as it has tokens, and one for its tags.
    """
    pages = [example for example in examples if example.inside.size]
    inputs = np.concatenate([page.features for page in pages])
    inputs = np.concatenate([inputs, np.ones((len(inputs), 1), dtype=np.float32)], axis=1)
    targets = np.concatenate([page.inside for page in pages]).astype(np.float32)
    counts = [(page.tokens + 1) / (page.tokens + 1).sum() / len(pages) for page in pages]
    counts_of_all = np.concatenate(counts).astype(np.float32)
    ridge = np.full(inputs.shape[1], RIDGE)
    ridge[-1] = 1e-9
    weights = fit_logistic(inputs, targets, counts_of_all, ridge)
    return TokenModel(weights[:-1].astype(np.float32), float(weights[-1]))


def learned_f1(model: TokenModel, example: Example) -> float:
    """Return the word F1 of the best run with the values of *model*."""
    keep = np.zeros(example.inside.size, dtype=bool)
    if keep.size:
        content = model.probabilities(example.features)
        start, stop = best_run(*token_values(content, example.tokens, example.tags))
        keep[start:stop] = True
    return example.words.f1(keep)


def cross_validate(examples: list[Example], folds: int, seed: int) -> None:
    """Print word F1 on the pages of each fold, with the values fitted on the others."""
    learned = np.zeros(len(examples))
    for seen, asked in held_out([example.group for example in examples], folds, seed):
        model = fit(list(compress(examples, seen)))
        learned[asked] = [learned_f1(model, example) for example in compress(examples, asked)]
    print(table_by_kind([example.kind for example in examples], {"word F1": learned}))


def fitted(examples: Sequence[Example], seed: int) -> dict[str, NDArray[Any]]:
    model = fit(examples)
    return {"weights": model.weights, "bias": np.array(model.bias)}


if __name__ == "__main__":
    run(__doc__, prepare, cross_validate, fitted)
