"""The features of a page's blocks: each group's names stand above the code that writes its columns.

"Level" is a block-level element above a block, 0 the nearest; "words" are counted as ``Page.words``
does; every count that may grow is a logarithm, ``log(1 + x)``.
"""

from libc.math cimport log
from libc.math cimport log1p as log1p_of_any
from libc.stdint cimport int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t
from libc.string cimport memcpy, memset

import numpy as np

from scrapy_boilerplate.core.page._characters cimport (
    SPACE,
    TABLE_SIZE,
    Character,
    PyUnicode_DATA,
    PyUnicode_KIND,
    class_of,
)
from scrapy_boilerplate.core.auto._context_native import Surroundings
from scrapy_boilerplate.core.auto._copies_native import COPIES
from scrapy_boilerplate.core.auto.lexicon import NAMED
from scrapy_boilerplate.core.auto.declarations import METADATA
from scrapy_boilerplate.core.methods._runs import VOID
from scrapy_boilerplate.core.page._checks cimport check_sizes
from scrapy_boilerplate.core.page._keys cimport Secret, joined, number_spread_keys, read_secret
from scrapy_boilerplate.core.page._room cimport Room, free_all, take, take_unset
from scrapy_boilerplate.core.page._rows cimport *
from scrapy_boilerplate.core.page.walk import TAG_IDS
from scrapy_boilerplate.core.secret import SECRET

cdef Secret secret = read_secret(SECRET)

cdef enum:
    # Sizes.
    LEVELS = 5
    LAST_OF_TABLE = 0xFFFF
    REMEMBERED = 128  # elements
    LED_IN = 8
    REFERRED = 3
    BESIDE_REFERENCE = 8
    CALLED = 40
    UNSURE = 30
    ABOVE_TEXT = 3
    ALIKE = 4
    TENTHS_OF_TEASER = 8
    TENTHS_BEFORE_END = 9
    LETTERS = 4  # at the beginning of a block, by which parts of the title are looked for
    LOG_OF_FLAGS = 12

cdef enum:
    # Bounds of features.
    TO_LANDMARK = 99  # fits a byte
    TO_END = 200
    TO_TITLE = 200
    MOST_MARKS = 10
    MOST_WORDS = 100
    BIG = 20
    BIG_IN_WINDOW = 15
    GOOD = 8
    NO_TITLE = -999
    WORDS_OF_TITLE = 15  # that a block may have which is the title, or a part of it
    CHARACTERS_OF_TITLE = 120
    WORDS_OF_TEASER = 4
    TENTHS_OF_LINK = 9
    MOST_BEFORE = 12  # blocks between a headline and the text
    WORDS_OF_TEXT = 50
    TIMES_BELOW = 9

cdef double LEAST_SHARE = 0.15  # of the title that a block must have to be compared with it …
LEAST_OVERLAP = 0.3
"""… and to be taken for it."""
"""Words of what may be dropped where it stands twice, but for headings."""
MOST_OF_LEAD_IN = LED_IN
"""Words of a line that ends in a colon, and says what follows."""
LEAST_REFERRED, LEAST_BESIDE = REFERRED, BESIDE_REFERENCE
"""Linked words of a line that names another text, and words of the prose beside it."""
cdef double LIKELY_ALIKE = 0.25
cdef double LIKELY_IN_GAP = 0.15
cdef double MOST_OF_CALL = 0.9
LEAST_ALIKE, LEAST_IN_GAP, SURE = LIKELY_ALIKE, LIKELY_IN_GAP, MOST_OF_CALL
"""Probability from which on what is like the text is kept, and what stands in it, and from which on
a block is no call to subscribe …"""
MOST_OF_CALLS, MOST_UNSURE, MOST_ABOVE = CALLED, UNSURE, ABOVE_TEXT
"""… which is no longer, and of more blocks that may be one none is; blocks above the text of which
one may be the title."""
LEAST_UNITS, LEAST_TEASERS = ALIKE, TENTHS_OF_TEASER / 10.0
"""Units that are alike, and the share of them that holds a teaser."""
BEFORE_END = TENTHS_BEFORE_END / 10.0
"""Share of the other kept words that stands before the end of the text."""

cdef int32_t KNOWN_TAGS = len(TAG_IDS)
cdef int32_t PARAGRAPH = TAG_IDS["p"]

cdef enum:
    # Kinds of characters; each character is of one kind.
    OTHER, CAPITAL, DIGIT, STOP, COMMA, COLON, BAR, QUOTE, MONEY
    KINDS

MARKS = {
    "stops": (STOP, ".!?…。！？।؟"),
    "commas": (COMMA, ",،、，;；"),
    "colons": (COLON, ":："),
    "bars": (BAR, "|/·•»›>←→«"),
    "quotes": (QUOTE, "\"'“”„’"),
    "money": (MONEY, "$€£¥₹"),
}
"""Kinds of marks: their numbers, behind those of capitals and digits, and their characters."""

ABOVE = {
    # Groups of elements of which a block stands inside one or not.
    "nav": "nav menu",
    "header": "header",
    "footer": "footer",
    "aside": "aside",
    "article": "article",
    "main": "main",
    "form": "form fieldset",
    "button": "button select label option",
    "list": "ul ol",
    "item": "li",
    "definitions": "dl",
    "table": "table",
    "cell": "td th",
    "heading": "h1 h2 h3 h4 h5 h6",
    "h1": "h1",
    "h2": "h2",
    "p": "p",
    "code": "pre code",
    "quote": "blockquote q",
    "figure": "figure figcaption caption",
    "strong": "b strong",
}
"""A bit for each of them, in their order."""
cdef int GROUPS = len(ABOVE)
cdef int32_t GROUP_BITS = (1 << GROUPS) - 1
cdef int IN_HEADING, IN_H1, IN_P, IN_CELL, IN_CODE
IN_HEADING, IN_H1, IN_P, IN_CELL, IN_CODE = map(list(ABOVE).index, "heading h1 p cell code".split())

cdef enum:
    # What an element is besides, in the bits above those of its groups.
    IS_VOID = 1 << 24
    IS_MEDIA = 1 << 25
    IS_CONTROL = 1 << 26
    IS_ARTICLE = 1 << 27
    IS_MAIN = 1 << 28

BESIDES = {
    IS_VOID: VOID,
    IS_MEDIA: frozenset("img picture embed object".split()),
    IS_CONTROL: frozenset("input button select textarea".split()),
    IS_ARTICLE: frozenset(["article"]),
    IS_MAIN: frozenset(["main"]),
}
"""Elements by those bits."""

cdef int* RADII = [2, 5, 10, 25]
cdef int* OFFSETS = [-2, -1, 1, 2]
BESIDE = ("-2", "-1", "+1", "+2")

cdef enum:
    LOGARITHMS = 1024

cdef double[LOGARITHMS] logarithms
cdef int _whole
for _whole in range(LOGARITHMS):
    logarithms[_whole] = log1p_of_any(_whole)


cdef inline double log1p(double value) noexcept nogil:
    """Return log(1 + value); of small counts, which most values are, from a table."""
    cdef int whole
    if 0 <= value < LOGARITHMS:
        whole = <int>value
        if whole == value:
            return logarithms[whole]
    return log1p_of_any(value)


cdef struct Beginning:
    # The first visible characters of a text, in lower case.
    uint32_t letters
    int read


cdef inline void add_letter(Beginning* text, uint32_t code) noexcept nogil:
    """Add a character; after one that is not of ASCII nothing is known."""
    if code >= 0x80:
        text.read = LETTERS + 1
        return
    if b"A" <= code <= b"Z":
        code += 0x20
    text.letters = text.letters << 8 | code
    text.read += 1


