"""The columns of :mod:`scrapy_boilerplate.extractors.auto.context`, a block at a time."""

from libc.stdint cimport int32_t

import numpy as np

from scrapy_boilerplate.page._checks cimport check_sizes

cdef enum:
    # As in the twin.
    HOLES = 2
    FAR = 99
    LEVELS = 5
    NEIGHBOURS = 6
    WINDOWS = 4
    REACHED = 2
    OF_BLOCK = 1 + NEIGHBOURS + WINDOWS + 2 * REACHED + 3 + 2 * LEVELS + 10
    OF_PAGE = 8
    WIDTH = OF_BLOCK + OF_PAGE

cdef double LIKELY = 0.5
cdef double WORDLESS = 0.3
cdef double LEAST = 1e-9
cdef int* NEAR = [-3, -2, -1, 1, 2, 3]
cdef int* RADII = [2, 5, 10, 25]
cdef int* REACHES = [5, 15]


cdef class _Sums:
    """Expected words of content, and weights, before each block."""

    cdef Py_ssize_t size
    cdef double[::1] expected
    cdef double[::1] weights
    cdef double likely
    cdef double doubt
    cdef double most

    def __init__(self, const double[::1] content, const double[::1] words):
        cdef Py_ssize_t block
        cdef double weight, expected
        self.size = content.shape[0]
        self.expected, self.weights = np.zeros((2, self.size + 1))
        self.likely = self.doubt = self.most = 0
        for block in range(self.size):
            weight = words[block] + WORDLESS
            expected = content[block] * weight
            self.expected[block + 1] = self.expected[block] + expected
            self.weights[block + 1] = self.weights[block] + weight
            if content[block] >= LIKELY:
                self.likely += weight
            self.doubt += expected * (1 - content[block])
            self.most = max(self.most, content[block])

    cdef double mean(self, Py_ssize_t low, Py_ssize_t high):
        """Return the mean probability of the words in the blocks ``[low, high)``."""
        return self.found(low, high) / max(self.weights[high] - self.weights[low], LEAST)

    cdef double found(self, Py_ssize_t low, Py_ssize_t high):
        """Return the expected words of content in these blocks."""
        return self.expected[high] - self.expected[low]


cdef class _Runs:
    """Runs of likely blocks."""

    cdef int32_t[::1] run
    cdef double[::1] found
    cdef int32_t size
    cdef int32_t longest
    cdef Py_ssize_t first
    cdef Py_ssize_t last
    cdef int32_t[:, ::1] distances

    def __init__(self, const double[::1] content, const double[::1] words):
        cdef Py_ssize_t size = content.shape[0]
        cdef Py_ssize_t block
        cdef Py_ssize_t before = -1
        cdef int32_t number
        self.run = np.full(size, -1, dtype=np.int32)
        self.found = np.zeros(size)
        self.size = 0
        for block in range(size):
            if content[block] < LIKELY:
                continue
            if before < 0 or block - before > HOLES + 1:
                self.size += 1
            before = block
            self.run[block] = self.size - 1
            self.found[self.size - 1] += content[block] * (words[block] + WORDLESS)
        self.longest = -1
        for number in range(self.size):
            if self.longest < 0 or self.found[number] > self.found[self.longest]:
                self.longest = number
        self.first, self.last = size, -1
        for block in range(size):
            if self.size == 0 or self.run[block] == self.longest:
                self.first, self.last = min(self.first, block), block
        self._find_distances(content)

    cdef int _find_distances(self, const double[::1] content) except -1:
        """How many blocks before and behind the nearest likely one stands."""
        cdef Py_ssize_t size = content.shape[0]
        cdef Py_ssize_t block
        cdef int32_t near = FAR
        self.distances = np.empty((2, size), dtype=np.int32)
        for block in range(size):
            near = 0 if content[block] >= LIKELY else min(near + 1, <int32_t>FAR)
            self.distances[0, block] = near
        near = FAR
        for block in range(size - 1, -1, -1):
            near = 0 if content[block] >= LIKELY else min(near + 1, <int32_t>FAR)
            self.distances[1, block] = near
        return 0


