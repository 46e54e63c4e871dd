"""The characters of a text as Python keeps it, and their classes."""

from libc.stdint cimport uint8_t, uint16_t, uint32_t

cdef extern from "Python.h":
    int PyUnicode_KIND(object text)
    const void* PyUnicode_DATA(object text)
    Py_UCS4 PyUnicode_READ(int kind, const void* data, Py_ssize_t place)

ctypedef fused Character:
    # As Python keeps a text, by its highest code point.
    uint8_t
    uint16_t
    uint32_t

cdef enum:
    # Classes of characters, as in scrapy_boilerplate.core.page.text.
    SPACE, SYMBOL, LETTER, IDEOGRAPH, MARK

cdef enum:
    TABLE_SIZE = 0x20000
    IDEOGRAPHS_END = 0x40000


cdef inline uint8_t class_of(uint32_t character, const uint8_t* table) noexcept nogil:
    """Return the class of a character; *table* holds those of the planes 0 and 1."""
    if character < TABLE_SIZE:
        return table[character]
    return IDEOGRAPH if character < IDEOGRAPHS_END else SPACE
