"""Values for an item's fields, made from a page and its extraction."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

from scrapy_boilerplate.core.answer.extraction import Extraction, Row, plain
from scrapy_boilerplate.core.answer.metadata.reading import VALUES
from scrapy_boilerplate.core.answer.output import markdown
from scrapy_boilerplate.core.names import unknown
from scrapy_boilerplate.core.page import Page

Output: TypeAlias = "str | float | bool | list[str] | list[Row] | dict[str, Any] | None"
"""What a field can be filled with."""

Reader: TypeAlias = "Callable[[Page, Extraction], Output]"


def _sections(page: Page, extraction: Extraction) -> list[Row]:
    """Return the parts between headings, each with its headings and its Markdown."""
    return [
        {
            "headings": list(section.headings),
            "markdown": markdown(section.document),
            "xpath": section.document.xpaths[0],
        }
        for section in extraction.sections
    ]


def _reader(name: str) -> Reader:
    """Return the function that gives the output of that name, as a value for feed exporters."""
    if name in ("sections", "segments"):
        return _sections if name == "sections" else lambda _, extraction: extraction.segment_rows()
    if name in VALUES:
        return lambda _, extraction: plain(getattr(extraction.metadata, name))
    return lambda _, extraction: plain(getattr(extraction, name))


OUTPUTS: dict[str, Reader] = {
    name: _reader(name)
    for name in (
        *"text title segments markdown html prevertical tei images links embeds tables sections "
        "comments posts metadata".split(),
        *(name for name in VALUES if name != "title"),
        *"kind confidence extractor truncated garbled source next_page".split(),
    )
}
"""Every output by its name."""


def check_output(name: object) -> str:
    """Return *name*, or raise :exc:`ValueError` with the nearest output or all of them.

    >>> check_output("text")
    'text'
    """
    if not isinstance(name, str) or name not in OUTPUTS:
        raise ValueError(unknown("output", name, OUTPUTS))
    return name
