"""Which text of a page is its gold text: the labels that the learned methods are trained on.

A gold text says what should be extracted, not where it stands on the page. Here its tokens are
aligned with those of the page's text nodes, so that each node gets the share of its characters
that belong to the gold text.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from scrapy_boilerplate.core.page import Page
from scrapy_boilerplate.core.page.text import tokens

Int = NDArray[Any]

# Worth and costs of the alignment, in thousandths of a token.
MATCH = 1000
OPEN_AT_NODE = 900
"""Cost of a run that starts where a text node does: one word alone is worth little."""
OPEN_INSIDE = 1900
"""Cost of a run that starts inside a text node: two words in sequence are worth little."""
OPEN_MOVED = 3500  # cost of a run that is out of order: at least four words in sequence
SKIP = 1  # cost of each token of the page between two runs: of equal matches the nearest is right

MAX_CELLS = 6_000_000
"""Pairs of tokens compared at once; larger problems are cut at n-grams unique in both texts."""
LONGEST_ANCHOR = 16  # length of the n-grams looked for first
PASSES = 4  # how often what is left over is aligned again, for text that stands in another order
LEAST_COPIED = 4  # words of a text whose copies mean the same
_NEVER = -(1 << 30)


@dataclass(frozen=True, slots=True)
class Alignment:
    """How much of each text node's text is gold."""

    aligned: NDArray[np.int64]
    """Characters of each text node's tokens that were aligned with the gold text."""

    total: NDArray[np.int64]  # characters of each text node's tokens; 0 for a node of symbols only

    def shares(self, groups: Int | None = None) -> NDArray[np.float64]:
        """Return the share of characters that are gold, for each text node or group of them.

        *groups* holds the group's number of each text node, ascending from 0 without gaps. A group
        without any word has the share of the words around it: 1 between two gold words, ½ at the
        border, 0 outside.
        """
        aligned, total = self.aligned, self.total
        if groups is not None:
            aligned, total = np.bincount(groups, aligned), np.bincount(groups, total)
        known = np.flatnonzero(total)
        shares = np.zeros(total.size)
        shares[known] = aligned[known] / total[known]
        empty = np.flatnonzero(total == 0)
        around = np.concatenate([[0.0], np.round(shares[known]), [0.0]])
        place = np.searchsorted(known, empty)
        shares[empty] = (around[place] + around[place + 1]) / 2
        return shares


def align(page: Page, gold: str) -> Alignment:
    r"""Align *gold* with the text nodes of *page*.

    >>> page = Page.parse("<p>Home</p><p>A cat sat.</p><p>Home sweet home</p>")
    >>> align(page, "A cat sat.\n\nHome sweet home").shares().tolist()
    [0.0, 1.0, 1.0]
    """
    words: list[str] = []
    nodes: list[int] = []
    for node, (start, stop) in enumerate(
        zip(page.text_start.tolist(), page.text_stop.tolist(), strict=True)
    ):
        found = tokens(page.buffer[start:stop])
        words += found
        nodes += [node] * len(found)
    of_node = np.array(nodes, dtype=np.int64)
    starts = np.ones(of_node.size, dtype=bool)
    starts[1:] = of_node[1:] != of_node[:-1]
    matches = align_tokens(words, tokens(gold), starts)
    sizes = np.fromiter(map(len, words), dtype=np.int64, count=len(words))
    size = page.text_at.size
    return Alignment(
        aligned=np.bincount(of_node, sizes * (matches >= 0), size).astype(np.int64),
        total=np.bincount(of_node, sizes, size).astype(np.int64),
    )


def align_tokens(page: list[str], gold: list[str], starts: NDArray[np.bool_] | None = None) -> Int:
    """Return for each token of *page* the gold token it is aligned with, or −1.

    Each gold token is used once. The alignment is the best one in order, by the number of matched
    tokens less a cost for each run of them: what is in sequence in both texts belongs together.
    *starts* flags the tokens at which a text node starts. Then what is left of the gold text is
    looked for out of order, in long runs only.
    """
    matches = np.full(len(page), -1, dtype=np.int64)
    if not page or not gold:
        return matches
    ids: dict[str, int] = {}
    left = np.array([ids.setdefault(word, len(ids)) for word in gold], dtype=np.int64)
    words = np.array([ids.get(word, -1) for word in page], dtype=np.int64)
    if starts is None:
        starts = np.zeros(words.size, dtype=bool)
        starts[0] = True
    costs = np.where(starts, OPEN_AT_NODE, OPEN_INSIDE)
    for _ in range(PASSES):
        found = _align_in_order(words, left, costs)
        if not found.size:
            break
        matches[found[:, 0]] = found[:, 1]
        words[found[:, 0]] = -1  # used up: neither side is matched again …
        left[found[:, 1]] = -2
        costs = np.full(words.size, OPEN_MOVED)  # … and what is left stands out of order
    return matches


def label_blocks(page: Page, gold: str) -> NDArray[np.float32]:
    """Return the share of each block that is gold; copies as :func:`at_first_copies` says."""
    numbers = np.repeat(np.arange(len(page.blocks)), np.diff(page.blocks, axis=1)[:, 0])
    shares = align(page, gold).shares(numbers).astype(np.float32)
    return at_first_copies(shares, page.lay_out_all(page.blocks))


