"""Keeps lists, tables and code between the kept texts of a page, and any gap in a manual."""

from __future__ import annotations

import numpy as np

from scrapy_boilerplate.core.auto._features_native import LEAST_IN_GAP
from scrapy_boilerplate.core.auto.sections import APART, MOST_LINKED, MOST_WORDS, tags_between
from scrapy_boilerplate.core.page import Page, cumulative
from scrapy_boilerplate.core.page.arrays import Bool, Float
from scrapy_boilerplate.core.page.tags import HEADINGS, LISTS

_APART = APART | HEADINGS | {"label"}  # what stands in no list that is added
_LISTS = LISTS | {"pre", "table", "math"}
_ITEMS = frozenset("li dt dd pre math".split())  # parts of a list, beside tables of data
_LIKELY, _LIKELY_SHEET, _MOST_LINKS = LEAST_IN_GAP, 0.1, 0.25
"""Mean probability from which on a list or data sheet is kept, and its share of linked words."""
_APART_IN_MANUALS = APART - frozenset("button img svg picture".split())
"""Code has a button to copy it, and a heading a picture as its anchor."""
_LEVELS = 12  # elements around an item that may be its list


def with_lists(page: Page, keep: Bool, content: Float, *, is_manual: bool = False) -> Bool:
    """Return which blocks are kept with the lists between those that *keep* flags.

    *content* is the probability of each block. A list, a table of data or code stands whole, alone
    or with paragraphs, between two kept texts of the element around it, which are no items. In a
    manual whatever is hardly linked between two texts goes with them. Linear.

    >>> page = Page.parse("<div><p>To paint:<ul><li>oak<li>pine</ul><p>Let it dry.</div>")
    >>> with_lists(page, np.array([True, False, False, True]), np.full(4, 0.3)).tolist()
    [True, True, True, True]
    """
    starts, kept = page.block_starts, keep.nonzero()[0]
    may_fill = (content >= _LIKELY) > keep
    if not np.count_nonzero(may_fill[kept[0] : kept[-1]]):
        return keep
    if is_manual:
        keep = _without_gaps(page, keep, content)
        kept = keep.nonzero()[0]
    if _LISTS.isdisjoint(page.tag_names):
        return keep
    is_item = page.blocks_inside(page.has_tag(_ITEMS) | page.is_data_table)
    if not (is_item & ~keep)[kept[0] : kept[-1]].any():
        return keep
    may = ~keep & (is_item | page.blocks_inside(page.has_tag(("p",))))
    items, others = cumulative(may & is_item), cumulative(~may)
    begins, ends = kept[:-1] + 1, kept[1:]
    may_be = (items[begins] < items[ends]) & (others[begins] == others[ends])
    may_be &= ~(is_item[begins - 1] | is_item[ends])
    if not may_be.any():
        return keep
    layout = cumulative(page.has_tag(("table",)) & ~page.is_data_table)
    words, linked = page.per_block(page.words), page.linked
    found: Bool = keep.copy()
    for begin, end in np.column_stack([begins, ends])[may_be].tolist():
        gap = slice(begin, end)
        if (
            linked[gap].sum() <= _MOST_LINKS * words[gap].sum()
            and content[gap].mean() >= _LIKELY
            and _are_of_list(tags_between(page, begin - 1, end))
            and not np.diff(layout[page.text_at[[starts[begin - 1], starts[end]]]])
        ):
            item = int(starts[begin + int(is_item[gap].argmax())])
            found[gap] = _is_between(page, item, int(starts[begin]), int(starts[end]))
    return found


def with_specifications(page: Page, keep: Bool, content: Float) -> Bool:
    """Return which blocks are kept with the data sheets of a product behind its name.

    That is a table of two cells a row, or a list of terms with a definition each.

    >>> page = Page.parse("<p>An oak desk.<dl><dt>Width<dd>90 cm<dt>Colour<dd>Grey</dl>")
    >>> with_specifications(page, np.arange(5) == 0, np.full(5, 0.2)).tolist()
    [True, True, True, True, True]
    """
    is_list = page.has_tag(("dl",))
    sheets = (page.is_data_table | is_list).nonzero()[0]
    if not sheets.size or not np.count_nonzero(keep):
        return keep
    first, stop = page.blocks_in(sheets)
    rows, cells = (
        page.count_below(page.has_tag(tags))[sheets] for tags in (("tr", "dt"), ("td", "th", "dd"))
    )
    sums = (cumulative(each) for each in (page.per_block(page.words), page.linked, content))
    size, linked, likely = (each[stop] - each[first] for each in sums)
    is_sheet = (rows >= 2) & (cells == np.where(is_list[sheets], rows, 2 * rows))
    is_sheet &= (size <= MOST_WORDS) & (linked <= _MOST_LINKS * size)
    is_sheet &= (likely >= _LIKELY_SHEET * (stop - first)) & (first > keep.argmax())
    found: Bool = keep.copy()
    for begin, end in zip(first[is_sheet].tolist(), stop[is_sheet].tolist(), strict=True):
        found[begin:end] = True
    return found


def _without_gaps(page: Page, keep: Bool, content: Float) -> Bool:
    """Return which blocks are kept with those between any two, behind the opening of the text."""
    is_heading = page.blocks_inside(page.has_tag(HEADINGS))
    kept, words = keep.nonzero()[0], page.per_block(page.words)
    found: Bool = keep.copy()
    opening = int(kept[is_heading[kept].argmin()])
    begins, ends = kept[:-1] + 1, kept[1:]
    for begin, end in np.column_stack([begins, ends])[begins < ends].tolist():
        gap = slice(begin, end)
        if (
            (opening < begin or is_heading[gap].all())
            and page.linked[gap].sum() <= MOST_LINKED * words[gap].sum()
            and 0 < words[gap].sum() <= MOST_WORDS
            and content[gap].mean() >= _LIKELY
            and tags_between(page, begin - 1, end).isdisjoint(_APART_IN_MANUALS)
        ):
            found[gap] = True
    return found


def _are_of_list(tags: set[str]) -> bool:
    """Tell whether elements with these tags may stand in a list or a table, whose head may sort."""
    return not tags & _APART - ({"button"} if "th" in tags else set())


def _is_between(page: Page, item: int, start: int, stop: int) -> bool:
    """Tell whether the list around the text node *item* stands right in an element, or in one right
    in it, that also holds the texts before *start* and from *stop* on; a table in two, to scroll.
    """
    element, outer = int(page.text_parent[item]), [0]
    for _ in range(_LEVELS):
        if page.first_text[element] < start or page.last_text[element] > stop:
            break
        around = int(page.parent[element])
        name = page.names[page.tag[element]]
        if name in _LISTS:
            outer = [around, int(page.parent[around])]
            if name == "table" and outer[1] > 0:
                outer.append(int(page.parent[outer[1]]))
        element = around
    return bool(((page.first_text[outer] < start) & (page.last_text[outer] > stop)).any())
