"""Coherent texts from the place of links."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from scrapy_boilerplate.core.answer.record import Role
from scrapy_boilerplate.core.methods.base import NOTHING, Extractor, Verdict, partition
from scrapy_boilerplate.core.page import Page, cumulative
from scrapy_boilerplate.core.page._elements_native import least_inside, number_keys
from scrapy_boilerplate.core.page.arrays import Bool, Int

ROLES: tuple[Role, ...] = ("navigation", "teaser", "body", "boilerplate")
NAVIGATION, TEASER, BODY, BOILERPLATE = range(4)
_NEVER = 1 << 30  # a depth that no element has


@dataclass(frozen=True, slots=True)
class Links(Extractor):
    """Prediction from the place of links: partition the page into coherent texts by six rules.

    A *large* text is a paragraph with at least *large_text* words outside of links. The rules, as
    interpreted here:

    1. *Base rule.* Every ``a`` element with text is a coherent text; the rest is grouped into the
       outermost elements without such a link. Text beside them stays separate.
    2. *Inline links.* A link that stands directly beside words of its own paragraph, of which at
       most half are in links, belongs to that text: it is not cut out.
    3. *Upper bound.* An element with large text is coherent although it holds links to be cut out,
       if none of them stands higher in the tree than its highest large text; higher links are the
       bound.
    4. *Navigation.* A subtree with two or more links and no word outside of them is navigation:
       each of its links is a coherent text, and rule 3 does not apply to elements around it.
    5. *Teasers.* The innermost element that groups a link with at most *teaser_text* other words,
       and holds no navigation, is one coherent text if at least *teasers* of its parent's children
       with the same tag have this form. Rule 3 does not apply to elements around teasers.
    6. Every text node belongs to exactly one coherent node, and coherent nodes are never nested: of
       two, the outer one counts. ``segments`` are the whole partition.

    The main text consists of all coherent texts with large text, including teasers: on every fifth
    development page these have a word F1 of .80, the largest alone .56, the largest group of
    siblings .78, all but teasers .78. Between 8 and 12 words, the choice of *large_text* makes no
    significant difference. A segment's role is ``navigation`` for a link, ``teaser``, ``body`` for
    other main text, ``boilerplate`` for the rest; its score is its number of words outside of
    links.

    Source: K. Dorosz, *Ekstrakcja spójnych tekstów z Internetu na potrzeby algorytmów
    lingwistycznych*, AGH Kraków, second method. It gives no numbers.

    Weaknesses: text without links is content wherever it stands, so cookie notices and comments are
    kept; an article of short lines (a poem, a table) has no large text.

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
    """Most words outside of links in a teaser."""
    teasers: int = 3
    """Least number of siblings of one tag that count as teasers."""

    def judge(self, page: Page) -> Verdict:
        """Apply the six rules."""
        if not page.text_at.size:
            return NOTHING
        found = _Texts(page, self.large_text)
        is_teaser = found.teasers(self.teaser_text, self.teasers)
        spans, elements = partition(page, found.coherent(is_teaser))
        words, larges = (
            sums[spans[:, 1]] - sums[spans[:, 0]] for sums in (found.free, found.larges)
        )
        keep = larges > 0
        roles = np.where(keep, BODY, BOILERPLATE)
        roles[(elements >= 0) & is_teaser[elements]] = TEASER
        roles[(elements >= 0) & found.is_link[elements]] = NAVIGATION

        def reason(number: int) -> str:
            if roles[number] == NAVIGATION:
                return "a link that stands in no text"
            what = "teaser, " if roles[number] == TEASER else ""
            place = "with" if keep[number] else "without"
            return f"{what}{place} large text; {words[number]} words outside of links"

        return Verdict(
            *(spans, keep, words.astype(np.float64), reason),
            roles=[*map(ROLES.__getitem__, roles.tolist())],
            elements=elements,
        )


class _Texts:
    """The links and the large texts of a page; what is counted in an element includes itself."""

    def __init__(self, page: Page, large_text: int) -> None:
        self._page = page
        anchors = page.has_tag(("a",))
        self.is_link: Bool = page.filled(("a",)) & (page.count_above(anchors) == 1)
        """Whether each element is an outermost link with text (rule 1)."""
        free = page.words * ~page.in_link
        of_blocks = page.per_block(free)
        own = free > 0
        large = own & page.per_text(of_blocks >= large_text)
        is_text = own & page.per_text(2 * of_blocks >= page.per_block(page.words))
        self.free, self.larges = cumulative(free), cumulative(large)
        """Words outside of links, and parts of large texts, before each text node."""
        self._words = page.sum_inside(free)
        self._is_cut = self.is_link & ~self._are_inline(is_text)
        self._cuts = page.count_below(self._is_cut)
        holds_links = page.count_below(self.is_link) > 1
        self._navigation = page.count_below(holds_links & (self._words == 0))
        self._highest_text = np.full(page.tag.size, _NEVER, dtype=np.int32)
        holders = page.text_parent[large]
        self._highest_text[holders] = page.depth[holders]

    def _are_inline(self, is_text: Bool) -> Bool:
        """Return for each element whether it stands right beside words of its text (rule 2)."""
        page, found = self._page, self.is_link.copy()
        block = page.per_text(np.arange(len(page.blocks)))
        follows = np.append(is_text[1:] & (block[1:] == block[:-1]), False)
        precedes = np.append(False, is_text[:-1] & (block[1:] == block[:-1]))
        first, last = page.first_text[found], page.last_text[found] - 1
        found[found] = (block[first] == block[last]) & (precedes[first] | follows[last])
        return found

    def teasers(self, most_words: int, least: int) -> Bool:
        """Return which elements are teasers (rule 5); none holds navigation (rule 4)."""
        page = self._page
        found: Bool = (self._cuts > 0) & ~self.is_link & (self._navigation == 0)
        found &= (self._words > 0) & (self._words <= most_words)
        at: Int = np.flatnonzero(found)
        kind = number_keys((page.parent[at] + np.int64(1)) * len(page.names) + page.tag[at])
        found[at] = (np.bincount(kind) >= least)[kind]
        found &= self._page.count_below(found) == 1  # the innermost
        return found

    def coherent(self, is_teaser: Bool) -> Bool:
        """Return which elements are coherent, among them those of the upper bound (rule 3)."""
        page = self._page
        cut = np.where(self._is_cut, page.depth, _NEVER).astype(np.int32)
        highest = (least_inside(depths, page.parent) for depths in (cut, self._highest_text))
        bounded = np.greater_equal(*highest) & (self._navigation == 0)
        bounded &= self.larges[page.last_text] > self.larges[page.first_text]
        bounded &= self._page.count_below(is_teaser) == 0
        return self.is_link | is_teaser | (self._cuts == 0) | bounded
