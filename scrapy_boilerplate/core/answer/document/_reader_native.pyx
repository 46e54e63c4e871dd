"""Reads events, and writes the nodes of a document: blocks open when text needs them."""

from cpython.unicode cimport PyUnicode_DATA, PyUnicode_KIND, PyUnicode_READ, PyUnicode_Substring
from libc.stdint cimport int32_t, uint8_t
from libc.stdlib cimport free

from scrapy_boilerplate.core._buffer cimport Buffer, add_to
from scrapy_boilerplate.core.answer.document import nodes
from scrapy_boilerplate.core.answer.document._events_native cimport (
    BELONGS,
    BITS,
    CALLOUT,
    CHECKBOX,
    EMBEDS,
    ENTER,
    FORMULA,
    HEADING,
    IN_TABLE,
    KIND,
    LEAVE,
    LINK,
    LIST,
    MARKED,
    NEXT,
    NOTE,
    NOTES,
    NUMBER,
    PART,
    PASS,
    RULE,
    SHOWS,
    SPACE,
    STYLE,
    TABLE,
    TEXT,
    VALUE,
    WHOLE,
)
from scrapy_boilerplate.core.page._checks cimport check_sizes, check_slices
from scrapy_boilerplate.core.page._rows cimport (
    END_ROW,
    FIRST_TEXT_ROW,
    LAST_TEXT_ROW,
    TAG_ROW,
    TEXT_START_ROW,
    TEXT_STOP_ROW,
)

cdef extern from "Python.h":
    bint Py_UNICODE_ISSPACE(Py_UCS4 character) nogil

cdef object Paragraph = nodes.Paragraph, Text = nodes.Text, Link = nodes.Link, Cell = nodes.Cell
cdef object new_node = Text.__new__, set_text = Text.text.__set__
cdef object Styled = nodes.Styled, Caption = nodes.Caption, Figure = nodes.Figure
cdef object Term = nodes.Term, Item = nodes.Item, List = nodes.List, Node = nodes.Node
cdef tuple LINES = nodes.LINES
cdef object A_PARAGRAPH = Paragraph(), A_BREAK = nodes.LineBreak(), A_RULE = nodes.Rule()

cdef enum:
    MOST_NESTED = 24
    MOST_REPEATED = 32_000  # characters of links that are written again for each block they hold

MAX_NESTING = MOST_NESTED
"""Blocks inside blocks. Deeper ones are written without their container, so that what an output
repeats for each level, such as the margin of a quotation, stays small."""

# Blocks that hold some kinds of blocks only, and what others are wrapped in there.
cdef dict HOLDS = {
    nodes.List: (nodes.Item,),
    nodes.DefinitionList: (nodes.Term, nodes.Definition),
    nodes.Table: (nodes.Row, nodes.Caption),
    nodes.Row: (nodes.Cell,),
}
cdef dict WRAPPERS = {
    nodes.List: nodes.Item(),
    nodes.DefinitionList: nodes.Definition(),
    nodes.Table: nodes.Row(),
    nodes.Row: nodes.Cell(),
}


cdef str collapsed(str text):
    """Return a text without white space around it, and with single spaces in it."""
    cdef Py_ssize_t size = len(text), i
    cdef int kind = PyUnicode_KIND(text)
    cdef void* data = PyUnicode_DATA(text)
    cdef bint before = True
    cdef Py_UCS4 letter
    for i in range(size):
        letter = PyUnicode_READ(kind, data, i)
        if letter > c" " and letter < 0x7F:
            before = False
        elif Py_UNICODE_ISSPACE(letter):
            if before or letter != c" ":
                return " ".join(text.split())
            before = True
        else:
            before = False
    return " ".join(text.split()) if before else text


