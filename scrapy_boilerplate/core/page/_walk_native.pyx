"""The walk of :mod:`scrapy_boilerplate.core.page.walk` over libxml2's nodes, without a Python object a node.

Only the fields of lxml's and libxml2's public structures are read: no function of libxml2 is
called, so nothing is linked against it. The walk runs without the interpreter's lock and takes it
only for what is rare. `Walk` says what the arrays hold.
"""

cimport lxml.includes.etreepublic as cetree
from libc.stdint cimport INT32_MAX, int32_t, uint64_t
from libc.stdlib cimport free
from libc.string cimport memchr, memcpy, strchr, strcmp, strlen, strncmp, strstr
from lxml.includes cimport tree

import numpy as np
from lxml import etree

from scrapy_boilerplate.core._buffer cimport Buffer, add_to
from scrapy_boilerplate.core.page._keys cimport Secret, read_secret
from scrapy_boilerplate.core.page._nodes cimport (
    attribute_of,
    following,
    holds,
    is_text,
    said_by,
    says,
    text_of,
    value_of,
)
from scrapy_boilerplate.core.page._strings cimport (
    Strings,
    decoded,
    find_number,
    free_strings,
    list_of,
    number_of,
)
from scrapy_boilerplate.core.secret import SECRET
from scrapy_boilerplate.core.page.tags import INVISIBLE, is_line_style
from scrapy_boilerplate.core.page.walk import (
    ELEMENT_ROWS,
    KNOWN_TAGS,
    LINE_KINDS,
    SIGNS,
    TAG_IDS,
    TEXT_ROWS,
    Walk,
    local_name,
)

cetree.import_lxml__etree()

cdef Secret secret = read_secret(SECRET)
cdef Strings known_tags, invisible_tags  # constant
for name in KNOWN_TAGS:
    number_of(&known_tags, name.encode(), len(name), secret)
for name in sorted(INVISIBLE):
    number_of(&invisible_tags, name.encode(), len(name), secret)

cdef extern from "Python.h":
    bint Py_UNICODE_ISSPACE(Py_UCS4 character) nogil

cdef str built = cetree.LXML_VERSION_STRING.decode()
if built.split(".")[0] != etree.__version__.split(".")[0]:
    raise ImportError(
        f"scrapy_boilerplate was compiled for lxml {built} and cannot read the trees of lxml "
        f"{etree.__version__}: reinstall it (pip install --force-reinstall --no-binary "
        "scrapy-boilerplate-removal scrapy-boilerplate-removal)"
    )

cdef enum:
    ELEMENT_WIDTH = 11
    TEXT_WIDTH = 5
    COUNTERS = 3
    SLOTS = 512  # names cached by address; more than a page has

cdef enum:
    # Signs, a bit each, in the order of ``SIGNS``.
    LABEL_SIGN = 1
    RAISED_SIGN = 2
    CONTENTS_SIGN = 4
    NOTE_SIGN = 8
    PASSWORD_SIGN = 16
    REFRESH_SIGN = 32
    BASE_SIGN = 64
    BRACKET_SIGN = 128
    FALLBACK_SIGN = 256
    DIALOG_SIGN = 512
    TIP_SIGN = 1024
    MAIL_SIGN = 2048
    UNDISPLAYED_SIGN = 4096
    UNIT_SIGN = 8192
    FRAGMENT_BITS = 3  # of what a link leads to; below all signs of attributes
    LEAST_PLACES = 3  # links of a table of contents
    LETTERS_OF_LABEL = 5
    MOST_STATES = 20  # children of the body that may hold a state

cdef enum:
    # Elements that begin or end a line of preformatted text, as in scrapy_boilerplate.core.page.walk.
    LITERAL = 1
    LINE = 2
    BREAK = 3

cdef uint64_t EACH = 0x0101010101010101  # a bit in each byte

