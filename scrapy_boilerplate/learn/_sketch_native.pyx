"""The loops of sketching a page: over the texts of its blocks, and over its named elements."""

from cpython.bytes cimport PyBytes_FromStringAndSize
from libc.stdint cimport int32_t, int64_t, uint8_t, uint32_t, uint64_t
from libc.stdlib cimport free, malloc

from zlib import crc32

import numpy as np

from scrapy_boilerplate.core.page._characters cimport (
    PyUnicode_DATA,
    PyUnicode_KIND,
    PyUnicode_READ,
)
from scrapy_boilerplate.core.page._checks cimport check_sizes, check_span
from scrapy_boilerplate.core.page._keys cimport Secret, number_keys, read_secret
from scrapy_boilerplate.core.secret import SECRET

cdef extern from "Python.h":
    bint Py_UNICODE_ISSPACE(uint32_t character)
    uint32_t Py_UNICODE_TOLOWER(uint32_t character)

cdef enum:
    BYTES = 4  # of a character in UTF-8
    PREFIX = 8  # characters that are looked for before all of a text is
    CODES = 0x10000  # code points that the table of folded characters holds

cdef Secret secret = read_secret(SECRET)


def text_hashes(
    str text not None, const int32_t[::1] starts not None, const int32_t[::1] stops not None
):
    """Return for each slice the checksum of its words in lower case, one space between them."""
    cdef Py_ssize_t number, longest = 0, size
    check_texts(starts, stops, len(text))
    for number in range(starts.shape[0]):
        longest = max(longest, stops[number] - starts[number])
    result = np.empty(starts.shape[0], dtype=np.uint32)
    cdef uint32_t[::1] hashes = result
    cdef char* written = <char*>malloc(BYTES * longest + 1)
    if written is NULL:
        raise MemoryError()
    try:
        for number in range(starts.shape[0]):
            size = write_lower(text, starts[number], stops[number], written)
            if size >= 0:
                hashes[number] = crc32(PyBytes_FromStringAndSize(written, size))
            else:
                words = text[starts[number] : stops[number]].lower().split()
                hashes[number] = crc32(" ".join(words).encode("utf-8", "replace"))
    finally:
        free(written)
    return result


cdef int check_texts(
    const int32_t[::1] starts, const int32_t[::1] stops, Py_ssize_t size
) except -1:
    cdef Py_ssize_t number
    check_sizes(starts.shape[0], stops.shape[0])
    for number in range(starts.shape[0]):
        if not 0 <= starts[number] <= stops[number] <= size:
            raise IndexError(f"{starts[number]} to {stops[number]} is no slice of {size}")
    return 0


cdef Py_ssize_t write_lower(str text, Py_ssize_t start, Py_ssize_t stop, char* to) noexcept:
    """Write the words of a slice as UTF-8; return the bytes, -1 if Python must do it.

    Two letters are not lowered one by one: capital sigma and capital I with a dot.
    """
    cdef const void* data = PyUnicode_DATA(text)
    cdef int kind = PyUnicode_KIND(text)
    cdef Py_ssize_t place, size = 0
    cdef bint between = False
    cdef uint32_t letter
    for place in range(start, stop):
        letter = PyUnicode_READ(kind, data, place)
        if Py_UNICODE_ISSPACE(letter):
            between = size > 0
            continue
        if letter == 0x3A3 or letter == 0x130:
            return -1
        if between:
            to[size] = 32
            size += 1
            between = False
        if letter < 0x80:
            to[size] = <char>(letter + 32 if 65 <= letter <= 90 else letter)
            size += 1
            continue
        letter = Py_UNICODE_TOLOWER(letter)
        if 0xD800 <= letter < 0xE000:
            to[size] = 63  # a question mark, as for all that cannot be encoded
            size += 1
        elif letter < 0x80:
            to[size] = <char>letter
            size += 1
        elif letter < 0x800:
            to[size] = <char>(0xC0 | (letter >> 6))
            to[size + 1] = <char>(0x80 | (letter & 0x3F))
            size += 2
        elif letter < 0x10000:
            to[size] = <char>(0xE0 | (letter >> 12))
            to[size + 1] = <char>(0x80 | ((letter >> 6) & 0x3F))
            to[size + 2] = <char>(0x80 | (letter & 0x3F))
            size += 3
        else:
            to[size] = <char>(0xF0 | (letter >> 18))
            to[size + 1] = <char>(0x80 | ((letter >> 12) & 0x3F))
            to[size + 2] = <char>(0x80 | ((letter >> 6) & 0x3F))
            to[size + 3] = <char>(0x80 | (letter & 0x3F))
            size += 4
    return size


