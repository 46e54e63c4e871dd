"""Chooses the thing that the page is about among those that its structured data describes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal, TypeAlias

from scrapy_boilerplate.core.answer.metadata.declared import Declared
from scrapy_boilerplate.core.answer.metadata.entities import Entity
from scrapy_boilerplate.core.answer.metadata.titles import words_of

Group: TypeAlias = Literal["article", "thread", "product", "thing", "page", "site", "other"]
"""What kind of thing an entity is."""

_GROUPS: dict[str, Group] = {
    **dict.fromkeys("DiscussionForumPosting Question QAPage Conversation".split(), "thread"),
    **dict.fromkeys("Product ProductGroup IndividualProduct ProductModel".split(), "product"),
    **dict.fromkeys(
        "Recipe HowTo Event VideoObject PodcastEpisode Course JobPosting SoftwareApplication Book "
        "Movie LocalBusiness Service CreativeWork Review Dataset MusicRecording".split(),
        "thing",
    ),
    **dict.fromkeys("WebSite Organization NewsMediaOrganization Corporation".split(), "site"),
    **dict.fromkeys("Blog CollectionPage".split(), "page"),
    "Report": "article",
    "CreativeWorkSeries": "other",
}
_ORDER: dict[Group, int] = {"article": 0, "thread": 1, "product": 2, "thing": 3}
_SITES = frozenset("WebSite Organization NewsMediaOrganization Corporation".split())


@dataclass(frozen=True, slots=True)
class Subject:
    """The subject of a page by its structured data."""

    main: Entity | None
    """The article, thread, product or other thing that the page is there for."""
    group: Group
    page: Entity | None
    """The page itself."""
    sites: tuple[Entity, ...]
    """The site, and who runs it."""


def group_of(entity: Entity) -> Group:
    """Return what kind of thing an entity is.

    >>> group_of(Entity(("NewsArticle",), {})), group_of(Entity(("FAQPage",), {}))
    ('article', 'page')
    """
    for name in entity.types:
        if name in _GROUPS:
            return _GROUPS[name]
        if name.endswith(("Article", "Posting")):
            return "article"
        if name.endswith("Page"):
            return "page"
    return "other"


def find_subject(declared: Declared, title: str) -> Subject:
    """Return what the page is about; *title* is that of the document."""
    candidates = list(_candidates(declared))
    grouped = [(group_of(each), each) for each in candidates]
    things = [(group, each) for group, each in grouped if group in _ORDER]
    words = frozenset(words_of(title))
    best = max(things, key=lambda each: _rank(each[0], each[1], words), default=None)
    pages = (each for group, each in grouped if group == "page")
    return Subject(
        best[1] if best else None,
        best[0] if best else "other",
        next(pages, None),
        tuple(each for each in candidates if _SITES.intersection(each.types)),
    )


def _candidates(declared: Declared) -> Iterator[Entity]:
    for entity in declared.entities:
        yield entity
        for name in ("mainEntity", "mainEntityOfPage"):
            for value in declared.of(entity, name):
                if isinstance(value, Entity) and value.properties:
                    yield value


def _rank(group: Group, entity: Entity, title: frozenset[str]) -> tuple[float, ...]:
    """Return how well an entity is the subject of a page with these words in its title."""
    words = frozenset(words_of(entity.text("headline", "name")))
    shared = len(words & title) / len(words) if words else 0.0
    return (shared > 0.5, -_ORDER[group], entity.source == "json-ld", shared)
