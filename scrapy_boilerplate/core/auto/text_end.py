"""Finds the end of the main text: other texts' teasers, which read like content, follow it.

Block by block a teaser in whole sentences looks like content. But it comes in a unit that also
links to its own page, and beside others like it: such units are dropped together.
"""

from __future__ import annotations

import numpy as np

from scrapy_boilerplate.core.auto._features_native import BEFORE_END, LEAST_TEASERS, LEAST_UNITS
from scrapy_boilerplate.core.page import Page, cumulative
from scrapy_boilerplate.core.page.arrays import Bool, Float, Int32
from scrapy_boilerplate.core.page.tags import HEADINGS

_LIKELY, LESS_LIKELY = 0.5, 0.1
"""Least probability of a text that units outweigh, and by which these are less likely."""

_CONTAINER = 0.7
"""Share of the other kept words that the text's container holds; what it lists is content."""

_LEAST_WORDS_BEFORE, _LEAST_SHARE_BEFORE = 60, 0.3
"""Words that must be left, and their share of those kept; a page of less is a list of teasers …"""
LEAST_APART = 15  # … unless so many stand apart, in an article with its headline


def after_the_end(page: Page, keep: Bool, words: Float, units: Int32) -> Bool:
    """Return which of the blocks that *keep* flags stand in teasers after the end.

    *units* tells for each block how many units are like its own, and how many of them hold a
    teaser. Linear in the page.

    >>> page = Page.parse("<div><p>The text.</div>" + "<p><a href=/x>Another text.</a>" * 4)
    >>> keep, words = np.ones(5, dtype=bool), np.array([90.0, 20, 20, 20, 20])
    >>> units = np.array([[0, 0], [4, 4], [4, 4], [4, 4], [4, 4]], dtype=np.int32)
    >>> after_the_end(page, keep, words, units).tolist()
    [False, True, True, True, True]
    """
    alike, teasers = units.T
    found: Bool = keep & (alike >= LEAST_UNITS)
    if np.count_nonzero(found):
        found &= teasers >= LEAST_TEASERS * alike
    if not np.count_nonzero(found):
        return found
    rest = np.where(keep & ~found, words, 0.0)
    left = rest.sum()
    is_list = left < max(_LEAST_WORDS_BEFORE, _LEAST_SHARE_BEFORE * words[keep].sum())
    if is_list and (left < LEAST_APART or not _is_apart(page, rest, found)):
        return np.zeros_like(found)
    return _behind(page, rest, found)


def _behind(page: Page, rest: Float, found: Bool) -> Bool:
    """Return what is *found* behind the *rest* and outside its container, which may list texts."""
    found = found & (cumulative(rest)[1:] >= BEFORE_END * rest.sum())
    first, stop = container(page, rest)
    found[first:stop] = False
    return found


def links_behind(page: Page, keep: Bool, words: Float) -> Bool:
    """Return which of the blocks that *keep* flags are nothing but links behind the text.

    >>> page = Page.parse("<main><p>The text.</main><p><a href=/x>Another text.</a>")
    >>> links_behind(page, np.ones(2, dtype=bool), np.array([20.0, 2])).tolist()
    [False, True]
    """
    found: Bool = keep & (words > 0) & (page.linked >= words)
    if np.count_nonzero(found):
        rest = np.where(keep & ~found, words, 0.0)
        if (rest * ~page.blocks_inside(page.has_tag(HEADINGS))).sum() >= LEAST_APART:
            return _behind(page, rest, found)
    return np.zeros_like(keep)


def are_apart(
    page: Page, units: Bool, text: Float, content: Float, is_heading: Bool, headline: int
) -> bool:
    """Tell whether *units* stand outside of what holds the text, and are less likely than that.

    *text* counts the words of its blocks; *headline* is the one above it.

    >>> page = Page.parse("<main><h1>Rain</h1>It rained.</main><div>One.</div><div>Two.</div>")
    >>> units, text = np.array([False, False, True, True]), np.array([1.0, 40, 0, 0])
    >>> content, is_heading = np.array([0.9, 0.9, 0.6, 0.7]), np.array([True, False, False, False])
    >>> are_apart(page, units, text, content, is_heading, 0)
    True
    """
    likely = content[(text > 0) & ~is_heading].max(initial=0.0)
    if likely < _LIKELY or content[units].max() >= likely - LESS_LIKELY:
        return False
    first, stop = container(page, text, around=headline)
    return not units[first:stop].any()


