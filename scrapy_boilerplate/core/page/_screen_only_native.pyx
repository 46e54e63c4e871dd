"""Finds links that can be there for the screen only, and where bars and numbers of code may be."""

from libc.stdint cimport int32_t, uint8_t, uint32_t, uint64_t
from libc.stdlib cimport free, malloc
from libc.string cimport memset

from scrapy_boilerplate.core.page._characters cimport PyUnicode_DATA, PyUnicode_KIND, PyUnicode_READ
from scrapy_boilerplate.core.page._checks cimport check_sizes, check_span
from scrapy_boilerplate.core.page._rows cimport *

cdef extern from "Python.h":
    bint Py_UNICODE_ISDECIMAL(Py_UCS4 character)
    bint Py_UNICODE_ISSPACE(Py_UCS4 character)
    Py_UCS4 Py_UNICODE_TOLOWER(Py_UCS4 character)

cdef enum:
    # Kinds of elements, a bit each, as in ``screen_only``.
    LINK = 1
    HEADING = 2
    CODE = 4
    BUTTON = 8
    LINE_OF_CODE = 32
    NOT_AROUND = 64
    FRAME = 128

cdef enum:
    MOST_TEXTS = 3
    MOST_CHARACTERS = 100
    LONGEST_MARK = 4
    LONGEST_LABEL = 200  # of a button …
    LONGEST_ACTION = 40  # … in a figure or the head of a table
    MOST_LEVELS = 8  # between a heading and its permalink
    LETTERS = 128
    MOST_OF_NUMBER = 12  # characters of a text node that may be a number
    MOST_BARS = 8  # text nodes beside code that may be its bars …
    MOST_OF_BAR = 100  # … and characters of them
    LEVELS_AROUND = 8


cdef class _Page:
    """The arrays of a page that are looked at."""

    cdef const uint32_t[::1] kinds  # by tag
    cdef const int32_t[:, ::1] elements
    cdef const int32_t[:, ::1] texts
    cdef str buffer
    cdef const void* data
    cdef int width

    def __cinit__(self, nodes):
        self.elements, self.texts, self.buffer = nodes.element_rows, nodes.text_rows, nodes.buffer
        self.data, self.width = PyUnicode_DATA(self.buffer), PyUnicode_KIND(self.buffer)
        check_sizes(self.elements.shape[0], ELEMENT_ROWS)
        check_sizes(self.texts.shape[0], TEXT_ROWS)

    cdef inline Py_UCS4 at(self, Py_ssize_t place) noexcept:
        return PyUnicode_READ(self.width, self.data, place)

    cdef inline bint is_heading(self, Py_ssize_t element) noexcept:
        """Tell whether an element is a heading with text."""
        return (
            self.kinds[self.elements[TAG_ROW, element]] & HEADING
            and self.elements[LAST_TEXT_ROW, element] > self.elements[FIRST_TEXT_ROW, element]
        )

    cdef int32_t heading_above(self, Py_ssize_t element) noexcept:
        """Return the heading that an element stands in, if it is not far above, else −1."""
        cdef int32_t above = <int32_t>element
        cdef int level
        for level in range(MOST_LEVELS):
            above = max(self.elements[PARENT_ROW, above], 0)
            if self.kinds[self.elements[TAG_ROW, above]] & HEADING:
                return above
        return -1

    cdef bint begins(self, Py_ssize_t start, Py_ssize_t stop, const uint8_t[::1] letters) except -1:
        """Tell whether a text may begin like a mark or its like."""
        cdef Py_UCS4 character
        if start < stop:
            check_span(start, stop, len(self.buffer))
        for place in range(start, stop):
            character = self.at(place)
            if character >= LETTERS:
                return True
            if not Py_UNICODE_ISSPACE(character):
                return letters[character]
        return False

    cdef int find_text(self, Py_ssize_t element, int32_t* start, int32_t* stop) except -1:
        """Find where the text of an element that has some begins and ends."""
        cdef int32_t first = self.elements[FIRST_TEXT_ROW, element]
        cdef int32_t last = self.elements[LAST_TEXT_ROW, element]
        check_span(first, last, self.texts.shape[1])
        start[0] = self.texts[TEXT_START_ROW, first]
        stop[0] = self.texts[TEXT_STOP_ROW, last - 1]
        return 0

    cdef int add_link(
        self, Py_ssize_t element, bint beside, const uint8_t[::1] letters, list found
    ) except -1:
        """Add a short link that is not all that its heading holds."""
        cdef int32_t first = self.elements[FIRST_TEXT_ROW, element]
        cdef int32_t last = self.elements[LAST_TEXT_ROW, element]
        cdef int32_t start, stop
        cdef int32_t heading
        cdef bint opens = True, closes = True
        self.find_text(element, &start, &stop)
        if stop - start > (MOST_CHARACTERS if beside else LONGEST_MARK):
            return 0
        if not self.begins(start, stop, letters):
            return 0
        heading = self.heading_above(element)
        if heading >= 0:
            opens = self.elements[FIRST_TEXT_ROW, heading] == first
            closes = self.elements[LAST_TEXT_ROW, heading] == last
            if opens and closes:
                return 0
        found.append((element, beside and (opens or closes), self.buffer[start:stop]))
        return 0

    cdef bint is_action(self, Py_ssize_t element, int32_t frame) except -1:
        """Tell whether a short button stands beside other text in a figure or its like."""
        cdef int32_t start, stop
        self.find_text(element, &start, &stop)
        return stop - start <= LONGEST_ACTION and (
            self.elements[FIRST_TEXT_ROW, frame] < self.elements[FIRST_TEXT_ROW, element]
            or self.elements[LAST_TEXT_ROW, frame] > self.elements[LAST_TEXT_ROW, element]
        )

    cdef int add_button(
        self, Py_ssize_t element, const uint8_t[::1] letters, list found
    ) except -1:
        cdef int32_t start, stop
        self.find_text(element, &start, &stop)
        if stop - start <= LONGEST_LABEL and self.begins(start, stop, letters):
            found.append((element, self.buffer[start:stop]))
        return 0


