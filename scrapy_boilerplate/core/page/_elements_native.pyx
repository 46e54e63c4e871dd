"""Loops over a page's elements, of which children come after their parents."""

from libc.stdint cimport int32_t, int64_t, uint8_t, uint32_t, uint64_t

import numpy as np

from scrapy_boilerplate.core.page._checks cimport check_sizes
from scrapy_boilerplate.core.page._keys cimport Secret, joined, number_spread_keys, read_secret
from scrapy_boilerplate.core.page._rows cimport *
from scrapy_boilerplate.core.secret import SECRET

cdef Secret secret = read_secret(SECRET)

cdef enum:
    # What elements are in a table, as in ``paragraphs``: bits.
    CELL = 1
    ROW = 2
    WHOLE = 4
    PARAGRAPH = 8
    HEADER = 16
    LIST = 32
    CODE = 64
    TABLE = 128

cdef enum:
    # Words of a cell of data on average, and of one, from which on it is none if most are in it.
    MEAN_OF_CELL = 25
    LARGE_CELL = 60


ctypedef fused Value:
    uint8_t
    int32_t
    int64_t
    double

ctypedef fused Sum:
    int64_t
    double


cdef void add_up(const Value[:] values, Sum[::1] sums) noexcept nogil:
    cdef Py_ssize_t place
    cdef Sum sum = 0
    sums[0] = 0
    for place in range(values.shape[0]):
        sum += <Sum>values[place]
        sums[place + 1] = sum


def cumulative(values not None):
    """Return the sums of *values* before each position, and after the last.

    For short arrays numpy takes five times as long.
    """
    cdef str kind = values.dtype.char
    if kind in "dfeg":
        sums = np.empty(values.size + 1)
        add_up[double, double](values.astype(np.float64, copy=False), sums)
        return sums
    sums = np.empty(values.size + 1, dtype=np.int64)
    if kind == "?":
        add_up[uint8_t, int64_t](values.view(np.uint8), sums)
    elif kind == "i":
        add_up[int32_t, int64_t](values, sums)
    else:
        add_up[int64_t, int64_t](values.astype(np.int64, copy=False), sums)
    return sums


def number_keys(keys not None):
    """Return a number for each of integer *keys*, counted from 0: equal ones have the same."""
    cdef uint64_t[::1] key = keys.astype(np.uint64)
    cdef Py_ssize_t place
    for place in range(key.shape[0]):
        key[place] = joined(secret.first, key[place], secret)
    return numbers_of(key)


cdef numbers_of(uint64_t[::1] key):
    cdef int32_t[::1] number = np.empty(key.shape[0], dtype=np.int32)
    if key.shape[0]:
        number_spread_keys(&key[0], key.shape[0], &number[0])
    return np.asarray(number, dtype=np.int64)


def path_numbers(numbers not None, const int32_t[::1] parent not None):
    """Number the paths of elements: equal *numbers* on the whole way give equal paths."""
    cdef const int64_t[::1] own = numbers.astype(np.int64, copy=False)
    check_sizes(own.shape[0], parent.shape[0])
    cdef uint64_t[::1] key = np.empty(own.shape[0], dtype=np.uint64)
    cdef Py_ssize_t element
    cdef int32_t above
    for element in range(own.shape[0]):
        above = parent[element]
        key[element] = joined(
            key[above] if above >= 0 else secret.first, <uint64_t>own[element], secret
        )
    return numbers_of(key)


def is_coherent(
    const int64_t[::1] mass not None,
    const int32_t[::1] text_parent not None,
    const int32_t[::1] parent not None,
    double share,
):
    """Tell of each element whether none of its children has more energy than itself."""
    cdef Py_ssize_t size = parent.shape[0]
    cdef double[::1] energy = np.zeros(size)
    cdef double[::1] highest = np.zeros(size)  # of each element's children
    cdef Py_ssize_t text, element
    cdef int32_t above
    check_sizes(mass.shape[0], text_parent.shape[0])
    for text in range(mass.shape[0]):
        above = text_parent[text]
        energy[above] += share * mass[text]
        highest[above] = max(highest[above], <double>mass[text])
    for element in range(size - 1, 0, -1):
        above = parent[element]
        energy[above] += share * energy[element]
        highest[above] = max(highest[above], energy[element])
    return np.less_equal(highest, energy)


def nearest(const uint8_t[::1] flags not None, const int32_t[::1] parent not None):
    """Return the nearest flagged element that each one is or stands in, or the root."""
    cdef Py_ssize_t element
    check_sizes(flags.shape[0], parent.shape[0])
    result = np.zeros(parent.shape[0], dtype=np.int32)
    cdef int32_t[::1] found = result
    for element in range(1, parent.shape[0]):
        if not 0 <= parent[element] < element:
            raise IndexError(f"element {element} cannot stand in {parent[element]}")
        found[element] = <int32_t>element if flags[element] else found[parent[element]]
    return result


