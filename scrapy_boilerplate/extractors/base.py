"""What every method is: a verdict on a page's spans of text."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from scrapy_boilerplate.extraction import Explanation, Extraction, Kind, Role, Segment
from scrapy_boilerplate.page import Page

__all__ = ["Extractor", "Verdict"]


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a method thinks of each span of a page's text.

    The spans are disjoint, ascending, and together hold every text node of the page.
    """

    spans: NDArray[np.int64]
    """Rows of (start, stop): half-open ranges of text nodes."""

    keep: NDArray[np.bool_]
    """Whether each span is main content."""

    scores: NDArray[np.float64]
    """The method's measure of each span."""

    reason: Callable[[int], str]
    """Says in words why the i-th span was kept or dropped; called only when asked."""

    roles: Sequence[Role] | None = None
    """Role of each span; by default ``body`` for what is kept and ``boilerplate`` for the rest."""

    xpaths: Callable[[int], str] | None = None
    """XPath of the i-th span's node; by default the smallest node that holds the span."""

    kind: Kind | None = None
    """What the page is; by default ``article`` if anything is kept, else ``empty``."""

    confidence: float | None = None
    """Expected word F1 of what is kept."""


class Extractor(ABC):
    """A method that finds the main content of a page.

    Subclasses are frozen dataclasses whose fields are the method's options, with the values of its
    source as defaults, and implement :meth:`judge`. They are pure: same page, same answer.
    """

    name: ClassVar[str]
    """Name under which the method is registered."""

    partitions: ClassVar[bool] = False
    """Whether every span is a coherent text worth reporting, not only the main content."""

    @abstractmethod
    def judge(self, page: Page) -> Verdict:
        """Judge every text node of *page*, which holds at least one."""

    def extract(self, page: Page) -> Extraction:
        """Return the main content of *page*. Never raises, whatever the page holds."""
        if not page.text_at.size:
            kind: Kind = "empty" if page.is_html else "not_html"
            return Extraction("", kind=kind, extractor=self.name, truncated=page.truncated)
        verdict = self.judge(page)
        return _assemble(page, verdict, self)

    def explain(self, page: Page) -> tuple[Explanation, ...]:
        """Say for each span of *page*, kept or dropped, what decided.

        >>> from scrapy_boilerplate import Page, get_extractor
        >>> page = Page.parse("<ul><li><a>Home</a></ul><p>A sentence of several words.")
        >>> [(e.kept, e.xpath) for e in get_extractor("mss").explain(page)]
        [(False, '/html/body/ul/li'), (True, '/html/body/p')]
        """
        if not page.text_at.size:
            return ()
        verdict = self.judge(page)
        xpaths = _xpaths(page, verdict, range(len(verdict.spans)))
        return tuple(
            Explanation(
                text=" ".join(page.lay_out(start, stop).split()),
                xpath=xpaths[number],
                kept=bool(verdict.keep[number]),
                score=float(verdict.scores[number]),
                reason=verdict.reason(number),
            )
            for number, (start, stop) in enumerate(verdict.spans.tolist())
        )


def _xpaths(page: Page, verdict: Verdict, numbers: Sequence[int]) -> list[str]:
    """Return the XPath of the spans of these *numbers*."""
    if verdict.xpaths:
        return [*map(verdict.xpaths, numbers)]
    return page.xpaths_of(verdict.spans[numbers])


def _assemble(page: Page, verdict: Verdict, extractor: Extractor) -> Extraction:
    """Lay out what was judged."""
    spans, keep = verdict.spans.tolist(), verdict.keep.tolist()  # lists are faster one by one
    scores = verdict.scores.astype(np.float64).tolist()
    by_default: tuple[Role, Role] = ("boilerplate", "body")
    roles = verdict.roles or [by_default[kept] for kept in keep]
    kept = [number for number in range(len(spans)) if keep[number]]
    reported = range(len(spans)) if extractor.partitions else kept
    segments = {
        number: Segment(
            page.lay_out(*spans[number]), xpath, roles[number], scores[number], (*spans[number],)
        )
        for number, xpath in zip(reported, _xpaths(page, verdict, reported), strict=True)
    }
    main = tuple(segments[number] for number in kept)
    return Extraction(
        text=page.join([segment.span for segment in main], [segment.text for segment in main]),
        segments=tuple(segments.values()),
        main=main,
        kind=verdict.kind or ("article" if kept else "empty"),
        confidence=verdict.confidence,
        extractor=extractor.name,
        truncated=page.truncated,
    )
