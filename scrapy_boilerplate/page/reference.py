"""A page that may be needed again: its tree goes when nobody uses it, and is read anew if asked."""

from __future__ import annotations

from collections import deque
from weakref import ref

from scrapy_boilerplate.page.page import Page

__all__ = ["PageReference"]

MOST_CHARACTERS = 1_000_000
"""Longer pages are not held for later."""

_recent: deque[Page] = deque(maxlen=4)
"""Pages that were used last: who wants one output often wants another."""


class PageReference:
    """Gives a page back, without holding its tree if it can be read from its source again.

    A page that was made from somebody's tree is held, since only that tree is what was read.
    """

    __slots__ = ("_held", "_page", "_read_again")

    def __init__(self, page: Page) -> None:
        self._read_again = page.read_again
        self._held = page if self._read_again is None else None
        self._page = ref(page)
        self._remember(page)

    def _remember(self, page: Page) -> None:
        if self._held is None and len(page.buffer) <= MOST_CHARACTERS:
            _recent.append(page)

    def __call__(self) -> Page:
        """Return the page."""
        page = self._held or self._page()
        if page is None:
            assert self._read_again is not None
            page = self._read_again()
            self._page = ref(page)
        self._remember(page)
        return page
