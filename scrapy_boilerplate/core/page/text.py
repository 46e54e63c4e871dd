"""Words, symbols, sentences and white space, for every script that Unicode knows."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from functools import cache
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from scrapy_boilerplate.core.page._text_native import counts as _counts
from scrapy_boilerplate.core.page._text_native import sentence_marks as _sentence_marks
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

    A word is a maximal run of letters and digits with their combining marks; in scripts written
    without spaces (Chinese, Japanese, Thai, Lao, Khmer, Burmese) each character is one. A symbol
    is any other visible character. The slices are ascending and disjoint, with nothing but white
    space between them; a word ends where one starts.

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
    r"""Split *text* as the evaluation of main content does.

    Tokens are lower-cased runs of ``\w``; for Chinese, Japanese and Korean one token a character.

    >>> tokens("Don't panic: 日本")
    ['don', 't', 'panic', '日', '本']
    """
    return _EVALUATION_TOKEN.findall(text.lower())


# -- sentences -------------------------------------------------------------------------------

_ALWAYS = (
    "。｡！？"  # Chinese, Japanese
    "؟۔"  # Arabic, Urdu
    "।॥"  # Hindi, Bengali and their neighbours
    "။"  # Burmese
    "។៕"  # Khmer
    "։"  # Armenian
    "።፧፨"  # Ethiopic
    "᠃᠉"  # Mongolian
    "\u037e"  # the Greek question mark that is no semicolon
)
"""Marks that end a sentence wherever they stand."""

_QUESTION = "!?‼⁇⁈⁉‽"
_SPACED = ".…" + _QUESTION
"""Marks that end a sentence before white space only: they stand in numbers and addresses, too."""

_CLOSING = "\"'”’›״)\\]}」』】〉》）］"
_LINE_BREAK = "\\n\\r\\x0b\\x0c\\x1c-\\x1e\\x85\\u2028\\u2029"
_HAN = "\\u3040-\\u30ff\\u3400-\\u9fff"
_GREEK = "\\u0370-\\u03ff\\u1f00-\\u1fff"
_THAI = "\\u0e01-\\u0eff"
"""Thai and Lao, where white space stands between sentences and clauses, and no mark at all."""

# Only abbreviations that something must follow; "etc." and "Inc." end a sentence as often as not,
# which the case of the next letter tells. Single letters ("z. B.", "т. е.", initials) need no list.
_BEFORE_WORDS = [
    *"Mr Mrs Ms Messrs dr prof Rev Gen Col Capt Cpt Lt Sgt Maj Cmdr sr St Ste Mt Ft Hon".split(),
    *"Gov Sen Rep Pres Supt vs cf viz approx ca".split(),
    *"bzw vgl inkl exkl zzgl einschl insb evtl ggf sog gem Hr Fr Dipl Ing Mio Mrd geb".split(),
    *"Mme Mlle MM Mgr env boul".split(),  # French
    *"sra srta dra Ud Uds Lic EE Av Exmo sig dott avv".split(),  # Spanish, Portuguese, Italian
    *"dhr mevr mw drs bijv t.ex bl.a dvs f.eks".split(),  # Dutch, Scandinavian
    *"inż np tzn tzw ul św ks pl např tzv".split(),  # Polish, Czech
    *"ifj özv kb ún vö ld Szt".split(),  # Hungarian
    *"dl dna str Doç Yrd örn bkz Sn Cad Sok Mah".split(),  # Romanian, Turkish
    *"проф акад доц инж ул им см ср св напр гр обл пос просп вул ім див".split(),
    *"ThS PGS GS TS TP Tp ĐH डॉ श्री प्रो ডা ডঃ".split(),  # Vietnamese, Hindi, Bengali
]
_BEFORE_NUMBERS = [
    *"No Nos Nr pp Fig Figs Vol Vols Ch Chap Sec Sect Eq Art Arts Par Op Tab Abb Abs Bd".split(),
    *"Jan Feb Mar Apr Jun Jul Aug Sep Sept Oct Nov Dec Kap Tel pág núm pag tr".split(),
    *"стр рис табл гл тел кв".split(),
]
_GERMAN_ARTICLES = "am im vom zum der den dem des die das ab bis seit".split()

# What an abbreviation stands behind: the start, white space, an opening mark, a hyphen, a dot.
_WORD_START = r"(?<![^\s(\[{\"„“‚«»›.–—/-])"


def _behind(words: list[str], after: str = r"\.") -> str:
    """Return a pattern for a position behind one of *words*, which *after* follows."""
    widths: dict[int, set[str]] = {}
    for word in words:
        for form in (word, word[0].upper() + word[1:]):
            widths.setdefault(len(form), set()).add(re.escape(form))
    groups = ("|".join(sorted(forms)) for _, forms in sorted(widths.items()))
    return "(?:" + "|".join(rf"(?<={_WORD_START}(?:{group}){after})" for group in groups) + ")"


def _abbreviation() -> str:
    """Return a pattern for a position behind a full stop that does not end a sentence."""
    letter = "A-Za-z\u00c0-\u024f\u0370-\u058f\u05d0-\u05ea\u0620-\u064a\u1e00-\u1fff"
    digits = (r"\d", r"\d\d")
    number = [
        *(rf"(?<=^{n}\.)" for n in (*digits, r"\d\.\d")),  # 1. at the start of a line
        *(rf"(?<=[:;!?]\s{n}\.)|(?<=\w{{4}}\.\s{n}\.)" for n in digits),  # inside: 2.
        *(rf"(?<=(?<!\d){n}\.)(?=\s\d)" for n in digits),  # 12. 3. 2020
        *(_behind(_GERMAN_ARTICLES, rf"\s{n}\.") for n in digits),  # am 3. Oktober
    ]
    return "|".join(
        [
            rf"(?<={_WORD_START}[{letter}]\.)",  # initials
            _behind(_BEFORE_WORDS),
            rf"(?=\s?\d){_behind(_BEFORE_NUMBERS)}",
            rf"(?<=\d\.)(?:{'|'.join(number)})",
            rf"(?<=[IVX]\.)(?:{'|'.join(rf'(?<=^[IVX]{{{n}}}.)' for n in (2, 3, 4))})",
        ]
    )


@cache
def _sentence_end() -> re.Pattern[str]:
    """Return the pattern of marks that may end a sentence; group 1 says "no", the later ones "yes".

    It cannot backtrack: a match takes all adjacent marks, then all closing quotes, and never fails
    after that, for what follows is optional; so no character is the start of two attempts. The
    look-aheads read the white space up to the next mark, once each; look-behinds have fixed width.
    """
    lower = "".join(c for c in map(chr, range(0x2000)) if c.islower())
    goes_on = rf"\s{_SPACED},;:"
    line_end = rf"[^\S{_LINE_BREAK}]*(?:[{_LINE_BREAK}]|\Z)"
    spaced_quote = r"[ \u00a0\u2009\u202f]?»(?!\w)"
    return re.compile(
        rf"[{_SPACED}{_ALWAYS}．;{_THAI}](?:"  # one class first: a fast scan
        rf"(?<=[{_SPACED}])[{_SPACED}]*(?:(?<=\.)(?:{_abbreviation()})())?"
        rf"(?:[{_CLOSING}“‘«‹]|{spaced_quote})*"
        rf"(?:(?={line_end})()"
        rf"|(?(1)(?!)|(?:(?=\s+[^{goes_on}{lower}])()"
        rf"|(?<=[{_QUESTION}])(?=\s+[^{goes_on}])()"
        rf"|(?<=[{_HAN}][{_QUESTION}])(?=[{_HAN}])())))?"
        rf"|(?:(?<=[{_ALWAYS}])|(?<!\d．)(?<=．)|(?<=[{_GREEK}];))"
        rf"[{_ALWAYS}{_SPACED}]*(?:[{_CLOSING}]|{spaced_quote})*"
        r"(?:(?!と|って)())?"  # a quotation in the middle of a Japanese sentence goes on
        rf"|(?<=[{_THAI}])[{_THAI}]*(?:(?<=[{_THAI}]{{30}})(?![{_SPACED}{_ALWAYS}])())?)",
        re.MULTILINE,
    )


def sentence_ends(text: str) -> list[int]:
    """Return the offsets in *text* after each sentence end, ascending.

    A sentence ends with its mark and the closing quotes and brackets behind it. Full stops of
    initials, abbreviations, numbers, dates, versions, addresses and lists end none unless the line
    ends there; neither does one before a lower-case letter. Thai and Lao have no such marks: there
    a run of at least 30 letters counts as one. A text is laid out: each line stands for itself.

    >>> sentence_ends("Dr. A. Smith paid $3.50. Why? See example.com/?q=1.")
    [24, 29, 51]
    """
    match = _sentence_end().match
    found, last = [], 0
    for mark in _sentence_marks(text, _mark_table()):
        end = match(text, mark) if mark >= last else None
        if end is not None:
            last = end.end()
            if end.lastindex is not None and end.lastindex > 1:
                found.append(last)
    return found


_ANYWHERE, _BEFORE_SPACE, _SEMICOLON = 1, 2, 3


@cache
def _mark_table() -> NDArray[np.uint8]:
    """Return which mark of a sentence's end a character is, by its lowest 16 bits."""
    table = np.zeros(0x10000, dtype=np.uint8)
    table[0x0E01:0x0F00] = _ANYWHERE  # Thai and Lao
    for marks, kind in ((f"{_ALWAYS}．", _ANYWHERE), (_SPACED, _BEFORE_SPACE), (";", _SEMICOLON)):
        table[[*map(ord, marks)]] = kind
    return table


def sentences(text: str) -> list[str]:
    r"""Split *text* into sentences; a line break ends one even without a mark.

    >>> sentences("Title\nHe said: “Go!” She went, e.g. home. 我们走。好！")
    ['Title', 'He said: “Go!”', 'She went, e.g. home.', '我们走。', '好！']
    """
    cuts = [0, *sentence_ends(text), len(text)]
    pieces = (text[start:stop].strip() for start, stop in pairwise(cuts))
    return [line for piece in pieces for line in map(str.strip, piece.splitlines()) if line]
