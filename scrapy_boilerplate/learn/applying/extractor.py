"""A single-page method and what is known of the page's site, as one extractor."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

from scrapy_boilerplate.core.answer.extraction import Extraction
from scrapy_boilerplate.core.methods.base import Extractor, Verdict, _assemble, no_text
from scrapy_boilerplate.core.page import Page
from scrapy_boilerplate.learn.applying.correcting import Corrections
from scrapy_boilerplate.learn.applying.part import Part
from scrapy_boilerplate.learn.applying.reading import read_page
from scrapy_boilerplate.learn.applying.second import SecondAnswer, verdict_of
from scrapy_boilerplate.learn.applying.selection import in_part, relies_on_whole, selected
from scrapy_boilerplate.learn.applying.single_page import SinglePageResult
from scrapy_boilerplate.learn.applying.weighing import weigh
from scrapy_boilerplate.learn.facts import SiteFacts


@dataclass(frozen=True, slots=True)
class InSite(Extractor):
    """A single-page method's answer, as far as what is known of the site agrees.

    A method that weighs evidence adds what the site says of each block to what it says itself. Of
    others the answer on the whole page counts as far as it stands in the part of the page that is
    left; where it is not to be relied on, the method is asked again, and given only that part.
    """

    name: ClassVar[str] = "site"

    facts: SiteFacts
    extractor: Extractor
    single: Extraction | None = None
    """What the method finds on the whole page, if that is known."""

    def extract(self, page: Page) -> Extraction:
        """Return the main content of *page*."""
        answer = self._answer(page).on(page)
        rule = self.facts.rule
        if rule.corrects and page.text_at.size and Corrections(page, rule).change(answer):
            corrected = _assemble(page, self.judge(page), self)
            return replace(corrected, extractor=answer.extractor)
        return answer

    def _answer(self, page: Page) -> Extraction:
        alone = SinglePageResult(page, self.extractor, self.single)
        part = self._part(page, alone)
        if part is None:
            return alone.extraction
        weighed = weigh(part, alone, self.extractor)
        if not (part.inside if weighed is None else weighed).any():
            return no_text(page, part.kind, self.extractor.name)
        if weighed is not None:
            return selected(part, alone, part.per_text(weighed))
        if relies_on_whole(part, alone):
            partitions = getattr(self.extractor, "partitions", False)
            return selected(part, alone, in_part(part, alone), partitions=partitions)
        second = SecondAnswer(part, self.extractor, whole=False)
        return second.reported(_assemble(page, second.verdict(), self))

    def judge(self, page: Page) -> Verdict:
        """Judge the page's blocks, split where the method kept a piece of one."""
        verdict = self._judgement(page)
        rule = self.facts.rule
        return Corrections(page, rule).of(verdict) if rule.corrects else verdict

    def _judgement(self, page: Page) -> Verdict:
        alone = SinglePageResult(page, self.extractor, self.single)
        part = self._part(page, alone)
        if part is not None:
            weighed = weigh(part, alone, self.extractor)
            whole = weighed is not None or relies_on_whole(part, alone)
            return SecondAnswer(part, self.extractor, whole=whole).verdict(weighed)
        if isinstance(self.extractor, Extractor):
            return self.extractor.judge(page)
        return verdict_of(alone.extraction, page.text_at.size)

    def _part(self, page: Page, alone: SinglePageResult) -> Part | None:
        """Return what is left of the page; ``None`` if the method gets all of it."""
        part = read_page(self.facts, page, alone).part
        if part is None or part.place.kind == "article":
            return part
        weighed = weigh(part, alone, self.extractor)
        is_article = weighed is not None and bool(weighed.any())  # the method is surer than that
        return None if is_article else part
