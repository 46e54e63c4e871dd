"""What the modules that read libxml2's nodes share; only fields of public structures are read."""

cimport lxml.includes.etreepublic as cetree
from libc.string cimport memset, strcmp, strlen
from lxml.includes cimport tree

from scrapy_boilerplate.core.page._strings cimport decoded


cdef enum:
    LONGEST = 1200  # bytes of an address that are looked at


cdef inline bint is_text(tree.xmlNode* node) noexcept nogil:
    return node.type == tree.XML_TEXT_NODE or node.type == tree.XML_CDATA_SECTION_NODE


cdef inline bint is_named(tree.xmlNode* node, const char* name) noexcept nogil:
    """Return whether a node is an element of that name, without namespace."""
    return (
        node.type == tree.XML_ELEMENT_NODE
        and strcmp(<const char*>node.name, name) == 0
        and (node.ns is NULL or node.ns.href is NULL)
    )


cdef inline tree.xmlNode* following(tree.xmlNode* node, tree.xmlNode* top) noexcept nogil:
    """Return what comes after a node in document order, NULL after the last one in *top*."""
    if node.type == tree.XML_ELEMENT_NODE and node.children is not NULL:
        return node.children
    while node is not top and node.next is NULL:
        node = node.parent
    return NULL if node is top else node.next


cdef inline tree.xmlAttr* attribute_of(tree.xmlNode* node, const char* name) noexcept nogil:
    """Return an attribute without namespace, NULL if it is missing."""
    cdef tree.xmlAttr* attribute = <tree.xmlAttr*>node.properties
    while attribute is not NULL:
        if attribute.ns is NULL and strcmp(<const char*>attribute.name, name) == 0:
            break
        attribute = attribute.next
    return attribute


cdef inline bint holds(tree.xmlAttr* attribute, const char** words) noexcept nogil:
    """Return whether a value has one of some words of small letters, whatever its case."""
    cdef tree.xmlNode* piece = attribute.children
    while piece is not NULL:
        if piece.content is not NULL and has_word(<const char*>piece.content, words):
            return True
        piece = piece.next
    return False


cdef inline bint has_word(const char* text, const char** words) noexcept nogil:
    """Return whether a text has one of some words of small letters, whatever its case."""
    cdef unsigned int[32] second  # letters of the words after each first one, a bit each
    cdef int at = 0, number = 0
    memset(second, 0, sizeof(second))
    while words[number] is not NULL:
        second[words[number][0] & 31] |= 1U << (words[number][1] & 31)
        number += 1
    while text[at] != 0 and at < LONGEST:
        if second[text[at] & 31] >> (text[at + 1] & 31) & 1 and begins(text + at, words):
            return True
        at += 1
    return False


cdef inline bint begins(const char* text, const char** words) noexcept nogil:
    """Return whether a text begins with one of some words of small letters, whatever its case."""
    cdef int number = 0, size
    while words[number] is not NULL:
        size = 0
        while words[number][size] != 0 and (text[size] | 32) == words[number][size]:
            size += 1
        if words[number][size] == 0:
            return True
        number += 1
    return False


cdef inline bint says(tree.xmlNode* node, const char* name, const char* word) noexcept nogil:
    """Return whether an attribute has a word of small letters, whatever its case."""
    cdef const char* words[2]
    cdef tree.xmlAttr* attribute = attribute_of(node, name)
    words[0], words[1] = word, NULL
    return attribute is not NULL and holds(attribute, words)


cdef inline str value_of(tree.xmlNode* node, const char* name):
    """Return the value of an attribute, which is empty where it is missing.

    Only after ``import_lxml__etree``.
    """
    cdef tree.xmlAttr* attribute = attribute_of(node, name)
    return "" if attribute is NULL else said_by(node, attribute)


cdef inline str said_by(tree.xmlNode* node, tree.xmlAttr* attribute):
    cdef tree.xmlNode* child = attribute.children
    if child is NULL:
        return ""
    if child.next is NULL and child.type == tree.XML_TEXT_NODE and child.content is not NULL:
        return decoded(<const char*>child.content, strlen(<const char*>child.content))
    try:
        return cetree.attributeValue(node, attribute)
    except UnicodeDecodeError as error:
        from scrapy_boilerplate.core.page.lenient import repaired

        return repaired(error.object)


cdef inline str text_of(tree.xmlNode* node):
    """Return the text at the beginning of an element."""
    cdef str text = ""
    node = node.children
    while node is not NULL and is_text(node):
        if node.content is not NULL:
            text += decoded(<const char*>node.content, strlen(<const char*>node.content))
        node = node.next
    return text
