"""The ``meta`` elements and JSON-LD of a tree, read over libxml2's nodes.

Only the fields of lxml's and libxml2's public structures are read, as in the walk.
"""

cimport lxml.includes.etreepublic as cetree
from libc.string cimport strcmp
from lxml.includes cimport tree

from scrapy_boilerplate.core.page._nodes cimport following, text_of, value_of

cetree.import_lxml__etree()


cdef int add_declaration(tree.xmlNode* node, list names, list contents) except -1:
    """Append name and content of an element that declares something.

    Only texts are made, which the garbage collector does not track: a collection runs code of
    others, which may free the node at hand.
    """
    cdef const char* tag = <const char*>node.name
    cdef str name = ""
    cdef str content = ""
    if node.ns is not NULL:
        return 0
    if strcmp(tag, "meta") == 0:
        name = value_of(node, "name") or value_of(node, "property")
        name = name or value_of(node, "itemprop")
        if name:
            content = value_of(node, "content")
    elif strcmp(tag, "script") == 0 and "ld+json" in value_of(node, "type"):
        content = text_of(node)
    if content:
        names.append(name)
        contents.append(content)
    return 0


def declarations(cetree._Element root not None, Py_ssize_t count):
    """Return name and content of each ``meta`` among *count* elements from *root* on."""
    cdef tree.xmlNode* top = root._c_node
    cdef tree.xmlNode* node = top
    cdef list names = []
    cdef list contents = []
    while count > 0 and node is not NULL:
        if node.type == tree.XML_ELEMENT_NODE:
            count -= 1
            add_declaration(node, names, contents)
        node = following(node, top)
    return list(zip(names, contents))
