"""The encoding of bytes that declare none: windows-1252 for western text, as the HTML standard has
it, else that of the language whose letters they are, else a guess by their frequencies.
"""

from __future__ import annotations

import re
from collections import Counter
from functools import cache
from itertools import islice

from w3lib.encoding import resolve_encoding

try:
    import charset_normalizer
except ImportError:  # older versions of Scrapy do not need it; they read windows-1252
    charset_normalizer = None  # type: ignore[assignment]

STANDARD = "cp1252"

_WORD = re.compile(rb"(?<![A-Za-z\x80-\xff])[A-Za-z]*[\x80-\xff][A-Za-z\x80-\xff]*")
_MOST_WORDS_READ = 2000  # words beyond ASCII that are looked at
_OF_A_LANGUAGE = 0.95
"""Share of the letters beyond ASCII that are those of one language; the rest are of names."""
_MOST_BEYOND = 0.45
"""Most letters beyond ASCII among those of words that have any, in a Latin script."""

_LETTERS = {
    # By encoding: the letters beyond ASCII of each language. The first of two that fit as well
    # decides, and the standard's comes first.
    STANDARD: (
        "áéíóúüñ àâçéèêëîïôùûüÿœæ äöüß áâãàçéêíóôõúü àèéìíîòóù áéíóúëïöüèê åäöéüš åäöõüšž "
        "æøåéèòóôüäö áéíóúýþæðö àçéèíïóòúüñ áéíóúàèìòù äëöüéèê"
    ),
    "cp1250": "áčďéěíňóřšťúůýžö áäčďéíĺľňóôŕšťúýž ąćęłńóśźż áéíóöőúüű ăâîşţ čšžćđ äöüßšž",
    "iso8859-2": "áčďéěíňóřšťúůýžö áäčďéíĺľňóôŕšťúýž ąćęłńóśźż áéíóöőúüű ăâîşţ čšžćđ",
    "cp1254": "çğıöşüâîûİ",
    "cp1257": "ąčęėįšųūž āčēģīķļņšūž äöõüšž",
}
_SYMBOLS = frozenset((*"¡¢¤¥¦¨¬¯±²³¶¸¹º¼½¾¿÷×", *map(chr, range(0x80, 0xA0))))
"""Symbols that stand in no word."""
_INSIDE = re.compile(rf"[{''.join(sorted(_SYMBOLS))}](?<=[^\W\d_].)(?=[^\W\d_])")


def guess_encoding(html: bytes) -> str:
    """Guess the encoding of bytes that declare none and are no UTF-8 beyond ASCII."""
    if html.isascii():
        return "utf-8"
    words = b" ".join(match[0] for match in islice(_WORD.finditer(html), _MOST_WORDS_READ))
    counts = Counter(words)
    shares = {encoding: _share_of_a_language(words, counts, encoding) for encoding in _LETTERS}
    encoding = max(shares, key=lambda each: shares[each])
    if shares[encoding] >= _OF_A_LANGUAGE:
        return encoding
    best = None if charset_normalizer is None else charset_normalizer.from_bytes(html).best()
    guessed = best and resolve_encoding(best.encoding)
    return guessed if guessed and not _is_latin(words, guessed) else STANDARD


def _share_of_a_language(words: bytes, counts: Counter[int], encoding: str) -> float:
    """Return the share of letters beyond ASCII, and symbols in words, that one language has."""
    letters: Counter[str] = Counter()
    for byte, count in counts.items():
        for letter in _in_small_letters(encoding)[byte]:
            letters[letter] += count
    inside = 0
    if not _SYMBOLS.isdisjoint(letters):
        inside = len(_INSIDE.findall(words.decode(encoding, "replace").lower()))
    beyond = [each for each in letters if each == "\ufffd" or (each > "\x7f" and each.isalpha())]
    total = sum(letters[each] for each in beyond) + inside
    of_words = sum(count for each, count in letters.items() if each.isalpha())
    if not total or total > _MOST_BEYOND * of_words:
        return 0.0
    alphabets = _LETTERS[encoding].split()
    return (
        max(sum(letters[each] for each in beyond if each in known) for known in alphabets) / total
    )


@cache
def _in_small_letters(encoding: str) -> list[str]:
    """Return what each byte stands for in an encoding of one byte a letter, in small letters."""
    return [bytes([byte]).decode(encoding, "replace").lower() for byte in range(256)]


def _is_latin(words: bytes, encoding: str) -> bool:
    """Return whether most letters beyond ASCII are Latin ones."""
    text = words.decode(encoding, "replace")
    letters = [each for each in text if each.isalpha() and not each.isascii()]
    return sum(each < "\u0250" for each in letters) * 2 > len(letters)
