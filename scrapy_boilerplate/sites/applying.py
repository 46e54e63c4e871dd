"""A site's model at work: which part of a page goes to the single-page method."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, Literal, NamedTuple
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from scrapy_boilerplate.extraction import Extraction, Kind, Role, Segment
from scrapy_boilerplate.extractors.base import Extractor, Verdict, _assemble, no_text
from scrapy_boilerplate.page import Page, cumulative
from scrapy_boilerplate.sites.template import TemplateView, fold, heaviest_of, in_spans

if TYPE_CHECKING:
    from scrapy_boilerplate.sites.model import SiteModel

__all__ = ["BOILERPLATE", "CONTENT", "RATHER", "TITLE", "InSite", "Place", "locate", "view_of"]

Int = NDArray[Any]
Bool = NDArray[np.bool_]

TITLE, CONTENT, RATHER, BOILERPLATE = 1, 2, 4, 8
"""What a model says of a template path; it may say several things. ``RATHER`` goes with ``CONTENT``
where the method kept less than half of the template path's text, and all around it is content."""

_FEW_ARTICLES = 3  # fewer do not show that their container is that of other pages, too
_LEAST_SHARE = 0.1  # of a page's kept text that must stand in a container of so few articles
_LIKELY = 0.5  # confidence from which on a method's answer on the whole page is relied on …
_SURE = 0.8  # … and from which on it is believed against what the site's pages say
_MOST = 0.8  # of what the model leaves that it must have kept if it does not say how sure it is

_views: WeakKeyDictionary[Page, TemplateView] = WeakKeyDictionary()


def view_of(page: Page) -> TemplateView:
    """Return the view of *page*, made once."""
    view = _views.get(page)
    if view is None:
        view = _views[page] = TemplateView(page)
    return view


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


class _Located(NamedTuple):
    """What a model finds on a page."""

    model: SiteModel
    flags: Int
    """What the model says of each block's path."""
    place: Place


def locate(model: SiteModel, view: TemplateView) -> Place:
    """Find the article's container in a page; looked for once a page and model."""
    return _located(model, view).place


def _located(model: SiteModel, view: TemplateView) -> _Located:
    found: _Located | None = view.located
    if found is None or found.model is not model:
        flags = view.flags(model.path_flags)
        found = _Located(model, flags, _locate(model, view, (flags & TITLE) > 0))
        view.located = found
    return found


def _locate(model: SiteModel, view: TemplateView, titles: Bool) -> Place:
    best = _container(model, view)
    if best.kind == "archive" and titles.any() and (titles & view.matches_title).any():
        return Place("absent")  # a page with a title of its own, where articles have theirs
    if best.kind != "article":
        return best
    if not titles.any():  # an article's title is where it belongs
        text = view.words[best.first : best.last]
        own = int((text * ~view.is_teaser[best.first : best.last]).sum())
        pointing = int(text.sum()) - own
        if pointing > own and own < model.min_words <= 2 * pointing:
            return best._replace(kind="list")
        if model.anchored:
            return best._replace(kind="untitled")
    return best


def _container(model: SiteModel, view: TemplateView) -> Place:
    """Return the place of the container that counts: the first, of the rarest template."""
    words = view.words_before
    best, archive = Place("absent"), Place("absent")
    score = most = 0.0  # the votes that speak for each
    by_hand = ((selector, float("inf")) for selector in model.rule.containers)
    for selector, votes in (*by_hand, *((vote.name, vote.score) for vote in model.containers)):
        elements = view.find(selector)
        if not elements.size:
            continue
        ranges = view.block_ranges(elements)
        inside = words[ranges[:, 1]] - words[ranges[:, 0]]
        heaviest, count = heaviest_of(elements, inside, view.page.end)
        first, last = ranges[heaviest].tolist()
        if not inside[heaviest]:
            continue
        if count > 1:
            if votes > most:
                archive, most = Place("archive", selector, first, last), votes
            continue
        known = words[best.last] - words[best.first]
        is_part = first <= best.first and best.last <= last and 2 * known < inside[heaviest]
        if best.kind == "absent" or is_part:  # a small part of another container gives way
            best, score = Place("article", selector, first, last), votes
    return archive if most > score else best


