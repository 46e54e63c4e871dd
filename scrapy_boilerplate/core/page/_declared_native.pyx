"""What elements declare: ``meta``, ``link``, JSON-LD, microdata, times, telling links.

One walk over libxml2's nodes, of whose public structures alone fields are read, as in the walk.
"""

cimport lxml.includes.etreepublic as cetree
from libc.stdint cimport uint32_t
from libc.string cimport strcmp, strlen
from lxml.includes cimport tree

from scrapy_boilerplate.core.page._nodes cimport (
    attribute_of,
    begins,
    following,
    holds,
    is_text,
    says,
    text_of,
    value_of,
)
from scrapy_boilerplate.core.page._strings cimport decoded

cetree.import_lxml__etree()


cdef bint may_be_date(tree.xmlAttr* attribute) noexcept nogil:
    """Return whether a value has a digit, or a character that may be one."""
    cdef tree.xmlNode* piece = attribute.children
    cdef const unsigned char* text
    while piece is not NULL:
        text = <const unsigned char*>piece.content
        while text is not NULL and text[0] != 0:
            if c"0" <= text[0] <= c"9" or text[0] >= 0x80:
                return True
            text += 1
        piece = piece.next
    return False


cdef const char* OF_AUTHORS[9]
OF_AUTHORS[:] = [
    b"aut", b"staff", b"contribut", b"column", b"report", b"journal", b"redakt", b"writer", NULL
]
cdef uint32_t FIRST = 0
"""The letters that these begin with, a bit each."""
for _word in (b"a", b"s", b"c", b"r", b"j", b"w"):
    FIRST |= <uint32_t>1 << (_word[0] & 31)
cdef const char* RELATIONS[4]
RELATIONS[:] = [b"author", b"tag", b"license", NULL]


cdef bint is_marked(tree.xmlNode* node) noexcept nogil:
    """Return whether an element has an attribute that may declare a value or a time."""
    cdef tree.xmlAttr* attribute = node.properties
    cdef const char* name
    while attribute is not NULL:
        name = <const char*>attribute.name
        if (
            (name[0] == c"i" and strcmp(name, "itemprop") == 0)
            or (name[0] == c"i" and strcmp(name, "itemscope") == 0)
            or (name[0] == c"p" and strcmp(name, "property") == 0)
            or (name[0] == c"d" and strcmp(name, "datetime") == 0)
            or (name[0] == c"t" and strcmp(name, "title") == 0 and may_be_date(attribute))
        ) and attribute.ns is NULL:
            return True
        attribute = attribute.next
    return False


cdef bint names_author(tree.xmlAttr* attribute) noexcept nogil:
    """Return whether a part of an address begins with one of the words for authors."""
    cdef const char* text = NULL
    if attribute.children is not NULL:
        text = <const char*>attribute.children.content
    while text is not NULL and text[0] != 0:
        if text[0] in (c"/", c"?", c"&") and (
            text[1] == c"@" or (FIRST >> (text[1] & 31) & 1 and begins(text + 1, OF_AUTHORS))
        ):
            return True
        text += 1
    return False


cdef bint leads_home(tree.xmlAttr* attribute) noexcept nogil:
    """Return whether an address is that of a front page, such as ``/`` or ``https://a.example``."""
    cdef const char* text = NULL
    cdef int slashes = 0
    if attribute.children is not NULL:
        text = <const char*>attribute.children.content
    if text is NULL or (text[0] != c"/" and text[0] != c"h"):
        return False
    if text[0] == c"/" and text[1] == 0:
        return True
    while text[0] != 0 and slashes < 3:
        slashes += text[0] == c"/"
        text += 1
    return text[0] == 0 and slashes > 1


cdef int leads_to(tree.xmlNode* node) noexcept nogil:
    """Return whether a link may lead to an author, a tag or a license, 1, the front page, 2."""
    cdef tree.xmlAttr* attribute = node.properties
    cdef const char* name
    cdef int found = 0
    while attribute is not NULL:
        name = <const char*>attribute.name
        if name[0] == c"h" and strcmp(name, "href") == 0:
            found |= names_author(attribute) | leads_home(attribute) << 1
        elif name[0] == c"r" and strcmp(name, "rel") == 0:
            found |= holds(attribute, RELATIONS)
        attribute = attribute.next
    return found


cdef dict ADDRESSES = {
    b"a": b"href", b"area": b"href", b"link": b"href", b"img": b"src", b"iframe": b"src",
    b"audio": b"src", b"video": b"src", b"source": b"src", b"object": b"data",
}
cdef int MOST_LEVELS = 64  # between a property and its item; a deeper one belongs to none
cdef int MOST_TEXT = 1000, MOST_NODES = 200  # of a value that is read from the text


