"""Structured data: what JSON-LD and microdata say, as one kind of value."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from scrapy_boilerplate.core.page.characters import readable
from scrapy_boilerplate.core.page.declared_texts import top_objects
from scrapy_boilerplate.core.page.decoding import utf8_of
from scrapy_boilerplate.core.page.literals import MOST_TOKENS, load_literal
from scrapy_boilerplate.core.page.sources import load_json

MAX_JSON = 2_000_000  # characters of one JSON-LD script; a longer one is left out
MAX_VALUES = 100
"""Values of one property that are kept: entities refer to each other, so more would multiply."""

_OPENING = re.compile(r"\{|(?<!CDATA)\[(?!CDATA)")
_PREFIX = re.compile(r"\A.*[/:#]", re.DOTALL)


@dataclass(slots=True)
class Entity:
    """A thing of schema.org that a page describes: an article, its author, its site."""

    types: tuple[str, ...]  # its types, without the address of the vocabulary
    properties: dict[str, Any]
    """What JSON has by name; once it is read, a tuple of texts, numbers and entities."""
    source: str = "json-ld"  # the syntax that it was read from: `json-ld` or `microdata`
    id: str = field(default="", compare=False)  # the name by which others refer to it

    def all(self, *names: str) -> tuple[Any, ...]:
        """Return the values of the first of these properties that has any."""
        for name in names:
            values = self.properties.get(name, ())
            if not isinstance(values, tuple):
                values = values.get("@list", values) if isinstance(values, dict) else values
                many = values[:MAX_VALUES] if isinstance(values, list) else (values,)
                values = tuple(_value(each) for each in many if each is not None)
                self.properties[name] = values
            if values:
                return values
        return ()

    def text(self, *names: str) -> str:
        for name in names:
            for value in self.all(name):
                for text in strings(value):
                    return text
        return ""


def strings(value: Any) -> Iterator[str]:
    """Yield what a value says: itself, or the name of an entity."""
    if isinstance(value, Entity):
        value = next(iter(value.all("name", "url")), "")
    if isinstance(value, (str, int, float)) and not isinstance(value, bool):
        text = " ".join(str(value).split())
        if text:
            yield text


def read_json_ld(source: str) -> list[Entity]:
    """Return the entities at the top of a script of JSON-LD, those of ``@graph`` among them."""
    if len(source) > MAX_JSON:
        return []
    found = load_json(source)
    entities = map(_entity, top_objects(list(_literals(source)) if found is None else found))
    return [each for each in entities if each.types or each.properties]


def _literals(text: str) -> Iterator[Any]:
    """Yield the values of what is no JSON for comments, commas at an end or several values."""
    budget = iter(range(MOST_TOKENS))
    opening = _OPENING.search(text)
    while opening:
        try:
            value, at = load_literal(text, opening.start(), budget)
        except ValueError:
            return
        yield value
        opening = _OPENING.search(text, at)


def _value(data: Any) -> Any:
    if not isinstance(data, dict):
        return data
    return str(data["@value"]) if "@value" in data else _entity(data)


def _entity(data: dict[str, Any]) -> Entity:
    own = data.get("@id")
    properties = {_short(name): value for name, value in data.items() if name[:1] != "@"}
    return Entity(_types(data.get("@type")), properties, id=own if isinstance(own, str) else "")


def _short(name: str) -> str:
    return name if name.isalnum() else _PREFIX.sub("", name)


def _types(value: Any) -> tuple[str, ...]:
    if isinstance(value, str):
        return (_short(value.strip()),)
    values = value if isinstance(value, list) else ()
    return tuple(_short(each.strip()) for each in values if isinstance(each, str))


def resolve(value: Any, by_id: Mapping[str, Entity]) -> Any:
    """Return the entity that *value* refers to; *value* itself if it is none."""
    if isinstance(value, Entity) and value.id in by_id and len(value.properties) <= 1:
        return by_id[value.id]
    return value


_TURNING = dict.fromkeys([*range(0x202A, 0x202F), *range(0x2066, 0x206A)])
"""Embeddings, overrides and isolates: what follows them would be read in another order."""


def written(text: str) -> str:
    """Return a text without characters that cannot be written, or that turn it around."""
    if not (text.isascii() and text.isprintable()):
        text = readable(utf8_of(text.translate(_TURNING)).decode())
    return " ".join(text.split())


def without_repeats(texts: Iterable[str]) -> list[str]:
    seen: dict[str, str] = {}
    for text in texts:
        if text:
            seen.setdefault(text.casefold(), text)
    return list(seen.values())


# -- microdata ---------------------------------------------------------------------------------


def read_microdata(properties: Iterable[tuple[int, str, str | tuple[str, str]]]) -> list[Entity]:
    """Return the items that are in no other, from what :attr:`Page.declarations` has of them."""
    items: list[Entity] = []
    tops: list[Entity] = []
    for owner, names, said in properties:
        value: str | Entity
        if isinstance(said, str):
            value = said
        else:
            types, name = said
            short = (each.rstrip("/").rpartition("/")[2] for each in types.split())
            value = Entity(tuple(short), {}, "microdata", name)
            items.append(value)
            if owner < 0:
                tops.append(value)
        for each in names.split() if owner >= 0 else ():
            values = items[owner].properties.setdefault(each, [])
            if len(values) < MAX_VALUES:
                values.append(value)
    return tops
