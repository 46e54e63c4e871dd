"""Scrapy plugin that fills items with the main text of their pages, and learns each site."""

from __future__ import annotations

from scrapy_boilerplate.api import explain, extract
from scrapy_boilerplate.extraction import Explanation, Extraction, Segment
from scrapy_boilerplate.extractors import Extractor, extractor_names, get_extractor
from scrapy_boilerplate.page import Page

__version__ = "0.1.0"

__all__ = [
    "Explanation",
    "Extraction",
    "Extractor",
    "Page",
    "Segment",
    "explain",
    "extract",
    "extractor_names",
    "get_extractor",
]
