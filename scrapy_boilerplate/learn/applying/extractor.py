"""A single-page method and what is known of the page's site, as one extractor."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from scrapy_boilerplate.core.answer.extraction import (
    Explanations,
    Extraction,
    Kind,
    Role,
    SegmentsLater,
)
from scrapy_boilerplate.core.methods.base import Extractor, Verdict, no_text
from scrapy_boilerplate.core.page import Page, PageReference
from scrapy_boilerplate.core.page.arrays import Bool, Int, in_spans
from scrapy_boilerplate.core.page.xpaths import smallest_nodes
from scrapy_boilerplate.learn.applying.evidence import SiteEvidence, choose
from scrapy_boilerplate.learn.applying.matching import read_page
from scrapy_boilerplate.learn.applying.showing import shown_page
from scrapy_boilerplate.learn.applying.single_page import SinglePageResult
from scrapy_boilerplate.learn.facts import SiteFacts, SiteRule
from scrapy_boilerplate.learn.selectors import find_nodes

_DROP, _KEEP = 1, 2


class _Decision(NamedTuple):
    """What is kept of a page, and who decided."""

    alone: SinglePageResult
    evidence: SiteEvidence | None
    """What the site's model says; ``None`` if the method's answer stays."""
    ruled: NDArray[np.int8]
    """Whether a person keeps or drops each text node; 0 for neither."""
    keep: Bool
    """Whether each text node is kept."""
    confidence: float | None
    """Expected word F1 of these."""

    @property
    def title(self) -> int:
        return -1 if self.evidence is None else self.evidence.title

    def kind(self) -> Kind:
        """Return the kind of the page."""
        evidence, kind = self.evidence, self.alone.extraction.kind
        if not self.keep.any():
            is_list = evidence is not None and evidence.place.kind in ("archive", "list")
            return "list" if is_list else "empty"
        if evidence is None:
            return "article" if kind in ("empty", "not_html") else kind
        is_corrected = kind == "list" and evidence.is_article
        return "article" if is_corrected or not self.alone.kept.any() else kind


@dataclass(frozen=True, slots=True)
class InSite(Extractor):
    """A single-page method's answer, changed by what is known of the site.

    What the site's model says of each block is weighed against what the method says. A person's
    rule on what is always or never part of the article decides at last.
    """

    name: ClassVar[str] = "site"

    facts: SiteFacts
    extractor: Extractor
    single: Extraction | None = None
    """What the method finds on the whole page, if that is known."""

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
        return Extractor.explain(self, self.shown(page))

    def shown(self, page: Page) -> Page:
        """Return *page* with the text that the site is known to hide, itself if it hides none."""
        return shown_page(self.facts, page, self._alone(page))

    def _alone(self, page: Page) -> SinglePageResult:
        return SinglePageResult(page, self.extractor, self.single)

    def _answer(self, page: Page, decision: _Decision) -> Extraction:
        single, keep = decision.alone.extraction, decision.keep
        is_same = np.array_equal(keep, decision.alone.kept)
        if is_same and (decision.evidence is None or not keep.any()):
            return single
        if not keep.any():
            empty = no_text(page, decision.kind(), self.extractor.name)
            return replace(empty, confidence=decision.confidence)
        partitions = getattr(self.extractor, "partitions", False)
        later = _segments(page, single, keep, decision.title, partitions=partitions)
        spans = later.spans[later.main]
        is_known = is_same and single.segments_later is not None
        text = single.text if is_known else page.join(spans, page.lay_out_all(spans))
        kind, confidence = decision.kind(), decision.confidence
        answer = replace(single, kind=kind, confidence=confidence, text=text, segments=(), main=())
        return answer.with_segments_later(later)

    def judge(self, page: Page) -> Verdict:
        """Judge the page's blocks, split where a piece of one is kept."""
        decision = self._decide(page, self._alone(page))
        alone, evidence, ruled, keep, confidence = decision
        cuts = np.flatnonzero((np.diff(keep) != 0) | (np.diff(ruled) != 0)) + 1
        spans = page.cut_blocks(cuts)
        starts = spans[:, 0]
        if isinstance(self.extractor, Extractor):
            inner = self.extractor.judge(page)
        else:
            inner = _verdict_of(alone.extraction, page)
        of = np.searchsorted(inner.spans[:, 0], starts, side="right") - 1
        block = np.searchsorted(page.blocks[:, 0], starts, side="right") - 1
        reasons = [""] * len(page.blocks) if evidence is None else evidence.reasons()
        kept, by_method = keep[starts], inner.keep[of]

        def reason(number: int) -> str:
            by_rule = _rule_reason(self.facts.rule, int(ruled[starts[number]]))
            said = reasons[block[number]]
            is_title = evidence is not None and block[number] == evidence.title
            if by_rule or (said and (is_title or not kept[number])):
                return by_rule or said
            if kept[number] and not by_method[number] and evidence is not None:
                by_hand = (page.source and f"text of {page.source}") or "the site's rule"
                return by_hand if evidence.place.by_hand else "content template path of the site"
            where = "" if evidence is None else f" in {evidence.place.selector}"
            return f"{self.extractor.name}{where}: {inner.reason(int(of[number]))}"

        def given() -> list[Role]:
            return ["body"] * len(inner.spans) if inner.roles is None else list(inner.roles)

        return Verdict(
            spans,
            kept,
            inner.scores[of],
            reason,
            roles=_roles(given, of, block == decision.title, by_method, kept),
            kind=decision.kind(),
            confidence=confidence,
        )

    def _decide(self, page: Page, alone: SinglePageResult) -> _Decision:
        facts = self.facts
        if page.source in facts.all_sources:
            facts = facts.of_source(page.source)
        evidence = read_page(facts, page, alone).evidence
        if evidence is not None:
            keep, confidence = choose(evidence, alone, self.extractor)
            is_refused = not keep.any() and alone.is_sure and not evidence.place.is_proven
            if is_refused or (evidence.place.kind != "article" and keep.any()):
                evidence = None  # the method is surer than that
        if evidence is None:
            keep, confidence = alone.kept, alone.extraction.confidence
        ruled = _ruled(page, self.facts.rule)
        if self.facts.rule.corrects:
            keep = np.where(ruled == 0, keep, ruled == _KEEP)
        return _Decision(alone, evidence, ruled, keep, confidence)