cdef inline uint32_t place_of_letters(uint32_t letters) noexcept nogil:
    """Return which of so many flags stands for letters; others may share it."""
    return (letters * <uint32_t>0x9E3779B1) >> (32 - LOG_OF_FLAGS)


cdef class _Room:
    """Memory that lives as long as this."""

    cdef Room room

    def __dealloc__(self):
        free_all(&self.room)

    cdef int32_t* integers(self, size_t count) except NULL:
        return <int32_t*>take(&self.room, count, sizeof(int32_t))

    cdef uint64_t* keys(self, size_t count) except NULL:
        return <uint64_t*>take(&self.room, count, sizeof(uint64_t))

    cdef double* doubles(self, size_t count) except NULL:
        return <double*>take(&self.room, count, sizeof(double))

    cdef float* floats(self, size_t count) except NULL:
        return <float*>take(&self.room, count, sizeof(float))

    cdef uint8_t* bytes(self, size_t count) except NULL:
        return <uint8_t*>take(&self.room, count, 1)


cdef enum:
    # Blocks of the same make: below the same three tags and classes, the next three, all of them.
    TEMPLATE, OUTER, PATH
    KEYS


cdef struct KeyFacts:
    # Sums over the blocks that have a key.
    int32_t blocks
    int32_t words
    int32_t linked
    int32_t sentences
    double log_words
    double squares  # of log_words


cdef class _Elements(_Room):
    """What is known of each element of a page, and of those above it."""

    cdef const int32_t[::1] flags  # by tag
    cdef const double[:, ::1] meanings  # by string
    cdef const int32_t[:, ::1] rows
    cdef const int32_t[::1] tag
    cdef const int32_t[::1] parent
    cdef const int32_t[::1] depth
    cdef const int32_t[::1] end
    cdef int32_t* children
    cdef int32_t* alike
    cdef int32_t* media_before
    cdef int32_t* controls_before
    cdef float* least
    cdef float* most
    cdef double* mean
    cdef float* least_above
    cdef float* most_above
    cdef double* mean_above
    # Until the page is read.
    cdef int32_t* nearest
    cdef uint64_t* tag_class_key
    cdef int32_t* family  # number of the children of one parent that are alike
    cdef int32_t families

    def __init__(self, page, rows, flags, meanings, _Room scratch):
        self.rows, self.flags, self.meanings = rows, flags, meanings
        check_sizes(self.rows.shape[0], ELEMENT_ROWS)
        self.tag, self.parent = self.rows[TAG_ROW], self.rows[PARENT_ROW]
        self.depth, self.end = self.rows[DEPTH_ROW], self.rows[END_ROW]
        self._read_elements(page.is_block.view(np.uint8), scratch)
        self._count_siblings(scratch)

    cdef int _read_elements(self, const uint8_t[::1] is_block, _Room scratch) except -1:
        """What follows from an element and those above it, which come before it."""
        cdef Py_ssize_t size = self.tag.shape[0]
        cdef const int32_t[::1] kind_of = self.flags
        cdef const double[:, ::1] means = self.meanings
        cdef const int32_t[::1] class_of = self.rows[CLASS_ROW]
        cdef const int32_t[::1] id_of = self.rows[ID_ROW]
        cdef Py_ssize_t element
        cdef int32_t above, kind, class_id, identifier
        self.nearest, self.tag_class_key = scratch.integers(size), scratch.keys(size)
        self.children = self.integers(size)
        self.media_before = self.integers(size + 1)
        self.controls_before = self.integers(size + 1)
        self.least, self.most = self.floats(size), self.floats(size)
        self.least_above, self.most_above = self.floats(size), self.floats(size)
        self.mean, self.mean_above = self.doubles(size), self.doubles(size)
        for element in range(size):
            above = max(self.parent[element], 0)
            kind = kind_of[self.tag[element]]
            class_id, identifier = class_of[element], id_of[element]
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
            self.least[element] = <float>min(means[0, class_id], means[0, identifier])
            self.most[element] = <float>max(means[1, class_id], means[1, identifier])
            self.mean[element] = means[2, class_id] + means[2, identifier]
            self.least_above[element] = min(self.least[element], self.least_above[above])
            self.most_above[element] = max(self.most[element], self.most_above[above])
            self.mean_above[element] = self.mean[element]
            if above > 0:
                self.mean_above[element] += self.mean_above[above]
        return 0

    cdef int _count_siblings(self, _Room scratch) except -1:
        """Count the children of each element's parent that have its tag and first class."""
        cdef Py_ssize_t size = self.tag.shape[0]
        cdef Py_ssize_t element
        cdef uint64_t* family = scratch.keys(size)
        for element in range(size):
            family[element] = joined(
                self.tag_class_key[element], <uint64_t>(self.parent[element] + 1), secret
            )
        self.family, self.alike = scratch.integers(size), self.integers(size)
        self.families = number_spread_keys(family, size, self.family)
        cdef int32_t* count = scratch.integers(self.families)
        for element in range(size):
            count[self.family[element]] += 1
        for element in range(size):
            self.alike[element] = count[self.family[element]]
        return 0

    cdef int32_t tag_of(self, int32_t element) noexcept nogil:
        return min(self.tag[element], KNOWN_TAGS)


