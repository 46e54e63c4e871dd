"""The events of which a document is made, from one pass over libxml2's nodes.

The pass runs without the interpreter and makes no Python object; only elements whose attributes or
parts are read become nodes of lxml, when it has ended.
"""

cimport lxml.includes.etreepublic as cetree
from libc.stdint cimport int32_t, uint8_t
from libc.stdlib cimport free
from libc.string cimport memcpy, strcmp, strlen, strstr
from lxml.includes cimport tree

import numpy as np

from scrapy_boilerplate.core._buffer cimport Buffer, add_to
from scrapy_boilerplate.core.page._checks cimport check_elements, check_sizes
from scrapy_boilerplate.core.page._keys cimport Secret, read_secret
from scrapy_boilerplate.core.page._nodes cimport attribute_of, following, holds, is_text, value_of
from scrapy_boilerplate.core.page._rows cimport (
    CLASS_ROW,
    END_ROW,
    FIRST_TEXT_ROW,
    LAST_TEXT_ROW,
    ORDINAL_ROW,
    TAG_ROW,
    TEXT_ORDINAL_ROW,
    TEXT_PARENT_ROW,
)
from scrapy_boilerplate.core.page._strings cimport Strings, find_number, number_of
from scrapy_boilerplate.core.answer.document.callouts import DECLARING
from scrapy_boilerplate.core.answer.document.formulas import ATTRIBUTES
from scrapy_boilerplate.core.answer.document.images import IMAGES
from scrapy_boilerplate.core.answer.document.media import EMBEDDING
from scrapy_boilerplate.core.secret import SECRET

cetree.import_lxml__etree()

cdef Secret secret = read_secret(SECRET)
cdef Strings names  # of elements and attributes that say something; constant
cdef int32_t[64] meanings  # of each of them

for bits, group in (
    (SHOWS, IMAGES),
    (EMBEDS, sorted(EMBEDDING)),
    (FORMULA, ATTRIBUTES),
    (CALLOUT, DECLARING),
    (WHOLE, ["aria-hidden"]),
    (VALUE, ["start", "colspan", "rowspan"]),
):
    for name in group:
        meanings[number_of(&names, name.encode(), len(name), secret)] = bits

cdef enum:
    MOST_ABOVE = 20  # elements around an image

cdef const char* DRAWERS[3]  # scripts that draw formulas
DRAWERS[:] = [b"mathjax", b"katex", NULL]

cdef struct Open:
    int32_t element
    int32_t texts  # text nodes seen in it so far
    int32_t event  # with which it began

cdef struct Wanted:
    int32_t event
    tree.xmlNode* node


cdef int32_t meaning(const char* name) noexcept nogil:
    cdef int32_t number = find_number(&names, name, strlen(name), secret)
    return meanings[number] if number >= 0 else 0


cdef int32_t of_attributes(tree.xmlNode* node) noexcept nogil:
    """Return what the attributes of an element say by their names."""
    cdef tree.xmlAttr* attribute = <tree.xmlAttr*>node.properties
    cdef int32_t bits = 0
    while attribute is not NULL:
        if attribute.ns is NULL:
            bits |= meaning(<const char*>attribute.name)
        attribute = attribute.next
    return bits & (FORMULA | CALLOUT | WHOLE | VALUE)


cdef int32_t media_of(tree.xmlNode* node) noexcept nogil:
    """Return whether an element shows an image, or media of others."""
    if node.ns is not NULL and node.ns.href is not NULL:
        return 0
    return meaning(<const char*>node.name) & (SHOWS | EMBEDS)


cdef bint stands_in_picture(tree.xmlNode* node) noexcept nogil:
    """Tell whether others may give an image its address; else one without attributes is none."""
    return node.parent is not NULL and node.parent.type == tree.XML_ELEMENT_NODE and (
        is_named(node.parent, "picture") or is_named(node.parent, "source")
    )


cdef bint draws_formulas(tree.xmlNode* script) noexcept nogil:
    """Tell whether a script would draw formulas that stand in the text."""
    cdef tree.xmlAttr* src = attribute_of(script, "src")
    cdef tree.xmlNode* child = script.children
    cdef const char* text
    if src is not NULL and holds(src, DRAWERS):
        return True
    while child is not NULL:
        text = <const char*>child.content
        if is_text(child) and text is not NULL:
            if strstr(text, "MathJax") is not NULL or strstr(text, "renderMathInE") is not NULL:
                return True
        child = child.next
    return False


cdef bint is_fallback(tree.xmlNode* image) noexcept nogil:
    """Tell whether an image stands in ``noscript``, and is none that counts visitors."""
    cdef tree.xmlAttr* width = attribute_of(image, "width")
    cdef int level
    if width is not NULL and width.children is not NULL and width.children.content is not NULL:
        if strcmp(<const char*>width.children.content, "1") == 0:
            return False
    for level in range(MOST_ABOVE):
        image = image.parent
        if image is NULL or image.type != tree.XML_ELEMENT_NODE:
            break
        if is_named(image, "noscript"):
            return True
    return False


