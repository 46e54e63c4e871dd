"""Fits the learned token values of ``mss``: ``python -m training.mss ../shared/data/wcxb-dev``.

Prints what ``scores="learned"`` reaches on domains that it was not fitted on, beside the fixed
scores on the same pages, then fits all pages and writes the weights where ``--output`` is given.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from benchmarks.data import LabelledPage, read
from scrapy_boilerplate.core.methods import get_extractor
from scrapy_boilerplate.core.methods._runs import best_run, tag_counts
from scrapy_boilerplate.core.methods._token_values import TokenModel, neighbourhoods, token_values
from scrapy_boilerplate.core.page import Page
from training.alignment import align
from training.logistic import fit_logistic
from training.pages import Words, domain_folds

CONTENT_SHARE = 2 / 3
"""Share of a text node's characters that are aligned with the gold text, if it is content."""
RIDGE = 1e-3
"""Beside the mean loss of a token; features are not standardised, most of them are flags."""
FIXED = ("mss", "mss-tuned")


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
    fixed: tuple[float, ...]  # word F1 of the presets with fixed scores


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
        fixed=tuple(words.f1(_kept(page, name)) for name in FIXED),
    )


def _kept(page: Page, name: str) -> NDArray[np.bool_]:
    keep = np.zeros(page.text_at.size, dtype=bool)
    if keep.size:
        verdict = get_extractor(name).judge(page)
        for start, stop in verdict.spans[verdict.keep].tolist():
            keep[start:stop] = True
    return keep


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
    fold = domain_folds([example.group for example in examples], folds, seed)
    scores = np.zeros(len(examples))
    for held_out in range(folds):
        model = fit([e for e, n in zip(examples, fold, strict=True) if n != held_out])
        for number in np.flatnonzero(fold == held_out):
            scores[number] = learned_f1(model, examples[number])
    fixed = np.array([example.fixed for example in examples])
    rows = [*zip(FIXED, fixed.T, strict=True), ("learned", scores)]
    kinds = np.array([example.kind for example in examples])
    for name, values in rows:
        means = ", ".join(f"{kind} {values[kinds == kind].mean():.3f}" for kind in sorted({*kinds}))
        print(f"{name:<12}word F1 {values.mean():.4f}; {means}")


def main() -> None:
    """Run from the command line."""
    parser = argparse.ArgumentParser(prog="python -m training.mss", description=__doc__)
    parser.add_argument("pages", type=Path, help="folder of a labelled set")
    parser.add_argument("--folds", type=int, default=5, help="0: no cross-validation")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--output", type=Path, help="file of the weights, fitted on all pages")
    options = parser.parse_args()
    examples = [prepare(labelled) for labelled in read(options.pages)]
    if options.folds:
        cross_validate(examples, options.folds, options.seed)
    if options.output:
        model = fit(examples)
        np.savez_compressed(
            options.output, allow_pickle=False, weights=model.weights, bias=model.bias
        )


if __name__ == "__main__":
    main()
