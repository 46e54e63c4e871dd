"""The loops of :mod:`scrapy_boilerplate.core.methods.web2text.features` and of the collapsed DOM."""

from libc.stdint cimport int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t
from libc.string cimport memcpy

import numpy as np

from scrapy_boilerplate.core.page._characters cimport PyUnicode_DATA, PyUnicode_KIND, PyUnicode_READ
from scrapy_boilerplate.core.page._checks cimport check_page, check_sizes
from scrapy_boilerplate.core.page._keys cimport Secret, joined, number_keys, read_secret
from scrapy_boilerplate.core.page._strings cimport key_of
from scrapy_boilerplate.core.page._words cimport is_space
from scrapy_boilerplate.core.native import SECRET

cdef Secret secret = read_secret(SECRET)

cdef enum:
    # What is counted, as in the twin; the first five are counts of the page.
    WORDS, VISIBLE, LETTERS, IN_LINKS, CHARACTERS
    STOP_WORDS, CAPITALISED, PUNCTUATION, DIGITS, SENTENCE_ENDS, COPYRIGHTS, EMAILS, URLS, YEARS
    COUNTS

cdef enum:
    # Flags of the characters that texts end with, as in scrapy_boilerplate.core.methods.web2text.counts.
    PUNCTUATION_MARK = 1 << 4
    QUESTION_MARK = 1 << 7

cdef enum:
    # What logarithms are taken of.
    OF_WORDS, OF_CHARACTERS, OF_PUNCTUATION, OF_SENTENCES
    LOGARITHMS

cdef enum:
    # Kinds of elements, as in the twin: two columns, counted from 1, and flags.
    COLUMN = 31
    PARENT_SHIFT = 5
    BREAKING = 1 << 10
    STARTING = 1 << 11
    FORM = 1 << 12

cdef enum:
    # Numbers of features.
    OF_REPETITION = 3
    OF_LEAF = 24
    OF_NODE = 20
    LEAF_TAGS = 19
    PARENT_TAGS = 20
    OF_BLOCK = OF_REPETITION + OF_LEAF + 2 + 3 * OF_NODE + PARENT_TAGS + LEAF_TAGS
    OF_EDGE = 5 + OF_NODE

cdef enum:
    MANY = 10  # duplicates

cdef struct Text:
    # The features that leaves and nodes share.
    float has_word, log_words, mean_word_length, has_stop_word, stop_word_ratio
    float has_punctuation, punctuation, log_punctuation_ratio
    float has_digit, digit_ratio
    float log_mean_sentence_length, has_several_sentences
    float ends_with_punctuation, ends_with_question_mark
    float has_copyright, has_email, has_url, has_year
    float link_density, source_ratio
    double log_characters, capitalised_ratio


cdef inline double clip(double value, double low, double high) noexcept:
    return min(max(value, low), high)


cdef inline int64_t sentences_of(const int64_t* counts, uint16_t ending) noexcept:
    return counts[SENTENCE_ENDS] + (ending & PUNCTUATION_MARK == 0)


