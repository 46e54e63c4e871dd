"""A site's model at work: which part of a page goes to the single-page method."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, Literal, NamedTuple
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from scrapy_boilerplate.extraction import Extraction, Kind, Role, Segment
from scrapy_boilerplate.extractors.base import Extractor, Verdict, _assemble
from scrapy_boilerplate.page import Page
from scrapy_boilerplate.sites.slots import Named, Outline, fold, in_spans, side_by_side, slot_hash

if TYPE_CHECKING:
    from scrapy_boilerplate.sites.model import SiteModel, Vote

__all__ = ["InSite", "Place", "locate", "outline_of"]

Int = NDArray[Any]
Bool = NDArray[np.bool_]

_FEW_ARTICLES = 3  # fewer do not show that their container is that of other pages, too
_LEAST_SHARE = 0.1  # of a page's kept text that must stand in a container of so few articles

_outlines: WeakKeyDictionary[Page, Outline] = WeakKeyDictionary()


def outline_of(page: Page) -> Outline:
    """Return the outline of *page*, made once."""
    outline = _outlines.get(page)
    if outline is None:
        outline = _outlines[page] = Outline(page)
    return outline


class Place(NamedTuple):
    """Where the article of a page is."""

    kind: Literal["article", "archive", "list", "untitled", "absent"]
    """``archive``: the container occurs several times. ``list``: what stands in it points to other
    pages. ``untitled``: it has no title, as all articles of the site do. ``absent``: the page has
    no container."""
    selector: str = ""
    """The container that was found."""
    first: int = 0
    """First block inside it …"""
    last: int = 0
    """… and the block after its last."""


def locate(model: SiteModel, outline: Outline) -> Place:
    """Find the article's container in a page; looked for once a page and model."""
    found: tuple[SiteModel, Place] | None = outline.located
    if found is None or found[0] is not model:
        found = outline.located = model, _locate(model, outline)
    return found[1]


def _locate(model: SiteModel, outline: Outline) -> Place:
    best = _container(model, outline)
    titles = _in_slots(outline, model.titles)
    if best.kind == "archive" and (titles & outline.titled).any():
        return Place("absent")  # a page with a title of its own, where articles have theirs
    if best.kind != "article":
        return best
    if not titles.any():  # an article's title is where it belongs
        text = outline.words[best.first : best.last]
        own = int((text * ~outline.teased[best.first : best.last]).sum())
        pointing = int(text.sum()) - own
        if pointing > own and own < model.min_words <= 2 * pointing:
            return best._replace(kind="list")
        if model.anchored:
            return best._replace(kind="untitled")
    return best


def _container(model: SiteModel, outline: Outline) -> Place:
    """Return the place of the container that counts: the first, of the rarest template."""
    words = np.append(0, np.cumsum(outline.words))
    best, archive = Place("absent"), Place("absent")
    score = most = 0.0  # the votes that speak for each
    by_hand = ((selector, float("inf")) for selector in model.rule.containers)
    for selector, votes in (*by_hand, *((vote.name, vote.score) for vote in model.containers)):
        elements = outline.find(selector)
        ranges = outline.block_ranges(elements)
        inside = words[ranges[:, 1]] - words[ranges[:, 0]]
        if not inside.any():
            continue
        same = Named(elements, np.zeros(elements.size, dtype=np.int64), [])
        heaviest, counts = side_by_side(same, inside, outline.page.end)
        first, last = ranges[heaviest[0]].tolist()
        if counts[0] > 1:
            if votes > most:
                archive, most = Place("archive", selector, first, last), votes
            continue
        known = words[best.last] - words[best.first]
        is_part = first <= best.first and best.last <= last and 2 * known < inside[heaviest[0]]
        if best.kind == "absent" or is_part:  # a small part of another container gives way
            best, score = Place("article", selector, first, last), votes
    return archive if most > score else best


def _in_slots(outline: Outline, votes: tuple[Vote, ...]) -> Bool:
    if not votes:
        return np.zeros(len(outline.page.blocks), dtype=bool)
    return outline.in_slots(frozenset(slot_hash(vote.name) for vote in votes))


