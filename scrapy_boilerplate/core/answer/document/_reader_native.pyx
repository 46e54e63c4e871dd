"""Reads a page for a document in one pass over libxml2's nodes: blocks open when text needs them."""

cimport lxml.includes.etreepublic as cetree
from libc.stdint cimport int32_t, int64_t, uint8_t, uint64_t
from libc.stdlib cimport free
from libc.string cimport strlen
from lxml.includes cimport tree

import re
from dataclasses import replace

import numpy as np

from scrapy_boilerplate.core._buffer cimport Buffer, add_to
from scrapy_boilerplate.core.page._checks cimport check_elements, check_sizes, check_slices
from scrapy_boilerplate.core.page._nodes cimport (
    attribute_of,
    following,
    has_word,
    is_named,
    is_text,
    says,
    value_of,
)
from scrapy_boilerplate.core.page._rows cimport *
from scrapy_boilerplate.core.answer.document._images_native cimport (
    Seen,
    fallback_after,
    link_of,
    picture_of,
    see,
    shows_again,
    stands_beside,
)
from scrapy_boilerplate.core.answer.document import nodes
from scrapy_boilerplate.core.answer.document.callouts import DECLARING, MAY_NAME_ONE, callout_of
from scrapy_boilerplate.core.answer.document.code import LINE_CLASS
from scrapy_boilerplate.core.answer.document.formulas import (
    ATTRIBUTES,
    formula_in_image,
    names_formula,
    tex_of,
)
from scrapy_boilerplate.core.answer.document.images import emoji_of, name_of, width_in
from scrapy_boilerplate.core.answer.document._images_native import IMAGES
from scrapy_boilerplate.core.answer.document.media import EMBEDDING
from scrapy_boilerplate.core.page.addresses import joined
from scrapy_boilerplate.core.page.characters import readable
from scrapy_boilerplate.core.page.tags import HEADINGS

cetree.import_lxml__etree()

cpdef enum:
    # What name, class, attributes and contents say of an element, as in `document.marks`.
    WHOLE = 1
    NOTE = 2
    NOTES = 4
    TABLE = 8
    IN_TABLE = 16
    READ = 32  # even without kept text
    PLAIN = 64  # of marks: its name says nothing
    HEADING = 64
    LIST = 128
    PART = 256
    BELONGS = 512
    STYLE = 1024
    MARKED = 2048
    LINK = 4096
    EMBEDS = 8192
    SHOWS = 16384
    CALLOUT = 32768
    FORMULA = 65536
    LINE = 131072
    VALUE = 262144
    DIVISION = 524288
    RULE = 1048576
    ROLE = 2097152

# What the names of elements and attributes say …
cdef dict meanings = {
    name.encode(): bits
    for bits, group in (
        (SHOWS, IMAGES),
        (EMBEDS, EMBEDDING),
        (FORMULA, ATTRIBUTES),
        (CALLOUT, DECLARING),
        (VALUE, ["start", "value", "colspan", "rowspan", "aria-checked"]),
        (ROLE, ["role"]),
    )
    for name in group
}
cdef uint64_t[32] sizes  # … and those of each first letter, a bit each: most other names have none
for each in meanings:
    sizes[each[0] & 31] |= <uint64_t>1 << len(each)

# What elements are by their role, and what the names of these say.
cdef dict ROLES = {"list": "ul", "listitem": "li"}
cdef dict OF_ROLES = {**dict.fromkeys(HEADINGS, HEADING), "ul": LIST, "li": BELONGS}

# A part of the classes that say something: in small letters, and, to look for first, as bytes.
cdef object may_say = re.compile(
    "|".join([*MAY_NAME_ONE, "math", "tex(?!t)", "equation", r"line(?!\S)"])
).search
cdef list parts = [*map(str.encode, MAY_NAME_ONE), b"math", b"tex", b"equation", b"line"]
cdef const char* MAY_SAY[32]
for each in range(len(parts)):
    MAY_SAY[each] = parts[each]

cdef extern from "Python.h":
    const char* PyUnicode_AsUTF8(object text) except NULL
    bint Py_UNICODE_ISSPACE(Py_UCS4 character) nogil

cdef frozenset SCHEMES = frozenset(("http", "https", "ftp", "mailto", "tel"))
cdef object match_scheme = re.compile(r"([^:/?#]*):").match
cdef object remove_ignored = re.compile(r"[\x00-\x1f\x7f]").sub  # by browsers, in addresses
# Elements whose images are of their text.
cdef frozenset LINE_NAMES = HEADINGS | frozenset(("p", "li", "dd", "dt", "td", "th", "figcaption"))

