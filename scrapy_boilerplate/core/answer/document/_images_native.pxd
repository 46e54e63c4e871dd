"""Images as they stand in a tree."""

from lxml.includes cimport tree


cdef class Seen:
    cdef tree.xmlNode* node
    cdef tree.xmlNode* link
    cdef dict attributes
    cdef readonly bint shares  # it belongs to what shares or sells the page
    cdef readonly bint stands_beside  # it stands in a menu, a footer or the like


cdef Seen seen(tree.xmlNode* node, tree.xmlNode* outermost)
