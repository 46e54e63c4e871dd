"""The loops of :mod:`scrapy_boilerplate.core.page.xpaths` over elements."""

from libc.stdint cimport int32_t, int64_t, uint8_t

import numpy as np

from scrapy_boilerplate.core.page._checks cimport check_sizes, check_span


def smallest(
    const int64_t[:, :] spans not None,
    const int32_t[::1] text_parent not None,
    const int32_t[::1] parent not None,
    const int32_t[::1] first_text not None,
    const int32_t[::1] last_text not None,
    is_block not None,
):
    """Return for each span the element that stands for it, −1 for a single text node."""
    cdef Py_ssize_t size = spans.shape[0]
    found = np.empty(size, dtype=np.int32)
    cdef int32_t[::1] element_of = found
    cdef const uint8_t[::1] block = is_block.view(np.uint8)
    cdef int32_t element, above
    cdef int64_t start, stop
    cdef Py_ssize_t number
    check_sizes(parent.shape[0], first_text.shape[0])
    check_sizes(parent.shape[0], last_text.shape[0])
    check_sizes(parent.shape[0], block.shape[0])
    for number in range(size):
        start, stop = spans[number, 0], spans[number, 1]
        check_span(start, stop, text_parent.shape[0])
        element = text_parent[start]
        while first_text[element] > start or last_text[element] < stop:
            element = parent[element]
        if last_text[element] - first_text[element] == stop - start:
            while element > 0 and not block[element]:
                above = parent[element]
                if last_text[above] - first_text[above] != stop - start:
                    break
                element = above
        elif stop - start == 1:
            element = -1
        element_of[number] = element
    return found


def ranks(const int32_t[::1] tag not None, const int32_t[::1] parent not None, Py_ssize_t tags):
    """Return each element's position among the siblings of its tag, 0 for an only one."""
    cdef Py_ssize_t size = tag.shape[0]
    check_sizes(size, parent.shape[0])
    result = np.zeros(size, dtype=np.int32)
    cdef int32_t[::1] rank = result
    cdef int32_t[::1] youngest = np.full(size, -1, dtype=np.int32)  # last child of each element
    cdef int32_t[::1] older = np.full(size, -1, dtype=np.int32)  # the sibling before it
    cdef int32_t[::1] family = np.full(tags, -1, dtype=np.int32)  # parent whose children are counted
    cdef int32_t[::1] total = np.zeros(tags, dtype=np.int32)
    cdef int32_t[::1] left = np.zeros(tags, dtype=np.int32)
    cdef Py_ssize_t element
    cdef int32_t child, above, name
    for element in range(1, size):
        above = parent[element]
        older[element] = youngest[above]
        youngest[above] = <int32_t>element
    for element in range(size):
        child = youngest[element]
        while child >= 0:
            name = tag[child]
            if family[name] != element:
                family[name] = <int32_t>element
                total[name] = 0
            total[name] += 1
            left[name] = total[name]
            child = older[child]
        child = youngest[element]
        while child >= 0:
            name = tag[child]
            if total[name] > 1:
                rank[child] = left[name]
                left[name] -= 1
            child = older[child]
    return result


cdef str step_of(str name, int32_t rank, int32_t position):
    """Return the step to an element; its name is empty where XPath cannot spell it."""
    if not name:
        return f"*[{position}]"
    return f"{name}[{rank}]" if rank else name


def paths(
    list elements not None,
    str root not None,
    list names not None,
    const int32_t[::1] tag not None,
    const int32_t[::1] parent not None,
    const int32_t[::1] depth not None,
    const int32_t[::1] rank not None,
    const int32_t[::1] position not None,
    const int32_t[::1] ordinal not None,
    Py_ssize_t longest,
):
    """Return the XPaths of *elements*; *root* is that of the root.

    Neighbours share most of the way, so that of the element before is kept, by depth: its elements,
    their steps, and the length of the path that ends with each.
    """
    cdef list found = []
    cdef list way = [0]
    cdef list steps = [root]
    cdef list sizes = [len(root)]
    cdef Py_ssize_t level, known, size
    cdef int32_t element, below
    check_sizes(tag.shape[0], parent.shape[0])
    check_sizes(tag.shape[0], depth.shape[0])
    check_sizes(tag.shape[0], rank.shape[0])
    check_sizes(tag.shape[0], position.shape[0])
    check_sizes(tag.shape[0], ordinal.shape[0])
    for element in elements:
        if not 0 <= element < tag.shape[0]:
            raise IndexError(f"the page has no element {element}")
        known = depth[element]
        below = element
        while known >= len(way) or <int32_t>way[known] != below:
            below = parent[below]
            known -= 1
        for kept in (way, steps, sizes):
            del kept[known + 1 :]
            kept.extend([None] * (depth[element] - known))
        below = element
        for level in range(depth[element], known, -1):
            way[level] = below
            steps[level] = step_of(names[tag[below]], rank[below], position[below])
            below = parent[below]
        size = sizes[known]
        for level in range(known + 1, depth[element] + 1):
            size += 1 + len(<str>steps[level])
            sizes[level] = size
        if size <= longest:
            found.append("/".join(steps))
        else:
            found.append(f"{root}/descendant::*[{ordinal[element]}]")
    return found
