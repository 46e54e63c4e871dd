"""A single-page method and what is known of the page's site, as one extractor."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache
from typing import ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from scrapy_boilerplate.core.answer.extraction import Extraction, Kind
from scrapy_boilerplate.core.answer.kept_notes import texts_with_notes
from scrapy_boilerplate.core.answer.record import Explanations, Rule
from scrapy_boilerplate.core.methods import Extractor
from scrapy_boilerplate.core.page import Page
from scrapy_boilerplate.core.page.arrays import Bool
from scrapy_boilerplate.learn.applying.matching import read_page
from scrapy_boilerplate.learn.applying.weighing import SiteEvidence, choose
from scrapy_boilerplate.learn.article_sources import shown_page
from scrapy_boilerplate.learn.facts import SiteFacts, SiteRule
from scrapy_boilerplate.learn.selectors import find_nodes
from scrapy_boilerplate.learn.template import SinglePageResult

_DROP, _KEEP = 1, 2
_MANUAL = "manual rule"


class _Decision(NamedTuple):
    """What is kept of a page, and who decided."""

    alone: SinglePageResult
    evidence: SiteEvidence | None  # of the site's model, if the method's answer does not stay
    ruled: NDArray[np.int8]  # whether a person keeps or drops each text node; 0 for neither
    keep: Bool  # the text nodes that are kept
    confidence: float | None

    def kind(self) -> Kind:
        evidence, kind = self.evidence, self.alone.extraction.kind
        if not self.keep.any():
            is_list = evidence is not None and evidence.place.kind in ("archive", "list")
            return "list" if is_list else "empty"
        if evidence is None:
            return "article" if kind in ("empty", "not_html") else kind
        is_corrected = kind == "list" and evidence.is_article
        return "article" if is_corrected or not self.alone.kept.any() else kind


@dataclass(frozen=True, slots=True)
class InSite:
    """A single-page method's answer, weighed against the site's model; a person's rule is last."""

    name: ClassVar[str] = "site"

    facts: SiteFacts
    extractor: Extractor
    single: Extraction | None = None  # what the method finds on the whole page, if known

    def extract(self, page: Page) -> Extraction:
        """Return the main content of *page*, with the text that the site is known to hide."""
        alone = self._alone(page)
        shown = shown_page(self.facts, page, alone)
        if shown is not page:
            return replace(self, single=None).extract(shown)
        if not page.text_at.size or page.block is not None:
            return alone.extraction.on(page, self.facts.title_parts)
        decision = self._decide(page, alone)
        return self._answer(page, decision).on(page, self.facts.title_parts)

    def explain(self, page: Page) -> Explanations:
        """Explain for each span of *page*, or of the page that is :meth:`shown`, what decided."""
        return self.extract(page).explain()

    def shown(self, page: Page) -> Page:
        """Return *page* with the text that the site is known to hide, itself if it hides none."""
        return shown_page(self.facts, page, self._alone(page))

    def _alone(self, page: Page) -> SinglePageResult:
        return SinglePageResult(page, self.extractor, self.single)

    def _answer(self, page: Page, decision: _Decision) -> Extraction:
        single, evidence, keep = decision.alone.extraction, decision.evidence, decision.keep
        if evidence is None and not decision.ruled.any():
            return single
        rules, rule = _rules(self.facts.rule, decision)
        block = -1 if evidence is None else evidence.title
        title = None if block < 0 else page.blocks[block].tolist()
        record = single.recorded(page).decided(page, keep, rules, rule, title)
        is_same = np.array_equal(keep, decision.alone.kept)
        if is_same and (evidence is None or not keep.any()):
            return single.replace(record=record)
        spans = record.main_spans
        is_known = is_same and single.record is not None
        return single.replace(
            kind=decision.kind(),
            confidence=decision.confidence,
            text=single.text if is_known else page.join(spans, page.lay_out_all(spans)),
            record=record,
        )

    def _decide(self, page: Page, alone: SinglePageResult) -> _Decision:
        facts = self.facts
        if page.source in facts.all_sources:
            facts = facts.of_source(page.source)
        evidence = read_page(facts, page, alone).evidence
        if evidence is not None:
            keep, confidence = choose(evidence, alone, self.extractor)
            place, is_empty = evidence.place, not keep.any()
            if not is_empty and not place.is_manual:
                keep = keep | (texts_with_notes(page, keep) & alone.kept)
            is_article = place.kind == "article"
            is_refused = is_empty and (is_article or (alone.is_sure and not place.is_proven))
            if is_refused or not (is_article or is_empty):
                evidence = None  # the method is surer than that
        if evidence is None:
            keep, confidence = alone.kept, alone.extraction.confidence
        ruled = _ruled(page, self.facts.rule)
        if ruled.any():
            keep = np.where(ruled == 0, keep, ruled == _KEEP)
        return _Decision(alone, evidence, ruled, keep, confidence)


# -- what a person says ------------------------------------------------------------------------


def _ruled(page: Page, rule: SiteRule) -> NDArray[np.int8]:
    """Return for each text node whether a rule keeps or drops it; the inner element counts."""
    ruled = np.zeros(page.text_at.size, dtype=np.int8)
    elements: dict[int, int] = {}
    for what, selectors in ((_KEEP, rule.keep), (_DROP, rule.drop)):
        for selector in selectors:
            elements.update(dict.fromkeys(find_nodes(page, selector).tolist(), what))
    for element, what in sorted(elements.items()):  # outer elements come first
        ruled[page.first_text[element] : page.last_text[element]] = what
    return ruled


def _rules(rule: SiteRule, decision: _Decision) -> tuple[tuple[Rule, ...], NDArray[np.uint8]]:
    """Return the site's and a person's rules, and for each text node which decided, from 1."""
    found, keep, alone = decision.evidence, decision.keep, decision.alone.kept
    decided = np.zeros(keep.size, np.uint8)
    given: tuple[str, bool, tuple[str, ...]] = ("", False, ())
    if found is not None:
        reasons = found.reasons()
        given = found.view.page.source, found.place.is_manual, reasons
        decided[keep & ~alone], decided[~keep & alone] = 3, 4
        relation = found.view.page.per_text(found.relation)
        named = np.array(reasons, dtype=bool)[relation] & ~keep
        if found.title >= 0:
            start, stop = found.view.page.blocks[found.title].tolist()
            named[start:stop] |= keep[start:stop]
        decided[named] = relation[named] + 5
    for said, number in ((_KEEP, 1), (_DROP, 2)):
        decided[decision.ruled == said] = number
    return _named(rule, *given), decided


@lru_cache(maxsize=256)
def _named(
    rule: SiteRule, source: str, is_manual: bool, reasons: tuple[str, ...]
) -> tuple[Rule, ...]:
    name = _MANUAL if is_manual and not source else "site"
    inside = (source and f"text of {source}") or "inside the rule's container"
    return (
        Rule(_MANUAL, f"always kept ({', '.join(rule.keep)})"),
        Rule(_MANUAL, f"never kept ({', '.join(rule.drop)})"),
        Rule(name, inside if is_manual else "on a content template path of the site"),
        Rule(name, "outweighed by what the site's pages have elsewhere"),
        *(Rule(name, reason) for reason in reasons),
    )