@dataclass(frozen=True, slots=True)
class InSite(Extractor):
    """A single-page method that is given only what a site's model leaves of a page."""

    name: ClassVar[str] = "site"

    model: SiteModel
    extractor: Extractor

    def extract(self, page: Page) -> Extraction:
        """Return the main content of *page*."""
        cut = self._cut(page)
        if cut is None:
            return self.extractor.extract(page)
        outer = _assemble(page, cut.verdict(), self)
        segments = outer.main if cut.segments is None else cut.segments
        return replace(outer, segments=segments, extractor=self.extractor.name)

    def judge(self, page: Page) -> Verdict:
        """Judge the page's blocks, split where the method kept a part of one."""
        cut = self._cut(page)
        if cut is None:
            return self.extractor.judge(page)
        return cut.verdict()

    def _cut(self, page: Page) -> _Cut | None:
        """Return what the model leaves of the page; ``None`` if the method gets all of it."""
        if not page.text_at.size or not self.model.useful:
            return None
        outline = outline_of(page)
        place = locate(self.model, outline)
        if place.kind == "article" and self._is_doubtful(outline, place):
            return None
        if place.kind != "article" and not self._is_no_article(outline, place):
            if place.kind in ("archive", "absent"):
                return None
            place = place._replace(kind="article")
        return _Cut(self.model, self.extractor, outline, place)

    def _is_doubtful(self, outline: Outline, place: Place) -> bool:
        """Tell whether a container of very few articles holds next to none of a page's text."""
        by_hand = place.selector in self.model.rule.containers
        if by_hand or self.model.articles >= _FEW_ARTICLES:
            return False
        main = self.extractor.extract(outline.page).main
        kept = outline.kept_words(segment.span for segment in main) * ~outline.teased
        return int(kept[place.first : place.last].sum()) < _LEAST_SHARE * int(kept.sum())

    def _is_no_article(self, outline: Outline, place: Place) -> bool:
        """Tell whether a page that does not have the article's container has no article."""
        model = self.model
        if not model.safe:
            return False
        if place.kind != "absent":
            return True
        if model.rule.containers:
            return True
        if model.complete and model.titles and not _in_slots(outline, model.titles).any():
            return True
        extraction = self.extractor.extract(outline.page)
        kept = outline.kept_words(segment.span for segment in extraction.main)
        return extraction.kind == "list" or int((kept * ~outline.teased).sum()) < model.min_words


