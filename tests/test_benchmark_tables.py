"""The page of benchmarks shows what stands in the tables."""

from __future__ import annotations

import re

import pytest

from benchmarks import report

SUMMARY, _, _ = (
    (report.PAGE.parent.parent / "benchmarks.md").read_text(encoding="utf-8").partition("\n## ")
)
TABLES = {found.title: found for found in report.sections(report.PAGE.read_text(encoding="utf-8"))}


def rows(table: str) -> dict[str, list[str]]:
    """Return the cells of a table's rows by the first."""
    cells = [[cell.strip() for cell in line.split("|")[1:-1]] for line in table.splitlines()]
    return {row[0]: row[1:] for row in cells if row and not row[0].startswith(":-")}


def test_the_summary_says_what_the_tables_say() -> None:
    summary, quality = rows(SUMMARY), rows(TABLES["Quality: pages of seven types"].table)
    cost = rows(TABLES["Cost"].table)
    compared = 0
    for tool, (f1, on_a_tree, from_bytes) in summary.items():
        if tool in cost:
            compared += 1
            assert [on_a_tree, from_bytes] == cost[tool][1:3], tool
            # a mark: fitted on these pages, so the figure is of models that had not seen them
            assert f1.endswith("¹") or f1 == quality[tool][0], tool
    assert compared > 15


@pytest.mark.parametrize("section", TABLES.values(), ids=TABLES)
def test_a_report_replaces_one_table(section: report.Section) -> None:
    page = report.PAGE.read_text(encoding="utf-8")
    new = section.replaced(page, "| new |")
    assert new.count("| new |") == 1
    assert new.replace("| new |", section.table) == page
    assert re.match(r"-m benchmarks\.\w+ ", section.command)