cdef object Paragraph = nodes.Paragraph, Text = nodes.Text, Link = nodes.Link, Cell = nodes.Cell
cdef object new_node = Text.__new__, set_text = Text.text.__set__
cdef object set_href = Link.href.__set__, set_embed = Link.embed.__set__
cdef object Styled = nodes.Styled, Caption = nodes.Caption, Figure = nodes.Figure
cdef object Image = nodes.Image, Heading = nodes.Heading, Formula = nodes.Formula
cdef object Term = nodes.Term, Item = nodes.Item, List = nodes.List, Node = nodes.Node
cdef tuple LINES = nodes.LINES
cdef object A_PARAGRAPH = Paragraph(), A_BREAK = nodes.LineBreak(), A_RULE = nodes.Rule()

cdef enum:
    MOST_NESTED = 24
    MOST_REPEATED = 32_000  # characters of links that are written again for each block they hold
    MOST_ADDRESS = 8192
    # Characters by which relative addresses of a page may grow as they become absolute: a page
    # cannot make its outputs huge by a long base. The links and images beyond are left out.
    ROOM = 32_000
    ROOM_BY_ELEMENT = 64
    MOST_AROUND = 8  # elements around an image in which the figure of a copy is looked for

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


cdef class Writer:
    """Collects the nodes of a document in their order, with the place that each was read from."""

    cdef readonly list nodes, ends, places
    cdef readonly list wanted
    cdef list blocks  # open blocks, outermost first
    cdef Py_ssize_t last  # the block that was closed last
    cdef Py_ssize_t typed  # the last item of which the page has typed the bullet
    cdef set wrappers  # those that no element asked for
    cdef list inline  # open inside the line, outermost first
    cdef set links  # those that were written, by their identity
    cdef Py_ssize_t room
    cdef public bint has_space  # whether white space stands before the next text
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
        self.line_end = self.last = self.typed = -1
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
            if type(block) is List and self.ends_with(Item):
                self.wrappers.add(self.last)
                return self.reopen()  # a list in a list belongs to the item before it
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
        self.last = index
        self.has_space, self.line_end = False, -1
        return self.look()

    cdef bint ends_with(self, kind) except -1:
        """Return whether the block that was closed last is of a kind, and nothing came after it."""
        cdef Py_ssize_t size = len(self.nodes)
        return 0 <= self.last and self.ends[self.last] == size and type(self.nodes[self.last]) is kind

    cdef int reopen(self) except -1:
        """Go on with the block that was closed last."""
        self.blocks.append(self.last)
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

    cdef bint begins_item(self) except -1:
        """Tell whether the open block is an item that holds nothing so far."""
        cdef Py_ssize_t last = len(self.nodes) - 1
        if not self.blocks or self.pieces or self.blocks[len(self.blocks) - 1] != last:
            return False
        return type(self.nodes[last]) is Item

    def number(self, value):
        """Begin an ordered list, which holds nothing so far, with the number of its first item."""
        if self.nodes and type(self.nodes[len(self.nodes) - 1]) is List and value.isdecimal():
            last = self.nodes.pop()
            self.nodes.append(List(last.ordered, int(value[:9])))

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
        if not self.in_line or self.line_end >= 0 and self.in_paragraph:
            text = self.begin_line(text, block_place)
        self.prepare(block_place)
        if not self.pieces or len(self.pieces) == 1 and self.pieces[0] == " ":
            self.text_place = place
        self.pieces.append(collapsed(text.strip()))
        self.has_space, self.is_fresh = Py_UNICODE_ISSPACE(text[len(text) - 1]), False
        return 0

    cdef str begin_line(self, str text, place):
        """Begin an item for a line that begins with a typed bullet; return what follows that."""
        cdef Py_ssize_t start = 0
        cdef Py_UCS4 mark
        while Py_UNICODE_ISSPACE(text[start]):
            start += 1
        mark = text[start]
        cdef bint is_item = mark in u"•▪●◦‣" and len(self.blocks) + 2 < MOST_NESTED and bool(
            text[start + 1 :].strip()
        ) and not self.is_open(Cell)
        if is_item and self.begins_item():
            return text[start + 1 :]
        if is_item:
            self.end_paragraph()
        if self.blocks and self.blocks[len(self.blocks) - 1] == self.typed:
            self.close()
            if not is_item:
                self.close()  # the list, too
        elif is_item and self.ends_with(List) and not self.nodes[self.last].ordered:
            self.reopen()
        elif is_item:
            self.open_here(List(), place)
        if not is_item:
            return text
        self.typed = len(self.nodes)
        self.begin(Item(), place)
        return text[start + 1 :]

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
            or not self.has_space
            and type(self.wanted[common][0]) is Styled
            and self.inline[common][1] == self.wanted[common][0]
        ):
            common += 1
        if len(self.inline) > common:
            self.close_inline(common)
        if self.has_space or self.line_end >= 0:
            self.separate()
        for common in range(common, len(self.wanted)):
            node, place = self.wanted[common]
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


