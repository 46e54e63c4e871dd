"""The base of all methods: a verdict on a page's spans of text."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import ClassVar, NamedTuple

import numpy as np

from scrapy_boilerplate.core.answer.extraction import (
    Explanation,
    Explanations,
    Extraction,
    Kind,
    Role,
    SegmentsLater,
)
from scrapy_boilerplate.core.page import Page, PageReference
from scrapy_boilerplate.core.page.arrays import Bool, Float, Int64
from scrapy_boilerplate.core.page.layout import runs_of

_MOST_OF_GARBLED = 0.5
"""Highest confidence for a page that was decoded wrongly."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """A method's judgement of each span of a page's text.

    The spans are disjoint, ascending, and together hold every text node of the page.
    """

    spans: Int64
    """Rows of (start, stop): half-open ranges of text nodes."""

    keep: Bool
    """Whether each span is main content."""

    scores: Float
    """The method's measure of each span."""

    reason: Callable[[int], str]
    """Function that explains why the i-th span was kept or dropped. Called only on demand."""

    roles: Sequence[Role] | None = None
    """Role of each span; looked at only on demand. Default: ``body`` for kept spans and
    ``boilerplate`` for the rest."""

    elements: Int64 | None = None
    """The element whose text each span is, −1 for a single text node. Default: the smallest node
    that holds the span."""

    kind: Kind | None = None
    """Kind of the page. Default: ``article`` if anything is kept, else ``empty``."""

    confidence: float | None = None
    """Expected word F1 of the kept text."""


class Weighed(NamedTuple):
    """A method's choice of a page's blocks, beside evidence of others."""

    keep: Bool
    """Whether each block is kept."""
    confidence: float | None
    """Expected word F1 of these blocks."""


class Extractor(ABC):
    """A method that finds the main content of a page.

    Subclasses implement :meth:`judge`. They are frozen dataclasses. Their fields are the method's
    options, and the defaults are the values of its source. They are pure: same page, same answer.
    """

    name: ClassVar[str]
    """Name under which the method is registered."""

    partitions: ClassVar[bool] = False
    """Whether to report every span as a coherent text, not only the main content."""

    weighs: ClassVar[bool] = False
    """Whether the method judges whole blocks, its scores are probabilities of content, and
    :meth:`weigh` tells what evidence of others changes."""

    @abstractmethod
    def judge(self, page: Page) -> Verdict:
        """Judge every text node of *page*, which holds at least one."""

    def weigh(self, page: Page, scores: Float, kept: Bool, evidence: Float) -> Weighed:
        """Choose the blocks of *page* to keep if *evidence* counts, too: log-odds of content.

        *scores* are the probabilities that the method gave the blocks, *kept* those it kept.
        """
        raise NotImplementedError(f"{self.name} does not weigh evidence")

    def extract(self, page: Page) -> Extraction:
        """Return the main content of *page*. Never raises for any page."""
        if page.block is not None:
            return no_text(page, "blocked", self.name)
        if not page.text_at.size:
            return no_text(page, "empty" if page.is_html else "not_html", self.name)
        verdict = self.judge(page)
        return _assemble(page, verdict, self)

    def explain(self, page: Page) -> Explanations:
        """Explain for each span of *page* why it was kept or dropped.

        >>> from scrapy_boilerplate import Page, get_extractor
        >>> page = Page.parse("<ul><li><a>Home</a></ul><p>A sentence of several words.")
        >>> [(e.kept, e.xpath) for e in get_extractor("mss").explain(page)]
        [(False, '/html/body/ul/li'), (True, '/html/body/p')]
        """
        if not page.text_at.size:
            return Explanations.of(page, np.zeros((0, 2), dtype=np.int64), ())
        verdict = self.judge(page)
        texts = page.lay_out_all(verdict.spans)
        xpaths = _xpaths(page, verdict, np.arange(len(verdict.spans)))
        explanations = (
            Explanation(
                text=" ".join(text.split()),
                xpath=xpath,
                kept=bool(verdict.keep[number]),
                score=float(verdict.scores[number]),
                reason=verdict.reason(number),
            )
            for number, (text, xpath) in enumerate(zip(texts, xpaths, strict=True))
        )
        return Explanations.of(page, verdict.spans, explanations)


def no_text(page: Page, kind: Kind, extractor: str) -> Extraction:
    """Return the answer of the named *extractor* if it finds nothing on *page*."""
    return Extraction(
        "",
        kind=kind,
        extractor=extractor,
        truncated=page.truncated,
        garbled=page.garbled,
        source=page.source,
        _page=PageReference(page),
    )


def _xpaths(page: Page, verdict: Verdict, numbers: Int64) -> list[str]:
    """Return the XPath of the spans of these *numbers*."""
    elements = None if verdict.elements is None else verdict.elements[numbers]
    return page.xpaths_of(verdict.spans[numbers], elements)


def _confidence(page: Page, verdict: Verdict) -> float | None:
    """Return a verdict's confidence, which is limited for a garbled page: its words are wrong."""
    if verdict.confidence is None or not page.garbled:
        return verdict.confidence
    return min(verdict.confidence, _MOST_OF_GARBLED)


def _assemble(page: Page, verdict: Verdict, extractor: Extractor) -> Extraction:
    """Lay out what was judged. Segments, with their roles and XPaths, are made on first use."""
    runs = runs_of(verdict.spans, verdict.keep.view(np.uint8))
    reference = PageReference(page)
    answer = Extraction(
        text=page.join(runs, page.lay_out_all(runs)),
        kind=verdict.kind or ("article" if len(runs) else "empty"),
        confidence=_confidence(page, verdict),
        extractor=extractor.name,
        truncated=page.truncated,
        garbled=page.garbled,
        source=page.source,
        _page=reference,
        _block_scores=verdict.scores.astype(np.float32) if extractor.weighs else None,
    )
    return answer.with_segments_later(
        SegmentsLater(
            reference,
            verdict.spans,
            verdict.elements,
            page.layout,
            partial(_roles, verdict.roles, verdict.keep),
            verdict.scores,
            verdict.keep,
            extractor.partitions,
        )
    )


def _roles(given: Sequence[Role] | None, keep: Bool) -> list[Role]:
    """Return the roles of spans, of which *keep* flags those kept."""
    return (
        ["body" if kept else "boilerplate" for kept in keep.tolist()] if given is None else [*given]
    )
