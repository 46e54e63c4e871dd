# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""The loop of :func:`scrapy_boilerplate.text.measure` over the characters of a text."""

from libc.stdint cimport int32_t, uint8_t, uint16_t, uint32_t

import numpy as np

from scrapy_boilerplate._shared cimport Character, PyUnicode_DATA, PyUnicode_KIND

cdef enum:
    TABLE_SIZE = 0x20000
    IDEOGRAPHS_END = 0x40000

cdef enum:
    # As in scrapy_boilerplate.text.
    SPACE, SYMBOL, LETTER, IDEOGRAPH, MARK


def counts(str text not None, const uint8_t[::1] table not None, breaks, places):
    """Return words, symbols and visible characters before each of *places*, as rows.

    *table* holds the class of each code point of the planes 0 and 1; *breaks*, at which a word
    ends, and *places* are ascending positions.
    """
    cdef Py_ssize_t size = len(text)
    result = np.empty((3, len(places)), dtype=np.int32)
    cdef int32_t[:, ::1] rows = result
    cdef const int32_t[::1] ends = np.append(np.asarray(breaks, dtype=np.int32), np.int32(-1))
    cdef const int32_t[::1] wanted = np.append(np.asarray(places, dtype=np.int32), np.int32(-1))
    cdef const void* data = PyUnicode_DATA(text)
    cdef int kind = PyUnicode_KIND(text)
    if kind == 1:
        count(<const uint8_t*>data, size, &table[0], &ends[0], &wanted[0], rows)
    elif kind == 2:
        count(<const uint16_t*>data, size, &table[0], &ends[0], &wanted[0], rows)
    else:
        count(<const uint32_t*>data, size, &table[0], &ends[0], &wanted[0], rows)
    return result


cdef void count(
    const Character* text,
    Py_ssize_t size,
    const uint8_t* table,
    const int32_t* end,
    const int32_t* wanted,
    int32_t[:, ::1] rows,
) noexcept:
    cdef Py_ssize_t column = 0
    cdef int32_t seen_words = 0
    cdef int32_t seen_symbols = 0
    cdef int32_t seen_visible = 0
    cdef uint8_t before = MARK  # class of the last character that is no mark
    cdef uint8_t kind
    cdef uint32_t character
    cdef Py_ssize_t place
    for place in range(size + 1):
        while wanted[column] == place:
            rows[0, column] = seen_words
            rows[1, column] = seen_symbols
            rows[2, column] = seen_visible
            column += 1
        if place == size:
            break
        character = text[place]
        if character < TABLE_SIZE:
            kind = table[character]
        else:
            kind = IDEOGRAPH if character < IDEOGRAPHS_END else SPACE
        if end[0] == place:
            if before == LETTER:
                before = SPACE if kind == LETTER else before
            end += 1
        seen_words += kind == IDEOGRAPH or (kind == LETTER and before != LETTER)
        seen_symbols += kind == SYMBOL
        seen_visible += kind != SPACE
        before = before if kind == MARK else kind
