"""Writes a document as elements with tags: the one visitor of HTML and TEI."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from scrapy_boilerplate.core.answer.document.nodes import Cell, Document, Node

Tags: TypeAlias = "tuple[str, str]"
"""What stands before a node, and after it and all that it holds."""


def written(document: Document, tags: Callable[[int, Node], Tags]) -> str:
    """Return a document with the *tags* of each node; they are asked once for each, in order."""
    pieces: list[str] = []
    closing: list[tuple[int, str]] = []  # of the open nodes: where they end, and what follows
    for index, (node, end) in enumerate(zip(document.nodes, document.ends, strict=True)):
        while closing and closing[-1][0] <= index:
            pieces.append(closing.pop()[1])
        before, after = tags(index, node)
        pieces.append(before)
        closing.append((end, after))
    pieces += [after for _, after in reversed(closing)]
    return "".join(pieces)


def element(name: str, attributes: str = "", inside: str = "", end: str = "\n") -> Tags:
    """Return the tags of an element, *inside* after the first and *end* after the second."""
    return f"<{name}{attributes}>{inside}", f"</{name}>{end}"


def spans(cell: Cell, columns: str, rows: str) -> str:
    """Return the attributes *columns* and *rows* of a cell that spans several."""
    named = ((columns, cell.colspan), (rows, cell.rowspan))
    return "".join(f' {name}="{span}"' for name, span in named if span > 1)
