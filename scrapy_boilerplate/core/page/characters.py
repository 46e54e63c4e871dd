"""Characters of a tree that reach its text: visible ones that every format can hold."""

from __future__ import annotations

import re
from functools import cache

import numpy as np
from numpy.typing import NDArray

from scrapy_boilerplate.core.page._text_native import holds_any as _holds_any
from scrapy_boilerplate.core.page.text import code_points
from scrapy_boilerplate.core.page.walk import START, Walk, keep_texts

_UNREADABLE = (
    *((0x00, 0x08), (0x0E, 0x1F), (0x7F, 0x84), (0x86, 0x9F)),  # control characters
    (0xAD, 0xAD),  # soft hyphen
    (0x034F, 0x034F),  # grapheme joiner
    *((0x115F, 0x1160), (0x3164, 0x3164), (0xFFA0, 0xFFA0)),  # fillers of Hangul
    (0x200B, 0x200B),  # zero width space
    (0x17B4, 0x17B5),  # vowels of Khmer that are not written
    (0x202D, 0x202E),  # overrides of the direction
    (0x2060, 0x2065),  # word joiner, invisible operators
    (0x206A, 0x206F),  # deprecated format characters
    (0xD800, 0xDFFF),  # lone surrogates
    (0xFDD0, 0xFDEF),  # noncharacters, as the last two of each plane
    *((plane << 16 | 0xFFFE, plane << 16 | 0xFFFF) for plane in range(17)),
    (0xFEFF, 0xFEFF),  # byte order mark, once a zero width no-break space
    (0xFFF0, 0xFFFB),  # without a meaning, and interlinear annotation
    (0x1D173, 0x1D17A),  # of music that is not written
    *((0xE0000, 0xE00FF), (0xE01F0, 0xE0FFF)),  # tags
)
_LINE_ENDS = ((0x0B, 0x0D), (0x85, 0x85), (0x2028, 0x2029))
"""What ends a line, other than the line feed."""

_JOINERS = ((0x180E, 0x180E), (0x200C, 0x200D), (0x1BCA0, 0x1BCA3))
_TURNING = ((0x061C, 0x061C), (0x200E, 0x200F), (0x202A, 0x202C), (0x2066, 0x2069))
"""Marks, embeddings and isolates of direction, for what is read from the right."""
_VARIANTS = ((0x180B, 0x180D), (0x180F, 0x180F), (0xFE00, 0xFE0F), (0xE0100, 0xE01EF))
"""Selectors of a variant, one for each visible character."""
_BLANKS = ((0x2800, 0x2800),)  # what is a space, but for its own script

_JOINED = (
    *((0x0600, 0x109F), (0x1780, 0x18AF), (0x1900, 0x1CFF), (0xA800, 0xABFF)),
    *((0xFB50, 0xFDFF), (0xFE70, 0xFEFC), (0x10A00, 0x11FFF), (0x1E900, 0x1E95F)),
    (0x1BC00, 0x1BC9F),
    # Emoji and what they are made of.
    *((0xA9, 0xA9), (0xAE, 0xAE), (0x203C, 0x203C), (0x2049, 0x2049), (0x2122, 0x2122)),
    *((0x2139, 0x2139), (0x2190, 0x27FF), (0x2801, 0x2BFF), (0x3030, 0x303D), (0x3297, 0x3299)),
    *((0xFE0F, 0xFE0F), (0x1F000, 0x1FAFF)),
)
"""Scripts in which a joiner gives the letters beside it another form, Arabic and those of India
and its neighbours, shorthand; emoji, which joiners make one of."""

_FROM_RIGHT = (
    *((0x0590, 0x061B), (0x061D, 0x08FF), (0xFB1D, 0xFDFF), (0xFE70, 0xFEFE)),
    *((0x10800, 0x10FFF), (0x1E800, 0x1EFFF)),
)
"""Letters of Hebrew, Arabic and scripts like them."""

DEPENDENT = [
    code
    for low, high in (*_JOINERS, *_TURNING, *_VARIANTS, *_BLANKS, (0xE0000, 0xE0FFF))
    for code in range(low, high + 1)
]
"""Characters that stay or go by what stands beside them."""

