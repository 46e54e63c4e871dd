"""What was kept in part is kept whole: lists, tables, figures, code, and headings above them."""

from __future__ import annotations

import numpy as np

from scrapy_boilerplate.page import Page, cumulative
from scrapy_boilerplate.page.arrays import Bool, Float, Int64
from scrapy_boilerplate.page.elements import count_inside
from scrapy_boilerplate.page.tables import data_tables
from scrapy_boilerplate.page.tags import HEADINGS, LISTS, PREFORMATTED

__all__ = ["complete"]

_TITLE = 0.22
"""Probability from which on the likeliest ``h1`` is kept, where no other was."""

_MOST_TITLE_WORDS = 40

_MOST, _MOST_OF_CODE = 0.7, 0.5
"""Share of its words from which on the rest of it is kept, too."""

_MOST_LINKS = 0.5
"""Share of words in links above which a list or table is navigation."""

_MOST_ITEM_WORDS = 25
_MOST_IMAGES = 0.25  # an item; with more they are cards

_INSIDE = [
    names.split()
    for names in ("li dt dd", "h1 h2 h3 h4 h5 h6 table form button article section", "img")
]
"""Names of elements that are counted inside each list."""

_CODE, _CODE_ABOVE, _CODE_BELOW = 0.2, 0.1, 0.25
"""Probability from which on code is kept that a colon announces, or that stands right above kept
text, or right below it."""

_HEADING, _HEADING_BETWEEN, _HEADING_AGAIN = 0.2, 0.1, 0.3
"""Probability from which on a heading of kept text is kept; less if it stands between kept texts,
more if it was kept elsewhere."""

_FIGURES = frozenset(["figure"])
_COLONS = (":", "：")


def complete(page: Page, keep: Bool, content: Float) -> Bool:
    """Return which blocks are kept with those that *keep* flags.

    *content* is the probability of each block. A list of short items, a table of data, a figure or
    code that was mostly kept is kept whole unless it is mostly links. Code goes with a kept
    paragraph that announces it by a colon, and with kept text right beside it. So do headings that
    are not unlikely. Where no ``h1`` was kept, the likeliest one is. Linear in the page.

    >>> page = Page.parse("<p>To begin, run:</p><pre>make</pre><ul><li>a b c<li>d e f<li>g</ul>")
    >>> kept = complete(page, np.array([1, 0, 1, 1, 0], dtype=bool), np.full(5, 0.4))
    >>> kept.tolist()
    [True, True, True, True, True]
    """
    if not keep.any():
        return keep
    parts = _Parts(page, keep)
    return (
        keep
        | parts.whole(_short_lists(page) | data_tables(page), _MOST)
        | parts.whole(_elements(page, PREFORMATTED), _MOST_OF_CODE)
        | parts.whole(_elements(page, _FIGURES), _MOST_OF_CODE)
        | parts.headings(content)
        | parts.code(content)
        | parts.title(content)
    )


