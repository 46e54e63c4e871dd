"""Locates the article of a page by its site's model."""

from __future__ import annotations

from typing import Literal, NamedTuple

import numpy as np
from numpy import uint8
from numpy.typing import NDArray

from scrapy_boilerplate.core.page import cumulative
from scrapy_boilerplate.core.page._elements_native import side_by_side
from scrapy_boilerplate.core.page.arrays import Int
from scrapy_boilerplate.learn.facts import MANY_ARTICLES, TITLE, SiteFacts, Vote
from scrapy_boilerplate.learn.template import TemplateView


class Place(NamedTuple):
    """The place of a page's article, by the facts of its template."""

    facts: SiteFacts
    flags: NDArray[uint8]  # what is known of each block's template path
    kind: Literal["article", "archive", "list", "untitled", "absent"] = "absent"
    """``archive``: the container occurs several times. ``list``: what stands in it points to other
    pages. ``untitled``: it has no title, as all articles of the site do. ``absent``: the page has
    no container."""
    container: Vote = Vote("")
    first: int = 0  # first block inside it …
    last: int = 0  # … and the block after its last

    @property
    def has_title(self) -> bool:
        """Whether the page has a block where articles have their title."""
        return bool((self.flags & TITLE).any())

    @property
    def is_manual(self) -> bool:
        """Whether a person says that the container is the article."""
        return self.container.name in self.facts.rule.containers

    @property
    def is_proven(self) -> bool:
        """Whether this holds against a method that is sure of something else."""
        return self.is_manual or (self.kind == "archive" and self.is_anchored)

    @property
    def is_anchored(self) -> bool:
        """Whether all articles in this container, and many, had a title where one is known."""
        return self.facts.anchored and self.container.pages >= MANY_ARTICLES


def nowhere(facts: SiteFacts, view: TemplateView) -> Place:
    """Return what is known of a page that has no container."""
    paths, flags = facts.path_flags
    at = paths.searchsorted(view.paths)
    return Place(facts, flags[at] * (paths[at] == view.paths))


def locate(facts: SiteFacts, view: TemplateView, own_words: Int) -> Place:
    """Find the article's container in a page, of whose blocks a method kept so many *own_words*."""
    absent = nowhere(facts, view)
    best, titles = _container(absent, view, own_words), (absent.flags & TITLE) > 0
    if best.kind == "archive" and (titles & view.matches_title).any():
        # A page with a title of its own, where articles have theirs: boxes look like the container.
        best = _below(best, view, int((titles & view.matches_title).argmax())) or absent
    if best.kind != "article":
        return best
    if not titles.any():  # an article's title is where it belongs
        text = view.words[best.first : best.last]
        own = int((text * ~view.is_teaser[best.first : best.last]).sum())
        pointing = int(text.sum()) - own
        if pointing > own and own < facts.min_words <= 2 * pointing:
            return best._replace(kind="list")
        if best.is_anchored:
            return best._replace(kind="untitled")
    return best


def _below(archive: Place, view: TemplateView, title: int) -> Place | None:
    """Return the first of several containers that holds a title, or stands below it."""
    ranges = view.block_ranges(view.find(archive.container.name))
    below = ranges[(ranges[:, 1] > title) & (ranges[:, 1] > ranges[:, 0])].tolist()
    return archive._replace(kind="article", first=below[0][0], last=below[0][1]) if below else None


def _container(absent: Place, view: TemplateView, own_words: Int) -> Place:
    """Return the place of the container that counts: the first, of the rarest template."""
    facts, words, own = absent.facts, view.words_before, cumulative(own_words)
    best = archive = absent
    manual = (Vote(selector, score=float("inf")) for selector in facts.rule.containers)
    for vote in (*manual, *facts.containers):
        elements = view.find(vote.name)
        if best.is_manual:
            break
        if not elements.size:
            continue
        ranges = view.block_ranges(elements)
        inside = words[ranges[:, 1]] - words[ranges[:, 0]]
        same = np.zeros(elements.size, dtype=np.uint32)
        (heaviest,), (count,) = side_by_side(elements, same, inside, view.page.end)
        first, last = ranges[heaviest].tolist()
        if not inside[heaviest]:
            continue
        if count > 1:
            if vote.score > archive.container.score:
                archive = Place(*absent[:2], "archive", vote, first, last)
            continue
        known = words[best.last] - words[best.first]
        is_part = first <= best.first and best.last <= last and 2 * known < inside[heaviest]
        is_beside = own[last] - own[first] > 2 * (own[best.last] - own[best.first])
        # A small part of another container gives way, and comments beside the text.
        if best.kind == "absent" or is_part or is_beside:
            best = Place(*absent[:2], "article", vote, first, last)
    return archive if archive.container.score > best.container.score else best