class _Alone:
    """What the single-page method finds on a whole page; asked for only when it matters."""

    def __init__(self, page: Page, extractor: Extractor, known: Extraction | None) -> None:
        self._page = page
        self._extractor = extractor
        self._known = known

    @cached_property
    def extraction(self) -> Extraction:
        """Its answer."""
        return self._known or self._extractor.extract(self._page)

    @cached_property
    def kept(self) -> Bool:
        """Whether it kept each text node."""
        return in_spans((segment.span for segment in self.extraction.main), self._page.text_at.size)

    @property
    def confidence(self) -> float:
        """How sure it is of its answer; 0 if it does not say."""
        return self.extraction.confidence or 0.0

    @cached_property
    def sure_blocks(self) -> Bool:
        """Whether it kept each block and is sure of its answer."""
        if self.confidence < _SURE:
            return np.zeros(len(self._page.blocks), dtype=bool)
        kept = self._kept_words
        sure: Bool = (kept > 0) & (2 * kept >= self._page.per_block(self._page.words))
        return sure

    @cached_property
    def _kept_words(self) -> Int:
        """How many words of each block it kept."""
        return self._page.per_block(self._page.words * self.kept)

    def own_words(self, view: TemplateView) -> Int:
        """Return for each block how many of its words were kept, if it points nowhere else."""
        words: Int = self._kept_words * ~view.is_teaser
        return words


@dataclass(frozen=True, slots=True)
class InSite(Extractor):
    """A single-page method's answer, as far as a site's model agrees.

    Where the method's answer on the whole page is not to be relied on, it is asked again, and given
    only what the model leaves of the page.
    """

    name: ClassVar[str] = "site"

    model: SiteModel
    extractor: Extractor
    single: Extraction | None = None
    """What the method finds on the whole page, if that is known."""

    def extract(self, page: Page) -> Extraction:
        """Return the main content of *page*."""
        alone = _Alone(page, self.extractor, self.single)
        cut = self._cut(page, alone)
        if cut is None:
            return alone.extraction
        return cut.selected() or cut.asked_again(_assemble(page, cut.verdict(), self))

    def judge(self, page: Page) -> Verdict:
        """Judge the page's blocks, split where the method kept a part of one."""
        cut = self._cut(page, _Alone(page, self.extractor, self.single))
        return cut.verdict() if cut is not None else self.extractor.judge(page)

    def _cut(self, page: Page, alone: _Alone) -> _Cut | None:
        """Return what the model leaves of the page; ``None`` if the method gets all of it."""
        if not page.text_at.size or not self.model.useful:
            return None
        view = view_of(page)
        located = _located(self.model, view)
        place = located.place
        if place.kind == "article" and self._is_doubtful(view, place, alone):
            return None
        if place.kind != "article" and not self._is_no_article(view, located, alone):
            if place.kind in ("archive", "absent"):
                return None
            located = located._replace(place=place._replace(kind="article"))
        return _Cut(self.extractor, view, located, alone)

    def _is_doubtful(self, view: TemplateView, place: Place, alone: _Alone) -> bool:
        """Tell whether a container of very few articles holds next to none of a page's text."""
        by_hand = place.selector in self.model.rule.containers
        if by_hand or self.model.articles >= _FEW_ARTICLES:
            return False
        kept = alone.own_words(view)
        return int(kept[place.first : place.last].sum()) < _LEAST_SHARE * int(kept.sum())

    def _is_no_article(self, view: TemplateView, located: _Located, alone: _Alone) -> bool:
        """Tell whether a page that does not have the article's container has no article."""
        model = self.model
        if not model.safe:
            return False
        by_headings = located.place.kind in ("list", "untitled")  # there is a container
        if by_headings and alone.confidence >= _SURE and alone.extraction.kind == "article":
            return False
        if located.place.kind != "absent" or model.rule.containers:
            return True
        if model.complete and model.titles and not (located.flags & TITLE).any():
            return True
        if alone.extraction.kind == "list":
            return True
        return int(alone.own_words(view).sum()) < model.min_words


