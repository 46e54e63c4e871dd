"""Pages of held items that need not be read again: in memory, as far as there is room."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from scrapy_boilerplate.core.page.responses import without_tree
from scrapy_boilerplate.learn.template import share_view

if TYPE_CHECKING:
    from scrapy_boilerplate.core.answer.extraction import Extraction
    from scrapy_boilerplate.core.methods import Extractor
    from scrapy_boilerplate.core.page import Page

_OVERHEAD = 20_000  # bytes of a page's own objects, and of what the site's learner knows of it


class _Ready(NamedTuple):
    page: Page
    extractor: Extractor
    found: Extraction
    size: int


class ReadyPages:
    """Pages without their trees, by the number of the held page, and what was found on each.

    They take at most *most* bytes. What does not fit in is not kept: it can be read from the store.
    """

    def __init__(self, most: int) -> None:
        self._left = most
        self._ready: dict[int, _Ready] = {}

    def add(self, number: int, page: Page, extractor: Extractor, found: Extraction) -> bool:
        """Keep what *extractor* found on a page, if there is room; tell whether there is."""
        size = page.nbytes + _OVERHEAD
        light = without_tree(page) if size <= self._left else None
        if light is None:
            return False
        share_view(page, light)
        self._ready[number] = _Ready(light, extractor, found.on(light), size)
        self._left -= size
        return True

    def page(self, number: int) -> Page | None:
        """Return a page without its tree and source; ``None`` if it is not kept."""
        ready = self._ready.get(number)
        return ready.page if ready is not None else None

    def found(self, number: int, page: Page, extractor: Extractor) -> Extraction | None:
        """Return what was found on *page*, if it is the one kept and the method was the same."""
        ready = self._ready.get(number)
        if ready is None or ready.page is not page or ready.extractor != extractor:
            return None
        return ready.found

    def forget(self, number: int) -> None:
        """Make room."""
        ready = self._ready.pop(number, None)
        if ready is not None:
            self._left += ready.size

    def clear(self) -> None:
        """Forget all."""
        for number in list(self._ready):
            self.forget(number)
