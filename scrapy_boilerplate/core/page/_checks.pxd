"""What arguments must hold, so that no loop leaves an array."""

from libc.stdint cimport int32_t, int64_t


cdef inline int check_sizes(Py_ssize_t size, Py_ssize_t other) except -1:
    """Raise :exc:`ValueError` if two arrays that go together differ in size."""
    if size != other:
        raise ValueError(f"arrays of {size} and of {other} entries do not go together")
    return 0


cdef inline int check_slices(
    const int32_t[::1] starts, const int32_t[::1] stops, Py_ssize_t size
) except -1:
    """Raise :exc:`IndexError` unless these are ascending slices of what has *size* entries."""
    cdef Py_ssize_t number
    cdef int32_t last = 0
    check_sizes(starts.shape[0], stops.shape[0])
    for number in range(starts.shape[0]):
        if not last <= starts[number] <= stops[number] <= size:
            raise IndexError(f"{starts[number]} to {stops[number]} is no slice behind {last}")
        last = stops[number]
    return 0


cdef inline int check_span(int64_t start, int64_t stop, Py_ssize_t size) except -1:
    """Raise :exc:`IndexError` unless a span begins and ends within *size* entries."""
    if not (0 <= start < size and 0 <= stop <= size):
        raise IndexError(f"{start} to {stop} is no span of {size} entries")
    return 0


cdef inline int check_elements(
    const int32_t[::1] end,
    const int32_t[::1] first_text,
    const int32_t[::1] last_text,
    Py_ssize_t texts,
) except -1:
    """Raise :exc:`IndexError` unless elements end behind themselves and hold spans of *texts*.

    Those are the text nodes of the page, in document order.
    """
    cdef Py_ssize_t size = end.shape[0]
    cdef Py_ssize_t element
    cdef int32_t first = 0
    check_sizes(size, first_text.shape[0])
    check_sizes(size, last_text.shape[0])
    for element in range(size):
        if not element < end[element] <= size:
            raise IndexError(f"element {element} cannot end at {end[element]}")
        if not first <= first_text[element] <= last_text[element] <= texts:
            raise IndexError(f"element {element} cannot hold the texts from {first_text[element]}")
        first = first_text[element]
    return 0
