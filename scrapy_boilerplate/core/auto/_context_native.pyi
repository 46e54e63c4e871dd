"""The columns of :mod:`scrapy_boilerplate.core.auto.context`, a block at a time."""

from scrapy_boilerplate.core.auto.context import Surroundings
from scrapy_boilerplate.core.page.arrays import Float, Float32

class Context:
    def __init__(
        self, content: Float, list_probability: float, words: Float, around: Surroundings
    ) -> None: ...
    def put(self, rows: Float32, start: int = 0) -> None: ...
