"""Elements that share their attributes, or the path to them: comments, cards, teasers."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from scrapy_boilerplate.core.native import native_or
from scrapy_boilerplate.core.page import Page
from scrapy_boilerplate.core.page.arrays import Int32, Int64
from scrapy_boilerplate.core.page.elements import number_keys

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
        return cls(*_patterns(page.strings, page.tag, page.class_id, page.id_id))


# -- what may be compiled --------------------------------------------------------------------


def _patterns_in_numpy(
    strings: list[str], tag: Int32, class_id: Int32, id_id: Int32
) -> tuple[Int64, Int64]:
    """Return the number of each element's pattern, and how many elements share it."""
    joined = "\0".join(strings)  # no attribute holds a NUL
    texts = joined.encode("utf-8", "surrogatepass").translate(None, b"0123456789")
    ids: dict[bytes, int] = {}
    id_of = np.array([ids.setdefault(text, len(ids)) for text in texts.split(b"\0")])
    key = (tag * np.int64(len(ids)) + id_of[class_id]) * len(ids) + id_of[id_id]
    numbers = number_keys(key)
    named = (class_id > 0) | (id_id > 0)
    return numbers, np.where(named, np.bincount(numbers)[numbers], 1)


_patterns = native_or(_patterns_in_numpy, "core.methods._scoring_native", "patterns")
