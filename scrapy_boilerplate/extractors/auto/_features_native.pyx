"""The features of :mod:`scrapy_boilerplate.extractors.auto.features`, a block at a time.

What each of them means stands there, in numpy; here are the same numbers in the same order.
"""

from libc.math cimport log, log1p
from libc.stdint cimport int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t

import numpy as np

from scrapy_boilerplate.page._characters cimport (
    SPACE,
    Character,
    PyUnicode_DATA,
    PyUnicode_KIND,
    class_of,
)
from scrapy_boilerplate.page._keys cimport Secret, joined, number_keys, read_secret
from scrapy_boilerplate.page.native import SECRET

cdef Secret secret = read_secret(SECRET)

cdef enum:
    # Sizes, as in the twin.
    LEVELS = 5
    KINDS = 9
    GROUPS = 21
    NAMED = 24
    LAST_OF_TABLE = 0xFFFF
    COPIES = 8
    MOST_OF_PAGE = 64  # features that all blocks share
    WIDTH = 304

cdef enum:
    # Kinds of characters.
    OTHER, CAPITAL, DIGIT, STOP, COMMA, COLON, BAR, QUOTE, MONEY

cdef enum:
    # Features of elements, of which some levels above a block are looked at.
    TAG, LOG_WORDS, WORD_SHARE, LINK_DENSITY, LOG_BLOCKS, WORDS_PER_BLOCK, STOPS, PARAGRAPHS
    CHILDREN, SIBLINGS, MEDIA, CONTROLS, HEADINGS
    FACTS

cdef enum:
    SLOT, OUTER, PATH, KEYS

cdef int* NEAREST = [0, 1, 1, 0, 1, 1, 1, 2, 0, 0, 2, 1, 1]
cdef int* RADII = [2, 5, 10, 25]
cdef int* OFFSETS = [-2, -1, 1, 2]

# Numbers of the groups of elements, in the order of the twin's ABOVE.
cdef enum:
    IN_BUTTON = 7
    IN_ITEM = 9
    IN_TABLE = 11
    IN_HEADING = 13
    IN_H1 = 14
    IN_P = 16
    IN_CODE = 17

# What an element is besides, in the bits above those of its groups.
cdef enum:
    IS_VOID = 1 << 24
    IS_MEDIA = 1 << 25
    IS_CONTROL = 1 << 26
    IS_ARTICLE = 1 << 27
    IS_MAIN = 1 << 28
    GROUP_BITS = (1 << GROUPS) - 1


cdef void count_kinds(
    const Character* text,
    const uint8_t* table,
    const int32_t[::1] start,
    const int32_t[::1] stop,
    const uint8_t* classes,
    double[:, ::1] kinds,
    int32_t[::1] last_kind,
) noexcept:
    """Count the characters of each block by kind, and find the kind of its last visible one."""
    cdef Py_ssize_t block, place
    cdef Py_ssize_t last = 0  # visible character so far
    cdef int32_t[KINDS] counts
    cdef uint8_t kind
    cdef uint32_t code
    cdef int number
    for block in range(start.shape[0]):
        for number in range(KINDS):
            counts[number] = 0
        for place in range(start[block], stop[block]):
            code = text[place]
            kind = table[min(code, <uint32_t>LAST_OF_TABLE)]
            counts[kind] += 1
            if class_of(code, classes) != SPACE:
                last = place
        for number in range(1, KINDS):
            kinds[number, block] = counts[number]
        last_kind[block] = table[min(<uint32_t>text[last], <uint32_t>LAST_OF_TABLE)]