cdef class _Blocks(_Room):
    """What is known of each block, and of the blocks inside each element."""

    cdef _Elements elements
    cdef Py_ssize_t size
    cdef Py_ssize_t texts
    cdef double total
    cdef object words
    cdef object bits
    cdef object named
    cdef object chains
    cdef object within
    cdef const int64_t[:, ::1] spans  # the first text node of each, and the one behind the last
    cdef int32_t* holder
    cdef int32_t[:, ::1] chain
    cdef double[::1] words_of
    cdef int32_t* linked
    cdef int32_t* characters
    cdef int32_t* symbols
    cdef (int32_t*)[KINDS] kinds  # but for the first
    cdef uint8_t* last_kind
    cdef int32_t* tags
    cdef int32_t[::1] bits_of
    cdef int32_t[::1] named_of
    # Sums before each block.
    cdef int32_t* sum_words
    cdef int32_t* sum_linked
    cdef int32_t* sum_stops
    cdef int32_t* sum_paragraphs
    cdef int32_t* sum_headings
    cdef int32_t* sum_big15
    cdef int32_t* sum_big20
    cdef int32_t* sum_sentences
    # By element: the first block in it, and the one behind the last.
    cdef int32_t[::1] first_block
    cdef int32_t[::1] last_block
    # Until the page is read.
    cdef int32_t* text_tags  # before each text node
    cdef uint32_t* beginning  # the first letters of each block; 0 where they are not known

    def __init__(self, _Elements elements, page, kinds, _Room scratch):
        self.elements = elements
        self._read_blocks(page, kinds, scratch)
        self._read_chains(scratch)
        self._sum_up()

    cdef int _read_blocks(self, page, kinds, _Room scratch) except -1:
        """What follows from a block's text, and the groups of elements it stands in."""
        cdef const int32_t[:, ::1] rows = page.text_rows
        check_sizes(rows.shape[0], TEXT_ROWS)
        self.spans = page.blocks
        cdef Py_ssize_t size = self.spans.shape[0]
        cdef const int32_t[::1] text_parent = rows[TEXT_PARENT_ROW]
        cdef const int32_t[::1] text_at = rows[TEXT_AT_ROW]
        cdef const int64_t[::1] words = page.words
        cdef const int64_t[::1] symbols = page.symbols
        cdef const int64_t[::1] visible = page.visible
        cdef const uint8_t[::1] in_link = page.in_link.view(np.uint8)
        cdef Py_ssize_t block, text
        self.size, self.texts = size, text_parent.shape[0]
        self.words_of = self.words = np.empty(size)
        self.linked, self.tags = self.integers(size), self.integers(size)
        self.characters, self.symbols = self.integers(size), self.integers(size)
        self.holder = self.integers(size)
        self.text_tags = self._count_tags(text_parent, text_at, scratch)
        self.total = 0
        for block in range(size):
            self.holder[block] = text_parent[self.spans[block, 0]]
            self.words_of[block] = 0
            for text in range(self.spans[block, 0], self.spans[block, 1]):
                self.words_of[block] += words[text]
                self.symbols[block] += <int32_t>symbols[text]
                self.characters[block] += <int32_t>visible[text]
                if in_link[text]:
                    self.linked[block] += <int32_t>words[text]
                self.tags[block] += self.text_tags[text]
            self.total += self.words_of[block]
        self.total = max(self.total, 1.0)
        self._count_characters(page.buffer, rows[TEXT_START_ROW], rows[TEXT_STOP_ROW], kinds, scratch)
        return 0

    cdef int _count_characters(
        self,
        str text_of_page,
        const int32_t[::1] text_start,
        const int32_t[::1] text_stop,
        kinds,
        _Room scratch,
    ) except -1:
        """Count the characters of each block by kind."""
        cdef Py_ssize_t block
        cdef int32_t* start = scratch.integers(self.size)
        cdef int32_t* stop = scratch.integers(self.size)
        for block in range(self.size):
            start[block] = text_start[self.spans[block, 0]]
            stop[block] = text_stop[self.spans[block, 1] - 1]
        cdef const uint8_t[::1] kind_of = kinds[0]
        cdef const uint8_t[::1] classes = kinds[1]
        check_sizes(kind_of.shape[0], LAST_OF_TABLE + 1)
        check_sizes(classes.shape[0], TABLE_SIZE)
        cdef int number
        for number in range(1, KINDS):
            self.kinds[number] = self.integers(self.size)
        self.last_kind = self.bytes(self.size)
        self.beginning = <uint32_t*>scratch.integers(self.size)
        cdef const void* data = PyUnicode_DATA(text_of_page)
        cdef int width = PyUnicode_KIND(text_of_page)
        if width == 1:
            self._count_kinds(<const uint8_t*>data, &kind_of[0], start, stop, &classes[0])
        elif width == 2:
            self._count_kinds(<const uint16_t*>data, &kind_of[0], start, stop, &classes[0])
        else:
            self._count_kinds(<const uint32_t*>data, &kind_of[0], start, stop, &classes[0])
        return 0

    cdef void _count_kinds(
        self,
        const Character* text,
        const uint8_t* table,
        const int32_t* start,
        const int32_t* stop,
        const uint8_t* classes,
    ) noexcept:
        """Count the characters of each block by kind; find how it begins, and the kind of its end."""
        cdef Py_ssize_t block, place
        cdef Py_ssize_t last = 0  # visible character so far
        cdef int32_t[KINDS] counts
        cdef uint32_t code
        cdef Beginning first
        cdef int number
        for block in range(self.size):
            first.read = first.letters = 0
            for number in range(KINDS):
                counts[number] = 0
            for place in range(start[block], stop[block]):
                counts[table[min(<uint32_t>text[place], <uint32_t>LAST_OF_TABLE)]] += 1
            for place in range(start[block], stop[block]):
                code = text[place]
                if class_of(code, classes) != SPACE:
                    add_letter(&first, code)
                    if first.read >= LETTERS:
                        break
            for place in range(stop[block] - 1, start[block] - 1, -1):
                if class_of(text[place], classes) != SPACE:
                    last = place
                    break
            for number in range(1, KINDS):
                self.kinds[number][block] = counts[number]
            self.last_kind[block] = table[min(<uint32_t>text[last], <uint32_t>LAST_OF_TABLE)]
            self.beginning[block] = first.letters if first.read == LETTERS else 0

    cdef int32_t* _count_tags(
        self, const int32_t[::1] text_parent, const int32_t[::1] text_at, _Room scratch
    ) except NULL:
        """Count the tags before each text node, since the one before it; void elements are one."""
        cdef const int32_t[::1] kind_of = self.elements.flags
        cdef int32_t* tag_of = scratch.integers(self.texts)
        cdef int32_t element = 0
        cdef int32_t voids = 0
        cdef int32_t before = 0
        cdef int32_t here
        cdef Py_ssize_t text
        for text in range(self.texts):
            while element < text_at[text]:
                voids += kind_of[self.elements.tag[element]] & IS_VOID != 0
                element += 1
            here = 2 * text_at[text] - self.elements.depth[text_parent[text]] - 1 - voids
            tag_of[text] = here - before
            before = here
        return tag_of

    cdef int _read_chains(self, _Room scratch) except -1:
        """The elements above each block, and the blocks inside each element."""
        cdef Py_ssize_t size = self.elements.tag.shape[0]
        cdef const int32_t[::1] kind_of = self.elements.flags
        cdef const double[:, ::1] means = self.elements.meanings
        cdef const int32_t[::1] class_of = self.elements.rows[CLASS_ROW]
        cdef const int32_t[::1] id_of = self.elements.rows[ID_ROW]
        cdef const int32_t[::1] first_text = self.elements.rows[FIRST_TEXT_ROW]
        cdef const int32_t[::1] last_text = self.elements.rows[LAST_TEXT_ROW]
        cdef int32_t* block_of = scratch.integers(self.texts + 1)
        cdef int32_t* groups = scratch.integers(size)
        cdef int32_t* named = scratch.integers(size)
        cdef Py_ssize_t block, element, text
        cdef int32_t above
        cdef int level
        for block in range(self.size):
            for text in range(self.spans[block, 0], self.spans[block, 1]):
                block_of[text] = <int32_t>block
        block_of[self.texts] = <int32_t>self.size
        self.within = np.empty((2, size), dtype=np.int32)
        self.first_block, self.last_block = self.within
        for element in range(size):
            above = max(self.elements.parent[element], 0)
            groups[element] = groups[above] | (kind_of[self.elements.tag[element]] & GROUP_BITS)
            named[element] = named[above] | <int32_t>means[3, class_of[element]]
            named[element] |= <int32_t>means[3, id_of[element]]
            self.first_block[element] = self.last_block[element] = block_of[first_text[element]]
            if last_text[element] > first_text[element]:
                self.last_block[element] = block_of[last_text[element] - 1] + 1
        self.bits, self.named = np.empty((2, self.size), dtype=np.int32)
        self.bits_of, self.named_of = self.bits, self.named
        self.chain = self.chains = np.empty((self.size, LEVELS), dtype=np.int32)
        for block in range(self.size):
            self.bits_of[block] = groups[self.holder[block]]
            self.named_of[block] = named[self.holder[block]]
            above = self.elements.nearest[self.holder[block]]
            for level in range(LEVELS):
                self.chain[block, level] = above
                above = self.elements.nearest[max(self.elements.parent[above], 0)]
        return 0

    cdef int _sum_up(self) except -1:
        """Sums before each block."""
        cdef Py_ssize_t block
        cdef int32_t words, linked
        cdef Py_ssize_t size = self.size + 1
        self.sum_words, self.sum_linked = self.integers(size), self.integers(size)
        self.sum_paragraphs, self.sum_sentences = self.integers(size), self.integers(size)
        self.sum_stops, self.sum_headings = self.integers(size), self.integers(size)
        self.sum_big15, self.sum_big20 = self.integers(size), self.integers(size)
        for block in range(self.size):
            words, linked = <int32_t>self.words_of[block], self.linked[block]
            self.sum_words[block + 1] = self.sum_words[block] + words
            self.sum_linked[block + 1] = self.sum_linked[block] + linked
            self.sum_stops[block + 1] = self.sum_stops[block] + self.kinds[STOP][block]
            self.sum_paragraphs[block + 1] = self.sum_paragraphs[block] + (
                words - linked if self.is_in(block, IN_P) else 0
            )
            self.sum_headings[block + 1] = self.sum_headings[block] + self.is_in(block, IN_HEADING)
            self.sum_big15[block + 1] = self.sum_big15[block] + (
                words >= BIG_IN_WINDOW and self.linked_share(block) < 0.3
            )
            self.sum_big20[block + 1] = self.sum_big20[block] + self.is_big(block)
            self.sum_sentences[block + 1] = self.sum_sentences[block] + (
                self.last_kind[block] == STOP
            )
        return 0

    cdef bint has_link(self, Py_ssize_t element) noexcept nogil:
        return self.sum_linked[self.last_block[element]] > self.sum_linked[self.first_block[element]]

    cdef bint is_in(self, Py_ssize_t block, int group) noexcept nogil:
        return (self.bits_of[block] >> group) & 1

    cdef bint is_big(self, Py_ssize_t block) noexcept nogil:
        return self.words_of[block] >= BIG and self.linked_share(block) < 0.3

    cdef double linked_share(self, Py_ssize_t block) noexcept nogil:
        return self.linked[block] / max(self.words_of[block], 1.0)

    cdef double attribute_sum(self, Py_ssize_t block) noexcept nogil:
        return self.elements.mean_above[self.holder[block]]

    cdef int32_t unlinked(self, Py_ssize_t low, Py_ssize_t high) noexcept nogil:
        cdef int32_t words = self.sum_words[high] - self.sum_words[low]
        return words - (self.sum_linked[high] - self.sum_linked[low])


