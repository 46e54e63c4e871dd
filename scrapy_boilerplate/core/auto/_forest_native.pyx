"""The loop of :mod:`scrapy_boilerplate.core.auto.forest` over rows and trees.

The answer is that of going down every tree with every row, but nobody goes: which way is taken at a
node is hard to foretell, and a processor that guesses wrongly waits. Instead each row has the
leaves of a tree as bits, from left to right. A node takes away those on its left from all rows that
it sends to the right; when all nodes have been asked, the first leaf that is left is the one that
the row falls in (C. Lucchese and others, *QuickScorer: a Fast Algorithm to Rank Documents with
Additive Ensembles of Regression Trees*, 2015). The blocks of one page have much in common, so many
nodes send all of them one way. The least and the greatest value of a column tell which; on a short
page it costs less to ask all nodes than to find this out.
"""

from libc.math cimport INFINITY, tanh
from libc.stdint cimport int32_t, uint32_t
from libc.stdlib cimport free, malloc

import numpy as np

cdef extern from *:
    """
    /* Up to 32 rows at once. */
    #include <math.h>
    #if defined(_MSC_VER)
    #include <intrin.h>
    #endif

    #if defined(__GNUC__) && !defined(__clang__)
    #pragma GCC optimize ("no-loop-unroll-and-jam") /* after which it finds no vectors */
    #endif

    enum { TOGETHER = 32 };

    /* What a node asks of a row, and the leaves below it on the left. */
    typedef struct { float threshold; int32_t column; uint32_t left; } Question;

    /* A tree for the rows of a page: the number of questions that they answer differently, the
       leaves that the others leave, and where the values of its leaves begin. */
    typedef struct { int32_t count; uint32_t leaves; int32_t values; } Opened;

    static CYTHON_INLINE int first_leaf(uint32_t leaves) {
        #if defined(_MSC_VER)
        unsigned long place;
        _BitScanForward(&place, leaves);
        return (int)place;
        #else
        return __builtin_ctz(leaves);
        #endif
    }

    /* Copy the questions that rows answer differently. No branch: which way it would go is hard to
       foretell. */
    static CYTHON_INLINE Opened take_open(
        const Question* questions, int size, const float* least, const float* most, Question* open
    ) {
        int count = 0;
        uint32_t gone = 0;
        for (int i = 0; i < size; i++) {
            Question it = questions[i];
            int right = least[it.column] > it.threshold, left = most[it.column] <= it.threshold;
            open[count] = it;
            gone |= it.left & (0u - (uint32_t)right);
            count += !(right | left);
        }
        Opened found = {count, ~gone, 0};
        return found;
    }

    #if defined(__x86_64__) && defined(__GNUC__)
    #include <immintrin.h>

    static int can_sum_by_8(void) { return __builtin_cpu_supports("avx2"); }

    /* Add the values of the leaves of eight rows. The place of the first leaf that is left is the
       exponent of its bit, taken for a number. */
    __attribute__((target("avx2"))) static CYTHON_INLINE __m256 add_8(
        __m256 total, __m256i leaves, const float* values
    ) {
        __m256i first = _mm256_and_si256(leaves, _mm256_sub_epi32(_mm256_setzero_si256(), leaves));
        __m256i number = _mm256_castps_si256(_mm256_cvtepi32_ps(first));
        __m256i exponent = _mm256_srli_epi32(_mm256_slli_epi32(number, 1), 24);
        __m256i place = _mm256_sub_epi32(exponent, _mm256_set1_epi32(127));
        return _mm256_add_ps(total, _mm256_i32gather_ps(values, place, 4));
    }

    /* Eight rows for each of so many *vectors*, a number that the compiler knows. */
    __attribute__((target("avx2"), always_inline)) static inline void sum_vectors(
        const int vectors, const Opened* trees, Py_ssize_t size, const Question* open,
        const float* columns, const float* values, float* total
    ) {
        __m256 sums[4];
        for (int i = 0; i < vectors; i++) sums[i] = _mm256_setzero_ps();
        for (const Opened* tree = trees; tree < trees + size; tree++) {
            __m256i rows[4];
            for (int i = 0; i < vectors; i++) rows[i] = _mm256_set1_epi32((int)tree->leaves);
            for (const Question* end = open + tree->count; open < end; open++) {
                const float* asked = columns + TOGETHER * open->column;
                __m256 threshold = _mm256_set1_ps(open->threshold);
                __m256i left = _mm256_set1_epi32((int)open->left);
                for (int i = 0; i < vectors; i++)
                    rows[i] = _mm256_andnot_si256(_mm256_and_si256(
                        left, _mm256_castps_si256(_mm256_cmp_ps(
                            threshold, _mm256_load_ps(asked + 8 * i), _CMP_LT_OQ))), rows[i]);
            }
            for (int i = 0; i < vectors; i++)
                sums[i] = add_8(sums[i], rows[i], values + tree->values);
        }
        for (int i = 0; i < vectors; i++) _mm256_storeu_ps(total + 8 * i, sums[i]);
    }

    __attribute__((target("avx2"))) static void sum_by_8(
        Py_ssize_t rows, const Opened* trees, Py_ssize_t size, const Question* open,
        const float* columns, const float* values, float* total
    ) {
        if (rows <= 8) sum_vectors(1, trees, size, open, columns, values, total);
        else if (rows <= 16) sum_vectors(2, trees, size, open, columns, values, total);
        else if (rows <= 24) sum_vectors(3, trees, size, open, columns, values, total);
        else sum_vectors(4, trees, size, open, columns, values, total);
    }
    #else
    static int can_sum_by_8(void) { return 0; }
    #define sum_by_8 sum_plainly
    #endif

    #if defined(__x86_64__) || defined(_M_X64)
    #include <emmintrin.h>

    static CYTHON_INLINE void take_4_columns(
        const float* rows, Py_ssize_t size, Py_ssize_t width,
        float* columns, float* least, float* most
    ) {
        __m128 low = _mm_loadu_ps(least), high = _mm_loadu_ps(most), none = _mm_setzero_ps();
        for (Py_ssize_t row = 0; row < size; row += 4) {
            __m128 four[4];
            for (Py_ssize_t i = 0; i < 4; i++) {
                Py_ssize_t at = row + i < size ? row + i : size - 1;
                four[i] = _mm_loadu_ps(rows + at * width);
                low = _mm_min_ps(four[i], low);
                high = _mm_max_ps(four[i], high);
                none = _mm_or_ps(none, _mm_cmpunord_ps(four[i], four[i]));
            }
            _MM_TRANSPOSE4_PS(four[0], four[1], four[2], four[3]);
            for (int i = 0; i < 4; i++) _mm_store_ps(columns + i * TOGETHER + row, four[i]);
        }
        /* What is no number goes left. */
        __m128 lowest = _mm_and_ps(none, _mm_set1_ps(-INFINITY));
        _mm_storeu_ps(least, _mm_or_ps(lowest, _mm_andnot_ps(none, low)));
        _mm_storeu_ps(most, high);
    }
    #else
    static CYTHON_INLINE void take_4_columns(
        const float* rows, Py_ssize_t size, Py_ssize_t width,
        float* columns, float* least, float* most
    ) {
        for (int i = 0; i < 4; i++) {
            for (Py_ssize_t row = 0; row < TOGETHER; row++) {
                float value = rows[(row < size ? row : size - 1) * width + i];
                columns[i * TOGETHER + row] = value;
                if (value > most[i]) most[i] = value;
                /* What is no number goes left. */
                if (!(value >= least[i])) least[i] = value == value ? value : -INFINITY;
            }
        }
    }
    #endif

    /* The same in plain loops over 32 rows, of which compilers make vectors. */
    static void sum_plainly(
        Py_ssize_t rows, const Opened* trees, Py_ssize_t size, const Question* open,
        const float* columns, const float* values, float* total
    ) {
        uint32_t leaves[TOGETHER];
        (void)rows;
        for (int row = 0; row < TOGETHER; row++) total[row] = 0;
        for (const Opened* tree = trees; tree < trees + size; tree++) {
            for (int row = 0; row < TOGETHER; row++) leaves[row] = tree->leaves;
            for (const Question* end = open + tree->count; open < end; open++) {
                const float* asked = columns + TOGETHER * open->column;
                float threshold = open->threshold;
                uint32_t left = open->left;
                for (int row = 0; row < TOGETHER; row++)
                    leaves[row] &= ~(left & (0u - (uint32_t)(asked[row] > threshold)));
            }
            for (int row = 0; row < TOGETHER; row++)
                total[row] += values[tree->values + first_leaf(leaves[row])];
        }
    }
    """
    ctypedef struct Question:
        float threshold
        int32_t column
        uint32_t left
    ctypedef struct Opened:
        int32_t count
        uint32_t leaves
        int32_t values
    const int TOGETHER
    Opened take_open(
        const Question* questions, int size, const float* least, const float* most, Question* open
    ) noexcept nogil
    void take_4_columns(
        const float* rows, Py_ssize_t size, Py_ssize_t width,
        float* columns, float* least, float* most
    ) noexcept nogil
    int can_sum_by_8() noexcept nogil
    void sum_by_8(
        Py_ssize_t rows, const Opened* trees, Py_ssize_t size, const Question* open,
        const float* columns, const float* values, float* total
    ) noexcept nogil
    void sum_plainly(
        Py_ssize_t rows, const Opened* trees, Py_ssize_t size, const Question* open,
        const float* columns, const float* values, float* total
    ) noexcept nogil