def beside(
    page: Page, keep: Bool, words: Float, title: int, apart: Bool, times: float = 0.0
) -> Bool:
    """Return which of the blocks that *keep* flags stand in elements *apart*, beside the text.

    What has the headline, the block *title*, shows the text itself, as does what the others do not
    outweigh so many *times*.

    >>> page = Page.parse("<h1>Rain</h1><p>It rained.<dialog>Our letter</dialog>")
    >>> keep, words = np.ones(3, dtype=bool), np.array([1.0, 20, 2])
    >>> beside(page, keep, words, 0, page.has_tag(("dialog",))).tolist()
    [False, False, True]
    """
    inside = page.blocks_inside(apart)
    found: Bool = keep & inside
    least = max(LEAST_APART, times * words[found].sum())
    is_beside = not inside[title] and words[keep & ~found].sum() >= least
    return found if is_beside else np.zeros_like(keep)


def _is_apart(page: Page, rest: Float, found: Bool) -> bool:
    """Return whether an article with its headline holds the *rest*, and nothing *found*.

    Headings of what is found are no part of the rest.
    """
    is_headed = page.count_below(page.has_tag(("h1",))) > 0
    first, stop = page.blocks_in((page.has_tag(("article", "main")) & is_headed).nonzero()[0])
    is_heading = page.blocks_inside(page.has_tag(HEADINGS))
    sums, others = cumulative(rest * ~is_heading), cumulative(found)
    is_apart = (sums[stop] - sums[first] >= sums[-1]) & (others[stop] == others[first])
    return bool(is_apart.any())


def other_articles(page: Page, keep: Bool) -> Bool:
    """Return which of the blocks that *keep* flags stand in another article than the page's own.

    That is the first of several with a headline, if the title of the page has its headline, and
    that of no other one.

    >>> article = "<article><h1>{0}</h1><p>It rained.</article>".format
    >>> page = Page.parse(f"<title>Rain - News</title>{article('Rain')}{article('Wind')}")
    >>> other_articles(page, np.ones(4, dtype=bool)).tolist()
    [False, False, True, True]
    """
    found = np.zeros_like(keep)
    is_article = page.has_tag(("article",))
    if np.count_nonzero(is_article) < 2:
        return found
    articles = (is_article & (page.count_above(is_article) == 1)).nonzero()[0]
    heads = page.filled(("h1",)).nonzero()[0]
    first = heads.searchsorted(articles)
    has_head = first < heads.searchsorted(page.end[articles])
    articles, heads = articles[has_head], heads[first[has_head]]
    title = page.title.casefold()
    texts = zip(page.first_text[heads].tolist(), page.last_text[heads].tolist(), strict=True)
    is_own = [" ".join(page.lay_out(*text).split()).casefold() in title for text in texts]
    if is_own[:1] == [True] and is_own.count(True) == 1:
        for other in articles[1:].tolist():
            start, stop = page.blocks_in(other)
            found[start:stop] = keep[start:stop]
    return found


def container(
    page: Page, rest: Float, share: float = _CONTAINER, around: int | None = None
) -> tuple[int, int]:
    """Return the blocks of the smallest element that holds a *share* of the words of *rest*.

    It holds the block *around*, too, if one is given.
    """
    sums = cumulative(rest)
    if around is None:  # what holds most of the words holds the middle one
        around = int(np.searchsorted(sums[1:], sums[-1] / 2))
    above, parent = [int(page.text_parent[page.block_starts[around]])], page.parent.data
    while above[-1]:
        above.append(parent[above[-1]])
    first, stop = page.blocks_in(above)
    smallest = (sums[stop] - sums[first] >= share * sums[-1]).nonzero()[0][0]
    return int(first[smallest]), int(stop[smallest])
