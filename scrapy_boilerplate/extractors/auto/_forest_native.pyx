"""The loop of :mod:`scrapy_boilerplate.extractors.auto.forest` over rows and trees.

The answer is that of going down every tree with every row; most steps are not taken, though. The
blocks of one page have much in common, so many nodes send all of them one way. Tree by tree, the
nodes whose way the least and the greatest value of a column decide are left out. Then the rows go
down together, thirty-two at a time: a node compares all of them at once, and where it separates
them, each part goes on by itself. Neighbours mostly end in the same few leaves.
"""

from libc.math cimport INFINITY, tanh
from libc.stdint cimport int32_t, uint32_t
from libc.stdlib cimport free, malloc

import numpy as np

cdef extern from *:
    """
    /* Thirty-two rows at once, a bit each: compilers do not find these few instructions.
       What malloc returns is aligned, so columns and sums are. */
    #include <math.h>

    #if defined(__x86_64__) || defined(_M_X64)
    #include <emmintrin.h>

    static CYTHON_INLINE int compare_16(const float* values, __m128 threshold) {
        __m128i a = _mm_castps_si128(_mm_cmplt_ps(threshold, _mm_load_ps(values)));
        __m128i b = _mm_castps_si128(_mm_cmplt_ps(threshold, _mm_load_ps(values + 4)));
        __m128i c = _mm_castps_si128(_mm_cmplt_ps(threshold, _mm_load_ps(values + 8)));
        __m128i d = _mm_castps_si128(_mm_cmplt_ps(threshold, _mm_load_ps(values + 12)));
        return _mm_movemask_epi8(_mm_packs_epi16(_mm_packs_epi32(a, b), _mm_packs_epi32(c, d)));
    }

    static CYTHON_INLINE uint32_t rows_above(const float* values, float threshold) {
        __m128 all = _mm_set1_ps(threshold);
        return (uint32_t)compare_16(values, all) | (uint32_t)compare_16(values + 16, all) << 16;
    }

    static CYTHON_INLINE void add_4(__m128i rows, int place, __m128 value, float* total) {
        __m128i bits = _mm_set_epi32(
            (int)(8u << place), (int)(4u << place), (int)(2u << place), (int)(1u << place));
        __m128i here = _mm_cmpeq_epi32(_mm_and_si128(rows, bits), bits);
        __m128 some = _mm_and_ps(_mm_castsi128_ps(here), value);
        _mm_store_ps(total + place, _mm_add_ps(_mm_load_ps(total + place), some));
    }

    static CYTHON_INLINE void add_value(uint32_t rows, float value, float* total) {
        __m128i bits = _mm_set1_epi32((int)rows);
        __m128 all = _mm_set1_ps(value);
        if (rows & 0xFFFF) {
            add_4(bits, 0, all, total);
            add_4(bits, 4, all, total);
            add_4(bits, 8, all, total);
            add_4(bits, 12, all, total);
        }
        if (rows >> 16) {
            add_4(bits, 16, all, total);
            add_4(bits, 20, all, total);
            add_4(bits, 24, all, total);
            add_4(bits, 28, all, total);
        }
    }

    static CYTHON_INLINE void take_4_columns(
        const float* rows, Py_ssize_t size, Py_ssize_t stride, Py_ssize_t padded,
        float* columns, float* least, float* most
    ) {
        __m128 low = _mm_set1_ps(INFINITY), high = _mm_set1_ps(-INFINITY), none = _mm_setzero_ps();
        for (Py_ssize_t row = 0; row < size; row += 4) {
            __m128 four[4];
            for (int i = 0; i < 4; i++) {
                Py_ssize_t at = row + i < size ? row + i : size - 1;
                four[i] = _mm_loadu_ps(rows + at * stride);
                low = _mm_min_ps(four[i], low);
                high = _mm_max_ps(four[i], high);
                none = _mm_or_ps(none, _mm_cmpunord_ps(four[i], four[i]));
            }
            _MM_TRANSPOSE4_PS(four[0], four[1], four[2], four[3]);
            for (int i = 0; i < 4; i++) _mm_store_ps(columns + i * padded + row, four[i]);
        }
        /* What is no number goes left. */
        __m128 lowest = _mm_and_ps(none, _mm_set1_ps(-INFINITY));
        _mm_storeu_ps(least, _mm_or_ps(lowest, _mm_andnot_ps(none, low)));
        _mm_storeu_ps(most, high);
    }
    #else
    static CYTHON_INLINE uint32_t rows_above(const float* values, float threshold) {
        uint32_t rows = 0;
        for (int row = 0; row < 32; row++) rows |= (uint32_t)(values[row] > threshold) << row;
        return rows;
    }

    static CYTHON_INLINE void add_value(uint32_t rows, float value, float* total) {
        for (int row = 0; row < 32; row++) total[row] += rows >> row & 1 ? value : 0.0f;
    }

    static CYTHON_INLINE void take_4_columns(
        const float* rows, Py_ssize_t size, Py_ssize_t stride, Py_ssize_t padded,
        float* columns, float* least, float* most
    ) {
        for (int i = 0; i < 4; i++) {
            least[i] = INFINITY, most[i] = -INFINITY;
            for (Py_ssize_t row = 0; row < size; row++) {
                float value = rows[row * stride + i];
                columns[i * padded + row] = value;
                if (value > most[i]) most[i] = value;
                /* What is no number goes left. */
                if (!(value >= least[i])) least[i] = value == value ? value : -INFINITY;
            }
        }
    }
    #endif
    """
    uint32_t rows_above(const float* values, float threshold) noexcept nogil
    void add_value(uint32_t rows, float value, float* total) noexcept nogil
    void take_4_columns(
        const float* rows, Py_ssize_t size, Py_ssize_t stride, Py_ssize_t padded,
        float* columns, float* least, float* most
    ) noexcept nogil

