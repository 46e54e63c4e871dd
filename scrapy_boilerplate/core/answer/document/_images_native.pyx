"""Images as they stand in a tree: what each says, and what is around and beside it."""

cimport lxml.includes.etreepublic as cetree
from libc.string cimport strchr, strcmp, strlen, strncmp
from lxml.includes cimport tree

from scrapy_boilerplate.core.page._nodes cimport attribute_of, following, is_text, said_by, value_of
from scrapy_boilerplate.core.page._strings cimport decoded

cetree.import_lxml__etree()

cdef enum:
    MOST_AROUND = 8  # elements around an image
    LEVELS = 4  # in which the ``noscript`` beside a preview is looked for, …
    SIBLINGS = 4  # … and elements on each of them
    MOST_IN_FALLBACK = 20
    MOST_IN_PICTURE = 256
    MOST_SOURCES = 32
    LONGEST_CLASS = 300

cdef const char* SHARING[6]
cdef const char* SHOWING_AGAIN[4]
cdef const char* BESIDE[5]
cdef const char* SAYING[6]
SHARING[:] = [b"share", b"sharing", b"social", b"payment", b"payments", NULL]
SHOWING_AGAIN[:] = [b"lightbox", b"modal", b"overlay", NULL]
BESIDE[:] = [b"nav", b"footer", b"aside", b"form", NULL]
SAYING[:] = [b"alt", b"class", b"height", b"src", b"width", NULL]


cdef inline bint is_named(tree.xmlNode* node, const char* name) noexcept nogil:
    """Tell whether a node is an element of HTML with this name."""
    return node is not NULL and node.type == tree.XML_ELEMENT_NODE and (
        node.ns is NULL or node.ns.href is NULL
    ) and strcmp(<const char*>node.name, name) == 0


cdef bint is_image(tree.xmlNode* node) noexcept nogil:
    """Tell whether an element shows an image."""
    return is_named(node, "img") or is_named(node, "amp-img") or is_named(node, "amp-anim")


cdef bint is_one_of(const char* text, size_t size, const char** words) noexcept nogil:
    """Tell whether a text is one of some words of small letters, whatever its case."""
    cdef size_t at
    while words[0] is not NULL:
        at = 0
        while at < size and words[0][at] == (text[at] | 32):
            at += 1
        if at == size and words[0][at] == 0:
            return True
        words += 1
    return False


cdef bint has_word(tree.xmlNode* node, const char** words) noexcept nogil:
    """Tell whether the class of an element says one of some words; that of a link says nothing."""
    cdef tree.xmlAttr* attribute = attribute_of(node, "class")
    cdef const char* text
    cdef size_t begin = 0, at = 0
    if attribute is NULL or attribute.children is NULL or is_named(node, "a"):
        return False
    text = <const char*>attribute.children.content
    while text is not NULL:
        if at == LONGEST_CLASS or strchr(" -_\t\n\r\f\v", text[at]) is not NULL:  # or its end
            if at > begin and is_one_of(text + begin, at - begin, words):
                return True
            if at == LONGEST_CLASS or text[at] == 0:
                break
            begin = at + 1
        at += 1
    return False


# -- beside an image -----------------------------------------------------------------------------


cdef inline bint is_node(tree.xmlNode* node) noexcept nogil:
    """Tell whether a node counts: an element or a comment."""
    return node.type != tree.XML_ATTRIBUTE_NODE and not is_text(node) and (
        node.type <= tree.XML_COMMENT_NODE
    )


cdef inline tree.xmlNode* next_of(tree.xmlNode* node) noexcept nogil:
    node = node.next
    while node is not NULL and not is_node(node):
        node = node.next
    return node


cdef inline tree.xmlNode* before(tree.xmlNode* node) noexcept nogil:
    node = node.prev
    while node is not NULL and not is_node(node):
        node = node.prev
    return node


cdef inline tree.xmlNode* first_in(tree.xmlNode* node) noexcept nogil:
    if node.type != tree.XML_ELEMENT_NODE or node.children is NULL or is_node(node.children):
        return node.children if node.type == tree.XML_ELEMENT_NODE else NULL
    return next_of(node.children)


cdef bint is_blank(tree.xmlNode* node):
    """Tell whether the text that begins with a node is white space."""
    cdef const char* content
    while node is not NULL and is_text(node):
        content = <const char*>node.content
        if content is not NULL and decoded(content, strlen(content)).strip():
            return False
        node = node.next
    return True


cdef bint holds_only(tree.xmlNode* above):
    """Tell whether an element holds few others, and no text beside them."""
    cdef tree.xmlNode* child = above.children
    cdef int count = 0
    while child is not NULL:
        if is_node(child):
            count += 1
            if count > SIBLINGS:
                return False
        elif not is_blank(child):
            return False
        child = child.next
    return True


cdef tree.xmlNode* image_in(tree.xmlNode* noscript) noexcept nogil:
    cdef tree.xmlNode* node = noscript
    cdef int count = 0
    while node is not NULL and count < MOST_IN_FALLBACK:
        if is_image(node):
            return node
        count += is_node(node)
        node = following(node, noscript)
    return NULL


