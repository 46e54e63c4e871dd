"""Features of the second forest: the first one's probabilities, of a block and of those around it.

A block is rarely content alone. What stands beside it, in the same element, or elsewhere in
elements of the same tags and classes, says more of a doubtful block than the block itself.
"""

from collections import namedtuple

from libc.stdint cimport int32_t, uint8_t

from scrapy_boilerplate.core.page._checks cimport check_sizes, check_span
from scrapy_boilerplate.core.page._room cimport Room, free_all, take

CONTEXT = (
    # Probabilities: of the block, of its neighbours, and means over more and more around it, then
    # over those before and behind it.
    *("own", "before_3", "before_2", "before_1", "after_1", "after_2", "after_3"),
    *(f"around_{radius}" for radius in (2, 5, 10, 25)),
    *(f"{side}_within_{reach}" for reach in (5, 15) for side in ("before", "after")),
    # Means over the blocks in the same template path, full path, units alike, and elements above;
    # share of the page's expected words in each of these.
    *("in_template", "in_path", "in_units"),
    *(f"{name}_{level}" for level in range(LEVELS) for name in ("in_element", "share_of_element")),
    # Where it stands in what is likely content.
    *("expected_before", "found_before", "found_after"),
    *("since_likely", "until_likely", "run", "from_longest_run", "words_from_longest_run"),
    # How many units are alike, and how many of them hold a teaser.
    *("units", "teasers"),
    # The page.
    *("runs", "longest_run", "expected", "most", "mean", "likely", "doubt", "list"),
)
"""Names of the columns."""

Surroundings = namedtuple("Surroundings", "template path unit chain within units")
"""Groups of blocks that belong together.

By block: a number for the tags and first classes of three elements above it, one for those of all
elements above it, the first block in any unit like its own, the elements above it, how many units
are like its own and how many of them hold a teaser. *within* are by element the first block in it,
and the one behind the last.
"""

cdef enum:
    HOLES = 2  # unlikely blocks that do not end a run of likely ones
    FAR = 99  # blocks after which distances count no more
    LEVELS = 5  # block-level elements above a block that are looked at, the nearest first
    NEIGHBOURS = 6
    WINDOWS = 4
    REACHED = 2
    KEYS = 3
    OF_BLOCK = 1 + NEIGHBOURS + WINDOWS + 2 * REACHED + KEYS + 2 * LEVELS + 10
    OF_PAGE = 8
    WIDTH = OF_BLOCK + OF_PAGE

cdef double LIKELY = 0.5  # probability
cdef double WORDLESS = 0.3  # words that each block counts for beside its own
cdef double LEAST = 1e-9  # sum that is divided by
cdef int* NEAR = [-3, -2, -1, 1, 2, 3]
cdef int* RADII = [2, 5, 10, 25]
cdef int* REACHES = [5, 15]