cdef class Features:
    """The features of a page's text nodes and of neighbouring ones.

    *counted* are the counts from stop words on, *endings* the flags of the characters that texts end
    with, *kinds* are those of the tags. Before features are asked for, the logarithms of :attr:`arguments` must be
    in its place.
    """

    cdef readonly object arguments
    """What logarithms are taken of, by leaf and then by node; the last one is the root."""
    cdef const int32_t[::1] tag, parent, end, first_text, last_text, class_id
    cdef const int32_t[::1] text_parent, text_at, text_start, text_stop
    cdef const int32_t[::1] kinds
    cdef const uint16_t[::1] endings
    cdef str buffer
    cdef Py_ssize_t size
    cdef double[:, ::1] logarithms
    cdef int64_t[:, ::1] before  # what is counted before each text node
    # Of inner nodes, of which the last one is the root.
    cdef Py_ssize_t nodes
    cdef int32_t[::1] first, last, element, node_parent
    cdef uint32_t[::1] node_tags
    cdef float[:, ::1] node_features
    # Of leaves.
    cdef int32_t[::1] leaf_parent, distance
    cdef uint32_t[::1] leaf_tags
    cdef uint8_t[::1] breaks  # whether a line ends before each
    cdef int32_t[::1] duplicates, siblings  # how many have the same text, and the same class path
    cdef int32_t[::1] ancestor  # of each and the next one

    def __init__(self, page, counted, endings, kinds):
        self.tag, self.parent, self.end = page.tag, page.parent, page.end
        self.first_text, self.last_text = page.first_text, page.last_text
        self.class_id, self.kinds = page.class_id, kinds
        self.text_parent, self.text_at = page.text_parent, page.text_at
        self.text_start, self.text_stop = page.text_start, page.text_stop
        self.buffer, self.endings, self.size = page.buffer, endings, page.text_at.size
        self.node_features = None
        self.check()
        self.add_up(page.words, page.visible, page.symbols, page.in_link.view(np.uint8), counted)
        self.collapse()
        self.find_neighbours()
        self.find_breaks()
        self.find_repetitions()
        self.set_arguments()

    cdef int check(self) except -1:
        check_page(
            self.tag,
            self.parent,
            self.end,
            self.first_text,
            self.last_text,
            self.text_parent,
            self.text_at,
            self.text_start,
            self.text_stop,
            len(self.buffer),
        )
        check_sizes(self.tag.shape[0], self.class_id.shape[0])
        check_sizes(self.size, self.endings.shape[0])
        return 0

    # -- what is counted -----------------------------------------------------------------------

    cdef int add_up(
        self,
        const int64_t[::1] words,
        const int64_t[::1] visible,
        const int64_t[::1] symbols,
        const uint8_t[::1] in_link,
        const int64_t[:, ::1] counted,
    ) except -1:
        """Add up the counts of text nodes."""
        cdef Py_ssize_t text
        cdef int row
        cdef int64_t[COUNTS] here
        for size in (words.shape[0], visible.shape[0], symbols.shape[0], in_link.shape[0]):
            check_sizes(self.size, size)
        check_sizes(counted.shape[0], COUNTS - STOP_WORDS)
        check_sizes(counted.shape[1], self.size)
        self.before = np.zeros((self.size + 1, COUNTS), dtype=np.int64)
        for text in range(self.size):
            here[WORDS], here[VISIBLE] = words[text], visible[text]
            here[LETTERS] = visible[text] - symbols[text]
            here[IN_LINKS] = visible[text] if in_link[text] else 0
            here[CHARACTERS] = self.text_stop[text] - self.text_start[text]
            for row in range(STOP_WORDS, COUNTS):
                here[row] = counted[row - STOP_WORDS, text]
            for row in range(COUNTS):
                self.before[text + 1, row] = self.before[text, row] + here[row]
        return 0

    cdef void count(self, Py_ssize_t first, Py_ssize_t after, int64_t* counts) noexcept:
        """Fill in what is counted in the text nodes from *first* to *after*."""
        cdef int row
        for row in range(COUNTS):
            counts[row] = self.before[after, row] - self.before[first, row]

    cdef int set_arguments(self) except -1:
        cdef Py_ssize_t text, node
        self.arguments = np.empty((LOGARITHMS, self.size + self.nodes))
        self.logarithms = self.arguments
        for text in range(self.size):
            self.set_arguments_of(text, text + 1, text)
        for node in range(self.nodes):
            self.set_arguments_of(self.first[node], self.last[node], self.size + node)
        return 0

    cdef void set_arguments_of(self, Py_ssize_t first, Py_ssize_t after, Py_ssize_t column) noexcept:
        cdef int64_t[COUNTS] counts
        self.count(first, after, &counts[0])
        cdef double characters = <double>max(counts[VISIBLE], 1)
        cdef int64_t sentences = sentences_of(&counts[0], self.endings[after - 1])
        self.logarithms[OF_WORDS, column] = <double>max(counts[WORDS], 1)
        self.logarithms[OF_CHARACTERS, column] = characters
        self.logarithms[OF_PUNCTUATION, column] = counts[PUNCTUATION] / characters
        self.logarithms[OF_SENTENCES, column] = characters / max(sentences, 1)

    # -- the collapsed DOM ---------------------------------------------------------------------

    cdef int collapse(self) except -1:
        """Find the inner nodes, and what stands above them and above leaves."""
        cdef Py_ssize_t size = self.tag.shape[0]
        cdef Py_ssize_t element, text
        cdef int32_t first, last, above
        cdef int32_t node = -1
        cdef int32_t first_before = -1  # of the element with text before
        cdef int32_t last_before = -1
        cdef int32_t[::1] node_of = np.full(size + 1, -1, dtype=np.int32)
        cdef uint32_t kind
        # Each inner node but the first one parts texts that no other one does.
        self.first, self.last, self.element, self.node_parent = np.zeros(
            (4, self.size + 1), dtype=np.int32
        )
        self.node_tags, self.leaf_tags = np.zeros((2, self.size + 1), dtype=np.uint32)
        self.leaf_parent = np.full(self.size, -2, dtype=np.int32)
        for element in range(size):
            first, last, above = self.first_text[element], self.last_text[element], self.parent[element]
            kind = <uint32_t>self.kinds[self.tag[element]]
            if last <= first:
                continue
            if last - first == 1:
                if self.leaf_parent[first] == -2:
                    self.leaf_parent[first] = node_of[above] if above >= 0 else -1
                self.leaf_tags[first] |= flag_of(kind & COLUMN)
            else:
                if first != first_before or last != last_before:
                    node += 1
                    if node >= self.size:
                        raise IndexError("elements do not stand in each other")
                    self.first[node], self.last[node] = first, last
                    self.element[node] = <int32_t>element
                    self.node_parent[node] = node_of[above] if node and above >= 0 else -1
                node_of[element] = node
                self.node_tags[node] |= flag_of(kind >> PARENT_SHIFT & COLUMN)
            first_before, last_before = first, last
        for text in range(self.size):
            if self.leaf_parent[text] == -2:
                self.leaf_parent[text] = node_of[self.text_parent[text]]
        node += 1
        self.first[node], self.last[node], self.element[node] = 0, <int32_t>self.size, 0
        self.node_parent[node] = -1
        self.nodes = node + 1
        return 0

    cdef int find_neighbours(self) except -1:
        """Find the nearest common ancestor of leaves and the next ones, and how far they are."""
        cdef Py_ssize_t node, text
        cdef int32_t[::1] topmost = np.full(self.size, -1, dtype=np.int32)
        self.distance = np.full(self.size + 1, 2, dtype=np.int32)
        self.ancestor = np.empty(self.size, dtype=np.int32)
        for node in range(self.nodes - 2, -1, -1):
            topmost[self.last[node] - 1] = <int32_t>node  # that ends with this leaf
            self.distance[self.last[node] - 1] += 1
            if self.first[node]:
                self.distance[self.first[node] - 1] += 1
        for text in range(self.size):
            self.ancestor[text] = (
                self.leaf_parent[text] if topmost[text] < 0 else self.node_parent[topmost[text]]
            )
        return 0

    # -- tags and texts ------------------------------------------------------------------------

    cdef int find_breaks(self) except -1:
        """Find where an unstyled page begins a line."""
        cdef Py_ssize_t element = 0
        cdef Py_ssize_t text
        cdef int32_t around
        cdef int32_t before = 0
        cdef bint starts
        cdef int32_t kind
        cdef int32_t[::1] breaking = np.zeros(self.tag.shape[0], dtype=np.int32)
        self.breaks = np.zeros(self.size, dtype=np.uint8)
        for text in range(self.size):
            starts = False
            for element in range(element, self.text_at[text]):
                kind = self.kinds[self.tag[element]]
                if self.parent[element] >= 0:
                    breaking[element] = breaking[self.parent[element]]
                breaking[element] += kind & BREAKING != 0
                starts |= kind & (BREAKING | STARTING) != 0
            element = max(<Py_ssize_t>self.text_at[text], element)
            around = breaking[self.text_parent[text]]
            self.breaks[text] = starts or around != before
            before = around
        return 0

    cdef int find_repetitions(self) except -1:
        """Count the texts that are the same, and those with the same class path."""
        cdef Py_ssize_t element, text
        cdef uint64_t[::1] path = np.empty(self.tag.shape[0], dtype=np.uint64)
        cdef uint64_t[:, ::1] keys = np.empty((2, self.size), dtype=np.uint64)
        cdef uint64_t own
        for element in range(self.tag.shape[0]):
            own = <uint64_t>self.class_id[element] << 32 | <uint64_t>self.tag[element]
            path[element] = joined(
                path[self.parent[element]] if self.parent[element] >= 0 else secret.first, own, secret
            )
        for text in range(self.size):
            keys[0, text] = self.key_of(text)
            keys[1, text] = path[self.text_parent[text]]
        self.duplicates, self.siblings = how_many(keys[0]), how_many(keys[1])
        return 0

    cdef uint64_t key_of(self, Py_ssize_t text):
        """Return the key of a text node, without white space around it."""
        cdef const void* data = PyUnicode_DATA(self.buffer)
        cdef int width = PyUnicode_KIND(self.buffer)
        cdef Py_ssize_t start = self.text_start[text]
        cdef Py_ssize_t stop = self.text_stop[text]
        while start < stop and is_space(PyUnicode_READ(width, data, start)):
            start += 1
        while start < stop and is_space(PyUnicode_READ(width, data, stop - 1)):
            stop -= 1
        return key_of(<const char*>data + width * start, width * (stop - start), secret)

    # -- features ------------------------------------------------------------------------------

    cdef Text text_of(self, Py_ssize_t first, Py_ssize_t after, Py_ssize_t column) noexcept:
        """Return the features of the text nodes from *first* to *after*."""
        cdef Text text
        cdef int64_t[COUNTS] counts
        cdef uint16_t ending = self.endings[after - 1]
        self.count(first, after, &counts[0])
        cdef double words = <double>max(counts[WORDS], 1)
        cdef double characters = <double>max(counts[VISIBLE], 1)
        cdef double length = <double>max(self.before[self.size, CHARACTERS], 1)
        text.has_word, text.has_stop_word = counts[WORDS] > 0, counts[STOP_WORDS] > 0
        text.log_words = <float>clip(self.logarithms[OF_WORDS, column], 0, 3.5)
        text.mean_word_length = <float>clip(counts[LETTERS] / words, 3, 15)
        text.stop_word_ratio = <float>(counts[STOP_WORDS] / words)
        text.log_characters = self.logarithms[OF_CHARACTERS, column]
        text.has_punctuation = counts[PUNCTUATION] > 0
        text.punctuation = <float>clip(counts[PUNCTUATION], 0, 10)
        text.log_punctuation_ratio = <float>clip(self.logarithms[OF_PUNCTUATION, column], -4, -2.5)
        text.has_digit, text.digit_ratio = counts[DIGITS] > 0, <float>(counts[DIGITS] / characters)
        text.log_mean_sentence_length = <float>clip(self.logarithms[OF_SENTENCES, column], 2, 5)
        text.has_several_sentences = sentences_of(&counts[0], ending) > 1
        text.ends_with_punctuation = ending & PUNCTUATION_MARK != 0
        text.ends_with_question_mark = ending & QUESTION_MARK != 0
        text.has_copyright, text.has_email = counts[COPYRIGHTS] > 0, counts[EMAILS] > 0
        text.has_url, text.has_year = counts[URLS] > 0, counts[YEARS] > 0
        text.capitalised_ratio = counts[CAPITALISED] / words
        text.link_density = <float>(counts[IN_LINKS] / characters)
        text.source_ratio = <float>(counts[CHARACTERS] / length)
        return text

    cdef void add_leaf(self, Py_ssize_t leaf, float* row) noexcept:
        cdef Text text = self.text_of(leaf, leaf + 1, leaf)
        cdef double position = leaf / <double>max(self.size - 1, 1)
        cdef double ratio = text.capitalised_ratio
        row[0], row[1], row[2] = text.has_word, text.log_words, text.mean_word_length
        row[3], row[4] = text.has_stop_word, text.stop_word_ratio
        row[5] = <float>clip(text.log_characters, 2.5, 5.5)
        row[6], row[7], row[8] = text.has_punctuation, text.punctuation, text.log_punctuation_ratio
        row[9], row[10] = text.has_digit, text.digit_ratio
        row[11], row[12] = text.log_mean_sentence_length, text.has_several_sentences
        row[13], row[14] = <float>position, <float>(position * position)
        row[15], row[16] = text.ends_with_punctuation, text.ends_with_question_mark
        row[17], row[18] = text.has_copyright, text.has_email
        row[19], row[20] = text.has_url, text.has_year
        row[21], row[22] = <float>ratio, <float>(ratio * ratio)
        row[23] = <float>(ratio * ratio * ratio)

    cdef void add_node(self, Py_ssize_t node, const int32_t[::1] forms, float* row) noexcept:
        cdef Text text = self.text_of(self.first[node], self.last[node], self.size + node)
        cdef int32_t element = self.element[node]
        row[0], row[1] = text.source_ratio, text.link_density
        row[2], row[3], row[4] = text.has_word, text.log_words, text.mean_word_length
        row[5], row[6] = text.has_stop_word, text.stop_word_ratio
        row[7] = <float>clip(text.log_characters, 2.5, 10)
        row[8] = text.log_punctuation_ratio
        row[9], row[10] = text.has_digit, text.digit_ratio
        row[11] = text.log_mean_sentence_length
        row[12], row[13] = text.ends_with_punctuation, text.ends_with_question_mark
        row[14], row[15] = text.has_copyright, text.has_email
        row[16], row[17] = text.has_url, text.has_year
        row[18] = <float>text.capitalised_ratio
        row[19] = forms[self.end[element]] > forms[element]

    cdef int find_nodes(self) except -1:
        """Make the features of nodes, if nobody has."""
        cdef Py_ssize_t element, node
        if self.node_features is not None:
            return 0
        cdef int32_t[::1] forms = np.zeros(self.tag.shape[0] + 1, dtype=np.int32)
        for element in range(self.tag.shape[0]):
            forms[element + 1] = forms[element] + (self.kinds[self.tag[element]] & FORM != 0)
        self.node_features = np.empty((self.nodes, OF_NODE), dtype=np.float32)
        for node in range(self.nodes):
            self.add_node(node, forms, &self.node_features[node, 0])
        return 0

    def blocks(self, some):
        """Return the features of *some* text nodes, a row each."""
        cdef Py_ssize_t first, after, text
        first, after, _ = some.indices(self.size)
        rows = np.zeros((max(after - first, 0), OF_BLOCK), dtype=np.float32)
        cdef float[:, ::1] row = rows
        self.find_nodes()
        for text in range(first, after):
            self.add_block(text, &row[text - first, 0])
        return rows

    cdef void add_block(self, Py_ssize_t text, float* row) noexcept:
        cdef int32_t parent = self.leaf_parent[text]
        cdef int32_t grandparent = self.node_parent[parent] if parent >= 0 else -1
        row[0], row[1] = self.duplicates[text] > 1, self.duplicates[text] > MANY
        row[2] = <float>(self.siblings[text] / <double>self.size)
        row += OF_REPETITION
        self.add_leaf(text, row)
        row += OF_LEAF
        if parent >= 0:
            row[0] = 1
            self.copy_node(parent, row + 1)
            set_flags(self.node_tags[parent], row + 1 + OF_NODE)
        row += 1 + OF_NODE + PARENT_TAGS
        if grandparent >= 0:
            row[0] = 1
            self.copy_node(grandparent, row + 1)
        row += 1 + OF_NODE
        self.copy_node(self.nodes - 1, row)
        set_flags(self.leaf_tags[text], row + OF_NODE)

    cdef void copy_node(self, Py_ssize_t node, float* row) noexcept:
        memcpy(row, &self.node_features[node, 0], OF_NODE * sizeof(float))

    def edges(self, some):
        """Return the features of *some* text nodes and the next one each, a row each."""
        cdef Py_ssize_t first, after, text
        first, after, _ = some.indices(max(self.size - 1, 0))
        rows = np.zeros((max(after - first, 0), OF_EDGE), dtype=np.float32)
        cdef float[:, ::1] row = rows
        self.find_nodes()
        for text in range(first, after):
            row[text - first, min(self.distance[text], 5) - 2] = 1
            row[text - first, 4] = self.breaks[text + 1]
            self.copy_node(
                self.ancestor[text] if self.ancestor[text] >= 0 else self.nodes - 1,
                &row[text - first, 5],
            )
        return rows


cdef inline uint32_t flag_of(uint32_t column) noexcept:
    """Return the flag of a column, counted from 1; 0 is none."""
    return <uint32_t>1 << column >> 1


cdef inline void set_flags(uint32_t flags, float* row) noexcept:
    """Set those of *row* to 1 that have a flag."""
    while flags:
        if flags & 1:
            row[0] = 1
        flags >>= 1
        row += 1


cdef int32_t[::1] how_many(const uint64_t[::1] keys):
    """Return for each key how many are equal to it."""
    cdef Py_ssize_t size = keys.shape[0]
    cdef Py_ssize_t place
    cdef int32_t[::1] number, count, found
    number, count, found = np.zeros((3, size), dtype=np.int32)
    if size:
        number_keys(&keys[0], size, &number[0], secret)
    for place in range(size):
        count[number[place]] += 1
    for place in range(size):
        found[place] = count[number[place]]
    return found
