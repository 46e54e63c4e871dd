"""The loops of :mod:`scrapy_boilerplate.core.methods._token_values` over elements and text nodes."""

from libc.stdint cimport int32_t, int64_t, uint8_t, uint32_t
from libc.string cimport memcpy

import numpy as np

from scrapy_boilerplate.core.page._checks cimport check_parents, check_sizes
from scrapy_boilerplate.core.page._elements_native import bits_above

cdef enum:
    # As in ``_token_values``.
    MEASURES = 5
    PARENTS = 12
    GROUPS = 21
    OWN = MEASURES + GROUPS
    REACH = 2
    WIDTH = OWN * (2 * REACH + 1)


def neighbourhoods(page not None, const double[:, ::1] logarithms not None, bits not None):
    """Return the features of text nodes, a row each.

    *logarithms* are those of words, symbols and tags, a row each, *bits* the groups of each tag.
    """
    cdef const int64_t[::1] words = page.words
    cdef const int64_t[::1] symbols = page.symbols
    cdef const uint8_t[::1] in_link = page.in_link.view(np.uint8)
    cdef const int32_t[::1] tag = page.tag
    cdef const int32_t[::1] text_parent = page.text_parent
    cdef const uint32_t[::1] bits_of = bits
    cdef const uint32_t[::1] around = bits_above(bits[page.tag], page.parent)
    cdef Py_ssize_t size = text_parent.shape[0]
    cdef Py_ssize_t text
    cdef uint32_t groups
    cdef int group
    check_sizes(logarithms.shape[0], 3)
    check_parents(page.parent, text_parent)
    for count in (logarithms.shape[1], words.shape[0], symbols.shape[0], in_link.shape[0]):
        check_sizes(size, count)
    rows = np.empty((size, WIDTH), dtype=np.float32)
    cdef float[:, ::1] row = rows
    cdef float* own
    for text in range(size):
        own = &row[text, REACH * OWN]
        own[0], own[1] = <float>logarithms[0, text], <float>logarithms[1, text]
        own[2] = <float>(symbols[text] / <double>max(words[text] + symbols[text], 1))
        own[3], own[4] = in_link[text], <float>logarithms[2, text]
        groups = bits_of[tag[text_parent[text]]] & ((1 << PARENTS) - 1)
        groups |= around[text_parent[text]] & ~<uint32_t>((1 << PARENTS) - 1)
        for group in range(GROUPS):
            own[MEASURES + group] = groups >> group & 1
    for text in range(size):
        add_neighbours(row, text)
    return rows


cdef void add_neighbours(float[:, ::1] row, Py_ssize_t text) noexcept:
    """Copy to a row what stands in the middle of the rows around it."""
    cdef Py_ssize_t other
    cdef int offset
    for offset in range(-REACH, REACH + 1):
        other = min(max(text + offset, 0), row.shape[0] - 1)
        if offset:
            memcpy(
                &row[text, (REACH + offset) * OWN], &row[other, REACH * OWN], OWN * sizeof(float)
            )
