"""Memory in pieces that are freed together: an array costs more than a short page's use of it."""

from libc.stdlib cimport free, malloc
from libc.string cimport memset

from scrapy_boilerplate.core._buffer cimport out_of_memory

cdef enum:
    ALIGNED = 16  # bytes
    FIRST_CHUNK = 1 << 12
    LARGE = 1 << 16  # pieces that have a chunk of their own

cdef struct Room:
    # Made of zeros; its owner frees it.
    void** last  # chunk, which begins with the place of the one before it
    char* next  # piece in the chunk at hand
    size_t left  # in it
    size_t chunk  # size of the next one


cdef inline void* take(Room* room, size_t count, size_t width) except NULL nogil:
    """Return a piece for *count* values of *width* bytes, all of them 0."""
    return memset(take_unset(room, count, width), 0, count * width)


cdef inline void* take_unset(Room* room, size_t count, size_t width) except NULL nogil:
    """Return a piece for *count* values of *width* bytes."""
    cdef size_t size = (count * width + ALIGNED) & ~<size_t>(ALIGNED - 1)
    cdef char* piece
    if size >= LARGE:
        return _chunk(room, size)
    if size > room.left:
        room.chunk = min(max(2 * room.chunk, <size_t>FIRST_CHUNK), <size_t>(4 * LARGE))
        room.left = max(room.chunk, size)
        room.next = <char*>_chunk(room, room.left)
    piece = room.next
    room.next += size
    room.left -= size
    return piece


cdef inline void* _chunk(Room* room, size_t size) except NULL nogil:
    cdef void** chunk = <void**>malloc(size + ALIGNED)
    if chunk is NULL:
        out_of_memory()
    chunk[0], room.last = room.last, chunk
    return <char*>chunk + ALIGNED


cdef inline void free_all(Room* room) noexcept nogil:
    cdef void** chunk
    while room.last is not NULL:
        chunk = room.last
        room.last = <void**>chunk[0]
        free(chunk)
