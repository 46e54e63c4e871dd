"""The loops of :mod:`scrapy_boilerplate.core.methods.scoring` and of patterns over elements."""

from libc.stdint cimport int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t
from libc.stdlib cimport free, malloc

import numpy as np

from scrapy_boilerplate.core.page._characters cimport Character, PyUnicode_DATA, PyUnicode_KIND
from scrapy_boilerplate.core.page._checks cimport check_parents, check_sizes, check_slices
from scrapy_boilerplate.core.page._keys cimport Secret, joined, number_keys, read_secret
from scrapy_boilerplate.core.secret import SECRET

cdef Secret secret = read_secret(SECRET)

cdef enum:
    # Kinds of elements, a bit each, as in ``scoring``.
    LAYOUT = 1
    MARKUP = 2

cdef enum:
    # What is measured of candidates, as in ``scoring``.
    VISIBLE, LINKED, MARKUP_ELEMENTS, REPEATS
    MEASURES


def patterns(
    list strings not None,
    const int32_t[::1] tag not None,
    const int32_t[::1] class_id not None,
    const int32_t[::1] id_id not None,
):
    """Return the number of each element's pattern, and how many elements share it."""
    cdef Py_ssize_t size = tag.shape[0]
    cdef Py_ssize_t element
    cdef uint64_t[::1] text = np.empty(len(strings), dtype=np.uint64)
    cdef uint64_t[::1] keys = np.empty(size, dtype=np.uint64)
    cdef int32_t[::1] number, count
    cdef str string
    check_sizes(size, class_id.shape[0])
    check_sizes(size, id_id.shape[0])
    for place, string in enumerate(strings):
        text[place] = key_without_digits(string)
    for element in range(size):
        keys[element] = joined(
            joined(text[class_id[element]], text[id_id[element]], secret), tag[element], secret
        )
    number, count = np.zeros((2, size), dtype=np.int32)
    if size:
        number_keys(&keys[0], size, &number[0], secret)
    for element in range(size):
        count[number[element]] += 1
    repeats = np.ones(size, dtype=np.int64)
    cdef int64_t[::1] found = repeats
    for element in range(size):
        if class_id[element] > 0 or id_id[element] > 0:
            found[element] = count[number[element]]
    return np.asarray(number, dtype=np.int64), repeats


cdef uint64_t key_without_digits(str string):
    cdef uint64_t key = secret.first
    cdef Py_UCS4 character
    for character in string:
        if not c"0" <= character <= c"9":
            key = joined(key, character, secret)
    return key


def measure(page not None, const uint8_t[::1] kinds not None, const double[::1] doublings not None):
    """Return the candidates, the one of each block, and a row of each measure.

    *kinds* are those of the tags, *doublings* say how often each element's pattern is repeated.
    """
    cdef const int32_t[::1] tag = page.tag
    cdef const int32_t[::1] parent = page.parent
    cdef const int32_t[::1] text_parent = page.text_parent
    cdef const int64_t[:, ::1] blocks = page.blocks
    cdef Py_ssize_t size = tag.shape[0]
    check_sizes(size, parent.shape[0])
    check_parents(parent, text_parent)
    cdef int32_t[::1] layout, number
    layout, number = np.zeros((2, size), dtype=np.int32)
    owners = np.empty(blocks.shape[0], dtype=np.int64)
    cdef int64_t[::1] owner = owners
    cdef Py_ssize_t element, block
    cdef int32_t count = 0
    for element in range(1, size):  # the root is one of them
        layout[element] = (
            <int32_t>element if kinds[tag[element]] & LAYOUT else layout[parent[element]]
        )
    for block in range(blocks.shape[0]):
        if not 0 <= blocks[block, 0] < blocks[block, 1] <= text_parent.shape[0]:
            raise IndexError(f"block {block} holds no text nodes")
        number[layout[text_parent[blocks[block, 0]]]] = 1
    elements = np.asarray(number).nonzero()[0]
    for element in elements:
        number[element] = count
        count += 1
    for block in range(blocks.shape[0]):
        owner[block] = number[layout[text_parent[blocks[block, 0]]]]
    rows = np.zeros((MEASURES, count))
    cdef double[:, ::1] row = rows
    add_characters(row, page.visible, page.in_link.view(np.uint8), blocks, owner)
    add_elements(row, tag, page.end, layout, kinds, doublings, elements)
    return elements, owners, rows


cdef int add_characters(
    double[:, ::1] rows,
    const int64_t[::1] visible,
    const uint8_t[::1] in_link,
    const int64_t[:, ::1] blocks,
    const int64_t[::1] owner,
) except -1:
    """Add up the visible characters of candidates, and those in links."""
    cdef Py_ssize_t block, text
    check_sizes(visible.shape[0], in_link.shape[0])
    for block in range(blocks.shape[0]):
        if blocks[block, 1] > visible.shape[0]:
            raise IndexError(f"block {block} ends behind the last text node")
        for text in range(blocks[block, 0], blocks[block, 1]):
            rows[VISIBLE, owner[block]] += visible[text]
            rows[LINKED, owner[block]] += visible[text] if in_link[text] else 0
    return 0


