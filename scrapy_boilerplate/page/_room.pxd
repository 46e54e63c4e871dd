"""Memory in pieces that are freed together: an array costs more than a short page's use of it."""

from libc.stdlib cimport calloc, free

from scrapy_boilerplate.page._buffer cimport out_of_memory

cdef enum:
    ALIGNED = 16

cdef struct Room:
    # Made of zeros; its owner frees it.
    void** last  # piece, which begins with the place of the one before it


cdef inline void* take(Room* room, size_t count, size_t width) except NULL nogil:
    """Return a piece for *count* values of *width* bytes, all of them 0."""
    cdef void** piece = <void**>calloc(count * width + ALIGNED, 1)
    if piece is NULL:
        out_of_memory()
    piece[0], room.last = room.last, piece
    return <char*>piece + ALIGNED


cdef inline void free_all(Room* room) noexcept nogil:
    """Free all pieces."""
    cdef void** piece
    while room.last is not NULL:
        piece = room.last
        room.last = <void**>piece[0]
        free(piece)
