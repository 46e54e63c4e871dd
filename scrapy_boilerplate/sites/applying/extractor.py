"""A single-page method and what is known of the page's site, as one extractor."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from scrapy_boilerplate.extraction import Extraction
from scrapy_boilerplate.extractors.base import Extractor, Verdict, _assemble, no_text
from scrapy_boilerplate.page import Page
from scrapy_boilerplate.sites.applying.alone import Alone
from scrapy_boilerplate.sites.applying.locating import Located, locate
from scrapy_boilerplate.sites.applying.part import Part, choose_part
from scrapy_boilerplate.sites.applying.second import SecondAnswer
from scrapy_boilerplate.sites.applying.selection import relies_on_whole, selected
from scrapy_boilerplate.sites.facts import TITLE, SiteFacts
from scrapy_boilerplate.sites.template import TemplateView, view_of

__all__ = ["InSite"]

_FEW_ARTICLES = 3  # fewer do not show that their container is that of other pages, too
_LEAST_SHARE = 0.1  # of a page's kept text that must stand in a container of so few articles


@dataclass(frozen=True, slots=True)
class InSite(Extractor):
    """A single-page method's answer, as far as what is known of the site agrees.

    Where the method's answer on the whole page is not to be relied on, it is asked again, and given
    only the part of the page that is left.
    """

    name: ClassVar[str] = "site"

    facts: SiteFacts
    extractor: Extractor
    single: Extraction | None = None
    """What the method finds on the whole page, if that is known."""

    def extract(self, page: Page) -> Extraction:
        """Return the main content of *page*."""
        return self._answer(page).on(page)

    def _answer(self, page: Page) -> Extraction:
        alone = Alone(page, self.extractor, self.single)
        part = self._part(page, alone)
        if part is None:
            return alone.extraction
        if not part.inside.any():
            return no_text(page, part.kind, self.extractor.name)
        if relies_on_whole(part, alone):
            return selected(part, alone, partitions=getattr(self.extractor, "partitions", False))
        second = SecondAnswer(part, self.extractor, whole=False)
        return second.reported(_assemble(page, second.verdict(), self))

    def judge(self, page: Page) -> Verdict:
        """Judge the page's blocks, split where the method kept a piece of one."""
        alone = Alone(page, self.extractor, self.single)
        part = self._part(page, alone)
        if part is None:
            return self.extractor.judge(page)
        whole = relies_on_whole(part, alone)
        return SecondAnswer(part, self.extractor, whole=whole).verdict()

    def _part(self, page: Page, alone: Alone) -> Part | None:
        """Return what is left of the page; ``None`` if the method gets all of it."""
        if not page.text_at.size or not self.facts.useful:
            return None
        view = view_of(page)
        located = locate(self.facts, view)
        place = located.place
        if place.kind == "article" and self._is_doubtful(view, located, alone):
            return None
        if place.kind != "article" and not self._is_no_article(view, located, alone):
            if place.kind in ("archive", "absent"):
                return None
            located = located._replace(place=place._replace(kind="article"))
        return choose_part(view, located, alone)

    def _is_doubtful(self, view: TemplateView, located: Located, alone: Alone) -> bool:
        """Tell whether a container of very few articles holds next to none of a page's text."""
        facts, place = self.facts, located.place
        if place.selector in facts.rule.containers or facts.articles >= _FEW_ARTICLES:
            return False
        kept = alone.own_words(view)
        return int(kept[place.first : place.last].sum()) < _LEAST_SHARE * int(kept.sum())

    def _is_no_article(self, view: TemplateView, located: Located, alone: Alone) -> bool:
        """Tell whether a page that does not have the article's container has no article."""
        facts, kind = self.facts, located.place.kind
        if not facts.safe:
            return False
        by_headings = kind in ("list", "untitled")  # there is a container
        if by_headings and alone.is_sure and alone.extraction.kind == "article":
            return False
        if kind != "absent" or facts.rule.containers:
            return True
        if facts.complete and facts.titles and not (located.flags & TITLE).any():
            return True
        if alone.extraction.kind == "list":
            return True
        return int(alone.own_words(view).sum()) < facts.min_words
