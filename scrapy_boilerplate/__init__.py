"""Scrapy plugin that fills items with the main text of their pages, and learns each site."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scrapy_boilerplate.api import explain, extract
from scrapy_boilerplate.compare import Comparison, compare
from scrapy_boilerplate.decorators import extract_with
from scrapy_boilerplate.extraction import Explanation, Extraction, Segment
from scrapy_boilerplate.extractors import Extractor, Verdict, extractor_names, get_extractor
from scrapy_boilerplate.page import Page

if TYPE_CHECKING:
    from scrapy_boilerplate.addon import Addon

__version__ = "0.1.0"

__all__ = [
    "Addon",
    "Comparison",
    "Explanation",
    "Extraction",
    "Extractor",
    "Page",
    "Segment",
    "Verdict",
    "compare",
    "explain",
    "extract",
    "extract_with",
    "extractor_names",
    "get_extractor",
]


def __getattr__(name: str) -> type[Addon]:
    """Import the only name that needs Scrapy when it is used."""
    if name == "Addon":
        from scrapy_boilerplate.addon import Addon

        return Addon
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
