"""What the elements of a page say in microdata that they are, read over libxml2's nodes.

The twin of :func:`scrapy_boilerplate.core.answer.posts.microdata.items`. Only the fields of lxml's and
libxml2's public structures are read, as in the compiled walk.
"""

cimport lxml.includes.etreepublic as cetree
from lxml.includes cimport tree

from scrapy_boilerplate.core.page._nodes cimport attribute_of, following, has_defaults, value_of

cetree.import_lxml__etree()


def items(cetree._Element root not None):
    """Return place, ``itemprop`` and ``itemtype`` of each element below *root* that has one."""
    cdef tree.xmlNode* top = root._c_node
    cdef tree.xmlNode* node = following(top, top)
    cdef bint defaults = has_defaults(top)
    cdef Py_ssize_t place = 0
    # Only numbers and texts are made, which the garbage collector does not track: a collection
    # runs code of others, which may free the node at hand.
    cdef list places = []
    cdef list properties = []
    cdef list types = []
    cdef str property, type
    while node is not NULL:
        if node.type == tree.XML_ELEMENT_NODE:
            place += 1
            property = type = ""
            if defaults or attribute_of(node, "itemprop") is not NULL:
                property = value_of(node, "itemprop")
            if defaults or attribute_of(node, "itemtype") is not NULL:
                type = value_of(node, "itemtype")
            if property or type:
                places.append(place)
                properties.append(property)
                types.append(type)
        node = following(node, top)
    return list(zip(places, properties, types))
