"""Declarations of a page: ``meta`` and ``link`` elements, JSON-LD, microdata, ``time``."""

from __future__ import annotations

import html
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any
from urllib.parse import urljoin, urlsplit

from scrapy_boilerplate.core.answer.metadata.entities import Entity, read_json_ld, resolve
from scrapy_boilerplate.core.answer.metadata.microdata import read_microdata
from scrapy_boilerplate.core.page import Page
from scrapy_boilerplate.core.page.lenient import attribute_of, text_of

_LINKS = frozenset(("canonical", "license", "author", "image_src", "shortlink"))


@dataclass(frozen=True)
class Declared:
    """Declarations in a page's markup, unjudged."""

    metas: Mapping[str, list[str]]
    """Contents of ``meta`` elements by lower-case name or property; none of them is empty."""
    links: Mapping[str, str]
    """Addresses by relation: ``canonical``, ``license``."""
    entities: list[Entity]
    """What JSON-LD and microdata describe at their top level, in this order."""
    url: str
    """Address of the page; empty if it is not known."""
    base: str
    """The address that relative ones start from."""

    def meta(self, *names: str) -> str:
        """Return the content of the first of these ``meta`` elements that is there."""
        return next((self.metas[name][0] for name in names if name in self.metas), "")

    def address(self, value: str) -> str:
        """Return an absolute address; an empty one for what is no web address."""
        if not value.strip():
            return ""
        try:
            address = urljoin(self.base, value.strip())
            is_web = urlsplit(address).scheme in ("http", "https")
        except ValueError:  # such as a bracket that is not closed
            return ""
        return address if is_web and len(address) < 3000 else ""

    @cached_property
    def by_id(self) -> Mapping[str, Entity]:
        """Entities by the name that others refer to them by."""
        return {each.id: each for each in self.entities if each.id and each.properties}

    def of(self, entity: Entity, *names: str) -> Iterator[Any]:
        """Yield the values of a property, references followed."""
        for value in entity.all(*names):
            yield resolve(value, self.by_id)


def read_declared(page: Page) -> Declared:
    """Read what *page* declares, in one pass over the elements that can declare something.

    >>> page = Page.parse("<meta property=og:title content='A title'>")
    >>> read_declared(page).meta("og:title")
    'A title'
    """
    metas: dict[str, list[str]] = {}
    links: dict[str, str] = {}
    entities: list[Entity] = []
    base = page.url or ""
    for node in page.root.iter("{*}meta", "{*}script", "{*}link", "{*}base"):
        kind = node.tag.rpartition("}")[2]
        if kind == "meta":
            _add_meta(node, metas)
        elif kind == "script":
            if "ld+json" in (attribute_of(node, "type") or "").lower():
                entities += read_json_ld(text_of(node) or "")
        elif kind == "base":
            base = _join(page.url or "", attribute_of(node, "href") or "")
        else:
            for relation in _LINKS.intersection((attribute_of(node, "rel") or "").lower().split()):
                links.setdefault(relation, attribute_of(node, "href") or "")
    entities += read_microdata(page.root)
    return Declared(metas, links, entities, page.url or "", base)


def _add_meta(node: Any, metas: dict[str, list[str]]) -> None:
    content = " ".join(html.unescape(attribute_of(node, "content") or "").split())
    if not content:
        return
    for key in ("property", "name", "itemprop", "http-equiv"):
        for name in (attribute_of(node, key) or "").lower().split():
            metas.setdefault(name, []).append(content)


def _join(url: str, value: str) -> str:
    try:
        return urljoin(url, value)
    except ValueError:
        return url
