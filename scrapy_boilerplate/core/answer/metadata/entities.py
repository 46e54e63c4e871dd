"""Structured data: what JSON-LD and microdata say, as one kind of value."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

from scrapy_boilerplate.core.page.characters import readable
from scrapy_boilerplate.core.page.declared_texts import top_objects
from scrapy_boilerplate.core.page.decoding import encodable
from scrapy_boilerplate.core.page.lenient import attribute_of, tail_of, text_of
from scrapy_boilerplate.core.page.sources import load_json

MAX_JSON = 2_000_000
"""Characters of one JSON-LD script; a longer one is left out."""
MAX_VALUES = 100
"""Values of one property that are kept: entities refer to each other, so more would multiply."""

_COMMENT = re.compile(r"\A\s*(?:<!--|//\s*<!\[CDATA\[|/\*\s*<!\[CDATA\[\s*\*/|<!\[CDATA\[)")
_COMMENT_END = re.compile(r"(?:-->|//\s*\]\]>|/\*\s*\]\]>\s*\*/|\]\]>)\s*;?\Z")
_TRAILING_COMMA = re.compile(r",(\s*[}\]])")
_PREFIX = re.compile(r"\A.*[/:#]", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Entity:
    """A thing of schema.org that a page describes: an article, its author, its site."""

    types: tuple[str, ...]
    """Its types, without the address of the vocabulary."""
    properties: dict[str, list[Any]]
    """Lists of texts, numbers and entities, by name."""
    source: str = "json-ld"
    """The syntax that it was read from: ``json-ld`` or ``microdata``."""
    id: str = field(default="", compare=False)
    """The name by which others refer to it."""

    def all(self, *names: str) -> list[Any]:
        """Return the values of the first of these properties that has any."""
        return next((self.properties[name] for name in names if self.properties.get(name)), [])

    def text(self, *names: str) -> str:
        """Return the first of these properties that says something, as text."""
        values = (value for name in names for value in self.properties.get(name, ()))
        return next((text for value in values for text in strings(value)), "")


def strings(value: Any) -> Iterator[str]:
    """Yield what a value says: itself, or the name of an entity.

    >>> list(strings(" a  b ")), list(strings(Entity(("Person",), {"name": ["Ada"]})))
    (['a b'], ['Ada'])
    """
    if isinstance(value, Entity):
        value = value.properties.get("name") or value.properties.get("url") or [""]
        value = value[0]
    if isinstance(value, (str, int, float)) and not isinstance(value, bool):
        text = " ".join(str(value).split())
        if text:
            yield text


def read_json_ld(source: str) -> list[Entity]:
    """Return the entities at the top of a script of JSON-LD, those of ``@graph`` among them.

    Broken JSON gives none; comments around it, line breaks in texts and commas at the end of lists
    are forgiven.

    >>> [each.types for each in read_json_ld('{"@type": "Article", "headline": "A",}')]
    [('Article',)]
    """
    if len(source) > MAX_JSON:
        return []
    data = _load(source)
    made = _entities(data)
    found = (made[id(each)] for each in top_objects(data))
    return [each for each in found if each.types or each.properties]


def _load(source: str) -> Any:
    text = _COMMENT_END.sub("", _COMMENT.sub("", source.rstrip())).strip().rstrip(";")
    found = load_json(text)
    return found if found is not None else load_json(_TRAILING_COMMA.sub(r"\1", text))


def _entities(data: Any) -> dict[int, Entity]:
    """Return an entity for each object in *data*, by the object's identity."""
    made: dict[int, Entity] = {}
    objects: list[dict[str, Any]] = []
    todo = [data]
    while todo:
        value = todo.pop()
        if isinstance(value, dict):
            name = value.get("@id")
            name = name if isinstance(name, str) else ""
            made[id(value)] = Entity(_types(value.get("@type")), {}, id=name)
            objects.append(value)
            todo += [each for each in value.values() if isinstance(each, (dict, list))]
        elif isinstance(value, list):
            todo += [each for each in value if isinstance(each, (dict, list))]
    for each in objects:
        properties = made[id(each)].properties
        for name, value in each.items():
            if name[:1] != "@":
                values = value if isinstance(value, list) else [value]
                properties[_PREFIX.sub("", name)] = [
                    made.get(id(one), one) for one in values[:MAX_VALUES] if one is not None
                ]
    return made