cdef Py_ssize_t owner_of(tree.xmlNode* node, dict items) except -2:
    """Return the number of the item around a node, -1 without one."""
    cdef int level = 0
    while node.parent is not NULL and level < MOST_LEVELS:
        node = node.parent
        level += 1
        if <size_t>node in items:
            return items[<size_t>node]
    return -1


cdef str said_by(tree.xmlNode* node, str names):
    """Return the value of a property: of an attribute, or the text inside."""
    cdef bytes address = ADDRESSES.get(<bytes>node.name, b"datetime")
    cdef str value
    if names in ("author", "creator"):
        address = b"datetime"  # a link says whom it leads to
    for name in (b"content", address, b"datetime"):
        value = " ".join(value_of(node, name).split())
        if value:
            return value
    cdef tree.xmlNode* inside = following(node, node)
    cdef int nodes = 0
    value = ""
    while inside is not NULL and nodes <= MOST_NODES and len(value) < MOST_TEXT:
        if not is_text(inside):
            nodes += 1
        elif inside.content is not NULL and strcmp(<const char*>inside.parent.name, "script") \
                and strcmp(<const char*>inside.parent.name, "style") \
                and strcmp(<const char*>inside.parent.name, "template"):
            value += decoded(<const char*>inside.content, strlen(<const char*>inside.content))
        inside = following(inside, node)
    return " ".join(value.split())


def declarations(cetree._Element root not None):
    """Return what a tree declares, in document order.

    The items and properties of microdata, each with the number of the item around it, its names,
    and its type and id or its value; what elements that may declare something have, after their
    number in the tree; by number the relation and the address of each link that may lead to an
    author, a tag or a license, and the address of each to a front page.
    """
    cdef tree.xmlNode* top = root._c_node
    cdef tree.xmlNode* node = top
    cdef const char* tag
    cdef Py_ssize_t at = -1, owner
    cdef int to
    cdef list properties = []
    cdef list marked = []
    cdef dict telling = {}
    cdef dict fronts = {}
    cdef dict items = {}
    cdef str names, kind
    while node is not NULL:
        at += node.type == tree.XML_ELEMENT_NODE
        if node.type == tree.XML_ELEMENT_NODE and node.properties is not NULL:
            tag = <const char*>node.name
            if tag[0] == c"a" and tag[1] == 0:
                to = leads_to(node)
                if to & 1:
                    telling[at] = value_of(node, "rel"), value_of(node, "href")
                if to & 2:
                    fronts[at] = value_of(node, "href")
            if is_marked(node):
                names, kind = value_of(node, "itemprop"), value_of(node, "itemtype")
                owner = owner_of(node, items) if names and items else -1
                if attribute_of(node, "itemscope") is not NULL:
                    items[<size_t>node] = len(items)
                    properties.append((owner, names, (kind, value_of(node, "itemid"))))
                elif owner >= 0:
                    properties.append((owner, names, said_by(node, names)))
                time = value_of(node, "datetime") or value_of(node, "content")
                own = names, value_of(node, "property"), time, value_of(node, "title"), kind
                marked.append((at, own))
        node = following(node, top)
    return properties, marked, telling, fronts


def metas(cetree._Element root not None, Py_ssize_t count):
    """Return what ``meta`` elements say among *count* elements, the texts of JSON-LD, and links.

    Of each ``meta`` its property, its name, ``itemprop``, ``http-equiv`` and content; of each
    ``link`` its relations and its address, and so of ``og:url``.
    """
    cdef tree.xmlNode* top = root._c_node
    cdef tree.xmlNode* node = top
    cdef list found = []
    cdef list scripts = []
    cdef list links = []
    while count > 0 and node is not NULL:
        if node.type == tree.XML_ELEMENT_NODE:
            count -= 1
            if strcmp(<const char*>node.name, "meta") == 0:
                names = value_of(node, "property"), value_of(node, "name")
                names += value_of(node, "itemprop"), value_of(node, "http-equiv")
                found.append((*names, value_of(node, "content")))
                if names[0].lower() == "og:url":
                    links.append(("og:url", value_of(node, "content")))
            elif strcmp(<const char*>node.name, "link") == 0:
                links.append((value_of(node, "rel").lower(), value_of(node, "href")))
            elif strcmp(<const char*>node.name, "script") == 0:
                if says(node, "type", "ld+json"):
                    scripts.append(text_of(node))
        node = following(node, top)
    return found, scripts, links
