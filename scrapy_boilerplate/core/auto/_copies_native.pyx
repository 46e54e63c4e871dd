"""Finds texts that stand on a page more than once: quoted posts, slides, menus for small screens.

People who mark the content of a page usually mark such a text once, where it stands first. White
space does not count; words are those of ``count_slices``.
"""

from libc.math cimport log1p
from libc.stdint cimport int32_t, uint8_t, uint16_t, uint32_t, uint64_t
from libc.stdlib cimport free
from libc.string cimport memcpy, memset

import numpy as np

from scrapy_boilerplate.core._buffer cimport Buffer, add_to
from scrapy_boilerplate.core.page._characters cimport (
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
from scrapy_boilerplate.core.page._keys cimport Secret, joined, mix, number_spread_keys, read_secret
from scrapy_boilerplate.core.page._room cimport Room, free_all, take_unset
from scrapy_boilerplate.core.secret import SECRET

cdef Secret secret = read_secret(SECRET)

COPIES = (
    # Blocks of the same text before and behind, as log(1 + n) …
    *("copies_before", "copies_after"),
    # … how many blocks away the next of them is, −1 if there is none …
    *("since_copy", "until_copy"),
    # … blocks that begin alike …
    *("starts_before", "starts_after"),
    # … and the share of a block's phrases that blocks before or behind it have, too; −1 for none.
    *("phrases_before", "phrases_after"),
)
"""Names of the rows of ``copies``."""

cdef enum:
    BEFORE, AFTER, SINCE, UNTIL, STARTS_BEFORE, STARTS_AFTER, PHRASES_BEFORE, PHRASES_AFTER, ROWS
    START = 20  # visible characters in which blocks that begin alike agree
    PHRASE = 4  # words, a power of two
    FARTHEST = 200  # blocks that a copy may be away
    BYTES = 8  # of a number

cdef uint64_t[PHRASE] factors  # odd, and known to this process only
cdef uint64_t[BYTES] first_bytes  # flags of so many
cdef int _number
for _number in range(PHRASE):
    factors[_number] = mix(secret.first + <uint64_t>_number) | 1
for _number in range(BYTES):
    memset(&first_bytes[_number], 0, BYTES)
    memset(&first_bytes[_number], 0xFF, _number)


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


cdef inline uint64_t key_of_word(
    const Character* word, const Character* end, const Character* end_of_text
) noexcept nogil:
    """Return the key of the characters before *end*, which are read eight, four or two at once."""
    cdef Py_ssize_t step = BYTES // sizeof(Character)
    cdef uint64_t key = secret.first
    cdef uint64_t bits = 0
    while end - word >= step:
        memcpy(&bits, word, BYTES)
        key = joined(key, bits, secret)
        word += step
    if end_of_text - word >= step:
        memcpy(&bits, word, BYTES)
        bits &= first_bytes[(end - word) * sizeof(Character)]
    else:
        bits = 0
        memcpy(&bits, word, (end - word) * sizeof(Character))
    return joined(key, bits, secret)


cdef inline bint is_of_word(uint8_t kind) noexcept nogil:
    return kind == LETTER or kind == MARK


cdef class _Keys:
    """Numbers that stand for the texts of a page: equal numbers, equal texts."""

    cdef Room room
    cdef Py_ssize_t blocks
    cdef uint64_t* wholes  # by block
    cdef uint64_t* beginnings  # by block; that of a shorter one is its own
    cdef size_t* stops  # phrases up to the end of each block
    cdef int32_t* number  # of each block's key
    cdef int32_t* seen  # how often, by number
    cdef Buffer phrases  # their keys, in order

    def __cinit__(self, Py_ssize_t blocks):
        self.blocks = blocks
        self.wholes = <uint64_t*>take_unset(&self.room, 2 * blocks, sizeof(uint64_t))
        self.beginnings = self.wholes + blocks
        self.stops = <size_t*>take_unset(&self.room, blocks, sizeof(size_t))
        self.number = <int32_t*>take_unset(&self.room, 2 * blocks, sizeof(int32_t))
        self.seen = self.number + blocks

    def __dealloc__(self):
        free_all(&self.room)
        free(self.phrases.data)

    cdef inline size_t count(self) noexcept nogil:
        """Return how many phrases there are by now."""
        return self.phrases.size // sizeof(uint64_t)

    cdef inline int add_phrase(self, const uint64_t* words, Py_ssize_t last) except -1 nogil:
        """Add the phrase of the last *words*, which is their sum with secret factors."""
        cdef uint64_t key = 0
        cdef int place
        for place in range(PHRASE):
            key += factors[place] * words[(last + 1 + place) % PHRASE]
        (<uint64_t*>add_to(&self.phrases, sizeof(uint64_t)))[0] = key
        return 0

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
    _Keys keys,
) except -1 nogil:
    cdef Py_ssize_t block, visible
    for block in range(keys.blocks):
        visible = read_words(text + start[block], text + stop[block], text + length, classes, keys)
        keys.stops[block] = keys.count()
        keys.wholes[block] = key_of_visible(text + start[block], text + stop[block], classes, START)
        if visible < START:
            keys.beginnings[block] = mix(secret.first ^ <uint64_t>block)
        else:
            keys.beginnings[block] = keys.wholes[block]
            keys.wholes[block] = joined(keys.beginnings[block], <uint64_t>visible, secret)
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