# -- what a person says ------------------------------------------------------------------------


def _ruled(page: Page, rule: SiteRule) -> NDArray[np.int8]:
    """Return for each text node whether a rule keeps or drops it.

    Of elements inside one another the inner one counts; an element that is both is dropped.
    """
    ruled = np.zeros(page.text_at.size, dtype=np.int8)
    elements: dict[int, int] = {}
    for what, selectors in ((_KEEP, rule.keep), (_DROP, rule.drop)):
        for selector in selectors:
            elements.update(dict.fromkeys(find_nodes(page, selector).tolist(), what))
    for element, what in sorted(elements.items()):  # outer elements come first
        ruled[page.first_text[element] : page.last_text[element]] = what
    return ruled


def _rule_reason(rule: SiteRule, said: int) -> str:
    if not said:
        return ""
    what, selectors = ("always", rule.keep) if said == _KEEP else ("never", rule.drop)
    return f"{what} kept by the site's rule ({', '.join(selectors)})"


# -- segments ----------------------------------------------------------------------------------


def _segments(
    page: Page, single: Extraction, keep: Bool, title: int, *, partitions: bool
) -> SegmentsLater:
    """Return what the segments of the text nodes *keep* are made from.

    A segment of the method stays whole if all of it is kept, or none of it and the method reports
    every span of the page (*partitions*). Else what is kept of each block is a segment of its own;
    what the method said of its first text node still counts.
    """
    given = single.segments_later or _given(page, single)
    rows = np.arange(len(given.spans)) if partitions else np.flatnonzero(given.main)
    spans = given.spans[rows]
    before = np.append(0, np.cumsum(keep))
    kept = before[spans[:, 1]] - before[spans[:, 0]]
    whole = kept == spans[:, 1] - spans[:, 0]
    if partitions:
        whole |= kept == 0
    rest = ~in_spans(spans[whole], keep.size)
    wanted = rest & (keep | partitions)
    found, of, order = spans[whole], rows[whole], np.arange(int(whole.sum()))
    if wanted.any():
        pieces = page.cut_blocks(np.flatnonzero((np.diff(keep) != 0) | (np.diff(rest) != 0)) + 1)
        pieces = pieces[wanted[pieces[:, 0]]]
        owner = np.searchsorted(spans[:, 0], pieces[:, 0], side="right") - 1
        said = np.full(len(pieces), -1)
        known = np.flatnonzero(owner >= 0)
        known = known[pieces[known, 0] < spans[owner[known], 1]]
        said[known] = rows[owner[known]]
        found, of = np.concatenate([found, pieces]), np.concatenate([of, said])
        order = np.argsort(found[:, 0], kind="stable")
    found, of, is_piece = found[order], of[order], order >= whole.sum()
    main = keep[found[:, 0]]
    titles = np.zeros(len(found), dtype=bool)
    if title >= 0:
        first, after = page.blocks[title].tolist()
        titles = (found[:, 0] >= first) & (found[:, 1] <= after)
    elements = given.elements
    if elements is not None:
        nodes = (page.text_parent, page.parent, page.first_text, page.last_text, page.is_block)
        elements = np.where(is_piece, smallest_nodes(found, *nodes), np.append(elements, 0)[of])
    kept_before = np.append(given.main, False)[of]
    return given._replace(
        spans=found,
        elements=elements,
        roles=partial(_roles, given.roles, of, titles, kept_before, main),
        scores=np.append(given.scores, 0.0)[of],
        main=main,
        others=True,
    )


