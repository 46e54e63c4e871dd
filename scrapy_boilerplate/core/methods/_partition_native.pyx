"""The loops of the methods ``energy`` and ``links``."""

from libc.stdint cimport int8_t, int32_t, int64_t, uint8_t, uint64_t

import numpy as np

from scrapy_boilerplate.core.page._checks cimport check_elements, check_parents, check_sizes
from scrapy_boilerplate.core.page._keys cimport Secret, number_keys, read_secret
from scrapy_boilerplate.core.secret import SECRET

cdef Secret secret = read_secret(SECRET)


# -- partitions ------------------------------------------------------------------------------


def partition(
    const uint8_t[::1] coherent not None,
    const int32_t[::1] end not None,
    const int32_t[::1] first_text not None,
    const int32_t[::1] last_text not None,
    Py_ssize_t size,
):
    """Return the spans and elements of a partition of *size* text nodes."""
    check_sizes(coherent.shape[0], end.shape[0])
    check_elements(end, first_text, last_text, size)
    spans = np.empty((size, 2), dtype=np.int64)
    elements = np.empty(size, dtype=np.int64)
    cdef Py_ssize_t count = divide(coherent, end, first_text, last_text, spans, elements)
    return spans[:count], elements[:count]


cdef Py_ssize_t divide(
    const uint8_t[::1] coherent,
    const int32_t[::1] end,
    const int32_t[::1] first_text,
    const int32_t[::1] last_text,
    int64_t[:, ::1] spans,
    int64_t[::1] elements,
) noexcept:
    """Fill in the outermost *coherent* elements and the texts outside of them; return how many."""
    cdef Py_ssize_t element
    cdef Py_ssize_t count = 0
    cdef Py_ssize_t text = 0  # up to which all is done
    cdef Py_ssize_t stop = 0  # where the last one of the elements ends
    for element in range(coherent.shape[0]):
        if element < stop or not coherent[element] or first_text[element] == last_text[element]:
            continue
        if first_text[element] < text:  # of no tree: it would hold what stands in another one
            continue
        count = add_single(spans, elements, count, text, first_text[element])
        spans[count, 0], spans[count, 1] = first_text[element], last_text[element]
        elements[count] = element
        count += 1
        text, stop = last_text[element], end[element]
    return add_single(spans, elements, count, text, spans.shape[0])


cdef inline Py_ssize_t add_single(
    int64_t[:, ::1] spans, int64_t[::1] elements, Py_ssize_t count, Py_ssize_t text, Py_ssize_t stop
) noexcept:
    """Add each of the text nodes from *text* to *stop*; return how many nodes there are then."""
    for text in range(text, stop):
        spans[count, 0], spans[count, 1], elements[count] = text, text + 1, -1
        count += 1
    return count


# -- links -----------------------------------------------------------------------------------

cdef enum:
    # Flags of text nodes.
    IN_LINK = 1
    LARGE = 2
    IS_TEXT = 4  # of a block with as many words outside of links as inside

cdef enum:
    NEVER = 1 << 30  # a depth that no element has

cdef enum:
    # Roles, as in ``_partition``.
    NAVIGATION, TEASER, BODY, BOILERPLATE


