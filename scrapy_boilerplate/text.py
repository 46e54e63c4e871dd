"""Words, symbols, sentences and white space, for every script that Unicode knows."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["TextStats", "code_points", "measure", "tokens"]

SPACE, SYMBOL, LETTER, IDEOGRAPH, MARK = range(5)
"""Classes of characters: white space and other invisible ones, visible symbols, letters and
digits of scripts that put spaces between words, those of scripts that do not (each one is a word),
and combining marks, which belong to the character before them."""

# Scripts written without spaces between words, as ranges of code points.
_NO_SPACE_RANGES = (
    (0x0E00, 0x0E7F),  # Thai
    (0x0E80, 0x0EFF),  # Lao
    (0x1000, 0x109F),  # Burmese
    (0x1780, 0x17FF),  # Khmer
    (0x2E80, 0x2FDF),  # Han radicals
    (0x3005, 0x3007),  # ideographic iteration mark, closing mark and zero
    (0x3021, 0x3029),  # Hangzhou numerals
    (0x3040, 0x30FF),  # Hiragana, Katakana
    (0x31F0, 0x31FF),  # Katakana extensions
    (0x3400, 0x4DBF),  # Han extension A
    (0x4E00, 0x9FFF),  # Han
    (0xAA60, 0xAA7F),  # Burmese extension A
    (0xF900, 0xFAFF),  # Han compatibility
    (0xFF66, 0xFF9F),  # half-width Katakana
    (0x1B000, 0x1B16F),  # Kana extensions
    (0x20000, 0x3FFFF),  # Han extensions B and later
)

_TABLE_SIZE = 0x20000  # planes 0 and 1; above are only ideographs (2, 3) and invisible ones


def _is_no_space(code: int) -> bool:
    return any(low <= code <= high for low, high in _NO_SPACE_RANGES)


def _classify(code: int) -> int:
    char = chr(code)
    category = unicodedata.category(char)
    if category[0] == "M" or code in (0x200C, 0x200D, 0x00AD):
        return MARK  # joiners and soft hyphens stand inside words, too
    if category[0] in "ZC":
        return SPACE
    if category[0] in "LN":
        return IDEOGRAPH if _is_no_space(code) else LETTER
    return SYMBOL


@cache
def _class_table() -> NDArray[np.uint8]:
    return np.fromiter(map(_classify, range(_TABLE_SIZE)), dtype=np.uint8, count=_TABLE_SIZE)


def code_points(text: str) -> NDArray[np.uint32]:
    """Return the code points of *text*; lone surrogates count as code points."""
    return np.frombuffer(text.encode("utf-32-le", "surrogatepass"), dtype="<u4")


def classify(codes: NDArray[np.uint32]) -> NDArray[np.uint8]:
    """Return the class of each code point: ``SPACE``, ``SYMBOL``, ``LETTER``, …"""
    table = _class_table()
    if not codes.size or codes.max() < _TABLE_SIZE:
        return table[codes]
    classes = table[np.minimum(codes, _TABLE_SIZE - 1)]
    classes[(codes >= 0x20000) & (codes < 0x40000)] = IDEOGRAPH
    classes[codes >= 0x40000] = SPACE
    return classes


@dataclass(frozen=True, slots=True)
class TextStats:
    """Cumulative counts over the characters of a text.

    Each array has one more entry than the text has characters, so that the count for the
    half-open range ``[i, j)`` is ``counts[j] - counts[i]``.
    """

    words: NDArray[np.int64]
    """Words that start before a position."""

    symbols: NDArray[np.int64]
    """Visible characters that are no part of a word."""

    visible: NDArray[np.int64]
    """Characters that are not white space."""


def _cumulative(flags: NDArray[np.bool_]) -> NDArray[np.int64]:
    counts = np.zeros(flags.size + 1, dtype=np.int64)
    np.cumsum(flags, out=counts[1:])
    return counts


def _word_starts(classes: NDArray[np.uint8]) -> NDArray[np.bool_]:
    base = classes
    marks = classes == MARK
    if marks.any():  # a mark continues what stands before it
        last = np.maximum.accumulate(np.where(marks, 0, np.arange(classes.size)))
        base = classes[last]
    starts: NDArray[np.bool_] = classes == LETTER
    starts[1:] &= base[:-1] != LETTER
    starts |= classes == IDEOGRAPH
    return starts


def measure(text: str, breaks: NDArray[Any] | None = None) -> TextStats:
    """Count the words and symbols of *text*.

    A word is a maximal run of letters and digits with their combining marks; in scripts written
    without spaces (Chinese, Japanese, Thai, Lao, Khmer, Burmese) each character is one. A symbol
    is any other visible character. *breaks* are positions at which a word ends even without white
    space, ascending.

    >>> stats = measure("Nice, isn't it? 日本語")
    >>> int(stats.words[-1]), int(stats.symbols[-1]), int(stats.visible[-1])
    (7, 3, 16)
    """
    classes = classify(code_points(text))
    starts = _word_starts(classes)
    if breaks is not None and breaks.size:
        starts[breaks] |= classes[breaks] == LETTER
    return TextStats(
        words=_cumulative(starts),
        symbols=_cumulative(classes == SYMBOL),
        visible=_cumulative(classes != SPACE),
    )


_EVALUATION_TOKEN = re.compile(
    # One character of a script without spaces, or a run of other word characters: single
    # character classes without nesting, so no backtracking.
    r"[\u3005-\u3007\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uac00-\ud7af\uff66-\uff9f]"
    r"|[^\W\u3005-\u3007\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uac00-\ud7af\uff66-\uff9f]+"
)


def tokens(text: str) -> list[str]:
    r"""Split *text* as the evaluation of main content does.

    Tokens are lower-cased runs of ``\w``; for Chinese, Japanese and Korean one token a character.

    >>> tokens("Don't panic: 日本")
    ['don', 't', 'panic', '日', '本']
    """
    return _EVALUATION_TOKEN.findall(text.lower())
