"""The loop of :mod:`scrapy_boilerplate.extractors.auto.forest` over rows and trees.

Rows go down a tree eight at a time: the processor reads the nodes of one while it waits for those
of another.
"""

from libc.stdint cimport int32_t
from libc.stdlib cimport free, malloc

import numpy as np

cdef enum:
    TOGETHER = 8
    STRIPE = 32  # rows that stay in the fastest memory while all trees pass over them

cdef struct Node:
    # In one place, so that a step reads the memory once.
    int32_t feature
    float threshold
    int32_t[2] children


cdef Node* packed(
    const int32_t[::1] feature, const float[::1] threshold, const int32_t[:, ::1] children
) except NULL:
    """Return the nodes in memory that the caller frees."""
    cdef Py_ssize_t number
    cdef Node* nodes = <Node*>malloc(max(feature.shape[0], 1) * sizeof(Node))
    if nodes is NULL:
        raise MemoryError()
    for number in range(feature.shape[0]):
        nodes[number].feature = feature[number]
        nodes[number].threshold = threshold[number]
        nodes[number].children[0] = children[number, 0]
        nodes[number].children[1] = children[number, 1]
    return nodes


def sum_of_trees(forest, const float[:, ::1] rows not None):
    """Return for each of *rows* the sum of the values of the leaves that it falls in."""
    cdef const float[::1] value = forest.value
    cdef const int32_t[::1] roots = forest.roots
    cdef const int32_t[::1] depths = forest.depth
    cdef Py_ssize_t size = rows.shape[0]
    result = np.zeros(size, dtype=np.float32)
    cdef float[::1] total = result
    cdef Py_ssize_t row, begin, end, tree, number
    cdef int step
    cdef int32_t[TOGETHER] at
    cdef Node* node
    cdef Node* nodes = packed(forest.feature, forest.threshold, forest.children)
    with nogil:
        begin = 0
        while begin < size:
            end = min(begin + STRIPE, size)
            for tree in range(roots.shape[0]):
                row = begin
                while row + TOGETHER <= end:
                    for number in range(TOGETHER):
                        at[number] = roots[tree]
                    for step in range(depths[tree]):
                        for number in range(TOGETHER):
                            node = nodes + at[number]
                            at[number] = node.children[
                                rows[row + number, node.feature] > node.threshold
                            ]
                    for number in range(TOGETHER):
                        total[row + number] += value[at[number]]
                    row += TOGETHER
                while row < end:
                    at[0] = roots[tree]
                    for step in range(depths[tree]):
                        node = nodes + at[0]
                        at[0] = node.children[rows[row, node.feature] > node.threshold]
                    total[row] += value[at[0]]
                    row += 1
            begin = end
    free(nodes)
    return result