cdef class _Links:
    """What the rules read and find; what is counted by element includes the element."""

    cdef const int32_t[::1] tag, parent, depth, end, first, last, text_parent
    cdef Py_ssize_t size
    cdef Py_ssize_t texts
    # Of text nodes.
    cdef uint8_t[::1] flags
    cdef int32_t[::1] block
    cdef int64_t[::1] free  # words outside of links before each
    cdef int32_t[::1] large  # parts of large texts before each
    # Of elements: flags …
    cdef uint8_t[::1] is_link, is_cut, is_teaser, coherent
    # … and how many stand before each.
    cdef int32_t[::1] links, cuts, navigation, teasers

    def __init__(self, page):
        self.tag, self.parent, self.depth, self.end = page.tag, page.parent, page.depth, page.end
        self.first, self.last, self.text_parent = page.first_text, page.last_text, page.text_parent
        self.size, self.texts = self.tag.shape[0], self.text_parent.shape[0]
        check_sizes(self.size, self.depth.shape[0])
        check_elements(self.end, self.first, self.last, self.texts)
        check_sizes(self.parent.shape[0], self.size)
        check_parents(self.parent, self.text_parent)
        self.flags = np.zeros(self.texts, dtype=np.uint8)
        self.block, self.large = np.zeros((2, self.texts + 1), dtype=np.int32)
        self.free = np.zeros(self.texts + 1, dtype=np.int64)
        self.is_link, self.is_cut, self.is_teaser, self.coherent = np.zeros(
            (4, self.size), dtype=np.uint8
        )
        self.links, self.cuts, self.navigation, self.teasers = np.zeros(
            (4, self.size + 1), dtype=np.int32
        )

    cdef int64_t words(self, Py_ssize_t element) noexcept:
        """Return the words of an element outside of links."""
        return self.free[self.last[element]] - self.free[self.first[element]]

    cdef int32_t inside(self, const int32_t[::1] before, Py_ssize_t element) noexcept:
        """Return how many of what is counted *before* each element stand in one."""
        return before[self.end[element]] - before[element]

    cdef int find_links(self, const uint8_t[::1] anchors) except -1:
        """Find the outermost links, and the texts in them (rule 1)."""
        cdef Py_ssize_t element, text
        cdef Py_ssize_t stop = 0  # where the last one ends
        check_sizes(anchors.shape[0], self.size)
        for element in range(self.size):
            if anchors[element] and element >= stop:
                stop = self.end[element]
                self.is_link[element] = self.last[element] > self.first[element]
                for text in range(self.first[element], self.last[element]):
                    self.flags[text] |= IN_LINK
            self.links[element + 1] = self.links[element] + self.is_link[element]
        return 0

    cdef int count_words(
        self, const int64_t[:, ::1] blocks, const int64_t[::1] words, int64_t large_text
    ) except -1:
        """Count words outside of links, and find large texts and those that links stand in."""
        cdef Py_ssize_t block, text
        cdef int64_t all_words, free
        cdef uint8_t found
        check_sizes(words.shape[0], self.texts)
        for block in range(blocks.shape[0]):
            check_sizes(blocks[block, 0], blocks[block - 1, 1] if block else 0)
            if not blocks[block, 0] <= blocks[block, 1] <= self.texts:
                raise IndexError(f"block {block} ends behind the last text node")
            all_words = 0
            for text in range(blocks[block, 0], blocks[block, 1]):
                all_words += words[text]
                free = 0 if self.flags[text] & IN_LINK else words[text]
                self.free[text + 1] = self.free[text] + free
            free = self.free[blocks[block, 1]] - self.free[blocks[block, 0]]
            found = (LARGE if free >= large_text else 0) | (IS_TEXT if 2 * free >= all_words else 0)
            for text in range(blocks[block, 0], blocks[block, 1]):
                self.block[text] = <int32_t>block
                if self.free[text + 1] > self.free[text]:
                    self.flags[text] |= found
                self.large[text + 1] = self.large[text] + (self.flags[text] & LARGE != 0)
        return 0

    cdef bint is_inline(self, Py_ssize_t link) noexcept:
        """Tell whether a link belongs to the text beside it (rule 2)."""
        cdef Py_ssize_t first = self.first[link]
        cdef Py_ssize_t last = self.last[link] - 1
        return self.block[first] == self.block[last] and (
            (first > 0 and self.is_beside(first - 1, first))
            or (last + 1 < self.texts and self.is_beside(last + 1, last))
        )

    cdef inline bint is_beside(self, Py_ssize_t text, Py_ssize_t other) noexcept:
        return self.flags[text] & IS_TEXT and self.block[text] == self.block[other]

    cdef int find_navigation(self) noexcept:
        """Find the links to be cut out, and the navigation (rule 4)."""
        cdef Py_ssize_t element
        cdef bint is_navigation
        for element in range(self.size):
            self.is_cut[element] = self.is_link[element] and not self.is_inline(element)
            self.cuts[element + 1] = self.cuts[element] + self.is_cut[element]
            is_navigation = self.inside(self.links, element) > 1 and self.words(element) == 0
            self.navigation[element + 1] = self.navigation[element] + is_navigation
        return 0

    cdef int find_teasers(self, int64_t teaser_text, int64_t least) except -1:
        """Find the teasers (rule 5)."""
        cdef Py_ssize_t count = 0
        cdef Py_ssize_t element, number
        likely = np.empty(self.size, dtype=np.int32)
        cdef int32_t[::1] elements = likely
        for element in range(self.size):
            if (
                self.inside(self.cuts, element)
                and not self.is_link[element]
                and 0 < self.words(element) <= teaser_text
                and not self.inside(self.navigation, element)
            ):
                elements[count] = <int32_t>element
                count += 1
        if not count:
            return 0
        self.keep_many(elements[:count], least)
        for element in range(self.size):
            self.teasers[element + 1] = self.teasers[element] + self.is_teaser[element]
        for number in range(count):
            element = elements[number]
            self.is_teaser[element] &= self.inside(self.teasers, element) == 1
        for element in range(self.size):
            self.teasers[element + 1] = self.teasers[element] + self.is_teaser[element]
        return 0

    cdef int keep_many(self, int32_t[::1] elements, int64_t least) except -1:
        """Flag as teasers those of *elements* that have as many siblings of their tag among them."""
        cdef Py_ssize_t count = elements.shape[0]
        cdef Py_ssize_t number
        cdef uint64_t[::1] keys = np.empty(count, dtype=np.uint64)
        cdef int32_t[::1] kind, many
        cdef uint64_t above, tag
        kind, many = np.zeros((2, count), dtype=np.int32)
        for number in range(count):
            above, tag = <uint64_t>self.parent[elements[number]], <uint64_t>self.tag[elements[number]]
            keys[number] = above << 32 | tag
        number_keys(&keys[0], count, &kind[0], secret)
        for number in range(count):
            many[kind[number]] += 1
        for number in range(count):
            self.is_teaser[elements[number]] = many[kind[number]] >= least
        return 0

    cdef int find_coherent(self) except -1:
        """Find the coherent elements, and among them those of the upper bound (rule 3)."""
        cdef int32_t[::1] cut, text  # least depths in each element of such links and of large texts
        cdef Py_ssize_t element, number
        cdef int32_t above
        cut, text = np.full((2, self.size), NEVER, dtype=np.int32)
        for number in range(self.texts):
            if self.flags[number] & LARGE:
                element = self.text_parent[number]
                text[element] = self.depth[element]
        for element in range(self.size - 1, -1, -1):
            if self.is_cut[element]:
                cut[element] = min(cut[element], self.depth[element])
            above = self.parent[element]
            if above >= 0:
                cut[above] = min(cut[above], cut[element])
                text[above] = min(text[above], text[element])
            self.coherent[element] = (
                self.is_link[element]
                or self.is_teaser[element]
                or not self.inside(self.cuts, element)
                or (
                    self.large[self.last[element]] > self.large[self.first[element]]
                    and not self.inside(self.teasers, element)
                    and not self.inside(self.navigation, element)
                    and cut[element] >= text[element]
                )
            )
        return 0

    cdef object divided(self):
        """Return spans, elements, words outside of links and roles of the coherent texts."""
        spans = np.empty((self.texts, 2), dtype=np.int64)
        elements = np.empty(self.texts, dtype=np.int64)
        words = np.empty(self.texts)
        roles = np.empty(self.texts, dtype=np.int8)
        large = np.empty(self.texts, dtype=np.bool_)
        cdef int64_t[:, ::1] span = spans
        cdef int64_t[::1] element_of = elements
        cdef double[::1] words_of = words
        cdef int8_t[::1] role_of = roles
        cdef uint8_t[::1] large_of = large.view(np.uint8)
        cdef Py_ssize_t count = divide(self.coherent, self.end, self.first, self.last, span, element_of)
        cdef Py_ssize_t number, start, stop
        cdef int64_t element
        for number in range(count):
            start, stop, element = span[number, 0], span[number, 1], element_of[number]
            words_of[number] = <double>(self.free[stop] - self.free[start])
            large_of[number] = self.large[stop] > self.large[start]
            role_of[number] = BODY if large_of[number] else BOILERPLATE
            if element >= 0 and self.is_link[element]:
                role_of[number] = NAVIGATION
            elif element >= 0 and self.is_teaser[element]:
                role_of[number] = TEASER
        return spans[:count], elements[:count], words[:count], large[:count], roles[:count]


def coherent_texts(page not None, limits not None):
    """Return spans, elements, words, which are large, and roles of a page's coherent texts."""
    large_text, teaser_text, teasers = limits
    cdef _Links found = _Links(page)
    found.find_links(page.has_tag(("a",)).view(np.uint8))
    found.count_words(page.blocks, page.words, large_text)
    found.find_navigation()
    found.find_teasers(teaser_text, teasers)
    found.find_coherent()
    return found.divided()
