"""What kind of page it is: what forests over pages see, and which kind they tell.

A list is told from an article less by the page than by what is kept of it: how much of that is
linked, whether its headings are, in how many pieces it comes.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import log1p
from typing import Literal, TypeAlias

import numpy as np

from scrapy_boilerplate.core.auto.answers import choose_blocks
from scrapy_boilerplate.core.native import native_or
from scrapy_boilerplate.core.page.arrays import Float, Float32, Int32, cumulative

__all__ = ["KINDS", "LOOKED_AT", "MEASURES", "PageKind", "kind_of", "measure_answer"]

PageKind: TypeAlias = Literal["list", "product", "documentation"]

KINDS: Mapping[PageKind, float] = {"list": 0.55, "product": 0.25, "documentation": 0.4}
"""The kinds that a forest each tells from all others, and the probability above which it is
believed: so that hardly any article is called something else. Lists come first."""

LOOKED_AT = (
    *("link_density", "is_sentence", "title_overlap", "from_title", "media_2"),
    *("in_heading", "in_p", "in_article", "in_cell"),
)
"""Features of the blocks that are looked at."""

MEASURES = (
    # Shares of the kept words that are linked, in sentences, in elements, in the longest block.
    *("kept_linked", "kept_sentences", "kept_in_p", "kept_in_article", "kept_in_cell"),
    *("kept_longest", "span_linked"),
    # Kept blocks: all, big ones, big sentences, links, linked headings; shares of the last two.
    *("kept_blocks", "kept_big", "kept_big_sentences", "kept_links", "kept_linked_headings"),
    *("kept_links_share", "kept_headings_linked"),
    # Where they stand, most units of teasers that one is in, the title, pictures beside them.
    *("kept_first", "kept_last", "kept_units", "kept_title", "kept_from_title", "kept_media"),
    # Words, and how sure the answer is.
    *("kept_words", "kept_probability", "kept_expected"),
)
"""Names of the measures of what is kept, the features of a page beside those of its blocks."""

_BIG, _LINK = 20, 4
"""Words of a big block, and of a link that is a block of its own."""
_ALL_LINK, _MOSTLY_LINK = 0.8, 0.5
_ALIKE, _TEASERS = 3, 0.5
"""Units that are alike, and the share of them that holds a teaser."""


def _measure_in_numpy(content: Float, words: Float, units: Int32, looked_at: Float32) -> Float32:
    answer = choose_blocks(content, words, may_be_empty=False)
    kept = answer.keep.nonzero()[0]
    first, last = int(kept[0]), int(kept[-1])
    own, rows, blocks = words[kept], looked_at[kept].astype(np.float64), kept.size
    linked, overlap, from_title, media, heading = rows[:, [0, 2, 3, 4, 5]].T
    total = max(float(own.sum()), 1.0)
    sums = np.cumsum(own[:, None] * rows, axis=0)[-1] / total  # in the order of the page
    is_linked, is_sentence, _, _, _, _, paragraph, article, cell = sums.tolist()
    span = words[first : last + 1]
    linked_words = _sum(span * looked_at[first : last + 1, 0])
    big = own >= _BIG
    links = np.count_nonzero((looked_at[kept, 0] > _ALL_LINK) & (own >= _LINK))
    headings = int(np.count_nonzero(heading))
    linked_headings = np.count_nonzero(heading * linked > _MOSTLY_LINK)
    alike, teasers = units[kept].T
    in_units = alike * ((alike >= _ALIKE) & (teasers >= _TEASERS * alike))
    measures = (
        *(is_linked, is_sentence, paragraph, article, cell),
        *(own.max() / total, linked_words / max(float(span.sum()), 1.0)),
        *(blocks, np.count_nonzero(big), np.count_nonzero(rows[big, 1]), links, linked_headings),
        *(links / blocks, linked_headings / max(headings, 1)),
        *(first / content.size, 1 - last / content.size),
        *(in_units.max(), overlap.max(), from_title[0], _sum(media) / blocks),
        *(log1p(total), _sum(own * content[kept]) / total, answer.expected),
    )
    return np.array(measures, dtype=np.float32)


def _sum(values: Float) -> float:
    """Add one after the other; numpy's own sum adds in another order."""
    return float(cumulative(values)[-1])


measure_answer = native_or(_measure_in_numpy, "core.auto._answers_native", "measure")
"""Return the :data:`MEASURES` of the best answer that is not empty.

Takes the probability and the words of each block, the ``units`` of its surroundings, and the
columns of :data:`LOOKED_AT`, a row a block. There is one block at least; but for sorting linear in
the blocks.
"""


def kind_of(probabilities: Mapping[PageKind, float]) -> PageKind | None:
    """Return the first of :data:`KINDS` that is above its bound; ``None`` if no kind is.

    *probabilities* holds the kinds that are possible.

    >>> kind_of({"list": 0.5, "product": 0.9, "documentation": 0.9})
    'product'
    >>> kind_of({"list": 0.5}) is None
    True
    """
    return next((kind for kind, bound in KINDS.items() if probabilities.get(kind, 0) > bound), None)