cdef class Writer:
    """Collects the nodes of a document in their order, with the place that each was read from."""

    cdef readonly list nodes, ends, places
    cdef readonly list wanted
    cdef list blocks  # open blocks, outermost first
    cdef Py_ssize_t last_item  # that was closed last of all blocks, else −1
    cdef set wrappers  # those that no element asked for
    cdef list inline  # open inside the line, outermost first
    cdef set links  # those that were written, by their identity
    cdef Py_ssize_t room
    cdef bint has_space  # whether white space stands before the next text
    cdef Py_ssize_t line_end  # place of an end of line before the next text, −1 without one
    cdef bint is_fresh  # whether the line is empty so far
    cdef bint in_line  # whether the open block holds lines, …
    cdef bint in_paragraph  # … and is a paragraph
    cdef list pieces  # text that is not written yet …
    cdef object text_place  # … and where it begins

    def __cinit__(self):
        self.nodes, self.ends, self.places, self.wanted = [], [], [], []
        self.blocks, self.wrappers, self.inline, self.links = [], set(), [], set()
        self.room = MOST_REPEATED
        self.line_end = self.last_item = -1
        self.is_fresh = True
        self.pieces = []
        self.text_place = 0

    cdef Py_ssize_t add(self, node, place) except -1:
        if self.pieces:
            self.flush()
        cdef Py_ssize_t index = len(self.nodes)
        self.nodes.append(node)
        self.ends.append(index + 1)
        self.places.append(place)
        return index

    # -- blocks ------------------------------------------------------------------------------

    @property
    def depth(self):
        """Number of open blocks."""
        return len(self.blocks)

    cdef int look(self) except -1:
        """Note what the open block is."""
        self.in_line = self.in_paragraph = False
        if self.blocks:
            kind = type(self.nodes[self.blocks[len(self.blocks) - 1]])
            self.in_line, self.in_paragraph = kind in LINES, kind is Paragraph
        return 0

    @property
    def can_open(self):
        """Whether a block that begins now is written."""
        self.end_paragraph()
        return not self.in_line and len(self.blocks) < MOST_NESTED

    cpdef Py_ssize_t open(self, block, place) except -1:
        """Begin a block; return how many blocks are open when it has ended.

        A heading, a term or a caption that is open takes in what the block would hold.
        """
        self.end_paragraph()
        if type(block) is Term and self.in_line and self.is_open(Term):
            self.end_block(Term)  # HTML ends it there, too
        if self.in_line or len(self.blocks) >= MOST_NESTED:
            return len(self.blocks)
        return self.open_here(block, place)

    cdef Py_ssize_t open_here(self, block, place) except -1:
        cdef Py_ssize_t level = len(self.blocks) - 1
        while level > 0 and self.blocks[level] in self.wrappers:
            if isinstance(block, HOLDS[type(self.nodes[self.blocks[level - 1]])]):
                self.close_to(level)
            level -= 1
        cdef Py_ssize_t depth = len(self.blocks)
        self.wrap(block, place)
        if type(block) is Cell:  # the next cell stands in the same row
            depth = len(self.blocks)
        self.begin(block, place)
        return depth

    cdef int wrap(self, block, place) except -1:
        """Open what must stand between the open block and *block*."""
        while self.blocks:
            kind = type(self.nodes[self.blocks[len(self.blocks) - 1]])
            held = HOLDS.get(kind)
            if held is None or isinstance(block, held):
                return 0
            if type(block) is List and self.last_item >= 0 and self.ends[self.last_item] == len(
                self.nodes
            ):  # a list in a list belongs to the item before it
                self.wrappers.add(self.last_item)
                self.blocks.append(self.last_item)
                return self.look()
            self.wrappers.add(len(self.nodes))
            self.begin(WRAPPERS[kind], place)
        return 0

    cdef int begin(self, block, place) except -1:
        self.blocks.append(self.add(block, place))
        self.has_space, self.line_end, self.is_fresh = False, -1, True
        return self.look()

    cdef int close(self) except -1:
        self.close_inline(0)
        if self.pieces:
            self.flush()
        cdef Py_ssize_t index = self.blocks.pop()
        self.ends[index] = len(self.nodes)
        self.last_item = index if type(self.nodes[index]) is Item else -1
        self.has_space, self.line_end = False, -1
        return self.look()

    cpdef int close_to(self, Py_ssize_t depth) except -1:
        """End blocks until so many are open."""
        while len(self.blocks) > depth:
            self.close()
        return 0

    def end_block(self, kind):
        """End the innermost open block of a kind, if there is one, and those in it."""
        self.end_paragraph()
        for level in reversed(range(len(self.blocks))):
            if type(self.nodes[self.blocks[level]]) is kind:
                return self.close_to(level)

    cpdef int end_paragraph(self) except -1:
        """End the paragraph at hand; in other blocks of text the words are only set apart."""
        if self.in_paragraph:
            self.close()
        self.has_space = True
        return 0

    cpdef bint add_block(self, block, place) except -1:
        """Write a block that holds nothing; ``False`` where only lines can stand."""
        self.end_paragraph()
        if self.in_line:
            return False
        self.close_to(self.open_here(block, place))
        return True

    def check(self, checked):
        """Note the checkbox that an item begins with; one elsewhere says nothing."""
        cdef Py_ssize_t last = len(self.nodes) - 1
        if self.blocks and self.blocks[len(self.blocks) - 1] == last and not self.pieces:
            if type(self.nodes[last]) is Item:  # it holds nothing so far
                self.nodes[last] = Item(checked)

    cdef bint accepts(self, kind) except -1:
        """Return whether the open block is one that such blocks belong in."""
        cdef Py_ssize_t level = len(self.blocks) - 1
        while level > 0 and self.blocks[level] in self.wrappers:
            level -= 1
        if level > 0 and kind is Term is type(self.nodes[self.blocks[level]]):
            level -= 1
        if level < 0:
            return False
        holder = type(self.nodes[self.blocks[level]])
        return (kind is Caption and holder is Figure) or kind in HOLDS.get(holder, ())

    def is_open(self, kind):
        """Return whether one of the open blocks is of that kind."""
        return any([type(self.nodes[block]) is kind for block in self.blocks])

    # -- lines -------------------------------------------------------------------------------

    def is_wanted(self, kind):
        """Return whether the text at hand stands in a node of that kind."""
        return any([type(node) is kind for node, _ in self.wanted])

    cpdef int space(self) except -1:
        """Note white space."""
        self.has_space = True
        return 0

    cpdef int line_break(self, Py_ssize_t place) except -1:
        """End a line; two in a row end the paragraph."""
        if not self.in_line or self.is_fresh:
            return 0
        if self.line_end >= 0:
            return self.end_paragraph()
        self.line_end = place
        return 0

    cpdef int text(self, str text, place, block_place) except -1:
        """Write text that is not blank; *block_place* is that of the paragraph it may open."""
        if Py_UNICODE_ISSPACE(text[0]):
            self.has_space = True
        self.prepare(block_place)
        if not self.pieces or self.pieces == [" "]:
            self.text_place = place
        self.pieces.append(collapsed(text))
        self.has_space, self.is_fresh = Py_UNICODE_ISSPACE(text[len(text) - 1]), False
        return 0

    cpdef int leaf(self, node, place, block_place) except -1:
        """Write a node that stands in a line and holds nothing."""
        self.prepare(block_place)
        self.add(node, place)
        self.is_fresh = False
        return 0

    cdef int prepare(self, block_place) except -1:
        """Open what the next piece of a line stands in."""
        if not self.in_line:
            self.wrap(A_PARAGRAPH, block_place)
            self.begin(A_PARAGRAPH, block_place)
        cdef Py_ssize_t common = 0
        while common < len(self.inline) and common < len(self.wanted) and (
            self.inline[common][1] is self.wanted[common][0]
        ):
            common += 1
        if len(self.inline) > common:
            self.close_inline(common)
        if self.has_space or self.line_end >= 0:
            self.separate()
        for node, place in self.wanted[common:]:
            if type(node) is not Link or self.may_repeat(node):
                self.inline.append((self.add(node, place), node))
        return 0

    cdef bint may_repeat(self, link) except -1:
        """Return whether a link may be written, which one around many blocks is for each."""
        if id(link) in self.links:
            self.room -= len(link.href)
        self.links.add(id(link))
        return self.room >= 0

    cdef int separate(self) except -1:
        """Write what stands before the next piece of the line."""
        if self.line_end >= 0:
            self.add(A_BREAK, self.line_end)
        elif self.has_space and not self.is_fresh:
            if not self.pieces:
                self.text_place = self.places[len(self.places) - 1]
            self.pieces.append(" ")
        self.has_space, self.line_end = False, -1
        return 0

    cdef int flush(self) except -1:
        """Write the text at hand."""
        text = self.pieces[0] if len(self.pieces) == 1 else "".join(self.pieces)
        self.pieces = []
        node = new_node(Text)  # most nodes are texts: what Text(text) does takes three times as long
        set_text(node, text)
        self.add(node, self.text_place)
        return 0

    cdef int close_inline(self, Py_ssize_t number) except -1:
        if self.pieces and len(self.inline) > number:
            self.flush()
        while len(self.inline) > number:
            self.ends[self.inline.pop()[0]] = len(self.nodes)
        return 0