cdef enum:
    FOUR = 4  # columns are taken by fours
    ALIGNED = 64  # bytes of a line of the cache
    LEAF = -1
    MOST_LEAVES = 32  # of a tree whose leaves are bits
    KEPT = 12  # packed forests: those of two models
    FEW_ROWS = 64  # up to which all questions are asked

cdef struct Node:
    # In one place, so that a step reads the memory once.
    float threshold  # of a leaf its value
    int32_t column  # LEAF for a leaf
    int32_t[2] children

cdef struct Tree:
    int32_t root
    int32_t first  # question
    int32_t count  # of questions


cdef class _Trees:
    """Nodes of trees, those of each tree one after the other, children behind their parents."""

    cdef Node* nodes
    cdef Question* questions
    cdef float* values  # of the leaves from left to right, beginning where the root stands
    cdef Tree* trees
    cdef Opened* all_open  # the trees of which each question is asked
    cdef Py_ssize_t size  # trees
    cdef Py_ssize_t width  # columns that are looked at
    cdef Py_ssize_t asked  # questions of all trees
    cdef bint as_bits  # whether the leaves of each tree are

    def __cinit__(self, Py_ssize_t trees, Py_ssize_t nodes, Py_ssize_t width):
        self.size, self.width, self.as_bits = trees, width, True
        self.nodes = <Node*>malloc(max(nodes, 1) * sizeof(Node))
        self.questions = <Question*>malloc(max(nodes, 1) * sizeof(Question))
        self.values = <float*>malloc(max(nodes, 1) * sizeof(float))
        self.trees = <Tree*>malloc(max(trees, 1) * sizeof(Tree))
        self.all_open = <Opened*>malloc(max(trees, 1) * sizeof(Opened))
        if (
            self.nodes is NULL or self.questions is NULL or self.values is NULL
            or self.trees is NULL or self.all_open is NULL
        ):
            raise MemoryError()

    def __dealloc__(self):
        free(self.nodes)
        free(self.questions)
        free(self.values)
        free(self.trees)
        free(self.all_open)


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
    cdef int32_t[::1] seen = np.empty(size, dtype=np.int32)  # leaves of the tree before each node
    cdef int32_t leaves
    for tree in range(found.size):
        found.trees[tree].root, found.trees[tree].first = place, <int32_t>found.asked
        leaves = 0
        waits = 1
        waiting[0, 0], waiting[0, 1] = source.roots[tree], -1
        while waits:
            waits -= 1
            node = waiting[waits, 0]
            if place == size:
                raise ValueError(f"node {node} has two parents: damaged model")
            link(found.nodes, waiting[waits, 1], place)
            packed_node = found.nodes + place
            seen[place] = leaves
            left = source.children[node, 0]
            if left == node:
                packed_node.threshold, packed_node.column = source.value[node], LEAF
                leaves += 1
            else:
                packed_node.threshold = source.threshold[node]
                packed_node.column = source.feature[node]
                waiting[waits, 0], waiting[waits, 1] = source.children[node, 1], 2 * place + 1
                waiting[waits + 1, 0], waiting[waits + 1, 1] = left, 2 * place
                waits += 2
            place += 1
        found.trees[tree].count = leaves - 1
        found.asked += leaves - 1
        found.as_bits = found.as_bits and leaves <= MOST_LEAVES
        if found.as_bits:
            write_questions(found, tree, place, seen)
    return found


