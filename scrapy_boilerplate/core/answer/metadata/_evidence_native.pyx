"""The compiled loops of metadata: words that are looked up, what is around elements, and years."""

from libc.stdint cimport int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t

import numpy as np

from scrapy_boilerplate.core.page._characters cimport (
    PyUnicode_DATA,
    PyUnicode_KIND,
    PyUnicode_READ,
)
from scrapy_boilerplate.core.page._checks cimport check_sizes, check_slices, check_span
from scrapy_boilerplate.core.page._keys cimport Secret, read_secret
from scrapy_boilerplate.core.page._strings cimport (
    Strings,
    find_number,
    free_strings,
    number_of,
)
from scrapy_boilerplate.core.secret import SECRET

cdef Secret secret = read_secret(SECRET)

cdef extern from "Python.h":
    bint Py_UNICODE_ISSPACE(Py_UCS4 character)
    bint Py_UNICODE_ISALNUM(Py_UCS4 character)
    bint Py_UNICODE_ISDECIMAL(Py_UCS4 character)

cdef enum:
    OTHER_SCRIPTS = 0x590  # from Hebrew on …
    PUNCTUATION = 0x2000  # … without quotation marks and dashes
    SYMBOLS = 0x2100


cpdef enum:
    # Roles of elements by their class, id and tag, a bit each. A word that is FIRST may have others
    # together with the next one.
    FIRST = 1, AUTHOR = 2, DATE = 4, IN_COMMENTS = 8, BESIDE = 16
    APART = 64, CODE = 128, ARTICLE = 256, FOOTER = 512, HEADING = 1024
    # A word that tells who wrote something, and one that does so before a sign.
    EVIDENT = 1, LABEL = 2


