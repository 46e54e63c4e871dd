"""The loops of :mod:`scrapy_boilerplate.core.strip.scan` over the bytes of a page."""

from collections.abc import Collection

from scrapy_boilerplate.core.strip.scan import Element

class Scan:
    """Finds elements; *meanings* are the names of plain text, foreign, integration, breakout."""

    def __init__(self, element: type[Element], meanings: tuple[Collection[str], ...]) -> None: ...
    def elements(self, page: bytes) -> list[Element]:
        """Return the elements of *page* that hold plain text, in order, until there is doubt."""
    def surplus(self, page: bytes) -> list[tuple[int, int]]:
        """Return the ranges of *page* that hold the attributes of a tag beyond the first 500."""
