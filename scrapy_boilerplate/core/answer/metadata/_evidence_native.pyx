"""The compiled loops of metadata: words that are looked up, and years."""

from libc.stdint cimport int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t

import numpy as np

from scrapy_boilerplate.core.page._characters cimport Character, PyUnicode_DATA, PyUnicode_KIND
from scrapy_boilerplate.core.page._checks cimport check_slices, check_span
from scrapy_boilerplate.core.page._keys cimport Secret, joined, place_of, read_secret, room_for
from scrapy_boilerplate.core.secret import SECRET

cdef extern from "Python.h" nogil:
    bint Py_UNICODE_ISSPACE(Py_UCS4 character)
    bint Py_UNICODE_ISALNUM(Py_UCS4 character)
    bint Py_UNICODE_ISDECIMAL(Py_UCS4 character)
    Py_UCS4 Py_UNICODE_TOLOWER(Py_UCS4 character)

cdef Secret secret = read_secret(SECRET)

cdef enum:
    OTHER_SCRIPTS = 0x590  # from Hebrew on …
    PUNCTUATION = 0x2000  # … without quotation marks and dashes
    SYMBOLS = 0x2100


cdef inline uint32_t lower(uint32_t character) noexcept nogil:
    if character < 128:
        return character | 32 if c"A" <= character <= c"Z" else character
    return Py_UNICODE_TOLOWER(character)


cdef inline bint is_digit(uint32_t character) noexcept nogil:
    return c"0" <= character <= c"9"


cdef inline bint is_of_word(uint32_t character) noexcept nogil:
    if character < 128:
        return (
            c"a" <= (character | 32) <= c"z" or c"0" <= character <= c"9" or character == c"_"
        )
    return Py_UNICODE_ISALNUM(character)


cdef class Words:
    """What is known of words whatever their case: bits of a number."""

    cdef uint64_t[::1] keys
    """Where a word stands in a table; 0 where none does."""
    cdef int64_t[::1] bits
    cdef Py_ssize_t longest

    def __init__(self, words):
        """*words* are in lower case, with their bits."""
        cdef Py_ssize_t room = room_for(len(words))
        self.keys = np.zeros(room, dtype=np.uint64)
        self.bits = np.full(room, -1, dtype=np.int64)
        self.longest = max(map(len, words), default=0)
        cdef uint64_t key
        cdef Py_ssize_t slot
        cdef uint32_t[::1] letters
        for word, bits in words.items():
            letters = np.array([*map(ord, word)], dtype=np.uint32)
            key = self.key_of(&letters[0], 0, len(word))
            slot = place_of(self.keys, key, secret)
            self.keys[slot], self.bits[slot] = key, bits

    cdef uint64_t key_of(
        self, const Character* text, Py_ssize_t start, Py_ssize_t stop
    ) noexcept nogil:
        """Return the key of a word; it is never 0."""
        cdef uint64_t key = secret.first
        cdef uint64_t letters = 0
        cdef Py_ssize_t place
        for place in range(start, stop):
            letters = letters << 21 | lower(text[place])
            if (place - start) % 3 == 2:
                key, letters = joined(key, letters, secret), 0
        return joined(key, letters, secret) | 1

    cdef int64_t find(
        self, const Character* text, Py_ssize_t start, Py_ssize_t stop
    ) noexcept nogil:
        """Return the bits of a word, −1 if it is not known."""
        if not 0 < stop - start <= self.longest:
            return -1
        return self.bits[place_of(self.keys, self.key_of(text, start, stop), secret)]

    def of_names(self, list names not None):
        """Return the bits of the parts of each class or id.

        Parts end at white space, "-" and "_". One that has the bit 1 may have other bits together
        with the next one, behind a "-".
        """
        found = np.empty(len(names), dtype=np.int64)
        cdef int64_t[::1] bits = found
        cdef Py_ssize_t number
        cdef str name
        cdef int kind
        for number, name in enumerate(names):
            kind = PyUnicode_KIND(name)
            if kind == 1:
                bits[number] = self.of_name(<const uint8_t*>PyUnicode_DATA(name), len(name))
            elif kind == 2:
                bits[number] = self.of_name(<const uint16_t*>PyUnicode_DATA(name), len(name))
            else:
                bits[number] = self.of_name(<const uint32_t*>PyUnicode_DATA(name), len(name))
        return found

    cdef int64_t of_name(self, const Character* name, Py_ssize_t size) noexcept nogil:
        cdef Py_ssize_t begin = 0, previous = 0, at
        cdef int64_t bits = 0, last = 0, known, both
        for at in range(size + 1):
            if at < size and name[at] != c"-" and name[at] != c"_" and not Py_UNICODE_ISSPACE(
                name[at]
            ):
                continue
            known = max(self.find(name, begin, at), 0)
            if last & 1:
                both = self.find(name, previous, at)
                known = known if both < 0 else both
            bits |= known
            last = known if at < size and name[at] == c"-" else 0
            previous, begin = begin, at + 1
        return bits

    def evident(
        self,
        str buffer not None,
        const int32_t[::1] starts not None,
        const int32_t[::1] stops not None,
        const int64_t[:, ::1] spans not None,
    ):
        """Return whether each span of text nodes may say who or when.

        One of its texts, slices of *buffer*, has one of the words, two digits, one behind an
        apostrophe, a sign that stands behind labels, or a letter of a script in which labels are
        no words.
        """
        check_slices(starts, stops, len(buffer))
        cdef const void* data = PyUnicode_DATA(buffer)
        cdef int kind = PyUnicode_KIND(buffer)
        cdef list found = []
        cdef bint is_one
        cdef Py_ssize_t row, at
        for row in range(spans.shape[0]):
            check_span(spans[row, 0], spans[row, 1], starts.shape[0])
            is_one = False
            for at in range(spans[row, 0], spans[row, 1]):
                if kind == 1:
                    is_one = self.is_evident(<const uint8_t*>data, starts[at], stops[at])
                elif kind == 2:
                    is_one = self.is_evident(<const uint16_t*>data, starts[at], stops[at])
                else:
                    is_one = self.is_evident(<const uint32_t*>data, starts[at], stops[at])
                if is_one:
                    break
            found.append(is_one)
        return found

    cdef bint is_evident(
        self, const Character* text, Py_ssize_t start, Py_ssize_t stop
    ) noexcept nogil:
        cdef Py_ssize_t begin = start, at
        cdef uint32_t before = 0, character
        for at in range(start, stop):
            character = text[at]
            if character >= OTHER_SCRIPTS and not PUNCTUATION <= character < SYMBOLS:
                return True
            if is_of_word(character):
                if is_digit(character) and (is_digit(before) or before in (c"'", 0x2019)):
                    return True
            elif character in (c":", c"/", c"[", c"\\") or self.find(text, begin, at) > 0:
                return True
            else:
                begin = at + 1
            before = character
        return self.find(text, begin, stop) > 0


