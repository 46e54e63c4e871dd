"""Drops tables of contents: lists of links that lead to places on their own page."""

from __future__ import annotations

import re

import numpy as np

from scrapy_boilerplate.core.page import Page, cumulative
from scrapy_boilerplate.core.page.arrays import Bool
from scrapy_boilerplate.core.page.tags import HEADINGS, PREFORMATTED

LEAST_LINKS, LEAST_LINKED = 3, 0.75
"""Links of a table of contents, and the share of its words that they are; the rest is a heading."""
_NAMED = re.compile("(?i)toc|contents|nav|menu|sidebar")
"""What classes and ids say of those that no author wrote."""
_MENUS = ("nav", "aside")


def drop_contents(page: Page, keep: Bool) -> Bool:
    """Return which blocks are kept without tables of contents.

    A heading right before one, with nothing else below, goes with it. In a document with code an
    author wrote those before most of its text that no class or id names: they are kept whole if
    they are kept in part. Linear in the page.

    >>> page = Page.parse("<ul><li><a href=#a>One</a><li><a href=#b>Two</a><li><a href=#c>Three"
    ...     "</a></ul><h2 id=a>One</h2><p>Text.</p><h2 id=b>Two</h2><h2 id=c>Three</h2>")
    >>> drop_contents(page, np.ones(len(page.blocks), dtype=bool)).tolist()
    [False, False, False, True, True, True, True]
    """
    inside = (page.fragment == 2) & (page.last_text > page.first_text)
    if np.count_nonzero(inside) < LEAST_LINKS:
        return keep
    of_contents = page.texts_inside(inside)
    own = page.sum_inside(page.words * of_contents)
    is_list = page.count_below(inside) >= LEAST_LINKS
    is_list &= own >= np.maximum(LEAST_LINKED * page.sum_inside(page.words), 1)
    if not (keep & page.blocks_inside(is_list)).any():
        return keep
    if has_code(page, keep):
        keep, is_list = _without_written(page, keep, is_list)
    found: Bool = keep & page.blocks_inside(is_list)
    heads = page.blocks_inside(page.has_tag(HEADINGS))
    ends = np.append(heads[1:] & ~found[1:], True)  # a section ends where another begins
    for number in (found & ~np.append(False, found[:-1])).nonzero()[0].tolist():
        after = number + int(np.argmin(np.append(found[number:], False)))
        is_alone = number > 0 and heads[number - 1] and ends[after - 1]
        found[max(0, number - 1)] |= bool(is_alone and keep[number - 1])
    return keep & ~found if (keep & ~found).any() else keep


def has_code(page: Page, keep: Bool) -> bool:
    """Tell whether preformatted text is kept."""
    if page.tag_names.isdisjoint(PREFORMATTED):
        return False
    return bool((keep & page.blocks_inside(page.has_tag(PREFORMATTED))).any())


def is_named(page: Page, first: int, stop: int) -> bool:
    """Tell whether a class, an id or a tag names one of some elements contents or navigation."""
    strings = {*page.class_id[first:stop].tolist(), *page.id_id[first:stop].tolist()}
    tags = {page.names[tag] for tag in set(page.tag[first:stop].tolist())}
    return not tags.isdisjoint(_MENUS) or any(_NAMED.search(page.strings[n]) for n in strings)


def _without_written(page: Page, keep: Bool, is_list: Bool) -> tuple[Bool, Bool]:
    """Return what is kept with the lists that an author wrote, and all other lists."""
    lists = (is_list & (page.count_above(is_list) == 1)).nonzero()[0]
    first, after = (each.tolist() for each in page.blocks_in(lists))
    kept = cumulative(page.per_block(page.words) * keep)
    keep, is_list = keep.copy(), is_list.copy()
    for element, start, stop in zip(lists.tolist(), first, after, strict=True):
        end = int(page.end[element])
        if 2 * (kept[-1] - kept[stop]) >= kept[-1] and not is_named(page, element, end):
            keep[start:stop] |= kept[stop] > kept[start]
            is_list[element:end] = False
    return keep, is_list
