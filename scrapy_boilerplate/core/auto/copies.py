"""Which texts stand on a page more than once: quoted posts, slides, menus for small screens.

People who mark the content of a page usually mark such a text once, where it stands first.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from scrapy_boilerplate.core.auto.elementary import log1p
from scrapy_boilerplate.core.native import native_or
from scrapy_boilerplate.core.page import Page
from scrapy_boilerplate.core.page.arrays import Float32, Int
from scrapy_boilerplate.core.page.text import (
    IDEOGRAPH,
    LETTER,
    MARK,
    SPACE,
    class_table,
    classify,
    code_points,
)

__all__ = ["COPIES", "copies"]


COPIES = (
    # Blocks of the same text before and behind, as log(1 + n) …
    *("copies_before", "copies_after"),
    # … how many blocks away the next of them is, −1 if there is none …
    *("since_copy", "until_copy"),
    # … blocks that begin alike …
    *("starts_before", "starts_after"),
    # … and the share of a block's phrases that blocks before or behind it have, too; −1 for none.
    *("phrases_before", "phrases_after"),
)
"""What :func:`copies` tells of each block."""

START = 20
"""Visible characters in which blocks that begin alike agree."""
PHRASE = 4
"""Words of a phrase."""
FARTHEST = 200
"""Blocks that a copy may be away."""


def copies(page: Page) -> Float32:
    """Return the :data:`COPIES` of the blocks of *page*, a row each.

    White space does not count; words are those of
    :func:`~scrapy_boilerplate.core.page.text.measure`.

    >>> quoted = Page.parse("<p>How do I join a road?<p>Hi.<blockquote>How do I join a road?")
    >>> found = dict(zip(COPIES, copies(quoted).tolist()))
    >>> found["since_copy"], found["until_copy"], found["phrases_before"]
    ([-1.0, -1.0, 2.0], [2.0, -1.0, -1.0], [0.0, -1.0, 1.0])
    """
    first, after = page.blocks.T
    starts, stops = page.text_start[first], page.text_stop[after - 1]
    limits = START, PHRASE, FARTHEST
    return _copies(page.buffer, class_table(), starts, stops, limits)


def _copies_in_numpy(
    text: str, table: NDArray[np.uint8], starts: Int, stops: Int, limits: tuple[int, int, int]
) -> Float32:
    start, phrase, farthest = limits
    codes = code_points(text)
    classes = classify(codes)
    visible = np.flatnonzero(classes != SPACE)
    bounds = [np.searchsorted(visible, places).tolist() for places in (starts, stops)]
    blocks = list(zip(*bounds, strict=True))
    shown = codes[visible].tobytes()
    wholes = _numbers(shown[_WIDTH * begin : _WIDTH * end] for begin, end in blocks)
    beginnings = _numbers(
        # The number of a block that is shorter is its own.
        shown[_WIDTH * begin : _WIDTH * (begin + start)] if begin + start <= end else number
        for number, (begin, end) in enumerate(blocks)
    )
    before, behind, since, until = _same(wholes, farthest)
    alike = _same(beginnings, farthest)[:2]
    phrases = _phrases(codes, classes, starts, phrase)
    rows = [log1p(before), log1p(behind), since, until, *map(log1p, alike), *phrases]
    return np.array(rows, dtype=np.float32)


_WIDTH = 4  # bytes of a character


def _numbers(keys: Iterable[Hashable]) -> Int:
    """Return a number for each key, counted from 0; equal ones have the same."""
    known: dict[Hashable, int] = {}
    return np.array([known.setdefault(key, len(known)) for key in keys], dtype=np.int64)


def _same(keys: Int, farthest: int) -> tuple[Int, Int, Int, Int]:
    """Return how many equal keys stand before and behind each, and how far the next ones are."""
    order = np.argsort(keys, kind="stable")
    sorted_keys = keys[order]
    first = np.searchsorted(sorted_keys, sorted_keys)
    last = np.searchsorted(sorted_keys, sorted_keys, side="right")
    rank = np.arange(keys.size)
    gaps = np.full(keys.size + 1, -1)
    gaps[1:-1] = np.where(
        sorted_keys[1:] == sorted_keys[:-1], np.minimum(np.diff(order), farthest), -1
    )
    found = np.empty((4, keys.size), dtype=np.int64)
    found[:, order] = np.stack([rank - first, last - rank - 1, gaps[:-1], gaps[1:]])
    return found[0], found[1], found[2], found[3]


def _phrases(codes: Int, classes: Int, starts: Int, phrase: int) -> tuple[Float32, Float32]:
    """Return the share of each block's phrases that blocks before and behind it have."""
    words, block = _words(codes, classes, starts)
    size = max(words.size - phrase + 1, 0)
    which = words[:size]
    for number in range(1, phrase):
        pairs = which * (words.max(initial=0) + 1) + words[number : number + size]
        which = np.unique(pairs, return_inverse=True)[1]
    inside = block[phrase - 1 :][:size] == block[:size]
    which, block = which[inside], block[:size][inside]
    first = np.full(which.max(initial=-1) + 1, starts.size)
    last = np.full(first.size, -1)
    np.minimum.at(first, which, block)
    np.maximum.at(last, which, block)
    count = np.bincount(block, minlength=starts.size)
    shares = [
        np.where(count, np.bincount(block, found, starts.size) / np.maximum(count, 1), -1)
        for found in (first[which] < block, last[which] > block)
    ]
    return shares[0], shares[1]


def _words(codes: Int, classes: Int, starts: Int) -> tuple[Int, Int]:
    """Return a number for each word, and the block that it stands in."""
    runs, single = (classes == LETTER) | (classes == MARK), classes == IDEOGRAPH
    opens = runs.copy()
    opens[1:] &= ~runs[:-1]
    opens[starts] = runs[starts]  # no word goes on in another block
    opens |= single
    begin, places = np.flatnonzero(opens), np.flatnonzero(runs | single)
    bounds = (_WIDTH * np.append(np.searchsorted(places, begin), places.size)).tolist()
    letters = codes[places].tobytes()
    words = _numbers(letters[start:stop] for start, stop in pairwise(bounds))
    return words, np.searchsorted(starts, begin, side="right") - 1


_copies = native_or(_copies_in_numpy, "core.auto._copies_native", "copies")
