"""The compiled loops of :mod:`scrapy_boilerplate.core.answer.metadata.visible`: words looked up."""

from collections.abc import Mapping

from scrapy_boilerplate.core.page.arrays import Int32, Int64

class Words:
    def __init__(self, words: Mapping[str, int]) -> None: ...
    def of_names(self, names: list[str]) -> Int64: ...
    def evident(self, buffer: str, starts: Int32, stops: Int32, spans: Int64) -> list[bool]: ...