cdef class _Landmarks(_Room):
    """What stands out on a page: the title, the best element, the best runs, repeated elements."""

    cdef _Elements elements
    cdef _Blocks blocks
    cdef object title_overlap
    cdef const float[::1] overlap
    cdef object key_numbers
    cdef int32_t[:, ::1] key_of
    cdef (KeyFacts*)[KEYS] key_facts
    cdef (uint8_t*)[6] distances
    cdef double* score
    cdef int32_t* common
    cdef int32_t best
    cdef int32_t[2] run_start
    cdef int32_t[2] run_stop
    cdef int32_t from_title

    def __init__(self, _Elements elements, _Blocks blocks, page, kinds, _Room scratch):
        self.elements, self.blocks = elements, blocks
        self._find_title(page, kinds[1])
        self._find_best()
        self._find_runs(page)
        self._find_distances()
        self._find_repetition(scratch)

    cdef int _find_title(self, page, const uint8_t[::1] classes) except -1:
        """What share of the page's title each block has that may be a part of it."""
        cdef str title = page.title.lower()
        cdef double length = len(title)
        cdef double shortest = LEAST_SHARE * length
        cdef double longest = min(<double>CHARACTERS_OF_TITLE, length)
        cdef float least_overlap = LEAST_OVERLAP  # as precise as what it is compared with
        self.title_overlap = np.zeros(self.blocks.size, dtype=np.float32)
        cdef float[::1] overlap = self.title_overlap
        cdef uint8_t[1 << LOG_OF_FLAGS] in_title
        memset(in_title, 0, sizeof(in_title))
        cdef uint32_t letters = 0
        cdef Py_UCS4 letter
        for letter in title:
            if class_of(letter, &classes[0]) != SPACE:
                letters = letters << 8 | (letter if letter < 0x80 else 0)
                in_title[place_of_letters(letters)] = True
        cdef Py_ssize_t block
        cdef uint32_t beginning
        cdef list likely = []
        for block in range(self.blocks.size):
            beginning = self.blocks.beginning[block]
            if (
                self.blocks.words_of[block] <= WORDS_OF_TITLE
                and shortest <= self.blocks.characters[block] <= longest
                and (not beginning or in_title[place_of_letters(beginning)])
            ):
                likely.append(block)
        for block, text in zip(likely, page.lay_out_all(page.blocks[likely]) if likely else ()):
            if text.lower() in title:
                overlap[block] = <float>(len(text) / length)
        self.overlap = overlap
        cdef Py_ssize_t best = 0
        for block in range(self.blocks.size):
            if overlap[block] > overlap[best]:
                best = block
        self.from_title = <int32_t>best if overlap[best] > least_overlap else -1
        return 0

    cdef int _find_best(self) except -1:
        """The element with most sentences, as readability scores it."""
        cdef Py_ssize_t size = self.elements.tag.shape[0]
        cdef Py_ssize_t block, element
        cdef double worth
        cdef int32_t above
        self.score = self.doubles(size)
        for block in range(self.blocks.size):
            if self.blocks.words_of[block] < GOOD or self.blocks.linked_share(block) >= 0.4:
                continue
            worth = self.blocks.kinds[COMMA][block] + self.blocks.kinds[STOP][block]
            worth = min(self.blocks.words_of[block], <double>MOST_WORDS) + 10 * min(worth, <double>MOST_MARKS)
            if self.elements.tag_of(self.blocks.chain[block, 0]) != PARAGRAPH:
                self.score[self.blocks.chain[block, 0]] += worth * 0.5
            self.score[self.blocks.chain[block, 1]] += worth
            self.score[self.blocks.chain[block, 2]] += worth * 0.5
        self.best = 0
        for element in range(size):
            if self.score[element] > self.score[self.best]:
                self.best = <int32_t>element
        # How deep the nearest element is that holds both an element and the best one.
        self.common = self.integers(size)
        for element in range(size):
            self.common[element] = -1
        above = self.best
        while above >= 0:
            self.common[above] = self.elements.depth[above]
            above = self.elements.parent[above]
        for element in range(1, size):
            if self.common[element] < 0:
                self.common[element] = self.common[self.elements.parent[element]]
        return 0

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
            for here in range(self.blocks.texts):
                tokens = words[here] + symbols[here]
                before = after + tag_score[run] * self.blocks.text_tags[here]
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
        cdef _Blocks blocks = self.blocks
        cdef Py_ssize_t block, place
        cdef int32_t[3] near
        cdef bint[3] flags
        cdef int side, kind
        for side in range(2):
            for kind in range(3):
                self.distances[2 * kind + side] = self.bytes(blocks.size)
                near[kind] = TO_LANDMARK
            for place in range(blocks.size):
                block = blocks.size - 1 - place if side else place
                flags = [
                    blocks.is_big(block), blocks.is_in(block, IN_HEADING), blocks.is_in(block, IN_H1)
                ]
                for kind in range(3):
                    near[kind] = 0 if flags[kind] else min(near[kind] + 1, <int32_t>TO_LANDMARK)
                    self.distances[2 * kind + side][block] = <uint8_t>near[kind]
        return 0

    cdef int _find_repetition(self, _Room scratch) except -1:
        """What the blocks are like that stand in elements of the same tags and first classes."""
        cdef Py_ssize_t size = self.elements.tag.shape[0]
        cdef uint64_t* path = scratch.keys(size)
        cdef uint64_t* keys = scratch.keys(self.blocks.size)
        cdef Py_ssize_t element, block
        cdef KeyFacts* facts
        cdef double log_words
        cdef int32_t different
        cdef int key
        path[0] = joined(secret.first, self.elements.tag_class_key[0], secret)
        for element in range(1, size):
            path[element] = joined(
                path[self.elements.parent[element]], self.elements.tag_class_key[element], secret
            )
        self.key_of = self.key_numbers = np.empty((KEYS, self.blocks.size), dtype=np.int32)
        for key in range(KEYS):
            for block in range(self.blocks.size):
                if key == PATH:
                    keys[block] = path[self.blocks.chain[block, 0]]
                else:
                    keys[block] = self._template_path(block, key)
            different = number_spread_keys(keys, self.blocks.size, &self.key_of[key, 0])
            self.key_facts[key] = <KeyFacts*>take(&self.room, different, sizeof(KeyFacts))
            for block in range(self.blocks.size):
                facts = &self.key_facts[key][self.key_of[key, block]]
                log_words = log1p(self.blocks.words_of[block])
                facts.blocks += 1
                facts.words += <int32_t>self.blocks.words_of[block]
                facts.linked += self.blocks.linked[block]
                facts.sentences += self.blocks.last_kind[block] == STOP
                facts.log_words += log_words
                facts.squares += log_words * log_words
        return 0

    cdef uint64_t _template_path(self, Py_ssize_t block, int from_level):
        """Return a key for the tags and first classes of three elements above."""
        cdef uint64_t key = secret.first
        cdef int level
        for level in range(from_level, from_level + 3):
            key = joined(key, self.elements.tag_class_key[self.blocks.chain[block, level]], secret)
        return key


