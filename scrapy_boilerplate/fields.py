"""What an item's field can be filled with, made from a page and its extraction."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from scrapy_boilerplate.extraction import Extraction
from scrapy_boilerplate.page import Page

__all__ = ["OUTPUTS", "check_output", "segments"]


def segments(extraction: Extraction) -> list[dict[str, Any]]:
    """Return the segments as plain dicts, which every feed exporter can write.

    ``main`` tells whether the segment is a part of the main content.

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


OUTPUTS: dict[str, Callable[[Page, Extraction], Any]] = {
    "text": lambda page, extraction: extraction.text,
    "title": lambda page, extraction: page.title,
    "segments": lambda page, extraction: segments(extraction),
    "kind": lambda page, extraction: extraction.kind,
    "confidence": lambda page, extraction: extraction.confidence,
    "extractor": lambda page, extraction: extraction.extractor,
    "truncated": lambda page, extraction: extraction.truncated,
}
"""Every output by its name."""


def check_output(name: Any) -> str:
    """Return *name*, or raise :exc:`ValueError` with the names that exist.

    >>> check_output("text")
    'text'
    """
    if not isinstance(name, str) or name not in OUTPUTS:
        raise ValueError(f"Unknown output {name!r}; choose one of: {', '.join(OUTPUTS)}")
    return name