cdef enum:
    TOGETHER = 32
    FOUR = 4  # columns are taken by fours
    FEW = 6  # rows that are faster one by one
    LEAF = -1
    KEPT = 12  # packed forests: those of two models

cdef struct Node:
    # In one place, so that a step reads the memory once.
    float threshold  # of a leaf its value
    int32_t column  # LEAF for a leaf
    int32_t[2] children

cdef struct Part:
    # Rows that go down a subtree, a bit each.
    uint32_t rows
    int32_t node


cdef class _Trees:
    """Nodes of trees, those of each tree one after the other, children behind their parents."""

    cdef Node* nodes
    cdef int32_t* roots  # and behind them the number of nodes
    cdef Py_ssize_t trees
    cdef Py_ssize_t width  # columns that are looked at
    cdef Py_ssize_t largest  # nodes of a tree

    def __cinit__(self, Py_ssize_t trees, Py_ssize_t nodes, Py_ssize_t width):
        self.trees, self.width = trees, width
        self.nodes = <Node*>malloc(max(nodes, 1) * sizeof(Node))
        self.roots = <int32_t*>malloc((trees + 1) * sizeof(int32_t))
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
    cdef int32_t place = 0
    cdef int32_t node, left
    cdef Py_ssize_t tree, waits
    cdef Node* packed_node
    cdef _Trees found = _Trees(source.roots.shape[0], size, forest.feature.max(initial=0) + 1)
    # Nodes that are yet to be written, and where their numbers go.
    cdef int32_t[:, ::1] waiting = np.empty((size + 1, 2), dtype=np.int32)
    for tree in range(found.trees):
        found.roots[tree] = place
        waits = 1
        waiting[0, 0], waiting[0, 1] = source.roots[tree], -1
        while waits:
            waits -= 1
            node = waiting[waits, 0]
            if place == size:
                raise ValueError("a node of the trees stands below two others")
            link(found.nodes, waiting[waits, 1], place)
            packed_node = found.nodes + place
            left = source.children[node, 0]
            if left == node:
                packed_node.threshold, packed_node.column = source.value[node], LEAF
            else:
                packed_node.threshold = source.threshold[node]
                packed_node.column = source.feature[node]
                waiting[waits, 0], waiting[waits, 1] = source.children[node, 1], 2 * place + 1
                waiting[waits + 1, 0], waiting[waits + 1, 1] = left, 2 * place
                waits += 2
            place += 1
        found.largest = max(found.largest, <Py_ssize_t>(place - found.roots[tree]))
    found.roots[found.trees] = place
    return found


