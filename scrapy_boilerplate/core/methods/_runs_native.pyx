"""The loops of :mod:`scrapy_boilerplate.core.methods._runs` over text nodes."""

from libc.stdint cimport int32_t, int64_t, uint8_t

import numpy as np

from scrapy_boilerplate.core.page._checks cimport check_sizes, check_span
from scrapy_boilerplate.core.page._rows cimport *


def tags_before(nodes not None, const uint8_t[::1] voids not None):
    """Return the tags before each text node; *voids* flags the names of void elements."""
    cdef const int32_t[:, ::1] elements = nodes.element_rows
    cdef const int32_t[:, ::1] texts = nodes.text_rows
    cdef Py_ssize_t size = texts.shape[1]
    cdef Py_ssize_t text
    cdef int32_t element = 0
    cdef int32_t at
    cdef int64_t seen = 0  # tags before the text node before
    cdef int64_t without_end = 0
    cdef int64_t before
    check_sizes(elements.shape[0], ELEMENT_ROWS)
    check_sizes(texts.shape[0], TEXT_ROWS)
    result = np.empty(size, dtype=np.int64)
    cdef int64_t[::1] found = result
    for text in range(size):
        at = texts[TEXT_AT_ROW, text]
        if not element <= at <= elements.shape[1]:
            raise IndexError(f"text node {text} does not stand behind the one before it")
        while element < at:
            without_end += voids[elements[TAG_ROW, element]]
            element += 1
        before = 2 * <int64_t>element - elements[DEPTH_ROW, texts[TEXT_PARENT_ROW, text]]
        before -= without_end + 1
        found[text] = before - seen
        seen = before
    return result


def weighted(
    const int64_t[::1] words not None,
    const int64_t[::1] symbols not None,
    const int64_t[::1] tags not None,
    double word,
    double symbol,
    double tag,
):
    """Return what text nodes and the tags before each are worth: *word* is the worth of a word …"""
    cdef Py_ssize_t size = words.shape[0]
    cdef Py_ssize_t text
    check_sizes(size, symbols.shape[0])
    check_sizes(size, tags.shape[0])
    values = np.empty((2, size))
    cdef double[:, ::1] found = values
    for text in range(size):
        found[0, text] = word * words[text] + symbol * symbols[text]
        found[1, text] = tag * tags[text]
    return values[0], values[1]


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
        after += texts[text] + tags[text]
        before = after - texts[text]
        if not text or before < lowest:
            lowest, start = before, text
        gain = after - lowest
        if gain > best:
            best, first, stop = gain, start, text + 1
    return first, stop


def judge_run(
    const double[::1] texts not None,
    const double[::1] tags not None,
    const int64_t[:, ::1] blocks not None,
):
    """Return *blocks*, cut at the ends of the best run, whether each is in it, and its sum."""
    cdef Py_ssize_t first, stop, block, text
    cdef Py_ssize_t count = 0
    cdef double total = 0  # of all tokens so far …
    cdef double before = 0  # … and before the span at hand
    first, stop = best_run(texts, tags)
    spans = np.empty((blocks.shape[0] + 2, 2), dtype=np.int64)
    keep, sums = np.empty(spans.shape[0], dtype=np.uint8), np.empty(spans.shape[0])
    cdef int64_t[:, ::1] span = spans
    cdef uint8_t[::1] kept = keep
    cdef double[::1] sum_of = sums
    for block in range(blocks.shape[0]):
        check_span(blocks[block, 0], blocks[block, 1], texts.shape[0])
        for text in range(blocks[block, 0], blocks[block, 1]):
            if text == blocks[block, 0] or text == first or text == stop:
                span[count, 0], kept[count], before = text, first <= text < stop, total
                count += 1
            total += texts[text] + tags[text]
            span[count - 1, 1], sum_of[count - 1] = text + 1, total - before
    return spans[:count], keep[:count].view(bool), sums[:count]
