"""The part of a page that is left of it by what is known of its site."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from scrapy_boilerplate.core.answer.extraction import Kind
from scrapy_boilerplate.core.page import Page
from scrapy_boilerplate.core.page.arrays import Bool, Int, in_spans
from scrapy_boilerplate.learn.applying.locating import Located, Place
from scrapy_boilerplate.learn.applying.single_page import SinglePageResult
from scrapy_boilerplate.learn.facts import BOILERPLATE, CONTENT, LEAD, TITLE
from scrapy_boilerplate.learn.paths import fold
from scrapy_boilerplate.learn.selectors import find_nodes
from scrapy_boilerplate.learn.template import TemplateView

AFTER = "after the end of the article"
BOILERPLATE_PATH = "boilerplate template path"
REPEATS = "repeats on other pages of the site"


@dataclass(slots=True)
class Part:
    """The blocks of a page that are left, and why the others are not."""

    view: TemplateView
    """The page's view, which does not hold the page: parts are kept as long as their pages live."""
    place: Place
    by_hand: bool
    """Whether a person says that the container is the article."""
    inside: Bool
    """Whether each block is left for the method."""
    forced: Bool
    """Whether each block is kept even if the method drops it."""
    dropped: list[tuple[Int, str]] = field(default_factory=list)
    """Blocks inside the container that are not left, and why."""
    title: int = -1
    """The block of the article's title; −1 if there is none."""
    is_article: bool = True
    """Whether the site says that the page is an article, rather than only not that it is none."""

    @property
    def page(self) -> Page:
        """The page. The caller must keep a reference to it."""
        return self.view.page

    @property
    def kind(self) -> Kind:
        """The kind of the page if nothing of it is left."""
        return "list" if self.place.kind in ("archive", "list") else "empty"

    def kind_of(self, *, has_text: bool, by_method: bool, kind: Kind) -> Kind:
        """Return the kind of the page, of which the method said *kind*.

        *has_text* tells whether anything is kept, *by_method* whether the method kept some of it.
        """
        decided = has_text and (not by_method or (kind == "list" and self.is_article))
        return "article" if decided else kind

    def per_text(self, flags: Bool) -> Bool:
        """Return for each text node the flag of its block."""
        return np.repeat(flags, self.page.blocks[:, 1] - self.page.blocks[:, 0])

    def drop(self, blocks: Int, reason: str) -> None:
        """Leave out blocks."""
        self.inside[blocks] = False
        self.dropped.append((blocks, reason))

    def pieces(self, keep: Bool) -> tuple[NDArray[np.int64], Bool]:
        """Return the blocks' spans, split where *keep* changes, and whether each is kept."""
        spans = self.page.cut_blocks(np.flatnonzero(np.diff(keep)) + 1)
        return spans, keep[spans[:, 0]]

    def reasons(self) -> list[str]:
        """Say for each block why it is not left for the method; empty if it is."""
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
        for dropped, why in self.dropped:
            for block in dropped.tolist():
                reasons[block] = why
        for block in np.flatnonzero(self.inside).tolist():
            reasons[block] = ""
        if self.title >= 0:
            reasons[self.title] = "the article's title"
        return reasons


def choose_part(view: TemplateView, located: Located, alone: SinglePageResult) -> Part:
    """Return what is left of a page; nothing if it is not an article."""
    return _PartChoice(view, located, alone).part


class _PartChoice:
    """Chooses the part of an article, step by step."""

    def __init__(self, view: TemplateView, located: Located, alone: SinglePageResult) -> None:
        self._view, self._alone = view, alone
        self._facts, self._flags, place = located
        blocks = len(view.page.blocks)
        none_inside, none_forced = np.zeros(blocks, dtype=bool), np.zeros(blocks, dtype=bool)
        by_hand = place.selector in self._facts.rule.containers
        self.part = Part(view, place, by_hand, none_inside, none_forced)
        if place.kind == "article":
            self._take_container()
            self._take_leads()
            self._drop_boilerplate()
            self._drop_repeats()
            self._force()
            self._add_title()

    def _take_container(self) -> None:
        place = self.part.place
        end = self._end()
        self.part.inside[place.first : end] = True
        self.part.drop(np.arange(end, place.last), AFTER)

    def _take_leads(self) -> None:
        first = self.part.place.first
        self.part.inside[:first] |= (self._flags[:first] & LEAD) > 0

    def _end(self) -> int:
        """Return the block before which the article ends."""
        _, _, first, last = self.part.place
        page = self._view.page
        ends = [last]
        for selector in self._facts.rule.cuts:
            elements = find_nodes(page, selector)
            # A cut point may hold no text: what starts after it is cut off.
            starts = page.text_at[page.blocks[:, 0]]
            at = np.searchsorted(starts, elements, side="right").tolist()
            ends += [block for block in at if first < block < last]
        paths = self._view.paths[first:last].tolist() if self._facts.cuts else []
        content = np.flatnonzero((self._flags[first:last] & CONTENT) > 0)
        begun = int(content[0]) + 1 if content.size else 1
        for wanted in self._facts.cut_paths:
            for block in range(max(begun, len(wanted) - 1), len(paths)):
                if paths[block - len(wanted) + 1 : block + 1] == wanted:
                    ends.append(first + block)
                    break
        return min(ends)

    def _drop_boilerplate(self) -> None:
        region = np.flatnonzero(self.part.inside)
        is_boilerplate = (self._flags[region] & BOILERPLATE) > 0
        self.part.drop(region[is_boilerplate], BOILERPLATE_PATH)

    def _drop_repeats(self) -> None:
        repeats = self._facts.repeats
        if repeats:
            region = np.flatnonzero(self.part.inside)
            texts = self._view.texts(region).astype(np.uint64)
            paths = self._view.paths[region].astype(np.uint64)
            hashes = fold(paths << np.uint64(32) | texts)
            repeated = region[[number in repeats for number in hashes.tolist()]]
            own = self._alone.own_words
            if 2 * own[repeated].sum() <= own[region].sum():  # else it is this page's own text
                self.part.drop(repeated, REPEATS)
        for selector in self._facts.rule.drop:
            reason = f"dropped by the site's rule {selector}"
            self.part.drop(self._blocks_in(selector), reason)

    def _blocks_in(self, selector: str) -> Int:
        ranges = self._view.block_ranges(find_nodes(self._view.page, selector))
        return np.flatnonzero(in_spans(ranges, self.part.inside.size))

    def _force(self) -> None:
        """Keep what is content on most pages."""
        part = self.part
        part.forced = part.inside.copy()
        if part.by_hand:
            return
        part.forced &= (self._flags & CONTENT) > 0

    def _add_title(self) -> None:
        """Keep the article's title, inside the container or else the nearest one before it."""
        part, titles = self.part, (self._flags & TITLE) > 0
        for selector in self._facts.rule.titles:
            titles[self._blocks_in(selector)] = True
        first, last = part.place.first, part.place.last
        within = np.flatnonzero((titles & part.inside)[first:last])
        before = np.flatnonzero(titles[:first])
        if within.size:
            part.title = first + int(within[0])
        elif before.size:
            part.title = int(before[-1])
        else:
            return
        part.inside[part.title] = part.forced[part.title] = True