cdef int add_elements(
    double[:, ::1] rows,
    const int32_t[::1] tag,
    const int32_t[::1] end,
    const int32_t[::1] layout,
    const uint8_t[::1] kinds,
    const double[::1] doublings,
    const int64_t[::1] elements,
) except -1:
    """Count the markup of candidates, and what is repeated in them and above them."""
    cdef Py_ssize_t size = tag.shape[0]
    cdef Py_ssize_t element
    cdef Py_ssize_t candidate = 0
    cdef double sum = 0
    check_sizes(size, end.shape[0])
    check_sizes(size, doublings.shape[0])
    cdef double[::1] ended = np.zeros(size + 1)  # what ends before each element
    cdef int32_t[::1] markup = np.zeros(size, dtype=np.int32)
    for element in range(size):
        if not element < end[element] <= size:
            raise IndexError(f"element {element} cannot end at {end[element]}")
        ended[end[element]] += doublings[element]
        markup[layout[element]] += kinds[tag[element]] & MARKUP != 0
    for element in range(size):
        sum += doublings[element] - ended[element]
        if candidate < elements.shape[0] and elements[candidate] == element:
            rows[REPEATS, candidate] = max(sum, 0)
            rows[MARKUP_ELEMENTS, candidate] = markup[element]
            candidate += 1
    return 0


def find_lists(
    page not None,
    const uint8_t[:] headings not None,
    const int64_t[::1] numbers not None,
    const int64_t[::1] repeats not None,
    int64_t teaser,
):
    """Return what a list of articles has."""
    cdef const int32_t[::1] first = page.first_text
    cdef const int32_t[::1] last = page.last_text
    cdef const int64_t[::1] visible = page.visible
    cdef const uint8_t[::1] in_link = page.in_link.view(np.uint8)
    cdef Py_ssize_t size = first.shape[0]
    cdef Py_ssize_t texts = visible.shape[0]
    cdef Py_ssize_t element, text
    cdef int64_t all_characters, linked
    cdef int64_t linked_headings = 0
    cdef int64_t most = 0
    cdef int32_t[::1] teasers = np.zeros(size, dtype=np.int32)  # of each pattern
    cdef int64_t[:, ::1] before = np.zeros((2, texts + 1), dtype=np.int64)
    cdef list found = []
    cdef list short = []
    for count in (last.shape[0], headings.shape[0], numbers.shape[0], repeats.shape[0]):
        check_sizes(size, count)
    check_sizes(texts, in_link.shape[0])
    for text in range(texts):
        before[0, text + 1] = before[0, text] + visible[text]
        before[1, text + 1] = before[1, text] + (visible[text] if in_link[text] else 0)
        if in_link[text] and visible[text] == 1:
            short.append(text)
    for element in range(size):
        if not (0 <= first[element] <= last[element] <= texts and 0 <= numbers[element] < size):
            raise IndexError(f"element {element} holds no texts, or has no pattern")
        all_characters = before[0, last[element]] - before[0, first[element]]
        linked = before[1, last[element]] - before[1, first[element]]
        if headings[element] and all_characters > 0:
            found.append((element, all_characters))
            linked_headings += linked > 0
        if repeats[element] > 1 and 0 < linked < all_characters and all_characters > teaser:
            teasers[numbers[element]] += 1
            most = max(most, <int64_t>teasers[numbers[element]])
    return linked_headings, most, found, short


cdef extern from "Python.h":
    str PyUnicode_FromKindAndData(int kind, const void* text, Py_ssize_t size)


def lines(
    str text not None, const int32_t[::1] starts not None, const int32_t[::1] stops not None
):
    """Return slices of *text*, a line each."""
    check_slices(starts, stops, len(text))
    cdef const void* data = PyUnicode_DATA(text)
    cdef int width = PyUnicode_KIND(text)
    if width == 1:
        return lines_of(<const uint8_t*>data, width, starts, stops)
    if width == 2:
        return lines_of(<const uint16_t*>data, width, starts, stops)
    return lines_of(<const uint32_t*>data, width, starts, stops)


cdef str lines_of(
    const Character* text, int width, const int32_t[::1] starts, const int32_t[::1] stops
):
    cdef Py_ssize_t size = 0
    cdef Py_ssize_t line, place
    for line in range(starts.shape[0]):
        size += stops[line] - starts[line] + 1
    cdef Character* found = <Character*>malloc(max(size, 1) * sizeof(Character))
    if found is NULL:
        raise MemoryError()
    size = 0
    for line in range(starts.shape[0]):
        for place in range(starts[line], stops[line]):
            found[size] = text[place]
            if text[place] == c"\n" or text[place] == c"\r":
                found[size] = c" "
            size += 1
        found[size] = c"\n"
        size += 1
    try:
        return PyUnicode_FromKindAndData(width, found, max(size - 1, 0))
    finally:
        free(found)
