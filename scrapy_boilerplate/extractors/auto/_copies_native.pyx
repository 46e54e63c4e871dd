"""The compiled loops of :mod:`scrapy_boilerplate.extractors.auto.copies`."""

from libc.math cimport log1p
from libc.stdint cimport int32_t, uint8_t, uint16_t, uint32_t, uint64_t
from libc.stdlib cimport free

import numpy as np

from scrapy_boilerplate.page._buffer cimport Buffer, add_to
from scrapy_boilerplate.page._characters cimport (
    IDEOGRAPH,
    LETTER,
    MARK,
    SPACE,
    TABLE_SIZE,
    Character,
    PyUnicode_DATA,
    PyUnicode_KIND,
    class_of,
)
from scrapy_boilerplate.page._checks cimport check_sizes, check_slices
from scrapy_boilerplate.page._keys cimport Secret, joined, number_keys, read_secret
from scrapy_boilerplate.page.native import SECRET

cdef Secret secret = read_secret(SECRET)

cdef enum:
    BEFORE, AFTER, SINCE, UNTIL, STARTS_BEFORE, STARTS_AFTER, PHRASES_BEFORE, PHRASES_AFTER, ROWS
    PHRASE = 4  # a power of two, as in the twin


cdef struct Packed:
    # A row of characters: the key of those that filled numbers, and the number at hand.
    uint64_t key
    uint64_t bits
    int filled


cdef inline void pack(Packed* row, Character character) noexcept nogil:
    """Add a character; eight, four or two of them make a number, by their size."""
    row.bits |= <uint64_t>character << row.filled
    row.filled += 8 * sizeof(Character)
    if row.filled == 64:
        row.key = joined(row.key, row.bits, secret)
        row.bits = row.filled = 0


cdef inline uint64_t key_of(const Packed* row) noexcept nogil:
    """Return the key of a row; none of its characters is 0, so it tells how many there are."""
    return joined(row.key, row.bits, secret)


cdef class _Keys:
    """Numbers that stand for the texts of a page: equal numbers, equal texts."""

    cdef uint64_t[::1] wholes
    """By block."""
    cdef uint64_t[::1] beginnings
    """By block; the number of a block that is shorter is its own."""
    cdef Buffer phrases
    """In their order on the page."""
    cdef Py_ssize_t[::1] stops
    """Phrases up to the end of each block."""
    cdef uint64_t[PHRASE] words
    """The last words of the block at hand."""

    def __cinit__(self, Py_ssize_t blocks):
        self.wholes = np.empty(blocks, dtype=np.uint64)
        self.beginnings = np.arange(blocks, dtype=np.uint64)
        self.stops = np.empty(blocks, dtype=np.intp)

    def __dealloc__(self):
        free(self.phrases.data)

    cdef Py_ssize_t count(self) noexcept nogil:
        """Return how many phrases there are by now."""
        return self.phrases.size // sizeof(uint64_t)

    cdef inline int add_word(self, uint64_t word, Py_ssize_t number) except -1 nogil:
        """Add a word, the *number*-th of its block, and the phrase that ends with it."""
        cdef uint64_t key = secret.first
        cdef int back
        self.words[number % PHRASE] = word
        if number < PHRASE - 1:
            return 0
        for back in range(1, PHRASE + 1):
            key = joined(key, self.words[(number + back) % PHRASE], secret)
        (<uint64_t*>add_to(&self.phrases, sizeof(uint64_t)))[0] = key
        return 0


