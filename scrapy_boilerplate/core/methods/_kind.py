"""Tells pages that list articles from articles: a linear model of a few measures of the page.

One of them is how often elements share their attributes, as comments, cards and teasers do.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from scrapy_boilerplate.core.methods._scoring_native import find_lists as _find_lists
from scrapy_boilerplate.core.methods._scoring_native import patterns as _patterns
from scrapy_boilerplate.core.page import Page
from scrapy_boilerplate.core.page.arrays import Float, Int64
from scrapy_boilerplate.core.page.tags import HEADINGS

MEASURES = {
    # Name: weight in the log-odds that the page is a list; fitted by ``training.scoring``.
    "characters of the best element": -0.45,
    "sentence ends of the best element": -1.23,
    "rivals of the best element": -0.475,
    "linked headings": 0.265,
    "teasers of one pattern": 1.19,
    "links to pages 2 and 3": 2.07,
    "characters of a heading that the title repeats": -0.61,
}
KIND_BIAS = 4.31
"""Log-odds of a page all of whose measures are 0."""

_TEASER = 60  # characters that a link and the text beside it have at least
_LONGEST_TITLE = 500  # characters; titles are compared with every heading


class Patterns(NamedTuple):
    """An element's pattern is its tag, ``class`` and ``id``, without their digits."""

    numbers: Int64
    """Number of each element's pattern."""
    repeats: Int64
    """How many elements of the page share each one's pattern; 1 for those without attributes."""

    @classmethod
    def of(cls, page: Page) -> Patterns:
        """Number the patterns of a page."""
        return cls(*_patterns(page.strings, page.tag, page.class_id, page.id_id))


def measure_page(
    page: Page, patterns: Patterns, *, length: float, sentences: float, rivals: int
) -> Float:
    """Return the :data:`MEASURES` of a page, all but the flag as log(1 + x)."""
    headings = page.has_tag(HEADINGS).view(np.uint8)
    found = _find_lists(page, headings, patterns.numbers, patterns.repeats, _TEASER)
    linked_headings, teasers, sized_headings, short_links = found
    counts = [
        length,
        sentences,
        rivals,
        linked_headings,
        teasers,
        _has_pagination(page, short_links),
        _title_in_heading(page, [each for each, size in sized_headings if size <= _LONGEST_TITLE]),
    ]
    measures = np.log1p(np.array(counts, dtype=np.float64))
    measures[5] = counts[5]
    return measures


def list_probability(measures: Float) -> float:
    """Return the probability that a page with these measures lists articles."""
    log_odds = KIND_BIAS + float(measures @ list(MEASURES.values()))
    return 1 / (1 + float(np.exp(-log_odds)))


def _has_pagination(page: Page, short_links: list[int]) -> bool:
    starts, stops = page.text_start[short_links].tolist(), page.text_stop[short_links].tolist()
    numbers = {page.buffer[a:b].strip() for a, b in zip(starts, stops, strict=True)}
    return {"2", "3"} <= numbers


def _title_in_heading(page: Page, headings: list[int]) -> int:
    """Return the length of the longest heading that the document's title holds."""
    title = page.title[:_LONGEST_TITLE].lower()
    longest = 0
    for element in headings:
        start = page.text_start[page.first_text[element]]
        stop = page.text_stop[page.last_text[element] - 1]
        text = " ".join(page.buffer[start:stop].lower().split())
        if longest < len(text) and text in title:
            longest = len(text)
    return longest