# With a name that no XPath spells, since other templates beside it are not counted.
cdef str SHADOW_ROOT = "{shadow}template"
cdef int32_t META = TAG_IDS["meta"]
cdef int32_t LINK = TAG_IDS["a"]
cdef int32_t RELATED = TAG_IDS["link"]
cdef int32_t RAISED = TAG_IDS["sup"]
cdef int32_t INPUT = TAG_IDS["input"]
cdef int32_t BASE = TAG_IDS["base"]
cdef int32_t DIALOG = TAG_IDS["dialog"]
cdef bytes KNOWN_LINE_KINDS = bytes([LINE_KINDS.get(name, 0) for name in KNOWN_TAGS])

if (len(ELEMENT_ROWS), len(TEXT_ROWS), 1 << len(SIGNS)) != (
    ELEMENT_WIDTH, TEXT_WIDTH, 2 * UNIT_SIGN
):
    raise ImportError("the compiled walk was built of other sources")

cdef int32_t* add_row(Buffer* buffer, size_t width) except NULL nogil:
    """Append a row of *width* numbers and return its place."""
    return <int32_t*>add_to(buffer, width * sizeof(int32_t))


cdef int32_t fragment_kind(tree.xmlNode* node) except -1 nogil:
    """Return 2 for a link to a place on its own page, 1 for one to a place on any page, else 0."""
    cdef tree.xmlAttr* attribute = attribute_of(node, "href")
    cdef tree.xmlNode* value = NULL if attribute is NULL else attribute.children
    if value is NULL:
        return 0
    if value.next is not NULL or value.type != tree.XML_TEXT_NODE:
        return spelt_fragment_kind(node)
    cdef const char* text = <const char*>value.content
    cdef const char* sign = NULL if text is NULL else strchr(text, c"#")
    if sign is NULL or sign[1] == 0:
        return 0
    return 2 if sign == text else 1


cdef int32_t spelt_fragment_kind(tree.xmlNode* node) except -1 with gil:
    """Do the same for an address that lxml puts together."""
    before, sign, after = value_of(node, b"href").partition("#")
    return (1 if before else 2) if after else 0


cdef int sign_of(tree.xmlAttr* attribute) noexcept nogil:
    """Return the sign of an attribute: its element stands before others, or not, or is a comment."""
    cdef const char* name = <const char*>attribute.name
    cdef const char* words[4]
    cdef const char* said
    if name[0] == c"s" and strcmp(name, "style") == 0:
        said = NULL if attribute.children is NULL else <const char*>attribute.children.content
        return UNDISPLAYED_SIGN * (said is not NULL and strstr(said, "none") is not NULL)
    words[0], words[1] = "dialog", NULL
    if name[0] == c"a":
        return DIALOG_SIGN * (strcmp(name, "aria-modal") == 0)
    if name[0] == c"i" and (strcmp(name, "itemtype") == 0 or strcmp(name, "itemprop") == 0):
        words[0], words[1], words[2], words[3] = "comment", "answer", "forumposting", NULL
        return UNIT_SIGN * holds(attribute, words)
    if name[0] != c"r" or strcmp(name, "role") != 0:
        return 0
    if holds(attribute, words):
        return DIALOG_SIGN
    words[0] = "tooltip"
    return TIP_SIGN * holds(attribute, words)


cdef int sign_of_wall(tree.xmlNode* node) noexcept nogil:
    """Return the signs of an ``input`` or ``meta``, which may be that of a page before another."""
    return (
        REFRESH_SIGN * says(node, "http-equiv", "refresh")
        | PASSWORD_SIGN * says(node, "type", "password")
        | MAIL_SIGN * says(node, "type", "email")
    )


