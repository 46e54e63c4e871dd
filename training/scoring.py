"""Fits ``scoring``: ``python -m training.scoring ../shared/data/wcxb-dev``.

With ``--sites ../shared/data/sites`` the model of the page's kind sees index pages, too. Prints
the word F1 on domains that it was not fitted on, how well it tells lists from articles, and the
constants fitted on all pages: the defaults of
:class:`~scrapy_boilerplate.core.methods.scoring.Scoring` and of its model of the page's kind.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import reduce
from itertools import compress
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from benchmarks.commands import a_folder, command
from benchmarks.data import LabelledPage, read
from benchmarks.tables import share, table
from scrapy_boilerplate.core.methods._kind import MEASURES, Patterns, measure_page
from scrapy_boilerplate.core.methods.scoring import RIVAL, Candidates, Scoring
from scrapy_boilerplate.core.page import Page
from scrapy_boilerplate.core.page.text import tokens
from training.alignment import align
from training.logistic import fit_logistic
from training.pages import Words, held_out

Float = NDArray[np.float64]
Bool = NDArray[np.bool_]

FACTORS = ("repeats", "links", "markup", "sentences", "equals", "length")
BOUNDS = {
    # Where the search may go. It would switch the factors of repeats and of equal lengths off, if
    # the upper bounds let it.
    "expand": (0.01, 1.0),
    "half_repeats": (1.0, 100.0),
    "half_links": (0.1, 10.0),
    "half_markup": (0.5, 50.0),
    "half_sentences": (1.0, 1000.0),
    "half_equals": (1.0, 20.0),
    "half_length": (50.0, 5000.0),
}
STEP = 0.6  # standard deviation of the search's steps, in natural logarithms
FOLDS = 5
LISTS = frozenset(["listing", "collection", "index"])
ARTICLES = frozenset(["article"])
RIDGE = 1.0


class Example(NamedTuple):
    """A page with what the method sees of it and how much of it is gold."""

    page: LabelledPage
    candidates: Candidates
    patterns: Patterns
    view: Page
    words: Words
    owner: NDArray[Any]  # candidate of each text node
    own: NDArray[Any]  # characters of each candidate's words …
    gold: NDArray[Any]  # … and of those that are aligned with the gold text
    wanted: int  # characters of the gold text's words


def prepare(pages: Iterable[LabelledPage]) -> list[Example]:
    """Read the pages that hold any text."""
    examples = []
    for labelled in pages:
        page = Page.parse(labelled.html, url=labelled.url)
        if not page.text_at.size:
            continue
        patterns = Patterns.of(page)
        candidates = Candidates.of(page, patterns)
        owner = np.repeat(candidates.owner, np.diff(page.blocks, axis=1)[:, 0])
        alignment = align(page, labelled.gold)
        examples.append(
            Example(
                page=labelled,
                candidates=candidates,
                patterns=patterns,
                view=page,
                words=Words.of(page, labelled.gold),
                owner=owner,
                own=np.bincount(owner, alignment.total),
                gold=np.bincount(owner, alignment.aligned),
                wanted=sum(map(len, tokens(labelled.gold))),
            )
        )
    return examples


class Pool:
    """The candidates of many pages in one row of arrays."""

    def __init__(self, examples: Sequence[Example]) -> None:
        columns = zip(*(example.candidates[2:] for example in examples), strict=True)
        empty = np.zeros(0, dtype=np.int64)
        self.candidates = Candidates(empty, empty, *map(np.concatenate, columns))
        sizes = np.array([example.own.size for example in examples])
        self.starts = np.append(0, np.cumsum(sizes)[:-1])
        self.page = np.repeat(np.arange(sizes.size), sizes)
        self.own = np.concatenate([example.own for example in examples])
        self.gold = np.concatenate([example.gold for example in examples])
        self.wanted = np.array([example.wanted for example in examples])

    def best(self, scores: Float) -> NDArray[Any]:
        """Return the candidate of each page with the highest score, the first of equals."""
        highest = np.maximum.reduceat(scores, self.starts)[self.page]
        tops = np.flatnonzero(scores == highest)
        return tops[np.unique(self.page[tops], return_index=True)[1]]

    def keep(self, method: Scoring, factors: Sequence[str]) -> tuple[Bool, Bool]:
        """Return which candidates are kept: the best alone, and with all that come near it."""
        scores = _product(method, self.candidates, factors)
        best = self.best(scores)
        alone = np.zeros(scores.size, dtype=bool)
        alone[best] = True
        return alone, alone | (scores > method.expand * scores[best][self.page])

    def f1(self, keep: Bool) -> float:
        """Return the mean F1 of aligned characters: close to word F1, and a sum of candidates."""
        gold = np.add.reduceat(np.where(keep, self.gold, 0), self.starts)
        own = np.add.reduceat(np.where(keep, self.own, 0), self.starts)
        shares = 2 * gold / np.maximum(own + self.wanted, 1)
        return float(np.where(self.wanted > 0, shares, own == 0).mean())


def _product(method: Scoring, candidates: Candidates, factors: Sequence[str]) -> Float:
    values = method.factors(candidates)
    return reduce(np.multiply, [values[name] for name in factors])


def fit(examples: Sequence[Example], factors: Sequence[str], rounds: int, seed: int) -> Scoring:
    """Search the constants that do best, for the best candidate alone and with its like."""
    pool = Pool(examples)
    random = np.random.default_rng(seed)
    names = ["expand", *(f"half_{factor}" for factor in factors)]

    def worth(method: Scoring) -> float:
        alone, near = pool.keep(method, factors)
        return pool.f1(alone) + pool.f1(near)

    found = Scoring()
    highest = worth(found)
    for _ in range(rounds):
        moved = random.choice(names, size=random.integers(1, 3), replace=False)
        steps = np.exp(random.normal(0, STEP, len(moved)))
        values = {
            str(name): float(np.clip(getattr(found, name) * step, *BOUNDS[name]))
            for name, step in zip(moved, steps, strict=True)
        }
        tried = replace(found, **values)
        if (value := worth(tried)) > highest:
            found, highest = tried, value
    return found


def hold_out(examples: Sequence[Example], rounds: int, seed: int) -> list[float]:
    """Return the word F1 of each page, by constants fitted on other domains."""
    reached = []
    for seen, asked in held_out([example.page.group for example in examples], FOLDS):
        method = fit(list(compress(examples, seen)), FACTORS, rounds, seed)
        for example in compress(examples, asked):
            scores = _product(method, example.candidates, FACTORS)
            near = scores > method.expand * scores.max()
            near[scores.argmax()] = True
            reached.append(example.words.f1(near[example.owner]))
    return reached


# -- lists and articles ----------------------------------------------------------------------


def kind_measures(example: Example, method: Scoring) -> Float:
    """Return the measures of a page's kind."""
    candidates = example.candidates
    scores = _product(method, candidates, FACTORS)
    best = int(scores.argmax())
    return measure_page(
        example.view,
        example.patterns,
        length=candidates.length[best],
        sentences=candidates.sentences[best],
        rivals=int((scores > RIVAL * scores[best]).sum()),
    )


