"""Images as they stand in a tree."""

from lxml.includes cimport tree


cdef class Seen:
    cdef tree.xmlNode* node
    cdef tree.xmlNode* outermost  # the last element around it without text of the article
    cdef dict attributes
    cdef tree.xmlNode* link(self) noexcept


cdef Seen seen(tree.xmlNode* node, tree.xmlNode* outermost)