cdef str collapsed(str text):
    """Return a text that white space neither begins nor ends with single spaces."""
    cdef Py_UCS4 character
    cdef bint is_space, was_space = False
    for character in text:
        is_space = character <= u" " or character > u"~" and Py_UNICODE_ISSPACE(character)
        if is_space and (was_space or character != u" "):
            return " ".join(text.split())
        was_space = is_space
    return text  # as of most


cdef int32_t meaning(const char* name) except -1:
    cdef size_t size = strlen(name)
    if size > 63 or not sizes[name[0] & 31] >> size & 1:
        return 0
    return meanings.get(name[:size], 0)


cdef int32_t of_attributes(tree.xmlNode* node) except -1:
    """Return what the attributes of an element say by their names."""
    cdef tree.xmlAttr* attribute = <tree.xmlAttr*>node.properties
    cdef int32_t bits = 0
    while attribute is not NULL:
        if attribute.ns is NULL:
            bits |= meaning(<const char*>attribute.name)
        attribute = attribute.next
    return bits & (FORMULA | CALLOUT | VALUE | ROLE)


cdef int32_t read_class(str value) except -1:
    if not has_word(PyUnicode_AsUTF8(value), MAY_SAY) or may_say(value.lower()) is None:
        return 0  # as of most
    return (
        CALLOUT * (callout_of(value) is not None)
        | FORMULA * names_formula(value)
        | LINE * (LINE_CLASS.search(value) is not None)
    )


cdef inline int32_t media_of(tree.xmlNode* node) except -1:
    """Return whether an element shows an image, or media of others."""
    if node.ns is not NULL and node.ns.href is not NULL:
        return 0
    return meaning(<const char*>node.name) & (SHOWS | EMBEDS)


cdef bint stands_in_picture(tree.xmlNode* node) noexcept nogil:
    """Tell whether others may give an image its address; else one without attributes is none."""
    return node.parent is not NULL and node.parent.type == tree.XML_ELEMENT_NODE and (
        is_named(node.parent, "picture") or is_named(node.parent, "source")
    )


cdef struct Frame:
    int32_t element
    int32_t block  # the nearest block-level one
    int32_t bits
    int32_t children  # elements seen right in it so far …
    int32_t texts  # … and text nodes
    int32_t depth  # blocks that were open before it
    int32_t wanted  # nodes of the line that the text before it stood in

cdef struct Shown:
    tree.xmlNode* node
    int32_t element


