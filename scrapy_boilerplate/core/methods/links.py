"""Coherent texts from the place of links."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from scrapy_boilerplate.core.answer.record import Role
from scrapy_boilerplate.core.methods._partition_native import coherent_texts as _coherent_texts
from scrapy_boilerplate.core.methods.base import Extractor, Verdict
from scrapy_boilerplate.core.page import Page

ROLES: tuple[Role, ...] = ("navigation", "teaser", "body", "boilerplate")
NAVIGATION, TEASER = range(2)


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
