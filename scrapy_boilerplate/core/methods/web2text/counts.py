"""Counts in the text of each text node."""

from __future__ import annotations

import re
from functools import cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from scrapy_boilerplate.core.methods.web2text._counts_native import Counter
from scrapy_boilerplate.core.methods.web2text.stop_words import STOP_CHARACTERS, STOP_WORDS
from scrapy_boilerplate.core.page import Page
from scrapy_boilerplate.core.page.arrays import Bool, Int
from scrapy_boilerplate.core.page.text import class_table

COUNTS = (
    "words",
    "visible",
    "letters",  # characters of words
    "in_links",  # visible characters in links
    "length",  # characters with white space
    *("stop_words", "capitalised", "punctuation", "digits", "sentence_ends"),
    *("copyrights", "emails", "urls", "years"),
)


class TextCounts(NamedTuple):
    """Counts of each text node."""

    rows: Int
    """A row of each of :data:`COUNTS`, a column a text node."""
    ends_with_punctuation: Bool
    ends_with_question_mark: Bool


def count_characters(page: Page) -> tuple[Int, NDArray[np.uint16]]:
    """Return the last nine of the counts, and the flags of the last visible character by then."""
    return _counter().count(page.buffer, _lower(page.buffer), page.text_start, page.text_stop)


def count(page: Page) -> TextCounts:
    """Count what stands in the text nodes of *page*."""
    start, stop = page.text_start, page.text_stop
    counted, final = count_characters(page)
    letters, in_links = page.visible - page.symbols, page.visible * page.in_link
    rows = np.vstack([page.words, page.visible, letters, in_links, stop - start, counted])
    return TextCounts(rows, final & _PUNCTUATION > 0, final & _QUESTION > 0)


def _lower(text: str) -> str:
    """Return *text* in lower case, and as long: a few letters have a longer one."""
    lowered = text.lower()
    if len(lowered) == len(text):
        return lowered
    return "".join(low if len(low := char.lower()) == 1 else char for char in text)


# Flags of characters; the first two are frequent.
_SPACE, _LETTER, _UPPER, _DIGIT, _PUNCTUATION, _END, _ALWAYS_END, _QUESTION, _STOP, _SIGN = (
    1 << bit for bit in range(10)
)

_EMAIL = re.compile(
    # Tried at each "@" only, and what follows cannot hold another one: linear.
    r"(?<=\w)@[\w-]+\.[^\W\d_]"
)
_URL = re.compile(
    # Tried at each ":" and "." only.
    r"(?<=http)://|(?<=https)://|(?<=www)\.\w",
    re.IGNORECASE,
)

_PUNCTUATION_MARKS = ".,;:!?…¿¡。，、；：！？｡؟،؛۔।॥·"
_ENDS = ".!?…"
_ALWAYS_ENDS = "。｡！？؟۔।॥"
_QUESTION_MARKS = "?？؟\u037e"
_TABLE_SIZE = 0x20000


@cache
def _character_table() -> NDArray[np.uint16]:
    """Return the flags of each code point of planes 0 and 1."""
    table = np.zeros(_TABLE_SIZE, dtype=np.uint16)
    for code in range(_TABLE_SIZE):
        char = chr(code)
        if char.isalnum():
            digit = char.isdecimal()
            table[code] = _DIGIT if digit else _LETTER | (_UPPER * char.isupper())
        elif char.isspace() or char in "'’":  # "l'homme" is two words
            table[code] = _SPACE
    for marks, flag in (
        (_PUNCTUATION_MARKS, _PUNCTUATION),
        (_ENDS, _END),
        (_ALWAYS_ENDS, _ALWAYS_END),
        (_QUESTION_MARKS, _QUESTION),
        (STOP_CHARACTERS, _STOP),
        ("@©", _SIGN),
    ):
        table[[ord(mark) for mark in marks]] |= flag
    return table


@cache
def _counter() -> Counter:
    return Counter(_character_table(), class_table(), STOP_WORDS, _EMAIL.match, _URL.match)
