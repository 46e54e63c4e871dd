"""Labelled pages as arrays: what is read once and then trained on many times."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from scrapy_boilerplate.core.page import Page
from scrapy_boilerplate.core.page.text import tokens

__all__ = ["Words", "domain_folds"]


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
