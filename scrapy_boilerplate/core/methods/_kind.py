"""Tells pages that list articles from articles: a linear model of a few measures of the page.

One of them is how often elements share their attributes, as comments, cards and teasers do.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from scrapy_boilerplate.core.page import Page
from scrapy_boilerplate.core.page._elements_native import number_keys
from scrapy_boilerplate.core.page.arrays import Bool, Float, Int64
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
KIND_BIAS = 4.31  # log-odds of a page all of whose measures are 0

_TEASER = 60  # characters that a link and the text beside it have at least
_LONGEST_TITLE = 500  # characters; titles are compared with every heading
_NO_DIGITS = str.maketrans("", "", "0123456789")


class Patterns(NamedTuple):
    """An element's pattern is its tag, ``class`` and ``id``, without their digits."""

    numbers: Int64
    """Number of each element's pattern."""
    repeats: Int64
    """How many elements of the page share each one's pattern; 1 for those without attributes."""

    @classmethod
    def of(cls, page: Page) -> Patterns:
        """Number the patterns of a page."""
        names: dict[str, int] = {}
        strings = "\0".join(page.strings).translate(_NO_DIGITS).split("\0")
        text = np.array([names.setdefault(each, len(names)) for each in strings])
        keys = text[page.class_id] * len(names) + text[page.id_id]
        numbers = number_keys(keys * len(page.names) + page.tag)
        is_named = (page.class_id > 0) | (page.id_id > 0)
        return cls(numbers, np.where(is_named, np.bincount(numbers)[numbers], 1))


def measure_page(
    page: Page, patterns: Patterns, *, length: float, sentences: float, rivals: int
) -> Float:
    """Return the :data:`MEASURES` of a page, all but the flag as log(1 + x)."""
    linked = page.visible * page.in_link
    characters, in_links = map(page.sum_inside, (page.visible, linked))
    headings = page.has_tag(HEADINGS) & (characters > 0)
    teasers = (in_links > 0) & (in_links < characters) & (characters > _TEASER)
    teasers &= patterns.repeats > 1
    counts = [
        length,
        sentences,
        rivals,
        np.count_nonzero(headings & (in_links > 0)),
        np.bincount(patterns.numbers[teasers]).max(initial=0),
        {"2", "3"} <= set(map(str.strip, page.texts(linked == 1))),
        _title_in_heading(page, headings & (characters <= _LONGEST_TITLE)),
    ]
    measures = np.log1p(np.array(counts, dtype=np.float64))
    measures[5] = counts[5]
    return measures


def list_probability(measures: Float) -> float:
    """Return the probability that a page with these measures lists articles."""
    log_odds = KIND_BIAS + float(measures @ list(MEASURES.values()))
    return 1 / (1 + float(np.exp(-log_odds)))


def _title_in_heading(page: Page, headings: Bool) -> int:
    """Return the length of the longest heading that the document's title holds."""
    title = page.title[:_LONGEST_TITLE].lower()
    longest = 0
    starts = page.text_start[page.first_text[headings]].tolist()
    stops = page.text_stop[page.last_text[headings] - 1].tolist()
    for start, stop in zip(starts, stops, strict=True):
        text = " ".join(page.buffer[start:stop].lower().split())
        if longest < len(text) and text in title:
            longest = len(text)
    return longest