cdef struct Frame:
    int32_t event  # with which an element began
    int32_t element
    int32_t block  # the nearest block-level one
    int32_t depth  # blocks that were open before it
    int32_t wanted  # nodes of the line that the text before it stood in


cdef class Reader:
    """Reads the events of a page, and asks who extends it about what only few elements are."""

    cdef readonly Writer writer
    cdef readonly Py_ssize_t text  # the next text node
    cdef readonly Py_ssize_t event  # the one at hand
    cdef readonly Py_ssize_t element  # the one at hand, or around what is passed over
    cdef readonly Py_ssize_t block  # the nearest block-level element
    cdef const uint8_t[::1] marks  # what is known of each element beside its events
    cdef str buffer
    cdef list names
    cdef const int32_t[:, ::1] elements, texts, events
    cdef const uint8_t[::1] keep, is_block
    cdef uint8_t[::1] is_apart
    cdef dict kinds  # of blocks and styles, by names of elements
    cdef dict nodes, addresses  # by event
    cdef dict cuts  # characters of texts that are marks
    cdef object formulas  # what finds formulas in texts
    cdef list closings  # what is written after elements, after their events
    cdef Buffer frames

    def __init__(self, page, keep, marks, kinds, found, cuts, formulas):
        self.writer = Writer()
        self.buffer, self.names = page.buffer, page.names
        self.elements, self.texts = page.element_rows, page.text_rows
        self.keep, self.is_block, self.marks = keep.view("u1"), page.is_block.view("u1"), marks
        self.is_apart = page.is_apart.view("u1")
        self.events, self.nodes, self.addresses = found[:3]
        self.kinds, self.cuts, self.formulas, self.closings = kinds, cuts, formulas, []
        check_sizes(self.keep.shape[0], self.texts.shape[1])
        check_sizes(self.is_apart.shape[0], self.texts.shape[1])
        check_sizes(self.is_block.shape[0], self.elements.shape[1])
        check_sizes(self.marks.shape[0], self.elements.shape[1])
        check_slices(self.texts[TEXT_START_ROW], self.texts[TEXT_STOP_ROW], len(self.buffer))
        self.find_spaces()

    def __dealloc__(self):
        free(self.frames.data)

    cdef int find_spaces(self) except -1:
        """Tell which text nodes white space, or what is left out, sets apart from those before."""
        cdef const int32_t[::1] start = self.texts[TEXT_START_ROW], stop = self.texts[TEXT_STOP_ROW]
        cdef Py_ssize_t text
        cdef str buffer = self.buffer
        for text in range(start.shape[0]):
            if start[text] < stop[text] and Py_UNICODE_ISSPACE(buffer[start[text]]):
                self.is_apart[text] = True
            elif text and (
                start[text] > stop[text - 1]
                or not self.keep[text - 1]
                or Py_UNICODE_ISSPACE(buffer[stop[text - 1] - 1])
            ):
                self.is_apart[text] = True
        return 0

    cdef inline Frame* innermost(self) noexcept:
        return <Frame*>(self.frames.data + self.frames.size - sizeof(Frame))

    def read(self, Py_ssize_t event):
        """Read the element that begins with an event, and all in it."""
        cdef Py_ssize_t last = self.events[event, NEXT]
        cdef int32_t number = self.events[event, NUMBER], bits, kind
        self.block, self.text = number, self.elements[FIRST_TEXT_ROW, number]
        while event <= last:
            kind, number = self.events[event, KIND], self.events[event, NUMBER]
            bits, self.event = self.events[event, BITS], event
            if kind == TEXT:
                self.read_text(number)
            elif kind == SPACE:
                self.text = max(self.text, number + 1)
                self.writer.has_space = True
            elif kind == ENTER:
                if self.enter(number, bits):
                    event = self.events[event, NEXT]
                    continue
            elif kind == LEAVE:
                self.leave()
            elif kind == PASS:
                self.pass_over(number, bits)
            else:
                self.hidden(self.nodes[event])
            event += 1

    cdef bint enter(self, int32_t element, int32_t bits) except -1:
        """Begin an element; return whether it was read as a whole."""
        cdef bint is_block = self.is_block[element]
        self.element = element
        self.block = element if is_block else self.block
        cdef Frame* frame = <Frame*>add_to(&self.frames, sizeof(Frame))
        frame.event, frame.element, frame.block = self.event, element, self.block
        frame.depth, frame.wanted = len(self.writer.blocks), len(self.writer.wanted)
        self.set_apart(self.elements[FIRST_TEXT_ROW, element])
        if (bits | self.marks[element]) & WHOLE and self.whole(self.node(), bits):
            self.text = self.elements[LAST_TEXT_ROW, element]
            return True
        if is_block:
            self.open_block(element, bits)
        elif bits & (STYLE | MARKED | LINK):
            self.open_inline(element, bits)
        return False

    cdef node(self):
        """Return the node of the event at hand, ``None`` if it was not needed."""
        return self.nodes.get(self.event)

    cdef int leave(self) except -1:
        cdef Frame frame = self.innermost()[0]
        cdef Writer writer = self.writer
        if len(writer.wanted) > frame.wanted:
            del writer.wanted[frame.wanted :]
        if self.closings and self.closings[len(self.closings) - 1][0] == frame.event:
            writer.text(self.closings.pop()[1], frame.element, frame.block)
        if self.is_block[frame.element]:
            writer.end_paragraph()
            writer.close_to(frame.depth)
        if self.events[frame.event, BITS] & EMBEDS:
            self.left(self.nodes[frame.event])
        self.frames.size -= sizeof(Frame)
        if self.frames.size:
            self.element, self.block = self.innermost().element, self.innermost().block
        return 0

    # -- text --------------------------------------------------------------------------------

    cdef int set_apart(self, int32_t text) except -1:
        """Note, once, the white space before a text node, wherever it stands."""
        if text < self.is_apart.shape[0] and self.is_apart[text]:
            self.is_apart[text] = False
            self.writer.has_space = True
        return 0

    cdef int read_text(self, int32_t number) except -1:
        self.text = number + 1
        self.set_apart(number)
        if number in self.cuts:
            self.read_marked(number)
            return 0
        cdef Py_ssize_t start = self.texts[TEXT_START_ROW, number]
        return self.say(
            PyUnicode_Substring(self.buffer, start, self.texts[TEXT_STOP_ROW, number]), number
        )

    cpdef int say(self, str text, int32_t number) except -1:
        """Write a text, or a part of it, with the formulas in it."""
        if not text or text.isspace():
            self.writer.has_space |= bool(text)
            return 0
        if self.formulas is not None and ("\\" in text or "$" in text):
            self.read_formulas(text, number)
        else:
            self.writer.text(text, -number - 1, self.block)
        return 0

    # -- elements ----------------------------------------------------------------------------

    cdef int open_block(self, int32_t element, int32_t bits) except -1:
        cdef Writer writer = self.writer
        cdef str name = self.names[self.elements[TAG_ROW, element]]
        cdef int32_t marks = self.marks[element]
        writer.end_paragraph()
        block = NotImplemented
        if bits & PART and not marks & (IN_TABLE | NOTE):
            return 0
        if not bits & HEADING and (
            marks & (NOTE | NOTES | TABLE)
            or bits & PART
            or bits & LIST and bits & VALUE
            or not bits & LIST and bits & CALLOUT
        ):
            block = self.special_block(self.node(), name)
        if block is NotImplemented:
            block = self.kinds.get(name)
            if bits & BELONGS and not writer.accepts(type(block)):
                block = None
        if block is not None:
            self.innermost().depth = writer.open(block, element)
        return 0

    cdef int open_inline(self, int32_t element, int32_t bits) except -1:
        cdef str name = self.names[self.elements[TAG_ROW, element]]
        if bits & STYLE:
            style = self.kinds.get(name)
            if style is not None and not any([node == style for node, _ in self.writer.wanted]):
                self.writer.wanted.append((Styled(style.style), element))
        elif bits & LINK:
            self.open_link(self.addresses[self.event])
        else:
            closing = self.open_marks(self.node(), name)
            if closing:
                self.closings.append((self.event, closing))
        return 0

    cdef int pass_over(self, int32_t element, int32_t bits) except -1:
        """Read what an element without kept text adds: an image, an end of line, a checkbox."""
        cdef Writer writer = self.writer
        cdef bint is_block = self.is_block[element]
        self.text = self.elements[LAST_TEXT_ROW, element]
        if bits & RULE:
            writer.add_block(A_RULE, element)
        elif is_block:
            writer.end_paragraph()
        else:
            self.break_lines(element)
        if bits & (FORMULA | SHOWS | EMBEDS | CHECKBOX):
            is_blank = self.elements[FIRST_TEXT_ROW, element] == self.text
            self.passed(self.nodes[self.event], element, bits, is_blank)
        if is_block:
            writer.end_paragraph()
        return 0

    cpdef int break_lines(self, int32_t element, int32_t text=-1) except -1:
        """End a line for each ``br`` in an element; only for those before the text node *text*."""
        cdef int32_t inside
        for inside in range(element, self.elements[END_ROW, element]):
            if text in (-1, self.elements[FIRST_TEXT_ROW, inside]):
                if self.names[self.elements[TAG_ROW, inside]] == "br":
                    self.writer.line_break(inside)
        return 0
