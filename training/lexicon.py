"""Which words of classes and ids stand above content, counted by domain."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from scrapy_boilerplate.core.auto.lexicon import Lexicon
from scrapy_boilerplate.core.auto.model import QUANTUM
from scrapy_boilerplate.core.page import Page

Counts = dict[str, tuple[float, int]]  # sum of labels and number of the blocks below a word

PRIOR = 0.7  # domains for and against each word that are added to those seen

# Words of "post-body", "postBody", "PostBODY". The alternatives start with different characters or
# are told apart by the next one: no backtracking.
_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")


def attribute_words(string: str) -> list[str]:
    """Return the words of an attribute that a lexicon knows, lower case.

    >>> attribute_words("post-body sideBar2")
    ['post', 'body', 'side', 'bar']
    """
    return [word.lower() for word in _WORD.findall(string) if len(word) > 1]


def count_words(page: Page, labels: NDArray[np.float32]) -> Counts:
    """Count the blocks below each word of a class or id; a block counts once for a word."""
    sums = np.append(0, np.cumsum(labels, dtype=np.float64)).tolist()
    strings = [set(attribute_words(string)) for string in page.strings]
    found: dict[str, list[float]] = {}
    counted: dict[str, int] = {}  # block after the last element: those inside it count once
    spans = page.blocks
    at = np.append(np.repeat(np.arange(len(spans)), np.diff(spans, axis=1)[:, 0]), len(spans))
    first_block = at[page.first_text]
    holds_text = page.last_text > page.first_text
    last_block = np.where(holds_text, at[page.last_text - 1] + 1, first_block)
    columns = (page.class_id, page.id_id, first_block, last_block)
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

    def __init__(self, pages: Sequence[tuple[str, Counts]], least_domains: int) -> None:
        self._least = least_domains
        self._groups = {group: n for n, group in enumerate(dict.fromkeys(g for g, _ in pages))}
        numbers: dict[str, int] = {}
        pairs: dict[tuple[int, int], list[float]] = {}
        for group, counts in pages:
            domain = self._groups[group]
            for word, (total, number) in counts.items():
                key = numbers.setdefault(word, len(numbers)), domain
                entry = pairs.setdefault(key, [0.0, 0])
                entry[0] += total
                entry[1] += number
        self._names = list(numbers)
        self._words, self._domains = np.array(list(pairs), dtype=np.int64).reshape(-1, 2).T
        total, blocks = np.array(list(pairs.values())).reshape(-1, 2).T
        self._shares = total / blocks

    def lexicon(self, groups: Iterable[str]) -> Lexicon:
        """Return the lexicon of what was seen on these domains."""
        chosen = np.zeros(len(self._groups), dtype=bool)
        chosen[[self._groups[group] for group in groups]] = True
        seen = chosen[self._domains]
        words, size = self._words[seen], len(self._names)
        content = np.bincount(words, self._shares[seen], size)
        number = np.bincount(words, minlength=size)
        values = np.log((content + PRIOR) / (number - content + PRIOR))
        values = np.round(values / QUANTUM).clip(-127, 127) * QUANTUM
        known = np.flatnonzero((number >= self._least) & (values != 0))
        return Lexicon({self._names[place]: float(values[place]) for place in known.tolist()})
