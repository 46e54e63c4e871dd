"""Facts about a site: small, readable, immutable values."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, fields, replace

import numpy as np
from numpy.typing import NDArray

from scrapy_boilerplate.core.caching import cached_property
from scrapy_boilerplate.core.page.sources import ELEMENTS, SHOWN
from scrapy_boilerplate.learn.paths import template_path_hash
from scrapy_boilerplate.learn.selectors import compile_selector

TITLE, CONTENT, BOILERPLATE = 1, 2, 4  # facts about a template path; several can be true

ENOUGH_UNMATCHED = 5  # pages that must share a container for it to be that of another template
MANY_ARTICLES = 16  # of a template: what is true of all is taken for true of the others


@dataclass(frozen=True, slots=True)
class Vote:
    """A container or template path, and the evidence for it."""

    name: str
    """Selector of a container, or template path as labels joined by ``" > "``."""
    pages: int = 0
    """Pages that have it."""
    score: float = 0.0
    """Containers: sum over the pages of the agreement (F1) with the text that was kept. Content
    and boilerplate: share of their text that was kept. Titles: share of the articles whose title
    stood there."""


@dataclass(frozen=True, slots=True)
class SiteRule:
    """Selectors that a person wrote for a site: CSS, or XPath if they start with ``/`` or ``(``."""

    containers: tuple[str, ...] = ()
    """Elements that hold the article, which is all of their text that is not dropped. The first
    selector that matches on the page counts."""
    titles: tuple[str, ...] = ()
    """Elements that are the article's title. They are kept even outside the container."""
    end_markers: tuple[str, ...] = ()
    """Elements before which the article ends."""
    drop: tuple[str, ...] = ()
    """Elements that are not part of the article, wherever they stand."""
    keep: tuple[str, ...] = ()
    """Elements that are part of the article, wherever they stand. Of two elements inside one
    another, of which one is kept and one dropped, the inner one counts."""

    def __post_init__(self) -> None:
        for _, selector in self.selectors():
            compile_selector(selector)

    def selectors(self) -> Iterator[tuple[str, str]]:
        """Yield each selector, after the name of what it selects."""
        for kind in fields(self):
            for selector in getattr(self, kind.name):
                yield kind.name, selector


@dataclass(frozen=True)
class SiteFacts:
    """Facts of a site: learned, written by hand, or both."""

    site: str  # the site's key
    pages: int = 0  # from which it was learned
    articles: int = 0  # those of them that hold an article
    containers: tuple[Vote, ...] = ()  # ``tag#id``, ``tag.class``, or labels joined by ``" > "``
    titles: tuple[Vote, ...] = ()  # template paths of the article's title: only articles have it
    content: tuple[Vote, ...] = ()  # paths inside that are content though the method missed them
    boilerplate: tuple[Vote, ...] = ()  # paths inside that are not
    repeats: frozenset[int] = frozenset()  # hashes of texts inside that repeat on other pages
    title_parts: frozenset[int] = frozenset()  # hashes of the site's name in the documents' titles
    agreement: float = 0.0  # mean (F1) with the single-page method on the articles
    safe: bool = False  # whether the model may answer that a page has no article
    complete: bool = False  # whether nearly all pages with text had a container, or a title
    anchored: bool = False  # whether a page with a container but no title is not an article
    titled: bool = False  # whether nearly all articles have a title where it is known to stand
    threads: bool = False  # whether any article is a thread of posts
    missing: float = 0.0  # share of the pages that had enough text but no container
    min_words: int = 50  # below which a page without a container has no article
    unmatched: int = 0  # pages of text without container since the site was learned
    elsewhere: float = 0.0  # share of the articles whose answer lacked most of the method's
    frames: tuple[frozenset[int], ...] = ()  # of each container: paths of most of its pages
    sources: tuple[Vote, ...] = ()  # of articles not shown, as in ``Extraction.source``
    also: tuple[SiteFacts, ...] = ()  # templates that were learned later
    rule: SiteRule = field(default_factory=SiteRule)  # what a person added

    @property
    def useful(self) -> bool:
        """Whether anything was learned."""
        return self.has_container or bool(self.all_sources)

    @property
    def has_container(self) -> bool:
        """Whether it is known which element holds the article."""
        return bool(self.containers or self.rule.containers)

    @cached_property
    def all_sources(self) -> tuple[str, ...]:
        """Where articles are that pages do not show, the most likely place first."""
        names = [vote.name for facts in (self, *self.also) for vote in facts.sources]
        return tuple(dict.fromkeys(names))

    def of_source(self, source: str) -> SiteFacts:
        """Return what is known of pages that show a hidden *source*: all of its text counts."""
        container = source if source in ELEMENTS else SHOWN
        rule = replace(self.rule, containers=(container,), end_markers=())
        return SiteFacts(self.site, repeats=self.repeats, title_parts=self.title_parts, rule=rule)

    @property
    def is_learned(self) -> bool:
        """Whether there is more than a person's rule."""
        return bool(self.pages or self.containers or self.sources)

    @cached_property
    def path_flags(self) -> tuple[NDArray[np.uint32], NDArray[np.uint8]]:
        """The hash of each template path, ascending, and its flags; the last row is no path's."""
        flags = {0xFFFFFFFF: 0}
        votes = ((TITLE, self.titles), (CONTENT, self.content), (BOILERPLATE, self.boilerplate))
        for flag, chosen in votes:
            for number in (template_path_hash(vote.name) for vote in chosen):
                flags[number] = flags.get(number, 0) | flag
        hashes = sorted(flags)
        return np.array(hashes, np.uint32), np.array([*map(flags.get, hashes)], np.uint8)