cdef bint is_blank(const char* text, size_t size) noexcept nogil:
    """Tell whether a UTF-8 text is white space only, as ``str.isspace`` does."""
    cdef size_t i = 0
    cdef unsigned char c
    cdef Py_UCS4 code
    cdef uint64_t part
    while i < size:
        if i + sizeof(part) <= size:  # lines are often indented
            memcpy(&part, text + i, sizeof(part))
            if part == EACH * c" ":
                i += sizeof(part)
                continue
        c = text[i]
        if c < 0x80:
            code = c
            i += 1
        elif c < 0xE0 and i + 1 < size:
            code = (c & 0x1F) << 6 | (<unsigned char>text[i + 1] & 0x3F)
            i += 2
        elif c < 0xF0 and i + 2 < size:
            code = (
                (c & 0x0F) << 12
                | (<unsigned char>text[i + 1] & 0x3F) << 6
                | (<unsigned char>text[i + 2] & 0x3F)
            )
            i += 3
        else:
            return False
        if not Py_UNICODE_ISSPACE(code):
            return False
    return True


cdef Py_ssize_t count_characters(const char* text, size_t size) noexcept nogil:
    cdef Py_ssize_t count = size
    cdef uint64_t part
    while size >= sizeof(part):  # so many bytes at once
        memcpy(&part, text, sizeof(part))
        count -= count_continuing(part)
        text += sizeof(part)
        size -= sizeof(part)
    part = 0
    memcpy(&part, text, size)
    return count - count_continuing(part)


cdef inline Py_ssize_t count_continuing(uint64_t part) noexcept nogil:
    """Return how many bytes begin with the bits 10: they go on with a character."""
    return <Py_ssize_t>((part >> 7 & ~part >> 6 & EACH) * EACH >> 56)


cdef int raise_too_long() except -1 with gil:
    raise OverflowError("a page of more than two thousand million characters")


cdef size_t size_of_article(tree.xmlNode* node) noexcept nogil:
    """Return the bytes of a script of JSON-LD that holds the text of an article."""
    cdef tree.xmlNode* text = node.children
    if text is NULL or text.content is NULL:
        return 0
    if strstr(<const char*>text.content, "articleBody") is NULL:
        return 0
    return strlen(<const char*>text.content)


cdef bint is_shadow_root(tree.xmlNode* node) noexcept nogil:
    """Tell whether an element is a ``template`` that a browser shows as a shadow root."""
    return strcmp(<const char*>node.name, "template") == 0 and (
        attribute_of(node, "shadowrootmode") is not NULL
    )


cdef bint may_be_label(const char* text, size_t size) noexcept nogil:
    """Tell whether a UTF-8 text may be the label of a note: a number, a letter, a sign."""
    cdef size_t i
    cdef unsigned char c
    cdef int letters = 0
    cdef bint is_roman = True, has_sign = False
    for i in range(size):
        c = text[i]
        if c"a" <= c <= c"z":
            letters += 1
            is_roman = is_roman and (c == c"i" or c == c"v" or c == c"x")
        if c"A" <= c <= c"Z" or letters > LETTERS_OF_LABEL or 0xE5 <= c <= 0xE9:  # Han
            return False
        has_sign |= c"0" <= c <= c"9" or c == c"*" or c >= 0x80
    return has_sign or letters == 1 or (letters > 1 and is_roman)


cdef inline unsigned char begins(const char* text, const char* word) noexcept nogil:
    """Tell whether a text begins with a word of four small letters, in any case."""
    cdef unsigned char found = 1
    cdef int i
    for i in range(4):
        found &= (text[i] | 0x20) == word[i]
    return found


cdef bint has_word(const char* text, size_t size, const char* word) noexcept nogil:
    """Tell whether a text has a word of four small letters, in any case."""
    cdef size_t i
    cdef unsigned char found = 0
    for i in range(size - 3 if size > 3 else 0):  # no branches: the processor looks side by side
        found |= begins(text + i, word)
    return found


cdef bint has_bracketed_one(const char* text, size_t size) noexcept nogil:
    cdef const char* stop = text + size
    cdef const char* at = <const char*>memchr(text, c"[", size) if size else NULL
    while at != NULL and stop - at >= 3:
        if at[1] == c"1" and at[2] == c"]":
            return True
        at = <const char*>memchr(at + 1, c"[", stop - at - 1)
    return False