cdef tree.xmlNode* fallback_after(tree.xmlNode* node):
    """Return the ``noscript`` right after a node; none behind the next image or text."""
    cdef int count
    for count in range(SIBLINGS):
        if not is_blank(node.next):
            return NULL
        node = next_of(node)
        if node is NULL or is_named(node, "noscript"):
            return node
        if is_image(node):
            return NULL
        if node.type == tree.XML_ELEMENT_NODE:
            if not is_blank(node.children):
                return NULL
        elif node.content is not NULL and (
            decoded(<const char*>node.content, strlen(<const char*>node.content)).strip()
        ):
            return NULL
    return NULL


cdef tree.xmlNode* picture_beside(tree.xmlNode* image):
    """Return the picture in the ``noscript`` beside an image, which is then its preview."""
    cdef tree.xmlNode* node = first_in(image)
    cdef tree.xmlNode* found
    cdef int level
    for level in range(SIBLINGS):
        if node is NULL:
            break
        if is_named(node, "noscript"):
            return image_in(node)
        node = next_of(node)
    node = image
    for level in range(LEVELS):
        found = fallback_after(node)
        if found is NULL and is_named(before(node), "noscript"):
            found = before(node)
        if found is not NULL:
            found = image_in(found)
            return found if found is not image else NULL
        node = node.parent
        if node is NULL or node.type != tree.XML_ELEMENT_NODE or is_named(node, "noscript"):
            return NULL
        if not holds_only(node):
            return NULL
    return NULL


# -- an image ------------------------------------------------------------------------------------


cdef dict attributes_of(tree.xmlNode* node):
    """Return the attributes of an image or a source that say something."""
    cdef tree.xmlAttr* attribute = <tree.xmlAttr*>node.properties
    cdef const char* name
    cdef dict found = {}
    while attribute is not NULL:
        name = <const char*>attribute.name
        if attribute.ns is NULL and (
            strncmp(name, "data-", 5) == 0
            or strcmp(name, "srcset") == 0
            or is_one_of(name, strlen(name), SAYING)
        ):
            found[decoded(name, strlen(name))] = said_by(node, attribute)
        attribute = attribute.next
    return found


cdef Seen seen(tree.xmlNode* node, tree.xmlNode* outermost):
    """Return an image; *outermost* is the last element around it without text of the article."""
    cdef Seen image = Seen.__new__(Seen)
    cdef tree.xmlAttr* href
    cdef int level
    image.node = node
    for level in range(MOST_AROUND):
        if node is outermost:
            break
        node = node.parent
        image.shares |= has_word(node, SHARING)
        image.stands_beside |= is_one_of(
            <const char*>node.name, strlen(<const char*>node.name), BESIDE
        )
        href = attribute_of(node, "href") if image.link is NULL and is_named(node, "a") else NULL
        if href is not NULL and href.children is not NULL:
            image.link = node
    return image


cdef class Seen:
    """An image, and what the elements around it say; it lives no longer than its tree."""

    def __init__(self, cetree._Element node not None):
        self.node = node._c_node

    @property
    def said(self):
        """Its attributes, as far as they say something."""
        if self.attributes is None:
            self.attributes = attributes_of(self.node)
        return self.attributes

    @property
    def key(self):
        """What no other image of the tree has."""
        return <size_t>self.node

    @property
    def stands_alone(self):
        """Whether it is no fallback, ``None`` if it is one; ``False`` beside a script, for an
        advertisement is.
        """
        cdef tree.xmlNode* node = self.node
        cdef tree.xmlNode* noscript = NULL
        cdef int level
        for level in range(LEVELS):
            node = node.parent
            if node is NULL or is_named(node, "figure"):
                return True
            if noscript is NULL and is_named(node, "noscript"):
                noscript = node
        if noscript is NULL:
            return True
        return False if is_named(before(noscript), "script") else None

    @property
    def picture_beside(self):
        """The picture of which it is the preview."""
        cdef tree.xmlNode* node = picture_beside(self.node)
        return None if node is NULL else seen(node, node)

    @property
    def above(self):
        """What is around it and may name other sizes of it, which libxml2 nests."""
        cdef tree.xmlNode* node = self.node.parent
        cdef list found = []
        while len(found) < MOST_SOURCES and (is_named(node, "source") or is_named(node, "picture")):
            found.append(seen(node, node))
            node = node.parent
        return found

    @property
    def sources(self):
        """The attributes of a ``source``, or those of a ``picture`` and all sources in it."""
        cdef tree.xmlNode* node = self.node
        cdef int count = 0
        cdef list found = []
        while node is not NULL and count < MOST_IN_PICTURE:
            if node is self.node or is_named(node, "source"):
                found.append(attributes_of(node))
            count += is_node(node)
            node = following(node, self.node) if is_named(self.node, "picture") else NULL
        return found

    @property
    def link_key(self):
        """What other images in the same link have, too; 0 without a link."""
        return <size_t>self.link

    @property
    def href(self):
        """The address of the link that it stands in."""
        return "" if self.link is NULL else value_of(self.link, b"href")

    @property
    def shows_again(self):
        """Whether it opens above the page, where it is a copy of another one."""
        cdef tree.xmlNode* node = self.node.parent
        cdef int level
        for level in range(LEVELS):
            if node is NULL or node.type != tree.XML_ELEMENT_NODE:
                break
            if has_word(node, SHOWING_AGAIN):
                return True
            node = node.parent
        return False
