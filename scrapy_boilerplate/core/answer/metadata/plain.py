"""Values that need no more than to be looked up: description, image, tags and the like."""

from __future__ import annotations

import html
from collections.abc import Callable, Iterator
from typing import Any, TypeAlias

from scrapy_boilerplate.core.answer.metadata.declared import Declared
from scrapy_boilerplate.core.answer.metadata.entities import Entity, strings
from scrapy_boilerplate.core.answer.metadata.page_titles import site_names
from scrapy_boilerplate.core.answer.metadata.people import without_repeats
from scrapy_boilerplate.core.answer.metadata.subject import Subject

MOST_TAGS = 100
MOST_CRUMBS = 20
LONGEST = 5000
"""Characters of a description."""

Found: TypeAlias = "Iterator[tuple[str, Any]]"
"""Sources and values, the most trustworthy first; some may be empty."""


def plain_values(declared: Declared, subject: Subject) -> dict[str, tuple[Any, str]]:
    """Return by name the values that are known, with where they stand."""
    found = {}
    for name, read in _READERS.items():
        for source, value in read(declared, subject):
            if value:
                found[name] = value, source
                break
    return found


def _entities(subject: Subject) -> Iterator[Entity]:
    yield from (each for each in (subject.main, subject.page) if each is not None)


def _texts(subject: Subject, *names: str) -> Iterator[tuple[str, str]]:
    for entity in _entities(subject):
        yield entity.source, html.unescape(entity.text(*names))


def _metas(declared: Declared, *names: str) -> Iterator[tuple[str, str]]:
    for name in names:
        yield name, declared.meta(name)


def _description(declared: Declared, subject: Subject) -> Found:
    for source, text in (
        *_metas(declared, "description", "og:description"),
        *_texts(subject, "description", "abstract"),
        *_metas(declared, "twitter:description", "dc.description", "dcterms.description"),
    ):
        yield source, text[:LONGEST]


def _canonical(declared: Declared, subject: Subject) -> Found:
    yield "canonical", declared.address(declared.links.get("canonical", ""))
    yield "og:url", declared.address(declared.meta("og:url"))


def _site_name(declared: Declared, subject: Subject) -> Found:
    declares = declared.meta("og:site_name")
    names = site_names(declared, subject)
    yield ("og:site_name" if declares else "structured data"), names[0] if names else ""


def _image(declared: Declared, subject: Subject) -> Found:
    named = _metas(declared, "og:image:secure_url", "og:image", "og:image:url")
    later = _metas(declared, "twitter:image", "twitter:image:src", "thumbnail", "image")
    for source, text in (*named, *_images(declared, subject), *later):
        yield source, declared.address(text)
    yield "image_src", declared.address(declared.links.get("image_src", ""))


def _images(declared: Declared, subject: Subject) -> Iterator[tuple[str, str]]:
    for entity in _entities(subject):
        for value in declared.of(entity, "image", "primaryImageOfPage", "thumbnailUrl"):
            if isinstance(value, Entity):
                yield entity.source, value.text("url", "contentUrl") or value.id
            else:
                yield entity.source, next(strings(value), "")


def _tags(declared: Declared, subject: Subject) -> Found:
    yield "article:tag", _list(declared.metas.get("article:tag", []))
    for entity in _entities(subject):
        texts = (text for value in declared.of(entity, "keywords") for text in strings(value))
        yield entity.source, _list(texts)
    for name in ("keywords", "news_keywords", "parsely-tags", "sailthru.tags"):
        yield name, _list(declared.metas.get(name, [])[:1])


def _list(texts: Any) -> tuple[str, ...]:
    parts = (part.strip() for text in texts for part in html.unescape(text).split(","))
    return tuple(without_repeats(part for part in parts if len(part) < 100))[:MOST_TAGS]


def _section(declared: Declared, subject: Subject) -> Found:
    yield from _texts(subject, "articleSection")
    yield from _metas(declared, "article:section", "section", "parsely-section", "category")
    yield from _texts(subject, "category", "genre")


def _breadcrumbs(declared: Declared, subject: Subject) -> Found:
    lists = [each for each in declared.entities if "BreadcrumbList" in each.types]
    for entity in _entities(subject):
        inside = (value for value in declared.of(entity, "breadcrumb"))
        lists += [value for value in inside if isinstance(value, Entity)]
    for each in lists:
        yield each.source, _names_on_the_way(declared, each)


def _names_on_the_way(declared: Declared, crumbs: Entity) -> tuple[str, ...]:
    named = []
    for number, element in enumerate(declared.of(crumbs, "itemListElement")):
        if isinstance(element, Entity):
            inner = next((v for v in declared.of(element, "item") if isinstance(v, Entity)), None)
            name = element.text("name") or (inner.text("name") if inner else "")
            position = element.text("position")
            named.append((int(position) if position.isdecimal() else number, name))
    named.sort(key=lambda each: each[0])
    return tuple(html.unescape(name) for _, name in named if name)[:MOST_CRUMBS]


def _page_type(declared: Declared, subject: Subject) -> Found:
    for entity in _entities(subject):
        yield entity.source, entity.types[0]
    yield from _metas(declared, "og:type")


def _license(declared: Declared, subject: Subject) -> Found:
    for entity in _entities(subject):
        for value in declared.of(entity, "license"):
            named = isinstance(value, Entity)
            text = value.text("url", "name") or value.id if named else next(strings(value), "")
            yield entity.source, text
    address = declared.links.get("license", "")
    yield "rel=license", declared.address(address)
    yield from _metas(declared, "dc.rights", "dcterms.license", "dcterms.rights", "copyright")


_READERS: dict[str, Callable[[Declared, Subject], Found]] = {
    "description": _description,
    "canonical_url": _canonical,
    "site_name": _site_name,
    "image": _image,
    "tags": _tags,
    "section": _section,
    "breadcrumbs": _breadcrumbs,
    "page_type": _page_type,
    "license": _license,
}
