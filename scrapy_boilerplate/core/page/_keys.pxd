"""Numbers that stand for keys, and which of them are equal."""

from libc.stdint cimport int32_t, uint64_t
from libc.stdlib cimport calloc, free

from scrapy_boilerplate.core._buffer cimport out_of_memory


cdef struct Secret:
    # Two numbers that only this process knows, so that nobody can make keys that fall together.
    uint64_t first
    uint64_t second


cdef inline Secret read_secret(numbers) except *:
    """Return a secret of two numbers, as ``scrapy_boilerplate.core.secret.SECRET`` holds them."""
    cdef Secret secret
    secret.first, secret.second = numbers
    return secret


cdef inline uint64_t mix(uint64_t value) noexcept nogil:
    """Spread a number over all bits (the last step of splitmix64)."""
    value = (value ^ (value >> 30)) * <uint64_t>0xBF58476D1CE4E5B9
    value = (value ^ (value >> 27)) * <uint64_t>0x94D049BB133111EB
    return value ^ (value >> 31)


cdef inline uint64_t joined(uint64_t key, uint64_t value, Secret secret) noexcept nogil:
    """Return the key of what *key* stands for and *value* behind it; begin with the first secret.

    Equal keys are equal rows of values, but for a chance of one in 2⁶⁴.
    """
    return mix((key ^ secret.second) + value)


cdef inline int32_t number_spread_keys(
    const uint64_t* keys, Py_ssize_t size, int32_t* numbers
) except -1 nogil:
    """Give equal keys one number, counted from 0 in the order they come; return how many.

    They are spread over all bits by the secret, as those of :func:`joined` are: the keys may come
    from somebody who wants them to stand in one place of a table.
    """
    cdef size_t room = 16
    while room < <size_t>(2 * size):
        room *= 2
    # Where each key came first, counted from 1; 0 where there is room.
    cdef int32_t* table = <int32_t*>calloc(room, sizeof(int32_t))
    if table is NULL:
        out_of_memory()
    cdef Py_ssize_t place
    cdef uint64_t slot
    cdef int32_t found = 0
    for place in range(size):
        slot = keys[place] & (room - 1)
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
