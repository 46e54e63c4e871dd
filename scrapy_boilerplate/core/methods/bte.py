"""Body text extraction."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from scrapy_boilerplate.core.methods._runs import fixed_values, judge_run
from scrapy_boilerplate.core.methods.base import NOTHING, Extractor, Verdict
from scrapy_boilerplate.core.page import Page


@dataclass(frozen=True, slots=True)
class BTE(Extractor):
    """Body text extraction: the region with the most words inside and the most tags outside.

    The page is a sequence of words and tags; the main content is its one contiguous region that
    maximises *words inside + tags outside*. Since the tags outside are all tags less those inside,
    this is the region with the largest *words inside − tags inside*, found in one linear pass. Of
    equally good regions the one that ends first is taken, and of those the one that starts first.
    Symbols do not count. The paragraphs of the region are its segments.

    Source: A. Finn, N. Kushmerick, B. Smyth, *Fact or Fiction: Content Classification for Digital
    Libraries*, 2001.

    Options: none.

    Weaknesses: those of the source. The region is contiguous, so an article interrupted by
    advertisements, teasers or share buttons either keeps them or loses its smaller part; tables,
    lists and code have as many tags as words, so they are lost at the region's ends, and a page
    that is made of them yields one cell; two articles on one page are one region.

    >>> from scrapy_boilerplate import extract
    >>> page = "<ul><li><a>Home</a></ul><p>One two <b>three</b> four five.</p><p>Six</p>"
    >>> extract(page, extractor="bte").text
    'One two three four five.'
    """

    name: ClassVar[str] = "bte"

    def judge(self, page: Page) -> Verdict:
        """Find the best region and split it into paragraphs."""
        if not page.text_at.size:
            return NOTHING
        return judge_run(page, *fixed_values(page, 1, 0, -1))
