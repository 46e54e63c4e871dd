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
from libc.stdint cimport int32_t, uint32_t, uint64_t

import numpy as np

from scrapy_boilerplate.core.page._room cimport Room, free_all, take, take_unset

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
    int first_leaf(uint32_t leaves) noexcept nogil
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
    MOST_LEAVES = 32  # of a tree, a bit each
    KEPT = 12  # packed forests: those of two models
    FEW_ROWS = 64  # up to which all questions are asked


cdef class _Trees:
    """What the nodes of trees ask, tree by tree, and the values of their leaves."""

    cdef Room room
    cdef Question* questions
    cdef float* values  # of the leaves, from left to right
    cdef Opened* all_open  # the trees of which each question is asked
    cdef Py_ssize_t size  # trees
    cdef Py_ssize_t width  # columns that are looked at
    cdef Py_ssize_t asked  # questions of all trees

    def __dealloc__(self):
        free_all(&self.room)


cdef _Trees packed(forest):
    """Return the questions of a forest in the order in which rows meet them."""
    cdef const int32_t[::1] feature = forest.feature
    cdef const float[::1] threshold = forest.threshold
    cdef const int32_t[:, ::1] children = forest.children
    cdef const float[::1] value = forest.value
    cdef const int32_t[::1] roots = forest.roots
    cdef Py_ssize_t size = feature.shape[0]
    # Nodes that are yet to be read, and the question on the right of which each stands.
    cdef int32_t[:, ::1] waiting = np.empty((size + 1, 2), dtype=np.int32)
    cdef Py_ssize_t tree, waits
    cdef Py_ssize_t seen = 0
    cdef int32_t node, asked, leaves
    cdef int32_t before = 0  # leaves of the trees so far
    cdef _Trees found = _Trees()
    found.size, found.width = roots.shape[0], forest.feature.max(initial=0) + 1
    found.questions = <Question*>take(&found.room, size, sizeof(Question))
    found.values = <float*>take(&found.room, size, sizeof(float))
    found.all_open = <Opened*>take(&found.room, found.size, sizeof(Opened))
    for tree in range(found.size):
        leaves, waits = 0, 1
        waiting[0, 0], waiting[0, 1] = roots[tree], -1
        while waits:
            waits -= 1
            node, asked = waiting[waits, 0], waiting[waits, 1]
            if seen == size:
                raise ValueError(f"node {node} has two parents: damaged model")
            seen += 1
            if asked >= 0:  # all leaves on its left have been read
                found.questions[asked].left = bits_below(leaves) & ~found.questions[asked].left
            if children[node, 0] == node:
                if leaves == MOST_LEAVES:
                    raise ValueError(f"a tree has more than {MOST_LEAVES} leaves")
                found.values[before + leaves] = value[node]
                leaves += 1
                continue
            asked = <int32_t>found.asked
            found.questions[asked] = Question(threshold[node], feature[node], bits_below(leaves))
            waiting[waits, 0], waiting[waits, 1] = children[node, 1], asked
            waiting[waits + 1, 0], waiting[waits + 1, 1] = children[node, 0], -1
            waits += 2
            found.asked += 1
        found.all_open[tree] = Opened(leaves - 1, ~<uint32_t>0, before)
        before += leaves
    return found


cdef inline uint32_t bits_below(int32_t place) noexcept nogil:
    return <uint32_t>((<uint64_t>1 << place) - 1)


cdef bint by_8 = can_sum_by_8()


def sum_plainly_only(bint wanted=True):
    """Do as on an older processor, for tests."""
    global by_8
    by_8 = can_sum_by_8() and not wanted


cdef Py_ssize_t padded(Py_ssize_t rows) noexcept nogil:
    """Return the rows that are asked if all are asked with others."""
    return (rows + TOGETHER - 1) // TOGETHER * TOGETHER