def least_inside(const int32_t[::1] values not None, const int32_t[::1] parent not None):
    """Return for each element the least of the *values* of it and of what stands in it."""
    cdef Py_ssize_t element
    check_sizes(values.shape[0], parent.shape[0])
    result = np.array(values)
    cdef int32_t[::1] found = result
    for element in range(parent.shape[0] - 1, 0, -1):
        if not 0 <= parent[element] < element:
            raise IndexError(f"element {element} cannot stand in {parent[element]}")
        found[parent[element]] = min(found[parent[element]], found[element])
    return result


def outermost(
    const uint8_t[:] flags not None,
    const int32_t[::1] end not None,
    const int32_t[::1] first_text not None,
    const int32_t[::1] last_text not None,
    Py_ssize_t size,
):
    """Return the outermost element with one of *flags* around each of *size* text nodes, or -1."""
    cdef Py_ssize_t element = 0
    cdef Py_ssize_t text
    check_sizes(flags.shape[0], end.shape[0])
    check_sizes(flags.shape[0], first_text.shape[0])
    check_sizes(flags.shape[0], last_text.shape[0])
    result = np.full(size, -1, dtype=np.int32)
    cdef int32_t[::1] found = result
    while element < flags.shape[0]:
        if not flags[element]:
            element += 1
            continue
        if not 0 <= first_text[element] <= last_text[element] <= size:
            raise IndexError(f"element {element} holds no slice of {size} text nodes")
        if end[element] <= element:
            raise IndexError(f"element {element} cannot end at {end[element]}")
        for text in range(first_text[element], last_text[element]):
            found[text] = <int32_t>element
        element = end[element]
    return result


def holders(
    const int32_t[:] at not None,
    const int32_t[:] parent not None,
    const uint8_t[:] is_block not None,
    int depth,
):
    """Return the nearest block-level element above each of *at*, at most *depth* above it."""
    cdef Py_ssize_t number
    cdef int32_t element
    cdef int step
    check_sizes(parent.shape[0], is_block.shape[0])
    found = np.empty(at.shape[0], dtype=np.int64)
    cdef int64_t[::1] holder = found
    for number in range(at.shape[0]):
        element = at[number]
        for step in range(depth):
            if is_block[element] or element <= 0:
                break
            element = parent[element]
        holder[number] = element
    return found


def path_hashes(
    const int64_t[:] elements not None,
    const int32_t[:] parent not None,
    const int64_t[:] kind not None,
    const uint64_t[:] values not None,
    const uint64_t[:] powers not None,
):
    """Return a hash of the labels of each element and its nearest ancestors, without the root.

    *values* stand for the labels, by kind; there are as many steps as *powers*.
    """
    cdef Py_ssize_t number, step
    cdef int64_t element
    cdef uint64_t value
    check_sizes(parent.shape[0], kind.shape[0])
    found = np.empty(elements.shape[0], dtype=np.uint32)
    cdef uint32_t[::1] hashes = found
    for number in range(elements.shape[0]):
        element = elements[number]
        value = values[kind[element]] * powers[0]
        element = parent[element]
        for step in range(1, powers.shape[0]):
            if element <= 0:
                break
            value += values[kind[element]] * powers[step]
            element = parent[element]
        hashes[number] = <uint32_t>(value >> 32)
    return found


def side_by_side(
    const int64_t[:] elements not None,
    hashes not None,
    const int64_t[:] words not None,
    const int32_t[:] end not None,
):
    """Return for each hash the row of its heaviest element, and how many stand side by side.

    Counted are those of the ascending *elements* that do not stand inside one another and hold a
    tenth of the heaviest one's *words* at least.
    """
    cdef const int64_t[::1] group = number_keys(hashes)
    cdef Py_ssize_t size = group.shape[0]
    cdef Py_ssize_t row
    cdef int64_t number = -1
    check_sizes(elements.shape[0], size)
    check_sizes(words.shape[0], size)
    rows, counts = np.zeros((2, size), dtype=np.int64)
    cdef int64_t[::1] heaviest = rows
    cdef int64_t[::1] count = counts
    cdef int64_t[::1] reached = np.zeros(size, dtype=np.int64)
    for row in range(size):
        if group[row] > number:  # its first
            number = group[row]
            heaviest[number] = row
        elif words[row] > words[heaviest[group[row]]]:
            heaviest[group[row]] = row
    for row in range(size):
        if not 0 <= elements[row] < end.shape[0]:
            raise IndexError(f"there are {end.shape[0]} elements, not {elements[row]}")
        if 10 * words[row] >= words[heaviest[group[row]]]:
            count[group[row]] += elements[row] >= reached[group[row]]
            reached[group[row]] = max(reached[group[row]], <int64_t>end[elements[row]])
    return rows[: number + 1], counts[: number + 1]


