# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""The loops of :func:`scrapy_boilerplate.layout.boundaries` over elements and text nodes."""

from libc.stdint cimport int32_t, uint8_t

import numpy as np

cdef enum:
    # Kinds of elements and kinds of breaks, as in scrapy_boilerplate.layout.
    TABLE = 1
    ROW = 2
    CELL = 4
    LIST = 8
    ITEM = 16
    OTHER = 32
    BR = 64
    BLOCK_LEVEL = TABLE | ROW | CELL | LIST | ITEM | OTHER

cdef enum:
    NO_BREAK, CELL_BREAK, LINE_BREAK, PARAGRAPH_BREAK


def boundaries(
    const uint8_t[::1] kinds not None,
    const int32_t[::1] tag not None,
    const int32_t[::1] first_text not None,
    const int32_t[::1] last_text not None,
    Py_ssize_t size,
):
    """Return for each of *size* text nodes what separates it from the one before, and if it opens
    a block. *kinds* are those of the tags, a bit each; the other arrays have a number an element.
    """
    breaks = np.zeros(size, dtype=np.uint8)
    opens = np.zeros(size, dtype=bool)
    cdef uint8_t[::1] break_of = breaks
    cdef uint8_t[::1] opens_at = opens.view(np.uint8)
    cdef uint8_t[::1] crossed = np.zeros(size + 1, dtype=np.uint8)
    cdef int32_t[:, ::1] steps = np.zeros((3, size + 2), dtype=np.int32)
    cdef Py_ssize_t element, text
    cdef int32_t first, after
    cdef int32_t tables = 0
    cdef int32_t lists = 0
    cdef uint8_t kind, here
    for element in range(tag.shape[0]):
        kind = kinds[tag[element]]
        if not kind:
            continue
        first, after = first_text[element], last_text[element]
        if kind == BR:
            steps[2, first] += 1
            continue
        crossed[first] |= kind
        crossed[after] |= kind
        if after > first:  # from its second text node on it is around
            if kind == TABLE:
                steps[0, first + 1] += 1
                steps[0, after] -= 1
            elif kind == LIST:
                steps[1, first + 1] += 1
                steps[1, after] -= 1
    for text in range(size):
        tables += steps[0, text]
        lists += steps[1, text]
        here = crossed[text]
        opens_at[text] = (here & BLOCK_LEVEL) != 0 or steps[2, text] > 1
        # The strongest rule comes first.
        if here & TABLE:
            kind = PARAGRAPH_BREAK
        elif here & ROW and tables:
            kind = LINE_BREAK
        elif here & CELL and tables:
            kind = CELL_BREAK
        elif here & LIST and not lists:
            kind = PARAGRAPH_BREAK
        elif here & ITEM and lists:
            kind = LINE_BREAK
        elif opens_at[text]:
            kind = PARAGRAPH_BREAK
        else:
            kind = LINE_BREAK if steps[2, text] else NO_BREAK
        break_of[text] = kind
    return breaks, opens
