"""Coherent texts from the place of links."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from scrapy_boilerplate.core.answer.extraction import Role
from scrapy_boilerplate.core.methods._partition import partition
from scrapy_boilerplate.core.methods.base import Extractor, Verdict
from scrapy_boilerplate.core.native import native_or
from scrapy_boilerplate.core.page import Page, cumulative
from scrapy_boilerplate.core.page.arrays import Bool, Float, Int, Int64
from scrapy_boilerplate.core.page.elements import pass_up

__all__ = ["Links"]


ROLES: tuple[Role, ...] = ("navigation", "teaser", "body", "boilerplate")
NAVIGATION, TEASER, BODY, BOILERPLATE = range(4)

NEVER = 1 << 30
"""A depth that no element has."""


@dataclass(frozen=True, slots=True)
class Links(Extractor):
    """Prediction from the place of links: partition the page into coherent texts by six rules.

    A *large* text is a paragraph with at least *large_text* words outside of links. The rules, and
    how each is read:

    1. *Base rule.* Every ``a`` element with text is a coherent text; what is left when these are
       cut out is grouped: the outermost elements without one. Text beside them stays single.
    2. *Inline links.* A link that stands directly beside words of its own paragraph, of which at
       most half are in links, belongs to that text: it is not cut out.
    3. *Upper bound.* An element with large text is coherent although it holds links to be cut out,
       if none of them stands higher in the tree than its highest large text; links that do are the
       bound.
    4. *Navigation.* A subtree with two or more links and no word outside of them is navigation:
       each of its links is a coherent text, and an element that holds it is not by rule 3.
    5. *Teasers.* The innermost element that groups a link with at most *teaser_text* other words,
       and holds no navigation, is one coherent text if at least *teasers* of its parent's children
       with the same tag are made so. An element that holds teasers is not coherent by rule 3.
    6. Every text node belongs to exactly one coherent node, and coherent nodes do not hold one
       another: of two the outer one counts. ``segments`` are the whole partition.

    The main text is made of all coherent texts with large text, teasers among them: on every fifth
    development page these have a word F1 of .80, the largest alone .56, the largest group of
    siblings .78, all but teasers .78. Among 8 to 12 words the choice of *large_text* makes no
    difference that counts. A segment's role is ``navigation`` for a link, ``teaser``, ``body`` for
    other main text, ``boilerplate`` for the rest; its score is its number of words outside of
    links.

    Source: K. Dorosz, *Ekstrakcja spójnych tekstów z Internetu na potrzeby algorytmów
    lingwistycznych*, AGH Kraków, second method. It gives no numbers.

    Weaknesses: text without links is content wherever it stands, so cookie notices and comments
    are; an article of short lines (a poem, a table) has no large text.

    >>> from scrapy_boilerplate import extract
    >>> page = '''<ul><li><a>Home</a><li><a>News</a></ul><div><p>It rained, <a>they said</a>, more
    ... than in any other year that they had seen.</p><p>So it did.</p></div>'''
    >>> for segment in extract(page, extractor="links").segments:
    ...     print(segment.role, segment.xpath)
    navigation /html/body/ul/li[1]/a
    navigation /html/body/ul/li[2]/a
    body /html/body/div
    """

    name: ClassVar[str] = "links"
    partitions: ClassVar[bool] = True

    large_text: int = 10
    """Words outside of links that make a paragraph a large text."""
    teaser_text: int = 60
    """Words outside of links that a teaser has at most."""
    teasers: int = 3
    """Least number of siblings of one tag that count as teasers."""

    def judge(self, page: Page) -> Verdict:
        """Apply the six rules."""
        found = _coherent_texts(page, (self.large_text, self.teaser_text, self.teasers))
        spans, elements, words, keep, roles = found

        def reason(number: int) -> str:
            if roles[number] == NAVIGATION:
                return "a link that stands in no text"
            what = "teaser, " if roles[number] == TEASER else ""
            place = "with" if keep[number] else "without"
            return f"{what}{place} large text; {words[number]:.0f} words outside of links"

        return Verdict(
            *(spans, keep, words, reason),
            roles=[*map(ROLES.__getitem__, roles.tolist())],
            elements=elements,
        )


# -- what may be compiled --------------------------------------------------------------------

_Texts = tuple[Int64, Int64, Float, Bool, NDArray[np.int8]]
"""Spans, elements, words outside of links, whether they are large, and roles of coherent texts."""


def _coherent_texts_in_numpy(page: Page, limits: tuple[int, int, int]) -> _Texts:
    """Return the coherent texts; *limits* are the options of :class:`Links`."""
    large_text, teaser_text, teasers = limits
    counts = _Counts(page, large_text)
    teaser = _teasers(page, counts, teaser_text, teasers)
    coherent = counts.is_link | (counts.cuts == 0) | teaser | _bounded(page, counts, teaser)
    spans, elements = partition(page, coherent)
    start, stop = spans.T
    words = (counts.free[stop] - counts.free[start]).astype(np.float64)
    keep = counts.large[stop] > counts.large[start]
    roles = np.where(keep, BODY, BOILERPLATE).astype(np.int8)
    roles[(elements >= 0) & teaser[elements]] = TEASER
    roles[(elements >= 0) & counts.is_link[elements]] = NAVIGATION
    return spans, elements, words, keep, roles


class _Counts:
    """Links and large texts of a page; what is counted by element includes the element."""

    def __init__(self, page: Page, large_text: int) -> None:
        free = page.words * ~page.in_link
        self.free = cumulative(free)
        """Words outside of links before each text node."""
        is_large = np.repeat(page.per_block(free) >= large_text, np.diff(page.blocks)[:, 0])
        self.is_large: Bool = is_large & (free > 0)
        """Whether each text node is a part of a large text."""
        self.large = cumulative(self.is_large)
        """Such text nodes before each text node."""
        anchors = page.has_tag(("a",))
        has_text = page.last_text > page.first_text
        self.is_link: Bool = anchors & has_text & (page.count_above(anchors) == 1)
        """Whether each element is a link with text (rule 1)."""
        self.is_cut = self.is_link & ~_is_inline(page, self.is_link, free)
        """Whether each element is a link that belongs to no text beside it (rule 2)."""
        self.cuts = _inside(page, self.is_cut)
        """Number of such links in each element."""
        words = self.free[page.last_text] - self.free[page.first_text]
        self.navigation = _inside(page, (_inside(page, self.is_link) > 1) & (words == 0))
        """Number of navigation subtrees in each element (rule 4)."""


def _inside(page: Page, flags: Bool) -> Int:
    """Return for each element how many of it and its descendants are flagged."""
    before = cumulative(flags)
    inside: Int = before[page.end] - before[:-1]
    return inside


def _is_inline(page: Page, is_link: Bool, free: Int) -> Bool:
    """Tell of each element whether it is a link that belongs to the text beside it (rule 2)."""
    links = np.flatnonzero(is_link)
    sizes = np.diff(page.blocks)[:, 0]
    outside, words = page.per_block(free), page.per_block(page.words)
    is_text = np.repeat(2 * outside >= words, sizes) & (free > 0)
    block = np.repeat(np.arange(sizes.size), sizes)
    first, last = page.first_text[links], page.last_text[links] - 1
    before, after = np.maximum(first - 1, 0), np.minimum(last + 1, free.size - 1)
    beside = is_text[before] & (block[before] == block[first])
    beside |= is_text[after] & (block[after] == block[last])
    inline = np.zeros(is_link.size, dtype=bool)
    inline[links] = beside & (block[first] == block[last])
    return inline


def _teasers(page: Page, counts: _Counts, teaser_text: int, least: int) -> Bool:
    """Tell of each element whether it is a teaser (rule 5)."""
    words = counts.free[page.last_text] - counts.free[page.first_text]
    likely = (counts.cuts > 0) & (words > 0) & (words <= teaser_text)
    likely &= ~counts.is_link & (counts.navigation == 0)
    number = np.flatnonzero(likely)
    kind = page.parent[number].astype(np.int64) * len(page.names) + page.tag[number]
    siblings = np.unique(kind, return_inverse=True)[1]
    likely[number] = np.bincount(siblings)[siblings] >= least
    innermost: Bool = likely & (_inside(page, likely) == 1)
    return innermost


def _bounded(page: Page, counts: _Counts, teaser: Bool) -> Bool:
    """Tell of each element with links to be cut out whether rule 3 makes one text of it."""
    held = _inside(page, teaser & (counts.cuts > 0)) + counts.navigation
    has_large = counts.large[page.last_text] > counts.large[page.first_text]
    bounded: Bool = has_large & (counts.cuts > 0) & (held == 0)
    # The least depth of a link to be cut out, and of a large text, in each element.
    cut = np.where(counts.is_cut, page.depth, NEVER)
    text = np.full_like(cut, NEVER)
    holders = page.text_parent[counts.is_large]
    text[holders] = page.depth[holders]
    inside = np.flatnonzero(page.count_above(bounded))
    for least in (cut, text):
        pass_up(inside, page.parent, least)
    bounded[inside] &= cut[inside] >= text[inside]
    return bounded


_coherent_texts = native_or(
    _coherent_texts_in_numpy, "core.methods._partition_native", "coherent_texts"
)
