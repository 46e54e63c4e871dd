# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""The loops of :mod:`scrapy_boilerplate.sites.slots` over elements."""

from libc.stdint cimport int32_t, int64_t, uint8_t, uint32_t, uint64_t

import numpy as np

from scrapy_boilerplate._shared cimport number_keys


def number_kinds(
    const int32_t[:] tag not None,
    const int32_t[:] class_id not None,
    const int32_t[:] id_id not None,
    Py_ssize_t strings,
):
    """Return the number of each element's kind, and an element of each kind."""
    cdef Py_ssize_t size = tag.shape[0]
    cdef uint64_t[::1] keys = np.empty(size, dtype=np.uint64)
    cdef int32_t[::1] number = np.empty(size, dtype=np.int32)
    kinds = np.empty(size, dtype=np.int64)
    cdef int64_t[::1] kind_of = kinds
    cdef Py_ssize_t element
    for element in range(size):
        keys[element] = (<uint64_t>tag[element] * strings + class_id[element]) * strings
        keys[element] += id_id[element]
    firsts = np.empty(number_keys(&keys[0], size, &number[0]), dtype=np.int64)
    cdef int64_t[::1] first = firsts
    for element in range(size - 1, -1, -1):  # the first of a kind comes last
        kind_of[element] = number[element]
        first[number[element]] = element
    return kinds, firsts


def holders(
    const int32_t[:] at not None,
    const int32_t[:] parent not None,
    const uint8_t[:] is_block not None,
    int depth,
):
    """Return the nearest block-level element above each of *at*, at most *depth* above it."""
    cdef Py_ssize_t number
    cdef int32_t element
    cdef int step
    found = np.empty(at.shape[0], dtype=np.int64)
    cdef int64_t[::1] holder = found
    for number in range(at.shape[0]):
        element = at[number]
        for step in range(depth):
            if is_block[element] or element <= 0:
                break
            element = parent[element]
        holder[number] = element
    return found


def path_hashes(
    const int64_t[:] elements not None,
    const int32_t[:] parent not None,
    const int64_t[:] kind not None,
    const uint64_t[:] values not None,
    const uint64_t[:] powers not None,
):
    """Return a hash of the labels of each element and its nearest ancestors, but for the root.

    *values* stand for the labels, by kind; there are as many steps as *powers*.
    """
    cdef Py_ssize_t number, step
    cdef int64_t element
    cdef uint64_t value
    found = np.empty(elements.shape[0], dtype=np.uint32)
    cdef uint32_t[::1] hashes = found
    for number in range(elements.shape[0]):
        element = elements[number]
        value = values[kind[element]] * powers[0]
        element = parent[element]
        for step in range(1, powers.shape[0]):
            if element <= 0:
                break
            value += values[kind[element]] * powers[step]
            element = parent[element]
        hashes[number] = <uint32_t>(value >> 32)
    return found
