"""A page shown with marks on its text: harmless HTML, in which nothing runs or loads."""

from __future__ import annotations

from scrapy_boilerplate.core.answer.overlay.colours import COLOURS, STYLE, kind_of
from scrapy_boilerplate.core.answer.overlay.marked import POLICY, Marks, marked_page
from scrapy_boilerplate.core.answer.overlay.small import Marked, shortened, small_overlay

__all__ = [
    "COLOURS",
    "POLICY",
    "STYLE",
    "Marked",
    "Marks",
    "kind_of",
    "marked_page",
    "shortened",
    "small_overlay",
]
