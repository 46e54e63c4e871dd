"""The loops of :mod:`scrapy_boilerplate.core.methods._runs` over text nodes."""

from libc.stdint cimport int32_t, int64_t, uint8_t

import numpy as np

from scrapy_boilerplate.core.page._checks cimport check_sizes


def tags_before(
    const uint8_t[::1] voids not None,
    const int32_t[::1] tag not None,
    const int32_t[::1] depth not None,
    const int32_t[::1] text_at not None,
    const int32_t[::1] text_parent not None,
):
    """Return the tags before each text node; *voids* flags the names of void elements."""
    cdef Py_ssize_t size = text_at.shape[0]
    cdef Py_ssize_t text
    cdef int32_t element = 0
    cdef int64_t seen = 0  # tags before the text node before
    cdef int64_t without_end = 0
    cdef int64_t before
    result = np.empty(size, dtype=np.int64)
    cdef int64_t[::1] found = result
    check_sizes(tag.shape[0], depth.shape[0])
    check_sizes(size, text_parent.shape[0])
    for text in range(size):
        if not element <= text_at[text] <= tag.shape[0]:
            raise IndexError(f"text node {text} does not stand behind the one before it")
        while element < text_at[text]:
            without_end += voids[tag[element]]
            element += 1
        before = 2 * <int64_t>element - depth[text_parent[text]] - 1 - without_end
        found[text] = before - seen
        seen = before
    return result


def best_run(const double[::1] texts not None, const double[::1] tags not None):
    """Return the run of text nodes with the largest sum, as start and stop."""
    cdef double after = 0
    cdef double gain = 0
    cdef double lowest, before, best
    cdef Py_ssize_t text
    cdef Py_ssize_t start = 0  # where the lowest sum is that was before a text node
    cdef Py_ssize_t first = 0
    cdef Py_ssize_t stop = 0
    check_sizes(texts.shape[0], tags.shape[0])
    lowest = best = 0
    for text in range(texts.shape[0]):
        if text:
            after += texts[text] + tags[text]
        else:
            after = texts[text] + tags[text]
        before = after - texts[text]
        if not text or before < lowest:
            lowest, start = before, text
        gain = after - lowest
        if gain > best:
            best, first, stop = gain, start, text + 1
    return first, stop
