"""Counts, tables, and views of a page as text, for terminals and logs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from scrapy_boilerplate.core.answer.metadata import Metadata
from scrapy_boilerplate.core.answer.metadata.page_metadata import VALUES
from scrapy_boilerplate.core.answer.overlay import shortened
from scrapy_boilerplate.core.answer.record import Explanation


def printable(text: str) -> str:
    """Return *text* without characters that a terminal may take for commands."""
    return "".join(each if each.isprintable() else "\ufffd" for each in text)


def table(rows: Sequence[Sequence[str]], right: Sequence[int] = ()) -> str:
    """Return rows as aligned columns, some aligned to the *right*, without terminal commands."""
    rows = [[*map(printable, row)] for row in rows]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = (
        "  ".join(
            cell.rjust(width) if number in right else cell.ljust(width)
            for number, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    )
    return "".join(f"{line}\n" for line in lines)


def number_text(number: int) -> str:
    return f"{number:,}".replace(",", " ")


def counted(number: int, noun: str) -> str:
    """Return a number and what it counts.

    >>> counted(1, "page"), counted(1234, "page")
    ('1 page', '1 234 pages')
    """
    return f"{number_text(number)} {noun}{'' if number == 1 else 's'}"


_LONGEST_CELL = 60  # that a line shows of a block


def metadata_record(metadata: Metadata, url: str | None = None) -> dict[str, Any]:
    """Return the address and the metadata of a page, as far as they say something."""
    values = {"url": url, **metadata.to_dict()}
    return {name: value for name, value in values.items() if value and name in ("url", *VALUES)}


def explanation_lines(explanations: Sequence[Explanation]) -> str:
    """Return a line for each block: ``+`` or ``-``, score, beginning of the text, reason, XPath."""
    rows = [
        (
            "+" if each.kept else "-",
            f"{each.score:.2f}",
            shortened(each.text, _LONGEST_CELL),
            each.reason,
            each.xpath,
        )
        for each in explanations
    ]
    return table(rows, right=[1]) if rows else ""
