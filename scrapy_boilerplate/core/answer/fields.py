"""Values for an item's fields, made from a page and its extraction."""

from __future__ import annotations

from collections.abc import Callable
from operator import attrgetter
from typing import TypeAlias

from scrapy_boilerplate.core.answer.extraction import GIVEN, MADE_OUTPUTS, Extraction
from scrapy_boilerplate.core.answer.metadata.page_metadata import VALUES
from scrapy_boilerplate.core.answer.outputs import Form, plain
from scrapy_boilerplate.core.names import unknown

Reader: TypeAlias = "Callable[[Extraction], Form]"


def _value(name: str) -> Reader:
    return lambda answer: plain(getattr(answer.metadata, name))


OUTPUTS: dict[str, Reader] = {
    "text": attrgetter("text"),
    **{name: output.form_of for name, output in MADE_OUTPUTS.items()},
    **{name: _value(name) for name in VALUES if name != "title"},
    **{name: attrgetter(name) for name in GIVEN if name != "text"},
}
"""What a field can be filled with, by name: a function that makes it from an answer."""


def check_output(name: object) -> str:
    """Return *name*, or raise :exc:`ValueError` with the nearest output or all of them."""
    if not isinstance(name, str) or name not in OUTPUTS:
        raise ValueError(unknown("output", name, OUTPUTS))
    return name
