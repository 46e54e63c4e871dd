"""Elements that share their attributes, or the path to them: comments, cards, teasers."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from scrapy_boilerplate.page import Page
from scrapy_boilerplate.page.arrays import Int64
from scrapy_boilerplate.page.elements import number_keys

__all__ = ["Patterns"]


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
        strings = "\0".join(page.strings)  # no attribute holds a NUL
        texts = strings.encode("utf-8", "surrogatepass").translate(None, b"0123456789")
        ids: dict[bytes, int] = {}
        numbers_of = [ids.setdefault(text, len(ids)) for text in texts.split(b"\0")]
        id_of = np.array(numbers_of, dtype=np.int64)
        class_id = id_of[page.class_id]
        key = (page.tag * np.int64(len(ids)) + class_id) * len(ids) + id_of[page.id_id]
        numbers = number_keys(key)
        named = (page.class_id > 0) | (page.id_id > 0)
        return cls(numbers, np.where(named, np.bincount(numbers)[numbers], 1))
