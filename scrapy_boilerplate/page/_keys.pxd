"""Numbers that stand for keys, and which of them are equal."""

from libc.stdint cimport int32_t, uint64_t
from libc.stdlib cimport calloc, free


cdef inline uint64_t mix(uint64_t value) noexcept nogil:
    """Spread a number over all bits (the last step of splitmix64)."""
    value = (value ^ (value >> 30)) * <uint64_t>0xBF58476D1CE4E5B9
    value = (value ^ (value >> 27)) * <uint64_t>0x94D049BB133111EB
    return value ^ (value >> 31)


cdef inline int32_t number_keys(
    const uint64_t* keys, Py_ssize_t size, int32_t* numbers
) except -1:
    """Give equal keys one number, counted from 0 in the order they come; return how many."""
    cdef size_t room = 16
    while room < <size_t>(2 * size):
        room *= 2
    # Where each key came first, counted from 1; 0 where there is room.
    cdef int32_t* table = <int32_t*>calloc(room, sizeof(int32_t))
    if table is NULL:
        raise MemoryError()
    cdef Py_ssize_t place
    cdef size_t slot
    cdef int32_t found = 0
    for place in range(size):
        slot = mix(keys[place]) & (room - 1)
        while table[slot] and keys[table[slot] - 1] != keys[place]:
            slot = (slot + 1) & (room - 1)
        if table[slot]:
            numbers[place] = numbers[table[slot] - 1]
        else:
            table[slot] = <int32_t>(place + 1)
            numbers[place] = found
            found += 1
    free(table)
    return found
