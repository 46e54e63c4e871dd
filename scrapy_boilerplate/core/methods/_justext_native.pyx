"""The loops of :mod:`scrapy_boilerplate.core.methods.justext` over texts and words."""

from libc.stdint cimport int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t
from libc.string cimport memset

import numpy as np

from scrapy_boilerplate.core.page._characters cimport (
    IDEOGRAPH,
    TABLE_SIZE,
    Character,
    PyUnicode_DATA,
    PyUnicode_KIND,
    class_of,
)
from scrapy_boilerplate.core.page._checks cimport check_page, check_sizes
from scrapy_boilerplate.core.page._keys cimport Secret, read_secret
from scrapy_boilerplate.core.page._words cimport (
    Word,
    begin,
    is_space,
    key_of,
    key_of_text,
    place_of,
    room_for,
    spell,
)
from scrapy_boilerplate.core.secret import SECRET

cdef Secret secret = read_secret(SECRET)


# -- paragraphs ------------------------------------------------------------------------------

cdef enum:
    # Kinds of elements, a bit each, as in :mod:`scrapy_boilerplate.core.methods.justext`.
    KILLED = 1
    TRANSPARENT = 2
    PARAGRAPH = 4
    BREAK = 8
    HEADING = 16
    SELECT = 32

cdef enum:
    # Rows of what is measured of paragraphs, as in :mod:`scrapy_boilerplate.core.methods.justext`.
    LENGTH, IN_LINKS, EAST_ASIAN, IN_HEADING, IN_SELECT, COPYRIGHT
    MEASURES

cdef enum:
    # Columns of pieces.
    START, STOP, SPACED

cdef struct Reading:
    # Where the reading of a paragraph's characters is.
    int64_t[MEASURES] measures
    bint space  # whether white space was read since the last other character …
    bint space_of_piece  # … of the same piece
    bint linked  # whether the piece is in a link
    int mark  # characters of "&copy" that were read

cdef uint32_t* COPY = [c"&", c"c", c"o", c"p", c"y"]


cdef inline bint is_east_asian(uint32_t code) noexcept nogil:
    return code >= 0x3040 and (
        0xAC00 <= code <= 0xD7AF
        or code <= 0x30FF
        or 0x3400 <= code <= 0x4DBF
        or 0x4E00 <= code <= 0x9FFF
        or 0xF900 <= code <= 0xFAFF
        or 0x20000 <= code <= 0x3FFFF
    )


cdef void read_characters(
    const Character* text, Py_ssize_t start, Py_ssize_t stop, Reading* reading
) noexcept nogil:
    cdef Py_ssize_t place
    cdef uint32_t code
    cdef int64_t* measures = &reading.measures[0]
    for place in range(start, stop):
        code = text[place]
        if is_space(code):
            measures[IN_LINKS] += reading.linked and not reading.space_of_piece
            reading.space = reading.space_of_piece = True
            reading.mark = 0
            continue
        measures[LENGTH] += 1 + (reading.space and measures[LENGTH] > 0)
        measures[IN_LINKS] += reading.linked
        reading.space = reading.space_of_piece = False
        if code == c"&":
            reading.mark = 1
        elif reading.mark:
            reading.mark = reading.mark + 1 if code == COPY[reading.mark] else 0
            if reading.mark == 5:
                measures[COPYRIGHT], reading.mark = 1, 0
        if code >= 0xA9:
            measures[COPYRIGHT] |= code == 0xA9
            measures[EAST_ASIAN] += is_east_asian(code)