def titled(
    str text not None,
    const int32_t[::1] starts not None,
    const int32_t[::1] stops not None,
    const int64_t[::1] visible not None,
    str title not None,
    int64_t letters,
    const uint32_t[::1] folded not None,
):
    """Tell of each slice whether it stands in *title*, and is a quarter of its *letters* or more.

    *title* is folded; *folded* has the folded form of each character below U+10000, 0 where that is
    not one character.
    """
    cdef Py_ssize_t number
    check_texts(starts, stops, len(text))
    check_sizes(starts.shape[0], visible.shape[0])
    check_sizes(folded.shape[0], CODES)
    result = np.zeros(starts.shape[0], dtype=np.bool_)
    cdef uint8_t[::1] flags = result.view(np.uint8)
    for number in range(starts.shape[0]):
        if visible[number] > letters or 4 * visible[number] < letters:
            continue
        if may_stand_in(text, starts[number], stops[number], title, &folded[0]):
            words = text[starts[number] : stops[number]].casefold().split()
            flags[number] = " ".join(words) in title
    return result


cdef bint may_stand_in(
    str text, Py_ssize_t start, Py_ssize_t stop, str title, const uint32_t* folded
) noexcept:
    """Tell whether the beginning of a slice's first word stands in a title."""
    cdef const void* data = PyUnicode_DATA(text)
    cdef const void* whole = PyUnicode_DATA(title)
    cdef int kind = PyUnicode_KIND(text), whole_kind = PyUnicode_KIND(title)
    cdef Py_ssize_t size = 0, place, same
    cdef uint32_t letter
    cdef uint32_t[PREFIX] prefix
    while start < stop and Py_UNICODE_ISSPACE(PyUnicode_READ(kind, data, start)):
        start += 1
    for place in range(start, min(stop, start + PREFIX)):
        letter = PyUnicode_READ(kind, data, place)
        letter = folded[letter] if letter < CODES else 0
        if not letter or Py_UNICODE_ISSPACE(letter):
            break
        prefix[size] = letter
        size += 1
    for place in range(len(title) - size + 1):
        for same in range(size):
            if <uint32_t>PyUnicode_READ(whole_kind, whole, place + same) != prefix[same]:
                break
        else:
            return True
    return False


def teasers(
    const int64_t[:, :] blocks not None,
    const int64_t[::1] visible not None,
    const uint8_t[::1] in_link not None,
    const uint8_t[::1] in_heading not None,
    const uint8_t[::1] is_titled not None,
    const uint8_t[::1] is_link not None,
    const int32_t[::1] first_text not None,
    const int32_t[::1] last_text not None,
    int most_links,
):
    """Tell of each block whether all of it is a link, or the heading above it.

    Below a heading of more than *most_links* most of a block must be a link.
    """
    cdef Py_ssize_t size = visible.shape[0]
    cdef Py_ssize_t element, block, text
    cdef int64_t unlinked, total, links
    cdef bint linked, points = False, is_headline = False
    check_sizes(size, in_link.shape[0])
    check_sizes(size, in_heading.shape[0])
    check_sizes(blocks.shape[0], is_titled.shape[0])
    check_sizes(is_link.shape[0], first_text.shape[0])
    check_sizes(is_link.shape[0], last_text.shape[0])
    cdef int32_t[::1] begins = np.zeros(size, dtype=np.int32)
    for element in range(is_link.shape[0]):
        if is_link[element] and last_text[element] > first_text[element]:
            check_span(first_text[element], last_text[element], size)
            begins[first_text[element]] += 1
    result = np.empty(blocks.shape[0], dtype=np.bool_)
    cdef uint8_t[::1] flags = result.view(np.uint8)
    for block in range(blocks.shape[0]):
        check_span(blocks[block, 0], blocks[block, 1], size)
        unlinked = total = links = 0
        for text in range(blocks[block, 0], blocks[block, 1]):
            links += begins[text]
            total += visible[text]
            if not in_link[text]:
                unlinked += visible[text]
        linked = not unlinked and not is_titled[block]
        if in_heading[blocks[block, 0]]:
            points, is_headline = linked, links <= most_links
        flags[block] = linked or (points and (is_headline or 2 * unlinked < total))
    return result


