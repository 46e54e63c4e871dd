"""A table of words that are looked for in texts, by keys that are made as their letters are read."""

from libc.stdint cimport uint32_t, uint64_t

from scrapy_boilerplate.core.page._keys cimport Secret, joined

cdef extern from "Python.h" nogil:
    bint Py_UNICODE_ISSPACE(Py_UCS4 character)

cdef enum:
    BITS = 21  # of a code point; three fit a number


cdef struct Word:
    # A word of which some letters were read.
    uint64_t key
    uint64_t letters  # those that are not in the key yet, with a one before them


cdef inline void begin(Word* word, Secret secret) noexcept nogil:
    """Begin a word."""
    word.key, word.letters = secret.first, 1


cdef inline void spell(Word* word, uint32_t letter, Secret secret) noexcept nogil:
    """Add a letter to a word."""
    word.letters = word.letters << BITS | letter
    if word.letters >> (2 * BITS):
        word.key, word.letters = joined(word.key, word.letters, secret), 1


cdef inline uint64_t key_of(Word* word, Secret secret) noexcept nogil:
    """Return the key of a word, which is never 0."""
    return joined(word.key, word.letters, secret) | 1


cdef inline uint64_t key_of_text(str text, Secret secret):
    """Return the key of a word that is a text of its own."""
    cdef Word word
    cdef Py_UCS4 letter
    begin(&word, secret)
    for letter in text:
        spell(&word, letter, secret)
    return key_of(&word, secret)


cdef inline size_t room_for(Py_ssize_t words) noexcept nogil:
    """Return the size of a table of so many words, a power of two."""
    cdef size_t room = 16
    while room < <size_t>(4 * words):
        room *= 2
    return room


cdef inline size_t place_of(const uint64_t* keys, size_t room, uint64_t key) noexcept nogil:
    """Return where *key* stands in a table, or would stand: where there is 0."""
    cdef size_t place = (key >> 1) & (room - 1)
    while keys[place] and keys[place] != key:
        place = (place + 1) & (room - 1)
    return place


cdef inline bint is_space(uint32_t character) noexcept nogil:
    """Tell what white space is, mostly at a glance."""
    if character > 0x20 and character < 0x7F:
        return False
    return Py_UNICODE_ISSPACE(character)
