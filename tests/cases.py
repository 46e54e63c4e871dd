"""Cases that stand in ``fixtures``: one a line, its cells with tabs between them."""

from __future__ import annotations

from pathlib import Path

FIXTURES = Path(__file__).parent / "fixtures"


def rows(name: str) -> list[list[str]]:
    r"""Return the cells of each line of a table, in which ``\n`` stands for the end of one."""
    lines = (FIXTURES / f"{name}.tsv").read_text(encoding="utf-8").splitlines()
    return [[cell.replace("\\n", "\n") for cell in line.split("\t")] for line in lines]


SCRIPT = f"<script>{'var a=1;' * 400}</script>"
BLOCKED = {name: html.replace("{script}", SCRIPT) for name, html in rows("blocked_pages")}
"""Pages that stand in place of another, as services write them, in many languages."""
