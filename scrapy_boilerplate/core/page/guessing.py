"""The encoding of bytes that declare none: windows-1252 for western text, as the HTML standard has
it, else that of the language whose letters they are, else a guess by their frequencies.
"""

from __future__ import annotations

import re
from itertools import islice

from w3lib.encoding import resolve_encoding

try:
    import charset_normalizer
except ImportError:  # older versions of Scrapy do not need it; they read windows-1252
    charset_normalizer = None  # type: ignore[assignment]

STANDARD = "cp1252"

_WORD = re.compile(rb"[A-Za-z\x80-\xff]+")
_MOST_WORDS = 2000
"""Words beyond ASCII that are looked at."""
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
_SYMBOLS = re.compile(r"(?<=[^\W\d_])[¡¢¤¥¦¨¬¯±²³¶¸¹º¼½¾¿÷×\x80-\x9f](?=[^\W\d_])")
"""Symbols that stand in no word."""


def guess_encoding(html: bytes) -> str:
    """Guess the encoding of bytes that declare none and are no UTF-8 beyond ASCII.

    >>> guess_encoding("El señor dijo: mañana.".encode("cp1252"))
    'cp1252'
    >>> guess_encoding("Včera byla ve městě otevřena".encode("cp1250"))
    'cp1250'
    """
    if html.isascii():
        return "utf-8"
    found = (match[0] for match in _WORD.finditer(html))
    words = b" ".join(islice((word for word in found if not word.isascii()), _MOST_WORDS))
    shares = {encoding: _share_of_a_language(words, encoding) for encoding in _LETTERS}
    encoding = max(shares, key=lambda each: shares[each])
    if shares[encoding] >= _OF_A_LANGUAGE:
        return encoding
    best = None if charset_normalizer is None else charset_normalizer.from_bytes(html).best()
    guessed = best and resolve_encoding(best.encoding)
    return guessed if guessed and not _is_latin(words, guessed) else STANDARD


def _share_of_a_language(words: bytes, encoding: str) -> float:
    """Return the share of letters beyond ASCII, and symbols in words, that one language has."""
    text = words.decode(encoding, "replace").lower()
    letters = [each for each in text if not each.isascii() and (each.isalpha() or each == "\ufffd")]
    total = len(letters) + len(_SYMBOLS.findall(text))
    if not total or total > _MOST_BEYOND * sum(map(str.isalpha, text)):
        return 0.0
    return max(sum(map(alphabet.count, letters)) for alphabet in _LETTERS[encoding].split()) / total


def _is_latin(words: bytes, encoding: str) -> bool:
    """Return whether most letters beyond ASCII are Latin ones."""
    text = words.decode(encoding, "replace")
    letters = [each for each in text if each.isalpha() and not each.isascii()]
    return sum(each < "\u0250" for each in letters) * 2 > len(letters)