cdef class Words:
    """What is known of words of ASCII letters whatever their case: bits of a number."""

    cdef Strings words
    cdef int64_t[::1] bits
    """Of each word, and of the empty one at first."""
    cdef uint64_t firsts[32]
    cdef uint64_t lasts[32]
    """By first and last letter the sizes that words have, a bit each: most others are told so."""

    def __init__(self, dict words not None):
        """*words* are in lower case, with their bits."""
        self.bits = np.array([-1, *words.values()], dtype=np.int64)
        number_of(&self.words, "", 0, secret)
        for word in words:
            number_of(&self.words, word.encode(), len(word), secret)
            self.firsts[ord(word[0]) & 31] |= <uint64_t>1 << len(word)
            self.lasts[ord(word[len(word) - 1]) & 31] |= <uint64_t>1 << len(word)

    def __dealloc__(self):
        free_strings(&self.words)

    cdef int64_t find(
        self, int kind, const void* data, Py_ssize_t start, Py_ssize_t stop
    ) noexcept:
        """Return the bits of a word, −1 if it is not known."""
        cdef Py_ssize_t size = stop - start, at
        cdef uint32_t character
        cdef char[64] word
        if not 0 < size < 64:
            return -1
        cdef uint64_t sizes = self.firsts[<uint32_t>PyUnicode_READ(kind, data, start) & 31]
        if not (sizes & self.lasts[<uint32_t>PyUnicode_READ(kind, data, stop - 1) & 31]) >> size & 1:
            return -1
        for at in range(size):
            character = <uint32_t>PyUnicode_READ(kind, data, start + at)
            if character >= 0x80:
                return -1
            word[at] = <char>(character | 32 if c"A" <= character <= c"Z" else character)
        return self.bits[max(find_number(&self.words, word, size, secret), 0)]

    def of_names(self, list names not None):
        """Return the bits of the parts of each class or id.

        Parts end at white space, "-" and "_". One that is FIRST may have other bits together with
        the next one, behind a "-".
        """
        found = np.empty(len(names), dtype=np.uint32)
        cdef uint32_t[::1] bits = found
        cdef Py_ssize_t number
        for number in range(len(names)):
            bits[number] = <uint32_t>self.of_name(names[number])
        return found

    cdef int64_t of_name(self, str name) noexcept:
        cdef int kind = PyUnicode_KIND(name)
        cdef const void* data = PyUnicode_DATA(name)
        cdef Py_ssize_t begin = 0, previous = 0, size = len(name), at
        cdef int64_t bits = 0, last = 0, known, both
        cdef Py_UCS4 character = 0
        cdef const uint8_t* narrow = <const uint8_t*>data
        at = -1
        while at < size:
            at += 1
            while kind == 1 and at < size and c"a" <= narrow[at] <= c"z":
                at += 1
            if at < size:
                character = PyUnicode_READ(kind, data, at)
                if c"a" <= character <= c"z":
                    continue
                if character not in (c"-", c"_") and not Py_UNICODE_ISSPACE(character):
                    continue
            known = max(self.find(kind, data, begin, at), 0)
            if last & FIRST:
                both = self.find(kind, data, previous, at)
                known = known if both < 0 else both
            bits |= known
            last = known if at < size and character == c"-" else 0
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

        One of its texts, slices of *buffer*, has one of the words, but for a LABEL without a sign
        behind it, four digits, two behind an apostrophe, or a letter of a script in which labels
        are no words.
        """
        check_slices(starts, stops, len(buffer))
        cdef list found = []
        cdef int64_t seen
        cdef Py_ssize_t row, at
        for row in range(spans.shape[0]):
            check_span(spans[row, 0], spans[row, 1], starts.shape[0])
            seen = 0
            for at in range(spans[row, 0], spans[row, 1]):
                seen |= self.evidence(buffer, starts[at], stops[at], seen)
            found.append(bool(seen & ~LABEL))
        return found

    cdef int64_t evidence(
        self, str text, Py_ssize_t start, Py_ssize_t stop, int64_t seen
    ) noexcept:
        """Return the bits of the words up to the first that is enough; those before are *seen*."""
        cdef int kind = PyUnicode_KIND(text)
        cdef const void* data = PyUnicode_DATA(text)
        cdef Py_ssize_t begin = start, at
        cdef int digits = 0
        cdef Py_UCS4 character
        for at in range(start, stop):
            character = PyUnicode_READ(kind, data, at)
            if character >= OTHER_SCRIPTS and not PUNCTUATION <= character < SYMBOLS:
                return EVIDENT
            if 0x80 <= character < PUNCTUATION:
                seen |= LABEL  # which it may be a letter of
            if c"0" <= character <= c"9":
                digits += 1
                if digits == 4:
                    return EVIDENT
                continue
            digits = 2 if character in (c"'", 0x2019) else 0
            if Py_UNICODE_ISALNUM(character) or character == c"_":
                continue
            seen |= max(self.find(kind, data, begin, at), 0)
            begin = at + 1
            if seen & ~LABEL or character == c"@":
                return EVIDENT
            if seen and character in (c":", c"/", 0x2013, 0x2014):
                return EVIDENT
        return seen | max(self.find(kind, data, begin, stop), 0)


def roles_around(
    const uint32_t[::1] roles not None,
    const int32_t[::1] parent not None,
    const int32_t[::1] first_text not None,
    const int32_t[::1] last_text not None,
    const int64_t[::1] words not None,
    Py_ssize_t title,
):
    """Return the *roles* that each element or one around it has.

    BESIDE and IN_COMMENTS do not count where the text node *title* or most words stand in an
    element, whatever its name, such as ``with-sidebar``, nor BESIDE of what names an author or a
    date. *words* are those before each text node, and before the end.
    """
    cdef Py_ssize_t element, first, last, texts = words.shape[0] - 1
    cdef uint32_t own, above
    check_sizes(roles.shape[0], parent.shape[0])
    check_sizes(roles.shape[0], first_text.shape[0])
    check_sizes(roles.shape[0], last_text.shape[0])
    result = np.empty(roles.shape[0], dtype=np.uint32)
    cdef uint32_t[::1] found = result
    for element in range(roles.shape[0]):
        if parent[element] >= element:
            raise IndexError(f"element {element} cannot stand in {parent[element]}")
        own, above = roles[element], found[parent[element]] if parent[element] >= 0 else 0
        if own & FOOTER and not above & ARTICLE:
            own |= BESIDE
        if own & (AUTHOR | DATE):
            own &= ~<uint32_t>BESIDE
        if own & (BESIDE | IN_COMMENTS):
            first, last = first_text[element], last_text[element]
            if not 0 <= first <= last <= texts:
                raise IndexError(f"element {element} cannot hold the texts from {first} to {last}")
            if first <= title < last or 2 * (words[last] - words[first]) > words[texts]:
                own &= ~<uint32_t>(BESIDE | IN_COMMENTS)
        found[element] = own | above
    return result


def years_in(str buffer not None, Py_ssize_t start):
    """Return where years begin from *start* on, such as 2025, ’25, /25 in 4/3/25, ٢٠٢٥."""
    cdef int kind = PyUnicode_KIND(buffer)
    cdef const void* data = PyUnicode_DATA(buffer)
    cdef Py_ssize_t at = max(start, 0), end = len(buffer), size, other
    cdef Py_UCS4 first
    cdef list found = []
    cdef const uint8_t* narrow = <const uint8_t*>data
    cdef const uint16_t* wide = <const uint16_t*>data
    while True:
        while kind == 1 and at < end and (narrow[at] < c"'" or c"3" <= narrow[at]):
            at += 1  # as nearly all
        while kind == 2 and at < end and (wide[at] < c"'" or c"3" <= wide[at] < 0x660):
            at += 1
        if at >= end:
            return np.array(found, dtype=np.int32)
        first = PyUnicode_READ(kind, data, at)
        if first in (c".", c"/", c"-"):
            if is_before_short_year(kind, data, at, end):
                found.append(at)
            at += 1
            continue
        size = 4 if first in (c"1", c"2") or is_arabic(first) else 3
        if (size == 3 and first != c"'" and first != 0x2019) or at + size > end:
            at += 1
            continue
        for other in range(at + 1, at + size):
            if not is_of_year(first, other - at, PyUnicode_READ(kind, data, other)):
                break
        else:
            if size == 4 or at + 3 == end or not Py_UNICODE_ISDECIMAL(
                PyUnicode_READ(kind, data, at + 3)
            ):
                found.append(at)
                at += size - 1
        at += 1


cdef inline bint is_before_short_year(
    int kind, const void* data, Py_ssize_t at, Py_ssize_t end
) noexcept:
    """Return whether a sign stands between month and year of two digits: 04.03.22, 04-03-22."""
    cdef Py_UCS4 sign = PyUnicode_READ(kind, data, at)
    if at < 3 or at + 2 >= end:
        return False
    return (
        is_digit(PyUnicode_READ(kind, data, at - 1))
        and is_digit(PyUnicode_READ(kind, data, at + 1))
        and is_digit(PyUnicode_READ(kind, data, at + 2))
        and sign in (PyUnicode_READ(kind, data, at - 2), PyUnicode_READ(kind, data, at - 3))
    )


cdef inline bint is_digit(Py_UCS4 character) noexcept:
    return c"0" <= character <= c"9"


cdef inline bint is_of_year(Py_UCS4 first, Py_ssize_t place, Py_UCS4 character) noexcept:
    """Return whether a character may stand at a place behind the *first* one of a year."""
    if is_arabic(first):
        return is_arabic(character)
    if place == 1 and first in (c"1", c"2"):
        return character == (c"9" if first == c"1" else c"0")
    return Py_UNICODE_ISDECIMAL(character)


cdef inline bint is_arabic(Py_UCS4 character) noexcept:
    return 0x660 <= character <= 0x669 or 0x6F0 <= character <= 0x6F9
