"""Structured data: what JSON-LD and microdata say, as one kind of value."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

MAX_JSON = 2_000_000
"""Characters of one JSON-LD script; a longer one is left out."""

_COMMENT = re.compile(r"\A\s*(?:<!--|//\s*<!\[CDATA\[|/\*\s*<!\[CDATA\[\s*\*/|<!\[CDATA\[)")
_COMMENT_END = re.compile(r"(?:-->|//\s*\]\]>|/\*\s*\]\]>\s*\*/|\]\]>)\s*;?\s*\Z")
_TRAILING_COMMA = re.compile(r",(\s*[}\]])")
_PREFIX = re.compile(r"\A.*[/:#]", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Entity:
    """A thing of schema.org that a page describes: an article, its author, its site."""

    types: tuple[str, ...]
    """Its types, without the address of the vocabulary."""
    properties: Mapping[str, list[Any]]
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
        for name in names:
            for value in self.properties.get(name, ()):
                for text in strings(value):
                    return text
        return ""


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
    tops = data if isinstance(data, list) else [data]
    found = []
    for top in tops:
        if not isinstance(top, dict):
            continue
        graph = top.get("@graph")
        members = graph if isinstance(graph, list) else [graph] if graph else []
        found += [made[id(each)] for each in (top, *members) if id(each) in made]
    return [each for each in found if each.types or each.properties]


def _load(source: str) -> Any:
    text = _COMMENT_END.sub("", _COMMENT.sub("", source)).strip().rstrip(";")
    found = _parse(text)
    return found if found is not None else _parse(_TRAILING_COMMA.sub(r"\1", text))


def _nothing(constant: str) -> None:
    """Return nothing for ``NaN`` and ``Infinity``, which JSON does not have."""


def _parse(text: str) -> Any:
    try:
        return json.loads(text, strict=False, parse_constant=_nothing)
    except (ValueError, RecursionError):
        return None


def _entities(data: Any) -> dict[int, Entity]:
    """Return an entity for each object in *data*, by the object's identity."""
    made: dict[int, Entity] = {}
    objects: list[dict[str, Any]] = []
    todo = [data]
    while todo:
        value = todo.pop()
        if isinstance(value, dict):
            made[id(value)] = Entity(_types(value.get("@type")), {}, id=_text(value.get("@id")))
            objects.append(value)
            todo += [each for each in value.values() if isinstance(each, (dict, list))]
        elif isinstance(value, list):
            todo += [each for each in value if isinstance(each, (dict, list))]
    for each in objects:
        properties = made[id(each)].properties
        assert isinstance(properties, dict)
        for name, value in each.items():
            if name[:1] != "@":
                values = value if isinstance(value, list) else [value]
                properties[_PREFIX.sub("", name)] = [
                    made.get(id(one), one) for one in values if one is not None
                ]
    return made


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""


def _types(value: Any) -> tuple[str, ...]:
    values = value if isinstance(value, list) else [value]
    return tuple(_PREFIX.sub("", each.strip()) for each in values if isinstance(each, str))


def resolve(value: Any, by_id: Mapping[str, Entity]) -> Any:
    """Return the entity that *value* refers to; *value* itself if it is none."""
    if isinstance(value, Entity) and value.id in by_id and len(value.properties) <= 1:
        return by_id[value.id]
    return value


def walk(entities: list[Entity]) -> Iterator[Entity]:
    """Yield entities and all those inside of them, each once, in document order.

    >>> inner = Entity(("Person",), {})
    >>> [each.types[0] for each in walk([Entity(("Article",), {"author": [inner]})])]
    ['Article', 'Person']
    """
    seen: set[int] = set()
    todo = list(reversed(entities))
    while todo:
        entity = todo.pop()
        if id(entity) in seen:
            continue
        seen.add(id(entity))
        yield entity
        inside = [one for values in entity.properties.values() for one in values]
        todo += [one for one in reversed(inside) if isinstance(one, Entity)]
