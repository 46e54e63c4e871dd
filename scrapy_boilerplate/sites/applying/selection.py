"""The answer on the whole page without what is known to be none of the article."""

from __future__ import annotations

from dataclasses import replace

from scrapy_boilerplate.extraction import Extraction, Segment
from scrapy_boilerplate.page import Page, cumulative
from scrapy_boilerplate.page.arrays import Bool
from scrapy_boilerplate.sites.applying.alone import Alone
from scrapy_boilerplate.sites.applying.part import Part

__all__ = ["relies_on_whole", "selected"]

_LIKELY = 0.5  # confidence from which on a method's answer on the whole page is relied on
_MOST = 0.8  # of the part that it must have kept if it does not say how sure it is


def relies_on_whole(part: Part, alone: Alone) -> bool:
    """Tell whether the method's answer on the whole page is relied on.

    That is if most of it is in the part, and the method says that it is sure or has kept nearly all
    of the part. Otherwise it may have taken something else on the page for the article, or only a
    piece of it.
    """
    if part.by_hand:
        return True
    words, kept = part.page.words, alone.kept
    given = part.per_text(part.inside)
    total, inside = int(words[kept].sum()), int(words[given].sum())
    both = int(words[kept & given].sum())
    if not both or 2 * both < total:
        return False
    return alone.confidence >= _LIKELY or both >= _MOST * inside


def selected(part: Part, alone: Alone, *, partitions: bool) -> Extraction:
    """Return the answer on the whole page without what is not in the part.

    *partitions* tells whether the method reports every span of the page.
    """
    page, single = part.page, alone.extraction
    keep = part.per_text(part.forced) | (alone.kept & part.per_text(part.inside))
    whole, rest = _whole_segments(single, keep)
    main = sorted([*whole, *_new_segments(part, single, rest)], key=lambda segment: segment.span)
    if part.title >= 0:
        first, after = page.blocks[part.title].tolist()
        main = [
            replace(segment, role="title")
            if first <= segment.span[0] and segment.span[1] <= after
            else segment
            for segment in main
        ]
    return replace(
        single,
        kind=part.kind_of(has_text=bool(main), by_method=bool(single.main), kind=single.kind),
        text=_text(page, main),
        segments=single.segments if partitions else tuple(main),
        main=tuple(main),
    )


def _whole_segments(single: Extraction, keep: Bool) -> tuple[list[Segment], Bool]:
    """Return the segments all of whose text nodes are kept, and the other kept text nodes."""
    kept = cumulative(keep).tolist()
    whole, rest = [], keep.copy()
    for segment in single.main:
        start, stop = segment.span
        if kept[stop] - kept[start] == stop - start:
            whole.append(segment)
            rest[start:stop] = False
    return whole, rest


def _new_segments(part: Part, single: Extraction, rest: Bool) -> list[Segment]:
    """Return segments of the text nodes *rest*; what the method said of each still counts."""
    page = part.page
    spans, left = part.pieces(rest)
    spans = spans[left]
    known = {
        text: segment for segment in single.main for text in range(*segment.span) if rest[text]
    }
    texts, xpaths = page.lay_out_all(spans), page.xpaths_of(spans)
    segments = []
    for number, (start, stop) in enumerate(spans.tolist()):
        segment = Segment(texts[number], xpaths[number], span=(start, stop))
        if start in known:
            segment = replace(segment, role=known[start].role, score=known[start].score)
        segments.append(segment)
    return segments


def _text(page: Page, segments: list[Segment]) -> str:
    return page.join([segment.span for segment in segments], [segment.text for segment in segments])
