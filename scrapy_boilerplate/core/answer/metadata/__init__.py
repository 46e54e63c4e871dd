"""Metadata of a page: title, authors, dates, language and the like."""

from __future__ import annotations

from scrapy_boilerplate.core.answer.metadata.page_metadata import (
    Metadata,
    metadata_of,
    read_metadata,
)

__all__ = ["Metadata", "metadata_of", "read_metadata"]