def years_in(str buffer not None, Py_ssize_t start):
    """Return where years begin in a text from *start* on, such as 2025, ’25 and ٢٠٢٥."""
    cdef const void* data = PyUnicode_DATA(buffer)
    cdef int kind = PyUnicode_KIND(buffer)
    cdef list found = []
    if kind == 1:
        add_years(<const uint8_t*>data, max(start, 0), len(buffer), found)
    elif kind == 2:
        add_years(<const uint16_t*>data, max(start, 0), len(buffer), found)
    else:
        add_years(<const uint32_t*>data, max(start, 0), len(buffer), found)
    return np.array(found, dtype=np.int32)


cdef int add_years(const Character* text, Py_ssize_t at, Py_ssize_t stop, list found) except -1:
    cdef Py_ssize_t size
    while at < stop:
        size = size_of_year(text, at, stop)
        if size:
            found.append(at)
        at += size if size else 1
    return 0


cdef inline Py_ssize_t size_of_year(
    const Character* text, Py_ssize_t at, Py_ssize_t stop
) noexcept nogil:
    """Return the characters of a year, 0 where none begins."""
    cdef uint32_t first = text[at]
    cdef Py_ssize_t other
    if first == c"1" or first == c"2":
        if at + 3 < stop and text[at + 1] == (c"9" if first == c"1" else c"0") and (
            is_decimal(text[at + 2]) and is_decimal(text[at + 3])
        ):
            return 4
    elif first == c"'" or first == 0x2019:
        if at + 2 < stop and is_decimal(text[at + 1]) and is_decimal(text[at + 2]) and (
            at + 3 == stop or not is_decimal(text[at + 3])
        ):
            return 3
    elif is_arabic(first) and at + 3 < stop:
        for other in range(at + 1, at + 4):
            if not is_arabic(text[other]):
                return 0
        return 4
    return 0


cdef inline bint is_decimal(uint32_t character) noexcept nogil:
    return is_digit(character) if character < 128 else Py_UNICODE_ISDECIMAL(character)


cdef inline bint is_arabic(uint32_t character) noexcept nogil:
    return 0x660 <= character <= 0x669 or 0x6F0 <= character <= 0x6F9
