"""Words of ``class`` and ``id`` attributes and of short texts, and how often content stands there.

A lexicon gives each word the logarithm of the odds that a block is content: what it was on the
training pages, each domain counted once. Words that were seen on few domains are left out.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from itertools import repeat
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

__all__ = ["NO_LEXICON", "Lexicon", "Summary", "attribute_words", "short_texts", "summarise"]

Float = NDArray[np.float32]

BREAK = "\0"
"""Stands between two strings in a list of words; no page holds it."""

# Words of "post-body", "postBody", "PostBODY". The three start with different characters or are
# told apart by the next one: no backtracking.
_ATTRIBUTE_WORD = re.compile(r"\0|[A-Z]?[a-z]+|[A-Z]+(?![a-z])")
_WORD = re.compile(r"\0|\w+")
_DIGITS = re.compile(r"\d+")


class Lexicon(NamedTuple):
    """Log-odds of content by word."""

    attributes: Mapping[str, float]
    """Of a word of ``class`` or ``id`` above a block."""

    words: Mapping[str, float]
    """Of a word in a short block."""

    texts: Mapping[str, float]
    """Of a short block that is this text."""


NO_LEXICON = Lexicon({}, {}, {})
"""Knows no word."""


def attribute_words(strings: Sequence[str]) -> list[str]:
    r"""Return the words of *strings*, lower case, with :data:`BREAK` before each string.

    >>> attribute_words(["post-body", "", "sideBar2"])
    ['\x00', 'post', 'body', '\x00', '\x00', 'side', 'bar']
    """
    found = _ATTRIBUTE_WORD.findall(BREAK + BREAK.join(strings))
    return " ".join(found).lower().split(" ")


def short_texts(texts: Sequence[str]) -> tuple[list[str], list[str]]:
    r"""Return *texts* in one form, and their words with :data:`BREAK` before each text.

    The form is lower case, with single spaces and ``0`` for each number. No text may be blank.

    >>> short_texts(["Page  12", "Share\nthis"])
    (['page 0', 'share this'], ['\x00', 'page', '0', '\x00', 'share', 'this'])
    """
    if not texts:
        return [], []
    joined = " ".join(f" {BREAK} ".join(texts).lower().split())
    joined = _DIGITS.sub("0", joined)
    return joined.split(f" {BREAK} "), _WORD.findall(BREAK + joined)


class Summary(NamedTuple):
    """The values of the words of each string, 0 where it has none."""

    least: Float
    """The lowest value, at most 0."""

    most: Float
    """The highest value, at least 0."""

    mean: Float
    size: NDArray[Any]
    """Words of the string, known or not."""


def summarise(words: Sequence[str], values: Mapping[str, float]) -> Summary:
    r"""Look *words* up, a list with :data:`BREAK` before each string; unknown ones are worth 0.

    >>> words, values = ["\0", "post", "ad", "\0"], {"post": 1.0, "ad": -2.0}
    >>> least, most, mean, size = summarise(words, values)
    >>> least.tolist(), most.tolist(), mean.tolist(), size.tolist()
    ([-2.0, 0.0], [1.0, 0.0], [-0.5, 0.0], [2, 0])
    """
    found = np.fromiter(map(values.get, words, repeat(0.0)), dtype=np.float32, count=len(words))
    starts = np.flatnonzero(np.fromiter(map(BREAK.__eq__, words), dtype=bool, count=len(words)))
    if not starts.size:
        none = np.zeros(0, dtype=np.float32)
        return Summary(none, none, none, np.zeros(0, dtype=np.int64))
    size = np.diff(starts, append=len(words)) - 1
    return Summary(
        np.minimum.reduceat(found, starts),
        np.maximum.reduceat(found, starts),
        np.add.reduceat(found, starts) / np.maximum(size, 1).astype(np.float32),
        size,
    )
