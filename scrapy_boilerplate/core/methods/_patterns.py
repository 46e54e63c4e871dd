"""Elements that share their attributes, or the path to them: comments, cards, teasers."""

from __future__ import annotations

from typing import NamedTuple

from scrapy_boilerplate.core.methods._scoring_native import patterns as _patterns
from scrapy_boilerplate.core.page import Page
from scrapy_boilerplate.core.page.arrays import Int64


class Patterns(NamedTuple):
    """An element's pattern is its tag, ``class`` and ``id``, without their digits.

    >>> page = Page.parse("<p id=comment-1>One</p><p id=comment-2>Two</p><p>Three</p>")
    >>> Patterns.of(page).repeats.tolist()
    [1, 1, 2, 2, 1]
    """

    numbers: Int64
    """Number of each element's pattern."""
    repeats: Int64
    """How many elements of the page share each one's pattern; 1 for those without attributes."""

    @classmethod
    def of(cls, page: Page) -> Patterns:
        """Number the patterns of a page."""
        return cls(*_patterns(page.strings, page.tag, page.class_id, page.id_id))
