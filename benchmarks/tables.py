"""Markdown tables that also read well on a terminal."""

from __future__ import annotations

from collections.abc import Sequence


def share(value: float) -> str:
    """Return a share with three digits and no leading zero.

    >>> share(0.6304), share(1.0)
    ('.630', '1.000')
    """
    return f"{value:.3f}".removeprefix("0") if value < 1 else f"{value:.3f}"


def table(header: Sequence[str], rows: Sequence[Sequence[str]], left: int = 1) -> str:
    """Return a Markdown table: the *left* first columns to the left, the others to the right.

    >>> print(table(["method", "F1"], [["mss", ".63"]]))
    | method |  F1 |
    | :----- | --: |
    | mss    | .63 |
    """
    widths = [max(3, *map(len, column)) for column in zip(header, *rows, strict=True)]

    def line(cells: Sequence[str], fill: str = " ") -> str:
        padded = [
            cell.ljust(width, fill) if number < left else cell.rjust(width, fill)
            for number, (cell, width) in enumerate(zip(cells, widths, strict=True))
        ]
        return f"| {' | '.join(padded)} |"

    rule = [":-" if number < left else "-:" for number in range(len(widths))]
    return "\n".join([line(header), line(rule, "-"), *map(line, rows)])