cdef class Context:
    """What a second forest sees of the blocks of a page."""

    cdef Room room
    cdef Py_ssize_t size
    cdef const double[::1] content
    cdef const double[::1] words
    cdef const int32_t[:, ::1] chain
    cdef const int32_t[:, ::1] within
    cdef const int32_t[:, ::1] units
    # Before each block: expected words of content, and weights.
    cdef double* expected
    cdef double* weights
    cdef double total
    # Blocks to the nearest likely one, before and behind each.
    cdef uint8_t* since
    cdef uint8_t* until
    # The run of likely blocks that each block is in, from 1; the expected words of each run, and
    # the first and the last block of the longest.
    cdef int32_t* run
    cdef double* found
    cdef Py_ssize_t first
    cdef Py_ssize_t last
    cdef (float*)[KEYS] means  # of the blocks with the same key, by block
    cdef double[OF_PAGE] of_page

    def __dealloc__(self):
        free_all(&self.room)

    def __init__(
        self,
        const double[::1] content not None,
        double list_probability,
        const double[::1] words not None,
        around,
    ):
        self.size = content.shape[0]
        self.content, self.words = content, words
        self.chain, self.within, self.units = around.chain, around.within, around.units
        check_sizes(words.shape[0], self.size)
        check_sizes(self.chain.shape[0], self.size)
        check_sizes(self.chain.shape[1], LEVELS)
        check_sizes(self.within.shape[0], 2)
        check_sizes(self.units.shape[0], self.size)
        check_sizes(self.units.shape[1], 2)
        self._sum_up(list_probability)
        self._find_runs()
        self._find_distances()
        self._find_means(0, around.template)
        self._find_means(1, around.path)
        self._find_means(2, around.unit)

    cdef int _sum_up(self, double list_probability) except -1:
        """Sums before each block, and of the page."""
        cdef Py_ssize_t block
        cdef double weight, expected
        cdef double likely = 0, doubt = 0, most = 0
        self.expected = <double*>take(&self.room, self.size + 1, sizeof(double))
        self.weights = <double*>take(&self.room, self.size + 1, sizeof(double))
        for block in range(self.size):
            weight = self.words[block] + WORDLESS
            expected = self.content[block] * weight
            self.expected[block + 1] = self.expected[block] + expected
            self.weights[block + 1] = self.weights[block] + weight
            if self.content[block] >= LIKELY:
                likely += weight
            doubt += expected * (1 - self.content[block])
            most = max(most, self.content[block])
        weight, expected = self.weights[self.size], self.expected[self.size]
        self.total = max(expected, LEAST)
        self.of_page = [
            0.0, 0.0, expected, most, expected / weight, likely / weight, doubt / weight,
            list_probability,
        ]
        return 0

    cdef int _find_runs(self) except -1:
        cdef Py_ssize_t block
        cdef Py_ssize_t before = -1
        cdef int32_t runs = 0
        cdef int32_t longest = 0
        cdef int32_t number
        self.run = <int32_t*>take(&self.room, self.size, sizeof(int32_t))
        self.found = <double*>take(&self.room, self.size + 1, sizeof(double))
        for block in range(self.size):
            if self.content[block] < LIKELY:
                continue
            runs += before < 0 or block - before > HOLES + 1
            before = block
            self.run[block] = runs
            self.found[runs] += self.content[block] * (self.words[block] + WORDLESS)
        for number in range(1, runs + 1):
            if not longest or self.found[number] > self.found[longest]:
                longest = number
        self.of_page[0], self.of_page[1] = runs, self.found[longest] / self.total
        self.first, self.last = self.size, -1
        for block in range(self.size):
            if self.run[block] == longest:
                self.first, self.last = min(self.first, block), block
        return 0

    cdef int _find_distances(self) except -1:
        cdef Py_ssize_t block
        cdef uint8_t near = FAR
        self.since = <uint8_t*>take(&self.room, self.size, 1)
        self.until = <uint8_t*>take(&self.room, self.size, 1)
        for block in range(self.size):
            near = 0 if self.content[block] >= LIKELY else min(near + 1, FAR)
            self.since[block] = near
        near = FAR
        for block in range(self.size - 1, -1, -1):
            near = 0 if self.content[block] >= LIKELY else min(near + 1, FAR)
            self.until[block] = near
        return 0

    cdef int _find_means(self, int which, const int32_t[::1] key) except -1:
        """The mean probability of the blocks that have the same number as key."""
        cdef Py_ssize_t block
        check_sizes(key.shape[0], self.size)
        for block in range(self.size):
            if not 0 <= key[block] < self.size:
                raise IndexError(f"{key[block]} is no number of a key")
        self.means[which] = <float*>take(&self.room, self.size, sizeof(float))
        cdef double* expected = <double*>take(&self.room, 2 * self.size, sizeof(double))
        cdef double* weights = expected + self.size
        for block in range(self.size):
            expected[key[block]] += self.content[block] * (self.words[block] + WORDLESS)
            weights[key[block]] += self.words[block] + WORDLESS
        for block in range(self.size):
            self.means[which][block] = <float>(
                expected[key[block]] / max(weights[key[block]], WORDLESS)
            )
        return 0

    cdef double mean(self, Py_ssize_t low, Py_ssize_t high) noexcept nogil:
        """Return the mean probability of the words in the blocks ``[low, high)``."""
        return self.expected_in(low, high) / max(self.weights[high] - self.weights[low], LEAST)

    cdef double expected_in(self, Py_ssize_t low, Py_ssize_t high) noexcept nogil:
        return self.expected[high] - self.expected[low]

    def put(self, float[:, ::1] rows not None, Py_ssize_t start=0):
        """Put the columns of the blocks from *start* on behind those of *rows*, into their room."""
        cdef Py_ssize_t number
        cdef Py_ssize_t wrong = -1
        cdef Py_ssize_t first = rows.shape[1] - WIDTH
        check_span(start, start + rows.shape[0], self.size)
        check_span(0, first, rows.shape[1])
        with nogil:
            for number in range(rows.shape[0]):
                if not self._put(&rows[number, first], start + number):
                    wrong = start + number
                    break
        if wrong >= 0:
            raise IndexError(f"what stands above block {wrong} holds no blocks of {self.size}")

    cdef bint _put(self, float* row, Py_ssize_t block) noexcept nogil:
        """Put the columns of a block; return whether the elements above it hold blocks."""
        cdef Py_ssize_t size = self.size
        cdef Py_ssize_t other, low, high, end, element
        cdef int number
        row[0] = <float>self.content[block]
        row += 1
        for number in range(NEIGHBOURS):
            other = block + NEAR[number]
            row[number] = <float>self.content[other] if 0 <= other < size else -1
        row += NEIGHBOURS
        for number in range(WINDOWS):
            low, high = max(block - RADII[number], 0), min(block + RADII[number] + 1, size)
            row[number] = <float>self.mean(low, high)
        row += WINDOWS
        for number in range(REACHED):
            low, high = max(block - REACHES[number], 0), min(block + REACHES[number] + 1, size)
            row[2 * number] = <float>self.mean(low, block)
            row[2 * number + 1] = <float>self.mean(block + 1, high)
        row += 2 * REACHED
        for number in range(KEYS):
            row[number] = self.means[number][block]
        row += KEYS
        for number in range(LEVELS):
            element = self.chain[block, number]
            if not 0 <= element < self.within.shape[1]:
                return False
            low, high = self.within[0, element], self.within[1, element]
            if not 0 <= low < high <= size:
                return False
            row[2 * number] = <float>self.mean(low, high)
            row[2 * number + 1] = <float>(self.expected_in(low, high) / self.total)
        row += 2 * LEVELS
        row[0] = <float>(self.expected[block] / self.total)
        row[1] = <float>self.expected[block]
        row[2] = <float>self.expected_in(block + 1, size)
        row[3], row[4] = self.since[block], self.until[block]
        row[5] = <float>self.found[self.run[block]] if self.run[block] else -1
        end = min(block - self.first, 0) + max(block - self.last, 0)
        row[6] = max(min(end, <Py_ssize_t>FAR), <Py_ssize_t>(-FAR))
        row[7] = <float>(
            min(self.weights[block] - self.weights[self.first], 0.0)
            + max(self.weights[block] - self.weights[self.last + 1], 0.0)
        )
        row[8], row[9] = self.units[block, 0], self.units[block, 1]
        row += 10
        for number in range(OF_PAGE):
            row[number] = <float>self.of_page[number]
        return True
