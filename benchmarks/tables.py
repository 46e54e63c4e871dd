"""Markdown tables that also read well on a terminal."""

from __future__ import annotations

from collections.abc import Sequence

__all__ = ["table"]


def table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Return a Markdown table: the first column to the left, the others to the right.

    >>> print(table(["method", "F1"], [["mss", ".63"]]))
    | method |  F1 |
    | :----- | --: |
    | mss    | .63 |
    """
    widths = [max(3, *map(len, column)) for column in zip(header, *rows, strict=True)]

    def line(cells: Sequence[str]) -> str:
        first, *others = (
            cell.ljust(width) if number == 0 else cell.rjust(width)
            for number, (cell, width) in enumerate(zip(cells, widths, strict=True))
        )
        return f"| {' | '.join([first, *others])} |"

    rule = [":" + "-" * (width - 1) if not n else "-" * (width - 1) + ":"
            for n, width in enumerate(widths)]  # fmt: skip
    return "\n".join([line(header), line(rule), *map(line, rows)])
