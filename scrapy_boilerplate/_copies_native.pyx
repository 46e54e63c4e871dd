# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""The compiled loops of :mod:`scrapy_boilerplate.extractors.auto.copies`."""

from libc.math cimport log1p
from libc.stdint cimport int32_t, uint8_t, uint16_t, uint32_t, uint64_t
from libc.stdlib cimport calloc, free, realloc

import numpy as np

from scrapy_boilerplate._shared cimport (
    Character, IDEOGRAPH, LETTER, MARK, PyUnicode_DATA, PyUnicode_KIND, SPACE, class_of, mix,
    number_keys,
)

cdef enum:
    BEFORE, AFTER, SINCE, UNTIL, STARTS_BEFORE, STARTS_AFTER, PHRASES_BEFORE, PHRASES_AFTER, ROWS
    PHRASE = 4  # a power of two, as in the twin

cdef uint64_t FACTOR = 0x9E3779B97F4A7C15


cdef struct Phrase:
    uint64_t key
    int32_t block
    int32_t first  # place of the first phrase that is equal …
    int32_t last  # … and block of the last one, known there


cdef class Keys:
    """Numbers that stand for the texts of a page: equal numbers, equal texts."""

    cdef uint64_t[::1] wholes
    """By block."""
    cdef uint64_t[::1] beginnings
    """By block; 0 if it is shorter."""
    cdef Phrase* phrases
    cdef Py_ssize_t count
    cdef Py_ssize_t room
    cdef uint64_t[PHRASE] words
    """The last words of the block at hand."""

    def __cinit__(self, Py_ssize_t blocks):
        self.wholes, self.beginnings = np.zeros((2, blocks), dtype=np.uint64)

    def __dealloc__(self):
        free(self.phrases)

    cdef inline int add_word(self, uint64_t word, Py_ssize_t number, Py_ssize_t block) except -1:
        """Add a word, the *number*-th of its block, and the phrase that ends with it."""
        cdef uint64_t key = 0
        cdef int back
        self.words[number % PHRASE] = mix(word)
        if number < PHRASE - 1:
            return 0
        if self.count == self.room:
            self._grow()
        for back in range(1, PHRASE + 1):
            key = key * FACTOR + self.words[(number + back) % PHRASE]
        self.phrases[self.count].key = mix(key)
        self.phrases[self.count].block = <int32_t>block
        self.count += 1
        return 0

    cdef int _grow(self) except -1:
        cdef Py_ssize_t room = 2 * self.room + 1024
        cdef void* phrases = realloc(self.phrases, room * sizeof(Phrase))
        if phrases is NULL:
            raise MemoryError()
        self.phrases, self.room = <Phrase*>phrases, room
        return 0


cdef int read_keys(
    const Character* text,
    const uint8_t* classes,
    const int32_t[::1] start,
    const int32_t[::1] stop,
    int beginning,
    Keys keys,
) except -1:
    """Read the blocks of a page."""
    cdef Py_ssize_t block, place, visible, words
    cdef uint64_t whole, word
    cdef uint8_t kind
    cdef bint in_word
    for block in range(start.shape[0]):
        whole = word = 0
        visible = words = 0
        in_word = False
        for place in range(start[block], stop[block]):
            kind = class_of(text[place], classes)
            if kind == LETTER or kind == MARK:
                word = (word if in_word else 0) * FACTOR + text[place] + 1
                in_word = True
            else:
                if in_word:
                    keys.add_word(word, words, block)
                    words += 1
                    in_word = False
                if kind == SPACE:
                    continue
                if kind == IDEOGRAPH:
                    keys.add_word(text[place] + 1, words, block)
                    words += 1
            visible += 1
            whole = (whole + text[place] + 1) * FACTOR
            if visible == beginning:
                keys.beginnings[block] = mix(whole) | 1
        if in_word:
            keys.add_word(word, words, block)
        keys.wholes[block] = whole
    return 0


