"""Finds texts that stand on a page more than once: quoted posts, slides, menus for small screens.

People who mark the content of a page usually mark such a text once, where it stands first. White
space does not count.
"""

from libc.math cimport log1p
from libc.stdint cimport int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t
from libc.string cimport memset

import numpy as np

from scrapy_boilerplate.core.page._characters cimport (
    SPACE,
    TABLE_SIZE,
    Character,
    PyUnicode_DATA,
    PyUnicode_KIND,
    class_of,
)
from scrapy_boilerplate.core.page._checks cimport check_sizes, check_slices
from scrapy_boilerplate.core.page._keys cimport Secret, joined, mix, number_spread_keys, read_secret
from scrapy_boilerplate.core.page._room cimport Room, free_all, take_unset
from scrapy_boilerplate.core.secret import SECRET

cdef Secret secret = read_secret(SECRET)

COPIES = (
    # Blocks of the same text before and behind, as log(1 + n) …
    *("copies_before", "copies_after"),
    # … how many blocks away the next of them is, −1 if there is none …
    *("since_copy", "until_copy"),
    # … and blocks that begin alike.
    *("starts_before", "starts_after"),
)
"""Names of the rows of ``copies``."""

cdef enum:
    BEFORE, AFTER, SINCE, UNTIL, STARTS_BEFORE, STARTS_AFTER, ROWS
    START = 20  # visible characters in which blocks that begin alike agree
    FARTHEST = 200  # blocks that a copy may be away
    BYTES = 8  # of a number

cdef struct Packed:
    # A row of characters: the key of those that filled numbers, and the number at hand.
    uint64_t key
    uint64_t bits
    int filled


cdef inline void pack(Packed* row, Character character) noexcept nogil:
    """Add a character; eight, four or two of them make a number, by their size."""
    row.bits |= <uint64_t>character << row.filled
    row.filled += 8 * sizeof(Character)
    if row.filled == 8 * BYTES:
        row.key = joined(row.key, row.bits, secret)
        row.bits = row.filled = 0


cdef inline uint64_t key_of(const Packed* row) noexcept nogil:
    """Return the key of a row; none of its characters is 0, so it tells how many there are."""
    return joined(row.key, row.bits, secret)


cdef class _Keys:
    """Numbers that stand for the texts of a page: equal numbers, equal texts."""

    cdef Room room
    cdef Py_ssize_t blocks
    cdef uint64_t* wholes  # by block
    cdef uint64_t* beginnings  # by block; that of a shorter one is its own
    cdef int32_t* number  # of each block's key
    cdef int32_t* seen  # how often, by number

    def __cinit__(self, Py_ssize_t blocks):
        self.blocks = blocks
        self.wholes = <uint64_t*>take_unset(&self.room, 2 * blocks, sizeof(uint64_t))
        self.beginnings = self.wholes + blocks
        self.number = <int32_t*>take_unset(&self.room, 2 * blocks, sizeof(int32_t))
        self.seen = self.number + blocks

    def __dealloc__(self):
        free_all(&self.room)

    cdef int number_blocks(self, const uint64_t* keys) except -1 nogil:
        """Number the blocks by their *keys*, none of which was seen so far."""
        cdef int32_t different = number_spread_keys(keys, self.blocks, self.number)
        memset(self.seen, 0, different * sizeof(int32_t))
        return 0


cdef int read_keys(
    const Character* text,
    Py_ssize_t length,
    const uint8_t* classes,
    const int32_t[::1] start,
    const int32_t[::1] stop,
    const int64_t[::1] visible,
    _Keys keys,
) except -1 nogil:
    cdef Py_ssize_t block
    for block in range(keys.blocks):
        keys.wholes[block] = key_of_visible(text + start[block], text + stop[block], classes, START)
        if visible[block] < START:
            keys.beginnings[block] = mix(secret.first ^ <uint64_t>block)
        else:
            keys.beginnings[block] = keys.wholes[block]
            keys.wholes[block] = joined(keys.beginnings[block], <uint64_t>visible[block], secret)
    # Few are as long as another one that begins alike: these are read to the end.
    keys.number_blocks(keys.wholes)
    for block in range(keys.blocks):
        keys.seen[keys.number[block]] += 1
    for block in range(keys.blocks):
        if keys.seen[keys.number[block]] > 1:
            keys.wholes[block] = key_of_visible(
                text + start[block], text + stop[block], classes, length
            )
    return 0


cdef uint64_t key_of_visible(
    const Character* text, const Character* end, const uint8_t* classes, Py_ssize_t most
) noexcept nogil:
    """Return the key of a block without white space, of *most* characters at most."""
    cdef Packed row = Packed(secret.first, 0, 0)
    while text < end and most:
        if class_of(text[0], classes) != SPACE:
            pack(&row, text[0])
            most -= 1
        text += 1
    return key_of(&row)


def copies(
    str text not None,
    const uint8_t[::1] table not None,
    const int32_t[::1] starts not None,
    const int32_t[::1] stops not None,
    const int64_t[::1] visible not None,
):
    """Return the :data:`COPIES` of blocks, slices of a page's *text*; *table* is ``class_table()``.

    So many characters of each are *visible*.
    """
    check_sizes(table.shape[0], TABLE_SIZE)
    check_sizes(visible.shape[0], starts.shape[0])
    check_slices(starts, stops, len(text))
    cdef Py_ssize_t size = starts.shape[0]
    cdef const void* data = PyUnicode_DATA(text)
    cdef int width = PyUnicode_KIND(text)
    cdef _Keys keys = _Keys(size)
    cdef Py_ssize_t length = len(text)
    found = np.empty((ROWS, size), dtype=np.float32)
    if not size:
        return found
    cdef float[:, ::1] rows = found
    cdef float* row = &rows[0, 0]
    with nogil:
        if width == 1:
            read_keys(<const uint8_t*>data, length, &table[0], starts, stops, visible, keys)
        elif width == 2:
            read_keys(<const uint16_t*>data, length, &table[0], starts, stops, visible, keys)
        else:
            read_keys(<const uint32_t*>data, length, &table[0], starts, stops, visible, keys)
        count_equal(keys, keys.wholes, row + BEFORE * size, row + AFTER * size)
        find_copies(keys, row + SINCE * size, row + UNTIL * size)
        count_equal(keys, keys.beginnings, row + STARTS_BEFORE * size, row + STARTS_AFTER * size)
    return found


cdef inline float log_of(int32_t others) noexcept nogil:
    """Return log(1 + n); most blocks have no others."""
    return <float>log1p(others) if others else 0


cdef int count_equal(
    _Keys keys, const uint64_t* key, float* before, float* after
) except -1 nogil:
    """Number the blocks, and count those of the same key before and behind each."""
    cdef Py_ssize_t block
    keys.number_blocks(key)
    for block in range(keys.blocks):
        before[block] = log_of(keys.seen[keys.number[block]])
        keys.seen[keys.number[block]] += 1
    for block in range(keys.blocks):
        keys.seen[keys.number[block]] -= 1
        after[block] = log_of(keys.seen[keys.number[block]])
    return 0


cdef void find_copies(_Keys keys, float* since, float* until) noexcept nogil:
    """Find how far the next blocks of the same number are, before and behind each."""
    cdef int32_t* last = keys.seen  # from 1, by number; all are 0 once they are counted
    cdef Py_ssize_t block
    cdef int32_t before
    for block in range(keys.blocks):
        before = last[keys.number[block]] - 1
        since[block] = until[block] = -1
        if before >= 0:
            since[block] = until[before] = min(<int>block - before, <int>FARTHEST)
        last[keys.number[block]] = <int32_t>block + 1
