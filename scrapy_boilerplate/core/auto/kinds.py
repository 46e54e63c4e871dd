"""Tells what kind of page it is, by forests over pages.

A list is told from an article less by the page than by what is kept of it: how much of that is
linked, whether its headings are, in how many pieces it comes.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, TypeAlias

from scrapy_boilerplate.core.auto._answers_native import measure as measure_answer

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


def kind_of(probabilities: Mapping[PageKind, float]) -> PageKind | None:
    """Return the first of :data:`KINDS` that is above its bound; ``None`` if no kind is."""
    return next((kind for kind, bound in KINDS.items() if probabilities.get(kind, 0) > bound), None)
