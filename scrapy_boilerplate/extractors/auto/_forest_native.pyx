"""The loop of :mod:`scrapy_boilerplate.extractors.auto.forest` over rows and trees.

The answer is that of going down every tree with every row; most steps are not taken, though. The
blocks of one page have much in common, so many nodes send all of them one way. Once for all rows,
the nodes whose way the least and the greatest value of a column decide are left out. Then sixteen
neighbours go down a tree together until a node separates them, and side by side from there on: the
processor reads the nodes of one while it waits for those of another.
"""

from libc.math cimport INFINITY
from libc.stdint cimport int16_t, int32_t
from libc.stdlib cimport free, malloc

import numpy as np

cdef enum:
    TOGETHER = 16
    FEW = 16  # rows for which no nodes are left out: it would take longer than it saves
    HIGHEST = 32767
    KEPT = 12  # packed forests: those of two models

cdef struct Node:
    # In one place, so that a step reads the memory once.
    float threshold  # of a leaf its value
    int16_t feature
    int16_t height  # steps to the farthest leaf below, 0 for a leaf
    int32_t[2] children  # of a leaf itself


cdef class _Trees:
    """Nodes of trees, those of each tree one after the other, children behind their parents."""

    cdef Node* nodes
    cdef int32_t* roots
    cdef Py_ssize_t trees
    cdef Py_ssize_t width  # columns that are looked at

    def __cinit__(self, Py_ssize_t trees, Py_ssize_t nodes, Py_ssize_t width):
        self.trees, self.width = trees, width
        self.nodes = <Node*>malloc(max(nodes, 1) * sizeof(Node))
        self.roots = <int32_t*>malloc(max(trees, 1) * sizeof(int32_t))
        if self.nodes is NULL or self.roots is NULL:
            raise MemoryError()

    def __dealloc__(self):
        free(self.nodes)
        free(self.roots)


cdef class _Source:
    """A forest as its arrays hold it."""

    cdef const int32_t[::1] feature
    cdef const float[::1] threshold
    cdef const int32_t[:, ::1] children
    cdef const float[::1] value
    cdef const int32_t[::1] roots

    def __init__(self, forest):
        self.feature, self.threshold = forest.feature, forest.threshold
        self.children, self.value, self.roots = forest.children, forest.value, forest.roots


cdef _Trees packed(forest):
    """Return the nodes of a forest in the order in which rows meet them."""
    cdef _Source source = _Source(forest)
    cdef Py_ssize_t size = source.feature.shape[0]
    cdef Py_ssize_t place = 0
    cdef Py_ssize_t tree, open_nodes
    cdef int32_t node, left
    cdef Node* packed_node
    if max(forest.feature.max(initial=0), forest.depth.max(initial=0)) > HIGHEST:
        raise ValueError("the trees look at more columns, or are higher, than 16 bits can tell")
    cdef _Trees found = _Trees(source.roots.shape[0], size, forest.feature.max(initial=0) + 1)
    # Nodes that are yet to be written, and where their numbers go.
    cdef int32_t[:, ::1] waiting = np.empty((size + 1, 2), dtype=np.int32)
    for tree in range(found.trees):
        open_nodes = 1
        waiting[0, 0], waiting[0, 1] = source.roots[tree], -1
        while open_nodes:
            open_nodes -= 1
            node = waiting[open_nodes, 0]
            if place == size:
                raise ValueError("a node of the trees stands below two others")
            write_number(found, tree, waiting[open_nodes, 1], place)
            packed_node = found.nodes + place
            left = source.children[node, 0]
            if left == node:
                set_leaf(packed_node, place, source.value[node])
            else:
                packed_node.threshold = source.threshold[node]
                packed_node.feature = <int16_t>source.feature[node]
                waiting[open_nodes, 0] = source.children[node, 1]
                waiting[open_nodes, 1] = <int32_t>(2 * place + 1)
                waiting[open_nodes + 1, 0], waiting[open_nodes + 1, 1] = left, <int32_t>(2 * place)
                open_nodes += 2
            place += 1
    set_heights(found, place)
    return found


cdef inline void write_number(_Trees trees, Py_ssize_t tree, int32_t where, Py_ssize_t place) noexcept nogil:
    """Tell the parent of a node, or the tree whose root it is, that it stands at *place*."""
    if where < 0:
        trees.roots[tree] = <int32_t>place
    else:
        trees.nodes[where >> 1].children[where & 1] = <int32_t>place


cdef inline void set_leaf(Node* node, Py_ssize_t place, float value) noexcept nogil:
    node.threshold, node.feature = value, 0
    node.children[0] = node.children[1] = <int32_t>place
    node.height = 0


cdef void set_heights(_Trees trees, Py_ssize_t size) noexcept nogil:
    cdef Py_ssize_t place
    cdef Node* node
    for place in range(size - 1, -1, -1):
        node = trees.nodes + place
        if node.children[0] != place:
            node.height = 1 + max(
                trees.nodes[node.children[0]].height, trees.nodes[node.children[1]].height
            )


