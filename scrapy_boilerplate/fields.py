"""What an item's field can be filled with, made from a page and its extraction."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import asdict
from typing import TypeAlias, TypedDict

from scrapy_boilerplate.document.parts import ImagePart, LinkPart, TablePart
from scrapy_boilerplate.extraction import Extraction, Role
from scrapy_boilerplate.names import unknown
from scrapy_boilerplate.page import Page

__all__ = ["OUTPUTS", "Output", "SegmentDict", "check_output", "segments"]


class SegmentDict(TypedDict):
    """A segment as a plain dict, which every feed exporter can write."""

    text: str
    role: Role
    main: bool
    """Whether the segment is a part of the main content."""
    score: float
    xpath: str


Row: TypeAlias = "dict[str, object]"
"""A part of the main content as a plain dict."""

Output: TypeAlias = "str | float | bool | list[SegmentDict] | list[Row] | None"
"""What a field can be filled with."""


def segments(extraction: Extraction) -> list[SegmentDict]:
    """Return the segments as plain dicts.

    >>> from scrapy_boilerplate import extract
    >>> segments(extract("<p>One two three four five."))[0]["text"]
    'One two three four five.'
    """
    main = {segment.span for segment in extraction.main}
    return [
        {
            "text": segment.text,
            "role": segment.role,
            "main": segment.span in main,
            "score": segment.score,
            "xpath": segment.xpath,
        }
        for segment in extraction.segments
    ]


def _rows(parts: Iterable[ImagePart | LinkPart | TablePart]) -> list[Row]:
    return [asdict(part) for part in parts]


OUTPUTS: dict[str, Callable[[Page, Extraction], Output]] = {
    "text": lambda page, extraction: extraction.text,
    "title": lambda page, extraction: page.title,
    "segments": lambda page, extraction: segments(extraction),
    "markdown": lambda page, extraction: extraction.markdown,
    "html": lambda page, extraction: extraction.html,
    "images": lambda page, extraction: _rows(extraction.images),
    "links": lambda page, extraction: _rows(extraction.links),
    "tables": lambda page, extraction: _rows(extraction.tables),
    "kind": lambda page, extraction: extraction.kind,
    "confidence": lambda page, extraction: extraction.confidence,
    "extractor": lambda page, extraction: extraction.extractor,
    "truncated": lambda page, extraction: extraction.truncated,
    "garbled": lambda page, extraction: extraction.garbled,
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
