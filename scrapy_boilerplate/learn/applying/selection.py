"""The answer on the whole page without what is known to be none of the article."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial

import numpy as np

from scrapy_boilerplate.core.answer.extraction import Extraction, Role, Segment, SegmentsLater
from scrapy_boilerplate.core.page import Page, cumulative
from scrapy_boilerplate.core.page.arrays import Bool, Int, Int64, in_spans
from scrapy_boilerplate.learn.applying.part import Part
from scrapy_boilerplate.learn.applying.single_page import SinglePageResult

_MOST = 0.8  # of the part that the method must have kept


def relies_on_whole(part: Part, alone: SinglePageResult) -> bool:
    """Return whether the method's answer on the whole page is relied on.

    That is if most of it is in the part, and the method has kept nearly all of that. Otherwise it
    may have taken something else on the page for the article, or only a piece of it.
    """
    if part.by_hand:
        return True
    words, kept = part.page.words, alone.kept
    given = part.per_text(part.inside)
    total, inside = int(words[kept].sum()), int(words[given].sum())
    both = int(words[kept & given].sum())
    if not both or 2 * both < total:
        return False
    return both >= _MOST * inside


def in_part(part: Part, alone: SinglePageResult) -> Bool:
    """Return for each text node whether it is kept: of the answer on the page what is in *part*."""
    return part.per_text(part.forced) | (alone.kept & part.per_text(part.inside))


def selected(
    part: Part, alone: SinglePageResult, keep: Bool, *, partitions: bool = False
) -> Extraction:
    """Return the answer on the whole page with the text nodes *keep* instead of its own.

    *partitions* tells whether the method reports every span of the page.
    """
    page, single = part.page, alone.extraction
    later = single.segments_later
    if later is not None and later.elements is None and not partitions:
        is_other = not np.array_equal(keep, alone.kept)
        return _selected_later(part, single, later, keep, is_other=is_other)
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


def _selected_later(
    part: Part, single: Extraction, later: SegmentsLater, keep: Bool, *, is_other: bool
) -> Extraction:
    """Return the same as from segments, which are made only when somebody asks for them."""
    page, rows = part.page, np.flatnonzero(later.main)
    spans, text = later.spans[rows], single.text
    of: Int64 = rows
    if is_other:
        spans, of = _divided(part, keep, spans, rows)
        text = page.join(spans, page.lay_out_all(spans))
    titles = np.zeros(len(spans), dtype=bool)
    if part.title >= 0:
        first, after = page.blocks[part.title].tolist()
        titles = (spans[:, 0] >= first) & (spans[:, 1] <= after)
    kind = part.kind_of(has_text=bool(len(spans)), by_method=bool(rows.size), kind=single.kind)
    return replace(single, kind=kind, text=text, segments=(), main=()).with_segments_later(
        later._replace(
            spans=spans,
            roles=partial(_roles, later.roles, of, titles),
            scores=np.append(later.scores, 0.0)[of],
            main=np.ones(len(spans), dtype=bool),
        )
    )


def _divided(part: Part, keep: Bool, spans: Int64, rows: Int64) -> tuple[Int64, Int64]:
    """Return the spans of what is kept, and the row of the segment that each is of.

    *spans* are those of the segments *rows*. What is kept of a segment, and not all of it, is a
    piece of its own; −1 stands for none.
    """
    kept = cumulative(keep)
    whole = kept[spans[:, 1]] - kept[spans[:, 0]] == spans[:, 1] - spans[:, 0]
    rest = keep & ~in_spans(spans[whole], keep.size)
    pieces, left = part.pieces(rest)
    pieces = pieces[left]
    # What the method said of a piece's first text node still counts.
    owner = np.searchsorted(spans[:, 0], pieces[:, 0], side="right") - 1
    said = np.full(len(pieces), -1)
    known = np.flatnonzero(owner >= 0)
    known = known[pieces[known, 0] < spans[owner[known], 1]]
    said[known] = rows[owner[known]]
    found, of = np.concatenate([spans[whole], pieces]), np.concatenate([rows[whole], said])
    order = np.argsort(found[:, 0], kind="stable")
    return found[order], of[order]


def _roles(given: Callable[[], list[Role]], of: Int, titles: Bool) -> list[Role]:
    """Return the roles of new segments, by what was *given* to those that they are *of*."""
    roles: list[Role] = [*given(), "body"]  # the last one is for those of none
    at = zip(of.tolist(), titles.tolist(), strict=True)
    return ["title" if is_title else roles[row] for row, is_title in at]


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
