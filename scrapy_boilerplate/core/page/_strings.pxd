"""Texts that are numbered in the order they come, without a Python object for one that came before."""

from cpython.unicode cimport PyUnicode_DecodeUTF8
from libc.stdint cimport int32_t, uint64_t
from libc.stdlib cimport calloc, free
from libc.string cimport memcmp, memcpy

from scrapy_boilerplate.core._buffer cimport Buffer, add_to, out_of_memory
from scrapy_boilerplate.core.page._keys cimport Secret, mix


cdef struct String:
    uint64_t key  # the same for equal ones, hardly ever for others
    size_t start
    size_t size


cdef struct Strings:
    # Made of zeros; its owner calls free_strings.
    Buffer bytes  # all of them, one behind the other
    Buffer rows  # a String each
    int32_t* table  # numbers, counted from 1; 0 where there is room
    size_t room  # of the table, a power of two


cdef inline void free_strings(Strings* strings) noexcept:
    free(strings.bytes.data)
    free(strings.rows.data)
    free(strings.table)


cdef inline uint64_t key_of(const char* text, size_t size, Secret secret) noexcept nogil:
    """Return the key of a text. Nobody knows which texts have one key, for it is a secret."""
    cdef uint64_t key = secret.first ^ size
    cdef uint64_t part
    while size >= sizeof(part):
        memcpy(&part, text, sizeof(part))
        key = mix((key ^ secret.second) + part)
        text += sizeof(part)
        size -= sizeof(part)
    if size:
        part = 0
        memcpy(&part, text, size)
        key = mix((key ^ secret.second) + part)
    return key


cdef inline size_t slot_of(
    const Strings* strings, uint64_t key, const char* text, size_t size
) noexcept nogil:
    """Return the slot of a text, or the free one in which it would stand."""
    cdef size_t slot = key & (strings.room - 1)
    cdef const String* row
    while strings.table[slot]:
        row = <const String*>strings.rows.data + strings.table[slot] - 1
        if row.key == key and row.size == size and (
            memcmp(strings.bytes.data + row.start, text, size) == 0
        ):
            break
        slot = (slot + 1) & (strings.room - 1)
    return slot


cdef inline int32_t find_number(
    const Strings* strings, const char* text, size_t size, Secret secret
) noexcept nogil:
    """Return the number of a text, −1 if it is not there; there is one text at least."""
    return strings.table[slot_of(strings, key_of(text, size, secret), text, size)] - 1


cdef inline int32_t number_of(
    Strings* strings, const char* text, size_t size, Secret secret
) except -1 nogil:
    """Return the number of a text, counted from 0; add it if it is not there."""
    cdef uint64_t key = key_of(text, size, secret)
    cdef size_t count = strings.rows.size // sizeof(String)
    cdef size_t slot
    cdef String* row
    if 2 * (count + 1) > strings.room:
        grow(strings)
    slot = slot_of(strings, key, text, size)
    if strings.table[slot]:
        return strings.table[slot] - 1
    row = <String*>add_to(&strings.rows, sizeof(String))
    row.key, row.start, row.size = key, strings.bytes.size, size
    memcpy(add_to(&strings.bytes, size), text, size)
    strings.table[slot] = <int32_t>(count + 1)
    return <int32_t>count


cdef inline int grow(Strings* strings) except -1 nogil:
    """Make the table twice as large."""
    cdef size_t room = 2 * strings.room if strings.room else 256
    cdef int32_t* table = <int32_t*>calloc(room, sizeof(int32_t))
    cdef size_t number, slot
    if table is NULL:
        out_of_memory()
    for number in range(strings.rows.size // sizeof(String)):
        slot = (<String*>strings.rows.data + number).key & (room - 1)
        while table[slot]:
            slot = (slot + 1) & (room - 1)
        table[slot] = <int32_t>(number + 1)
    free(strings.table)
    strings.table, strings.room = table, room
    return 0


cdef inline str decoded(const char* text, Py_ssize_t size):
    """Return a text; one of an XML tree may hold lone surrogates, which are U+FFFD then."""
    try:
        return PyUnicode_DecodeUTF8(text, size, NULL)
    except UnicodeDecodeError:
        from scrapy_boilerplate.core.page.lenient import repaired

        return repaired(text[:size])


cdef inline list list_of(Strings* strings):
    cdef size_t number
    cdef String* row
    cdef list found = []
    for number in range(strings.rows.size // sizeof(String)):
        row = <String*>strings.rows.data + number
        found.append(decoded(strings.bytes.data + row.start, row.size))
    return found
