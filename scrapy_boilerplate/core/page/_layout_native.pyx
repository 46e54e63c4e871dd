"""The loops of :mod:`scrapy_boilerplate.core.page.layout` over elements, text nodes and characters."""

from libc.stdint cimport int32_t, int64_t, uint8_t, uint16_t, uint32_t
from libc.stdlib cimport calloc, free, malloc
from libc.string cimport memcpy

import numpy as np

from scrapy_boilerplate.core.page._characters cimport (
    Character,
    PyUnicode_DATA,
    PyUnicode_KIND,
    PyUnicode_READ,
)
from scrapy_boilerplate.core.page._checks cimport check_sizes, check_span
from scrapy_boilerplate.core.page._rows cimport *

cdef extern from "Python.h":
    bint Py_UNICODE_ISALNUM(Py_UCS4 character)
    bint Py_UNICODE_ISDIGIT(Py_UCS4 character)
    bint Py_UNICODE_ISLOWER(Py_UCS4 character)
    bint Py_UNICODE_ISSPACE(Py_UCS4 character)
    bint Py_UNICODE_ISUPPER(Py_UCS4 character)
    str PyUnicode_FromKindAndData(int kind, const void* text, Py_ssize_t size)

cdef enum:
    # Kinds of elements and kinds of breaks, as in scrapy_boilerplate.core.page.layout.
    TABLE = 1
    ROW = 2
    CELL = 4
    LIST = 8
    ITEM = 16
    OTHER = 32
    BLOCK_LEVEL = TABLE | ROW | CELL | LIST | ITEM | OTHER
    BR = 64
    LABEL = 128
    LITERAL = 256
    LINK = 512

cdef enum:
    NO_BREAK, APART, IN_CELL, CELL_BREAK, LINE_BREAK, PARAGRAPH_BREAK

cdef enum:
    LABEL_ENDS = 1
    LABEL_BEGINS = 2

cdef struct Edge:
    # What begins and ends before a text node.
    uint8_t crossed  # kinds of block-level elements, a bit each
    uint8_t labels
    int32_t line_breaks
    # Sums of these are the elements of a kind that are open at its start, tables and lists on both
    # sides of it.
    int32_t tables
    int32_t lists
    int32_t literals
    int32_t links


def read_texts(nodes not None, const uint32_t[::1] kinds not None):
    """Return what separates each text node of *nodes* from the one before, whether it opens a
    block, and whether it stands in a link; whether each element is block-level.

    *kinds* are those of the tags, a bit each.
    """
    cdef const int32_t[:, ::1] elements = nodes.element_rows
    cdef const int32_t[:, ::1] texts = nodes.text_rows
    cdef str buffer = nodes.buffer
    cdef Py_ssize_t size = texts.shape[1]
    cdef Py_ssize_t text
    cdef int32_t tables = 0, lists = 0, literals = 0, links = 0
    cdef uint8_t here
    cdef bint opens
    cdef const Edge* edge
    check_sizes(elements.shape[0], ELEMENT_ROWS)
    check_sizes(texts.shape[0], TEXT_ROWS)
    flags, is_block = np.empty((3, size), dtype=np.uint8), np.empty(elements.shape[1], dtype=bool)
    cdef uint8_t[:, ::1] rows = flags
    cdef uint8_t* found = &rows[0, 0] if size else NULL
    cdef Edge* edges = <Edge*>calloc(size + 2, sizeof(Edge))
    if edges is NULL:
        raise MemoryError()
    try:
        mark_edges(kinds, elements, edges, size, is_block.view(np.uint8))
        edges[0].crossed |= OTHER  # the first one opens a block
        for text in range(size):
            edge = edges + text
            tables += edge.tables
            lists += edge.lists
            literals += edge.literals
            links += edge.links
            opens = edge.crossed != 0 or edge.line_breaks > 1
            here = strength(edge.crossed, tables, lists, edge.line_breaks)
            if (
                edge.labels == LABEL_ENDS | LABEL_BEGINS
                and here == NO_BREAK
                and not literals
                and texts[TEXT_STOP_ROW, text - 1] == texts[TEXT_START_ROW, text]
                and begins_word(buffer, texts[TEXT_START_ROW, text])
            ):
                here = APART  # a browser shows it so
            found[text], found[size + text], found[2 * size + text] = here, opens, links > 0
    finally:
        free(edges)
    if size:
        found[0] = PARAGRAPH_BREAK
    # Taken one by one: an array that is unpacked is asked for one more.
    opening, in_link = flags[1].view(bool), flags[2].view(bool)
    return flags[0], opening, in_link, is_block


