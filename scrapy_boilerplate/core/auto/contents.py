"""Drops tables of contents: lists of links that lead to places on their own page."""

from __future__ import annotations

import numpy as np

from scrapy_boilerplate.core.page import Page, cumulative
from scrapy_boilerplate.core.page.arrays import Bool
from scrapy_boilerplate.core.page.tags import HEADINGS

LEAST_LINKS, LEAST_LINKED = 3, 0.75
"""Links of a table of contents, and the share of its words that they are; the rest is a heading."""


def drop_contents(page: Page, keep: Bool) -> Bool:
    """Return which blocks are kept without tables of contents.

    A heading right before one, with nothing else below, goes with it. Linear in the page.

    >>> page = Page.parse("<ul><li><a href=#a>One</a><li><a href=#b>Two</a><li><a href=#c>Three"
    ...     "</a></ul><h2 id=a>One</h2><p>Text.</p><h2 id=b>Two</h2><h2 id=c>Three</h2>")
    >>> drop_contents(page, np.ones(len(page.blocks), dtype=bool)).tolist()
    [False, False, False, True, True, True, True]
    """
    starts = page.blocks[:, 0]
    linked = page.per_block(page.words * page.in_link)
    if not (keep & (2 * linked >= np.maximum(page.per_block(page.words), 1))).any():
        return keep
    inside = (page.fragment == 2) & (page.last_text > page.first_text)
    links = np.flatnonzero(inside)
    of_kept = keep[np.searchsorted(starts, page.first_text[links], side="right") - 1]
    if links.size < LEAST_LINKS or not of_kept.any():
        return keep
    of_contents = page.texts_inside(inside)
    words, own, count = (
        cumulative(each) for each in (page.words, page.words * of_contents, inside)
    )
    first, last = page.first_text, page.last_text
    total = words[last] - words[first]
    is_list = count[page.end] - count[:-1] >= LEAST_LINKS
    is_list &= own[last] - own[first] >= np.maximum(LEAST_LINKED * total, 1)
    found: Bool = keep & page.texts_inside(is_list)[starts]
    heads = page.texts_inside(page.has_tag(HEADINGS))[starts]
    ends = np.append(heads[1:] & ~found[1:], True)  # a section ends where another begins
    for number in np.flatnonzero(found & ~np.append(False, found[:-1])).tolist():
        after = number + int(np.argmin(np.append(found[number:], False)))
        is_alone = number > 0 and heads[number - 1] and ends[after - 1]
        found[max(0, number - 1)] |= bool(is_alone and keep[number - 1])
    return keep & ~found if (keep & ~found).any() else keep
