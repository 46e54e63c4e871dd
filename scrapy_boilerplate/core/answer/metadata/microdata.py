"""Microdata: ``itemscope`` and ``itemprop``, read as entities."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from lxml import etree

from scrapy_boilerplate.core.answer.metadata.entities import Entity
from scrapy_boilerplate.core.page.lenient import attribute_of, tail_of, text_of

MAX_LEVELS = 64
"""Levels between a property and its item; a deeper one belongs to none."""
MAX_TEXT, MAX_NODES = 1000, 200
"""Characters and nodes of a value that is read from the text."""

_HAS_ITEMS = etree.XPath("boolean(descendant-or-self::*/@itemscope)")
_PARTS = etree.XPath("descendant-or-self::*[@itemprop or @itemscope]")
_ADDRESSES = {"a": "href", "area": "href", "link": "href", "img": "src", "iframe": "src",
              "audio": "src", "video": "src", "source": "src", "object": "data"}  # fmt: skip
_UNSEEN = frozenset(("script", "style", "template"))


def read_microdata(root: Any) -> list[Entity]:
    """Return the items that are in no other.

    >>> from scrapy_boilerplate import Page
    >>> page = Page.parse("<div itemscope itemtype=http://schema.org/Article>"
    ...                   "<h1 itemprop=headline>A title</h1></div>")
    >>> read_microdata(page.root)[0].text("headline")
    'A title'
    """
    items: dict[Any, Entity] = {}
    tops = []
    for node in _PARTS(root) if _HAS_ITEMS(root) else ():
        scope = attribute_of(node, "itemscope") is not None
        item = _item(node) if scope else None
        names = (attribute_of(node, "itemprop") or "").split()
        owner = _owner(node, items) if names else None
        if item is not None:
            items[node] = item
            if owner is None:
                tops.append(item)
        if owner is not None:
            value = item if item is not None else _value(node)
            for name in names:
                properties = owner.properties
                assert isinstance(properties, dict)
                properties.setdefault(name, []).append(value)
    return tops


def _item(node: Any) -> Entity:
    types = (attribute_of(node, "itemtype") or "").split()
    short = tuple(each.rstrip("/").rpartition("/")[2] for each in types)
    return Entity(short, {}, "microdata", attribute_of(node, "itemid") or "")


def _owner(node: Any, items: dict[Any, Entity]) -> Entity | None:
    for _ in range(MAX_LEVELS):
        node = node.getparent()
        if node is None:
            return None
        if node in items:
            return items[node]
    return None


def _value(node: Any) -> str:
    tag = node.tag if isinstance(node.tag, str) else ""
    for name in ("content", _ADDRESSES.get(tag), "datetime"):
        value = name and attribute_of(node, name)
        if value and value.strip():
            return " ".join(value.split())
    return text_inside(node)


def text_inside(node: Any) -> str:
    """Return the text inside a node, white space collapsed; of a long one the beginning."""
    return " ".join("".join(_pieces(node)).split())


def _pieces(node: Any) -> Iterator[str]:
    left = MAX_TEXT
    for number, inside in enumerate(node.iter()):
        if left <= 0 or number > MAX_NODES:
            return
        if isinstance(inside.tag, str) and inside.tag not in _UNSEEN:
            text = text_of(inside) or ""
            left -= len(text)
            yield text
        if inside is not node:
            yield tail_of(inside) or ""
            left -= len(tail_of(inside) or "")