def _roles(
    given: Callable[[], list[Role]], of: Int, titles: Bool, kept_before: Bool, kept: Bool
) -> list[Role]:
    """Return the roles of new segments, by what was *given* to those that they are *of*."""
    roles: list[Role] = [*given(), "body"]  # the last one is for those of none
    found = [roles[row] for row in of.tolist()]
    for number in np.flatnonzero(kept != kept_before).tolist():
        if not kept[number]:
            found[number] = "boilerplate"
        elif found[number] in ("boilerplate", "navigation"):
            found[number] = "body"
    for number in np.flatnonzero(titles & kept).tolist():
        found[number] = "title"
    return found


def _given(page: Page, single: Extraction) -> SegmentsLater:
    """Return what an answer's own segments say, in the form of those that are made later."""
    segments, main = single.segments, {segment.span for segment in single.main}
    return SegmentsLater(
        PageReference(page),
        np.array([segment.span for segment in segments], dtype=np.int64).reshape(-1, 2),
        None,
        page.layout,
        lambda: [segment.role for segment in segments],
        np.array([segment.score for segment in segments], dtype=np.float64),
        np.array([segment.span in main for segment in segments], dtype=bool),
        others=True,
    )


def _verdict_of(extraction: Extraction, page: Page) -> Verdict:
    """Return what an extraction says of each text node of its page."""
    given = extraction.segments_later or _given(page, extraction)
    size = page.text_at.size
    of = np.full(size, -1)
    for row in np.flatnonzero(given.main).tolist():
        of[slice(*given.spans[row].tolist())] = row
    at, keep, roles = np.arange(size), of >= 0, given.roles()
    return Verdict(
        np.stack([at, at + 1], axis=1),
        keep,
        np.append(given.scores, 0.0)[of],
        lambda text: "kept" if keep[text] else "dropped",
        roles=[roles[row] if row >= 0 else "boilerplate" for row in of.tolist()],
        kind=extraction.kind,
        confidence=extraction.confidence,
    )
