"""The loops of :mod:`scrapy_boilerplate.core.page.text` over the characters of a text."""

from libc.stdint cimport int32_t, int64_t, uint8_t, uint16_t, uint32_t
from libc.string cimport memset

import numpy as np

from scrapy_boilerplate.core.page._characters cimport (
    IDEOGRAPH,
    LETTER,
    MARK,
    SPACE,
    SYMBOL,
    TABLE_SIZE,
    Character,
    PyUnicode_DATA,
    PyUnicode_KIND,
    PyUnicode_READ,
    class_of,
)
from scrapy_boilerplate.core.page._checks cimport check_sizes, check_slices

cdef extern from "Python.h":
    str PyUnicode_FromKindAndData(int kind, const void* text, Py_ssize_t size)

cdef enum:
    STRIDE = 64  # places that are looked at together, which the processor does side by side


def counts(
    str text not None,
    const uint8_t[::1] table not None,
    const int32_t[::1] starts not None,
    const int32_t[::1] stops not None,
):
    """Return words, symbols and visible characters of each slice, as rows.

    *table* holds the class of each code point of the planes 0 and 1.
    """
    check_slices(starts, stops, len(text))
    check_sizes(table.shape[0], TABLE_SIZE)
    result = np.empty((3, starts.shape[0]), dtype=np.int64)
    cdef int64_t[:, ::1] rows = result
    cdef const void* data = PyUnicode_DATA(text)
    cdef int kind = PyUnicode_KIND(text)
    with nogil:
        if kind == 1:
            count(<const uint8_t*>data, &table[0], starts, stops, rows)
        elif kind == 2:
            count(<const uint16_t*>data, &table[0], starts, stops, rows)
        else:
            count(<const uint32_t*>data, &table[0], starts, stops, rows)
    return result[0], result[1], result[2]


cdef void count(
    const Character* text,
    const uint8_t* table,
    const int32_t[::1] starts,
    const int32_t[::1] stops,
    int64_t[:, ::1] rows,
) noexcept nogil:
    cdef Py_ssize_t number, place, stop
    cdef int32_t last = 0  # where the slice before ended
    cdef int size, i
    cdef uint8_t[STRIDE + 1] kinds  # of characters that are counted together, after the one before
    cdef uint8_t words, symbols, visible, marks  # as wide as a kind, to be counted side by side
    cdef uint8_t* before = kinds
    cdef uint8_t* here = &kinds[1]
    before[0] = SPACE
    for number in range(starts.shape[0]):
        place, stop = starts[number], stops[number]
        rows[0, number] = rows[1, number] = rows[2, number] = 0
        if place > last or class_of(text[place], table) == LETTER:
            before[0] = SPACE  # a word ends where a slice starts
        last = stops[number]
        while place < stop:
            size = <int>min(stop - place, STRIDE)
            words = symbols = visible = marks = 0
            for i in range(size):
                here[i] = class_of(text[place + i], table)
            memset(here + size, SPACE, STRIDE - size)
            for i in range(STRIDE):
                marks |= here[i] == MARK
            if marks:
                for i in range(size):
                    if here[i] == MARK and before[i] == LETTER:
                        here[i] = LETTER  # it goes on with the word
            for i in range(STRIDE):  # no branches: where a word ends cannot be guessed
                words += (here[i] == LETTER) & (before[i] != LETTER) | (here[i] == IDEOGRAPH)
                symbols += here[i] == SYMBOL
                visible += here[i] != SPACE
            rows[0, number] += words
            rows[1, number] += symbols
            rows[2, number] += visible
            before[0] = here[size - 1]
            place += size


def holds_any(str text not None, const uint8_t[::1] table not None):
    """Tell whether *table*, with an entry for each code point, has a flag for a character.

    It flags no visible character of ASCII, nor line feeds and tabs.
    """
    check_sizes(table.shape[0], 0x110000)
    cdef const void* data = PyUnicode_DATA(text)
    cdef int kind = PyUnicode_KIND(text)
    if kind == 1:
        return find_any(<const uint8_t*>data, len(text), &table[0])
    if kind == 2:
        return find_any(<const uint16_t*>data, len(text), &table[0])
    return find_any(<const uint32_t*>data, len(text), &table[0])


cdef bint find_any(const Character* text, Py_ssize_t size, const uint8_t* table) noexcept:
    cdef Py_ssize_t place = 0
    cdef Py_ssize_t stop = 0
    cdef Character others  # as wide as a character, to be told side by side
    while stop < size:
        others = 0
        stop = min(stop + STRIDE, size)
        for place in range(place, stop):
            others |= (<Character>(text[place] - 0x20) > 0x5E) & (text[place] != c"\n") & (
                text[place] != c"\t"
            )
        if others:
            for place in range(stop - STRIDE if stop > STRIDE else 0, stop):
                if table[text[place]]:
                    return True
        place = stop
    return False


def look(str text not None):
    """Return how many characters are visible, beyond ASCII, damaged, of Latin-1, above U+2E7F."""
    cdef const void* data = PyUnicode_DATA(text)
    cdef int kind = PyUnicode_KIND(text)
    if kind == 1:
        return look_at(<const uint8_t*>data, len(text))
    if kind == 2:
        return look_at(<const uint16_t*>data, len(text))
    return look_at(<const uint32_t*>data, len(text))


cdef tuple look_at(const Character* text, Py_ssize_t size):
    cdef Py_ssize_t[5] counts
    # As wide as a character, so that the processor counts as many side by side as it compares.
    cdef Character visible, beyond, broken, latin, high, code
    cdef Py_ssize_t place = 0
    cdef Py_ssize_t stop = 0
    counts[:] = [0, 0, 0, 0, 0]
    while stop < size:  # a step of range that is a name makes objects
        visible = beyond = broken = latin = high = 0
        stop = min(stop + STRIDE, size)
        for place in range(place, stop):
            code = text[place]
            visible += code > 0x20
            beyond += code > 0x7F
            broken += (<Character>(code - 0x80) < 0x20) | (code == 0xFFFD)
            latin += <Character>(code - 0xC0) < 0x40
            high += code > 0x2E7F
        counts[0] += visible
        counts[1] += beyond
        counts[2] += broken
        counts[3] += latin
        counts[4] += high
        place = stop
    return counts[0], counts[1], counts[2], counts[3], counts[4]


def beyond_ascii(str text not None, Py_ssize_t most):
    """Return the first characters above U+007F, at most so many."""
    cdef const void* data = PyUnicode_DATA(text)
    cdef int kind = PyUnicode_KIND(text)
    cdef uint32_t[::1] found = np.empty(most, dtype=np.uint32)
    cdef Py_ssize_t count = 0
    cdef Py_ssize_t place
    for place in range(len(text)):
        if count == most:
            break
        if PyUnicode_READ(kind, data, place) > 0x7F:
            found[count] = PyUnicode_READ(kind, data, place)
            count += 1
    return PyUnicode_FromKindAndData(4, &found[0], count)