cdef class Names:
    """Names of classes, in lower case, that are looked for."""

    cdef object names
    cdef uint64_t[128] sizes  # of the names that begin with a letter, a bit each

    def __init__(self, names):
        """*names* have less than 64 letters of ASCII."""
        self.names = frozenset(names)
        memset(self.sizes, 0, sizeof(self.sizes))
        cdef bytes letters
        for name in names:
            letters = name.encode("ascii")
            self.sizes[letters[0]] |= <uint64_t>1 << len(letters)

    def told(self, list strings not None):
        """Return by its number which of the names each string has that has one."""
        cdef Py_ssize_t number, size, place, start
        cdef str string
        cdef const void* data
        cdef int width
        cdef dict found = {}
        for number, string in enumerate(strings):
            data, width, size, place = PyUnicode_DATA(string), PyUnicode_KIND(string), len(string), 0
            while place < size:
                start = place
                while place < size and not Py_UNICODE_ISSPACE(PyUnicode_READ(width, data, place)):
                    place += 1
                if start < place and self.may_be(PyUnicode_READ(width, data, start), place - start):
                    name = string[start:place].lower()
                    if name in self.names:
                        found.setdefault(number, set()).add(name)
                place += 1
        return found

    cdef inline bint may_be(self, Py_UCS4 first, Py_ssize_t size) noexcept:
        """Tell whether a name may begin so and have this size, in any case."""
        if first >= 128:
            return True
        return size < 64 and self.sizes[Py_UNICODE_TOLOWER(first)] >> size & 1


def find_aids(nodes, const uint32_t[::1] kinds not None, const uint8_t[::1] letters not None):
    """Return short links, code that begins with a number, buttons in code, others, all kinds.

    Those in code are with short ones that are not all that a figure or the head of a column says.

    Links are as short as a mark, or short and in or beside a heading. Of each: the element, whether
    it begins or ends a heading or stands beside one, its text. Of buttons outside of code: the
    element, its text. Texts begin with a character of ASCII that *letters* flags, or with one
    beyond. Code is the outermost element of it.
    """
    cdef _Page page = _Page(nodes)
    cdef Py_ssize_t size = page.elements.shape[1]
    cdef Py_ssize_t element
    cdef int32_t before, following, above
    cdef int32_t heading_end = 0  # of the headings that are open or closed so far
    cdef uint32_t kind
    cdef uint32_t seen = 0
    cdef bint beside
    cdef int32_t code_end = 0  # of the outermost code so far …
    cdef int32_t frame = -1, frame_end = 0  # … and figure or head of a column
    cdef int32_t first
    cdef list links = [], numbered = [], inside = [], others = []
    page.kinds = kinds
    check_sizes(letters.shape[0], LETTERS)
    # The last child so far of each element, itself if there is none; of none the root.
    cdef int32_t* last_child = <int32_t*>malloc(max(size, 1) * sizeof(int32_t))
    if last_child is NULL:
        raise MemoryError()
    try:
        for element in range(size):
            kind = kinds[page.elements[TAG_ROW, element]]
            seen |= kind
            above = page.elements[PARENT_ROW, element]
            last_child[element] = before = <int32_t>element
            if above >= 0:
                before = last_child[above]
                last_child[above] = <int32_t>element
            if kind & FRAME and element >= frame_end:
                frame, frame_end = <int32_t>element, page.elements[END_ROW, element]
            if not kind & (LINK | HEADING | CODE):
                continue
            first = page.elements[FIRST_TEXT_ROW, element]
            if page.elements[LAST_TEXT_ROW, element] <= first:
                continue
            following = page.elements[END_ROW, element]
            if kind & CODE and element >= code_end:
                code_end = following
                check_span(first, first + 1, page.texts.shape[1])
                if is_number(
                    page, page.texts[TEXT_START_ROW, first], page.texts[TEXT_STOP_ROW, first]
                ):
                    numbered.append(element)
            elif kind & BUTTON and (element < code_end or (
                element < frame_end and page.is_action(element, frame)
            )):
                inside.append(element)
            elif kind & BUTTON:
                page.add_button(element, letters, others)
            if kind & HEADING:
                heading_end = max(heading_end, following)
            if not kind & LINK or page.elements[LAST_TEXT_ROW, element] - first > MOST_TEXTS:
                continue
            beside = element < heading_end or (before != above and page.is_heading(before))
            if not beside and following < size and page.elements[PARENT_ROW, following] == above:
                beside = page.is_heading(following)
            page.add_link(element, beside, letters, links)
    finally:
        free(last_child)
    return links, numbered, inside, others, seen