def _types(value: Any) -> tuple[str, ...]:
    values = value if isinstance(value, list) else [value]
    return tuple(_PREFIX.sub("", each.strip()) for each in values if isinstance(each, str))


def resolve(value: Any, by_id: Mapping[str, Entity]) -> Any:
    """Return the entity that *value* refers to; *value* itself if it is none."""
    if isinstance(value, Entity) and value.id in by_id and len(value.properties) <= 1:
        return by_id[value.id]
    return value


_TURNING = dict.fromkeys([*range(0x202A, 0x202F), *range(0x2066, 0x206A)])
"""Embeddings, overrides and isolates: what follows them would be read in another order."""


def written(text: str) -> str:
    """Return a text without characters that cannot be written, or that turn it around."""
    return " ".join(readable(encodable(text.translate(_TURNING))).split())


def without_repeats(texts: Iterable[str]) -> list[str]:
    """Return texts in their order, each once whatever its case, without empty ones."""
    seen: dict[str, str] = {}
    for text in texts:
        if text:
            seen.setdefault(text.casefold(), text)
    return list(seen.values())


# -- microdata ---------------------------------------------------------------------------------

MAX_LEVELS = 64
"""Levels between a property and its item; a deeper one belongs to none."""
MAX_TEXT, MAX_NODES = 1000, 200
"""Characters and nodes of a value that is read from the text."""

_ADDRESSES = {"a": "href", "area": "href", "link": "href", "img": "src", "iframe": "src",
              "audio": "src", "video": "src", "source": "src", "object": "data"}  # fmt: skip
_UNSEEN = frozenset(("script", "style", "template"))


def read_microdata(marked: Iterable[tuple[int, Any]]) -> list[Entity]:
    """Return the items that are in no other, from the nodes with ``itemprop`` and ``itemscope``.

    >>> from scrapy_boilerplate import Page
    >>> page = Page.parse("<div itemscope itemtype=http://schema.org/Article>"
    ...                   "<h1 itemprop=headline>A title</h1></div>")
    >>> read_microdata(page.nodes_with("itemprop", "itemscope"))[0].text("headline")
    'A title'
    """
    items: dict[Any, Entity] = {}
    tops = []
    for _, node in marked:
        scope = attribute_of(node, "itemscope") is not None
        item = _item(node) if scope else None
        names = (attribute_of(node, "itemprop") or "").split()
        if item is None and not names:
            continue
        around = islice(node.iterancestors(), MAX_LEVELS if names else 0)
        owner = next((items[above] for above in around if above in items), None)
        if item is not None:
            items[node] = item
            if owner is None:
                tops.append(item)
        if owner is not None:
            value = item if item is not None else _value(node)
            for name in names:
                values = owner.properties.setdefault(name, [])
                if len(values) < MAX_VALUES:
                    values.append(value)
    return tops


def _item(node: Any) -> Entity:
    types = (attribute_of(node, "itemtype") or "").split()
    short = tuple(each.rstrip("/").rpartition("/")[2] for each in types)
    return Entity(short, {}, "microdata", attribute_of(node, "itemid") or "")


def _value(node: Any) -> str:
    tag = node.tag if isinstance(node.tag, str) else ""
    for name in ("content", _ADDRESSES.get(tag), "datetime"):
        value = name and attribute_of(node, name)
        if value and value.strip():
            return " ".join(value.split())
    return " ".join("".join(_pieces(node)).split())


def _pieces(node: Any) -> Iterator[str]:
    """Yield the texts inside a node; of a long one the beginning."""
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
