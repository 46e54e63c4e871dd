"""The one schema of the features: which columns there are, in which order, and what is numbered.

The compiled features have these numbers built in; :func:`differences` tells which differ.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cache

from scrapy_boilerplate.core.auto.copies import COPIES
from scrapy_boilerplate.core.auto.features import (
    ABOVE,
    BOUNDS,
    CONTROLS,
    FACTS,
    GROUPS,
    KINDS,
    LEVELS,
    MEDIA,
    OFFSETS,
    RADII,
    TABLE_SIZE,
    Blocks,
    Columns,
    lexical_columns,
)
from scrapy_boilerplate.core.auto.lexicon import NAMED, Lexicon
from scrapy_boilerplate.core.auto.metadata import METADATA
from scrapy_boilerplate.core.methods._runs import VOID
from scrapy_boilerplate.core.page import Page
from scrapy_boilerplate.core.page.walk import ELEMENT_ROWS, TEXT_ROWS

__all__ = [
    "FLAGS",
    "class_names",
    "column_groups",
    "differences",
    "feature_names",
    "page_names",
    "plain_names",
    "schema",
]

_OTHERS = {
    # What an element is besides.
    "void": VOID,
    "media": MEDIA,
    "control": CONTROLS,
    "article": ("article",),
    "main": ("main",),
}

FLAGS = {1 << bit: frozenset(names) for bit, names in enumerate(_OTHERS.values(), start=24)}
"""Names of the elements that have each flag, in the bits above those of :data:`ABOVE`."""


LEXICAL = "attributes"
"""Name of the last group, whose columns come from the lexicon."""

_BY_CLASS = ("siblings_", "template_", "outer_", "path_", "page_plain", "page_strings")


@cache
def column_groups() -> dict[str, tuple[str, ...]]:
    """Return the names of the features by group, in the order of their columns."""
    blocks = Blocks.of(Page.parse("<p>One."))
    found: Columns = {}
    groups = {}
    for group, adders in GROUPS.items():
        before = len(found)
        for add in adders:
            add(found, blocks)
        groups[group] = tuple(found)[before:]
    return {**groups, LEXICAL: tuple(lexical_columns(blocks, Lexicon({})))}


@cache
def feature_names() -> tuple[str, ...]:
    """Return the names of all features, in the order of their columns."""
    return tuple(name for names in column_groups().values() for name in names)


def plain_names() -> tuple[str, ...]:
    """Return the names of the features that need no lexicon, in their order."""
    groups = column_groups()
    return tuple(name for group in groups if group != LEXICAL for name in groups[group])


def page_names() -> tuple[str, ...]:
    """Return the names of the features that all blocks of a page share."""
    return tuple(name for name in feature_names() if name.startswith("page_"))


def class_names() -> tuple[str, ...]:
    """Return the names of the plain features that ``class`` and ``id`` attributes count for."""
    return tuple(name for name in plain_names() if name.startswith(_BY_CLASS))


def schema() -> dict[str, int]:
    """Return by name the numbers that compiled code may have built in."""
    numbered: dict[str, Iterable[str]] = {
        "column group": column_groups(),
        "element group": ABOVE,
        "kind of character": KINDS,
        "fact": dict(FACTS),
    }
    return {
        **{
            f"{what} {name}": number
            for what, names in numbered.items()
            for number, name in enumerate(names)
        },
        **{f"columns of {group}": len(names) for group, names in column_groups().items()},
        **{f"nearest level of {name}": nearest for name, nearest in FACTS},
        **{f"radius {number}": radius for number, radius in enumerate(RADII)},
        **{f"offset {number}": offset for number, offset in enumerate(OFFSETS)},
        **{f"flag {name}": flag for name, flag in zip(_OTHERS, FLAGS, strict=True)},
        **{f"bound {name}": number for name, number in BOUNDS.items()},
        **{
            f"row {name}": number
            for names in (ELEMENT_ROWS, TEXT_ROWS)
            for number, name in enumerate(names)
        },
        "element rows": len(ELEMENT_ROWS),
        "text rows": len(TEXT_ROWS),
        "element groups": len(ABOVE),
        "kinds of characters": len(KINDS),
        "facts": len(FACTS),
        "levels": LEVELS,
        "character table": TABLE_SIZE,
        "named groups": len(NAMED),
        "metadata": len(METADATA),
        "copies": len(COPIES),
    }


def differences(built: Mapping[str, int]) -> list[str]:
    """Return which numbers *built* into compiled code are not those of :func:`schema`."""
    here = schema()
    return [name for name, number in built.items() if here.get(name) != number]