def data_tables(
    const uint32_t[::1] kinds not None,
    const int32_t[:, ::1] rows not None,
    const int64_t[::1] words not None,
):
    """Tell of each element whether it is a table that holds data: 1, 2 if all code is of one line.

    *kinds* by tag say what an element is, *words* count those of each text node.
    """
    check_sizes(rows.shape[0], ELEMENT_ROWS)
    cdef const int32_t[::1] tag = rows[TAG_ROW]
    cdef const int32_t[::1] parent = rows[PARENT_ROW]
    cdef const int32_t[::1] first_text = rows[FIRST_TEXT_ROW]
    cdef const int32_t[::1] last_text = rows[LAST_TEXT_ROW]
    cdef Py_ssize_t size = tag.shape[0]
    cdef Py_ssize_t table, element
    cdef int64_t inside
    cdef uint32_t kind
    cdef int32_t cells, alone, lines, paragraphs, headers, lists, codes
    cdef bint is_data
    cdef int64_t[::1] before = np.zeros(words.shape[0] + 1, dtype=np.int64)
    cdef int32_t[::1] cells_in = np.zeros(size, dtype=np.int32)
    result = np.zeros(size, dtype=np.uint8)
    cdef uint8_t[::1] found = result
    for element in range(words.shape[0]):
        before[element + 1] = before[element] + words[element]
    for element in range(size):
        cells_in[max(parent[element], 0)] += kinds[tag[element]] & CELL
    for table in range(size):
        if not kinds[tag[table]] & TABLE:
            continue
        cells = alone = lines = paragraphs = headers = lists = codes = 0
        is_data = True
        for element in range(table + 1, min(<Py_ssize_t>rows[END_ROW, table], size)):
            kind = kinds[tag[element]]
            inside = before[last_text[element]] - before[first_text[element]]
            if kind & WHOLE or (
                kind & CELL and inside >= LARGE_CELL and 2 * inside >= before[words.shape[0]]
            ):
                is_data = False  # a table inside is looked at by itself
                break
            cells += kind & CELL
            alone += cells_in[element] == 1
            lines += kind & ROW != 0
            paragraphs += kind & PARAGRAPH != 0
            headers += kind & HEADER != 0
            lists += kind & LIST != 0
            codes += kind & CODE != 0
        if not is_data or cells < 2:
            continue
        if headers:
            is_data = 2 * alone <= lines and paragraphs <= cells * (1 if lists else 2)
        else:
            inside = before[last_text[table]] - before[first_text[table]]
            is_data = cells >= 2 * lines - 1 and paragraphs <= cells and not (codes or lists)
            is_data = is_data and inside <= MEAN_OF_CELL * cells
        if is_data:
            found[table] = 2 if codes else 1
    return result


def data_cells(
    const uint8_t[::1] is_data not None,
    const uint32_t[::1] kinds not None,
    const int32_t[:, ::1] rows not None,
    Py_ssize_t texts,
):
    """Return for each text node the element of its row in a table of data, and its column there.

    Columns are counted from the first one with a text; -1 stands outside of such tables.
    """
    check_sizes(rows.shape[0], ELEMENT_ROWS)
    check_sizes(is_data.shape[0], rows.shape[1])
    cdef const int32_t[::1] parent = rows[PARENT_ROW]
    cdef const int32_t[::1] end = rows[END_ROW]
    cdef const int32_t[::1] first_text = rows[FIRST_TEXT_ROW]
    cdef const int32_t[::1] last_text = rows[LAST_TEXT_ROW]
    cdef Py_ssize_t table, element, text
    cdef int32_t first
    cdef int32_t[::1] cells_in = np.zeros(is_data.shape[0], dtype=np.int32)
    result = np.full((2, texts), -1, dtype=np.int32)
    cdef int32_t[:, ::1] found = result
    for table in range(is_data.shape[0]):
        if not is_data[table]:
            continue
        element, first = table + 1, end[table]
        while element < end[table]:
            if not kinds[rows[TAG_ROW, element]] & CELL:
                element += 1
                continue
            for text in range(first_text[element], last_text[element]):
                found[0, text] = parent[element]
                found[1, text] = cells_in[parent[element]]
                first = min(first, found[1, text])
            cells_in[parent[element]] += 1
            element = end[element]
        for text in range(first_text[table], last_text[table]):
            if found[0, text] >= 0:
                found[1, text] -= first
    return result[0], result[1]