cdef void write_questions(_Trees found, Py_ssize_t tree, int32_t end, int32_t[::1] seen):
    """Write what the nodes of a tree ask, which reaches to *end*, and the values of its leaves."""
    cdef Tree* it = found.trees + tree
    cdef Question* question = found.questions + it.first
    cdef const Node* node
    cdef int32_t number
    found.all_open[tree] = Opened(it.count, ~<uint32_t>0, it.root)
    for number in range(it.root, end):
        node = found.nodes + number
        if node.column == LEAF:
            found.values[it.root + seen[number]] = node.threshold
        else:
            question.threshold, question.column = node.threshold, node.column
            question.left = bits_below(seen[node.children[1]]) & ~bits_below(seen[number])
            question += 1


cdef inline uint32_t bits_below(int32_t place) noexcept nogil:
    return (<uint32_t>1 << place) - 1


cdef inline void link(Node* nodes, int32_t where, int32_t place) noexcept nogil:
    """Tell the parent of a node, if it has one, that the node stands at *place*."""
    if where >= 0:
        nodes[where >> 1].children[where & 1] = place


cdef bint by_8 = can_sum_by_8()


def sum_plainly_only(bint wanted=True):
    """Do as on an older processor, for tests."""
    global by_8
    by_8 = can_sum_by_8() and not wanted


