"""Which words of classes, ids and short texts stand where content is, counted by domain."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from scrapy_boilerplate.extractors.auto.features import Blocks, short_blocks
from scrapy_boilerplate.extractors.auto.lexicon import (
    BREAK,
    Lexicon,
    attribute_words,
    short_texts,
)
from scrapy_boilerplate.extractors.auto.model import QUANTUM

__all__ = ["Counts", "Evidence", "count_words"]

Int = NDArray[Any]

Counts = dict[str, tuple[float, int]]
"""Sum of labels and number of the blocks at which a word stands."""

PRIOR = 0.7
"""Domains for and against each word that are added to those seen."""


def count_words(b: Blocks, labels: NDArray[np.float32]) -> tuple[Counts, Counts, Counts]:
    """Count words of attributes, words of short texts, and short texts; each once a block."""
    words: Counts = {}
    texts: Counts = {}
    short, raw = short_blocks(b)
    whole, found = short_texts(raw)
    for text, part, label in zip(whole, _split(found), labels[short].tolist(), strict=True):
        _add(texts, text, label)
        for word in set(part):
            _add(words, word, label)
    return _count_attributes(b, labels), words, texts


def _add(counts: Counts, word: str, label: float) -> None:
    total, number = counts.get(word, (0.0, 0))
    counts[word] = total + label, number + 1


def _split(words: Sequence[str]) -> list[list[str]]:
    parts: list[list[str]] = []
    for word in words:
        if word == BREAK:
            parts.append([])
        else:
            parts[-1].append(word)
    return parts


def _count_attributes(b: Blocks, labels: NDArray[np.float32]) -> Counts:
    page = b.page
    sums = np.append(0, np.cumsum(labels, dtype=np.float64)).tolist()
    strings = [
        {word for word in part if len(word) > 1} for part in _split(attribute_words(page.strings))
    ]
    found: dict[str, list[float]] = {}
    counted: dict[str, int] = {}  # block after the last element counted: those inside it count once
    columns = (page.class_id, page.id_id, b.first_block, b.last_block)
    for class_id, id_id, first, last in zip(*(c.tolist() for c in columns), strict=True):
        if last <= first:
            continue
        for word in strings[class_id] | strings[id_id]:
            start = max(first, counted.get(word, 0))
            if last > start:
                entry = found.setdefault(word, [0.0, 0])
                entry[0] += sums[last] - sums[start]
                entry[1] += last - start
                counted[word] = last
    return {word: (total, int(number)) for word, (total, number) in found.items()}


class Evidence:
    """The counts of all pages by domain, from which the lexicon of any of the domains is made."""

    def __init__(
        self, pages: Sequence[tuple[str, tuple[Counts, Counts, Counts]]], least_domains: int
    ) -> None:
        self._least = least_domains
        self._groups = {group: n for n, group in enumerate(dict.fromkeys(g for g, _ in pages))}
        self._tables = [
            self._table([(group, counts[part]) for group, counts in pages]) for part in range(3)
        ]

    def _table(self, pages: Sequence[tuple[str, Counts]]) -> tuple[list[str], Int, Int, Int]:
        """Return the words, and for each pair of word and domain both and the share of content."""
        numbers: dict[str, int] = {}
        pairs: dict[tuple[int, int], list[float]] = {}
        for group, counts in pages:
            domain = self._groups[group]
            for word, (total, number) in counts.items():
                key = numbers.setdefault(word, len(numbers)), domain
                entry = pairs.setdefault(key, [0.0, 0])
                entry[0] += total
                entry[1] += number
        keys = np.array(list(pairs), dtype=np.int64).reshape(-1, 2)
        total, number = np.array(list(pairs.values())).reshape(-1, 2).T
        seen = np.bincount(keys[:, 0])[keys[:, 0]] >= self._least
        return list(numbers), keys[seen, 0], keys[seen, 1], (total / number)[seen]

    def lexicon(self, groups: Iterable[str]) -> Lexicon:
        """Return the lexicon of what was seen on these domains."""
        chosen = np.zeros(len(self._groups), dtype=bool)
        chosen[[self._groups[group] for group in groups]] = True
        return Lexicon(*(self._values(*table, chosen) for table in self._tables))

    def _values(
        self, names: list[str], words: Int, domains: Int, shares: Int, chosen: Int
    ) -> dict[str, float]:
        seen = chosen[domains]
        content = np.bincount(words[seen], shares[seen], len(names))
        number = np.bincount(words[seen], minlength=len(names))
        values = np.log((content + PRIOR) / (number - content + PRIOR))
        values = np.round(values / QUANTUM).clip(-127, 127) * QUANTUM
        known = np.flatnonzero((number >= self._least) & (values != 0))
        return {names[place]: float(values[place]) for place in known.tolist()}
