"""Characters of a tree that reach its text: visible ones that every format can hold."""

from __future__ import annotations

from functools import cache

import numpy as np
from numpy.typing import NDArray

from scrapy_boilerplate.core.page._elements_native import keep_texts
from scrapy_boilerplate.core.page._text_native import holds_any as _holds_any
from scrapy_boilerplate.core.page._text_native import readable as _readable
from scrapy_boilerplate.core.page.walk import TEXT_ROWS, Walk

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
    *((0xFDD0, 0xFDEF), (0xFFFE, 0xFFFF)),  # noncharacters; the last two of each plane are, too
    (0xFEFF, 0xFEFF),  # byte order mark, once a zero width no-break space
    (0xFFF0, 0xFFFB),  # without a meaning, and interlinear annotation
)
_LINE_ENDS = ((0x0B, 0x0D), (0x85, 0x85), (0x2028, 0x2029))
"""What ends a line, other than the line feed."""

_JOINERS = ((0x180E, 0x180E), (0x200C, 0x200D))
_TURNING = ((0x061C, 0x061C), (0x200E, 0x200F), (0x202A, 0x202C), (0x2066, 0x2069))
"""Marks, embeddings and isolates of direction, for what is read from the right."""
_VARIANTS = ((0x180B, 0x180D), (0x180F, 0x180F), (0xFE00, 0xFE0F))
"""Selectors of a variant, one for each visible character."""
_BLANKS = ((0x2800, 0x2800),)
"""What is a space, but for its own script."""

_JOINED = np.array(
    [
        *((0x0600, 0x109F), (0x1780, 0x18AF), (0x1900, 0x1CFF), (0xA800, 0xABFF)),
        *((0xFB50, 0xFDFF), (0xFE70, 0xFEFC), (0x10A00, 0x11FFF), (0x1E900, 0x1E95F)),
        (0x1BC00, 0x1BC9F),
        # Emoji and what they are made of.
        *((0xA9, 0xA9), (0xAE, 0xAE), (0x203C, 0x203C), (0x2049, 0x2049), (0x2122, 0x2122)),
        *((0x2139, 0x2139), (0x2190, 0x2BFF), (0x3030, 0x303D), (0x3297, 0x3299), (0xFE0F, 0xFE0F)),
        (0x1F000, 0x1FAFF),
    ],
    dtype=np.uint32,
)
"""Scripts in which a joiner gives the letters beside it another form, Arabic and those of India
and its neighbours, shorthand; emoji, which joiners make one of."""

_FATES = ((), _UNREADABLE, _LINE_ENDS, _JOINERS, _TURNING, _VARIANTS, _BLANKS)
"""Ranges by their number in ``_text_native``, which knows those above U+FFFF."""

DEPENDENT = [
    code
    for ranges in (*_FATES[3:], ((0x1BCA0, 0x1BCA3), (0xE0000, 0xE0FFF)))
    for low, high in ranges
    for code in range(low, high + 1)
]
"""Characters that stay or go by what stands beside them."""


@cache
def _fates() -> NDArray[np.uint8]:
    """Return what may happen to a character, by its lowest 16 bits."""
    table = np.zeros(0x10000, dtype=np.uint8)
    for fate, ranges in enumerate(_FATES):
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
    start, stop = (TEXT_ROWS.index(name) for name in ("text_start", "text_stop"))
    touched = np.unique(np.searchsorted(read.texts[stop], dropped, side="right"))
    texts = read.texts.copy()
    for row in (start, stop):
        texts[row] -= np.searchsorted(dropped, texts[row]).astype(texts.dtype)
    filled = np.ones(texts.shape[1], dtype=bool)
    for text in touched[touched < filled.size].tolist():
        filled[text] = bool(buffer[texts[start, text] : texts[stop, text]].strip())
    at_once = np.zeros(int(filled.sum()), dtype=np.int32)  # they were moved above
    elements, texts = keep_texts(read.elements, texts, filled.view(np.uint8), at_once)
    return read._replace(elements=elements, texts=texts, buffer=buffer)


def _split(text: str) -> tuple[str, NDArray[np.int64]]:
    """Return the readable characters of *text*, and where those stand that are none."""
    return _readable(text, _fates(), _JOINED)


# -- most texts are ASCII and hold none ----------------------------------------------------------


def is_suspect(text: str) -> bool:
    """Return whether *text* may hold unreadable characters; nearly no text does."""
    return _holds_any(text, _fates())