cdef bint is_named(tree.xmlNode* node, const char* name) noexcept nogil:
    return strcmp(<const char*>node.name, name) == 0


cdef class _Pass:
    cdef const int32_t[:, ::1] elements, texts
    cdef const uint8_t[::1] is_read, keep
    cdef const int32_t[::1] tags, classes  # what names and classes say
    cdef Buffer events, opened, wanted
    cdef int32_t at  # elements seen so far, visible or not …
    cdef int32_t element  # … and visible ones
    cdef int32_t text  # text nodes that the page knows, seen so far
    cdef bint may_draw, draws  # whether a script may draw formulas, and whether one does
    cdef bint has_fallbacks  # whether images stand in ``noscript``

    def __dealloc__(self):
        free(self.events.data)
        free(self.opened.data)
        free(self.wanted.data)

    cdef int32_t add(self, int32_t kind, int32_t number, int32_t bits) except -1 nogil:
        """Append an event and return its place."""
        cdef int32_t* row = <int32_t*>add_to(&self.events, EVENT_WIDTH * sizeof(int32_t))
        row[KIND], row[NUMBER], row[NEXT], row[BITS] = kind, number, 0, bits
        return self.events.size // (EVENT_WIDTH * sizeof(int32_t)) - 1

    cdef int want(self, int32_t event, tree.xmlNode* node) except -1 nogil:
        cdef Wanted* wanted = <Wanted*>add_to(&self.wanted, sizeof(Wanted))
        wanted.event, wanted.node = event, node
        return 0

    cdef inline Open* innermost(self) noexcept nogil:
        return <Open*>(self.opened.data + self.opened.size - sizeof(Open))

    cdef int32_t number_of(self, tree.xmlNode* node) noexcept nogil:
        """Count an element; return its number on the page, −1 if it is not visible."""
        cdef int32_t number = -1
        if self.element < self.elements.shape[1] and (
            self.elements[ORDINAL_ROW, self.element] == self.at
        ):
            number = self.element
            self.element += 1
        self.at += 1
        return number

    cdef int32_t bits_of(self, int32_t element, tree.xmlNode* node) noexcept nogil:
        cdef int32_t bits = self.tags[self.elements[TAG_ROW, element]]
        bits |= self.classes[self.elements[CLASS_ROW, element]] & ~LINE
        if node.properties is not NULL:
            bits |= of_attributes(node)
        cdef int32_t child = element + 1
        if bits & DIVISION and child < self.elements[END_ROW, element]:
            if self.classes[self.elements[CLASS_ROW, child]] & LINE:
                bits |= WHOLE
        if bits & FORMULA:
            bits |= WHOLE
        if bits & (WHOLE | CALLOUT | VALUE):
            bits |= NODE
        return bits

    cdef int enter(self, tree.xmlNode* node, int32_t element) except -1 nogil:
        cdef int32_t bits = self.bits_of(element, node)
        cdef int32_t event = self.add(ENTER, element, bits)
        if bits & (NODE | LINK):
            self.want(event, node)
        cdef Open* opened = <Open*>add_to(&self.opened, sizeof(Open))
        opened.element, opened.texts, opened.event = element, 0, event
        return 0

    cdef int leave(self) except -1 nogil:
        cdef Open* opened = self.innermost()
        cdef int32_t event = self.add(LEAVE, opened.element, 0)
        (<int32_t*>self.events.data)[EVENT_WIDTH * opened.event + NEXT] = event
        self.opened.size -= sizeof(Open)
        return 0

    cdef int pass_over(self, tree.xmlNode* top, int32_t element) except -1 nogil:
        """Add an element that is not read, and count all in it."""
        cdef int32_t media = 0, shown
        cdef tree.xmlNode* node = top
        while node is not NULL:
            if node.type == tree.XML_ELEMENT_NODE:
                if node is not top:
                    self.number_of(node)
                if self.may_draw and not self.draws and is_named(node, "script"):
                    self.draws = draws_formulas(node)
                if node.properties is not NULL or stands_in_picture(node):
                    shown = media_of(node)
                    media |= shown
                    if shown & SHOWS and not self.has_fallbacks:
                        self.has_fallbacks = is_fallback(node)
            node = following(node, top)
        cdef int32_t event, bits
        if element >= 0:
            self.text = max(self.text, self.elements[LAST_TEXT_ROW, element])
            if self.elements[FIRST_TEXT_ROW, element] < self.elements[LAST_TEXT_ROW, element]:
                media &= ~SHOWS  # images in text that was dropped
            bits = self.bits_of(element, top) & (FORMULA | RULE | CHECKBOX) | media
            event = self.add(PASS, element, bits)
            if bits & ~RULE:
                self.want(event, top)
        elif self.says_something(top, media):
            self.want(self.add(HIDDEN, -1, media), top)
        return 0

    cdef bint says_something(self, tree.xmlNode* node, int32_t media) noexcept nogil:
        """Tell whether an element that shows no text may add something else."""
        if node.ns is not NULL and node.ns.href is not NULL:
            return False
        if is_named(node, "script"):
            return attribute_of(node, "type") is not NULL
        if is_named(node, "noscript"):
            return media & SHOWS
        return media_of(node) & EMBEDS

    cdef tree.xmlNode* read_text(self, tree.xmlNode* node) except NULL nogil:
        """Add the text that begins at *node*; return the last node of it."""
        cdef tree.xmlNode* last = node
        cdef Open* opened = self.innermost()
        cdef bint is_empty = True
        while node is not NULL:
            if is_text(node):
                is_empty = is_empty and (node.content is NULL or node.content[0] == 0)
            elif node.type != tree.XML_XINCLUDE_START and node.type != tree.XML_XINCLUDE_END:
                break
            last = node
            node = node.next
        if is_empty:
            return last
        opened.texts += 1
        cdef int32_t text = self.text
        if (
            text >= self.texts.shape[1]
            or self.texts[TEXT_PARENT_ROW, text] != opened.element
            or self.texts[TEXT_ORDINAL_ROW, text] != opened.texts
        ):  # it is blank
            self.add(SPACE, -1, 0)
        else:
            self.text += 1
            self.add(TEXT if self.keep[text] else SPACE, text, 0)
        return last

    cdef int walk(self, tree.xmlNode* root) except -1 nogil:
        cdef tree.xmlNode* node = root
        cdef int32_t element
        while True:
            if node.type == tree.XML_ELEMENT_NODE:
                element = self.number_of(node)
                if element >= 0 and self.is_read[element]:
                    self.enter(node, element)
                    if node.children is not NULL:
                        node = node.children
                        continue
                    self.leave()
                else:
                    self.pass_over(node, element)
            elif self.opened.size and is_text(node):
                node = self.read_text(node)
            while node is not root and node.next is NULL:
                node = node.parent
                self.leave()
            if node is root:
                return 0
            node = node.next

    cdef result(self, cetree._Element root):
        cdef Py_ssize_t size = self.events.size // sizeof(int32_t)
        rows = np.empty((size // EVENT_WIDTH, EVENT_WIDTH), dtype=np.int32)
        cdef int32_t[:, ::1] view = rows
        if size:
            memcpy(&view[0, 0], self.events.data, self.events.size)
        cdef dict nodes = {}, addresses = {}
        cdef Wanted* wanted = <Wanted*>self.wanted.data
        cdef int32_t bits
        for i in range(self.wanted.size // sizeof(Wanted)):
            bits = view[wanted[i].event, BITS]
            if bits & LINK:
                addresses[wanted[i].event] = value_of(wanted[i].node, b"href")
            if bits & NODE or view[wanted[i].event, KIND] != ENTER:
                nodes[wanted[i].event] = cetree.elementFactory(root._doc, wanted[i].node)
        return rows, nodes, addresses, self.draws, self.has_fallbacks


def events(
    cetree._Element root not None,
    const int32_t[:, ::1] elements not None,
    const int32_t[:, ::1] texts not None,
    const uint8_t[::1] is_read not None,
    const uint8_t[::1] keep not None,
    const int32_t[::1] tags not None,
    const int32_t[::1] classes not None,
    bint may_draw,
):
    """Return the events of the elements that are read, with what was kept of the text nodes.

    Beside them are the nodes of some, and the addresses of links, each by its event; last, whether
    a script draws formulas in the text, if one *may*, and whether images stand in ``noscript``.
    """
    check_sizes(texts.shape[1], keep.shape[0])
    check_sizes(elements.shape[1], is_read.shape[0])
    check_elements(
        elements[END_ROW], elements[FIRST_TEXT_ROW], elements[LAST_TEXT_ROW], texts.shape[1]
    )
    cdef Py_ssize_t element
    for element in range(elements.shape[1]):
        if not (
            0 <= elements[TAG_ROW, element] < tags.shape[0]
            and 0 <= elements[CLASS_ROW, element] < classes.shape[0]
        ):
            raise IndexError(f"nothing is known of the name or class of element {element}")
    cdef _Pass found = _Pass()
    found.elements, found.texts, found.is_read, found.keep = elements, texts, is_read, keep
    found.tags, found.classes, found.may_draw = tags, classes, may_draw
    cdef tree.xmlNode* node = root._c_node
    with nogil:
        found.walk(node)
    return found.result(root)
