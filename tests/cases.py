"""Cases that stand in ``fixtures``: one a line, its cells with tabs between them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

FIXTURES = Path(__file__).parent / "fixtures"
PICTURES = {0x2400 + code: code for code in range(32)}


def rows(name: str) -> list[list[str]]:
    """Return the cells of each line of a table; control characters stand as their pictures (␊)."""
    lines = (FIXTURES / f"{name}.tsv").read_text(encoding="utf-8").splitlines()
    return [[cell.translate(PICTURES) for cell in line.split("\t")] for line in lines]


def named(name: str) -> list[Any]:
    """Return the lines of a table as parameters; the first cell of each is its name."""
    return [pytest.param(*cells, id=case) for case, *cells in rows(name)]


def column(name: str) -> list[str]:
    """Return the lines of a table that has one column."""
    return [cell for (cell,) in rows(name)]


PROSE = "<p>It rained all day in the town, and nobody went out to look at the river, or at us.</p>"


def page_of(part: str) -> str:
    """Return a page with a *part* in the middle of its article."""
    return f"<title>A title</title><article><h1>A title</h1>{PROSE * 4}{part}{PROSE * 3}</article>"


SCRIPT = f"<script>{'var a=1;' * 400}</script>"
BLOCKED = {name: html.replace("{script}", SCRIPT) for name, html in rows("blocked_pages")}
"""Pages that stand in place of another, as services write them, in many languages."""