cdef class Columns:
    """The rows that forests are asked about, column by column.

    Each column is taken once, when a forest first looks at it; so it must be set by then.
    """

    cdef readonly object rows
    """The rows as they were given."""

    cdef const float[:, ::1] values
    cdef Py_ssize_t size  # rows
    cdef Py_ssize_t width
    cdef Py_ssize_t taken  # columns
    cdef float* least  # value of each column
    cdef float* most
    cdef void* room
    cdef float* columns  # of so many rows as are asked together, then of the next ones

    def __init__(self, rows not None):
        cdef Py_ssize_t padded
        self.rows = rows
        self.values = rows if rows.shape[1] >= FOUR else (
            np.pad(rows, ((0, 0), (0, FOUR - rows.shape[1])))
        )
        self.size, self.width = self.values.shape[0], self.values.shape[1]
        if self.size < 2:  # whose way is gone down as it stands
            return
        padded = (self.size + TOGETHER - 1) // TOGETHER * TOGETHER
        self.least = <float*>malloc(2 * self.width * sizeof(float))
        self.room = malloc(self.width * padded * sizeof(float) + ALIGNED)
        if self.least is NULL or self.room is NULL:
            raise MemoryError()
        self.most = self.least + self.width
        self.columns = <float*>((<size_t>self.room + ALIGNED - 1) // ALIGNED * ALIGNED)

    def __dealloc__(self):
        free(self.least)
        free(self.room)

    cdef void take(self, Py_ssize_t stop) noexcept nogil:
        """Take the columns before *stop* that are not taken."""
        cdef Py_ssize_t row, column
        if stop <= self.taken:
            return
        for column in range(self.taken, self.width):
            self.least[column], self.most[column] = INFINITY, -INFINITY
        for row in range(0, self.size, 32):  # TOGETHER
            for column in range(self.taken, stop, 4):
                column = min(column, self.width - FOUR)  # the last ones may be taken twice
                take_4_columns(
                    &self.values[row, column],
                    min(self.size - row, <Py_ssize_t>TOGETHER),
                    self.width,
                    self.columns + row * self.width + column * TOGETHER,
                    self.least + column,
                    self.most + column,
                )
        self.taken = stop // FOUR * FOUR  # what stands behind may have been taken before it was set


cdef class _Descent:
    """What sums up the leaves of rows in the trees of a forest, and the room that this takes."""

    cdef _Trees trees
    cdef float* total  # of each row
    cdef Opened* opened
    cdef Question* open  # of all trees

    def __cinit__(self, _Trees trees, Py_ssize_t rows):
        cdef Py_ssize_t padded = (rows + TOGETHER - 1) // TOGETHER * TOGETHER
        self.trees = trees
        self.total = <float*>malloc(padded * sizeof(float))
        if self.total is NULL:
            raise MemoryError()
        if rows > FEW_ROWS:
            self.opened = <Opened*>malloc((trees.size + 1) * sizeof(Opened))
            self.open = <Question*>malloc((trees.asked + 1) * sizeof(Question))
            if self.opened is NULL or self.open is NULL:
                raise MemoryError()

    def __dealloc__(self):
        free(self.total)
        free(self.opened)
        free(self.open)

    cdef void sum_up(self, Columns asked) noexcept nogil:
        """Sum up the leaves of all rows."""
        cdef Py_ssize_t row
        cdef const Opened* trees = self.trees.all_open
        cdef const Question* open = self.trees.questions
        if asked.size == 1 or not self.trees.as_bits:
            for row in range(asked.size):
                self.total[row] = sum_of_one(self.trees, &asked.values[row, 0])
            return
        asked.take(self.trees.width)
        if self.open is not NULL:
            self.open_trees(asked)
            trees, open = self.opened, self.open
        for row in range(0, asked.size, 32):  # TOGETHER
            (sum_by_8 if by_8 else sum_plainly)(
                min(asked.size - row, <Py_ssize_t>TOGETHER), trees, self.trees.size, open,
                asked.columns + row * asked.width, self.trees.values, self.total + row
            )

    cdef void open_trees(self, Columns asked) noexcept nogil:
        """Keep what the rows answer differently."""
        cdef Py_ssize_t number
        cdef Tree tree
        cdef Question* open = self.open
        for number in range(self.trees.size):
            tree = self.trees.trees[number]
            self.opened[number] = take_open(
                self.trees.questions + tree.first, tree.count, asked.least, asked.most, open
            )
            self.opened[number].values = tree.root
            open += self.opened[number].count


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


cdef inline float value_of_one(_Trees trees, Py_ssize_t tree, const float* row) noexcept nogil:
    """Return the value of the leaf of a tree that one row falls in."""
    cdef const Node* node = trees.nodes + trees.trees[tree].root
    while node.column >= 0:
        node = trees.nodes + node.children[row[node.column] > node.threshold]
    return node.threshold


cdef float sum_of_one(_Trees trees, const float* row) noexcept nogil:
    """Return the sum of the values of the leaves that one row falls in."""
    cdef float total = 0
    cdef Py_ssize_t tree
    for tree in range(trees.size):
        total += value_of_one(trees, tree, row)
    return total


cdef _Descent descended(_Trees trees, Columns asked):
    """Return what has summed up the leaves of the rows, of which there are some."""
    if asked.width < trees.width:
        raise ValueError(f"the trees look at {trees.width} columns, the rows have {asked.width}")
    cdef _Descent descent = _Descent(trees, asked.size)
    with nogil:
        descent.sum_up(asked)
    return descent


def sum_of_trees(forest, rows not None):
    """Return for each of *rows* the sum of the values of the leaves that it falls in."""
    cdef Columns asked = rows if isinstance(rows, Columns) else Columns(rows)
    if not asked.size:
        return np.zeros(0, dtype=np.float32)
    cdef _Descent descent = descended(trees_of(forest), asked)
    return np.array(<float[:asked.size]>descent.total)


def probabilities(forest, Columns asked not None):
    """Return the logistic function of that sum."""
    found = np.empty(asked.size)
    cdef double[::1] probability = found
    cdef _Descent descent
    cdef Py_ssize_t row
    if asked.size:
        descent = descended(trees_of(forest), asked)
        for row in range(asked.size):
            probability[row] = 0.5 + 0.5 * tanh(<double>descent.total[row] / 2)
    return found