cdef tuple units_of(_Elements elements, _Blocks blocks, _Room scratch):
    """How many units are like that of each block, and how many hold a teaser; the first block."""
    cdef Py_ssize_t element, block
    cdef int32_t unit, family
    cdef int level
    cdef double words
    cdef int32_t* teasers = scratch.integers(blocks.size + 1)  # before each block
    cdef int32_t* members = scratch.integers(elements.families)
    cdef int32_t* with_teaser = scratch.integers(elements.families)
    cdef int32_t* first_of = scratch.integers(elements.families)  # from 1
    units, first_alike = np.zeros((blocks.size, 2), dtype=np.int32), np.empty(blocks.size, np.int32)
    cdef int32_t[:, ::1] unit_of = units
    cdef int32_t[::1] first_alike_of = first_alike
    for block in range(blocks.size):
        words = blocks.words_of[block]
        teasers[block + 1] = teasers[block] + (
            words >= WORDS_OF_TEASER and blocks.linked[block] >= TENTHS_OF_LINK / 10.0 * words
        )
    for element in range(elements.tag.shape[0]):
        family = elements.family[element]
        members[family] += blocks.has_link(element)
        with_teaser[family] += (
            teasers[blocks.last_block[element]] > teasers[blocks.first_block[element]]
        )
    for block in range(blocks.size):
        first_alike_of[block] = block
        for level in range(LEVELS):
            unit = blocks.chain[block, level]
            family = elements.family[unit]
            if unit and members[family] >= 2 and blocks.has_link(unit):
                unit_of[block, 0], unit_of[block, 1] = elements.alike[unit], with_teaser[family]
                if not first_of[family]:
                    first_of[family] = block + 1
                first_alike_of[block] = first_of[family] - 1
                break
    return units, first_alike