cdef class Reader:
    """Reads a page, and asks who extends it about what only few elements are."""

    cdef readonly Writer writer
    cdef readonly Py_ssize_t text  # the next text node that the page knows
    cdef readonly Py_ssize_t element  # the one at hand, or around what is passed over
    cdef readonly Py_ssize_t block  # the nearest block-level element
    cdef cetree._Element root
    cdef tree.xmlNode* at  # the node at hand
    cdef tree.xmlNode* box  # a checkbox in it
    cdef int32_t visible  # the next element that the page knows
    cdef const uint8_t[::1] marks  # what is known of each element beside its bits
    cdef const int32_t[::1] tags  # what names say …
    cdef int32_t[::1] classes  # … and classes, −1 for those that were not read yet
    cdef str buffer
    cdef list names, strings
    cdef const int32_t[:, ::1] elements, texts
    cdef const uint8_t[::1] keep, is_block
    cdef const int64_t[::1] kept  # text nodes kept before each
    cdef const uint8_t[::1] is_apart
    cdef int32_t last_apart  # the last text node of which it was noted
    cdef dict kinds  # of blocks and styles, by names of elements
    cdef dict cuts  # characters of texts that are marks
    cdef dict parts  # elements and first numbers of lists that went on last, by the node of the first
    cdef list closings  # what is written after elements, after the size of the frames
    cdef readonly object switches
    cdef object page
    cdef dict pictures  # the largest image of each `picture`
    cdef set own_addresses  # of the page
    cdef str base
    cdef Py_ssize_t room  # characters by which addresses may grow
    cdef readonly Py_ssize_t first_kept
    cdef Py_ssize_t last_kept
    cdef public str formula  # the last one
    cdef tree.xmlNode* link_around  # the last image …
    cdef object link  # … and its node
    cdef dict shown  # images by name: the text after, the node
    cdef Buffer frames, images

    def __init__(self, page, keep, kept, switches, marks, tags, kinds, cuts):
        self.writer, self.root = Writer(), page.root
        self.page, self.switches, self.base = page, switches, page.base_url
        self.pictures, self.shown, self.formula = {}, {}, ""
        self.buffer, self.names = page.buffer, page.names
        self.elements, self.texts = page.element_rows, page.text_rows
        self.keep, self.is_block, self.marks = keep.view("u1"), page.is_block.view("u1"), marks
        self.kept, self.is_apart = kept, page.is_apart.view("u1")
        self.tags, self.strings = tags, page.strings
        self.classes = np.full(len(self.strings), -1, np.int32)
        self.kinds, self.cuts, self.closings, self.parts = kinds, cuts, [], {}
        for each in (keep, self.is_apart, kept[1:]):
            check_sizes(len(each), self.texts.shape[1])
        for each in (marks, page.is_block):
            check_sizes(len(each), self.elements.shape[1])
        check_slices(self.texts[TEXT_START_ROW], self.texts[TEXT_STOP_ROW], len(self.buffer))
        check_elements(
            self.elements[END_ROW],
            self.elements[FIRST_TEXT_ROW],
            self.elements[LAST_TEXT_ROW],
            self.texts.shape[1],
        )
        cdef Py_ssize_t element, names = min(self.tags.shape[0], len(self.names))
        for element in range(self.elements.shape[1]):
            if not (
                0 <= self.elements[TAG_ROW, element] < names
                and 0 <= self.elements[CLASS_ROW, element] < self.classes.shape[0]
            ):
                raise IndexError(f"nothing is known of the name or class of element {element}")
        self.room = ROOM + ROOM_BY_ELEMENT * self.elements.shape[1]
        self.first_kept, self.last_kept = keep.nonzero()[0][[0, -1]].tolist()

    def __dealloc__(self):
        free(self.frames.data)
        free(self.images.data)

    # -- the pass ----------------------------------------------------------------------------

    def read(self, cetree._Element node=None, int32_t element=0):
        """Read an element, the root by default, and all in it."""
        cdef tree.xmlNode* top = self.root._c_node if node is None else node._c_node
        self.block, self.text, self.last_apart = element, self.elements[FIRST_TEXT_ROW, element], -1
        self.visible, self.at = element, top
        while True:
            if self.at.type == tree.XML_ELEMENT_NODE:
                element = self.number()
                if element < 0 or not self.is_read(element):
                    self.pass_over(element)
                elif not self.enter(element) and self.at.children is not NULL:
                    self.at = self.at.children
                    continue
                else:
                    self.leave()
            elif self.frames.size and is_text(self.at):
                self.at = self.read_text()
            while self.at is not top and self.at.next is NULL:
                self.at = self.at.parent
                self.leave()
            if self.at is top:
                return
            self.at = self.at.next

    cdef bint is_read(self, int32_t element) noexcept nogil:
        """Tell whether an element holds kept text, or is read without it."""
        return (
            self.kept[self.elements[LAST_TEXT_ROW, element]]
            > self.kept[self.elements[FIRST_TEXT_ROW, element]]
            or self.marks[element] & READ
        )

    cdef int32_t number(self) noexcept nogil:
        """Return the number on the page of an element, −1 if it is not visible."""
        cdef int32_t found = self.visible
        cdef Frame* around
        if self.frames.size == 0:
            return found
        around = self.innermost()
        around.children += 1
        if (
            found < self.elements.shape[1]
            and self.elements[PARENT_ROW, found] == around.element
            and self.elements[POSITION_ROW, found] == around.children
        ):
            return found
        return -1

    @property
    def node(self):
        return cetree.elementFactory(self.root._doc, self.at)

    cdef inline Frame* innermost(self) noexcept nogil:
        return <Frame*>(self.frames.data + self.frames.size - sizeof(Frame))

    cdef int32_t said_by(self, int32_t number) except -1:
        """Return what a class says, by its string id."""
        if self.classes[number] < 0:
            self.classes[number] = read_class(self.strings[number])
        return self.classes[number]

    cdef int32_t bits_of(self, int32_t element) except -1:
        cdef int32_t bits = self.tags[self.elements[TAG_ROW, element]]
        bits |= self.said_by(self.elements[CLASS_ROW, element]) & ~LINE
        if self.at.properties is not NULL:
            bits |= of_attributes(self.at)
        cdef int32_t child = element + 1
        if bits & DIVISION and child < self.elements[END_ROW, element]:
            if self.said_by(self.elements[CLASS_ROW, child]) & LINE:
                bits |= WHOLE
        if bits & ROLE:
            name = self.name_by_role(element)
            bits = bits | <int32_t>OF_ROLES.get(name, 0) if name else bits & ~ROLE
        return bits | WHOLE if bits & FORMULA else bits

    cdef str name_by_role(self, int32_t element):
        """Return the name of what an element is by its role; empty if its own name counts."""
        cdef str role = value_of(self.at, "role"), name
        if role == "heading":
            name = "h" + value_of(self.at, "aria-level")
            return name if name in HEADINGS else ""
        if self.tags[self.elements[TAG_ROW, element]] & (LIST | PART | BELONGS):
            return ""
        name = ROLES.get(role, "")
        if name == "ul" and self.holds_heading[element]:  # cards with headings are sections
            return ""
        return "" if name == "li" and not self.writer.is_open(List) else name

    cdef bint enter(self, int32_t element) except -1:
        """Begin an element; return whether it was read as a whole."""
        cdef bint is_block = self.is_block[element]
        cdef int32_t bits = self.bits_of(element)
        self.element = element
        self.block = element if is_block else self.block
        cdef Frame* frame = <Frame*>add_to(&self.frames, sizeof(Frame))
        frame.element, frame.block, frame.bits = element, self.block, bits
        frame.children = frame.texts = 0
        frame.depth, frame.wanted = len(self.writer.blocks), len(self.writer.wanted)
        self.set_apart(self.elements[FIRST_TEXT_ROW, element])
        if (bits | self.marks[element]) & WHOLE and self.whole(bits):
            self.text, self.visible = (
                self.elements[LAST_TEXT_ROW, element], self.elements[END_ROW, element]
            )
            return True
        self.visible = element + 1
        if is_block or bits & ROLE:
            self.open_block(element, bits)
        if not is_block and bits & (STYLE | MARKED | LINK):
            self.open_inline(element, bits)
        return False

    cdef int leave(self) except -1:
        """End the element at hand."""
        cdef Frame frame = self.innermost()[0]
        cdef Writer writer = self.writer
        if len(writer.wanted) > frame.wanted:
            del writer.wanted[frame.wanted :]
        if self.closings and self.closings[len(self.closings) - 1][0] == self.frames.size:
            writer.text(self.closings.pop()[1], frame.element, frame.block)
        if self.is_block[frame.element] or frame.bits & ROLE:
            writer.end_paragraph()
            writer.close_to(frame.depth)
        if frame.bits & EMBEDS:
            self.left(self.node)
        self.frames.size -= sizeof(Frame)
        if self.frames.size:
            self.element, self.block = self.innermost().element, self.innermost().block
        return 0

    # -- text --------------------------------------------------------------------------------

    cdef int set_apart(self, int32_t text) except -1:
        """Note, once, that white space or what is left out stands before a text node."""
        if not self.last_apart < text < self.is_apart.shape[0]:
            return 0
        self.last_apart = text
        cdef int32_t start = self.texts[TEXT_START_ROW, text], before
        if self.is_apart[text] or Py_UNICODE_ISSPACE(self.buffer[start]):
            self.writer.has_space = True
        elif text:
            before = self.texts[TEXT_STOP_ROW, text - 1]
            if start > before or not self.keep[text - 1] or (
                Py_UNICODE_ISSPACE(self.buffer[before - 1])
            ):
                self.writer.has_space = True
        return 0

    cdef tree.xmlNode* read_text(self) except NULL:
        """Read the text that begins with the node at hand; return the last node of it."""
        cdef tree.xmlNode* node = self.at
        cdef tree.xmlNode* last = node
        cdef bint is_empty = True
        cdef int32_t text = <int32_t>self.text
        cdef Py_ssize_t start, stop
        while node is not NULL:
            if is_text(node):
                is_empty = is_empty and (node.content is NULL or node.content[0] == 0)
            elif node.type != tree.XML_XINCLUDE_START and node.type != tree.XML_XINCLUDE_END:
                break
            last = node
            node = node.next
        if is_empty:
            return last
        self.innermost().texts += 1
        if (
            text >= self.texts.shape[1]
            or self.texts[TEXT_PARENT_ROW, text] != self.innermost().element
            or self.texts[TEXT_ORDINAL_ROW, text] != self.innermost().texts
        ):  # it is blank
            self.writer.has_space = True
            return last
        self.text = text + 1
        if not self.keep[text]:
            self.writer.has_space = True
            return last
        self.set_apart(text)
        if text in self.cuts:
            self.read_marked(text)
        else:
            start, stop = self.texts[TEXT_START_ROW, text], self.texts[TEXT_STOP_ROW, text]
            self.say(self.buffer[start:stop], text)
        return last

    cpdef int say(self, str text, int32_t number) except -1:
        """Write a text, or a part of it, with the formulas in it."""
        if not text or text.isspace():
            self.writer.has_space |= bool(text)
            return 0
        if not ("\\" in text or "$" in text) or not self.read_formulas(text, number):
            self.writer.text(text, -number - 1, self.block)
        return 0

    # -- elements ----------------------------------------------------------------------------

    cdef int open_block(self, int32_t element, int32_t bits) except -1:
        cdef Writer writer = self.writer
        cdef str name = self.names[self.elements[TAG_ROW, element]]
        cdef int32_t marks = self.marks[element]
        writer.end_paragraph()
        block = NotImplemented
        if bits & ROLE:
            name = self.name_by_role(element)
        if bits & PART and not marks & (IN_TABLE | NOTE):
            return 0
        if not bits & HEADING and (
            marks & (NOTE | NOTES | TABLE)
            or bits & (PART | ROLE)
            or bits & LIST and bits & VALUE
            or not bits & LIST and bits & CALLOUT
        ):
            block = self.special_block(name, bits)
        if block is NotImplemented:
            block = self.kinds.get(name)
            if bits & BELONGS and not writer.accepts(type(block)):
                block = None
        if block is not None:
            if bits & VALUE and type(block) is Item:
                writer.number(value_of(self.at, b"value"))
                if attribute_of(self.at, "aria-checked") is not NULL:
                    block = Item(says(self.at, "aria-checked", "true"))
            self.innermost().depth = len(writer.blocks)
            if type(block) is List and self.goes_on(block, element):
                self.parts[writer.last] = element, block.start
                writer.reopen()
            else:
                self.innermost().depth = writer.open(block, element)
        return 0

    cdef bint goes_on(self, block, int32_t element) except -1:
        """Tell whether a list goes on with the one right before it.

        Either has one item only, or, of ordered ones, the numbers go on.
        """
        cdef Writer writer = self.writer
        if not writer.ends_with(List) or writer.nodes[writer.last].ordered != block.ordered:
            return False
        cdef int32_t before, start, child
        before, start = self.parts.get(
            writer.last, (writer.places[writer.last], writer.nodes[writer.last].start)
        )
        if (
            self.elements[LAST_TEXT_ROW, before] != self.elements[FIRST_TEXT_ROW, element]
            or self.elements[PARENT_ROW, before] != self.elements[PARENT_ROW, element]
        ):
            return False
        if not block.ordered:
            return self.holds_one(before) or self.holds_one(element)
        child = before + 1
        while child < self.elements[END_ROW, before]:
            start, child = start + 1, self.elements[END_ROW, child]
        return start == block.start

    cdef bint holds_one(self, int32_t element) noexcept nogil:
        cdef int32_t end = self.elements[END_ROW, element]
        return element + 1 < end == self.elements[END_ROW, element + 1]

    cdef int open_inline(self, int32_t element, int32_t bits) except -1:
        cdef str name = self.names[self.elements[TAG_ROW, element]]
        if self.marks[element] & PLAIN:
            return 0
        if bits & STYLE:
            style = self.kinds.get(name)
            if style is not None and not any([node == style for node, _ in self.writer.wanted]):
                self.writer.wanted.append((Styled(style.style), element))
        elif bits & LINK:
            self.open_link(value_of(self.at, "href"))
        else:
            closing = self.open_marks(name)
            if closing:
                self.closings.append((self.frames.size, closing))
        return 0

    # -- what shows no text ------------------------------------------------------------------

    cdef int pass_over(self, int32_t element) except -1:
        """Read what an element without kept text adds: an image, an end of line, a checkbox."""
        cdef bint is_block, is_blank
        cdef int32_t bits
        cdef Writer writer = self.writer
        if element < 0:
            bits = self.of_hidden()
            if bits:
                self.passed(self.element, bits, True)
            return 0
        self.visible = self.elements[END_ROW, element]
        is_block = self.is_block[element]
        is_blank = self.elements[FIRST_TEXT_ROW, element] == self.elements[LAST_TEXT_ROW, element]
        self.text = max(self.text, self.elements[LAST_TEXT_ROW, element])
        self.box = NULL
        bits = self.bits_of(element) & (FORMULA | RULE)
        if is_blank or is_named(self.at, "figure"):  # which may have a dropped caption
            bits |= self.look_through(element)
        else:
            bits |= media_of(self.at) & EMBEDS
        if bits & RULE:
            if writer.nodes:  # else it sets off what is not kept
                writer.add_block(A_RULE, element)
        elif is_block:
            writer.end_paragraph()
        else:
            self.break_lines(element)
        if self.box is not NULL and writer.begins_item():
            writer.nodes[len(writer.nodes) - 1] = Item(
                attribute_of(self.box, "checked") is not NULL
                or says(self.box, "aria-checked", "true")
            )
        if bits & EMBEDS or is_blank and bits & (FORMULA | SHOWS):
            self.passed(element, bits, is_blank)
        if is_block:
            writer.end_paragraph()
        return 0

    cdef int32_t look_through(self, int32_t element) except -1:
        """Note the images in the node at hand, which has no text; return which media it holds."""
        cdef tree.xmlNode* node = self.at
        cdef Shown* shown
        cdef int32_t media = 0, found, known = 0, visible = element, ordinal = 0
        cdef size_t i
        cdef bint may_check = self.writer.begins_item()  # a box elsewhere says nothing
        if element >= 0:
            ordinal = self.elements[ORDINAL_ROW, element]
        self.images.size = 0
        while node is not NULL:
            if node.type == tree.XML_ELEMENT_NODE:
                found = media_of(node)
                if may_check and says(
                    node, "type" if is_named(node, "input") else "role", "checkbox"
                ):
                    self.box = node
                elif is_named(node, "script") and says(node, "type", "math/tex"):
                    media |= FORMULA
                if found & SHOWS:
                    shown = <Shown*>add_to(&self.images, sizeof(Shown))
                    shown.node, shown.element = node, -1
                if found and (node.properties is not NULL or stands_in_picture(node)):
                    media |= found
                if 0 <= visible < self.elements.shape[1] and (
                    self.elements[ORDINAL_ROW, visible] == ordinal
                ):
                    if found & SHOWS:
                        shown.element = visible
                        known += 1
                    visible += 1
                ordinal += 1
            node = following(node, self.at)
        if known * sizeof(Shown) < self.images.size:
            for i in range(self.images.size // sizeof(Shown)):
                (<Shown*>self.images.data)[i].element = max(element, <int32_t>self.element)
        return media

    cdef int32_t of_hidden(self) except -1:
        """Return what the element at hand, which shows no text, may add."""
        if self.at.ns is not NULL and self.at.ns.href is not NULL:
            return 0
        if is_named(self.at, "script"):
            return FORMULA * says(self.at, "type", "math/tex")
        if is_named(self.at, "noscript"):
            return self.look_through(-1) & SHOWS
        return media_of(self.at) & EMBEDS

    cpdef int break_lines(self, int32_t element, int32_t text=-1) except -1:
        """End a line for each ``br`` in an element; only for those before the text node *text*."""
        cdef int32_t inside
        for inside in range(element, self.elements[END_ROW, element]):
            if text in (-1, self.elements[FIRST_TEXT_ROW, inside]):
                if self.names[self.elements[TAG_ROW, inside]] == "br":
                    self.writer.line_break(inside)
        return 0

    # -- links and images --------------------------------------------------------------------

    cpdef str address(self, str value):
        """Return an absolute address; an empty one for what leads to no page."""
        value = value.strip()
        if not value.isprintable():
            value = remove_ignored("", value).strip()
        if not value:
            return ""
        cdef str address = joined(self.base, value)
        if not address.startswith(("https:", "http:")):  # as most do
            scheme = match_scheme(address)
            if scheme is not None and scheme[1].lower() not in SCHEMES:
                return ""
        self.room -= max(len(address) - len(value), 0)
        return address if self.room >= 0 and len(address) <= MOST_ADDRESS else ""

    cpdef int open_link(self, str value) except -1:
        """Begin a link to what an attribute says; none from a heading to itself."""
        cdef str href
        if self.switches.links and not self.writer.is_wanted(Link):
            href = self.address(value)
            if href and not (
                self.is_own(value, href)
                and (self.writer.is_open(Heading) or self.holds_heading[self.element])
            ):
                self.writer.wanted.append((link_to(href), self.element))
        return 0

    cdef bint is_own(self, str value, str href) except -1:
        """Tell whether an address leads to this page."""
        if self.own_addresses is None:
            self.own_addresses = {page_of(each) for each in self.page.addresses} - {""}
        return value.strip().startswith("#") or page_of(href) in self.own_addresses

    cdef bint is_inside(self) except -1:
        """Tell whether kept text stands before and after the place at hand, or around it."""
        name = self.names[self.elements[TAG_ROW, self.block]]
        return self.first_kept < self.text <= self.last_kept or name in LINE_NAMES

    cpdef int read_images(self) except -1:
        """Read the images in what was passed over last."""
        cdef Shown* shown = <Shown*>self.images.data
        cdef Py_ssize_t i, number = self.images.size // sizeof(Shown)
        cdef Seen image
        if not (self.switches.images and self.is_mostly_kept):
            return 0
        cdef list seen = [see(shown[i].node, self.at, shown[i].element) for i in range(number)]
        for i in range(number):
            image = seen[i]
            if not image.is_left_out and (self.is_inside() or not stands_beside(image)):
                self.read_image(image, seen[i + 1] if i + 1 < number else fallback_after(self.at))
        return 0

    cdef int read_image(self, Seen image, Seen after) except -1:
        cdef str formula = readable(formula_in_image(image.said)), name, source, alt
        cdef Py_ssize_t wanted = len(self.writer.wanted)
        if formula:
            if formula != self.formula:  # else MediaWiki's copy of the formula before
                self.writer.leaf(Formula(formula), image.element, self.block)
            return 0
        emoji = emoji_of(image.said)
        if emoji is not None:
            if emoji:
                self.writer.text(emoji, image.element, self.block)
            return 0
        source, alt = picture_of(image, after, self.pictures)
        source = self.address(source)
        if not source:
            return 0
        name = name_of(source)
        if not self.is_inside() and self.is_outside(image.element, name):
            return 0
        alt = " ".join(readable(alt).split())
        if self.formula and tex_of(alt) == self.formula or self.is_copy(name, source, image):
            return 0
        link = self.link_to(image)
        if link is not None and self.switches.links and not self.writer.is_wanted(Link):
            self.writer.wanted.append((link, image.element))
        caption = self.caption_of(image.element)
        self.writer.leaf(Image(source, alt or caption, caption), image.element, self.block)
        del self.writer.wanted[wanted:]
        self.shown[name] = self.text, len(self.writer.nodes) - 1
        return 0

    cdef object link_to(self, Seen image):
        """Return the link around an image, the same one around several."""
        if image.link is not self.link_around:
            address = self.address(link_of(image))
            self.link_around, self.link = image.link, link_to(address) if address else None
        return self.link

    cdef bint is_copy(self, str name, str source, Seen image) except -1:
        """Return whether an image was read before; the larger of the two is kept."""
        cdef Py_ssize_t text, index
        text, index = self.shown.get(name, (-1, -1))
        if index < 0 or self.marks[image.element] & IN_TABLE:
            return False
        if text != self.text and not shows_again(image):
            if not self.is_in_figure(<int32_t>image.element, self.writer.places[index]):
                return False
        before = self.writer.nodes[index]
        if type(before) is Image and width_in(source) > width_in(before.src):
            self.writer.nodes[index] = replace(before, src=source)
        return True

    cdef bint is_in_figure(self, int32_t place, Py_ssize_t other) except -1:
        """Return whether the figure around an element holds another one, too."""
        for _ in range(MOST_AROUND):
            if place < 0:
                break
            if self.names[self.elements[TAG_ROW, place]] == "figure":
                return place <= other < self.elements[END_ROW, place]
            place = self.elements[PARENT_ROW, place]
        return False


cdef object link_to(str address):
    """Return what ``Link(address)`` does, which takes three times as long."""
    link = new_node(Link)
    set_href(link, address)
    set_embed(link, False)
    return link


cdef str page_of(str address):
    """Return an address without the place on its page."""
    return address.partition("#")[0].rstrip("/")
