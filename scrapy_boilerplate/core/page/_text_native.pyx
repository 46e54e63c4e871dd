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
    class_of,
)
from scrapy_boilerplate.core.page._checks cimport check_sizes, check_slices
from scrapy_boilerplate.core.page._room cimport Room, free_all, take

cdef extern from "Python.h":
    Py_UCS4 Py_UNICODE_TOLOWER(Py_UCS4 character) nogil

cdef enum:
    STRIDE = 64  # places that are looked at together, which the processor does side by side
    PLACES = 1 << 12  # of the first two letters of phrases


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


cdef struct Phrase:
    Py_ssize_t begin  # its first letter among those of all
    Py_ssize_t size
    int32_t group
    int32_t following  # phrase whose first letters have the same place, -1 for none


cdef class Phrases:
    """Groups of phrases in lower case, all of which are looked for at once."""

    cdef Room room
    cdef Phrase* phrases
    cdef uint32_t* letters
    cdef int32_t[PLACES] first  # phrase whose first two letters have a place, -1 for none
    cdef int32_t every

    def __init__(self, *groups):
        """A phrase has two letters at least."""
        rows = [(number, said) for number, group in enumerate(groups) for said in group]
        cdef Phrase* phrase
        cdef Py_ssize_t row, end = 0
        cdef uint32_t place
        self.every = (1 << len(groups)) - 1
        self.phrases = <Phrase*>take(&self.room, len(rows), sizeof(Phrase))
        self.letters = <uint32_t*>take(&self.room, sum(len(said) for _, said in rows), 4)
        memset(self.first, 0xFF, sizeof(self.first))
        for row, (group, said) in enumerate(rows):
            phrase = &self.phrases[row]
            phrase.begin, phrase.size, phrase.group = end, len(said), 1 << <int>group
            for letter in said:
                self.letters[end] = ord(letter)
                end += 1
            place = place_of(self.letters[phrase.begin], self.letters[phrase.begin + 1])
            phrase.following, self.first[place] = self.first[place], <int32_t>row

    def __dealloc__(self):
        free_all(&self.room)

    def groups_in(self, str text not None):
        """Return the groups of which *text* has a phrase, a bit each."""
        cdef const void* data = PyUnicode_DATA(text)
        cdef int kind = PyUnicode_KIND(text)
        if kind == 1:
            return self.find(<const uint8_t*>data, len(text), 0)
        if kind == 2:
            return self.find(<const uint16_t*>data, len(text), 0)
        return self.find(<const uint32_t*>data, len(text), 0)

    def groups_in_slices(
        self,
        str text not None,
        const int32_t[::1] starts not None,
        const int32_t[::1] stops not None,
        Py_ssize_t longest,
    ):
        """Return the same of slices of *text*, but for those with more characters than *longest*."""
        check_sizes(starts.shape[0], stops.shape[0])
        cdef const void* data = PyUnicode_DATA(text)
        cdef int kind = PyUnicode_KIND(text)
        cdef int32_t found = 0
        cdef Py_ssize_t number, size
        for number in range(starts.shape[0]):
            size = stops[number] - starts[number]
            if not 0 < size <= longest or starts[number] < 0 or stops[number] > len(text):
                continue
            if kind == 1:
                found = self.find(<const uint8_t*>data + starts[number], size, found)
            elif kind == 2:
                found = self.find(<const uint16_t*>data + starts[number], size, found)
            else:
                found = self.find(<const uint32_t*>data + starts[number], size, found)
        return found

    cdef int32_t find(self, const Character* text, Py_ssize_t size, int32_t found) noexcept nogil:
        """Add the groups in a text to those *found*, until there are all."""
        cdef uint32_t last = lower(text[0]) if size else 0
        cdef uint32_t code
        cdef Py_ssize_t at
        cdef int32_t row
        for at in range(1, size):
            code = lower(text[at])
            row = self.first[place_of(last, code)]
            while row >= 0:
                if self.stands_at(&self.phrases[row], text + at - 1, size - at + 1):
                    found |= self.phrases[row].group
                    if found == self.every:
                        return found
                row = self.phrases[row].following
            last = code
        return found

    cdef bint stands_at(self, Phrase* phrase, const Character* text, Py_ssize_t size) noexcept nogil:
        cdef Py_ssize_t at
        if phrase.size > size:
            return False
        for at in range(phrase.size):
            if lower(text[at]) != self.letters[phrase.begin + at]:
                return False
        return True


cdef inline uint32_t lower(uint32_t code) noexcept nogil:
    """Return a letter in lower case; İ, which becomes two letters, stands in no phrase."""
    if code < 0x80:
        return code + 0x20 if <uint32_t>(code - c"A") < 26 else code
    return code if code == 0x130 else Py_UNICODE_TOLOWER(code)


cdef inline uint32_t place_of(uint32_t first, uint32_t second) noexcept nogil:
    return (first * 31 + second) % PLACES
