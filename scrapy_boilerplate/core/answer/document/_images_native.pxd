"""An image of a page, for the reader that finds it."""

from lxml.includes cimport tree


cdef class Seen:
    cdef tree.xmlNode* node
    cdef tree.xmlNode* link  # that it stands in, NULL without one …
    cdef tree.xmlNode* fallback  # … and the `noscript`
    cdef dict said  # its attributes
    cdef Py_ssize_t element  # its number on the page, or of the one around it
    cdef bint is_left_out  # whether it is of a button, or was read with its preview
    cdef bint is_beside  # whether it stands in a menu, a form or the like


cdef Seen see(tree.xmlNode* node, tree.xmlNode* outermost, Py_ssize_t element)
cdef Seen fallback_after(tree.xmlNode* outermost)
cdef tuple picture_of(Seen image, Seen after, dict pictures)
cdef bint stands_beside(Seen image) except -1
cdef bint shows_again(Seen image) except -1
cdef str link_of(Seen image)