_DROPPED, _LINE_END, _JOINER, _TURNS, _VARIANT, _BLANK = range(1, 7)
_FATES = (_UNREADABLE, _LINE_ENDS, _JOINERS, _TURNING, _VARIANTS, _BLANKS)
_FLAG = "\U0001f3f4"
_REGIONS = [
    "".join(chr(0xE0000 + ord(letter)) for letter in region)
    for region in ("gbeng\x7f", "gbsct\x7f", "gbwls\x7f")
]
"""England, Scotland, Wales. Other tags show nothing, but language models read them."""


def _one_of(*ranges: tuple[int, int]) -> re.Pattern[str]:
    return re.compile(f"[{''.join(f'{chr(low)}-{chr(high)}' for low, high in ranges)}]")


_JOINS, _READS_FROM_RIGHT = _one_of(*_JOINED), _one_of(*_FROM_RIGHT)
_BRAILLE = _one_of((0x2801, 0x28FF))
_FLAGS = re.compile(f"{_FLAG}(?:{'|'.join(_REGIONS)})")


@cache
def _fates() -> NDArray[np.uint8]:
    """Return what may happen to each character; 0 for those that stay."""
    table = np.zeros(0x110000, dtype=np.uint8)
    for fate, ranges in enumerate(_FATES, 1):
        for low, high in ranges:
            table[low : high + 1] = fate
    return table


def readable(text: str) -> str:
    """Return *text* without what shows nothing or no format can hold, as docs/policy.md has it."""
    return _split(text)[0] if is_suspect(text) else text


def readable_walk(read: Walk) -> Walk:
    """Return *read* with only readable characters; a text node without any is dropped."""
    if not is_suspect(read.buffer):
        return read
    buffer, dropped = _split(read.buffer)
    texts = read.texts.copy()
    places = texts[START : START + 2]
    touched = np.unique(places[1].searchsorted(dropped, side="right"))
    places -= dropped.searchsorted(places).astype(np.int32)
    filled = np.ones(texts.shape[1], dtype=bool)
    for text in touched[touched < filled.size].tolist():
        filled[text] = bool(buffer[places[0, text] : places[1, text]].strip())
    elements, texts = keep_texts(read.elements, texts, filled)
    return read._replace(elements=elements, texts=texts, buffer=buffer)


def _split(text: str) -> tuple[str, NDArray[np.int64]]:
    """Return the readable characters of *text*, and where those stand that are none."""
    codes = code_points(text).copy()
    fates = _fates()[codes]
    dropped = fates == _DROPPED
    dropped[:-1] |= (codes[:-1] == ord("\r")) & (codes[1:] == ord("\n"))
    codes[fates == _LINE_END] = ord("\n")
    is_turned = bool((fates == _TURNS).any() and _READS_FROM_RIGHT.search(text))
    for at in (fates > _LINE_END).nonzero()[0].tolist():
        fate, before, after = fates[at], text[at - 1 : at], text[at + 1 : at + 2]
        if fate == _BLANK:
            if not (_BRAILLE.match(before) or _BRAILLE.match(after)):
                codes[at] = ord(" ")
            continue
        dropped[at] = not (
            (fate == _JOINER and (_JOINS.match(before) or _JOINS.match(after)))
            or (fate == _TURNS and is_turned)
            or (fate == _VARIANT and _has_variants(before))
        )
    for flag in _FLAGS.finditer(text) if dropped.any() else ():
        dropped[flag.start() : flag.end()] = False
    kept = codes[~dropped].tobytes().decode("utf-32-le", "surrogatepass")
    return kept, dropped.nonzero()[0]


def _has_variants(char: str) -> bool:
    """Tell whether a character is a visible one that may have a variant."""
    return bool(char) and (char > "\xa0" or char in "#*0123456789") and not _fates()[ord(char)]


# -- most texts are ASCII and hold none ----------------------------------------------------------


def is_suspect(text: str) -> bool:
    """Return whether *text* may hold unreadable characters; nearly no text does."""
    return _holds_any(text, _fates())
