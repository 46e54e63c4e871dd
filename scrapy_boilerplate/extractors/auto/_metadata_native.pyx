# cython: language_level=3
"""The ``meta`` elements and JSON-LD of a tree, read over libxml2's nodes.

The twin of :func:`scrapy_boilerplate.extractors.auto.metadata.declarations`. Only the fields of
lxml's and libxml2's public structures are read, as in the compiled walk.
"""

cimport lxml.includes.etreepublic as cetree
from libc.string cimport strcmp
from lxml.includes cimport tree

from scrapy_boilerplate.page._nodes cimport attribute_of, text_of

cetree.import_lxml__etree()


cdef str attribute(tree.xmlNode* node, const char* name):
    """Return the value of an attribute, which is empty where it is missing."""
    cdef tree.xmlAttr* found = attribute_of(node, name)
    return "" if found is NULL else cetree.attributeValue(node, found) or ""


cdef tuple declaration(tree.xmlNode* node):
    """Return name and content of an element; ``None`` if it declares nothing."""
    cdef const char* name = <const char*>node.name
    if node.ns is not NULL or node.properties is NULL:
        return None
    if strcmp(name, "meta") == 0:
        content = attribute(node, "content")
        key = attribute(node, "name") or attribute(node, "property") or attribute(node, "itemprop")
        return (key, content) if key and content else None
    if strcmp(name, "script") == 0 and "ld+json" in attribute(node, "type"):
        text = text_of(node)
        return ("", text) if text else None
    return None


def declarations(cetree._Element root not None):
    """Return name and content of each ``meta`` below *root*; JSON-LD goes without a name."""
    cdef tree.xmlNode* top = root._c_node
    cdef tree.xmlNode* node = top
    cdef list found = []
    while True:
        if node.type == tree.XML_ELEMENT_NODE:
            said = declaration(node)
            if said is not None:
                found.append(said)
        if node.type == tree.XML_ELEMENT_NODE and node.children is not NULL:
            node = node.children
            continue
        while node is not top and node.next is NULL:
            node = node.parent
        if node is top:
            return found
        node = node.next