def fit_kind(measures: Float, lists: Bool, sources: NDArray[Any]) -> Float:
    """Return weights and bias of a logistic regression; every set of pages counts the same."""
    mean, spread = measures.mean(axis=0), measures.std(axis=0)
    inputs = np.column_stack([(measures - mean) / spread, np.ones(len(measures))])
    _, which, sizes = np.unique(sources, return_inverse=True, return_counts=True)
    mass = 1000 / sizes[which]
    ridge = RIDGE * np.append(np.ones(mean.size), 0)
    weights = fit_logistic(inputs, lists, mass, ridge)
    scaled: Float = weights[:-1] / spread
    return np.append(scaled, weights[-1] - scaled @ mean)


def tell_kinds(sets: dict[str, Sequence[Example]], method: Scoring) -> None:
    """Print how well lists are told from articles on held-out sites, then the weights."""
    rows = [
        (name, example)
        for name, examples in sets.items()
        for example in examples
        if example.page.kind in LISTS | ARTICLES
    ]
    measures = np.array([kind_measures(example, method) for _, example in rows])
    lists = np.array([example.page.kind in LISTS for _, example in rows])
    sources = np.array([name for name, _ in rows])
    parts = held_out([example.page.group for _, example in rows], FOLDS)
    site = np.array([example.page.site or "" for _, example in rows])
    left_out = [site == name for name in sorted(set(site) - {""})]
    left_out += [(site == "") & asked for _, asked in parts]
    odds = np.zeros(len(rows))
    for held in left_out:
        if held.any():
            weights = fit_kind(measures[~held], lists[~held], sources[~held])
            odds[held] = measures[held] @ weights[:-1] + weights[-1]
    head = ["pages", "lists", "articles", "accuracy", "lists found", "articles found"]
    table_rows = []
    for name in sets:
        truth, answer = lists[sources == name], odds[sources == name] > 0
        found = ((truth == answer).mean(), answer[truth].mean(), (~answer[~truth]).mean())
        counts = (str(truth.sum()), str((~truth).sum()))
        table_rows.append([name, *counts, *(share(float(each)) for each in found)])
    print(f"\n{table(head, table_rows)}")
    weights = fit_kind(measures, lists, sources)
    print("\nMEASURES of the page's kind:")
    for name, weight in zip([*MEASURES, "bias"], weights, strict=True):
        print(f"  {name}: {weight:.3g}")


def main(arguments: Sequence[str] | None = None) -> None:
    parser = command(__doc__)
    parser.add_argument("data", type=a_folder, help="folder of labelled pages of many domains")
    parser.add_argument("--sites", type=a_folder, help="folder of sites with index pages")
    parser.add_argument("--rounds", type=int, default=300, help="steps of the search")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args(arguments)
    examples = prepare(read(options.data))
    print(
        f"Word F1 on other domains: {np.mean(hold_out(examples, options.rounds, options.seed)):.4f}"
    )
    method = fit(examples, FACTORS, options.rounds, options.seed)
    print("\nConstants fitted on all pages:")
    for name in BOUNDS:
        print(f"  {name}: {getattr(method, name):.3g}")
    sets: dict[str, Sequence[Example]] = {options.data.name: examples}
    if options.sites:
        sets[options.sites.name] = prepare(read(options.sites))
    tell_kinds(sets, method)


if __name__ == "__main__":
    main()
