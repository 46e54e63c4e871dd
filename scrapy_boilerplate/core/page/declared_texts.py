"""Text that JSON-LD declares in parts: products, recipes, questions with their answers."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from html import escape
from itertools import islice
from typing import Any

_MOST_PARTS = 500  # questions, ingredients or steps that are read


def declared_texts(data: Any) -> Iterator[tuple[str, list[str], str]]:
    """Yield type, pieces of text or HTML, and name of what JSON-LD describes at its top."""
    for entity in islice(top_objects(data), _MOST_PARTS):
        kinds = _many(entity.get("@type"))
        kind = next((each for each in _READERS if each in kinds), None)
        if kind is not None:
            pieces = [each for each in _READERS[kind](entity) if each.strip()]
            yield kind, pieces, _text(entity, "name")


def top_objects(data: Any) -> Iterator[dict[str, Any]]:
    """Yield the objects at the top of JSON-LD, those in nested lists and ``@graph`` among them."""
    todo = [data]
    while todo:
        value = todo.pop()
        if isinstance(value, list):
            todo += reversed(value)
        elif isinstance(value, dict):
            yield value
            if "@graph" in value:
                todo.append(value["@graph"])


def _product(entity: dict[str, Any]) -> Iterator[str]:
    yield _text(entity, "description")


def _recipe(entity: dict[str, Any]) -> Iterator[str]:
    yield _text(entity, "description")
    yield _list("ul", _many(entity.get("recipeIngredient")))
    yield _list("ol", _many(entity.get("recipeInstructions")))


def _questions(entity: dict[str, Any]) -> Iterator[str]:
    for each in islice(_many(entity.get("mainEntity")), _MOST_PARTS):
        if isinstance(each, dict):
            name = _text(each, "name")
            yield f"<h2>{escape(name)}</h2>" if name else ""
            yield _text(each, "text")
            for kind in ("acceptedAnswer", "suggestedAnswer"):
                answers = islice(_many(each.get(kind)), _MOST_PARTS)
                yield from (_text(answer, "text") for answer in answers)


_READERS: dict[str, Callable[[dict[str, Any]], Iterator[str]]] = {
    "Product": _product,
    "Recipe": _recipe,
    "FAQPage": _questions,
    "QAPage": _questions,
}


def _list(tag: str, parts: list[Any]) -> str:
    """Return a list in HTML: texts, or things with a text; those of a section one by one."""
    items = []
    for part in islice(parts, _MOST_PARTS):
        inside = part.get("itemListElement") if isinstance(part, dict) else None
        items += [
            each if isinstance(each, str) else _text(each, "text") for each in _many(inside or part)
        ]
    lines = "".join(f"<li>{item if '<' in item else escape(item)}</li>" for item in items if item)
    return f"<{tag}>{lines}</{tag}>" if lines else ""


def _text(entity: Any, name: str) -> str:
    value = entity.get(name) if isinstance(entity, dict) else None
    return value if isinstance(value, str) else ""


def _many(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]