def by_selector(
    const int64_t[::1] found not None, const int64_t[::1] kind not None, list own not None
):
    """Return each of *found* once for each of its kind's *own* hashes: with which, and its number.

    One whose kind has no hashes is returned once, with 0, and is nameless.
    """
    cdef Py_ssize_t kinds = len(own), place, total = 0, size, number
    cdef int64_t[::1] begin = np.empty(kinds + 1, dtype=np.int64)
    cdef list flat = []
    for place in range(kinds):
        begin[place] = len(flat)
        flat += own[place]
    begin[kinds] = len(flat)
    cdef uint32_t[::1] values = np.array(flat, dtype=np.uint32)
    for place in range(found.shape[0]):
        check_span(found[place], found[place], kind.shape[0])
        check_span(kind[found[place]], kind[found[place]], kinds)
        total += max(1, begin[kind[found[place]] + 1] - begin[kind[found[place]]])
    elements, hashes = np.empty(total, dtype=np.int64), np.zeros(total, dtype=np.uint32)
    numbers, nameless = np.zeros(total, dtype=np.int64), np.zeros(total, dtype=np.bool_)
    cdef int64_t[::1] element_of = elements, number_of = numbers
    cdef uint32_t[::1] hash_of = hashes
    cdef uint8_t[::1] is_nameless = nameless.view(np.uint8)
    cdef Py_ssize_t row = 0
    for place in range(found.shape[0]):
        size = begin[kind[found[place]] + 1] - begin[kind[found[place]]]
        if not size:
            element_of[row] = found[place]
            is_nameless[row] = True
            row += 1
        for number in range(size):
            element_of[row] = found[place]
            number_of[row] = number
            hash_of[row] = values[begin[kind[found[place]]] + number]
            row += 1
    return elements, hashes, numbers, nameless


def side_by_side(
    const int64_t[::1] elements not None,
    const uint32_t[::1] hashes not None,
    const int64_t[::1] words not None,
    const int32_t[::1] end not None,
):
    """Return for each hash the row of its heaviest element, and how many stand side by side.

    *elements* ascend. The rows are in the order in which their hashes come first.
    """
    cdef Py_ssize_t size = elements.shape[0], row, groups = 0
    check_sizes(size, hashes.shape[0])
    check_sizes(size, words.shape[0])
    if not size:
        return np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64)
    cdef uint64_t[::1] keys = np.asarray(hashes, dtype=np.uint64)
    cdef int32_t[::1] group = np.empty(size, dtype=np.int32)
    groups = number_keys(&keys[0], size, &group[0], secret)
    heaviest, count = np.full(groups, -1, dtype=np.int64), np.zeros(groups, dtype=np.int64)
    cdef int64_t[::1] best = heaviest, times = count
    cdef int64_t[::1] after = np.zeros(groups, dtype=np.int64)
    for row in range(size):
        check_span(elements[row], elements[row], end.shape[0])
        if best[group[row]] < 0 or words[row] > words[best[group[row]]]:
            best[group[row]] = row
    for row in range(size):
        if 10 * words[row] >= words[best[group[row]]]:
            times[group[row]] += elements[row] >= after[group[row]]
            after[group[row]] = max(after[group[row]], <int64_t>end[elements[row]])
    return heaviest, count