cdef inline int32_t decided(
    const Node* nodes, int32_t at, const float* least, const float* most
) noexcept nogil:
    """Return the first node from *at* on, itself included, that may separate rows, or a leaf."""
    cdef const Node* node = nodes + at
    while node.height:
        if most[node.feature] <= node.threshold:
            at = node.children[0]
        elif least[node.feature] > node.threshold:
            at = node.children[1]
        else:
            break
        node = nodes + at
    return at


cdef void find_bounds(
    const float* rows, Py_ssize_t size, Py_ssize_t stride, Py_ssize_t width, float* least, float* most
) noexcept nogil:
    """Find the least and the greatest value of each column. What is no number goes left."""
    cdef Py_ssize_t row, column
    cdef float value
    for column in range(width):
        least[column], most[column] = INFINITY, -INFINITY
    for row in range(size):
        for column in range(width):
            value = rows[row * stride + column]
            most[column] = value if value > most[column] else most[column]
            value = value if value == value else -INFINITY
            least[column] = value if value < least[column] else least[column]


cdef void leave_out(
    _Trees trees, _Trees found, int32_t* waiting, const float* least, const float* most
) noexcept nogil:
    """Write to *found* the nodes of *trees* that may separate rows, and the leaves below them."""
    cdef Py_ssize_t place = 0
    cdef Py_ssize_t tree, open_nodes
    cdef int32_t at
    cdef Node* node
    for tree in range(trees.trees):
        open_nodes = 1
        waiting[0], waiting[1] = trees.roots[tree], -1
        while open_nodes:
            open_nodes -= 1
            at = decided(trees.nodes, waiting[2 * open_nodes], least, most)
            write_number(found, tree, waiting[2 * open_nodes + 1], place)
            node = trees.nodes + at
            found.nodes[place] = node[0]
            if node.height == 0:
                set_leaf(found.nodes + place, place, node.threshold)
            else:
                waiting[2 * open_nodes] = node.children[1]
                waiting[2 * open_nodes + 1] = <int32_t>(2 * place + 1)
                waiting[2 * open_nodes + 2] = node.children[0]
                waiting[2 * open_nodes + 3] = <int32_t>(2 * place)
                open_nodes += 2
            place += 1
    set_heights(found, place)


cdef void add_trees(
    _Trees trees,
    const float* rows,
    Py_ssize_t size,
    Py_ssize_t stride,
    const float* least,
    const float* most,
    float* total,
) noexcept nogil:
    """Add the leaves of a few rows, whose values are between *least* and *most*."""
    cdef int32_t[TOGETHER] at
    cdef Node* nodes = trees.nodes
    cdef Node* node
    cdef int32_t first
    cdef Py_ssize_t tree, number
    cdef int step
    for tree in range(trees.trees):
        first = decided(nodes, trees.roots[tree], least, most)
        node = nodes + first
        if node.height == 0:
            for number in range(size):
                total[number] += node.threshold
            continue
        for number in range(TOGETHER):
            at[number] = first
        if size == TOGETHER:
            for step in range(nodes[first].height):
                for number in range(TOGETHER):
                    node = nodes + at[number]
                    at[number] = node.children[rows[number * stride + node.feature] > node.threshold]
        else:
            for number in range(size):
                node = nodes + first
                while node.height:
                    at[number] = node.children[rows[number * stride + node.feature] > node.threshold]
                    node = nodes + at[number]
        for number in range(size):
            total[number] += nodes[at[number]].threshold


# What forests of late were packed to: a model is asked for each page. A tuple that is replaced
# whole, so that threads need no lock.
cdef tuple recent = ()


cdef _Trees trees_of(forest):
    global recent
    for known, trees in recent:
        if known is forest:
            return trees
    trees = packed(forest)
    recent = ((forest, trees), *recent[:KEPT - 1])
    return trees


def sum_of_trees(forest, const float[:, ::1] rows not None):
    """Return for each of *rows* the sum of the values of the leaves that it falls in."""
    cdef _Trees trees = trees_of(forest)
    cdef Py_ssize_t size = rows.shape[0]
    cdef Py_ssize_t width = trees.width
    cdef Py_ssize_t stride = rows.shape[1]
    cdef Py_ssize_t begin, count
    result = np.zeros(size, dtype=np.float32)
    if not size:
        return result
    if stride < width:
        raise ValueError(f"the trees look at {width} columns, the rows have {stride}")
    cdef float[::1] total = result
    cdef float[:, ::1] bounds = np.empty((2, width), dtype=np.float32)
    cdef _Trees some
    cdef int32_t[::1] waiting
    if size > FEW:
        some = _Trees(trees.trees, forest.feature.size, width)
        waiting = np.empty(2 * (forest.feature.size + 1), dtype=np.int32)
        with nogil:
            find_bounds(&rows[0, 0], size, stride, width, &bounds[0, 0], &bounds[1, 0])
            leave_out(trees, some, &waiting[0], &bounds[0, 0], &bounds[1, 0])
        trees = some
    with nogil:
        begin = 0
        while begin < size:
            count = min(size - begin, <Py_ssize_t>TOGETHER)
            find_bounds(&rows[begin, 0], count, stride, width, &bounds[0, 0], &bounds[1, 0])
            add_trees(
                trees, &rows[begin, 0], count, stride, &bounds[0, 0], &bounds[1, 0], &total[begin]
            )
            begin += count
    return result
