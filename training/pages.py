"""Labelled pages as arrays: what is read once and then trained on many times."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from benchmarks.commands import a_folder, command, new_file
from benchmarks.data import LabelledPage, read
from benchmarks.tables import share, table
from scrapy_boilerplate.core.page import Page
from scrapy_boilerplate.core.page.text import tokens

Example = TypeVar("Example")


@dataclass(frozen=True, slots=True)
class Words:
    """The words of text nodes, or blocks, beside those of the gold text, for fast word F1."""

    ids: NDArray[np.int32]  # number of each word of the page, from 0

    nodes: NDArray[np.int32]  # text node, or block, of each word

    gold: NDArray[np.int32]  # how often each word occurs in the gold text

    size: int  # words of the gold text, with those that the page lacks

    @classmethod
    def of(cls, page: Page, gold: str) -> Words:
        """Read the words of the text nodes of *page* and of the gold text."""
        spans = zip(page.text_start.tolist(), page.text_stop.tolist(), strict=True)
        return cls.of_texts((page.buffer[start:stop] for start, stop in spans), gold)

    @classmethod
    def of_texts(cls, texts: Iterable[str], gold: str) -> Words:
        """Read the words of a page's text nodes, or blocks, and of the gold text."""
        numbers: dict[str, int] = {}
        ids: list[int] = []
        nodes: list[int] = []
        for node, text in enumerate(texts):
            found = [numbers.setdefault(word, len(numbers)) for word in tokens(text)]
            ids += found
            nodes += [node] * len(found)
        wanted = tokens(gold)
        known = np.array([numbers[w] for w in wanted if w in numbers], dtype=np.int64)
        return cls(
            ids=np.array(ids, dtype=np.int32),
            nodes=np.array(nodes, dtype=np.int32),
            gold=np.bincount(known, minlength=len(numbers)).astype(np.int32),
            size=len(wanted),
        )

    def share_on_page(self) -> float:
        """Return the share of the gold text's words that stand on the page; 1 without any."""
        there = np.bincount(self.ids, minlength=self.gold.size)
        return float(np.minimum(there, self.gold).sum() / self.size) if self.size else 1.0

    def f1(self, keep: NDArray[np.bool_]) -> float:
        """Return the word F1 of the text nodes that *keep* flags."""
        kept = self.ids[keep[self.nodes]] if self.ids.size else self.ids
        if not self.size:
            return float(not kept.size)
        shared = np.minimum(np.bincount(kept, minlength=self.gold.size), self.gold).sum()
        return 2 * float(shared) / (kept.size + self.size)


def write_arrays(path: Path, arrays: Mapping[str, NDArray[Any]]) -> None:
    with path.open("wb") as file:  # or numpy would add an ending to names that lack it
        np.savez_compressed(file, allow_pickle=False, **arrays)


def run(
    doc: str | None,
    prepare: Callable[[LabelledPage], Example],
    cross_validate: Callable[[list[Example], int, int], None],
    fit: Callable[[list[Example], int], Mapping[str, NDArray[Any]]],
) -> None:
    """Run a command that measures a fit on pages of other domains, and writes that of all pages."""
    parser = command(doc)
    parser.add_argument("pages", type=a_folder, help="folder of a labelled set")
    parser.add_argument("--folds", type=int, default=5, help="0: no cross-validation")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--output", type=new_file, help="file of the weights, fitted on all pages")
    options = parser.parse_args()
    examples = list(map(prepare, read(options.pages)))
    if options.folds:
        cross_validate(examples, options.folds, options.seed)
    if options.output:
        write_arrays(options.output, fit(examples, options.seed))


def held_out(
    groups: Sequence[str], folds: int, seed: int = 0
) -> Iterator[tuple[NDArray[np.bool_], NDArray[np.bool_]]]:
    """Yield for each fold which pages are learned from, and which are asked."""
    fold = domain_folds(groups, folds, seed)
    for number in range(folds):
        yield fold != number, fold == number


def table_by_kind(kinds: Sequence[str], scores: Mapping[str, NDArray[Any]]) -> str:
    """Return the mean of each column of *scores*, of all pages and of those of each kind."""
    rows = {"all": np.ones(len(kinds), dtype=bool)}
    rows |= {kind: np.array(kinds) == kind for kind in dict.fromkeys(kinds)}
    cells = [
        [f"{name} ({of_row.sum()})", *(share(values[of_row].mean()) for values in scores.values())]
        for name, of_row in rows.items()
    ]
    return table(["pages", *scores], cells)


def domain_folds(groups: Sequence[str], folds: int, seed: int = 0) -> NDArray[Any]:
    """Return the fold of each page from its group, the registered domain; a group is in one fold.

    Groups are dealt out at random, each to the fold that has the fewest pages, large ones first.
    """
    names, which, sizes = np.unique(groups, return_inverse=True, return_counts=True)
    shuffled = np.random.default_rng(seed).permutation(names.size)
    fold = np.zeros(names.size, dtype=np.int64)
    load = np.zeros(folds, dtype=np.int64)
    for name in shuffled[np.argsort(-sizes[shuffled], kind="stable")]:
        fold[name] = load.argmin()
        load[fold[name]] += sizes[name]
    return fold[which]