cdef Py_ssize_t read_words(
    const Character* text,
    const Character* end,
    const Character* end_of_text,
    const uint8_t* classes,
    _Keys keys,
) except -1 nogil:
    """Add the phrases of a block, and return how many visible characters it has."""
    cdef uint64_t[PHRASE] words
    cdef const Character* first
    cdef Py_ssize_t number = 0
    cdef Py_ssize_t visible = 0
    cdef uint8_t kind
    while text < end:
        first, kind = text, class_of(text[0], classes)
        text += 1
        if kind == SPACE:
            continue
        if is_of_word(kind):
            while text < end and is_of_word(class_of(text[0], classes)):
                text += 1
        visible += text - first
        if kind == SYMBOL:
            continue
        words[number % PHRASE] = key_of_word(first, text, end_of_text)
        if number >= PHRASE - 1:
            keys.add_phrase(words, number)
        number += 1
    return visible


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
):
    """Return the :data:`COPIES` of blocks, slices of a page's *text*; *table* is ``class_table()``."""
    check_sizes(table.shape[0], TABLE_SIZE)
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
            read_keys(<const uint8_t*>data, length, &table[0], starts, stops, keys)
        elif width == 2:
            read_keys(<const uint16_t*>data, length, &table[0], starts, stops, keys)
        else:
            read_keys(<const uint32_t*>data, length, &table[0], starts, stops, keys)
        count_equal(keys, keys.wholes, row + BEFORE * size, row + AFTER * size)
        find_copies(keys, row + SINCE * size, row + UNTIL * size)
        count_equal(keys, keys.beginnings, row + STARTS_BEFORE * size, row + STARTS_AFTER * size)
        share_phrases(keys, row + PHRASES_BEFORE * size, row + PHRASES_AFTER * size)
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


cdef int share_phrases(_Keys keys, float* before, float* after) except -1 nogil:
    """Work out the shares of each block's phrases that blocks before and behind it have."""
    cdef size_t count = keys.count()
    cdef size_t place
    cdef size_t start = 0
    cdef Py_ssize_t block
    cdef int32_t earlier, later
    cdef int32_t* number = <int32_t*>take_unset(&keys.room, count, sizeof(int32_t))
    cdef int32_t different = number_spread_keys(<const uint64_t*>keys.phrases.data, count, number)
    # The first and the last block with a phrase, by its number.
    cdef int32_t* first = <int32_t*>take_unset(&keys.room, 2 * different, sizeof(int32_t))
    cdef int32_t* last = first + different
    different = 0
    for block in range(keys.blocks):
        for place in range(start, keys.stops[block]):
            if number[place] == different:  # they are counted from 0 in their order
                first[different] = <int32_t>block
                different += 1
            last[number[place]] = <int32_t>block
        start = keys.stops[block]
    start = 0
    for block in range(keys.blocks):
        earlier = later = 0
        for place in range(start, keys.stops[block]):
            earlier += first[number[place]] < block
            later += last[number[place]] > block
        count = keys.stops[block] - start
        before[block] = <float>(<double>earlier / count) if count else -1
        after[block] = <float>(<double>later / count) if count else -1
        start = keys.stops[block]
    return 0
