"""Tells tables of data from those that only arrange the page."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol

import numpy as np

from scrapy_boilerplate.core.page.arrays import Bool, Int, Int32, Int64, cumulative
from scrapy_boilerplate.core.page.elements import count_inside

_INSIDE = [
    names.split()
    for names in ("tr", "td th", "table pre listing h1 h2 form", "p", "th caption thead",
                  "ul ol h3 h4 h5 h6")
]  # fmt: skip
_MOST_WORDS = 25  # mean words of a cell of data
_LEAST_OF_PAGE, _MOST_OF_PAGE = 60, 0.5
"""Words of a cell, and share of those of the page, from which on it is no data."""


class _Page(Protocol):
    names: list[str]
    tag: Int32
    end: Int32
    first_text: Int32
    last_text: Int32

    @property
    def words(self) -> Int64: ...
    @property
    def tag_names(self) -> set[str]: ...
    def has_tag(self, names: Iterable[str]) -> Bool: ...


def data_tables(page: _Page) -> Bool:
    """Return for each element whether it is a table that holds data in rows and columns.

    It has at least two cells, and in most rows two; at most a paragraph a cell; no table, form,
    code or large heading inside; no cell with most of the page's words; and either header cells or
    a caption, or short cells without lists and headings.
    """
    if "table" not in page.tag_names:
        return np.zeros(page.end.size, dtype=bool)
    is_table = page.has_tag(["table"])
    tables = np.flatnonzero(is_table)

    rows, cells, wholes, paragraphs, headers, lists = count_inside(
        _INSIDE, page.names, page.tag, page.end, tables
    )
    holds = (cells >= 2) & (cells >= 2 * rows - 1) & (wholes == 0) & (paragraphs <= cells)
    sums = cumulative(page.words)
    inside = sums[page.last_text] - sums[page.first_text]
    words = inside[tables]
    is_large = (inside >= _LEAST_OF_PAGE) & (inside >= _MOST_OF_PAGE * sums[-1])
    large = cumulative(page.has_tag(["td", "th"]) & is_large)
    holds &= large[page.end[tables]] == large[tables]
    short = (words <= _MOST_WORDS * cells) & (lists == 0)
    is_table[tables] = holds & ((headers > 0) | short)
    return is_table


def ranks(keys: Int) -> Int64:
    """Return for each key how many equal ones are before it."""
    order = np.argsort(keys, kind="stable")
    ordered = keys[order]
    first = np.ones(keys.size, dtype=bool)
    first[1:] = ordered[1:] != ordered[:-1]
    places = np.arange(keys.size)
    found = np.empty(keys.size, dtype=np.int64)
    found[order] = places - np.maximum.accumulate(np.where(first, places, 0))
    return found
