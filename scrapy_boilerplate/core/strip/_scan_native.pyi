"""The loops of :mod:`scrapy_boilerplate.core.strip.stripping` over the bytes of a page."""

from collections.abc import Collection

from scrapy_boilerplate.core.strip.stripping import Element

class Scan:
    def __init__(self, element: type[Element], meanings: tuple[Collection[str], ...]) -> None: ...
    def elements(self, page: bytes) -> list[Element]: ...
    def surplus(self, page: bytes) -> list[tuple[int, int]]: ...
