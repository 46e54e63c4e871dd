"""The loops of ``answers`` and ``kinds`` over the blocks of a page."""

from libc.math cimport INFINITY, exp, log, log1p, sqrt
from libc.stdint cimport int32_t, uint8_t
from libc.stdlib cimport free, malloc, qsort
from libc.string cimport memcpy, memset

import numpy as np

from scrapy_boilerplate.core.page._checks cimport check_sizes

cdef enum:
    # Columns of what is looked at, as in ``answers``; the flags behind them are only summed up.
    LINKED, SENTENCE, OVERLAP, FROM_TITLE, MEDIA, HEADING, PARAGRAPH, ARTICLE, CELL
    LOOKED_AT
    MEASURES = 23

cdef enum:
    # Bounds, as in ``answers`` and ``kinds``.
    FEW_WORDS = 50
    SHIFTS = 8
    BIG = 20
    LINK = 4
    ALIKE = 3

cdef double MIN_PROBABILITY = 0.05
cdef double SURE = 0.9999
cdef double LEAST_PROBABILITY = 1e-4  # when evidence is weighed
cdef double LEAST = 1e-9
cdef double[SHIFTS] FACTORS = [1 / 20., 1 / 5.5, 1 / 2.6, 1 / 1.35, 1.35, 2.6, 5.5, 20]
cdef float ALL_LINK = 0.8
cdef float MOSTLY_LINK = 0.5
cdef double TEASERS = 0.5

cdef struct Entry:
    double content
    int32_t block


cdef int more_likely(const void* one, const void* other) noexcept nogil:
    """Order blocks by falling probability, equal ones as they stand on the page."""
    cdef const Entry* a = <const Entry*>one
    cdef const Entry* b = <const Entry*>other
    if a.content != b.content:
        return -1 if a.content > b.content else 1
    return -1 if a.block < b.block else 1


cdef struct Choice:
    # The likeliest blocks that together have the highest expected F.
    Py_ssize_t blocks
    double score
    double expected  # F1 if the page has content …
    double nothing  # … and the probability that it has none
    double words  # of the page
    double most  # probability of a block …
    double least  # … and of those in the answer


cdef inline void shift_words(double* found, double content, double words) noexcept nogil:
    """Work out how many words of a block are content with each shift."""
    cdef double likely = min(content, SURE)
    cdef double odds = likely / (1 - likely)
    cdef int shift
    odds *= sqrt(odds)
    for shift in range(SHIFTS):
        found[shift] = (1 - 1 / (1 + FACTORS[shift] * odds)) * words


cdef inline double expected_of(
    const double* found, double kept, const double* total, double square
) noexcept nogil:
    """Return the expected F of blocks of so many words, of which so many may be content."""
    cdef double score = 0
    cdef int shift
    for shift in range(SHIFTS):
        score += found[shift] / max(kept + square * total[shift], LEAST)
    return score * (1 + square) / SHIFTS


cdef inline void add_to(double* sums, const double* shifted) noexcept nogil:
    cdef int number
    for number in range(SHIFTS):
        sums[number] += shifted[number]


cdef Choice best_of(
    const Entry* ordered,
    double* shifted,
    const double[::1] content,
    const double[::1] words,
    double square,
) noexcept nogil:
    cdef Py_ssize_t size = content.shape[0]
    cdef Py_ssize_t place
    cdef double kept = 0, nothing = 0, best_kept = 0
    cdef double[SHIFTS] total, found, best_found
    cdef double score
    cdef Choice best
    best.blocks, best.score = 0, -1
    memset(total, 0, sizeof(total))
    memset(found, 0, sizeof(found))
    memset(best_found, 0, sizeof(best_found))
    for place in range(size):
        shift_words(shifted + place * SHIFTS, ordered[place].content, words[ordered[place].block])
        add_to(total, shifted + place * SHIFTS)
        if words[place] > 0:
            nothing += log1p(-min(content[place], SURE))
    for place in range(size):
        add_to(found, shifted + place * SHIFTS)
        kept += words[ordered[place].block]
        score = expected_of(found, kept, total, square)
        if score > best.score:
            best.blocks, best.score, best_kept = place + 1, score, kept
            memcpy(best_found, found, sizeof(found))
    best.expected = expected_of(best_found, best_kept, total, 1)
    best.nothing, best.words, best.most = exp(nothing), kept, ordered[0].content
    return best


cdef Choice choose_into(
    uint8_t[::1] keep,
    const double[::1] content,
    const double[::1] words,
    double square,
    bint may_be_empty,
) except *:
    """Flag the blocks of the best answer, and return it."""
    cdef Py_ssize_t size = content.shape[0]
    cdef Py_ssize_t place
    cdef Choice best
    check_sizes(words.shape[0], size)
    check_sizes(keep.shape[0], size)
    if not size:
        raise ValueError("there is no block to choose")
    cdef double* shifted = <double*>malloc(size * (SHIFTS * sizeof(double) + sizeof(Entry)))
    if shifted is NULL:
        raise MemoryError()
    cdef Entry* ordered = <Entry*>(shifted + SHIFTS * size)
    with nogil:
        for place in range(size):
            ordered[place].content, ordered[place].block = content[place], <int32_t>place
        qsort(ordered, size, sizeof(Entry), more_likely)
        best = best_of(ordered, shifted, content, words, square)
        if (best.words < FEW_WORDS or size == 1) and best.most >= MIN_PROBABILITY:
            may_be_empty = False
        if may_be_empty and best.nothing > best.score * (1 - best.nothing):
            best.blocks, best.expected = 0, best.nothing
        else:
            best.expected *= 1 - best.nothing
        best.least = ordered[best.blocks - 1].content if best.blocks else INFINITY
        for place in range(best.blocks):
            keep[ordered[place].block] = True
    free(shifted)
    return best


