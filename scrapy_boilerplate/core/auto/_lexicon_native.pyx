"""The compiled loops of :mod:`scrapy_boilerplate.core.auto.lexicon`."""

from libc.stdint cimport int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t

import numpy as np

from scrapy_boilerplate.core.page._characters cimport Character, PyUnicode_DATA, PyUnicode_KIND
from scrapy_boilerplate.core.page._keys cimport Secret, joined, read_secret
from scrapy_boilerplate.core.page._strings cimport Strings, find_number, free_strings, number_of
from scrapy_boilerplate.core.secret import SECRET

cdef extern from "Python.h" nogil:
    bint Py_UNICODE_ISSPACE(Py_UCS4 character)

cdef Secret secret = read_secret(SECRET)

cdef enum:
    LEAST, MOST, MEAN, NAMED, FIRST, FIELDS
    MOST_LETTERS = 64  # of a known word

cdef struct Sums:
    # Of the words of an attribute.
    double least
    double most
    double sum
    int64_t named
    Py_ssize_t words


cdef inline bint is_lower(uint32_t character) noexcept nogil:
    return c'a' <= character <= c'z'


cdef inline bint is_upper(uint32_t character) noexcept nogil:
    return c'A' <= character <= c'Z'


cdef uint64_t number_of_first(const Character* text, Py_ssize_t size) noexcept nogil:
    """Return the number of the first class, its digits dropped."""
    cdef uint64_t key = secret.first
    cdef Py_ssize_t place = 0
    while place < size and Py_UNICODE_ISSPACE(text[place]):
        place += 1
    while place < size and not Py_UNICODE_ISSPACE(text[place]):
        if not c'0' <= text[place] <= c'9':
            key = joined(key, text[place], secret)
        place += 1
    return key >> 16  # a double holds 53 bits


cdef class Words:
    """What is known of each word: its value, and the groups that have it, a bit each."""

    cdef Strings known
    cdef double[::1] values
    cdef int64_t[::1] named
    cdef Py_ssize_t longest

    def __init__(self, words, values, named):
        """*words* are in lower case, letters of ASCII only; there is one at least."""
        self.values = np.array(values, dtype=np.float64)
        self.named = np.array(named, dtype=np.int64)
        self.longest = min(max(map(len, words)), MOST_LETTERS)
        for word in words:
            number_of(&self.known, word.encode("ascii"), len(word), secret)

    def __dealloc__(self):
        free_strings(&self.known)

    cdef void add(
        self, const Character* text, Py_ssize_t start, Py_ssize_t stop, Sums* sums
    ) noexcept nogil:
        """Add a word of an attribute, if it has two letters or more."""
        if stop - start < 2:
            return
        sums.words += 1
        if stop - start > self.longest:
            return
        cdef char[MOST_LETTERS] word
        cdef Py_ssize_t place
        for place in range(stop - start):
            word[place] = <char>(text[start + place] | 32)
        cdef int32_t number = find_number(&self.known, word, stop - start, secret)
        if number < 0:
            return
        sums.named |= self.named[number]
        sums.sum += self.values[number]
        sums.least = min(sums.least, self.values[number])
        sums.most = max(sums.most, self.values[number])

    cdef Sums read(self, const Character* text, Py_ssize_t size) noexcept nogil:
        cdef Sums sums = Sums(0.0, 0.0, 0.0, 0, 0)
        cdef Py_ssize_t place = 0
        cdef Py_ssize_t start, capitals
        while place < size:
            start = place
            while place < size and is_upper(text[place]):
                place += 1
            capitals = place - start
            if place < size and is_lower(text[place]):
                if capitals > 1:  # the last one begins a word of small letters
                    self.add(text, start, place - 1, &sums)
                start = place - min(capitals, 1)
                while place < size and is_lower(text[place]):
                    place += 1
            self.add(text, start, place, &sums)
            while place < size and not (is_upper(text[place]) or is_lower(text[place])):
                place += 1
        return sums

    cdef void write(
        self, const Character* text, Py_ssize_t size, double[:, ::1] rows, Py_ssize_t column
    ) noexcept nogil:
        cdef Sums sums = self.read(text, size)
        rows[LEAST, column], rows[MOST, column] = sums.least, sums.most
        rows[MEAN, column] = sums.sum / max(sums.words, 1)
        rows[NAMED, column] = <double>sums.named
        rows[FIRST, column] = <double>number_of_first(text, size)

    def meanings(self, strings):
        """Return what attributes say: a row a field of ``Meaning``, a column a string."""
        found = np.empty((FIELDS, len(strings)))
        cdef double[:, ::1] rows = found
        cdef str string
        cdef Py_ssize_t column
        cdef int width
        for column, string in enumerate(strings):
            width = PyUnicode_KIND(string)
            if width == 1:
                self.write(<const uint8_t*>PyUnicode_DATA(string), len(string), rows, column)
            elif width == 2:
                self.write(<const uint16_t*>PyUnicode_DATA(string), len(string), rows, column)
            else:
                self.write(<const uint32_t*>PyUnicode_DATA(string), len(string), rows, column)
        return found