cdef size_t size_of_state(tree.xmlNode* root) noexcept nogil:
    """Return the bytes of the largest ``data-`` attribute of the body's children that is JSON."""
    cdef tree.xmlNode* node = root.children
    cdef tree.xmlAttr* attribute
    cdef int count = 0
    cdef size_t size = 0
    while node is not NULL and not (
        node.type == tree.XML_ELEMENT_NODE and node.ns is NULL
        and strcmp(<const char*>node.name, "body") == 0
    ):
        node = node.next
    node = NULL if node is NULL else node.children
    while node is not NULL and count < MOST_STATES:
        count += not is_text(node)
        attribute = <tree.xmlAttr*>node.properties if node.type == tree.XML_ELEMENT_NODE else NULL
        while attribute is not NULL:
            if strncmp(<const char*>attribute.name, "data-", 5) == 0 and attribute.ns is NULL and (
                attribute.children is not NULL and attribute.children.content is not NULL
                and attribute.children.content[0] in (c"{", c"[")
            ):
                size = max(size, strlen(<const char*>attribute.children.content))
            attribute = attribute.next
        node = node.next
    return size


cdef class _Walker:
    cdef dict others  # ids of the tags that are not known
    cdef Strings strings  # values of attributes
    cdef Buffer elements
    cdef Buffer texts
    cdef Buffer counters  # text nodes and child elements so far, where the text begins, by element
    cdef Buffer characters  # all visible text, UTF-8
    cdef Py_ssize_t offset  # characters seen so far
    cdef int32_t seen  # elements, visible or not
    cdef int32_t declared  # how many of them when the last one was seen that declares metadata
    cdef int32_t links  # open links
    cdef int32_t places  # links to a place on the page itself
    cdef int32_t signs  # a bit each
    cdef Py_ssize_t prose  # characters outside of links
    cdef size_t hidden  # bytes of the largest script, template or noscript
    cdef size_t article  # … of those that may hold an article on any page
    cdef const void* cached_names[SLOTS]
    cdef int32_t cached_ids[SLOTS]
    cdef Buffer line_kinds  # a byte a tag id
    cdef Buffer lines  # numbers of open elements that stand on lines of their own, in `pre`
    cdef int32_t literal  # open elements of preformatted text
    cdef str title
    cdef bint has_title
    cdef object invisible
    cdef bint usual  # whether nothing else is invisible than mostly

    def __cinit__(self, invisible):
        # No object that the garbage collector tracks may be made during the walk: a collection
        # runs code of others, which may free the node at hand.
        self.invisible = invisible
        self.usual = invisible is INVISIBLE
        self.others = {}
        number_of(&self.strings, "", 0, secret)
        self.title = ""
        cdef size_t known = len(KNOWN_LINE_KINDS)
        memcpy(add_to(&self.line_kinds, known), <const char*>KNOWN_LINE_KINDS, known)

    def __dealloc__(self):
        free_strings(&self.strings)
        free(self.line_kinds.data)
        free(self.lines.data)
        free(self.elements.data)
        free(self.texts.data)
        free(self.counters.data)
        free(self.characters.data)

    cdef int32_t identity(self, tree.xmlNode* node) except -2 nogil:
        """Return the tag id of an element, −1 if it is not visible.

        The parser stores each name once, so that mostly its address tells it.
        """
        if node.ns is not NULL and node.ns.href is not NULL:
            return self.other_identity(node)
        cdef size_t slot = ((<size_t>node.name) >> 4) % SLOTS
        if self.cached_names[slot] == <const void*>node.name:
            return self.cached_ids[slot]
        cdef const char* name = <const char*>node.name
        cdef size_t size = strlen(name)
        cdef int32_t number = find_number(&known_tags, name, size, secret)
        if number < 0 and not (
            self.usual and find_number(&invisible_tags, name, size, secret) >= 0
        ):
            number = self.other_identity(node)
        # Names with one address are one name as long as the tree lives.
        self.cached_names[slot] = <const void*>node.name
        self.cached_ids[slot] = number
        return number

    cdef int32_t other_identity(self, tree.xmlNode* node) except -2 with gil:
        """Do the same for a name that is not known, or in a namespace."""
        cdef str local = (<const char*>node.name).decode("utf-8")
        cdef str name = local
        if node.ns is not NULL and node.ns.href is not NULL:
            name = "{" + (<const char*>node.ns.href).decode("utf-8") + "}" + local
        if name not in self.others and local.lower() in self.invisible:
            return -1
        return self.own_identity(name)

    cdef int32_t own_identity(self, str name) except -2 with gil:
        """Return the tag id of a name that the page has beside the known ones."""
        number = self.others.get(name)
        if number is None:
            number = self.others[name] = len(KNOWN_TAGS) + len(self.others)
            (<char*>add_to(&self.line_kinds, 1))[0] = <char>LINE_KINDS.get(local_name(name), 0)
        return number

    cdef int32_t string_id(self, tree.xmlNode* node, tree.xmlAttr* attribute) except -1 nogil:
        """Return the string id of an attribute, 0 if it is missing or empty."""
        cdef tree.xmlNode* value = NULL if attribute is NULL else attribute.children
        if value is not NULL and value.next is NULL and value.type == tree.XML_TEXT_NODE:
            if value.content is NULL:
                return 0
            text = <const char*>value.content
            return number_of(&self.strings, text, strlen(text), secret)
        if value is not NULL:
            return self.spelt_string_id(node, attribute)
        return 0

    cdef int32_t spelt_string_id(
        self, tree.xmlNode* node, tree.xmlAttr* attribute
    ) except -1 with gil:
        cdef bytes spelt = said_by(node, attribute).encode()
        return number_of(&self.strings, spelt, len(spelt), secret)

    cdef int32_t open(self, tree.xmlNode* node, int32_t identity, int32_t owner) except -1 nogil:
        """Add an element and return its number."""
        cdef int32_t number = self.elements.size // (ELEMENT_WIDTH * sizeof(int32_t))
        cdef tree.xmlAttr* attribute = <tree.xmlAttr*>node.properties
        cdef tree.xmlAttr* of_class = NULL
        cdef tree.xmlAttr* of_id = NULL
        cdef int32_t signs = 0
        while attribute is not NULL:
            if attribute.ns is NULL:
                if strcmp(<const char*>attribute.name, "class") == 0:
                    of_class = attribute
                elif strcmp(<const char*>attribute.name, "id") == 0:
                    of_id = attribute
                else:
                    signs |= sign_of(attribute)
            attribute = attribute.next
        cdef int32_t class_id = self.string_id(node, of_class)
        cdef int32_t id_id = self.string_id(node, of_id)
        cdef int32_t* row = add_row(&self.elements, ELEMENT_WIDTH)
        row[0] = identity
        row[1] = owner
        row[2] = self.element(owner)[2] + 1 if owner >= 0 else 0
        row[3] = 0
        row[4] = self.texts.size // (TEXT_WIDTH * sizeof(int32_t))
        row[5] = 0
        row[6] = class_id
        row[7] = id_id
        row[8] = self.count_child(owner)
        row[9] = self.seen
        row[10] = 0
        self.seen += 1
        if identity == META:
            self.declared = self.seen
            signs |= sign_of_wall(node)
        elif identity == LINK:
            self.links += 1
            row[10] = fragment_kind(node)
            self.places += row[10] == 2
        elif identity == INPUT:
            signs |= sign_of_wall(node)
        elif identity == RELATED:
            self.declared = self.seen
        elif identity == BASE:
            signs |= BASE_SIGN
        elif identity == DIALOG:
            signs |= DIALOG_SIGN
        row[10] |= signs
        self.signs |= signs
        cdef int32_t* counter = add_row(&self.counters, COUNTERS)
        counter[0] = counter[1] = 0
        counter[2] = <int32_t>min(self.characters.size, <size_t>INT32_MAX)
        if self.literal or self.line_kinds.data[identity] == LITERAL:
            self.open_line(node, self.line_kinds.data[identity], number)
        return number

    cdef bint is_label(self, int32_t number) noexcept nogil:
        """Tell whether all that an open element says so far may be a label."""
        cdef size_t start = self.counter(number)[2]
        return may_be_label(self.characters.data + start, self.characters.size - start)

    cdef int open_line(self, tree.xmlNode* node, char kind, int32_t number) except -1 nogil:
        if kind == LITERAL:
            self.literal += 1
        if kind == BREAK:
            self.add_line_feed()
        elif kind or (attribute_of(node, "style") is not NULL and self.has_line_style(node)):
            self.end_line()
            add_row(&self.lines, 1)[0] = number
        return 0

    cdef int close_line(self, int32_t number) except -1 nogil:
        cdef size_t last = self.lines.size
        if self.line_kinds.data[self.element(number)[0]] == LITERAL:
            self.literal -= 1
        if last and (<int32_t*>(self.lines.data + last - sizeof(int32_t)))[0] == number:
            self.lines.size -= sizeof(int32_t)
            self.end_line()
        return 0

    cdef int end_line(self) except -1 nogil:
        if self.characters.size == 0 or self.characters.data[self.characters.size - 1] != c"\n":
            self.add_line_feed()
        return 0

    cdef int add_line_feed(self) except -1 nogil:
        (<char*>add_to(&self.characters, 1))[0] = c"\n"
        self.offset += 1
        return 0

    cdef bint has_line_style(self, tree.xmlNode* node) except -1 with gil:
        """Tell whether a style makes an element stand on lines of its own."""
        return is_line_style(value_of(node, b"style"))

    cdef int32_t* element(self, Py_ssize_t number) noexcept nogil:
        return <int32_t*>self.elements.data + number * ELEMENT_WIDTH

    cdef int32_t* counter(self, Py_ssize_t number) noexcept nogil:
        """Return how many text nodes and child elements of an element were seen."""
        return <int32_t*>self.counters.data + COUNTERS * number

    cdef int32_t count_child(self, int32_t owner) noexcept nogil:
        """Count a child of an element; return its position among the children."""
        if owner < 0:
            return 1
        self.counter(owner)[1] += 1
        return self.counter(owner)[1]

    cdef int32_t close(self, int32_t number) except -2 nogil:
        """Set the ends of an element and return its parent."""
        cdef int32_t* row = self.element(number)
        row[3] = self.elements.size // (ELEMENT_WIDTH * sizeof(int32_t))
        row[5] = self.texts.size // (TEXT_WIDTH * sizeof(int32_t))
        if row[0] == LINK:
            self.links -= 1
            if row[10] & FRAGMENT_BITS and not self.signs & LABEL_SIGN and self.is_label(number):
                self.signs |= LABEL_SIGN
        elif row[0] == RAISED and self.is_label(number):
            self.signs |= RAISED_SIGN
        if self.literal:
            self.close_line(number)
        return row[1]

    cdef tree.xmlNode* add_text(self, tree.xmlNode* node, int32_t owner) except NULL nogil:
        """Add the text that begins at *node*; return the last node of it."""
        cdef size_t start = self.characters.size
        cdef size_t size
        cdef tree.xmlNode* last = node
        while node is not NULL:
            if is_text(node):
                if node.content is not NULL:
                    size = strlen(<const char*>node.content)
                    memcpy(add_to(&self.characters, size), node.content, size)
            elif node.type != tree.XML_XINCLUDE_START and node.type != tree.XML_XINCLUDE_END:
                break
            last = node
            node = node.next
        size = self.characters.size - start
        if size == 0:
            return last
        cdef const char* text = self.characters.data + start
        cdef Py_ssize_t begin = self.offset
        cdef int32_t* row
        self.counter(owner)[0] += 1
        self.offset += count_characters(text, size)
        if self.offset > INT32_MAX:
            raise_too_long()
        if not is_blank(text, size):
            row = add_row(&self.texts, TEXT_WIDTH)
            row[0] = owner
            row[1] = self.elements.size // (ELEMENT_WIDTH * sizeof(int32_t))
            row[2] = begin
            row[3] = self.offset
            row[4] = self.counter(owner)[0]
            if self.links == 0:
                self.prose += self.offset - begin
        return last

    cdef int pass_over(self, tree.xmlNode* top) except -1 nogil:
        """Count an element that is not visible, and all in it."""
        cdef tree.xmlNode* node = top
        cdef size_t size = 0
        while node is not NULL:
            if node.type == tree.XML_ELEMENT_NODE:
                self.seen += 1
                if self.declares(node):
                    self.declared = self.seen
                    self.article = max(self.article, size_of_article(node))
                    self.signs |= sign_of_wall(node)
                elif node.ns is NULL and strcmp(<const char*>node.name, "input") == 0:
                    self.signs |= sign_of_wall(node)
                elif strcmp(<const char*>node.name, "link") == 0:
                    self.declared = self.seen
                elif strcmp(<const char*>node.name, "base") == 0:
                    self.signs |= BASE_SIGN
                elif strcmp(<const char*>node.name, "img") == 0:
                    self.signs |= FALLBACK_SIGN
            elif is_text(node) and node.content is not NULL:
                size += strlen(<const char*>node.content)
            node = following(node, top)
        if top.ns is NULL and strcmp(<const char*>top.name, "style"):
            self.hidden = max(self.hidden, size)
            if strcmp(<const char*>top.name, "noscript") == 0:
                self.article = max(self.article, size)
        return 0

    cdef bint declares(self, tree.xmlNode* node) noexcept nogil:
        if strcmp(<const char*>node.name, "script"):
            return strcmp(<const char*>node.name, "meta") == 0
        return says(node, "type", "ld+json")

    cdef int find_title(self, tree.xmlNode* root) except -1 with gil:
        """Keep the text of the first title in or below an element that is not visible."""
        cdef tree.xmlNode* node = root
        cdef str name = (<const char*>root.name).decode("utf-8").lower()
        if name == "title":
            self.set_title(root)
        if name == "svg":
            return 0  # its titles are those of drawings
        while not self.has_title:
            node = following(node, root)
            if node is NULL:
                return 0
            if node.type == tree.XML_ELEMENT_NODE and strcmp(<const char*>node.name, "title") == 0:
                self.set_title(node)
        return 0

    cdef int set_title(self, tree.xmlNode* node) except -1:
        self.title = text_of(node)
        self.has_title = len(self.title) > 0
        return 0

    cdef int walk(self, tree.xmlNode* root) except -1 nogil:
        cdef tree.xmlNode* node = root
        cdef int32_t owner = -1
        cdef int32_t identity
        while True:
            if node.type == tree.XML_ELEMENT_NODE:
                identity = self.identity(node)
                if identity < 0 and is_shadow_root(node):
                    identity = self.own_identity(SHADOW_ROOT)
                if identity >= 0:
                    owner = self.open(node, identity, owner)
                    if node.children is not NULL:
                        node = node.children
                        continue
                    owner = self.close(owner)
                else:
                    self.count_child(owner)
                    self.pass_over(node)
                    if not self.has_title:
                        self.find_title(node)
            elif is_text(node) and owner >= 0:
                node = self.add_text(node, owner)
            while node is not root and node.next is NULL:
                node = node.parent
                owner = self.close(owner)
            if node is root:
                return 0
            node = node.next

    def result(self):
        if self.places >= LEAST_PLACES:
            self.signs |= CONTENTS_SIGN
        if has_word(self.strings.bytes.data, self.strings.bytes.size, b"note"):
            self.signs |= NOTE_SIGN
        if has_bracketed_one(self.characters.data, self.characters.size):
            self.signs |= BRACKET_SIGN
        return Walk(
            [*KNOWN_TAGS, *map(local_name, self.others)],
            [*KNOWN_TAGS, *self.others],
            list_of(&self.strings),
            matrix(&self.elements, ELEMENT_WIDTH),
            matrix(&self.texts, TEXT_WIDTH),
            decoded(self.characters.data, self.characters.size) if self.characters.size else "",
            self.title,
            self.declared,
            self.prose,
            self.hidden,
            self.article,
            self.signs,
        )


