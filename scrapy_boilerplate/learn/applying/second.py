"""The method asked a second time: what it says of the part that is left of a page."""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property

import numpy as np

from scrapy_boilerplate.core.answer.extraction import Extraction, Kind, Role, Segment
from scrapy_boilerplate.core.methods import Extractor
from scrapy_boilerplate.core.methods.base import Verdict
from scrapy_boilerplate.core.page import Page
from scrapy_boilerplate.core.page.arrays import Bool, Int
from scrapy_boilerplate.learn.applying.part import Part


class SecondAnswer:
    """The method's verdict on a page, with what is known of the site.

    The method is given the part alone, or the whole page if its answer on that is relied on.
    """

    def __init__(self, part: Part, extractor: Extractor, *, whole: bool) -> None:
        self._part, self._extractor, self._whole = part, extractor, whole
        self._given = part.per_text(part.inside)
        self._texts = np.flatnonzero(self._given)

    @cached_property
    def _restricted(self) -> Page:
        return self._part.page.restricted(self._given)

    def reported(self, answer: Extraction) -> Extraction:
        """Return an *answer* on the part as one of the method's own."""
        segments = answer.main
        if getattr(self._extractor, "partitions", False):
            segments = _moved(self._extractor.extract(self._restricted).segments, self._texts)
        return replace(answer, segments=segments, extractor=self._extractor.name)

    def _of_method(self, texts: Int) -> Verdict:
        """Return the method's verdict on the text nodes that it is given."""
        if not texts.size:
            spans = np.zeros((0, 2), dtype=np.int64)
            keep, scores = np.zeros(0, dtype=bool), np.zeros(0)
            return Verdict(spans, keep, scores, str, kind=self._part.kind)
        page = self._part.page if texts.size == self._given.size else self._restricted
        if isinstance(self._extractor, Extractor):
            return self._extractor.judge(page)
        return verdict_of(self._extractor.extract(page), texts.size)

    def verdict(self, weighed: Bool | None = None) -> Verdict:
        """Return the blocks, split where the method kept a piece of one.

        *weighed* are the blocks to keep where the method has weighed what the site says.
        """
        part, given, texts = self._part, self._given, self._texts
        if weighed is not None or (texts.size and self._whole):
            texts = np.arange(given.size)
        inner = self._of_method(texts)
        span_of = np.full(given.size, -1, dtype=np.int64)  # the method's span of each text node
        span_of[texts] = np.repeat(np.arange(len(inner.spans)), np.diff(inner.spans)[:, 0])
        kept_texts = np.append(inner.keep, False)[span_of]
        if weighed is None:
            kept_texts &= given
            spans, kept = part.pieces(part.per_text(part.forced) | kept_texts)
        else:
            spans, kept = part.pieces(part.per_text(weighed))
        inner_of, by_method = span_of[spans[:, 0]], kept_texts[spans[:, 0]]
        block_of = np.searchsorted(part.page.blocks[:, 0], spans[:, 0], side="right") - 1
        roles: list[Role] = ["body" if flag else "boilerplate" for flag in kept.tolist()]
        for number in np.flatnonzero(kept).tolist():
            if block_of[number] == part.title:
                roles[number] = "title"
            elif inner.roles is not None and by_method[number]:
                roles[number] = inner.roles[inner_of[number]]
        reasons = part.reasons()

        def reason(number: int) -> str:
            left_out: str = reasons[int(block_of[number])]
            if left_out and (weighed is None or not kept[number] or block_of[number] == part.title):
                return left_out
            if kept[number] and not by_method[number]:
                return "the site's rule" if part.by_hand else "content template path of the site"
            why = inner.reason(int(inner_of[number]))
            return f"{self._extractor.name} in {part.place.selector}: {why}"

        has_text = bool(kept.any())
        if weighed is not None and not has_text:
            kind: Kind | None = part.kind
        else:
            kind = inner.kind and part.kind_of(
                has_text=has_text, by_method=bool(by_method.any()), kind=inner.kind
            )
        return Verdict(
            spans,
            kept,
            np.append(inner.scores, 0.0)[inner_of],
            reason,
            roles=roles,
            kind=kind,
            confidence=inner.confidence,
        )


def verdict_of(extraction: Extraction, size: int) -> Verdict:
    """Return what an extraction of a page with *size* text nodes says of each of them."""
    at = np.arange(size)
    keep, scores = np.zeros(size, dtype=bool), np.zeros(size)
    roles: list[Role] = ["boilerplate"] * size
    for segment in extraction.main:
        start, stop = segment.span
        keep[start:stop], scores[start:stop] = True, segment.score
        roles[start:stop] = [segment.role] * (stop - start)
    return Verdict(
        np.stack([at, at + 1], axis=1),
        keep,
        scores,
        lambda text: "kept" if keep[text] else "dropped",
        roles=roles,
        kind=extraction.kind,
        confidence=extraction.confidence,
    )


def _moved(segments: tuple[Segment, ...], texts: Int) -> tuple[Segment, ...]:
    """Return segments of the text nodes *texts* of a page with the page's spans."""

    def moved(segment: Segment) -> Segment:
        start, stop = segment.span
        return replace(segment, span=(int(texts[start]), int(texts[stop - 1]) + 1))

    return tuple(map(moved, segments))


def to_original(extraction: Extraction, texts: Int) -> Extraction:
    """Return an extraction of the text nodes *texts* of a page with the page's spans."""
    segments, main = _moved(extraction.segments, texts), _moved(extraction.main, texts)
    return replace(extraction, segments=segments, main=main)