class _Cut:
    """The part of a page that a model leaves, and what the method makes of it."""

    def __init__(
        self, extractor: Extractor, view: TemplateView, located: _Located, alone: _Alone
    ) -> None:
        self.model, self.flags, self.place = located
        self.extractor = extractor
        self.view = view
        self.page = view.page
        self.alone = alone
        blocks = len(self.page.blocks)
        self.inside = np.zeros(blocks, dtype=bool)
        self.forced = np.zeros(blocks, dtype=bool)
        self.dropped: list[tuple[Int, str]] = []
        """Blocks inside the container that are not given to the method, and why."""
        self.title = -1
        if self.place.kind == "article":
            self._choose()

    # -- the choice --------------------------------------------------------------------------

    def _choose(self) -> None:
        place, model = self.place, self.model
        first, last = place.first, self._end()
        self.inside[first:last] = True
        self._drop(np.arange(last, place.last), "after the end of the article")
        region = np.arange(first, last)
        self._drop_learned(
            region[(self.flags[first:last] & BOILERPLATE) > 0], "boilerplate template path"
        )
        if model.repeats:
            region = np.flatnonzero(self.inside)
            texts = self.view.texts(region.tolist()).astype(np.uint64)
            hashes = fold(self.view.paths[region].astype(np.uint64) << np.uint64(32) | texts)
            repeated = [number in model.repeats for number in hashes.tolist()]
            self._drop_learned(region[repeated], "repeats on other pages of the site")
        for selector in model.rule.drop:
            self._drop(self._in_elements(selector), f"dropped by the site's rule {selector}")
        self.forced = self.inside.copy()
        if not self._is_by_hand:
            self.forced &= (self.flags & CONTENT) > 0
            rather = self.forced & ((self.flags & RATHER) > 0)
            if rather.any() and self.alone.confidence >= _SURE:
                self.forced &= ~rather
        self._add_title()

    @property
    def _is_by_hand(self) -> bool:
        """Whether a person says that the container is the article."""
        return self.place.selector in self.model.rule.containers

    def _drop(self, blocks: Int, reason: str) -> None:
        self.inside[blocks] = False
        self.dropped.append((blocks, reason))

    def _drop_learned(self, blocks: Int, reason: str) -> None:
        """Drop what is no content on most pages, but for what a method that is sure has kept."""
        if blocks.size and not self._is_by_hand:
            blocks = blocks[~self.alone.sure_blocks[blocks]]
        self._drop(blocks, reason)

    def _in_elements(self, selector: str) -> Int:
        ranges = self.view.block_ranges(self.view.find_nodes(selector))
        return np.flatnonzero(in_spans(map(tuple, ranges.tolist()), self.inside.size))

    def _end(self) -> int:
        """Return the block before which the article ends."""
        first, last = self.place.first, self.place.last
        ends = [last]
        for selector in self.model.rule.cuts:
            elements = self.view.find_nodes(selector)
            # A cut point may hold no text: what starts after it is cut off.
            at = np.searchsorted(
                self.page.text_at[self.page.blocks[:, 0]], elements, side="right"
            ).tolist()
            ends += [block for block in at if first < block < last]
        if self.model.cuts:
            paths = self.view.paths[first:last].tolist()
            content = np.flatnonzero((self.flags[first:last] & CONTENT) > 0)
            begun = int(content[0]) + 1 if content.size else 1
            for wanted in self.model.cut_paths:
                for block in range(max(begun, len(wanted) - 1), len(paths)):
                    if paths[block - len(wanted) + 1 : block + 1] == wanted:
                        ends.append(first + block)
                        break
        return min(ends)

    def _add_title(self) -> None:
        """Keep the article's title, inside the container or else the nearest one before it."""
        titles = (self.flags & TITLE) > 0
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

    def _per_text(self, flags: Bool) -> Bool:
        return np.repeat(flags, self.page.blocks[:, 1] - self.page.blocks[:, 0])

    @cached_property
    def _given(self) -> Bool:
        """Text nodes that the model leaves."""
        return self._per_text(self.inside)

    @cached_property
    def _is_whole(self) -> bool:
        """Whether the method's answer on the whole page is relied on.

        That is if most of it is what the model leaves, and the method says that it is sure or has
        kept nearly all of that. Else it may have taken something else on the page for the article,
        or a part for the whole.
        """
        if self._is_by_hand:
            return True
        words, kept = self.page.words, self.alone.kept
        total, inside = int(words[kept].sum()), int(words[self._given].sum())
        both = int(words[kept & self._given].sum())
        if not both or 2 * both < total:
            return False
        return self.alone.confidence >= _LIKELY or both >= _MOST * inside

    @property
    def _partitions(self) -> bool:
        return getattr(self.extractor, "partitions", False)

    @property
    def _kind(self) -> Kind:
        """What a page is of which nothing is left."""
        return "list" if self.place.kind in ("archive", "list") else "empty"

    def selected(self) -> Extraction | None:
        """Return the answer on the whole page without what the model leaves out.

        ``None`` if the method has to be asked again.
        """
        page = self.page
        if not self.inside.any():
            return no_text(page, self._kind, self.extractor.name)
        if not self._is_whole:
            return None
        single = self.alone.extraction
        keep = self._per_text(self.forced) | (self.alone.kept & self._given)
        kept = cumulative(keep).tolist()
        whole, rest = [], keep.copy()
        for segment in single.main:
            start, stop = segment.span
            if kept[stop] - kept[start] == stop - start:
                whole.append(segment)
                rest[start:stop] = False
        spans, left = self._pieces(rest)
        spans = spans[left]
        known = {text: part for part in single.main for text in range(*part.span) if rest[text]}
        texts, xpaths = page.lay_out_all(spans), page.xpaths_of(spans)
        parts = []
        for number, (start, stop) in enumerate(spans.tolist()):
            part = Segment(texts[number], xpaths[number], span=(start, stop))
            if start in known:
                part = replace(part, role=known[start].role, score=known[start].score)
            parts.append(part)
        main = sorted([*whole, *parts], key=lambda segment: segment.span)
        if self.title >= 0:
            first, after = page.blocks[self.title].tolist()
            main = [
                replace(segment, role="title")
                if first <= segment.span[0] and segment.span[1] <= after
                else segment
                for segment in main
            ]
        return replace(
            single,
            kind="article" if main and not single.main else single.kind,
            text=page.join([segment.span for segment in main], [segment.text for segment in main]),
            segments=single.segments if self._partitions else tuple(main),
            main=tuple(main),
        )

    def asked_again(self, answer: Extraction) -> Extraction:
        """Return an *answer* on the part as one of the method's own."""
        segments = answer.main
        if self._partitions:
            segments = _moved(self.extractor.extract(self._part).segments, self._texts)
        return replace(answer, segments=segments, extractor=self.extractor.name)

    def _pieces(self, keep: Bool) -> tuple[Int, Bool]:
        """Return the blocks' spans, split where *keep* changes, and whether each is kept."""
        spans = self.page.cut_blocks(np.flatnonzero(np.diff(keep)) + 1)
        return spans, keep[spans[:, 0]]

    @cached_property
    def _texts(self) -> Int:
        """Text nodes that the method is given."""
        return np.flatnonzero(self._given)

    @cached_property
    def _part(self) -> Page:
        return self.page.restricted(self._given)

    def _inner(self, size: int) -> Verdict:
        """Return the method's verdict on the whole page or on the part that it is given."""
        if not size:
            spans = np.zeros((0, 2), dtype=np.int64)
            return Verdict(spans, np.zeros(0, dtype=bool), np.zeros(0), str, kind=self._kind)
        page = self.page if size == self._given.size else self._part
        if isinstance(self.extractor, Extractor):
            return self.extractor.judge(page)
        return _verdict_of(self.extractor.extract(page), size)

    def verdict(self) -> Verdict:
        """Return the blocks, split where the method kept a part of one."""
        page, given = self.page, self._given
        texts = self._texts
        if texts.size and self._is_whole:
            texts = np.arange(given.size)
        inner = self._inner(texts.size)
        span_of = np.full(given.size, -1, dtype=np.int64)  # the method's span of each text node
        span_of[texts] = np.repeat(np.arange(len(inner.spans)), np.diff(inner.spans)[:, 0])
        by_method = np.append(inner.keep, False)[span_of] & given
        spans, kept = self._pieces(self._per_text(self.forced) | by_method)
        inner_of, by_method = span_of[spans[:, 0]], by_method[spans[:, 0]]
        block_of = np.searchsorted(page.blocks[:, 0], spans[:, 0], side="right") - 1
        roles: list[Role] = ["body" if flag else "boilerplate" for flag in kept.tolist()]
        for number in np.flatnonzero(kept).tolist():
            if block_of[number] == self.title:
                roles[number] = "title"
            elif inner.roles is not None and by_method[number]:
                roles[number] = inner.roles[inner_of[number]]
        reasons = self._reasons()

        def reason(number: int) -> str:
            block = int(block_of[number])
            if reasons[block]:
                return reasons[block]
            if kept[number] and not by_method[number]:
                return (
                    "the site's rule" if self._is_by_hand else "content template path of the site"
                )
            why = inner.reason(int(inner_of[number]))
            return f"{self.extractor.name} in {self.place.selector}: {why}"

        return Verdict(
            spans,
            kept,
            np.append(inner.scores, 0.0)[inner_of],
            reason,
            roles=roles,
            kind="article" if kept.any() and not by_method.any() else inner.kind,
            confidence=inner.confidence,
        )

    def _reasons(self) -> list[str]:
        """Say for each block why it is not given to the method; empty if it is."""
        place, blocks = self.place, self.inside.size
        if place.kind != "article":
            why = {
                "absent": "the page has no container of the site",
                "archive": f"{place.selector} occurs several times: a page of lists",
                "list": f"what stands in {place.selector} points to other pages",
                "untitled": "the page has no title where the site's articles have theirs",
            }[place.kind]
            return [f"no article: {why}"] * blocks
        reasons = ["outside the site's container"] * blocks
        reasons[place.first : place.last] = [""] * (place.last - place.first)
        for dropped, why in self.dropped:
            for block in dropped.tolist():
                reasons[block] = why
        if self.title >= 0:
            reasons[self.title] = "the article's title"
        return reasons


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