cdef class Features(_Room):
    """What a model sees of a page's blocks; the arguments are made by ``features``."""

    cdef readonly object words
    """Words of each block."""
    cdef readonly int total
    """Words of the page."""
    cdef readonly object bits
    """The groups of elements that each block stands in, a bit each."""
    cdef readonly object title_overlap
    """Share of the page's title that each short block has."""
    cdef readonly object named
    """The groups of words in classes and ids above each block, a bit each."""
    cdef readonly object surroundings
    """Which blocks belong together."""
    cdef readonly object metadata
    """What the page says of itself, by the names of ``declarations.METADATA``."""

    cdef _Elements elements
    cdef _Blocks blocks
    cdef _Landmarks landmarks
    cdef const int32_t[:, ::1] units
    cdef const float[:, ::1] copies
    cdef float* of_page  # what all blocks share
    cdef float mean_attribute_sum
    # The features of elements above the blocks at hand: few are looked at again much later.
    cdef float* facts
    cdef int32_t[REMEMBERED] whose

    def __init__(self, page, rows, flags, meanings, kinds, copies, metadata):
        """Read *page*, whose elements are *rows*.

        *flags* by tag say what an element is, *meanings* by string what a class or id means
        (least, most, mean, named groups, first name), *kinds* by code point its kind and its class.
        *copies* by block say which texts occur again.
        """
        cdef _Room scratch = _Room()
        self.elements = _Elements(page, rows, flags, meanings, scratch)
        self.blocks = _Blocks(self.elements, page, kinds, scratch)
        self.landmarks = _Landmarks(self.elements, self.blocks, page, kinds, scratch)
        self.words, self.bits, self.named = self.blocks.words, self.blocks.bits, self.blocks.named
        self.title_overlap = self.landmarks.title_overlap
        self.total = self.blocks.sum_words[self.blocks.size]
        units, first_alike = units_of(self.elements, self.blocks, scratch)
        self.units = units
        template, _, path = self.landmarks.key_numbers
        self.surroundings = Surroundings(
            template, path, first_alike, self.blocks.chains, self.blocks.within, units
        )
        self.copies = copies
        check_sizes(self.copies.shape[0], len(COPIES))
        check_sizes(self.copies.shape[1], self.blocks.size)
        self.metadata = metadata
        cdef list of_page = facts_of_page(self, metadata.values())
        check_sizes(len(of_page), OF_PAGE)
        self.of_page = self.floats(OF_PAGE)
        cdef int number
        for number in range(OF_PAGE):
            self.of_page[number] = of_page[number]
        cdef Py_ssize_t block
        cdef double attributes = 0
        for block in range(self.blocks.size):
            attributes += self.blocks.attribute_sum(block)
        self.mean_attribute_sum = <float>(attributes / self.blocks.size)
        self.facts = <float*>take_unset(&self.room, REMEMBERED * OF_ELEMENT, sizeof(float))
        memset(self.whose, 0xFF, sizeof(self.whose))

    cdef bint is_titled(self, Py_ssize_t block) noexcept:
        """Tell whether a block is a heading that says the page's title."""
        return self.blocks.is_in(block, IN_HEADING) and (
            self.landmarks.overlap[block] > <float>LEAST_OVERLAP
        )

    cdef float title_said(self, Py_ssize_t block) noexcept:
        """How well a block is the headline: its share of the page's title, more for an ``h1``.

        The name of a site is linked. -1 for what is no headline.
        """
        if not self.blocks.is_in(block, IN_HEADING) or not self.blocks.words_of[block]:
            return -1
        cdef float said = self.landmarks.overlap[block]
        said = said if said > <float>LEAST_OVERLAP else 0
        if self.blocks.is_in(block, IN_H1):
            return said + (self.blocks.linked[block] == 0)
        return said if said else -1

    def look(self, keep not None, const double[::1] content not None):
        """Return what rules go by, of the blocks that *keep* flags: the fields of ``Sight``."""
        cdef const uint8_t[::1] kept = keep.view(np.uint8)
        cdef Py_ssize_t block
        cdef Py_ssize_t first = -1, headline = -1, title = -1, begin = kept.shape[0]
        cdef Py_ssize_t above_text = -1
        cdef int32_t alike = 0, named = 0, bits = 0, unsure = 0
        cdef bint has_teaser = False, has_gap = False, has_alike = False
        cdef bint has_short = False, is_whole = True, is_begun = False, has_bare = False
        cdef bint has_links = False, has_menu = False, has_lead_in = False
        cdef bint has_callout = False, has_reference = False, may_fill = False
        cdef float said, best = -1
        cdef Py_ssize_t last = self.blocks.size - 1
        cdef double above = 0, below = 0  # words that are no links
        cdef double rest = 0, before_link = 0  # words of blocks that are not only links
        cdef bint has_link = False
        check_sizes(kept.shape[0], self.blocks.size)
        check_sizes(content.shape[0], self.blocks.size)
        for block in range(self.blocks.size):
            said = self.title_said(block)
            if said > best:
                title, best, has_menu = block, said, has_links
                above, below = above + below, 0
            if not kept[block]:
                has_callout |= (self.blocks.named_of[block] >> NAMED_GROUPS) & 1
                has_alike |= content[block] >= LIKELY_ALIKE
                may_fill |= begin < block and content[block] >= LIKELY_IN_GAP
                continue
            has_gap |= may_fill
            unsure += (
                content[block] < MOST_OF_CALL and 1 < self.blocks.words_of[block] <= CALLED
            )
            below += self.blocks.words_of[block] - self.blocks.linked[block]
            begin = min(begin, block)
            has_links |= self.blocks.linked_share(block) >= TENTHS_OF_LINK / 10.0
            if first < 0 and self.blocks.words_of[block] >= BIG:
                first = block
            alike = max(alike, self.units[block, 0])
            has_teaser |= (
                self.units[block, 0] >= ALIKE
                and self.units[block, 1] >= TENTHS_OF_TEASER / 10.0 * self.units[block, 0]
            )
            named |= self.blocks.named_of[block]
            bits |= self.blocks.bits_of[block]
            if self.blocks.words_of[block] > self.blocks.linked[block]:
                rest += self.blocks.words_of[block]
            elif self.blocks.words_of[block] > 0:
                has_link, before_link = True, rest
            has_short |= self.blocks.words_of[block] <= 1
            has_lead_in |= (
                block < last
                and not kept[block + 1]
                and self.blocks.last_kind[block] == COLON
                and self.blocks.words_of[block] <= LED_IN
            )
            has_reference |= (
                0 < block < last
                and self.blocks.linked[block] >= REFERRED
                and self.blocks.kinds[COLON][block] > 0
                and self.blocks.words_of[block] - self.blocks.linked[block] <= LED_IN
                and kept[block - 1]
                and kept[block + 1]
                and self.blocks.unlinked(block - 1, block) >= BESIDE_REFERENCE
            )
            if not self.blocks.is_in(block, IN_HEADING):
                is_begun = True
            elif is_begun and block < last:
                has_bare |= not kept[block + 1] or self.blocks.is_in(block + 1, IN_HEADING)
            else:  # headings of several lines are text, too
                is_begun = is_begun or (block and self.blocks.is_in(block - 1, IN_HEADING))
        for block in range(first - 1, max(first - 1 - MOST_BEFORE, -1), -1):
            is_whole = is_whole and kept[block]
            if self.blocks.is_in(block, IN_H1) and self.blocks.words_of[block] > 0:
                headline = -1 if is_whole else block
                break
        for block in range(begin, max(begin - ABOVE_TEXT, <Py_ssize_t>0) - 1, -1):
            if begin > last:
                break
            if self.is_titled(block):
                above_text = -1 if block == begin or self.blocks.linked[block] else block
                break
        has_menu = has_menu and below >= max(TIMES_BELOW * above, <double>WORDS_OF_TEXT)
        if title <= begin:
            title = 0
        has = has_menu, has_short, has_bare, has_lead_in, has_reference, has_callout
        has_link = has_link and before_link >= TENTHS_BEFORE_END / 10.0 * rest
        more = has_teaser, has_link, has_alike or has_gap, 0 < unsure <= UNSURE
        return alike, first, headline, title, above_text, *has, *more, named, bits

    def heaviest_unit(self, keep not None):
        """Return the first block of the units alike that hold half of the kept words, or -1."""
        cdef const uint8_t[::1] kept = keep.view(np.uint8)
        cdef const int32_t[::1] unit = self.surroundings.unit
        cdef _Room scratch = _Room()
        cdef double* held = scratch.doubles(self.blocks.size)
        cdef double total = 0
        cdef Py_ssize_t block
        cdef Py_ssize_t most = 0
        check_sizes(kept.shape[0], self.blocks.size)
        for block in range(self.blocks.size):
            if kept[block]:
                total += self.blocks.words_of[block]
                if self.units[block, 0] >= ALIKE:
                    held[unit[block]] += self.blocks.words_of[block]
        for block in range(self.blocks.size):
            if held[block] > held[most]:
                most = block
        return most if 2 * held[most] >= total else -1

    def matrix(self, Py_ssize_t start, Py_ssize_t stop, Py_ssize_t room=0):
        """Return the features of the blocks ``[start, stop)``, a row a block.

        Behind them is *room* for more columns, which are not set.
        """
        stop = min(stop, self.blocks.size)
        result = np.empty((max(stop - start, 0), WIDTH + max(room, 0)), dtype=np.float32)
        cdef float[:, ::1] found = result
        cdef float* row
        cdef float* last = NULL
        cdef Py_ssize_t block
        cdef Py_ssize_t missing = 0  # or too many
        with nogil:
            for block in range(start, stop):
                row = &found[block - start, 0]
                last = add_text(self, row, block)
                last = add_levels(self, last, block)
                last = add_best(self, last, block)
                last = add_place(self, last, block)
                last = add_neighbours(self, last, block)
                last = add_windows(self, last, block)
                last = add_repetition(self, last, block)
                last = add_page(self, last)
                last = add_attributes(self, last, block)
                missing = row + WIDTH - last
                if missing:
                    break
        if missing:
            raise AssertionError(f"{WIDTH - missing} features, not {WIDTH}")
        return result


OF_LEVELS = {
    # Facts of the elements above a block, and the nearest level at which each is looked at.
    "tag": 0,
    "log_words": 1,
    "word_share": 1,  # of the page's words
    "link_density": 0,
    "log_blocks": 1,
    "words_per_block": 1,
    "stops": 1,  # sentence ends a word
    "paragraphs": 2,  # share of words in p and not in links
    "children": 0,
    "siblings": 0,  # that have the same tag and first class
    "media": 2,
    "controls": 1,
    "headings": 1,
}
cdef enum:
    OF_ELEMENT = 13
cdef int[OF_ELEMENT] NEAREST = list(OF_LEVELS.values())


