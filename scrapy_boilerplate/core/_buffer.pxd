"""Memory that grows, for rows and texts whose number nobody knows beforehand."""

from libc.stdlib cimport realloc

cdef struct Buffer:
    # Made of zeros; its owner frees the data.
    char* data
    size_t size
    size_t room


cdef inline int out_of_memory() except -1 with gil:
    raise MemoryError()


cdef inline void* add_to(Buffer* buffer, size_t more) except NULL nogil:
    """Append *more* bytes, unset, and return where they begin.

    The buffer doubles, so that all of it is linear; what was returned before may have moved.
    """
    cdef size_t room
    cdef char* data
    if buffer.data is NULL or buffer.size + more > buffer.room:
        room = max(2 * buffer.room, buffer.size + more, <size_t>4096)
        data = <char*>realloc(buffer.data, room)
        if data is NULL:
            out_of_memory()
        buffer.data, buffer.room = data, room
    buffer.size += more
    return buffer.data + buffer.size - more
