"""The pass of :mod:`scrapy_boilerplate.core.auto.wholes` over elements and blocks."""

from libc.stdint cimport int32_t, int64_t, uint8_t, uint32_t

import numpy as np

from scrapy_boilerplate.core.page._checks cimport check_sizes
from scrapy_boilerplate.core.page._room cimport Room, free_all, take
from scrapy_boilerplate.core.page._rows cimport *

cdef enum:
    # Bits of groups of elements, as in ``wholes``.
    ITEM = 1
    CONTAINER = 2
    IMAGE = 4
    LIST = 8
    CODE = 16
    FIGURE = 32
    HEADING = 64
    H1 = 128
    TERMS = 256

cdef enum:
    MOST_WORDS_OF_ITEM = 25
    MOST_WORDS_OF_TITLE = 40

# Shares of the words from which on the rest of an element is kept, too.
cdef double MOST = 0.7, MOST_OF_TABLE = 0.5, MOST_OF_CODE = 0.5, MOST_OF_TERMS = 0.4
# Mean probabilities from which on are kept: a list of short definitions after kept text; a table of
# data that is kept in part, or between kept texts; a list of short items or code that is kept in
# part; the likeliest h1, where no other was kept; a table or a list without links right below a
# kept heading; such a list that is kept in part.
cdef double LIKELY_TERMS = 0.1, LIKELY_TABLE = 0.35, LIKELY_LIST = 0.5, LIKELY_CODE = 0.25
cdef double LIKELY_TITLE = 0.22, LIKELY_BELOW = 0.12, LIKELY_PLAIN_LIST = 0.35
# Probability from which on a heading of kept text is kept; less if it stands between kept texts.
cdef double LIKELY_HEADING = 0.15, LIKELY_BETWEEN = 0.04
cdef double MOST_LINKS = 0.5  # share of words above which a list or table is navigation
cdef double MOST_IMAGES = 0.25  # an item; with more they are cards

cdef struct Inside:
    # What is before each element.
    int32_t items
    int32_t containers
    int32_t images

cdef struct Sums:
    # What is before each block, and the spans that begin there, less those that end.
    int64_t words
    int64_t kept
    int64_t linked
    double expected
    int32_t wholes
    int32_t headings
    int32_t titles


