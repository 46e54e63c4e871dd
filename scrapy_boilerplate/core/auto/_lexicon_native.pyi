"""The compiled loops of :mod:`scrapy_boilerplate.core.auto.lexicon`."""

from collections.abc import Collection, Sequence

from scrapy_boilerplate.core.page.arrays import Float

class Words:
    def __init__(
        self, words: Collection[str], values: Collection[float], named: Collection[int]
    ) -> None: ...
    def meanings(self, strings: Sequence[str]) -> Float: ...