cdef inline void link(Node* nodes, int32_t where, int32_t place) noexcept nogil:
    """Tell the parent of a node, if it has one, that the node stands at *place*."""
    if where >= 0:
        nodes[where >> 1].children[where & 1] = place


cdef class _Descent:
    """Rows that go down the trees of a forest, and the room that this takes."""

    cdef _Trees trees
    cdef Py_ssize_t width
    cdef Py_ssize_t padded  # rows, with as many more as make the last ones thirty-two
    cdef float* least  # value of each column
    cdef float* most
    cdef float* columns  # each in one piece
    cdef float* total  # of each row
    cdef Node* nodes  # of the tree at hand, as far as they separate rows
    cdef int32_t* waiting
    cdef Part* parts

    def __cinit__(self, _Trees trees, Py_ssize_t rows):
        cdef Py_ssize_t width = max(trees.width, <Py_ssize_t>FOUR)
        self.trees, self.width = trees, width
        self.padded = (rows + TOGETHER - 1) // TOGETHER * TOGETHER
        self.least = <float*>malloc(2 * width * sizeof(float))
        self.most = self.least + width
        self.columns = <float*>malloc(width * self.padded * sizeof(float))
        self.total = <float*>malloc(self.padded * sizeof(float))
        self.nodes = <Node*>malloc(trees.largest * sizeof(Node))
        self.waiting = <int32_t*>malloc(2 * (trees.largest + 1) * sizeof(int32_t))
        self.parts = <Part*>malloc((trees.largest + 1) * sizeof(Part))
        if (
            self.least is NULL or self.columns is NULL or self.total is NULL
            or self.nodes is NULL or self.waiting is NULL or self.parts is NULL
        ):
            raise MemoryError()

    def __dealloc__(self):
        free(self.least)
        free(self.columns)
        free(self.total)
        free(self.nodes)
        free(self.waiting)
        free(self.parts)

    cdef void add_trees(self, const float* rows, Py_ssize_t size, Py_ssize_t stride) noexcept nogil:
        """Sum up the leaves of all rows."""
        cdef Py_ssize_t tree, row, column
        for column in range(0, self.width, 4):
            column = min(column, self.width - FOUR)  # the last ones may be taken twice
            take_4_columns(
                rows + column, size, stride, self.padded,
                self.columns + column * self.padded, self.least + column, self.most + column
            )
        for row in range(self.padded):
            self.total[row] = 0
        for tree in range(self.trees.trees):
            leave_out(
                self.trees.nodes, self.trees.roots[tree], self.least, self.most, self.nodes,
                self.waiting
            )
            if self.nodes[0].column == LEAF:
                for row in range(self.padded):
                    self.total[row] += self.nodes[0].threshold
                continue
            for row in range(self.padded // TOGETHER):
                go_down(
                    self.nodes, self.columns + row * TOGETHER, self.padded, self.parts,
                    self.total + row * TOGETHER, size - row * TOGETHER
                )


cdef void leave_out(
    const Node* nodes,
    int32_t root,
    const float* least,
    const float* most,
    Node* found,
    int32_t* waiting,
) noexcept nogil:
    """Write to *found* the nodes of a tree that may separate rows, and the leaves below them."""
    cdef const Node* node
    cdef int32_t place = 0
    cdef int32_t where
    cdef int32_t* last = waiting
    last[0], last[1] = root, -1
    while True:
        node, where = nodes + last[0], last[1]
        while node.column >= 0:
            if most[node.column] <= node.threshold:
                node = nodes + node.children[0]
            elif least[node.column] > node.threshold:
                node = nodes + node.children[1]
            else:
                break
        if where >= 0:
            found[where >> 1].children[where & 1] = place
        found[place].threshold, found[place].column = node.threshold, node.column
        if node.column >= 0:
            last[0], last[1] = node.children[1], 2 * place + 1
            last[2], last[3] = node.children[0], 2 * place
            last += 2
        elif last == waiting:
            return
        else:
            last -= 2
        place += 1


cdef void go_down(
    const Node* nodes,
    const float* columns,
    Py_ssize_t padded,
    Part* parts,
    float* total,
    Py_ssize_t size,
) noexcept nogil:
    """Add the leaves of a tree in which thirty-two rows end, or *size* if those are fewer."""
    cdef const Node* node = nodes
    cdef uint32_t here = 0xFFFFFFFF
    if size < TOGETHER:
        here >>= TOGETHER - size
    cdef uint32_t right
    cdef Part* part = parts
    while True:
        if node.column == LEAF:
            add_value(here, node.threshold, total)
            if part == parts:
                return
            part -= 1
            here, node = part.rows, nodes + part.node
            continue
        right = here & rows_above(columns + padded * node.column, node.threshold)
        if right == 0:
            node = nodes + node.children[0]
        elif right == here:
            node = nodes + node.children[1]
        else:
            part.rows, part.node = right, node.children[1]
            part += 1
            here ^= right
            node = nodes + node.children[0]


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


cdef float sum_of_one(_Trees trees, const float* row) noexcept nogil:
    """Return the sum of the values of the leaves that one row falls in."""
    cdef const Node* node
    cdef float total = 0
    cdef Py_ssize_t tree
    for tree in range(trees.trees):
        node = trees.nodes + trees.roots[tree]
        while node.column >= 0:
            node = trees.nodes + node.children[row[node.column] > node.threshold]
        total += node.threshold
    return total


cdef _Descent descended(_Trees trees, const float[:, ::1] rows):
    """Return what has summed up the leaves of *rows*, of which there are some."""
    if rows.shape[1] < trees.width:
        raise ValueError(f"the trees look at {trees.width} columns, the rows have {rows.shape[1]}")
    if rows.shape[1] < FOUR:
        rows = np.pad(rows, ((0, 0), (0, FOUR - rows.shape[1])))
    cdef _Descent descent = _Descent(trees, rows.shape[0])
    cdef Py_ssize_t row
    with nogil:
        if rows.shape[0] <= FEW:
            for row in range(rows.shape[0]):
                descent.total[row] = sum_of_one(trees, &rows[row, 0])
        else:
            descent.add_trees(&rows[0, 0], rows.shape[0], rows.shape[1])
    return descent


def sum_of_trees(forest, const float[:, ::1] rows not None):
    """Return for each of *rows* the sum of the values of the leaves that it falls in."""
    if not rows.shape[0]:
        return np.zeros(0, dtype=np.float32)
    cdef _Descent descent = descended(trees_of(forest), rows)
    return np.array(<float[:rows.shape[0]]>descent.total)


def probabilities(forest, const float[:, ::1] rows not None):
    """Return the logistic function of that sum."""
    found = np.empty(rows.shape[0])
    cdef double[::1] probability = found
    cdef _Descent descent
    cdef Py_ssize_t row
    if found.size:
        descent = descended(trees_of(forest), rows)
        for row in range(rows.shape[0]):
            probability[row] = 0.5 + 0.5 * tanh(<double>descent.total[row] / 2)
    return found