class _Cut:
    """The part of a page that a model leaves, and what the method makes of it."""

    def __init__(
        self, model: SiteModel, extractor: Extractor, outline: Outline, place: Place
    ) -> None:
        self.model = model
        self.extractor = extractor
        self.outline = outline
        self.page = outline.page
        self.place = place
        blocks = len(self.page.blocks)
        self.inside = np.zeros(blocks, dtype=bool)
        self.reasons: list[str | None] = ["outside the site's container"] * blocks
        self.forced = np.zeros(blocks, dtype=bool)
        self.title = -1
        if place.kind == "article":
            self._choose()
        else:
            why = {
                "absent": "the page has no container of the site",
                "archive": f"{place.selector} occurs several times: a page of lists",
                "list": f"what stands in {place.selector} points to other pages",
                "untitled": "the page has no title where the site's articles have theirs",
            }[place.kind]
            self.reasons = [f"no article: {why}"] * blocks

    # -- the choice --------------------------------------------------------------------------

    def _choose(self) -> None:
        place, model = self.place, self.model
        first = place.first
        last = self._end()
        self.inside[first:last] = True
        self._drop(np.arange(last, place.last), "after the end of the article")
        for block in range(first, last):
            self.reasons[block] = None
        region = np.flatnonzero(self.inside)
        self._drop(region[_in_slots(self.outline, model.boilerplate)[region]], "boilerplate slot")
        if model.repeats:
            region = np.flatnonzero(self.inside)
            texts = self.outline.texts(region.tolist()).astype(np.uint64)
            hashes = fold(self.outline.slots[region].astype(np.uint64) << np.uint64(32) | texts)
            repeated = [number in model.repeats for number in hashes.tolist()]
            self._drop(region[repeated], "repeats on other pages of the site")
        for selector in model.rule.drop:
            self._drop(self._in_elements(selector), f"dropped by the site's rule {selector}")
        if place.selector in model.rule.containers:  # a person says that this is the article
            self.forced = self.inside.copy()
        else:
            self.forced = self.inside & _in_slots(self.outline, model.content)
        self._add_title()

    def _drop(self, blocks: Int, reason: str) -> None:
        self.inside[blocks] = False
        for block in blocks.tolist():
            self.reasons[block] = reason

    def _in_elements(self, selector: str) -> Int:
        ranges = self.outline.block_ranges(self.outline.find_nodes(selector))
        return np.flatnonzero(in_spans(map(tuple, ranges.tolist()), self.inside.size))

    def _end(self) -> int:
        """Return the block before which the article ends."""
        first, last = self.place.first, self.place.last
        ends = [last]
        for selector in self.model.rule.cuts:
            elements = self.outline.find_nodes(selector)
            # A cut point may hold no text: what starts after it is cut off.
            at = np.searchsorted(
                self.page.text_at[self.page.blocks[:, 0]], elements, side="right"
            ).tolist()
            ends += [block for block in at if first < block < last]
        if self.model.cuts:
            slots = self.outline.slots[first:last].tolist()
            content = np.flatnonzero(_in_slots(self.outline, self.model.content)[first:last])
            begun = int(content[0]) + 1 if content.size else 1
            for cut in self.model.cuts:
                wanted = [slot_hash(name) for name in cut.slots]
                for block in range(max(begun, len(wanted) - 1), len(slots)):
                    if slots[block - len(wanted) + 1 : block + 1] == wanted:
                        ends.append(first + block)
                        break
        return min(ends)

    def _add_title(self) -> None:
        """Keep the article's title, inside the container or else the nearest one before it."""
        titles = _in_slots(self.outline, self.model.titles)
        for selector in self.model.rule.titles:
            titles[self._in_elements(selector)] = True
        place = self.place
        within = np.flatnonzero((titles & self.inside)[place.first : place.last])
        before = np.flatnonzero(titles[: place.first])
        if within.size:
            self.title = place.first + int(within[0])
        elif before.size:
            self.title = int(before[-1])
        else:
            return
        self.inside[self.title] = self.forced[self.title] = True

    # -- the answer --------------------------------------------------------------------------

    @cached_property
    def _texts(self) -> Int:
        """Text nodes that the method is given."""
        return np.flatnonzero(self._per_text(self.inside))

    def _per_text(self, flags: Bool) -> Bool:
        return np.repeat(flags, self.page.blocks[:, 1] - self.page.blocks[:, 0])

    @cached_property
    def _part(self) -> Page:
        return self.page.restricted(self._per_text(self.inside))

    @cached_property
    def segments(self) -> tuple[Segment, ...] | None:
        """What a method that partitions the page made of the part; ``None`` for other methods."""
        if not getattr(self.extractor, "partitions", False) or not self._texts.size:
            return None
        return tuple(
            replace(segment, span=_original(segment.span, self._texts))
            for segment in self.extractor.extract(self._part).segments
        )

    @cached_property
    def _inner(self) -> Verdict:
        """The method's verdict on the part that it is given."""
        if not self._texts.size:
            return _nothing("list" if self.place.kind in ("archive", "list") else "empty")
        if isinstance(self.extractor, Extractor):
            return self.extractor.judge(self._part)
        return _verdict_of(self.extractor.extract(self._part), self._texts.size)

    def verdict(self) -> Verdict:
        """Return the blocks, split where the method kept a part of one."""
        page, inner, texts = self.page, self._inner, self._texts
        keep = self._per_text(self.forced)
        span_of = np.full(keep.size, -1, dtype=np.int64)  # the method's span of each text node
        span_of[texts] = np.repeat(np.arange(len(inner.spans)), np.diff(inner.spans)[:, 0])
        keep[texts] |= inner.keep[span_of[texts]]
        cuts = np.union1d(page.blocks[:, 0], np.flatnonzero(np.diff(keep)) + 1)
        spans = np.stack([cuts, np.append(cuts[1:], keep.size)], axis=1)
        block_of = np.searchsorted(page.blocks[:, 0], cuts, side="right") - 1
        kept, inner_of = keep[cuts], span_of[cuts]
        scores = np.zeros(cuts.size)
        scores[inner_of >= 0] = inner.scores[inner_of[inner_of >= 0]]
        roles: list[Role] = ["body" if flag else "boilerplate" for flag in kept.tolist()]
        for number in np.flatnonzero(kept).tolist():
            if block_of[number] == self.title:
                roles[number] = "title"
            elif inner.roles is not None and inner.keep[inner_of[number]]:
                roles[number] = inner.roles[inner_of[number]]

        def reason(number: int) -> str:
            block, span = int(block_of[number]), int(inner_of[number])
            if block == self.title:
                return "the article's title"
            if self.reasons[block] is not None:
                return str(self.reasons[block])
            if kept[number] and not inner.keep[span]:
                by_hand = self.place.selector in self.model.rule.containers
                return "the site's rule" if by_hand else "content slot of the site"
            return f"{self.extractor.name} in {self.place.selector}: {inner.reason(span)}"

        return Verdict(
            spans,
            kept,
            scores,
            reason,
            roles=roles,
            kind="article" if kept.any() and not inner.keep.any() else inner.kind,
            confidence=inner.confidence,
        )


def _nothing(kind: Kind) -> Verdict:
    spans = np.zeros((0, 2), dtype=np.int64)
    return Verdict(spans, np.zeros(0, dtype=bool), np.zeros(0), str, kind=kind)


def _verdict_of(extraction: Extraction, size: int) -> Verdict:
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


def _original(span: tuple[int, int], texts: Int) -> tuple[int, int]:
    """Return the span of a page that holds a *span* of the part with the text nodes *texts*."""
    return int(texts[span[0]]), int(texts[span[1] - 1]) + 1


def to_original(extraction: Extraction, texts: Int) -> Extraction:
    """Return an extraction of the text nodes *texts* of a page with the page's spans."""

    def moved(segments: tuple[Segment, ...]) -> tuple[Segment, ...]:
        return tuple(replace(s, span=_original(s.span, texts)) for s in segments)

    return replace(extraction, segments=moved(extraction.segments), main=moved(extraction.main))