cdef void find_facts(Features of, int32_t element, float* facts) noexcept nogil:
    """Work out the features of an element that stands above a block."""
    cdef double words, linked, stops, paragraphs, headings, blocks, some
    cdef int32_t low = of.blocks.first_block[element]
    cdef int32_t high = of.blocks.last_block[element]
    words = of.blocks.sum_words[high] - of.blocks.sum_words[low]
    linked = of.blocks.sum_linked[high] - of.blocks.sum_linked[low]
    stops = of.blocks.sum_stops[high] - of.blocks.sum_stops[low]
    paragraphs = of.blocks.sum_paragraphs[high] - of.blocks.sum_paragraphs[low]
    headings = of.blocks.sum_headings[high] - of.blocks.sum_headings[low]
    some, blocks = max(words, 1.0), high - low
    facts[0] = of.elements.tag_of(element)
    facts[1] = <float>log1p(words)
    facts[2] = <float>(words / of.blocks.total)
    facts[3] = <float>(linked / some)
    facts[4] = <float>log1p(blocks)
    facts[5] = <float>log1p(words / max(blocks, 1.0))
    facts[6] = <float>(stops / some)
    facts[7] = <float>(paragraphs / some)
    facts[8] = <float>log1p(of.elements.children[element])
    facts[9] = <float>log(<double>of.elements.alike[element])
    facts[10] = <float>log1p(
        of.elements.media_before[of.elements.end[element]] - of.elements.media_before[element]
    )
    facts[11] = <float>log1p(
        of.elements.controls_before[of.elements.end[element]] - of.elements.controls_before[element]
    )
    facts[12] = <float>log1p(headings)


OF_TEXT = (
    # The block's own text, and what it stands in.
    *("words", "characters", "word_length", "symbol_share"),
    *(f"{kind}{of}" for kind in ("capitals", "digits", *MARKS) for of in ("", "_share")),
    *("last_kind", "is_sentence", "link_density", "tags", "tag_density"),
    *(f"in_{name}" for name in ABOVE),
    *("own_tag", "depth"),
)


cdef float* add_text(Features of, float* row, Py_ssize_t block) noexcept nogil:
    cdef double words = max(of.blocks.words_of[block], 1.0)
    cdef double characters = max(of.blocks.characters[block], 1.0)
    cdef int32_t bits = of.blocks.bits_of[block]
    cdef int number
    row[0] = <float>log1p(of.blocks.words_of[block])
    row[1] = <float>log1p(of.blocks.characters[block])
    row[2] = <float>((of.blocks.characters[block] - of.blocks.symbols[block]) / words)
    row[3] = <float>(of.blocks.symbols[block] / characters)
    row += 4
    for number in range(1, KINDS):
        row[0] = <float>of.blocks.kinds[number][block]
        row[1] = <float>(of.blocks.kinds[number][block] / words)
        row += 2
    row[0] = of.blocks.last_kind[block]
    row[1] = of.blocks.last_kind[block] == STOP
    row[2] = <float>of.blocks.linked_share(block)
    row[3] = <float>log1p(of.blocks.tags[block])
    row[4] = <float>(of.blocks.tags[block] / words)
    row += 5
    for number in range(GROUPS):
        row[number] = (bits >> number) & 1
    row += GROUPS
    row[0] = of.elements.tag_of(of.blocks.holder[block])
    row[1] = of.elements.depth[of.blocks.chain[block, 0]]
    return row + 2


cdef float* add_levels(Features of, float* row, Py_ssize_t block) noexcept nogil:
    cdef int32_t element
    cdef int fact, level, place
    cdef float* column
    cdef float* facts
    for level in range(LEVELS):
        element = of.blocks.chain[block, level]
        place = element % REMEMBERED
        facts = of.facts + place * OF_ELEMENT
        if of.whose[place] != element:
            find_facts(of, element, facts)
            of.whose[place] = element
        column = row
        for fact in range(OF_ELEMENT):
            if level >= NEAREST[fact]:
                column[level - NEAREST[fact]] = facts[fact]
            column += LEVELS - NEAREST[fact]
    return column


OF_BEST = (
    # Where it stands relative to the best element, scored as readability does, and to the best run
    # of tokens for two values of a tag.
    *("in_best", "best_share_0", "best_share_1", "best_share_2", "best_distance"),
    *("best_place", "best_up", "best_down", "page_best_share", "run_long", "run_short"),
)


cdef float* add_best(Features of, float* row, Py_ssize_t block) noexcept nogil:
    cdef int32_t element = of.blocks.chain[block, 0]
    cdef int32_t first = of.blocks.first_block[of.landmarks.best]
    cdef int32_t last = of.blocks.last_block[of.landmarks.best]
    cdef double most = max(of.landmarks.score[of.landmarks.best], 1.0)
    cdef int level, run
    cdef int32_t outside
    row[0] = of.landmarks.best <= element < of.elements.end[of.landmarks.best]
    for level in range(3):
        row[1 + level] = <float>(of.landmarks.score[of.blocks.chain[block, level]] / most)
    row[4] = min(block - first, 0) + max(block - last + 1, 0)
    row[5] = <float>((block - first) / <double>max(last - first, 1))
    row[6] = of.elements.depth[of.landmarks.best] - of.landmarks.common[element]
    row[7] = of.elements.depth[element] - of.landmarks.common[element]
    row[8] = <float>((of.blocks.sum_words[last] - of.blocks.sum_words[first]) / of.blocks.total)
    for run in range(2):
        outside = min(<int32_t>of.blocks.spans[block, 0] - of.landmarks.run_start[run], 0)
        outside += max(<int32_t>of.blocks.spans[block, 1] - of.landmarks.run_stop[run], 0)
        row[9 + run] = <float>(outside / <double>max(of.blocks.texts, 1))
    return row + 11


OF_PLACE = (
    # Where it stands on the page; big blocks have 20 words and few in links.
    *("place", "from_end", "words_before", "words_after", "word_place"),
    *(f"{to}_{what}" for what in ("big", "heading", "h1") for to in ("since", "until")),
    *("big_before", "big_after"),
)


cdef float* add_place(Features of, float* row, Py_ssize_t block) noexcept nogil:
    cdef Py_ssize_t behind = of.blocks.size - 1 - block
    cdef double total = of.blocks.sum_words[of.blocks.size]
    cdef int number
    row[0] = <float>(block / <double>max(of.blocks.size - 1, 1))
    row[1] = min(behind, <Py_ssize_t>TO_END)
    row[2] = <float>log1p(of.blocks.sum_words[block])
    row[3] = <float>log1p(total - of.blocks.sum_words[block + 1])
    row[4] = <float>(of.blocks.sum_words[block] / max(total, 1.0))
    for number in range(6):
        row[5 + number] = of.landmarks.distances[number][block]
    row[11] = <float>log1p(of.blocks.sum_big20[block])
    row[12] = <float>log1p(of.blocks.sum_big20[of.blocks.size] - of.blocks.sum_big20[block + 1])
    return row + 13


OF_NEIGHBOURS = tuple(
    # The same of the blocks beside it, −1 beyond the page.
    f"{name}[{by}]"
    for name in ("words", "link_density", "tag_0", "depth", "attribute_sum")
    for by in BESIDE
)


cdef float* add_neighbours(Features of, float* row, Py_ssize_t block) noexcept nogil:
    cdef Py_ssize_t other
    cdef int number
    for number in range(4):
        other = block + OFFSETS[number]
        row[number] = row[4 + number] = row[8 + number] = row[12 + number] = row[16 + number] = -1
        if 0 <= other < of.blocks.size:
            row[number] = <float>log1p(of.blocks.words_of[other])
            row[4 + number] = <float>of.blocks.linked_share(other)
            row[8 + number] = of.elements.tag_of(of.blocks.chain[other, 0])
            row[12 + number] = of.elements.depth[of.blocks.chain[other, 0]]
            row[16 + number] = <float>of.blocks.attribute_sum(other)
    return row + 20


OF_WINDOWS = tuple(
    # Sums and shares over the blocks up to so many places away.
    f"{name}_{radius}"
    for radius in (2, 5, 10, 25)
    for name in (
        *("unlinked_around", "linked_around", "big_around", "sentences_around"),
        *("unlinked_before", "unlinked_after"),
    )
)


