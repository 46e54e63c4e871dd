"""The kept part of a page with its structure: headings, lists, tables, code, images, links."""

from __future__ import annotations

from scrapy_boilerplate.core.answer.document.build import build_document, data_tables, from_text
from scrapy_boilerplate.core.answer.document.nodes import Document
from scrapy_boilerplate.core.answer.document.switches import SWITCHES, Switches

__all__ = ["SWITCHES", "Document", "Switches", "build_document", "data_tables", "from_text"]
