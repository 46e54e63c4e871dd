"""Tells tables of data from those that only arrange the page."""

from __future__ import annotations

import numpy as np

from scrapy_boilerplate.core.page.arrays import Bool, Int64, cumulative
from scrapy_boilerplate.core.page.node_arrays import Nodes

_INSIDE = tuple(
    frozenset(names.split())
    for names in ("tr", "td th", "table pre listing h1 h2 form", "p", "th caption thead",
                  "ul ol h3 h4 h5 h6")
)  # fmt: skip
_MEAN_WORDS_OF_CELL = 25  # mean words of a cell of data
_LEAST_OF_PAGE, _MOST_OF_PAGE = 60, 0.5
"""Words of a cell, and share of those of the page, from which on it is no data."""


def data_tables(page: Nodes, words: Int64) -> Bool:
    """Return for each element whether it is a table that holds data in rows and columns.

    It has at least two cells, and in most rows two; at most a paragraph a cell; no table, form,
    code or large heading inside; no cell with most of the page's words; and either header cells or
    a caption, or short cells without lists and headings.
    """
    if "table" not in page.tag_names:
        return np.zeros(page.end.size, dtype=bool)
    is_table = page.has_tag(["table"])
    tables = np.flatnonzero(is_table)
    counts = map(cumulative, map(page.has_tag, _INSIDE))
    rows, cells, wholes, paragraphs, headers, lists = (
        count[page.end[tables]] - count[tables + 1] for count in counts
    )
    holds = (cells >= 2) & (cells >= 2 * rows - 1) & (wholes == 0) & (paragraphs <= cells)
    sums = cumulative(words)
    inside = sums[page.last_text] - sums[page.first_text]
    is_large = (inside >= _LEAST_OF_PAGE) & (inside >= _MOST_OF_PAGE * sums[-1])
    large = cumulative(page.has_tag(["td", "th"]) & is_large)
    holds &= large[page.end[tables]] == large[tables]
    short = (inside[tables] <= _MEAN_WORDS_OF_CELL * cells) & (lists == 0)
    is_table[tables] = holds & ((headers > 0) | short)
    return is_table