cdef class _Page:
    """Reads a page's elements and text nodes in document order, and cuts it into paragraphs."""

    cdef const uint8_t[::1] kinds
    cdef const int32_t[::1] tag, parent, depth, end, first_text, last_text
    cdef const int32_t[::1] text_parent, text_at, text_start, text_stop
    cdef const uint8_t[::1] in_link
    cdef str buffer
    cdef Py_ssize_t size
    # Of elements: whether they are left out, and how many paragraph elements they stand in.
    cdef uint8_t[::1] killed
    cdef int32_t[::1] paragraphs
    # What has been found.
    cdef int64_t[::1] numbers  # of the paragraph of each text node, −1 of none
    cdef int64_t[:, ::1] pieces
    cdef int64_t[::1] first_piece
    cdef int64_t[:, ::1] measures
    cdef Py_ssize_t count
    cdef Py_ssize_t count_of_pieces
    # Where the reading is.
    cdef Reading reading
    cdef Py_ssize_t element
    cdef int32_t killed_stop
    cdef bint opened, broken, broken_twice, after_break
    cdef int32_t heading_seen, heading_stop, select_seen, select_stop

    def __init__(self, page, kinds):
        self.kinds, self.buffer, self.in_link = kinds, page.buffer, page.in_link.view(np.uint8)
        self.tag, self.parent, self.depth, self.end = page.tag, page.parent, page.depth, page.end
        self.first_text, self.last_text = page.first_text, page.last_text
        self.text_parent, self.text_at = page.text_parent, page.text_at
        self.text_start, self.text_stop = page.text_start, page.text_stop
        self.size = self.text_at.shape[0]
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
        check_sizes(self.tag.shape[0], self.depth.shape[0])
        check_sizes(self.size, self.in_link.shape[0])
        self.killed = np.zeros(self.tag.shape[0], dtype=np.uint8)
        self.paragraphs = np.zeros(self.tag.shape[0], dtype=np.int32)
        self.numbers = np.empty(self.size, dtype=np.int64)
        self.pieces = np.empty((self.size, 3), dtype=np.int64)
        self.first_piece = np.zeros(self.size + 1, dtype=np.int64)
        self.measures = np.zeros((MEASURES, self.size), dtype=np.int64)

    cdef int pass_elements(self, int32_t stop) noexcept:
        """Read the elements before *stop*, which the next text node stands behind."""
        cdef Py_ssize_t element
        cdef uint8_t kind
        for element in range(self.element, stop):
            kind = self.kinds[self.tag[element]]
            self.find_heads(element, kind)
            if kind & KILLED:
                self.killed_stop = max(self.killed_stop, self.end[element])
            self.killed[element] = element < self.killed_stop
            if self.parent[element] >= 0:
                self.paragraphs[element] = self.paragraphs[self.parent[element]]
            if self.killed[element]:
                continue
            if kind & PARAGRAPH:
                self.paragraphs[element] += 1
                self.opened = True
            elif not kind & TRANSPARENT:
                self.broken_twice |= self.after_break and kind & BREAK != 0
                self.after_break = kind & BREAK != 0
                self.broken |= self.after_break
        self.element = max(self.element, stop)
        return 0

    cdef void find_heads(self, Py_ssize_t element, uint8_t kind) noexcept:
        """Find up to where paragraphs that begin now begin in a heading, or in a select.

        They do if the element has a paragraph element before them, or is one.
        """
        if kind & HEADING:
            self.heading_seen = max(self.heading_seen, self.last_text[element])
        if kind & SELECT:
            self.select_seen = max(self.select_seen, self.last_text[element])
        if kind & PARAGRAPH:
            self.heading_stop = max(self.heading_stop, self.heading_seen)
            self.select_stop = max(self.select_stop, self.select_seen)

    cdef int read(self) noexcept:
        """Cut the page into paragraphs, and measure each."""
        cdef Py_ssize_t text, before
        cdef bint starts, spaced, near
        before = -1  # the text node before that is not left out
        for text in range(self.size):
            self.pass_elements(self.text_at[text])
            if self.killed[self.text_parent[text]]:
                self.numbers[text] = -1
                continue
            near = before >= 0
            starts = not near or self.opened or self.broken_twice or (
                self.paragraphs[self.text_parent[text]] != self.paragraphs[self.text_parent[before]]
            )
            spaced = self.broken or (near and self.is_spaced(before, text))
            if starts:
                self.open_paragraph(text)
            if (
                not starts and not spaced
                and self.text_at[text] == self.text_at[before]
                and self.text_parent[text] == self.text_parent[before]
            ):
                # Only a comment or script parts them: they are one node to the package.
                self.add_characters(self.text_stop[before], text)
            else:
                self.open_piece(text, spaced)
                self.add_characters(self.text_start[text], text)
            self.numbers[text] = self.count - 1
            self.opened = self.broken = self.broken_twice = self.after_break = False
            before = text
        self.close_paragraph()
        return 0

    cdef bint is_spaced(self, Py_ssize_t before, Py_ssize_t text) noexcept:
        """Tell whether white space stands between two text nodes with one tag between them."""
        cdef int32_t tags = 2 * (self.text_at[text] - self.text_at[before]) - (
            self.depth[self.text_parent[text]] - self.depth[self.text_parent[before]]
        )
        return (
            before + 1 == text and tags == 1 and self.text_start[text] > self.text_stop[before]
        )

    cdef void open_paragraph(self, Py_ssize_t text) noexcept:
        self.close_paragraph()
        self.first_piece[self.count] = self.count_of_pieces
        self.count += 1
        memset(&self.reading, 0, sizeof(Reading))
        self.reading.measures[IN_HEADING] = text < self.heading_stop
        self.reading.measures[IN_SELECT] = text < self.select_stop

    cdef void close_paragraph(self) noexcept:
        cdef int row
        if self.count:
            for row in range(MEASURES):
                self.measures[row, self.count - 1] = self.reading.measures[row]
        self.first_piece[self.count] = self.count_of_pieces

    cdef void open_piece(self, Py_ssize_t text, bint spaced) noexcept:
        self.pieces[self.count_of_pieces, START] = self.text_start[text]
        self.pieces[self.count_of_pieces, SPACED] = spaced
        self.count_of_pieces += 1
        self.reading.linked = self.in_link[text]
        self.reading.space_of_piece = False
        if spaced:
            self.reading.space = True
            self.reading.mark = 0

    cdef void add_characters(self, Py_ssize_t start, Py_ssize_t text) noexcept:
        cdef Py_ssize_t stop = self.text_stop[text]
        cdef const void* data = PyUnicode_DATA(self.buffer)
        cdef int width = PyUnicode_KIND(self.buffer)
        if width == 1:
            read_characters(<const uint8_t*>data, start, stop, &self.reading)
        elif width == 2:
            read_characters(<const uint16_t*>data, start, stop, &self.reading)
        else:
            read_characters(<const uint32_t*>data, start, stop, &self.reading)
        self.pieces[self.count_of_pieces - 1, STOP] = stop

    cdef object spans(self):
        """Return the runs of text nodes of one paragraph or of none, and its number."""
        found = np.empty((self.size, 2), dtype=np.int64)
        numbers = np.empty(self.size, dtype=np.int64)
        cdef int64_t[:, ::1] span = found
        cdef int64_t[::1] number = numbers
        cdef Py_ssize_t count = 0
        cdef Py_ssize_t text
        for text in range(self.size):
            if not text or self.numbers[text] != self.numbers[text - 1]:
                span[count, 0], number[count] = text, self.numbers[text]
                count += 1
            span[count - 1, 1] = text + 1
        return found[:count], numbers[:count]


