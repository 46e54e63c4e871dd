"""Reads a page for a document, and writes its nodes: blocks open when text needs them."""

import numpy as np
from lxml import etree
from numpy.typing import NDArray

from scrapy_boilerplate.core.answer.document.images import Seen
from scrapy_boilerplate.core.answer.document.nodes import Node
from scrapy_boilerplate.core.page import Page
from scrapy_boilerplate.core.page.arrays import Bool, Int32

WHOLE: int
"""A part of it may not be read by itself: code or a formula."""
NOTE: int
NOTES: int
"""It stands right around notes."""
TABLE: int
"""A table of data."""
IN_TABLE: int
HEADING: int
LIST: int
PART: int
"""A part of a table."""
BELONGS: int
"""A block only inside of the block that it belongs in."""
STYLE: int
MARKED: int
"""The page draws marks around it."""
LINK: int
EMBEDS: int
SHOWS: int
"""It shows an image."""
CALLOUT: int
"""It may be a callout."""
FORMULA: int
"""It may be a formula."""
LINE: int
"""It may be a line of code."""
VALUE: int
"""It says how it counts."""
DIVISION: int
"""It may hold lines of code."""
RULE: int
CHECKBOX: int
MAX_NESTING: int

class Writer:
    nodes: list[Node]
    ends: list[int]
    places: list[int]
    wanted: list[tuple[Node, int]]
    @property
    def can_open(self) -> bool: ...
    def open(self, block: Node, place: int) -> int: ...
    def close_to(self, depth: int) -> int: ...
    def end_block(self, kind: type[Node]) -> None: ...
    def end_paragraph(self) -> int: ...
    def add_block(self, block: Node, place: int) -> bool: ...
    def is_open(self, kind: type[Node]) -> bool: ...
    def is_wanted(self, kind: type[Node]) -> bool: ...
    def space(self) -> int: ...
    def line_break(self, place: int) -> int: ...
    def text(self, text: str, place: int, block_place: int) -> int: ...
    def leaf(self, node: Node, place: int, block_place: int) -> int: ...

class Reader:
    writer: Writer
    text: int
    element: int
    block: int
    node: etree._Element
    shown: list[tuple[Seen, int]]
    def __init__(
        self,
        page: Page,
        keep: Bool,
        is_read: Bool,
        marks: NDArray[np.uint8],
        tags: Int32,
        kinds: dict[str, Node],
        cuts: dict[int, int],
    ) -> None: ...
    def read(self, node: etree._Element | None = None, element: int = 0) -> None: ...
    def say(self, text: str, number: int) -> int: ...
    def break_lines(self, element: int, text: int = -1) -> int: ...