cdef matrix(Buffer* buffer, int width):
    """Return the rows of a buffer as columns."""
    cdef Py_ssize_t size = buffer.size // (width * sizeof(int32_t))
    cdef const int32_t* rows = <const int32_t*>buffer.data
    result = np.empty((width, size), dtype=np.int32)
    cdef int32_t[:, ::1] columns = result
    cdef Py_ssize_t row
    cdef int column
    with nogil:
        for row in range(size):
            for column in range(width):
                columns[column, row] = rows[row * width + column]
    return result


def walk(cetree._Element root not None, object invisible=INVISIBLE):
    """Read the tree below *root* in one iterative pass; the tree stays as it is."""
    cdef _Walker walker = _Walker(invisible)
    cdef tree.xmlNode* node = root._c_node
    with nogil:
        walker.walk(node)
        walker.hidden = max(walker.hidden, size_of_state(node))
    return walker.result()


def nodes_at(cetree._Element root not None, list ordinals not None):
    """Return the elements that stand at ascending *ordinals* below *root*, counted as by the walk.

    Only they become Python objects. Raises :exc:`IndexError` if there are fewer.
    """
    cdef tree.xmlNode* top = root._c_node
    cdef tree.xmlNode* node = top
    cdef Py_ssize_t at = 0, wanted
    cdef list found = []
    for wanted in ordinals:
        while node is not NULL and (at < wanted or node.type != tree.XML_ELEMENT_NODE):
            at += node.type == tree.XML_ELEMENT_NODE
            node = following(node, top)
        if node is NULL:
            break
        found.append(cetree.elementFactory(root._doc, node))
    return found