cdef class Columns:
    """The rows that forests are asked about, column by column.

    Each column is taken once, when a forest first looks at it; so it must be set by then.
    """

    cdef readonly object rows
    """The rows as they were given."""

    cdef Room room
    cdef const float[:, ::1] values
    cdef Py_ssize_t size  # rows
    cdef Py_ssize_t width
    cdef Py_ssize_t taken  # columns
    cdef float* least  # value of each column
    cdef float* most
    cdef float* columns  # of so many rows as are asked together, then of the next ones

    def __init__(self, rows not None):
        cdef void* room
        self.rows = rows
        self.values = rows if rows.shape[1] >= FOUR else (
            np.pad(rows, ((0, 0), (0, FOUR - rows.shape[1])))
        )
        self.size, self.width = self.values.shape[0], self.values.shape[1]
        if self.size < 2:  # which is asked as it stands
            return
        self.least = <float*>take_unset(&self.room, 2 * self.width, sizeof(float))
        self.most = self.least + self.width
        room = take_unset(&self.room, self.width * padded(self.size) * sizeof(float) + ALIGNED, 1)
        self.columns = <float*>((<size_t>room + ALIGNED - 1) // ALIGNED * ALIGNED)

    def __dealloc__(self):
        free_all(&self.room)

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


cdef float* sum_up(_Trees trees, Columns asked) except NULL nogil:
    """Return the sum of the leaves of each row, in the room of what is asked."""
    cdef Py_ssize_t row
    cdef const Opened* opened = trees.all_open
    cdef const Question* open = trees.questions
    cdef float* total = <float*>take_unset(&asked.room, padded(asked.size), sizeof(float))
    if asked.size == 1:
        total[0] = sum_of_one(trees, &asked.values[0, 0])
        return total
    asked.take(trees.width)
    if asked.size > FEW_ROWS:
        opened = <Opened*>take_unset(&asked.room, trees.size, sizeof(Opened))
        open = <Question*>take_unset(&asked.room, trees.asked + 1, sizeof(Question))
        open_trees(trees, asked, <Opened*>opened, <Question*>open)
    for row in range(0, asked.size, 32):  # TOGETHER
        (sum_by_8 if by_8 else sum_plainly)(
            min(asked.size - row, <Py_ssize_t>TOGETHER), opened, trees.size, open,
            asked.columns + row * asked.width, trees.values, total + row
        )
    return total


cdef void open_trees(_Trees trees, Columns asked, Opened* opened, Question* open) noexcept nogil:
    cdef Py_ssize_t tree
    cdef const Question* questions = trees.questions
    for tree in range(trees.size):
        opened[tree] = take_open(
            questions, trees.all_open[tree].count, asked.least, asked.most, open
        )
        opened[tree].values = trees.all_open[tree].values
        questions += trees.all_open[tree].count
        open += opened[tree].count


cdef float sum_of_one(_Trees trees, const float* row) noexcept nogil:
    """Return the sum of the values of the leaves that one row falls in."""
    cdef float total = 0
    cdef Py_ssize_t tree
    cdef int32_t number
    cdef uint32_t leaves
    cdef const Question* question = trees.questions
    for tree in range(trees.size):
        leaves = ~<uint32_t>0
        for number in range(trees.all_open[tree].count):
            if row[question.column] > question.threshold:
                leaves &= ~question.left
            question += 1
        total += trees.values[trees.all_open[tree].values + first_leaf(leaves)]
    return total


cdef float* sums_of(forest, Columns asked) except NULL:
    cdef _Trees trees = trees_of(forest)
    if asked.width < trees.width:
        raise ValueError(f"the trees look at {trees.width} columns, the rows have {asked.width}")
    with nogil:
        return sum_up(trees, asked)


def sum_of_trees(forest, rows not None):
    """Return for each of *rows* the sum of the values of the leaves that it falls in."""
    cdef Columns asked = Columns(rows)
    if not asked.size:
        return np.zeros(0, dtype=np.float32)
    return np.array(<float[:asked.size]>sums_of(forest, asked))


def probabilities(forest, Columns asked not None):
    """Return the logistic function of that sum."""
    found = np.empty(asked.size)
    cdef double[::1] probability = found
    cdef const float* total = sums_of(forest, asked) if asked.size else NULL
    cdef Py_ssize_t row
    for row in range(asked.size):
        probability[row] = 0.5 + 0.5 * tanh(<double>total[row] / 2)
    return found