cdef class _Keys:
    """Mean probabilities of the blocks with the same key."""

    cdef const int32_t[::1] key
    cdef double[::1] expected
    cdef double[::1] weights

    def __init__(
        self, const int32_t[::1] key, const double[::1] content, const double[::1] words
    ):
        cdef Py_ssize_t block
        check_sizes(key.shape[0], content.shape[0])
        self.key = key
        self.expected, self.weights = np.zeros((2, key.shape[0]))
        for block in range(key.shape[0]):
            if not 0 <= key[block] < key.shape[0]:
                raise IndexError(f"{key[block]} is no number of a key")
            self.expected[key[block]] += content[block] * (words[block] + WORDLESS)
            self.weights[key[block]] += words[block] + WORDLESS

    cdef double mean(self, Py_ssize_t block):
        return self.expected[self.key[block]] / max(self.weights[self.key[block]], WORDLESS)


def context(
    const double[::1] content not None,
    double list_probability,
    const double[::1] words not None,
    around,
):
    """Return what a second forest sees of each block."""
    check_sizes(content.shape[0], words.shape[0])
    cdef const int32_t[:, :, ::1] inside = around.inside
    cdef const int32_t[:, ::1] units = around.units
    check_sizes(inside.shape[0], content.shape[0])
    check_sizes(inside.shape[1], LEVELS)
    check_sizes(inside.shape[2], 2)
    check_sizes(units.shape[0], content.shape[0])
    check_sizes(units.shape[1], 2)
    cdef Py_ssize_t size = content.shape[0]
    cdef _Sums sums = _Sums(content, words)
    cdef _Runs runs = _Runs(content, words)
    cdef _Keys in_template = _Keys(around.template, content, words)
    cdef _Keys in_path = _Keys(around.path, content, words)
    cdef _Keys in_units = _Keys(around.unit, content, words)
    result = np.empty((size, WIDTH), dtype=np.float32)
    cdef float[:, ::1] found = result
    cdef double total = max(sums.expected[size], LEAST)
    cdef double weight = sums.weights[size]
    cdef double[OF_PAGE] of_page = [
        runs.size,
        runs.found[runs.longest] / total if runs.size else 0.0,
        sums.expected[size],
        sums.most,
        sums.expected[size] / weight,
        sums.likely / weight,
        sums.doubt / weight,
        list_probability,
    ]
    cdef Py_ssize_t block, other, low, high, end
    cdef int number
    cdef float* row
    for block in range(size):
        row = &found[block, 0]
        row[0] = <float>content[block]
        row += 1
        for number in range(NEIGHBOURS):
            other = block + NEAR[number]
            row[number] = <float>content[other] if 0 <= other < size else -1
        row += NEIGHBOURS
        for number in range(WINDOWS):
            low, high = max(block - RADII[number], 0), min(block + RADII[number] + 1, size)
            row[number] = <float>sums.mean(low, high)
        row += WINDOWS
        for number in range(REACHED):
            low, high = max(block - REACHES[number], 0), min(block + REACHES[number] + 1, size)
            row[2 * number] = <float>sums.mean(low, block)
            row[2 * number + 1] = <float>sums.mean(block + 1, high)
        row += 2 * REACHED
        row[0], row[1] = <float>in_template.mean(block), <float>in_path.mean(block)
        row[2] = <float>in_units.mean(block)
        row += 3
        for number in range(LEVELS):
            low, high = inside[block, number, 0], inside[block, number, 1]
            if not 0 <= low < high <= size:
                raise IndexError(f"{low} to {high} are no blocks of {size}")
            row[2 * number] = <float>sums.mean(low, high)
            row[2 * number + 1] = <float>(sums.found(low, high) / total)
        row += 2 * LEVELS
        row[0] = <float>(sums.expected[block] / total)
        row[1] = <float>sums.expected[block]
        row[2] = <float>sums.found(block + 1, size)
        row[3], row[4] = runs.distances[0, block], runs.distances[1, block]
        row[5] = <float>runs.found[runs.run[block]] if runs.run[block] >= 0 else -1
        end = min(block - runs.first, 0) + max(block - runs.last, 0)
        row[6] = max(min(end, <Py_ssize_t>FAR), <Py_ssize_t>(-FAR))
        row[7] = <float>(
            min(sums.weights[block] - sums.weights[runs.first], 0.0)
            + max(sums.weights[block] - sums.weights[runs.last + 1], 0.0)
        )
        row[8], row[9] = units[block, 0], units[block, 1]
        row += 10
        for number in range(OF_PAGE):
            row[number] = <float>of_page[number]
    return result
