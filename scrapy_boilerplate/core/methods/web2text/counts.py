"""Counts in the text of each text node."""

from __future__ import annotations

import re
from functools import cache
from importlib.resources import files
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from scrapy_boilerplate.core.page import Page
from scrapy_boilerplate.core.page.arrays import Bool, Int
from scrapy_boilerplate.core.page.text import SPACE, classify, code_points

COUNTS = (
    "words",
    "visible",
    "letters",  # characters of words
    "in_links",  # visible characters in links
    "length",  # characters with white space
    *("stop_words", "capitalised", "punctuation", "digits", "sentence_ends"),
    *("copyrights", "emails", "urls", "years"),
)


@cache
def _stop_list() -> tuple[frozenset[str], str]:
    """Return the function words of all languages together, and the function characters."""
    text = files(__package__).joinpath("stop_words.txt").read_text("utf-8")
    lines = [line.split() for line in text.splitlines() if line[:1] != "#"]
    words = frozenset(word for _, *words in lines[:-1] for word in words)
    return words, lines[-1][-1]


class TextCounts(NamedTuple):
    """Counts of each text node."""

    rows: Int
    """A row of each of :data:`COUNTS`, a column a text node."""
    ends_with_punctuation: Bool
    ends_with_question_mark: Bool


def count(page: Page) -> TextCounts:
    """Count what stands in the text nodes of *page*."""
    start, stop = page.text_start, page.text_stop
    counted, final = _count(page.buffer, _lower(page.buffer), start, stop)
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
        (_stop_list()[1], _STOP),
        ("@©", _SIGN),
    ):
        table[[ord(mark) for mark in marks]] |= flag
    return table


def _count(text: str, lowered: str, start: Int, stop: Int) -> tuple[Int, NDArray[np.uint16]]:
    """Return the last nine of the counts, and the flags of the last visible character by then."""
    codes = code_points(text)
    flags = _character_table()[np.minimum(codes, _TABLE_SIZE - 1)]
    visible = classify(codes) != SPACE
    counted = np.flatnonzero(flags > _SPACE + _LETTER)  # few: what is looked for below
    flags_of_counted = flags[counted]

    def where(flag: int) -> Int:
        return counted[flags_of_counted & flag > 0]

    digits, punctuation, signs = where(_DIGIT), where(_PUNCTUATION), where(_SIGN)
    dots = _one_of(codes, punctuation, ".:")
    # An address begins with http, https or www.
    dots = _one_of(codes | np.uint32(0x20), dots - 1, "psw") + 1
    ats = codes[signs] == ord("@")
    places = [
        _stop_words(lowered, flags & _SPACE > 0, where(_STOP)),
        _capitalised(flags, where(_UPPER), start),
        punctuation,
        digits,
        _sentence_ends(flags, visible, where(_END | _ALWAYS_END), stop),
        signs[~ats],
        _matching(text, _EMAIL, signs[ats]),
        _matching(text, _URL, dots),
        _years(codes, digits),
    ]
    # Each place stands in a text node: white space between them has none of these.
    texts = stop.searchsorted(np.concatenate(places), side="right")
    texts += np.arange(len(places)).repeat([each.size for each in places]) * stop.size
    rows = np.bincount(texts, minlength=len(places) * stop.size).reshape(len(places), -1)
    shown = np.flatnonzero(visible)
    final = np.append(shown, 0)[shown.searchsorted(stop) - 1]  # 0 where nothing is shown
    return rows, flags[final]


def _one_of(codes: NDArray[np.uint32], places: Int, characters: str) -> Int:
    """Return those of *places* at which one of *characters* stands."""
    here, found = codes[places], np.zeros(places.size, dtype=bool)
    for character in characters:
        found |= here == ord(character)
    return places[found]


# Each of these returns the places of what it is named for, ascending.


def _matching(text: str, pattern: re.Pattern[str], places: Int) -> Int:
    matches = (pattern.match(text, place) is not None for place in places.tolist())
    return places[np.fromiter(matches, dtype=bool, count=places.size)]


def _capitalised(flags: NDArray[np.uint16], capitals: Int, start: Int) -> Int:
    """Return those of *capitals* that begin a word; each text node begins one."""
    inside = flags[capitals - 1] & _LETTER > 0
    opening = np.zeros(flags.size + 1, dtype=bool)
    opening[start] = True
    inside &= (capitals > 0) & ~opening[capitals]
    return capitals[~inside]


def _sentence_ends(flags: NDArray[np.uint16], visible: Bool, marks: Int, stop: Int) -> Int:
    """Return those of *marks* that stand before white space or at the end of a text node."""
    follows = np.append(~visible, True)[marks + 1]
    last = marks + 1 == np.append(stop, 0)[np.searchsorted(stop, marks, side="right")]
    return marks[follows | last | (flags[marks] & _ALWAYS_END > 0)]


def _stop_words(lowered: str, space: Bool, characters: Int) -> Int:
    """Return where stop words and stop *characters* stand, ascending.

    A word counts if white space is on both sides, or an apostrophe: splitting is fast.
    """
    words = lowered.replace("'", " ").replace("’", " ").split()
    known = np.fromiter(map(_stop_list()[0].__contains__, words), dtype=bool, count=len(words))
    starts = ~space
    starts[1:] &= space[:-1]
    places = np.flatnonzero(starts)[known]
    return np.sort(np.concatenate([places, characters])) if characters.size else places


def _years(codes: NDArray[np.uint32], digits: Int) -> Int:
    """Return where numbers of four digits stand that are years from 1000 to 2999."""
    begins = np.ones(digits.size + 1, dtype=bool)
    begins[1:-1] = digits[1:] - digits[:-1] > 1
    first = np.flatnonzero(begins)
    return _one_of(codes, digits[first[:-1][first[1:] - first[:-1] == 4]], "12")