cdef int mark_edges(
    const uint32_t[::1] kinds,
    const int32_t[:, ::1] elements,
    Edge* edges,
    Py_ssize_t size,
    uint8_t[::1] is_block,
) except -1:
    """Mark what begins and ends before each text node, and elements that are block-level."""
    if not elements.shape[1]:
        return 0
    cdef const int32_t* tag = &elements[TAG_ROW, 0]
    cdef const int32_t* parent = &elements[PARENT_ROW, 0]
    cdef const int32_t* first_text = &elements[FIRST_TEXT_ROW, 0]
    cdef const int32_t* last_text = &elements[LAST_TEXT_ROW, 0]
    cdef const uint32_t* kind_of = &kinds[0]
    cdef uint8_t* flags = &is_block[0]
    cdef Py_ssize_t element
    cdef int32_t first, after, above
    cdef uint32_t kind
    for element in range(elements.shape[1]):
        kind = kind_of[tag[element]]
        flags[element] = kind & BLOCK_LEVEL != 0
        if not kind:
            continue
        first, after, above = first_text[element], last_text[element], parent[element]
        if not (0 <= first <= size and 0 <= after <= size):
            raise IndexError(f"element {element} holds no text nodes from {first} to {after}")
        edges[first].line_breaks += kind & BR != 0
        edges[first].crossed |= kind & BLOCK_LEVEL
        edges[after].crossed |= kind & BLOCK_LEVEL
        if after <= first:
            continue
        if kind & TABLE:  # from its second text node on it is around
            edges[first + 1].tables += 1
            edges[after].tables -= 1
        elif kind & LIST:
            edges[first + 1].lists += 1
            edges[after].lists -= 1
        if kind & LITERAL:
            edges[first].literals += 1
            edges[after].literals -= 1
        if kind & LINK:
            edges[first].links += 1
            edges[after].links -= 1
        if kind & LABEL and above >= 0:
            if last_text[above] > after:
                edges[after].labels |= LABEL_ENDS
            if first_text[above] < first:
                edges[first].labels |= LABEL_BEGINS
    return 0


cdef inline uint8_t strength(uint8_t here, int32_t tables, int32_t lists, int32_t breaks) noexcept:
    """Return the break where elements of these kinds begin or end; the strongest rule is first."""
    if here & TABLE:
        return PARAGRAPH_BREAK
    if here & ROW and tables:
        return LINE_BREAK
    if here & CELL and tables:
        return CELL_BREAK
    if here & LIST and not lists:
        return PARAGRAPH_BREAK
    if here & ITEM and lists:
        return LINE_BREAK
    if here & BLOCK_LEVEL or breaks > 1:
        return PARAGRAPH_BREAK
    return LINE_BREAK if breaks else NO_BREAK


cdef bint begins_word(str buffer, Py_ssize_t place) except -1:
    """Tell whether a word of two letters or more, or a number, ends before *place*, a word there."""
    if place < 1:
        return False
    check_span(place, place + 1, len(buffer))
    cdef const void* data = PyUnicode_DATA(buffer)
    cdef int kind = PyUnicode_KIND(buffer)
    cdef Py_UCS4 second = PyUnicode_READ(kind, data, place - 2) if place > 1 else 0
    cdef Py_UCS4 before = PyUnicode_READ(kind, data, place - 1)
    cdef Py_UCS4 after = PyUnicode_READ(kind, data, place)
    cdef Py_UCS4 then = PyUnicode_READ(kind, data, place + 1) if place + 1 < len(buffer) else 0
    if not (Py_UNICODE_ISALNUM(second) or Py_UNICODE_ISDIGIT(before)):
        return False
    if Py_UNICODE_ISDIGIT(after):
        return Py_UNICODE_ISLOWER(before)
    if not Py_UNICODE_ISUPPER(after):
        return False
    if Py_UNICODE_ISUPPER(before):
        return Py_UNICODE_ISUPPER(second) and Py_UNICODE_ISLOWER(then)
    return (Py_UNICODE_ISLOWER(before) or Py_UNICODE_ISDIGIT(before)) and Py_UNICODE_ISALNUM(then)


cdef tuple BETWEEN = ("", " ", " ", "\t", "\n", "\n\n")
SEPARATORS = BETWEEN
"""What is written for each break."""