def choose(
    const double[::1] content not None,
    const double[::1] words not None,
    double square,
    bint may_be_empty,
):
    keep = np.zeros(content.shape[0], dtype=np.bool_)
    cdef Choice best = choose_into(keep.view(np.uint8), content, words, square, may_be_empty)
    return keep, best.expected, best.least


def weigh(
    const double[::1] content not None,
    const double[::1] words not None,
    const uint8_t[:] kept not None,
    const double[::1] evidence not None,
    double square,
):
    cdef Py_ssize_t size = content.shape[0]
    cdef Py_ssize_t block
    cdef double likely, expected
    check_sizes(kept.shape[0], size)
    check_sizes(evidence.shape[0], size)
    cdef double[::1] changed = np.empty(size)
    cdef uint8_t[::1] before = bytearray(size)
    keep = np.zeros(size, dtype=np.bool_)
    cdef uint8_t[::1] after = keep.view(np.uint8)
    for block in range(size):
        likely = min(max(content[block], LEAST_PROBABILITY), 1 - LEAST_PROBABILITY)
        changed[block] = 1 / (1 + exp(-(log(likely / (1 - likely)) + evidence[block])))
    choose_into(before, content, words, square, True)
    expected = choose_into(after, changed, words, square, True).expected
    for block in range(size):
        if before[block] == after[block]:
            after[block] = kept[block] and (after[block] or evidence[block] >= 0)
    return keep, expected


cdef struct Sums:
    # Over the kept blocks: of words, those of each column, of blocks of some kind.
    double[LOOKED_AT] of_words
    double content, words, longest, media
    float overlap
    int32_t units
    Py_ssize_t first, last
    Py_ssize_t blocks, big, big_sentences, links, headings, linked_headings


cdef void add_block(
    Sums* sums,
    Py_ssize_t block,
    double content,
    double words,
    const int32_t* units,
    const float* seen,
) noexcept nogil:
    """Add a kept block, of which the columns that are looked at are *seen*."""
    cdef int column
    if not sums.blocks:
        sums.first = block
    sums.last = block
    sums.blocks += 1
    for column in range(LOOKED_AT):
        sums.of_words[column] += words * seen[column]
    sums.content += words * content
    sums.words += words
    sums.longest = max(sums.longest, words)
    sums.media += seen[MEDIA]
    sums.overlap = max(sums.overlap, seen[OVERLAP])
    if units[0] >= ALIKE and units[1] >= TEASERS * units[0]:
        sums.units = max(sums.units, units[0])
    if words >= BIG:
        sums.big += 1
        sums.big_sentences += seen[SENTENCE] != 0
    sums.links += seen[LINKED] > ALL_LINK and words >= LINK
    sums.headings += seen[HEADING] != 0
    sums.linked_headings += seen[HEADING] * seen[LINKED] > MOSTLY_LINK


def measure(
    const double[::1] content not None,
    const double[::1] words not None,
    const int32_t[:, ::1] units not None,
    const float[:, ::1] looked_at not None,
):
    """Return the measures of the best answer that is not empty."""
    cdef Py_ssize_t size = content.shape[0]
    cdef Py_ssize_t block
    cdef Sums sums
    cdef double expected, total
    cdef double linked = 0, spanned = 0  # words from the first to the last kept block
    check_sizes(units.shape[0], size)
    check_sizes(units.shape[1], 2)
    check_sizes(looked_at.shape[0], size)
    check_sizes(looked_at.shape[1], LOOKED_AT)
    cdef uint8_t[::1] keep = bytearray(size)
    expected = choose_into(keep, content, words, 1, False).expected
    memset(&sums, 0, sizeof(Sums))
    for block in range(size):
        if keep[block]:
            add_block(
                &sums, block, content[block], words[block], &units[block, 0], &looked_at[block, 0]
            )
    for block in range(sums.first, sums.last + 1):
        linked += words[block] * looked_at[block, LINKED]
        spanned += words[block]
    total = max(sums.words, 1.0)
    result = np.empty(MEASURES, dtype=np.float32)
    cdef float[::1] found = result
    found[0] = <float>(sums.of_words[LINKED] / total)
    found[1] = <float>(sums.of_words[SENTENCE] / total)
    for block in range(3):
        found[2 + block] = <float>(sums.of_words[PARAGRAPH + block] / total)
    found[5], found[6] = <float>(sums.longest / total), <float>(linked / max(spanned, 1.0))
    found[7], found[8], found[9] = sums.blocks, sums.big, sums.big_sentences
    found[10], found[11] = sums.links, sums.linked_headings
    found[12] = <float>(sums.links / <double>sums.blocks)
    found[13] = <float>(sums.linked_headings / <double>max(sums.headings, 1))
    found[14], found[15] = <float>(sums.first / <double>size), <float>(1 - sums.last / <double>size)
    found[16], found[17] = sums.units, sums.overlap
    found[18], found[19] = looked_at[sums.first, FROM_TITLE], <float>(sums.media / sums.blocks)
    found[20], found[21] = <float>log1p(total), <float>(sums.content / total)
    found[22] = <float>expected
    return result