cdef class _Page:
    """The arrays of a page, and sums over them."""

    cdef const uint32_t[::1] groups
    cdef const uint8_t[::1] is_data_table
    cdef const int32_t[::1] tag
    cdef const int32_t[::1] end
    cdef const int32_t[::1] first_text
    cdef const int32_t[::1] last_text
    cdef const int64_t[:, ::1] blocks
    cdef const int64_t[::1] words
    cdef const uint8_t[::1] in_link
    cdef const uint8_t[::1] keep
    cdef const double[::1] content
    cdef Py_ssize_t size
    cdef Room room
    cdef Inside* inside
    cdef int64_t* words_before  # each text node
    cdef int32_t* block_at  # the first block that begins at each text node or behind it
    cdef Sums* sums
    cdef int32_t below  # the block below the last heading that was kept

    def __cinit__(self, groups, is_data_table, elements, blocks, words, in_link, keep, content):
        self.groups, self.is_data_table = groups, is_data_table.view(np.uint8)
        cdef const int32_t[:, ::1] rows = elements
        check_sizes(rows.shape[0], ELEMENT_ROWS)
        self.tag, self.end = rows[TAG_ROW], rows[END_ROW]
        self.first_text, self.last_text = rows[FIRST_TEXT_ROW], rows[LAST_TEXT_ROW]
        self.blocks, self.words, self.in_link = blocks, words, in_link.view(np.uint8)
        self.keep, self.content = keep.view(np.uint8), content
        check_sizes(self.is_data_table.shape[0], self.tag.shape[0])
        check_sizes(self.in_link.shape[0], self.words.shape[0])
        check_sizes(self.keep.shape[0], self.blocks.shape[0])
        check_sizes(self.content.shape[0], self.blocks.shape[0])
        check_sizes(self.blocks.shape[1], 2)
        self.size = self.blocks.shape[0]
        self.inside = <Inside*>take(&self.room, self.tag.shape[0] + 1, sizeof(Inside))
        self.words_before = <int64_t*>take(&self.room, self.words.shape[0] + 1, sizeof(int64_t))
        self.block_at = <int32_t*>take(&self.room, self.words.shape[0] + 1, sizeof(int32_t))
        self.sums = <Sums*>take(&self.room, self.size + 1, sizeof(Sums))

    def __dealloc__(self):
        free_all(&self.room)

    cdef int sum_up(self) except -1:
        """Count what is before each element, text node and block."""
        cdef Py_ssize_t element, text, block
        cdef int64_t words, linked
        cdef uint32_t here
        cdef Sums* sums
        for element in range(self.tag.shape[0]):
            if not 0 <= self.tag[element] < self.groups.shape[0]:
                raise IndexError(f"no name has the number {self.tag[element]}")
            here = self.groups[self.tag[element]]
            self.inside[element + 1].items = self.inside[element].items + (here & ITEM != 0)
            self.inside[element + 1].containers = (
                self.inside[element].containers + (here & CONTAINER != 0)
            )
            self.inside[element + 1].images = self.inside[element].images + (here & IMAGE != 0)
        text = 0
        for block in range(self.size):
            if not text == self.blocks[block, 0] < self.blocks[block, 1] <= self.words.shape[0]:
                raise IndexError(f"block {block} does not follow the one before it")
            self.block_at[text] = <int32_t>block
            words = linked = 0
            for text in range(text, self.blocks[block, 1]):
                self.words_before[text + 1] = self.words_before[text] + self.words[text]
                self.block_at[text + 1] = <int32_t>(block + 1)
                words += self.words[text]
                linked += self.words[text] if self.in_link[text] else 0
            text = self.blocks[block, 1]
            sums = self.sums + block
            sums[1].words = sums.words + words
            sums[1].kept = sums.kept + (words if self.keep[block] else 0)
            sums[1].linked = sums.linked + linked
            sums[1].expected = sums.expected + words * self.content[block]
        check_sizes(text, self.words.shape[0])
        return 0

    cdef int mark_elements(self) except -1:
        cdef Py_ssize_t element
        cdef int32_t first, after
        cdef uint32_t here
        self.below = -1
        for element in range(self.tag.shape[0]):
            here = self.groups[self.tag[element]]
            if not (here & (LIST | TERMS | CODE | FIGURE | HEADING) or self.is_data_table[element]):
                continue
            first, after = self.first_text[element], self.last_text[element]
            if not (0 <= first <= after <= self.words.shape[0] and element < self.end[element]):
                raise IndexError(f"element {element} holds no text nodes from {first} to {after}")
            if first == after:
                continue
            first, after = self.block_at[first], self.block_at[after]
            if self.is_whole(element, here, first, after):
                self.sums[first].wholes += 1
                self.sums[after].wholes -= 1
            if here & HEADING:
                self.below = after if not here & H1 and self.is_kept(after - 1) else -1
                self.sums[first].headings += 1
                self.sums[after].headings -= 1
            if here & H1:
                self.sums[first].titles += 1
                self.sums[after].titles -= 1
        return 0

    cdef bint is_whole(self, Py_ssize_t element, uint32_t here, int32_t first, int32_t after):
        cdef double words = self.sums[after].words - self.sums[first].words
        cdef double kept = self.sums[after].kept - self.sums[first].kept
        cdef double linked = self.sums[after].linked - self.sums[first].linked
        cdef double expected = self.sums[after].expected - self.sums[first].expected
        cdef double likely
        cdef bint is_table = self.is_data_table[element]
        cdef bint is_likely = expected >= LIKELY_TABLE * words
        cdef bint is_below = first == self.below and expected >= LIKELY_BELOW * words
        if is_table and kept > 0 and (is_likely or kept >= MOST * words):
            return True
        if linked > MOST_LINKS * words:
            return False
        if is_table and self.is_kept(first - 1) and (is_below or is_likely and self.is_kept(after)):
            return True
        if is_table:
            return kept > 0 and kept >= MOST_OF_TABLE * words
        if here & TERMS and not self.holds_containers(element):
            if kept > 0 and kept >= MOST_OF_TERMS * words:
                return True
            if self.is_short_list(element) and (kept > 0 or self.is_kept(first - 1)):
                return expected >= LIKELY_TERMS * words
        if here & LIST and self.is_short_list(element):
            if is_below and linked == 0:
                return True
            likely = LIKELY_LIST if linked else LIKELY_PLAIN_LIST
            return kept > 0 and (kept >= MOST * words or expected >= likely * words)
        if here & (CODE | FIGURE) and kept > 0 and expected >= LIKELY_CODE * words:
            return True
        return here & (CODE | FIGURE) and kept > 0 and kept >= MOST_OF_CODE * words

    cdef bint is_kept(self, Py_ssize_t block) noexcept:
        return 0 <= block < self.size and self.keep[block]

    cdef bint holds_containers(self, Py_ssize_t element):
        """Tell whether an element holds parts of the page: headings, tables, forms."""
        cdef Py_ssize_t end = min(<Py_ssize_t>self.end[element], self.tag.shape[0])
        return self.inside[end].containers > self.inside[element + 1].containers

    cdef bint is_short_list(self, Py_ssize_t element):
        """Tell whether a list has short items, and is no container of the page."""
        cdef Py_ssize_t end = min(<Py_ssize_t>self.end[element], self.tag.shape[0])
        cdef int32_t items = self.inside[end].items - self.inside[element + 1].items
        cdef int32_t images = self.inside[end].images - self.inside[element + 1].images
        cdef int64_t words = (
            self.words_before[self.last_text[element]] - self.words_before[self.first_text[element]]
        )
        return (
            items >= 2
            and not self.holds_containers(element)
            and words <= MOST_WORDS_OF_ITEM * items
            and images <= MOST_IMAGES * items
        )

    cdef object blocks_found(self):
        result = np.zeros(self.size, dtype=np.bool_)
        cdef uint8_t[::1] found = result.view(np.uint8)
        cdef Py_ssize_t block
        cdef Py_ssize_t title = -1
        cdef bint has_title = False
        cdef int32_t wholes = 0, headings = 0, titles = 0
        cdef int64_t words
        cdef double least
        for block in range(self.size):
            wholes += self.sums[block].wholes
            headings += self.sums[block].headings
            titles += self.sums[block].titles
            found[block] = wholes > 0
            if headings <= 0:
                continue
            if self.keep[block]:
                has_title = has_title or titles > 0
                continue
            least = LIKELY_HEADING
            # A link to edit may be between, and the title may be no text that was kept.
            if self.is_kept(block - 1) or self.is_kept(block - 2) or 0 <= title == block - 1:
                least = LIKELY_BETWEEN
            found[block] |= self.is_kept(block + 1) and self.content[block] >= least
            words = self.sums[block + 1].words - self.sums[block].words
            if titles > 0 and 0 < words <= MOST_WORDS_OF_TITLE:
                if title < 0 or self.content[block] > self.content[title]:
                    title = block
        if title >= 0 and not has_title and self.content[title] >= LIKELY_TITLE:
            found[title] = True
        return result


def wholes(groups, is_data_table, elements, blocks, words, in_link, keep, content):
    """Return the blocks of wholes, of headings above kept text, and of the title."""
    cdef _Page page = _Page(groups, is_data_table, elements, blocks, words, in_link, keep, content)
    page.sum_up()
    page.mark_elements()
    return page.blocks_found()
