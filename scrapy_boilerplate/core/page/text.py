"""Words, symbols, sentences and white space, for every script that Unicode knows."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from functools import cache

import numpy as np
from numpy.typing import NDArray

from scrapy_boilerplate.core.page._text_native import counts as _counts
from scrapy_boilerplate.core.page._text_native import holds_any as _holds_any
from scrapy_boilerplate.core.page.arrays import Int32, Int64

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


@cache
def class_table() -> NDArray[np.uint8]:
    """Return the class of each code point of the planes 0 and 1."""
    categories = "".join(map(unicodedata.category, map(chr, range(_TABLE_SIZE))))
    first_letters = np.frombuffer(categories.encode(), dtype=np.uint8)[::2]
    of_letter = np.full(128, SYMBOL, dtype=np.uint8)
    for letters, class_ in (("LN", LETTER), ("ZC", SPACE), ("M", MARK)):
        of_letter[[*letters.encode()]] = class_
    table = of_letter[first_letters]
    for low, high in _NO_SPACE_RANGES:
        letters_of_script = table[low : high + 1]
        letters_of_script[letters_of_script == LETTER] = IDEOGRAPH
    table[[0x200C, 0x200D, 0x00AD]] = MARK  # joiners and soft hyphens stand inside words, too
    return table


def code_points(text: str) -> NDArray[np.uint32]:
    """Return the code points of *text*; lone surrogates count as code points."""
    return np.frombuffer(text.encode("utf-32-le", "surrogatepass"), dtype="<u4")


def classify(codes: NDArray[np.uint32]) -> NDArray[np.uint8]:
    """Return the class of each code point: ``SPACE``, ``SYMBOL``, ``LETTER``, …"""
    table = class_table()
    if not codes.size or codes.max() < _TABLE_SIZE:
        return table[codes]
    classes = table[np.minimum(codes, _TABLE_SIZE - 1)]
    classes[(codes >= 0x20000) & (codes < 0x40000)] = IDEOGRAPH
    classes[codes >= 0x40000] = SPACE
    return classes


def count_slices(text: str, starts: Int32, stops: Int32) -> Sequence[Int64]:
    """Return the words, symbols and visible characters of slices of *text*, as rows.

    A word is a run of letters and digits with their marks, or a character of a script without
    spaces; a symbol any other visible character. The slices are ascending and disjoint, with only
    white space between them; a word ends where one starts.

    >>> starts, stops = np.array([[0, 6], [5, 12]], dtype=np.int32)
    >>> [row.tolist() for row in count_slices("Nice? Nicely", starts, stops)]
    [[1, 1], [1, 0], [5, 6]]
    """
    return _counts(text, class_table(), starts, stops)


_EVALUATION_TOKEN = re.compile(
    # One character of a script without spaces, or a run of other word characters: single
    # character classes without nesting, so no backtracking.
    r"[\u3005-\u3007\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uac00-\ud7af\uff66-\uff9f]"
    r"|[^\W\u3005-\u3007\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uac00-\ud7af\uff66-\uff9f]+"
)


def tokens(text: str) -> list[str]:
    """Split *text* as the evaluation does: runs of letters and digits, CJK by character."""
    return _EVALUATION_TOKEN.findall(text.lower())


# -- sentences -------------------------------------------------------------------------------

_ALWAYS, _THAI, _GREEK = "。｡！？؟۔।॥။។៕։።፧᠃", "\u0e01-\u0eff", "\u0370-\u03ff"
_TAIL = r"[\"'“”’«»)\]]{0,3}(?!\S)(?!\s[a-z,;])"
"""What stands behind a mark before white space or at the end."""
_ENDS = [
    # A literal first: a fast scan. No initial and no abbreviation of one letter ends a sentence.
    re.compile(mark + _TAIL)
    for mark in (r"\.(?:(?<=\w\w\.)|(?<=[.,]\d\.)|(?<=[)\]\"”’»]\.))", "!", r"\?", "…")
]
_OTHER_ENDS = re.compile(
    rf"[;{_ALWAYS}{_THAI}](?:(?<=[{_ALWAYS}])|(?<=[{_GREEK}];){_TAIL}"
    rf"|(?<=[{_THAI}]{{30}})(?![{_THAI}]))"  # Thai and Lao have no marks, but white space
)


@cache
def _other_scripts() -> NDArray[np.uint8]:
    """Return a flag for each character of a script with marks of its own, or one of these."""
    table = np.zeros(0x110000, dtype=np.uint8)
    table[[*map(ord, _ALWAYS)]] = 1
    table[0x0E01:0x0F00] = table[0x0370:0x0400] = 1
    return table


def sentence_ends(text: str) -> list[int]:
    """Return the offsets in *text* after each sentence end; those of a few abbreviations are some.

    >>> sentence_ends("He, J. Smith, paid 3.50, e.g. for tea. Why? See example.com/?q=1")
    [38, 43]
    """
    others = [_OTHER_ENDS] if _holds_any(text, _other_scripts()) else []
    return sorted([match.end() for ends in _ENDS + others for match in ends.finditer(text)])