def at_first_copies(shares: NDArray[Any], texts: Sequence[str]) -> NDArray[Any]:
    """Return the *shares* of these *texts*, those of equal texts in descending order.

    A gold text says that a text is content, not which of its copies on the page: the first is as
    right as any, and always choosing it is what can be learned.

    >>> texts = ["How do I join a road?", "Hello.", "How do I join a road?"]
    >>> at_first_copies(np.array([0.0, 1.0, 1.0]), texts).tolist()
    [1.0, 1.0, 0.0]
    """
    shares = shares.copy()
    places: dict[tuple[str, ...], list[int]] = {}
    for place, text in enumerate(texts):
        places.setdefault(tuple(tokens(text)), []).append(place)
    for words, copies in places.items():
        if len(words) >= LEAST_COPIED:
            shares[copies] = np.sort(shares[copies])[::-1]
    return shares


def _align_in_order(page: Int, gold: Int, costs: Int) -> Int:
    """Return rows of (page token, gold token), ascending in both columns."""
    rows = [
        np.add(_best_alignment(page[i:k], gold[j:m], costs[i:k]), (i, j))
        for i, k, j, m in _pieces(page, gold)
    ]
    return np.concatenate(rows)


def _pieces(page: Int, gold: Int) -> Iterator[tuple[int, int, int, int]]:
    """Yield matching ranges of both texts, of at most :data:`MAX_CELLS` pairs of tokens each."""
    todo = [(0, page.size, 0, gold.size, LONGEST_ANCHOR)]
    while todo:
        i, k, j, m, length = todo.pop()
        if (k - i) * (m - j) <= MAX_CELLS:
            yield i, k, j, m
        elif not length:  # nothing says where to cut: the rest stays without a match
            yield i, k, j, min(m, j + MAX_CELLS // (k - i))
        elif anchors := _anchors(page[i:k], gold[j:m], length):
            a, b = anchors[len(anchors) // 2]
            todo += [(i, i + a, j, j + b, length), (i + a, k, j + b, m, length)]
        else:
            todo.append((i, k, j, m, length // 2))


def _anchors(page: Int, gold: Int, length: int) -> list[tuple[int, int]]:
    """Return where n-grams stand that occur once in both texts, as the longest ascending chain.

    N-grams at the very start of a text are left out: a cut there would leave the problem as it is.
    """
    there = _unique(page, length)
    here = _unique(gold, length)
    pairs = sorted((there[gram], at) for gram, at in here.items() if at and there.get(gram))
    ends: list[int] = []  # patience sorting: smallest gold position that ends a chain of each size
    chain: list[int] = []
    before: list[int] = []
    for number, (_, at) in enumerate(pairs):
        size = bisect_left(ends, at)
        ends[size : size + 1] = [at]
        chain[size : size + 1] = [number]
        before.append(chain[size - 1] if size else -1)
    found = []
    number = chain[-1] if chain else -1
    while number >= 0:
        found.append(pairs[number])
        number = before[number]
    return found[::-1]


def _unique(words: Int, length: int) -> dict[bytes, int]:
    seen: dict[bytes, int] = {}
    for at in range(words.size - length + 1):
        gram = words[at : at + length]
        key = gram.tobytes()
        seen[key] = -1 if key in seen else at
    return {gram: at for gram, at in seen.items() if at >= 0}


def _best_alignment(page: Int, gold: Int, costs: Int) -> Int:
    """Return the alignment of highest worth, by dynamic programming over pairs of tokens.

    Two tables: ``run`` is the worth of the best alignment that ends with this very pair, ``best``
    that of the best one before or at it. Rows are page tokens; those that gold lacks are left out.
    """
    rows = np.flatnonzero(np.isin(page, gold))
    if not rows.size:
        return np.zeros((0, 2), dtype=np.int64)
    run = np.full((rows.size + 1, gold.size + 1), _NEVER, dtype=np.int32)
    best = np.zeros((rows.size + 1, gold.size + 1), dtype=np.int32)
    skipped = np.diff(rows, prepend=rows[0] - 1)
    order = np.argsort(gold, kind="stable")
    first, after = (np.searchsorted(gold[order], page[rows], side) for side in ("left", "right"))
    places = zip(
        first.tolist(), after.tolist(), costs[rows].tolist(), skipped.tolist(), strict=True
    )
    for number, (start, stop, cost, skip) in enumerate(places):
        above, here = best[number], best[number + 1]
        columns = order[start:stop]
        worth = np.maximum(above[columns], 0) - cost
        if skip == 1:
            np.maximum(worth, run[number, columns], out=worth)
        columns, worth = columns + 1, worth + MATCH
        run[number + 1, columns] = worth
        np.subtract(above, SKIP * skip, out=here)
        here[columns] = np.maximum(here[columns], worth)
        np.maximum.accumulate(here, out=here)
    return _trace(rows, skipped, run, best)


def _trace(rows: Int, skipped: Int, run: Int, best: Int) -> Int:
    """Follow the tables back from the best end."""
    number, column = (int(place) for place in np.unravel_index(np.argmax(best), best.shape))
    found = []
    while number and column and best[number, column] > 0:
        value = best[number, column]
        if best[number - 1, column] - SKIP * skipped[number - 1] == value:
            number -= 1
            continue
        if best[number, column - 1] == value:
            column -= 1
            continue
        while True:  # the run that ends here
            found.append((rows[number - 1], column - 1))
            value = run[number, column] - MATCH
            number -= 1
            column -= 1
            if skipped[number] != 1 or run[number, column] != value:
                break
    return np.array(found[::-1], dtype=np.int64).reshape(-1, 2)
