"""The authors of a page: in structured data, in ``meta`` elements, in by-lines."""

from __future__ import annotations

import html
import re
from collections.abc import Collection, Iterator
from typing import Any

from scrapy_boilerplate.core.answer.metadata.bylines import Visible
from scrapy_boilerplate.core.answer.metadata.declared import Declared
from scrapy_boilerplate.core.answer.metadata.entities import Entity, strings
from scrapy_boilerplate.core.answer.metadata.people import (
    clean_name,
    names_in,
    names_in_line,
    without_repeats,
)
from scrapy_boilerplate.core.answer.metadata.subject import Subject

MOST_AUTHORS = 20

_METAS = ("author", "article:author", "article:author_name", "og:author", "parsely-author",
          "sailthru.author", "cxenseparse:author", "dc.creator", "dcterms.creator",
          "citation_author", "bc:authors", "byl", "creator")  # fmt: skip


def page_authors(
    declared: Declared, subject: Subject, visible: Visible, sites: Collection[str]
) -> tuple[tuple[str, ...], str]:
    """Return the names of the authors and where they stand; empty without any.

    The name of a site or an organisation counts only where no person is named.
    """
    organisations = {name.casefold() for name in sites}
    fallback: tuple[tuple[str, ...], str] = (), ""
    for source, names in _found(declared, subject, visible, organisations):
        if not names:
            continue
        found = tuple(names[:MOST_AUTHORS]), source
        if not all(name.casefold() in organisations for name in names):
            return found
        fallback = fallback if fallback[0] else found
    return fallback


def _found(
    declared: Declared, subject: Subject, visible: Visible, organisations: set[str]
) -> Iterator[tuple[str, list[str]]]:
    for entity in (subject.main, subject.page):
        if entity is not None:
            yield entity.source, _of_entity(declared, entity, organisations)
    for name in _METAS:
        contents = declared.metas.get(name, [])
        if name == "citation_author":
            yield name, without_repeats(map(_turned, contents))
        else:
            yield name, without_repeats(each for text in contents for each in names_in(text))
    for source, text in visible.authors():
        line = next(filter(None, map(str.strip, re.split(r"[\n\t]", text))), "")
        for part in (line, text):
            names = names_in_line(part)
            if names:
                yield source, names
                break


def _turned(name: str) -> str:
    """Return "First Last" for "Last, First"."""
    last, comma, first = name.partition(",")
    return clean_name(f"{first} {last}" if comma else name)


def _of_entity(declared: Declared, entity: Entity, organisations: set[str]) -> list[str]:
    names: list[str] = []
    for value in declared.of(entity, "author", "creator"):
        found = _names(value)
        names += found
        if isinstance(value, Entity) and "Organization" in value.types:
            organisations.update(name.casefold() for name in found)
    return without_repeats(names)


def _names(value: Any) -> list[str]:
    if isinstance(value, Entity):
        given = (value.text("givenName"), value.text("familyName"))
        text = value.text("name") or " ".join(filter(None, given))
        return [clean_name(html.unescape(text))]
    return [name for text in strings(value) for name in names_in(html.unescape(text))]