cdef bint has_little(_Page page, int32_t inner, int32_t outer) except -1:
    """Tell whether so little text stands in *outer* beside what stands in *inner* that it may be bars."""
    cdef int32_t first = page.elements[FIRST_TEXT_ROW, inner]
    cdef int32_t last = page.elements[LAST_TEXT_ROW, inner]
    cdef int32_t begin = page.elements[FIRST_TEXT_ROW, outer]
    cdef int32_t after = page.elements[LAST_TEXT_ROW, outer]
    cdef int32_t text = begin
    cdef Py_ssize_t start, stop
    cdef Py_ssize_t count = 0
    if first - begin + after - last > MOST_BARS:
        return False
    check_span(begin, after, page.texts.shape[1])
    while text < after:
        if text == first and first < last:
            text = last
            continue
        start, stop = page.texts[TEXT_START_ROW, text], page.texts[TEXT_STOP_ROW, text]
        check_span(start, stop, len(page.buffer))
        while start < stop and Py_UNICODE_ISSPACE(page.at(start)):
            start += 1
        while start < stop and Py_UNICODE_ISSPACE(page.at(stop - 1)):
            stop -= 1
        count += stop - start
        text += 1
    return count <= MOST_OF_BAR


cdef inline bint has_more(_Page page, int32_t inner, int32_t outer) noexcept:
    """Tell whether any text stands in *outer* beside what stands in *inner*."""
    return (
        page.elements[FIRST_TEXT_ROW, inner] > page.elements[FIRST_TEXT_ROW, outer]
        or page.elements[LAST_TEXT_ROW, inner] < page.elements[LAST_TEXT_ROW, outer]
    )


cdef int32_t only_line(_Page page, int32_t code) noexcept:
    """Return the only element of a line with text in *code*, −1 for none or several."""
    cdef int32_t element, found = -1
    for element in range(code + 1, page.elements[END_ROW, code]):
        if page.kinds[page.elements[TAG_ROW, element]] & LINE_OF_CODE and (
            page.elements[LAST_TEXT_ROW, element] > page.elements[FIRST_TEXT_ROW, element]
        ):
            if found >= 0:
                return -1
            found = element
    return found


def beside_code(nodes, const uint32_t[::1] kinds not None):
    """Return where bars of code may stand: the outermost code, an element that holds it or is the
    only line in it, and one around that, in which little other text stands.
    """
    cdef _Page page = _Page(nodes)
    cdef int32_t size = <int32_t>page.elements.shape[1]
    cdef int32_t element, inner, outer, code_end = 0
    cdef int level
    cdef list bars = []
    page.kinds = kinds
    for element in range(size):
        if element < code_end or not kinds[page.elements[TAG_ROW, element]] & CODE:
            continue
        if page.elements[LAST_TEXT_ROW, element] <= page.elements[FIRST_TEXT_ROW, element]:
            continue
        outer = page.elements[PARENT_ROW, element]
        code_end = page.elements[END_ROW, element]
        inner = only_line(page, element)
        if inner >= 0 and has_more(page, inner, element) and has_little(page, inner, element):
            bars.append((element, inner, element))
        inner = element
        for level in range(LEVELS_AROUND):
            if outer < 0 or kinds[page.elements[TAG_ROW, outer]] & NOT_AROUND:
                break
            if not has_little(page, element, outer):
                break
            if has_more(page, inner, outer):
                bars.append((element, inner, outer))
            inner, outer = outer, page.elements[PARENT_ROW, outer]
    return bars


cdef bint is_number(_Page page, Py_ssize_t start, Py_ssize_t stop) except -1:
    """Tell whether a text is a whole number; a longer one may be cut short."""
    check_span(start, stop, len(page.buffer))
    stop = min(start + MOST_OF_NUMBER, stop)
    while start < stop and Py_UNICODE_ISSPACE(page.at(start)):
        start += 1
    while start < stop and Py_UNICODE_ISSPACE(page.at(stop - 1)):
        stop -= 1
    for place in range(start, stop):
        if not Py_UNICODE_ISDECIMAL(page.at(place)):
            return False
    return start < stop