cdef class Features:
    """What a model sees of a page's blocks; the arguments are made by the twin's module."""

    cdef readonly object words
    """Words of each block."""
    cdef readonly object bits
    """The groups of elements that each block stands in, a bit each."""
    cdef readonly object title_overlap
    """Share of the page's title that each short block has."""
    cdef readonly object named
    """The groups of words in classes and ids above each block, a bit each."""

    cdef const int32_t[::1] text_tags  # before each text node
    # By block.
    cdef Py_ssize_t size
    cdef Py_ssize_t texts
    cdef const int32_t[::1] first
    cdef const int32_t[::1] after
    cdef int32_t[::1] holder
    cdef int32_t[:, ::1] chain
    cdef double[::1] words_of
    cdef double[::1] log_words
    cdef double[::1] linked
    cdef double[::1] characters
    cdef double[::1] symbols
    cdef double[:, ::1] kinds
    cdef int32_t[::1] last_kind
    cdef double[::1] tags
    cdef double[::1] density
    cdef int64_t[::1] bits_of
    cdef int64_t[::1] named_of
    cdef const float[:, ::1] copies
    cdef const float[::1] overlap
    cdef double[::1] attribute_sum
    cdef int32_t[:, ::1] key_of
    cdef double[:, :, ::1] key_facts
    cdef int32_t[:, ::1] distances
    # Sums before each block.
    cdef double[::1] sum_words
    cdef double[::1] sum_linked
    cdef double[::1] sum_stops
    cdef double[::1] sum_paragraphs
    cdef double[::1] sum_headings
    cdef double[::1] sum_big15
    cdef double[::1] sum_big20
    cdef double[::1] sum_sentences
    # By element.
    cdef const int32_t[::1] tag
    cdef const int32_t[::1] parent
    cdef const int32_t[::1] depth
    cdef const int32_t[::1] end
    cdef int32_t[::1] nearest
    cdef int32_t[::1] first_block
    cdef int32_t[::1] last_block
    cdef uint64_t[::1] tag_class_key
    cdef int32_t[::1] children
    cdef int32_t[::1] alike
    cdef int32_t[::1] media_before
    cdef int32_t[::1] controls_before
    cdef double[::1] least
    cdef double[::1] most
    cdef double[::1] mean
    cdef double[::1] least_above
    cdef double[::1] most_above
    cdef double[::1] mean_above
    cdef float[:, ::1] facts
    cdef uint8_t[::1] has_facts
    cdef double[::1] score
    cdef int32_t[::1] common
    # By page.
    cdef int32_t known_tags
    cdef int32_t paragraph
    cdef double total
    cdef int32_t best
    cdef int32_t[2] run_start
    cdef int32_t[2] run_stop
    cdef int32_t from_title
    cdef float least_overlap  # as precise as what it is compared with
    cdef float[MOST_OF_PAGE] page_facts
    cdef int page_width
    cdef float mean_attribute_sum

    def __init__(
        self, page, flags, meanings, kinds, copies, title_limits, declared, known_tags, classes
    ):
        """Read *page*.

        *flags* by tag say what an element is, *meanings* by string what a class or id means
        (least, most, mean, named groups, first name), *kinds* by code point its kind and its class;
        *copies* by block say which texts occur again; *title_limits* are what a part of the title
        has at most and at least; *declared* is what the page says of itself.
        """
        self.known_tags, self.paragraph = known_tags
        self.copies = copies
        self.tag, self.parent, self.depth = page.tag, page.parent, page.depth
        self.end = page.end
        self._read_elements(page, flags, meanings, classes)
        self._read_blocks(page, flags, kinds)
        self._find_title(page, title_limits)
        self._read_chains(page, flags, meanings, classes)
        self._sum_up()
        self._find_best()
        self._find_runs(page)
        self._find_distances()
        self._find_repetition()
        self._read_page(page, flags, declared, classes)
        self.facts = np.empty((self.tag.shape[0], FACTS), dtype=np.float32)
        self.has_facts = np.zeros(self.tag.shape[0], dtype=np.uint8)

    # -- elements ----------------------------------------------------------------------------

    cdef int _read_elements(self, page, flags, meanings, classes) except -1:
        """What follows from an element and those above it, which come before it."""
        cdef Py_ssize_t size = self.tag.shape[0]
        cdef const int32_t[::1] kind_of = flags
        cdef const double[:, ::1] means = meanings
        cdef const int32_t[::1] class_of = page.class_id
        cdef const int32_t[::1] id_of = page.id_id
        cdef const uint8_t[::1] is_block = page.is_block.view(np.uint8)
        cdef bint with_classes = classes
        cdef Py_ssize_t element
        cdef int32_t above, kind, class_id, identifier
        self.nearest = np.empty(size, dtype=np.int32)
        self.tag_class_key = np.empty(size, dtype=np.uint64)
        self.children = np.zeros(size, dtype=np.int32)
        self.media_before = np.zeros(size + 1, dtype=np.int32)
        self.controls_before = np.zeros(size + 1, dtype=np.int32)
        self.least, self.most, self.mean = np.zeros((3, size))
        self.least_above, self.most_above, self.mean_above = np.zeros((3, size))
        for element in range(size):
            above = max(self.parent[element], 0)
            kind = kind_of[self.tag[element]]
            class_id = class_of[element] if with_classes else 0
            identifier = id_of[element] if with_classes else 0
            if is_block[element] or self.parent[element] < 0:
                self.nearest[element] = <int32_t>element
            else:
                self.nearest[element] = self.nearest[above]
            self.tag_class_key[element] = joined(
                <uint64_t>means[4, class_id], self.tag[element], secret
            )
            self.children[above] += 1
            self.media_before[element + 1] = self.media_before[element] + (kind & IS_MEDIA != 0)
            self.controls_before[element + 1] = (
                self.controls_before[element] + (kind & IS_CONTROL != 0)
            )
            self.least[element] = min(means[0, class_id], means[0, identifier])
            self.most[element] = max(means[1, class_id], means[1, identifier])
            self.mean[element] = means[2, class_id] + means[2, identifier]
            self.least_above[element] = min(self.least[element], self.least_above[above])
            self.most_above[element] = max(self.most[element], self.most_above[above])
            self.mean_above[element] = self.mean[element]
            if above > 0:
                self.mean_above[element] += self.mean_above[above]
        return 0

    # -- blocks ------------------------------------------------------------------------------

    cdef int _read_blocks(self, page, flags, kinds) except -1:
        """What follows from a block's text, and the groups of elements it stands in."""
        spans = np.ascontiguousarray(page.blocks.T, dtype=np.int32)
        self.first, self.after = spans
        cdef Py_ssize_t size = self.first.shape[0]
        cdef const int32_t[::1] text_parent = page.text_parent
        cdef const int32_t[::1] text_at = page.text_at
        start_of, stop_of = page.text_start[spans[0]], page.text_stop[spans[1] - 1]
        cdef const int32_t[::1] start = start_of
        cdef const int32_t[::1] stop = stop_of
        cdef const int64_t[::1] words = page.words
        cdef const int64_t[::1] symbols = page.symbols
        cdef const int64_t[::1] visible = page.visible
        cdef const uint8_t[::1] in_link = page.in_link.view(np.uint8)
        cdef const uint8_t[::1] kind_of = kinds[0]
        cdef const uint8_t[::1] classes = kinds[1]
        cdef Py_ssize_t block, text
        self.size, self.texts = size, text_parent.shape[0]
        self.words_of = self.words = np.empty(size)
        self.log_words, self.linked, self.characters = np.empty((3, size))
        self.symbols, self.tags, self.density = np.empty((3, size))
        self.attribute_sum = np.empty(size)
        self.kinds = np.zeros((KINDS, size))
        self.last_kind = np.empty(size, dtype=np.int32)
        self.holder = np.empty(size, dtype=np.int32)
        self.text_tags = self._count_tags(flags, text_parent, text_at)
        self.total = 0
        for block in range(size):
            self.holder[block] = text_parent[self.first[block]]
            self.words_of[block] = self.symbols[block] = self.characters[block] = 0
            self.linked[block] = self.tags[block] = 0
            for text in range(self.first[block], self.after[block]):
                self.words_of[block] += words[text]
                self.symbols[block] += symbols[text]
                self.characters[block] += visible[text]
                if in_link[text]:
                    self.linked[block] += words[text]
                self.tags[block] += self.text_tags[text]
            self.log_words[block] = log1p(self.words_of[block])
            self.density[block] = self.linked[block] / max(self.words_of[block], 1.0)
            self.attribute_sum[block] = self.mean_above[self.holder[block]]
            self.total += self.words_of[block]
        self.total = max(self.total, 1.0)
        cdef str text_of_page = page.buffer
        cdef const void* data = PyUnicode_DATA(text_of_page)
        cdef int width = PyUnicode_KIND(text_of_page)
        if width == 1:
            count_kinds(
                <const uint8_t*>data, &kind_of[0], start, stop, &classes[0], self.kinds,
                self.last_kind
            )
        elif width == 2:
            count_kinds(
                <const uint16_t*>data, &kind_of[0], start, stop, &classes[0], self.kinds,
                self.last_kind
            )
        else:
            count_kinds(
                <const uint32_t*>data, &kind_of[0], start, stop, &classes[0], self.kinds,
                self.last_kind
            )
        return 0

    cdef int _find_title(self, page, limits) except -1:
        """What share of the page's title each block has that may be a part of it."""
        cdef double words, most_characters, least_share
        words, most_characters, least_share, self.least_overlap = limits
        cdef str title = page.title.lower()
        cdef double length = len(title)
        cdef double shortest = least_share * length
        cdef double longest = min(most_characters, length)
        cdef float[::1] overlap = np.zeros(self.size, dtype=np.float32)
        cdef Py_ssize_t block
        cdef list likely = []
        for block in range(self.size):
            if self.words_of[block] <= words and shortest <= self.characters[block] <= longest:
                likely.append(block)
        for block, text in zip(likely, page.lay_out_all(page.blocks[likely]) if likely else ()):
            if text.lower() in title:
                overlap[block] = <float>(len(text) / length)
        self.title_overlap, self.overlap = np.asarray(overlap), overlap
        return 0

    cdef object _count_tags(
        self, flags, const int32_t[::1] text_parent, const int32_t[::1] text_at
    ):
        """Count the tags before each text node, since the one before it; void elements are one."""
        cdef const int32_t[::1] kind_of = flags
        tags = np.empty(self.texts, dtype=np.int32)
        cdef int32_t[::1] tag_of = tags
        cdef int32_t element = 0
        cdef int32_t voids = 0
        cdef int32_t before = 0
        cdef int32_t here
        cdef Py_ssize_t text
        for text in range(self.texts):
            while element < text_at[text]:
                voids += kind_of[self.tag[element]] & IS_VOID != 0
                element += 1
            here = 2 * text_at[text] - self.depth[text_parent[text]] - 1 - voids
            tag_of[text] = here - before
            before = here
        return tags

    cdef int _read_chains(self, page, flags, meanings, classes) except -1:
        """The elements above each block, and the blocks inside each element."""
        cdef Py_ssize_t size = self.tag.shape[0]
        cdef const int32_t[::1] kind_of = flags
        cdef const double[:, ::1] means = meanings
        cdef const int32_t[::1] class_of = page.class_id
        cdef const int32_t[::1] id_of = page.id_id
        cdef const int32_t[::1] first_text = page.first_text
        cdef const int32_t[::1] last_text = page.last_text
        cdef bint with_classes = classes
        cdef int32_t[::1] block_of = np.full(self.texts + 1, self.size, dtype=np.int32)
        cdef int32_t[::1] groups = np.zeros(size, dtype=np.int32)
        cdef int64_t[::1] named = np.zeros(size, dtype=np.int64)
        cdef Py_ssize_t block, element, text
        cdef int32_t above
        cdef int level
        for block in range(self.size):
            for text in range(self.first[block], self.after[block]):
                block_of[text] = <int32_t>block
        self.first_block = np.empty(size, dtype=np.int32)
        self.last_block = np.empty(size, dtype=np.int32)
        for element in range(size):
            above = max(self.parent[element], 0)
            groups[element] = groups[above] | (kind_of[self.tag[element]] & GROUP_BITS)
            named[element] = named[above]
            if with_classes:
                named[element] |= <int64_t>means[3, class_of[element]]
                named[element] |= <int64_t>means[3, id_of[element]]
            self.first_block[element] = self.last_block[element] = block_of[first_text[element]]
            if last_text[element] > first_text[element]:
                self.last_block[element] = block_of[last_text[element] - 1] + 1
        self.bits, self.named = np.empty((2, self.size), dtype=np.int64)
        self.bits_of, self.named_of = self.bits, self.named
        self.chain = np.empty((self.size, LEVELS), dtype=np.int32)
        for block in range(self.size):
            self.bits_of[block] = groups[self.holder[block]]
            self.named_of[block] = named[self.holder[block]]
            above = self.nearest[self.holder[block]]
            for level in range(LEVELS):
                self.chain[block, level] = above
                above = self.nearest[max(self.parent[above], 0)]
        cdef uint64_t[::1] family = np.empty(size, dtype=np.uint64)
        for element in range(size):
            family[element] = joined(
                self.tag_class_key[element], <uint64_t>(self.parent[element] + 1), secret
            )
        cdef int32_t[::1] number = np.empty(size, dtype=np.int32)
        cdef int32_t different = number_keys(&family[0], size, &number[0], secret)
        cdef int32_t[::1] count = np.zeros(different, dtype=np.int32)
        for element in range(size):
            count[number[element]] += 1
        self.alike = np.empty(size, dtype=np.int32)
        for element in range(size):
            self.alike[element] = count[number[element]]
        return 0

    cdef bint _is_in(self, Py_ssize_t block, int group):
        return (self.bits_of[block] >> group) & 1

    cdef int _sum_up(self) except -1:
        """Sums before each block."""
        cdef Py_ssize_t block
        cdef double words, linked
        cdef double[:, ::1] sums = np.zeros((8, self.size + 1))
        self.sum_words, self.sum_linked, self.sum_stops = sums[0], sums[1], sums[2]
        self.sum_paragraphs, self.sum_headings, self.sum_big15 = sums[3], sums[4], sums[5]
        self.sum_big20, self.sum_sentences = sums[6], sums[7]
        for block in range(self.size):
            words, linked = self.words_of[block], self.linked[block]
            sums[0, block + 1] = sums[0, block] + words
            sums[1, block + 1] = sums[1, block] + linked
            sums[2, block + 1] = sums[2, block] + self.kinds[STOP, block]
            sums[3, block + 1] = sums[3, block] + (words - linked if self._is_in(block, IN_P) else 0)
            sums[4, block + 1] = sums[4, block] + self._is_in(block, IN_HEADING)
            sums[5, block + 1] = sums[5, block] + (words >= 15 and self.density[block] < 0.3)
            sums[6, block + 1] = sums[6, block] + self._is_big(block)
            sums[7, block + 1] = sums[7, block] + (self.last_kind[block] == STOP)
        return 0

    cdef bint _is_big(self, Py_ssize_t block):
        return self.words_of[block] >= 20 and self.density[block] < 0.3

    # -- the page as a whole -----------------------------------------------------------------

    cdef int _find_best(self) except -1:
        """The element with most sentences, as readability scores it."""
        cdef Py_ssize_t size = self.tag.shape[0]
        cdef Py_ssize_t block, element
        cdef double worth
        cdef int32_t above
        self.score = np.zeros(size)
        for block in range(self.size):
            if self.words_of[block] < 8 or self.density[block] >= 0.4:
                continue
            worth = self.kinds[COMMA, block] + self.kinds[STOP, block]
            worth = min(self.words_of[block], 100.0) + 10 * min(worth, 10.0)
            if self._tag_of(self.chain[block, 0]) != self.paragraph:
                self.score[self.chain[block, 0]] += worth * 0.5
            self.score[self.chain[block, 1]] += worth
            self.score[self.chain[block, 2]] += worth * 0.5
        self.best = 0
        for element in range(size):
            if self.score[element] > self.score[self.best]:
                self.best = <int32_t>element
        # How deep the nearest element is that holds both an element and the best one.
        self.common = np.full(size, -1, dtype=np.int32)
        above = self.best
        while above >= 0:
            self.common[above] = self.depth[above]
            above = self.parent[above]
        for element in range(1, size):
            if self.common[element] < 0:
                self.common[element] = self.common[self.parent[element]]
        return 0

    cdef int32_t _tag_of(self, int32_t element):
        return min(self.tag[element], self.known_tags)

    cdef int _find_runs(self, page) except -1:
        """The best runs of text nodes, for two values of a tag."""
        cdef const int64_t[::1] words = page.words
        cdef const int64_t[::1] symbols = page.symbols
        cdef double[2] tag_score = [-1.0, -3.25]
        cdef double after, before, gain, lowest, most
        cdef int32_t here, lowest_at
        cdef int64_t tokens
        cdef int run
        for run in range(2):
            after = most = lowest = 0
            lowest_at = 0
            self.run_start[run] = self.run_stop[run] = 0
            for here in range(self.texts):
                tokens = words[here] + symbols[here]
                before = after + tag_score[run] * self.text_tags[here]
                after = before + tokens
                if here == 0 or before < lowest:
                    lowest, lowest_at = before, here
                gain = after - lowest
                if gain > most:
                    most = gain
                    self.run_start[run], self.run_stop[run] = lowest_at, here + 1
        return 0

    cdef int _find_distances(self) except -1:
        """How far before and behind the nearest big block is, the nearest heading, and h1."""
        cdef Py_ssize_t block
        cdef int32_t[3] near
        cdef bint[3] flags
        cdef int kind
        self.distances = np.empty((6, self.size), dtype=np.int32)
        near[0] = near[1] = near[2] = 99
        for block in range(self.size):
            flags = [self._is_big(block), self._is_in(block, IN_HEADING), self._is_in(block, IN_H1)]
            for kind in range(3):
                near[kind] = 0 if flags[kind] else min(near[kind] + 1, 99)
                self.distances[2 * kind, block] = near[kind]
        near[0] = near[1] = near[2] = 99
        for block in range(self.size - 1, -1, -1):
            flags = [self._is_big(block), self._is_in(block, IN_HEADING), self._is_in(block, IN_H1)]
            for kind in range(3):
                near[kind] = 0 if flags[kind] else min(near[kind] + 1, 99)
                self.distances[2 * kind + 1, block] = near[kind]
        return 0

    cdef int _find_repetition(self) except -1:
        """What the blocks are like that stand in elements of the same tags and first classes."""
        cdef Py_ssize_t size = self.tag.shape[0]
        cdef uint64_t[::1] path = np.empty(size, dtype=np.uint64)
        cdef uint64_t[::1] keys = np.empty(self.size, dtype=np.uint64)
        cdef Py_ssize_t element, block
        cdef int32_t number
        cdef int key
        path[0] = joined(secret.first, self.tag_class_key[0], secret)
        for element in range(1, size):
            path[element] = joined(
                path[self.parent[element]], self.tag_class_key[element], secret
            )
        self.key_of = np.empty((KEYS, self.size), dtype=np.int32)
        # Sums of: blocks, words, words in links, sentences, logarithms of words, their squares.
        self.key_facts = np.zeros((KEYS, self.size, 6))
        for key in range(KEYS):
            for block in range(self.size):
                if key == PATH:
                    keys[block] = path[self.chain[block, 0]]
                else:
                    keys[block] = self._slot(block, key)
            number_keys(&keys[0], self.size, &self.key_of[key, 0], secret)
            for block in range(self.size):
                number = self.key_of[key, block]
                self.key_facts[key, number, 0] += 1
                self.key_facts[key, number, 1] += self.words_of[block]
                self.key_facts[key, number, 2] += self.linked[block]
                self.key_facts[key, number, 3] += self.last_kind[block] == STOP
                self.key_facts[key, number, 4] += self.log_words[block]
                self.key_facts[key, number, 5] += self.log_words[block] * self.log_words[block]
        return 0

    cdef uint64_t _slot(self, Py_ssize_t block, int from_level):
        """Return a key for the tags and first classes of three elements above."""
        cdef uint64_t key = secret.first
        cdef int level
        for level in range(from_level, from_level + 3):
            key = joined(key, self.tag_class_key[self.chain[block, level]], secret)
        return key

    cdef int _read_page(self, page, flags, declared, classes) except -1:
        """The features that all blocks of a page share, in their order behind the others."""
        cdef const int32_t[::1] kind_of = flags
        cdef const int32_t[::1] class_of = page.class_id
        cdef Py_ssize_t size = self.tag.shape[0]
        cdef Py_ssize_t block, element
        cdef double count = self.size
        cdef double linked = 0, big = 0, big_words = 0, longest = 0, in_p = 0, sentences = 0
        cdef double controls = 0, tables = 0, items = 0, code = 0, headings = 0, h1 = 0, money = 0
        cdef double articles = 0, mains = 0, images = 0, plain = 0, siblings = 0
        cdef int32_t kind
        cdef Py_ssize_t best = 0
        for block in range(self.size):
            linked += self.linked[block]
            if self._is_big(block):
                big += 1
                big_words += self.words_of[block]
            longest = max(longest, self.words_of[block])
            if self._is_in(block, IN_P):
                in_p += self.words_of[block]
            sentences += self.last_kind[block] == STOP
            controls += self._is_in(block, IN_BUTTON)
            tables += self._is_in(block, IN_TABLE)
            items += self._is_in(block, IN_ITEM)
            code += self._is_in(block, IN_CODE)
            headings += self._is_in(block, IN_HEADING)
            h1 += self._is_in(block, IN_H1)
            money += self.kinds[MONEY, block]
            siblings += log(<double>self.alike[self.chain[block, 1]])
            if self.overlap[block] > self.overlap[best]:
                best = block
        for element in range(size):
            kind = kind_of[self.tag[element]]
            articles += kind & IS_ARTICLE != 0
            mains += kind & IS_MAIN != 0
            images += kind & IS_MEDIA != 0
            plain += class_of[element] == 0
        self.from_title = <int32_t>best if self.overlap[best] > self.least_overlap else -1
        found = [
            log(count),
            log(self.total),
            linked / self.total,
            big,
            big_words / self.total,
            log1p(longest),
            in_p / self.total,
            log1p(self.total / count),
            sentences / count,
            controls / count,
            tables / count,
            items / count,
            code / count,
            headings / count,
            h1,
            articles,
            mains,
            log1p(images),
            plain / size if classes else 1.0,
            log(<double>len(page.strings)) if classes else 0.0,
            money,
            log(<double>size),
            siblings / count,
            *declared,
        ]
        if len(found) > MOST_OF_PAGE:
            raise ValueError(f"{len(found)} features of a page, and room for {MOST_OF_PAGE}")
        self.page_width = len(found)
        for element in range(self.page_width):
            self.page_facts[element] = found[element]
        cdef double attributes = 0
        for block in range(self.size):
            attributes += self.attribute_sum[block]
        self.mean_attribute_sum = <float>(attributes / count)
        return 0

    # -- rows --------------------------------------------------------------------------------

    cdef int _find_facts(self, int32_t element) except -1:
        """Work out the features of an element that stands above a block."""
        cdef double words, linked, stops, paragraphs, headings, blocks, some
        cdef int32_t low = self.first_block[element]
        cdef int32_t high = self.last_block[element]
        cdef float* facts = &self.facts[element, 0]
        words = self.sum_words[high] - self.sum_words[low]
        linked = self.sum_linked[high] - self.sum_linked[low]
        stops = self.sum_stops[high] - self.sum_stops[low]
        paragraphs = self.sum_paragraphs[high] - self.sum_paragraphs[low]
        headings = self.sum_headings[high] - self.sum_headings[low]
        some, blocks = max(words, 1.0), high - low
        facts[TAG] = self._tag_of(element)
        facts[LOG_WORDS] = <float>log1p(words)
        facts[WORD_SHARE] = <float>(words / self.total)
        facts[LINK_DENSITY] = <float>(linked / some)
        facts[LOG_BLOCKS] = <float>log1p(blocks)
        facts[WORDS_PER_BLOCK] = <float>log1p(words / max(blocks, 1.0))
        facts[STOPS] = <float>(stops / some)
        facts[PARAGRAPHS] = <float>(paragraphs / some)
        facts[CHILDREN] = <float>log1p(self.children[element])
        facts[SIBLINGS] = <float>log(<double>self.alike[element])
        facts[MEDIA] = <float>log1p(
            self.media_before[self.end[element]] - self.media_before[element]
        )
        facts[CONTROLS] = <float>log1p(
            self.controls_before[self.end[element]] - self.controls_before[element]
        )
        facts[HEADINGS] = <float>log1p(headings)
        self.has_facts[element] = True
        return 0

    def rows(self, Py_ssize_t start, Py_ssize_t stop):
        """Return the features of the blocks ``[start, stop)``, a row a block."""
        stop = min(stop, self.size)
        result = np.empty((max(stop - start, 0), WIDTH), dtype=np.float32)
        cdef float[:, ::1] found = result
        cdef float* row
        cdef float* last = NULL
        cdef Py_ssize_t block
        cdef int level
        for block in range(start, stop):
            for level in range(LEVELS):
                if not self.has_facts[self.chain[block, level]]:
                    self._find_facts(self.chain[block, level])
            row = &found[block - start, 0]
            last = self._add_text(row, block)
            last = self._add_levels(last, block)
            last = self._add_best(last, block)
            last = self._add_place(last, block)
            last = self._add_neighbours(last, block)
            last = self._add_windows(last, block)
            last = self._add_repetition(last, block)
            last = self._add_page(last, block)
            last = self._add_attributes(last, block)
            if last != row + WIDTH:
                raise AssertionError(f"{last - row} features, not {WIDTH}")
        return result

    cdef float* _add_text(self, float* row, Py_ssize_t block):
        cdef double words = max(self.words_of[block], 1.0)
        cdef double characters = max(self.characters[block], 1.0)
        cdef int number
        row[0] = <float>self.log_words[block]
        row[1] = <float>log1p(self.characters[block])
        row[2] = <float>((self.characters[block] - self.symbols[block]) / words)
        row[3] = <float>(self.symbols[block] / characters)
        row += 4
        for number in range(1, KINDS):
            row[0] = <float>self.kinds[number, block]
            row[1] = <float>(self.kinds[number, block] / words)
            row += 2
        row[0] = self.last_kind[block]
        row[1] = self.last_kind[block] == STOP
        row[2] = <float>self.density[block]
        row[3] = <float>log1p(self.tags[block])
        row[4] = <float>(self.tags[block] / words)
        row += 5
        for number in range(GROUPS):
            row[number] = self._is_in(block, number)
        row += GROUPS
        row[0] = self._tag_of(self.holder[block])
        row[1] = self.depth[self.chain[block, 0]]
        return row + 2

    cdef float* _add_levels(self, float* row, Py_ssize_t block):
        cdef int fact, level
        for fact in range(FACTS):
            for level in range(NEAREST[fact], LEVELS):
                row[0] = self.facts[self.chain[block, level], fact]
                row += 1
        return row

    cdef float* _add_best(self, float* row, Py_ssize_t block):
        cdef int32_t element = self.chain[block, 0]
        cdef int32_t first = self.first_block[self.best]
        cdef int32_t last = self.last_block[self.best]
        cdef double most = max(self.score[self.best], 1.0)
        cdef int level, run
        cdef int32_t outside
        row[0] = self.best <= element < self.end[self.best]
        for level in range(3):
            row[1 + level] = <float>(self.score[self.chain[block, level]] / most)
        row[4] = min(block - first, 0) + max(block - last + 1, 0)
        row[5] = <float>((block - first) / <double>max(last - first, 1))
        row[6] = self.depth[self.best] - self.common[element]
        row[7] = self.depth[element] - self.common[element]
        row[8] = <float>((self.sum_words[last] - self.sum_words[first]) / self.total)
        for run in range(2):
            outside = min(self.first[block] - self.run_start[run], 0)
            outside += max(self.after[block] - self.run_stop[run], 0)
            row[9 + run] = <float>(outside / <double>max(self.texts, 1))
        return row + 11

    cdef float* _add_place(self, float* row, Py_ssize_t block):
        cdef Py_ssize_t behind = self.size - 1 - block
        cdef double total = self.sum_words[self.size]
        cdef int number
        row[0] = <float>(block / <double>max(self.size - 1, 1))
        row[1] = min(behind, 200)
        row[2] = <float>log1p(self.sum_words[block])
        row[3] = <float>log1p(total - self.sum_words[block + 1])
        row[4] = <float>(self.sum_words[block] / max(total, 1.0))
        for number in range(6):
            row[5 + number] = self.distances[number, block]
        row[11] = <float>log1p(self.sum_big20[block])
        row[12] = <float>log1p(self.sum_big20[self.size] - self.sum_big20[block + 1])
        return row + 13

    cdef float* _add_neighbours(self, float* row, Py_ssize_t block):
        cdef Py_ssize_t other
        cdef int number
        for number in range(4):
            other = block + OFFSETS[number]
            if 0 <= other < self.size:
                row[number] = <float>self.log_words[other]
                row[4 + number] = <float>self.density[other]
                row[8 + number] = self._tag_of(self.chain[other, 0])
                row[12 + number] = self.depth[self.chain[other, 0]]
            else:
                row[number] = row[4 + number] = row[8 + number] = row[12 + number] = -1
        return row + 16

    cdef double _unlinked(self, Py_ssize_t low, Py_ssize_t high):
        cdef double words = self.sum_words[high] - self.sum_words[low]
        return words - (self.sum_linked[high] - self.sum_linked[low])

    cdef float* _add_windows(self, float* row, Py_ssize_t block):
        cdef Py_ssize_t low, high
        cdef double size
        cdef int number
        for number in range(4):
            low, high = max(block - RADII[number], 0), min(block + RADII[number] + 1, self.size)
            size = high - low
            row[0] = <float>log1p(self._unlinked(low, high))
            row[1] = <float>log1p(self.sum_linked[high] - self.sum_linked[low])
            row[2] = <float>((self.sum_big15[high] - self.sum_big15[low]) / size)
            row[3] = <float>((self.sum_sentences[high] - self.sum_sentences[low]) / size)
            row[4] = <float>log1p(self._unlinked(low, block))
            row[5] = <float>log1p(self._unlinked(block + 1, high))
            row += 6
        return row

    cdef float* _add_repetition(self, float* row, Py_ssize_t block):
        cdef double* facts
        cdef double mean
        cdef int key
        cdef Py_ssize_t near
        for key in range(KEYS):
            facts = &self.key_facts[key, self.key_of[key, block], 0]
            mean = facts[4] / facts[0]
            row[0] = <float>log(facts[0])
            row[1] = <float>(facts[0] / self.size)
            row[2] = <float>log1p(facts[1] / facts[0])
            row[3] = <float>(facts[1] / self.total)
            row[4] = <float>(facts[2] / max(facts[1], 1.0))
            row[5] = <float>(facts[3] / facts[0])
            row[6] = <float>(facts[5] / facts[0] - mean * mean)
            row += 7
        for key in range(COPIES):
            row[key] = self.copies[key, block]
        row += COPIES
        row[0] = self.overlap[block]
        near = min(max(block - self.from_title, -200), 200)
        row[1] = near if self.from_title >= 0 else -999
        return row + 2

    cdef float* _add_page(self, float* row, Py_ssize_t block):
        cdef int number
        for number in range(self.page_width):
            row[number] = self.page_facts[number]
        return row + self.page_width

    cdef float* _add_attributes(self, float* row, Py_ssize_t block):
        cdef int32_t holder = self.holder[block]
        cdef int32_t element
        cdef int level, number
        cdef bint moved
        cdef Py_ssize_t other
        for level in range(4):
            element = self.chain[block, level]
            moved = level == 0 or element != self.chain[block, level - 1]
            row[level] = self.least[element] if moved else 0
            row[4 + level] = self.most[element] if moved else 0
            row[8 + level] = <float>self.mean[element] if moved else 0
        element = self.chain[block, 0]
        row[0] = min(self.least[holder], self.least[element])
        row[4] = max(self.most[holder], self.most[element])
        element = self.chain[block, 3]
        row[12], row[13] = self.least_above[element], self.most_above[element]
        row[14], row[15] = self.least_above[holder], self.most_above[holder]
        row[16] = <float>self.attribute_sum[block]
        row[17] = self.mean_attribute_sum
        row += 18
        for number in range(4):
            other = block + OFFSETS[number]
            row[number] = <float>self.attribute_sum[other] if 0 <= other < self.size else -1
        row += 4
        for number in range(NAMED):
            row[number] = (self.named_of[block] >> number) & 1
        return row + NAMED