cdef int read_keys(
    const Character* text,
    const uint8_t* classes,
    const int32_t[::1] start,
    const int32_t[::1] stop,
    int beginning,
    _Keys keys,
) except -1 nogil:
    """Read the blocks of a page."""
    cdef Py_ssize_t block, place, visible, words
    cdef Packed whole, word
    cdef uint8_t kind
    cdef bint in_word
    cdef Packed none = Packed(secret.first, 0, 0)
    for block in range(start.shape[0]):
        whole = word = none
        visible = words = 0
        in_word = False
        for place in range(start[block], stop[block]):
            kind = class_of(text[place], classes)
            if kind == LETTER or kind == MARK:
                pack(&word, text[place])
                in_word = True
            else:
                if in_word:
                    keys.add_word(key_of(&word), words)
                    words += 1
                    word = none
                    in_word = False
                if kind == SPACE:
                    continue
                if kind == IDEOGRAPH:
                    pack(&word, text[place])
                    keys.add_word(key_of(&word), words)
                    words += 1
                    word = none
            visible += 1
            pack(&whole, text[place])
            if visible == beginning:
                keys.beginnings[block] = key_of(&whole)
        if in_word:
            keys.add_word(key_of(&word), words)
        keys.wholes[block], keys.stops[block] = key_of(&whole), keys.count()
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
    check_sizes(phrase, PHRASE)
    check_sizes(table.shape[0], TABLE_SIZE)
    check_slices(starts, stops, len(text))
    cdef Py_ssize_t size = starts.shape[0]
    cdef const void* data = PyUnicode_DATA(text)
    cdef int width = PyUnicode_KIND(text)
    cdef _Keys keys = _Keys(size)
    with nogil:
        if width == 1:
            read_keys(<const uint8_t*>data, &table[0], starts, stops, beginning, keys)
        elif width == 2:
            read_keys(<const uint16_t*>data, &table[0], starts, stops, beginning, keys)
        else:
            read_keys(<const uint32_t*>data, &table[0], starts, stops, beginning, keys)
    found = np.empty((ROWS, size), dtype=np.float32)
    if not size:
        return found
    cdef float[:, ::1] rows = found
    add_copies(keys.wholes, farthest, rows[BEFORE:])
    count_equal(keys.beginnings, rows[STARTS_BEFORE:])
    add_phrases(keys, rows[PHRASES_BEFORE:])
    return found


cdef int32_t[::1] count_equal(const uint64_t[::1] keys, float[:, ::1] rows):
    """Count equal keys before and behind each, in two rows; return a number for each key."""
    cdef Py_ssize_t size = keys.shape[0]
    cdef int32_t[::1] number = np.empty(size, dtype=np.int32)
    cdef int32_t[::1] seen = np.zeros(
        number_keys(&keys[0], size, &number[0], secret), dtype=np.int32
    )
    cdef Py_ssize_t block
    for block in range(size):
        rows[0, block] = <float>log1p(seen[number[block]])
        seen[number[block]] += 1
    for block in range(size):
        seen[number[block]] -= 1
        rows[1, block] = <float>log1p(seen[number[block]])
    return number


cdef int add_copies(const uint64_t[::1] keys, int farthest, float[:, ::1] rows) except -1:
    """Count equal keys before and behind each, and the blocks to the next ones."""
    cdef int32_t[::1] number = count_equal(keys, rows)
    cdef int32_t[::1] last = np.full(keys.shape[0], -1, dtype=np.int32)  # block, by number
    cdef Py_ssize_t block
    cdef int32_t before
    for block in range(keys.shape[0]):
        before = last[number[block]]
        rows[SINCE, block] = rows[UNTIL, block] = -1
        if before >= 0:
            rows[SINCE, block] = rows[UNTIL, before] = min(<int>block - before, farthest)
        last[number[block]] = <int32_t>block
    return 0


cdef int add_phrases(_Keys keys, float[:, ::1] rows) except -1:
    """Work out the shares of each block's phrases that blocks before and behind it have."""
    cdef Py_ssize_t start = 0
    cdef Py_ssize_t block, place, before, after
    cdef int32_t[::1] number = np.empty(max(keys.count(), 1), dtype=np.int32)
    cdef int32_t different = number_keys(
        <const uint64_t*>keys.phrases.data, keys.count(), &number[0], secret
    )
    cdef Py_ssize_t[::1] first = np.full(different, rows.shape[1], dtype=np.intp)  # block, by number
    cdef Py_ssize_t[::1] last = np.empty(different, dtype=np.intp)
    for block in range(rows.shape[1]):
        for place in range(start, keys.stops[block]):
            first[number[place]] = min(first[number[place]], block)
            last[number[place]] = block
        start = keys.stops[block]
    start = 0
    for block in range(rows.shape[1]):
        before = after = 0
        for place in range(start, keys.stops[block]):
            before += first[number[place]] < block
            after += last[number[place]] > block
        place = keys.stops[block] - start
        rows[0, block] = <float>(<double>before / place) if place else -1
        rows[1, block] = <float>(<double>after / place) if place else -1
        start = keys.stops[block]
    return 0