def lay_out(
    str buffer not None,
    const int32_t[::1] text_start not None,
    const int32_t[::1] text_stop not None,
    const uint8_t[::1] breaks not None,
    preformatted,
    const int32_t[::1] tabs,
    const int64_t[:, :] spans not None,
):
    """Lay out each row of *spans* of text nodes; none is *preformatted*, or has *tabs*, by None."""
    cdef const uint8_t[::1] as_it_stands = None
    if preformatted is not None:
        as_it_stands = preformatted.view(np.uint8)
        check_sizes(text_start.shape[0], as_it_stands.shape[0])
    if tabs is not None:
        check_sizes(text_start.shape[0], tabs.shape[0])
    cdef list found = []
    cdef list pieces
    cdef str piece
    cdef Py_ssize_t number, first, after, stop, before
    check_sizes(text_start.shape[0], text_stop.shape[0])
    check_sizes(text_start.shape[0], breaks.shape[0])
    for number in range(spans.shape[0]):
        first, stop = spans[number, 0], spans[number, 1]
        if first < stop:
            check_span(first, stop, breaks.shape[0])
        pieces = []
        while first < stop:
            after = first + 1
            while after < stop and not breaks[after]:
                after += 1
            if as_it_stands is not None and as_it_stands[first]:
                before = text_stop[first - 1] if first else 0
                piece = as_typed(buffer, before, text_start[first], text_stop[after - 1])
            else:
                piece = collapse(buffer, text_start[first], text_stop[after - 1])
            pieces.append(piece)
            if after < stop:
                pieces.append(BETWEEN[breaks[after]])
                if tabs is not None and tabs[after]:
                    pieces.append("\t" * tabs[after])
            first = after
        found.append(pieces[0] if len(pieces) == 1 else "".join(pieces))
    return found


cdef str as_typed(str buffer, Py_ssize_t before, Py_ssize_t start, Py_ssize_t stop):
    """Return a slice of preformatted text, with the white space that indents it after *before*."""
    cdef Py_ssize_t feed = buffer.rfind("\n", before, start)
    return buffer[start if feed < 0 else feed + 1 : stop].strip("\r\n")


cdef str collapse(str buffer, Py_ssize_t start, Py_ssize_t stop):
    """Return a slice without white space around it, and one space for any inside."""
    check_span(start, stop, len(buffer))
    cdef const void* data = PyUnicode_DATA(buffer)
    cdef int kind = PyUnicode_KIND(buffer)
    if kind == 1:
        return collapsed(<const uint8_t*>data, start, stop, kind)
    if kind == 2:
        return collapsed(<const uint16_t*>data, start, stop, kind)
    return collapsed(<const uint32_t*>data, start, stop, kind)


cdef str collapsed(const Character* text, Py_ssize_t start, Py_ssize_t stop, int kind):
    cdef Py_ssize_t place, count
    cdef Character* tidy
    while start < stop and is_space(text[start]):
        start += 1
    while stop > start and is_space(text[stop - 1]):
        stop -= 1
    place = start
    while place < stop and (not is_space(text[place]) or is_tidy(text, place)):
        place += 1
    if place == stop:
        return PyUnicode_FromKindAndData(kind, text + start, stop - start)
    tidy = <Character*>malloc((stop - start) * sizeof(Character))
    if tidy is NULL:
        raise MemoryError()
    count = place - start
    memcpy(tidy, text + start, count * sizeof(Character))
    while place < stop:  # which ends with no white space
        if is_space(text[place]):
            tidy[count] = c" "
            while is_space(text[place]):
                place += 1
        else:
            tidy[count] = text[place]
            place += 1
        count += 1
    try:
        return PyUnicode_FromKindAndData(kind, tidy, count)
    finally:
        free(tidy)


cdef inline bint is_space(uint32_t character) noexcept:
    if character > 0x20 and character < 0x7F:
        return False
    return Py_UNICODE_ISSPACE(character)


cdef inline bint is_tidy(const Character* text, Py_ssize_t place) noexcept:
    """Tell whether white space inside a text is a single space."""
    return text[place] == c" " and not is_space(text[place + 1])


def runs_of(const int64_t[:, :] spans not None, const uint8_t[::1] keep not None):
    """Return the kept *spans*, neighbours as one."""
    cdef Py_ssize_t size = 0
    cdef Py_ssize_t number
    check_sizes(spans.shape[0], keep.shape[0])
    result = np.empty((spans.shape[0], 2), dtype=np.int64)
    cdef int64_t[:, ::1] found = result
    for number in range(spans.shape[0]):
        if not keep[number]:
            continue
        if not size or found[size - 1, 1] != spans[number, 0]:
            found[size, 0] = spans[number, 0]
            size += 1
        found[size - 1, 1] = spans[number, 1]
    return result[:size]
