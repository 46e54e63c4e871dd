# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""The loop of :mod:`scrapy_boilerplate.extractors.auto.forest` over rows and trees.

Rows go down a tree four at a time: the processor reads the nodes of one while it waits for those
of another.
"""

from libc.stdint cimport int32_t

import numpy as np

DEF TOGETHER = 4
DEF STRIPE = 32  # rows that stay in the fastest memory while all trees pass over them


def sum_of_trees(forest, const float[:, ::1] rows not None):
    """Return for each of *rows* the sum of the values of the leaves that it falls in."""
    cdef const int32_t[::1] feature = forest.feature
    cdef const float[::1] threshold = forest.threshold
    cdef const int32_t[:, ::1] children = forest.children
    cdef const float[::1] value = forest.value
    cdef const int32_t[::1] roots = forest.roots
    cdef const int32_t[::1] depths = forest.depth
    cdef Py_ssize_t size = rows.shape[0]
    result = np.zeros(size, dtype=np.float32)
    cdef float[::1] total = result
    cdef Py_ssize_t row, begin, end, tree
    cdef int step, depth
    cdef int32_t a, b, c, d
    with nogil:
        for begin in range(0, size, STRIPE):
            end = min(begin + STRIPE, size)
            for tree in range(roots.shape[0]):
                depth = depths[tree]
                row = begin
                while row + TOGETHER <= end:
                    a = b = c = d = roots[tree]
                    for step in range(depth):
                        a = children[a, rows[row, feature[a]] > threshold[a]]
                        b = children[b, rows[row + 1, feature[b]] > threshold[b]]
                        c = children[c, rows[row + 2, feature[c]] > threshold[c]]
                        d = children[d, rows[row + 3, feature[d]] > threshold[d]]
                    total[row] += value[a]
                    total[row + 1] += value[b]
                    total[row + 2] += value[c]
                    total[row + 3] += value[d]
                    row += TOGETHER
                while row < end:
                    a = roots[tree]
                    for step in range(depth):
                        a = children[a, rows[row, feature[a]] > threshold[a]]
                    total[row] += value[a]
                    row += 1
    return result