def paragraphs(page not None, kinds not None):
    """Return the measures of paragraphs, their pieces and the first of each, spans and numbers."""
    cdef _Page reader = _Page(page, kinds)
    reader.read()
    return (
        np.asarray(reader.measures)[:, : reader.count],
        np.asarray(reader.pieces)[: reader.count_of_pieces],
        np.asarray(reader.first_piece)[: reader.count + 1],
        *reader.spans(),
    )


# -- words -----------------------------------------------------------------------------------


cdef class Vocabulary:
    """Words, each of which is in some of a number of *groups*."""

    cdef uint64_t[::1] keys
    cdef int32_t[:, ::1] slices  # of each word's groups among all
    cdef int32_t[::1] groups_of
    cdef Py_ssize_t groups

    def __init__(self, words, Py_ssize_t groups):
        cdef size_t room = room_for(len(words))
        cdef Py_ssize_t last = 0
        cdef size_t place
        cdef uint64_t key
        self.keys, self.groups = np.zeros(room, dtype=np.uint64), groups
        self.slices = np.zeros((room, 2), dtype=np.int32)
        self.groups_of = np.array([group for each in words.values() for group in each], np.int32)
        for word, each in words.items():
            if not all(0 <= group < groups for group in each):
                raise IndexError(f"{word} is in a group that there is not")
            key = key_of_text(word, secret)
            place = place_of(&self.keys[0], room, key)
            self.keys[place] = key
            self.slices[place, 0], self.slices[place, 1] = last, last + len(each)
            last += len(each)

    def count(self, str texts not None):
        """Return how many words of each group stand in each of *texts*, and how many of all.

        A NUL stands between two texts.
        """
        found = np.zeros((texts.count("\0") + 1, self.groups + 1), dtype=np.int64)
        cdef int64_t[:, ::1] counts = found
        cdef const void* data = PyUnicode_DATA(texts)
        cdef int width = PyUnicode_KIND(texts)
        cdef Py_ssize_t size = len(texts)
        with nogil:
            if width == 1:
                self.read(<const uint8_t*>data, size, counts)
            elif width == 2:
                self.read(<const uint16_t*>data, size, counts)
            else:
                self.read(<const uint32_t*>data, size, counts)
        return found

    cdef void read(self, const Character* text, Py_ssize_t size, int64_t[:, ::1] counts) noexcept nogil:
        cdef Py_ssize_t place = 0
        cdef Py_ssize_t row = 0
        cdef Word word
        while place < size:
            if is_space(text[place]) or not text[place]:
                row += not text[place]
                place += 1
                continue
            begin(&word, secret)
            while place < size and text[place] and not is_space(text[place]):
                spell(&word, text[place], secret)
                place += 1
            self.add(key_of(&word, secret), &counts[row, 0])

    cdef inline void add(self, uint64_t key, int64_t* counts) noexcept nogil:
        cdef size_t place = place_of(&self.keys[0], self.keys.shape[0], key)
        cdef Py_ssize_t number
        for number in range(self.slices[place, 0], self.slices[place, 1]):
            counts[self.groups_of[number]] += 1
        counts[self.groups] += 1


def count_ideographs(str text not None, const uint8_t[::1] table not None):
    """Return how many characters of *text* are of scripts without spaces between words."""
    check_sizes(table.shape[0], TABLE_SIZE)
    cdef const void* data = PyUnicode_DATA(text)
    cdef int width = PyUnicode_KIND(text)
    if width == 1:
        return 0
    if width == 2:
        return ideographs(<const uint16_t*>data, len(text), &table[0])
    return ideographs(<const uint32_t*>data, len(text), &table[0])


cdef Py_ssize_t ideographs(const Character* text, Py_ssize_t size, const uint8_t* table) noexcept:
    cdef Py_ssize_t count = 0
    cdef Py_ssize_t place
    for place in range(size):
        count += class_of(text[place], table) == IDEOGRAPH
    return count