def values_with(cetree._Element root not None, list names not None):
    """Return what these attributes say of each element that has one, after its ordinal.

    The names are bytes; ``None`` stands for an attribute that is missing. No element becomes a
    Python object.
    """
    cdef tree.xmlNode* top = root._c_node
    cdef tree.xmlNode* node = top
    cdef tree.xmlAttr* attribute
    cdef Py_ssize_t at = 0, row
    cdef bytes name
    cdef list found = [], values
    while node is not NULL:
        if node.type == tree.XML_ELEMENT_NODE:
            values = None
            for row, name in enumerate(names if node.properties is not NULL else ()):
                attribute = attribute_of(node, name)
                if attribute is not NULL:
                    values = values or [at, *([None] * len(names))]
                    values[row + 1] = said_by(node, attribute)
            if values is not None:
                found.append(values)
            at += 1
        node = following(node, top)
    return found


def one_text(cetree._Element root not None, frozenset breaking not None):
    """Return all text in *root*; ``None`` where something in it may begin or end a line.

    That is an element with one of the names *breaking*, a class of lines or a style, or a comment.
    """
    cdef tree.xmlNode* top = root._c_node
    cdef tree.xmlNode* node = following(top, top)
    cdef list pieces = []
    while node is not NULL:
        if is_text(node):
            if node.content is not NULL:
                pieces.append(decoded(<const char*>node.content, strlen(<const char*>node.content)))
        elif (
            node.type != tree.XML_ELEMENT_NODE
            or <bytes>node.name in breaking
            or says(node, "class", "line")
            or is_line_style(value_of(node, "style"))
        ):
            return None
        node = following(node, top)
    return "".join(pieces)
