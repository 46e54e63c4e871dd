"""The loop of :mod:`scrapy_boilerplate.core.methods.web2text.counts` over characters."""

from libc.stdint cimport int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t

import numpy as np

from scrapy_boilerplate.core.page._characters cimport (
    SPACE,
    TABLE_SIZE,
    Character,
    PyUnicode_DATA,
    PyUnicode_KIND,
    PyUnicode_READ,
    class_of,
)
from scrapy_boilerplate.core.page._checks cimport check_sizes, check_slices
from scrapy_boilerplate.core.page._keys cimport Secret, read_secret
from scrapy_boilerplate.core.page._words cimport Word, begin, key_of, key_of_text, place_of, spell
from scrapy_boilerplate.core.secret import SECRET

cdef Secret secret = read_secret(SECRET)

cdef enum:
    # Flags of characters and what is counted, as in :mod:`scrapy_boilerplate.core.methods.web2text.counts`.
    BLANK = 1 << 0
    LETTER = 1 << 1
    UPPER = 1 << 2
    DIGIT = 1 << 3
    PUNCTUATION = 1 << 4
    END = 1 << 5
    ALWAYS_END = 1 << 6
    STOP = 1 << 8
    SIGN = 1 << 9

cdef enum:
    STOP_WORDS, CAPITALISED, PUNCTUATION_MARKS, DIGITS, SENTENCE_ENDS, COPYRIGHTS, EMAILS, URLS, YEARS
    ROWS

cdef enum:
    ROOM = 1 << 13  # for the keys of stop words


cdef class Counter:
    """Counts what *flags* of characters and *stop_words* say in the text nodes of a page.

    *classes* are those of :mod:`scrapy_boilerplate.core.page.text`; the last two match an address at a place.
    """

    cdef const uint16_t[::1] flags
    cdef const uint8_t[::1] classes
    cdef uint64_t[ROOM] keys
    cdef object is_email
    cdef object is_url

    def __init__(self, flags, classes, stop_words, is_email, is_url):
        cdef uint64_t key
        cdef str word
        self.flags, self.classes, self.is_email, self.is_url = flags, classes, is_email, is_url
        cdef Py_ssize_t place
        check_sizes(self.flags.shape[0], TABLE_SIZE)
        check_sizes(self.classes.shape[0], TABLE_SIZE)
        for place in range(ROOM):
            self.keys[place] = 0
        if 2 * len(stop_words) > ROOM:
            raise ValueError("too many stop words")
        for word in stop_words:
            key = key_of_text(word, secret)
            self.keys[place_of(self.keys, ROOM, key)] = key

    cdef bint is_stop_word(self, Word* word) noexcept:
        return self.keys[place_of(self.keys, ROOM, key_of(word, secret))] != 0

    def count(
        self,
        str text not None,
        str lowered not None,
        const int32_t[::1] starts not None,
        const int32_t[::1] stops not None,
    ):
        """Return a row of each count, and the flags of the last visible character by then."""
        cdef Py_ssize_t size = starts.shape[0]
        check_slices(starts, stops, len(text))
        check_sizes(len(text), len(lowered))
        counts = np.zeros((ROWS, size), dtype=np.int64)
        final = np.empty(size, dtype=np.uint16)
        cdef int64_t[:, ::1] rows = counts
        cdef uint16_t[::1] last = final
        cdef const void* data = PyUnicode_DATA(text)
        cdef int kind = PyUnicode_KIND(text)
        if kind == 1:
            self.read(<const uint8_t*>data, text, lowered, starts, stops, rows, last)
        elif kind == 2:
            self.read(<const uint16_t*>data, text, lowered, starts, stops, rows, last)
        else:
            self.read(<const uint32_t*>data, text, lowered, starts, stops, rows, last)
        return counts, final

    cdef int count_mark(
        self,
        const Character* text,
        str source,
        uint16_t flag,
        Py_ssize_t place,
        Py_ssize_t stop,
        int64_t[:, ::1] rows,
        Py_ssize_t node,
    ) except -1:
        """Count a mark or sign in a text node, which ends at *stop*."""
        cdef uint32_t code = text[place]
        if flag & PUNCTUATION:
            rows[PUNCTUATION_MARKS, node] += 1
            if (code == c"." and place > 0 and text[place - 1] | 32 == c"w") or (
                code == c":" and place + 1 < len(source) and text[place + 1] == c"/"
            ):
                rows[URLS, node] += self.is_url(source, place) is not None
        if flag & (END | ALWAYS_END):
            rows[SENTENCE_ENDS, node] += (
                flag & ALWAYS_END != 0
                or place + 1 == stop
                or class_of(text[place + 1], &self.classes[0]) == SPACE
            )
        if flag & SIGN:
            if code == c"@":
                rows[EMAILS, node] += self.is_email(source, place) is not None
            else:
                rows[COPYRIGHTS, node] += 1
        return 0

    cdef int read(
        self,
        const Character* text,
        str source,
        str lowered,
        const int32_t[::1] starts,
        const int32_t[::1] stops,
        int64_t[:, ::1] rows,
        uint16_t[::1] final,
    ) except -1:
        cdef const uint16_t* flags = &self.flags[0]
        cdef const uint8_t* classes = &self.classes[0]
        cdef const void* lower = PyUnicode_DATA(lowered)
        cdef int width = PyUnicode_KIND(lowered)
        cdef Py_ssize_t node, stop
        cdef Py_ssize_t place = 0
        cdef Py_ssize_t word_node = -1  # where the word at hand began, −1 between words
        cdef Word word
        cdef Py_ssize_t digits = 0  # in a row
        cdef Py_ssize_t digits_stop = -1
        cdef Py_ssize_t digits_node = 0
        cdef uint32_t first_digit = 0
        cdef uint16_t flag
        cdef uint16_t before = 0
        cdef uint16_t shown = flags[min(<uint32_t>text[0], <uint32_t>TABLE_SIZE - 1)] if len(source) else 0
        cdef uint32_t code
        for node in range(starts.shape[0]):
            stop = stops[node]
            while place < stop:  # from the white space before the text node on
                code = text[place]
                flag = flags[min(code, <uint32_t>TABLE_SIZE - 1)]
                if flag & BLANK:
                    if word_node >= 0:
                        rows[STOP_WORDS, word_node] += self.is_stop_word(&word)
                        word_node = -1
                else:
                    if word_node < 0:
                        word_node = node
                        begin(&word, secret)
                    spell(&word, PyUnicode_READ(width, lower, place), secret)
                if class_of(code, classes) != SPACE:
                    shown = flag
                if flag & DIGIT:
                    rows[DIGITS, node] += 1
                    if digits_stop != place:
                        rows[YEARS, digits_node] += digits == 4 and first_digit - c"1" < 2
                        digits = 0
                        digits_node, first_digit = node, code
                    digits += 1
                    digits_stop = place + 1
                elif flag > BLANK + LETTER:
                    if flag & UPPER and (place == starts[node] or not before & LETTER):
                        rows[CAPITALISED, node] += 1
                    if flag & STOP:
                        rows[STOP_WORDS, node] += 1
                    if flag & (PUNCTUATION | END | ALWAYS_END | SIGN):
                        self.count_mark(text, source, flag, place, stop, rows, node)
                before = flag
                place += 1
            final[node] = shown
        if word_node >= 0:
            rows[STOP_WORDS, word_node] += self.is_stop_word(&word)
        if digits:
            rows[YEARS, digits_node] += digits == 4 and first_digit - c"1" < 2
        return 0