class _Parts:
    """The blocks of a page by the elements that hold them."""

    def __init__(self, page: Page, keep: Bool) -> None:
        self._page, self._keep, self._starts = page, keep, page.blocks[:, 0]
        self._words = page.per_block(page.words)

    def _blocks(self, elements: Int64) -> tuple[Int64, Int64]:
        """Return the first block in each of *elements* with text, and the one after the last."""
        page = self._page
        first = np.searchsorted(self._starts, page.first_text[elements])
        return first, np.searchsorted(self._starts, page.last_text[elements])

    def _filled(self, flags: Bool) -> Int64:
        return np.flatnonzero(flags & (self._page.last_text > self._page.first_text))

    def whole(self, flags: Bool, most: float) -> Bool:
        """Return the blocks of the flagged elements of which at least *most* is kept."""
        page, elements = self._page, self._filled(flags)
        if not elements.size:
            return np.zeros(self._keep.size, dtype=bool)
        steps = np.zeros(self._keep.size + 1, dtype=np.int64)
        first, after = self._blocks(elements)

        def inside(values: Int64) -> Int64:
            sums = cumulative(values)
            return sums[after] - sums[first]

        whole, kept = inside(self._words), inside(self._words * self._keep)
        links = inside(page.per_block(page.words * page.in_link))
        fits = (kept > 0) & (kept >= most * whole) & (links <= _MOST_LINKS * whole)
        np.add.at(steps, first[fits], 1)
        np.subtract.at(steps, after[fits], 1)
        return np.cumsum(steps)[:-1] > 0

    def code(self, content: Float) -> Bool:
        """Return the code that goes with the kept text right before or after it."""
        page = self._page
        found = np.zeros(self._keep.size, dtype=bool)
        if page.tag_names.isdisjoint(PREFORMATTED):
            return found
        codes = self._filled(page.has_tag(PREFORMATTED))
        first, after = self._blocks(codes)
        for begin, end in zip(first.tolist(), after.tolist(), strict=True):
            if self._keep[begin]:
                continue
            likely = content[begin]
            if end < found.size and self._keep[end] and likely >= _CODE_ABOVE:
                found[begin:end] = True
            elif begin and self._keep[begin - 1] and likely >= _CODE:
                text = self._starts[begin] - 1
                before = page.buffer[page.text_start[text] : page.text_stop[text]]
                if likely >= _CODE_BELOW or before.rstrip().endswith(_COLONS):
                    found[begin:end] = True
        return found

    def headings(self, content: Float) -> Bool:
        """Return the headings right above kept text that are likely enough."""
        page, keep = self._page, self._keep
        if page.tag_names.isdisjoint(HEADINGS):
            return np.zeros(keep.size, dtype=bool)
        headings = (page.count_above(page.has_tag(HEADINGS)) > 0)[page.text_parent[self._starts]]
        before, after = np.append(False, keep[:-1]), np.append(keep[1:], False)
        least = np.where(before, _HEADING_BETWEEN, _HEADING)
        found: Bool = headings & ~keep & after & (content >= least)
        unsure = found & (content < _HEADING_AGAIN)
        if unsure.any():
            said = {self._said(block) for block in np.flatnonzero(headings & keep).tolist()}
            for block in np.flatnonzero(unsure).tolist():
                found[block] = self._said(block) not in said
        return found

    def _said(self, block: int) -> str:
        first, stop = self._page.blocks[block].tolist()
        return self._page.lay_out(first, stop)

    def title(self, content: Float) -> Bool:
        """Return the likeliest ``h1`` if none is kept."""
        page = self._page
        found = np.zeros(self._keep.size, dtype=bool)
        if "h1" not in page.tag_names:
            return found
        inside = page.count_above(page.has_tag(("h1",))) > 0
        titles = inside[page.text_parent[self._starts]]
        if titles.any() and not self._keep[titles].any():
            titles &= (self._words > 0) & (self._words <= _MOST_TITLE_WORDS)
            best = int(np.where(titles, content, -1.0).argmax())
            found[best] = titles[best] and content[best] >= _TITLE
        return found


def _elements(page: Page, names: frozenset[str]) -> Bool:
    """Tell for each element whether it has one of these names; most pages have none."""
    if page.tag_names.isdisjoint(names):
        return np.zeros(page.tag.size, dtype=bool)
    return page.has_tag(names)


def _short_lists(page: Page) -> Bool:
    """Tell for each element whether it is a list of short items, no container of the page."""
    if page.tag_names.isdisjoint(LISTS):
        return np.zeros(page.tag.size, dtype=bool)
    is_list = page.has_tag(LISTS)
    lists = np.flatnonzero(is_list)

    items, containers, images = count_inside(_INSIDE, page.names, page.tag, page.end, lists)
    words = cumulative(page.words)
    words = words[page.last_text[lists]] - words[page.first_text[lists]]
    holds = (items >= 2) & (words <= _MOST_ITEM_WORDS * items)
    is_list[lists] = holds & (containers == 0) & (images <= _MOST_IMAGES * items)
    return is_list
