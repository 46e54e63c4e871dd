"""Finds the links on which page furniture can stand."""

from libc.stdint cimport int32_t, uint8_t
from libc.stdlib cimport free, malloc

from scrapy_boilerplate.core.page._characters cimport PyUnicode_DATA, PyUnicode_KIND, PyUnicode_READ
from scrapy_boilerplate.core.page._checks cimport check_sizes, check_span

cdef enum:
    LINK = 1
    HEADING = 2
    MOST_TEXTS = 3
    MOST_CHARACTERS = 100
    LONGEST_MARK = 4

cdef enum:
    LETTERS = 128


def short_links(
    const uint8_t[::1] kinds not None,
    const int32_t[::1] tag not None,
    const int32_t[::1] parent not None,
    const int32_t[::1] end not None,
    const int32_t[::1] first_text not None,
    const int32_t[::1] last_text not None,
    const int32_t[::1] text_start not None,
    const int32_t[::1] text_stop not None,
    str buffer not None,
    const uint8_t[::1] beginnings not None,
):
    """Return the links that are as short as a mark, or short and in or beside a heading.

    The second entry of each says whether it is in or beside one. They begin with a character that *beginnings* flags, or one beyond ASCII.
    """
    cdef Py_ssize_t size = tag.shape[0]
    cdef Py_ssize_t element
    cdef int32_t first, last, length, before, following
    cdef int32_t heading_end = 0  # of the headings that are open or closed so far
    cdef bint beside
    cdef list found = []
    check_sizes(parent.shape[0], size)
    check_sizes(end.shape[0], size)
    check_sizes(first_text.shape[0], size)
    check_sizes(last_text.shape[0], size)
    check_sizes(text_stop.shape[0], text_start.shape[0])
    check_sizes(beginnings.shape[0], LETTERS)
    # The last child so far of each element, itself if there is none; of none the root.
    cdef int32_t* last_child = <int32_t*>malloc(max(size, 1) * sizeof(int32_t))
    if last_child is NULL:
        raise MemoryError()
    try:
        for element in range(size):
            last_child[element] = <int32_t>element
            before = <int32_t>element
            if parent[element] >= 0:
                before = last_child[parent[element]]
                last_child[parent[element]] = <int32_t>element
                if before == parent[element]:
                    before = <int32_t>element
            first, last = first_text[element], last_text[element]
            if last <= first:
                continue
            check_span(first, last, text_start.shape[0])
            if kinds[tag[element]] == HEADING:
                heading_end = max(heading_end, end[element])
            if kinds[tag[element]] != LINK or last - first > MOST_TEXTS:
                continue
            length = text_stop[last - 1] - text_start[first]
            if length > MOST_CHARACTERS:
                continue
            following = end[element]
            beside = element < heading_end or (
                kinds[tag[before]] == HEADING and last_text[before] > first_text[before]
            )
            if not beside and following < size and parent[following] == parent[element]:
                beside = (
                    kinds[tag[following]] == HEADING
                    and last_text[following] > first_text[following]
                )
            if (beside or length <= LONGEST_MARK) and (
                begins(buffer, text_start[first], text_stop[last - 1], beginnings)
            ):
                found.append((element, beside))
    finally:
        free(last_child)
    return found


cdef bint begins(
    str buffer, Py_ssize_t start, Py_ssize_t stop, const uint8_t[::1] beginnings
) except -1:
    """Tell whether a text may begin like a mark or its like."""
    cdef const void* data = PyUnicode_DATA(buffer)
    cdef int kind = PyUnicode_KIND(buffer)
    cdef Py_UCS4 character
    if start < stop:
        check_span(start, stop, len(buffer))
    for place in range(start, stop):
        character = PyUnicode_READ(kind, data, place)
        if character >= LETTERS:
            return True
        if not is_space(<uint8_t>character):
            return beginnings[character]
    return False


cdef inline bint is_space(uint8_t character) noexcept:
    return character == 0x20 or 0x09 <= character <= 0x0D or 0x1C <= character <= 0x1F
