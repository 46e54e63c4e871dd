"""The loops of :mod:`scrapy_boilerplate.core.page.text` and `reading` over the characters of a text."""

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
    """Tell whether *table* has a flag for a character; it has one for each lowest 16 bits.

    It flags no visible character of ASCII, nor line feeds and tabs.
    """
    if table.shape[0] != 0x10000:
        raise ValueError("the table must have an entry for each of 65 536 code points")
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
                if table[<uint16_t>text[place]]:
                    return True
                if sizeof(Character) == 4 and fate_beyond(text[place]) != READABLE:
                    return True
        place = stop
    return False


cdef enum:
    # What may happen to a character, as in scrapy_boilerplate.core.page.characters.
    READABLE, DROPPED, LINE_END, JOINER, TURNING, VARIANT, BLANK
    FLAG = 0x1F3F4  # after which tags are the letters of a region
    NO_CHARACTER = 0xFFFE  # the bits that the last two code points of each plane have

_TAGS = {letter: 0xE0000 + letter for letter in range(0x80)}
# England, Scotland, Wales. Other tags show nothing, but language models read them.
_REGIONS = {region.translate(_TAGS) for region in ("gbeng\x7f", "gbsct\x7f", "gbwls\x7f")}


def readable(
    str text not None, const uint8_t[::1] fates not None, const uint32_t[:, ::1] joined not None
):
    """Return the readable characters of a text, and where those stand that are none.

    *fates* has one for each lowest 16 bits; *joined* are the ranges in which joiners do something.
    """
    check_sizes(fates.shape[0], 0x10000)
    check_sizes(joined.shape[1], 2)
    cdef Py_ssize_t size = len(text)
    cdef uint32_t[::1] kept = np.empty(size + 1, dtype=np.uint32)
    dropped = np.empty(size, dtype=np.int64)
    cdef int64_t[::1] gone = dropped
    cdef const void* data = PyUnicode_DATA(text)
    cdef int kind = PyUnicode_KIND(text)
    cdef Py_ssize_t place
    cdef Py_ssize_t count = 0
    cdef uint32_t before
    cdef uint32_t code = 0
    cdef uint32_t after = <uint32_t>PyUnicode_READ(kind, data, 0) if size else 0
    cdef uint8_t fate
    cdef bint is_base = False  # whether the last readable character may have a variant
    cdef int is_turned = -1  # whether the text has letters that are read from the right; unknown
    cdef int of_flag = 0  # tags that follow
    for place in range(size):
        before, code = code, after
        after = <uint32_t>PyUnicode_READ(kind, data, place + 1) if place + 1 < size else 0
        fate = fates[code] if code <= 0xFFFF else fate_beyond(code)
        if of_flag:
            of_flag -= 1
            fate = READABLE
        elif code == FLAG:
            of_flag = 6 if text[place + 1 : place + 7] in _REGIONS else 0
        elif fate == JOINER:
            fate = JOINER if is_joined(before, joined) or is_joined(after, joined) else DROPPED
        elif fate == TURNING:
            if is_turned < 0:
                is_turned = reads_from_right(kind, data, size)
            fate = TURNING if is_turned else DROPPED
        elif fate == VARIANT:
            fate = VARIANT if is_base else DROPPED
        elif code == c"\r" and after == c"\n":
            fate = DROPPED
        if fate == DROPPED:
            gone[place - count] = place
            continue
        is_base = fate == READABLE and (code > 0xA0 or code in (c"#", c"*") or c"0" <= code <= c"9")
        if fate == LINE_END:
            code = c"\n"
        elif fate == BLANK and not is_braille(before) and not is_braille(after):
            code = c" "
        kept[count] = code
        count += 1
    return PyUnicode_FromKindAndData(4, &kept[0], count), dropped[: size - count]


cdef inline uint8_t fate_beyond(uint32_t code) noexcept:
    """Return what may happen to a character above the first plane."""
    if code <= 0xFFFF:
        return READABLE
    if 0xE0000 <= code <= 0xE0FFF:
        return VARIANT if 0xE0100 <= code <= 0xE01EF else DROPPED
    if 0x1BCA0 <= code <= 0x1BCA3:
        return JOINER  # of shorthand
    if 0x1D173 <= code <= 0x1D17A or code & NO_CHARACTER == NO_CHARACTER:
        return DROPPED
    return READABLE


cdef inline bint is_braille(uint32_t code) noexcept:
    return 0x2800 < code <= 0x28FF


cdef bint reads_from_right(int kind, const void* data, Py_ssize_t size) noexcept:
    """Tell whether a text has a letter of Hebrew, Arabic or another script like them."""
    cdef Py_ssize_t place
    cdef uint32_t code
    for place in range(size):
        code = <uint32_t>PyUnicode_READ(kind, data, place)
        if code >= 0x0590 and code != 0x061C and (
            code <= 0x08FF
            or 0xFB1D <= code <= 0xFDFF
            or 0xFE70 <= code <= 0xFEFE
            or 0x10800 <= code <= 0x10FFF
            or 0x1E800 <= code <= 0x1EFFF
        ):
            return True
    return False


cdef bint is_joined(uint32_t code, const uint32_t[:, ::1] joined) noexcept:
    cdef Py_ssize_t number
    for number in range(joined.shape[0]):
        if joined[number, 0] <= code <= joined[number, 1]:
            return True
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