cdef float* add_windows(Features of, float* row, Py_ssize_t block) noexcept nogil:
    cdef Py_ssize_t low, high
    cdef double size
    cdef int number
    for number in range(4):
        low, high = max(block - RADII[number], 0), min(block + RADII[number] + 1, of.blocks.size)
        size = high - low
        row[0] = <float>log1p(of.blocks.unlinked(low, high))
        row[1] = <float>log1p(of.blocks.sum_linked[high] - of.blocks.sum_linked[low])
        row[2] = <float>((of.blocks.sum_big15[high] - of.blocks.sum_big15[low]) / size)
        row[3] = <float>((of.blocks.sum_sentences[high] - of.blocks.sum_sentences[low]) / size)
        row[4] = <float>log1p(of.blocks.unlinked(low, block))
        row[5] = <float>log1p(of.blocks.unlinked(block + 1, high))
        row += 6
    return row


OF_REPETITION = (
    # Blocks of the same make, texts that occur again, and the title.
    *(
        f"{key}_{fact}"
        for key in ("template", "outer", "path")
        for fact in ("count", "share", "words", "word_share", "link_density", "sentences", "spread")
    ),
    *(*COPIES, "title_overlap", "from_title"),
)


cdef float* add_repetition(Features of, float* row, Py_ssize_t block) noexcept nogil:
    cdef KeyFacts* facts
    cdef double blocks, mean
    cdef int key
    cdef Py_ssize_t near
    for key in range(KEYS):
        facts = &of.landmarks.key_facts[key][of.landmarks.key_of[key, block]]
        blocks = facts.blocks
        mean = facts.log_words / blocks
        row[0] = <float>log(blocks)
        row[1] = <float>(blocks / of.blocks.size)
        row[2] = <float>log1p(facts.words / blocks)
        row[3] = <float>(facts.words / of.blocks.total)
        row[4] = <float>(facts.linked / max(<double>facts.words, 1.0))
        row[5] = <float>(facts.sentences / blocks)
        row[6] = <float>(facts.squares / blocks - mean * mean)
        row += 7
    for key in range(<int>of.copies.shape[0]):
        row[key] = of.copies[key, block]
    row += of.copies.shape[0]
    row[0] = of.landmarks.overlap[block]
    near = min(max(block - of.landmarks.from_title, <Py_ssize_t>(-TO_TITLE)), <Py_ssize_t>TO_TITLE)
    row[1] = near if of.landmarks.from_title >= 0 else NO_TITLE
    return row + 2


NAMES_OF_PAGE = (
    # The whole page, and what it declares.
    *(
        f"page_{name}"
        for name in (
            "blocks words link_density big big_share longest paragraphs words_per_block sentences "
            "controls tables items code headings h1 articles mains images plain strings money "
            "elements siblings"
        ).split()
    ),
    *METADATA,
)
cdef int OF_PAGE = len(NAMES_OF_PAGE)
cdef enum:
    COUNTED = 6
cdef int[COUNTED] COUNTED_GROUPS = [*map(list(ABOVE).index, "button table item code heading h1".split())]


cdef list facts_of_page(Features of, metadata):
    """Return the features that all blocks of a page share."""
    cdef _Blocks blocks = of.blocks
    cdef _Elements elements = of.elements
    cdef const int32_t[::1] class_of = elements.rows[CLASS_ROW]
    cdef Py_ssize_t size = elements.tag.shape[0]
    cdef Py_ssize_t block, element
    cdef int number
    cdef int32_t kind
    cdef double count = blocks.size
    cdef double linked = 0, big = 0, big_words = 0, longest = 0, in_p = 0, sentences = 0
    cdef double money = 0, siblings = 0, articles = 0, mains = 0, images = 0, plain = 0
    cdef double[COUNTED] inside
    memset(inside, 0, sizeof(inside))
    for block in range(blocks.size):
        linked += blocks.linked[block]
        if blocks.is_big(block):
            big += 1
            big_words += blocks.words_of[block]
        longest = max(longest, blocks.words_of[block])
        if blocks.is_in(block, IN_P):
            in_p += blocks.words_of[block]
        sentences += blocks.last_kind[block] == STOP
        for number in range(COUNTED):
            inside[number] += blocks.is_in(block, COUNTED_GROUPS[number])
        money += blocks.kinds[MONEY][block]
        siblings += log(<double>elements.alike[blocks.chain[block, 1]])
    for element in range(size):
        kind = elements.flags[elements.tag[element]]
        articles += kind & IS_ARTICLE != 0
        mains += kind & IS_MAIN != 0
        images += kind & IS_MEDIA != 0
        plain += class_of[element] == 0
    return [
        log(count),
        log(blocks.total),
        linked / blocks.total,
        big,
        big_words / blocks.total,
        log1p(longest),
        in_p / blocks.total,
        log1p(blocks.total / count),
        sentences / count,
        *[inside[number] / count for number in range(COUNTED - 1)],
        inside[COUNTED - 1],
        articles,
        mains,
        log1p(images),
        plain / size,
        log(<double>elements.meanings.shape[1]),
        money,
        log(<double>size),
        siblings / count,
        *metadata,
    ]


cdef float* add_page(Features of, float* row) noexcept nogil:
    memcpy(row, of.of_page, OF_PAGE * sizeof(float))
    return row + OF_PAGE


OF_ATTRIBUTES = (
    # What the lexicon says of the classes and ids above the block, the only group that needs it.
    *(f"attribute_{name}_{level}" for name in ("least", "most", "mean") for level in range(4)),
    *("attribute_least_beyond", "attribute_most_beyond", "attribute_least", "attribute_most"),
    *("attribute_sum", "page_attribute_sum"),
    *(f"named_{name}" for name in NAMED),
)
cdef int NAMED_GROUPS = len(NAMED)


cdef float* add_attributes(Features of, float* row, Py_ssize_t block) noexcept nogil:
    cdef int32_t holder = of.blocks.holder[block]
    cdef int32_t named = of.blocks.named_of[block]
    cdef int32_t element
    cdef int level, number
    cdef bint moved
    for level in range(4):
        element = of.blocks.chain[block, level]
        moved = level == 0 or element != of.blocks.chain[block, level - 1]
        row[level] = of.elements.least[element] if moved else 0
        row[4 + level] = of.elements.most[element] if moved else 0
        row[8 + level] = <float>of.elements.mean[element] if moved else 0
    element = of.blocks.chain[block, 0]
    row[0] = min(of.elements.least[holder], of.elements.least[element])
    row[4] = max(of.elements.most[holder], of.elements.most[element])
    element = of.blocks.chain[block, 3]
    row[12], row[13] = of.elements.least_above[element], of.elements.most_above[element]
    row[14], row[15] = of.elements.least_above[holder], of.elements.most_above[holder]
    row[16] = <float>of.blocks.attribute_sum(block)
    row[17] = of.mean_attribute_sum
    row += 18
    for number in range(NAMED_GROUPS):
        row[number] = (named >> number) & 1
    return row + NAMED_GROUPS


FEATURES = (
    *OF_TEXT,
    *(f"{fact}_{level}" for fact, nearest in OF_LEVELS.items() for level in range(nearest, LEVELS)),
    *(*OF_BEST, *OF_PLACE, *OF_NEIGHBOURS, *OF_WINDOWS, *OF_REPETITION, *NAMES_OF_PAGE),
    *OF_ATTRIBUTES,
)
"""Names of all features, in the order of their columns."""
cdef int WIDTH = len(FEATURES)
