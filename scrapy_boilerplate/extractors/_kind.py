"""Whether a page lists articles or is one: a linear model of a few measures of the page."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from scrapy_boilerplate.extractors._patterns import Patterns
from scrapy_boilerplate.page import Page, cumulative
from scrapy_boilerplate.page.arrays import Float, Int

__all__ = ["MEASURES", "list_probability", "measure_page"]


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
BIAS = 4.31
"""Log-odds of a page all of whose measures are 0."""

_HEADINGS = frozenset("h1 h2 h3 h4 h5 h6".split())
_TEASER = 60  # characters that a link and the text beside it have at least
_LONGEST_TITLE = 500  # characters; titles are compared with every heading


def measure_page(
    page: Page, patterns: Patterns, *, length: float, sentences: float, rivals: int
) -> Float:
    """Return the :data:`MEASURES` of a page, all but the flag as log(1 + x).

    *length* and *sentences* are those of the best layout element, *rivals* is how many of them
    score about as high.
    """
    visible = _inside(page, page.visible)
    linked = _inside(page, page.visible * page.in_link)
    heading = page.has_tag(_HEADINGS) & (visible > 0)
    teaser = (patterns.repeats > 1) & (linked > 0) & (visible > linked) & (visible > _TEASER)
    counts = [
        length,
        sentences,
        rivals,
        (heading & (linked > 0)).sum(),
        np.bincount(patterns.numbers[teaser]).max(initial=0),
        _has_pagination(page),
        _title_in_heading(page, heading & (visible <= _LONGEST_TITLE)),
    ]
    measures = np.log1p(np.array(counts, dtype=np.float64))
    measures[5] = counts[5]
    return measures


def list_probability(measures: Float) -> float:
    """Return the probability that a page with these measures lists articles."""
    log_odds = BIAS + float(measures @ list(MEASURES.values()))
    return 1 / (1 + float(np.exp(-log_odds)))


def _inside(page: Page, values: Int) -> Int:
    """Sum what is counted a text node by element."""
    before = cumulative(values)
    inside: Int = before[page.last_text] - before[page.first_text]
    return inside


def _has_pagination(page: Page) -> bool:
    short = np.flatnonzero(page.in_link & (page.visible == 1))
    starts, stops = page.text_start[short].tolist(), page.text_stop[short].tolist()
    numbers = {page.buffer[a:b].strip() for a, b in zip(starts, stops, strict=True)}
    return {"2", "3"} <= numbers


def _title_in_heading(page: Page, headings: NDArray[np.bool_]) -> int:
    """Return the length of the longest heading that the document's title holds."""
    title = page.title[:_LONGEST_TITLE].lower()
    longest = 0
    for element in np.flatnonzero(headings).tolist():
        start = page.text_start[page.first_text[element]]
        stop = page.text_stop[page.last_text[element] - 1]
        text = " ".join(page.buffer[start:stop].lower().split())
        if longest < len(text) and text in title:
            longest = len(text)
    return longest
