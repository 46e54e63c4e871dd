"""What the modules that read libxml2's nodes share; only fields of public structures are read."""

cimport lxml.includes.etreepublic as cetree
from libc.string cimport strcmp, strlen
from lxml.includes cimport tree

from scrapy_boilerplate.core.page._strings cimport decoded


cdef enum:
    LONGEST = 1200  # bytes of an address that are looked at


cdef inline bint is_text(tree.xmlNode* node) noexcept nogil:
    return node.type == tree.XML_TEXT_NODE or node.type == tree.XML_CDATA_SECTION_NODE


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
    cdef const char* text
    cdef unsigned int first = 0, second = 0  # letters of the words, a bit each
    cdef int at, number = 0, size
    while words[number] is not NULL:
        first |= 1U << (words[number][0] & 31)
        second |= 1U << (words[number][1] & 31)
        number += 1
    while piece is not NULL:
        text = <const char*>piece.content
        at = 0
        while text is not NULL and text[at] != 0 and at < LONGEST:
            number = 0
            while first >> (text[at] & 31) & second >> (text[at + 1] & 31) & 1 and (
                words[number] is not NULL
            ):
                size = 0
                while words[number][size] != 0 and (text[at + size] | 32) == words[number][size]:
                    size += 1
                if words[number][size] == 0:
                    return True
                number += 1
            at += 1
        piece = piece.next
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
    """Return the value of an attribute of a node."""
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