def copies(
    str text not None,
    const uint8_t[::1] table not None,
    const int32_t[::1] starts not None,
    const int32_t[::1] stops not None,
    limits,
):
    """Return the rows of ``COPIES``; *limits* are those of the twin's module."""
    cdef int beginning, phrase, farthest
    beginning, phrase, farthest = limits
    assert phrase == PHRASE
    cdef Py_ssize_t size = starts.shape[0]
    cdef const void* data = PyUnicode_DATA(text)
    cdef int width = PyUnicode_KIND(text)
    cdef Keys keys = Keys(size)
    if width == 1:
        read_keys(<const uint8_t*>data, &table[0], starts, stops, beginning, keys)
    elif width == 2:
        read_keys(<const uint16_t*>data, &table[0], starts, stops, beginning, keys)
    else:
        read_keys(<const uint32_t*>data, &table[0], starts, stops, beginning, keys)
    found = np.empty((ROWS, size), dtype=np.float32)
    cdef float[:, ::1] rows = found
    add_copies(keys.wholes, farthest, rows[BEFORE:])
    add_starts(keys.beginnings, rows[STARTS_BEFORE:])
    add_phrases(keys, rows[PHRASES_BEFORE:])
    return found


cdef int add_copies(const uint64_t[::1] keys, int farthest, float[:, ::1] rows) except -1:
    """Count equal keys before and behind each, and the blocks to the next ones."""
    cdef Py_ssize_t size = keys.shape[0]
    cdef int32_t[::1] number = np.empty(size, dtype=np.int32)
    cdef int32_t different = number_keys(&keys[0], size, &number[0])
    cdef int32_t[::1] seen = np.zeros(different, dtype=np.int32)
    cdef int32_t[::1] last = np.full(different, -1, dtype=np.int32)
    cdef Py_ssize_t block
    cdef int32_t key
    for block in range(size):
        key = number[block]
        rows[BEFORE, block] = <float>log1p(seen[key])
        rows[SINCE, block] = min(<int>block - last[key], farthest) if last[key] >= 0 else -1
        rows[UNTIL, block] = -1
        if last[key] >= 0:
            rows[UNTIL, last[key]] = rows[SINCE, block]
        seen[key] += 1
        last[key] = <int32_t>block
    for block in range(size):
        key = number[block]
        seen[key] -= 1
        rows[AFTER, block] = <float>log1p(seen[key])
    return 0


cdef int add_starts(const uint64_t[::1] keys, float[:, ::1] rows) except -1:
    """Count equal keys before and behind each; 0 is none."""
    cdef Py_ssize_t size = keys.shape[0]
    cdef int32_t[::1] number = np.empty(size, dtype=np.int32)
    cdef int32_t[::1] seen = np.zeros(
        number_keys(&keys[0], size, &number[0]), dtype=np.int32
    )
    cdef Py_ssize_t block
    for block in range(size):
        rows[0, block] = <float>log1p(seen[number[block]]) if keys[block] else 0
        seen[number[block]] += 1
    for block in range(size):
        seen[number[block]] -= 1
        rows[1, block] = <float>log1p(seen[number[block]]) if keys[block] else 0
    return 0


cdef int add_phrases(Keys keys, float[:, ::1] rows) except -1:
    """Work out the shares of each block's phrases that blocks before and behind it have."""
    cdef Py_ssize_t blocks = rows.shape[1]
    cdef size_t room = 16
    cdef size_t slot
    cdef int32_t number, block
    cdef Phrase* phrases = keys.phrases
    cdef Phrase* first
    cdef int32_t[:, ::1] counts = np.zeros((3, blocks), dtype=np.int32)
    while room < <size_t>(2 * keys.count):
        room *= 2
    # Where each phrase came first, counted from 1; 0 where there is room.
    cdef int32_t* table = <int32_t*>calloc(room, sizeof(int32_t))
    if table is NULL:
        raise MemoryError()
    for number in range(<int32_t>keys.count):
        slot = phrases[number].key & (room - 1)
        while table[slot] and phrases[table[slot] - 1].key != phrases[number].key:
            slot = (slot + 1) & (room - 1)
        if not table[slot]:
            table[slot] = number + 1
        phrases[number].first = table[slot] - 1
        phrases[table[slot] - 1].last = phrases[number].block
    free(table)
    for number in range(<int32_t>keys.count):
        block = phrases[number].block
        first = phrases + phrases[number].first
        counts[0, block] += 1
        counts[1, block] += first.block < block
        counts[2, block] += first.last > block
    for block in range(<int32_t>blocks):
        rows[0, block] = rows[1, block] = -1
        if counts[0, block]:
            rows[0, block] = <float>(<double>counts[1, block] / counts[0, block])
            rows[1, block] = <float>(<double>counts[2, block] / counts[0, block])
    return 0
