"""A page that may be needed again: its tree is freed when unused, and read again on demand."""

from __future__ import annotations

from functools import partial
from weakref import ref

from scrapy_boilerplate.core.page.page import Page


class PageReference:
    """Returns a page. Does not hold its tree if that can be read from the source again.

    A page made from a given tree is kept, because that tree cannot be read again.
    """

    __slots__ = ("_held", "_page", "_read_again", "_text", "is_same", "url")

    def __init__(self, page: Page) -> None:
        self._read_again = page.read_again
        self._held = page if self._read_again is None else None
        self._page = ref(page)
        again = self._read_again
        from_source = isinstance(again, partial) and again.func == Page.parse
        # What tells whether it changed; a tree that is kept is not read again, a source is a value.
        self._text = None if again is None or from_source else hash(page.buffer)
        self.url = page.url
        """Address of the page, ``None`` if it is not known."""
        self.is_same = True
        """Whether the page has the text that it had at first. It may not if it was read again and
        somebody had changed the tree of its response before."""

    def __call__(self) -> Page:
        """Return the page."""
        page = self._held or self._page()
        if page is None:
            assert self._read_again is not None
            page = self._read_again()
            self._page = ref(page)
            self.is_same = self._text is None or hash(page.buffer) == self._text
        return page
