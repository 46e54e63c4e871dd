"""Counts and tables as text, for terminals and logs."""

from __future__ import annotations

from collections.abc import Sequence


def table(rows: Sequence[Sequence[str]], right: Sequence[int] = ()) -> str:
    """Return rows as aligned columns; the columns *right* are aligned to the right.

    >>> print(table([("name", "words"), ("mss", "7")], right=[1]), end="")
    name  words
    mss       7
    """
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = (
        "  ".join(
            cell.rjust(width) if number in right else cell.ljust(width)
            for number, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    )
    return "".join(f"{line}\n" for line in lines)


def counted(number: int, noun: str) -> str:
    """Return a number and what it counts.

    >>> counted(1, "page"), counted(2, "page")
    ('1 page', '2 pages')
    """
    return f"{number} {noun}{'' if number == 1 else 's'}"
