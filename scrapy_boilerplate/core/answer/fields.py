"""Values for an item's fields, made from a page and its extraction."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import asdict
from typing import Any, TypeAlias

from scrapy_boilerplate.core.answer.document.parts import EmbedPart, ImagePart, LinkPart, TablePart
from scrapy_boilerplate.core.answer.extraction import Extraction, SegmentDict
from scrapy_boilerplate.core.answer.metadata.reading import VALUES
from scrapy_boilerplate.core.answer.output import markdown
from scrapy_boilerplate.core.answer.posts import Post
from scrapy_boilerplate.core.names import unknown
from scrapy_boilerplate.core.page import Page

Row: TypeAlias = "dict[str, object]"
"""A part of the main content as a plain dict."""

Output: TypeAlias = (
    "str | float | bool | list[str] | list[SegmentDict] | list[Row] | dict[str, Any] | None"
)
"""What a field can be filled with."""


def _rows(parts: Iterable[ImagePart | LinkPart | EmbedPart | TablePart | Post]) -> list[Row]:
    return [asdict(part) for part in parts]


def _sections(extraction: Extraction) -> list[Row]:
    """Return the parts between headings, each with its headings and its Markdown."""
    return [
        {
            "headings": list(section.headings),
            "markdown": markdown(section.document),
            "xpath": section.document.xpaths[0],
        }
        for section in extraction.sections
    ]


def _of_metadata(name: str) -> Callable[[Page, Extraction], Output]:
    """Return the function that gives one value of the metadata; a tuple becomes a list."""

    def read(page: Page, extraction: Extraction) -> Output:
        value: str | tuple[str, ...] = getattr(extraction.metadata, name)
        return list(value) if isinstance(value, tuple) else value

    return read


OUTPUTS: dict[str, Callable[[Page, Extraction], Output]] = {
    "text": lambda page, extraction: extraction.text,
    "title": lambda page, extraction: extraction.title,
    "segments": lambda page, extraction: extraction.segment_rows(),
    "markdown": lambda page, extraction: extraction.markdown,
    "html": lambda page, extraction: extraction.html,
    "prevertical": lambda page, extraction: extraction.prevertical,
    "tei": lambda page, extraction: extraction.tei,
    "images": lambda page, extraction: _rows(extraction.images),
    "links": lambda page, extraction: _rows(extraction.links),
    "embeds": lambda page, extraction: _rows(extraction.embeds),
    "tables": lambda page, extraction: _rows(extraction.tables),
    "sections": lambda page, extraction: _sections(extraction),
    "comments": lambda page, extraction: _rows(extraction.comments),
    "posts": lambda page, extraction: _rows(extraction.posts),
    "metadata": lambda page, extraction: extraction.metadata.to_dict(),
    **{name: _of_metadata(name) for name in VALUES if name != "title"},
    "kind": lambda page, extraction: extraction.kind,
    "confidence": lambda page, extraction: extraction.confidence,
    "extractor": lambda page, extraction: extraction.extractor,
    "truncated": lambda page, extraction: extraction.truncated,
    "garbled": lambda page, extraction: extraction.garbled,
    "source": lambda page, extraction: extraction.source,
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
