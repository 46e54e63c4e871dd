"""Draws how well and at what cost each tool extracts, from the tables of the documentation.

    python -m benchmarks.chart

writes ``docs/quality-and-cost.svg``: word F1 on the pages of seven types, and processor time from
bytes to text in units of lxml's parse of the same page. The figures are those of the first table
of ``docs/benchmarks.md``.
"""

from __future__ import annotations

import re
from html import escape
from math import log2
from pathlib import Path
from typing import NamedTuple

__all__ = ["draw", "read_points"]

ROOT = Path(__file__).parent.parent
PAGE = ROOT / "docs" / "benchmarks.md"
OUTPUT = ROOT / "docs" / "quality-and-cost.svg"

WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM = 720, 420, 60, 150, 20, 50
LEAST_COST, MOST_COST, LEAST_F1, MOST_F1 = 0.5, 32.0, 0.55, 0.9
LINE = 14
"""Pixels between two labels, one above the other."""

STYLE = """
text { font: 12px sans-serif; fill: #333 } .axis { stroke: #ccc } .ours { fill: #0b62c4 }
.other { fill: #8a8a8a } .name-ours { font-weight: bold }
@media (prefers-color-scheme: dark) { text { fill: #ddd } .axis { stroke: #555 }
.ours { fill: #6db3ff } .other { fill: #9a9a9a } }"""


class Point(NamedTuple):
    """What the tables say of a tool."""

    name: str
    cost: float
    """Parses of the same page, from bytes, the median."""
    f1: float
    is_ours: bool


def read_points(page: str) -> list[Point]:
    r"""Return the tools of the page's first table that have a cost, best first.

    >>> head = "| tool | word F1 | cost on a tree | cost from bytes |\n|---|---|---|---|"
    >>> read_points(f"{head}\n| auto | .881¹ | 1.64 | 2.73 |\n| *other 2.1* | .8 | – | – |")
    [Point(name='auto', cost=2.73, f1=0.881, is_ours=True)]
    """
    rows = re.findall(r"^\| (\*?)([\w-]+)[^|]*\| +([.\d]+)¹? \|[^|]*\| +([.\d]+) \|$", page, re.M)
    return [Point(name, float(cost), float(f1), not star) for star, name, f1, cost in rows]


def draw(points: list[Point]) -> str:
    """Return the chart as SVG."""
    bottom, right = HEIGHT - BOTTOM, WIDTH - RIGHT
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" role="img">',
        "<title>Word F1 and cost of each tool</title>",
        f"<style>{STYLE}</style>",
    ]
    for tick in (0.5, 1, 2, 4, 8, 16):
        parts.append(_line(_x(tick), TOP, _x(tick), bottom))
        parts.append(_text(_x(tick), bottom + 16, f"{tick:g}", "middle"))
    for tick in (0.6, 0.7, 0.8, 0.9):
        parts.append(_line(LEFT, _y(tick), right, _y(tick)))
        parts.append(_text(LEFT - 8, _y(tick) + 4, f"{tick:.1f}", "end"))
    parts.append(_text((LEFT + right) / 2, HEIGHT - 8, "cost, in parses of the page", "middle"))
    parts.append(_text(LEFT - 8, TOP - 6, "word F1", "middle"))
    for point, label in zip(points, _labels(points), strict=True):
        kind = "ours" if point.is_ours else "other"
        x, y = _x(point.cost), _y(point.f1)
        parts.append(f'<circle class="{kind}" cx="{x:.0f}" cy="{y:.0f}" r="5"/>')
        at = (
            (x - 9, y + 4, point.name, "end")
            if _is_left(point)
            else (x + 9, label, point.name, "start")
        )
        parts.append(_text(*at, f"name-{kind}"))
    return "\n".join([*parts, "</svg>\n"])


def _x(cost: float) -> float:
    share = log2(cost / LEAST_COST) / log2(MOST_COST / LEAST_COST)
    return LEFT + share * (WIDTH - RIGHT - LEFT)


def _y(f1: float) -> float:
    return TOP + (MOST_F1 - f1) / (MOST_F1 - LEAST_F1) * (HEIGHT - BOTTOM - TOP)


def _is_left(point: Point) -> bool:
    """Tell whether a label stands left of its point, since many of ours stand right of it."""
    return not point.is_ours and 1 < point.cost < 3


def _labels(points: list[Point]) -> list[float]:
    """Return how high each label stands, the points from top to bottom: none upon another."""
    found: list[float] = []
    for number, point in enumerate(points):
        near = [
            label
            for other, label in zip(points[:number], found, strict=True)
            if not _is_left(other) and abs(_x(other.cost) - _x(point.cost)) < 90
        ]
        found.append(max([_y(point.f1) + 4, *(label + LINE for label in near)]))
    return found


def _line(x1: float, y1: float, x2: float, y2: float) -> str:
    return f'<line class="axis" x1="{x1:.0f}" y1="{y1:.0f}" x2="{x2:.0f}" y2="{y2:.0f}"/>'


def _text(x: float, y: float, text: str, anchor: str, kind: str = "") -> str:
    name = f' class="{kind}"' if kind else ""
    return f'<text{name} x="{x:.0f}" y="{y:.0f}" text-anchor="{anchor}">{escape(text)}</text>'


def main() -> None:
    """Run the command."""
    OUTPUT.write_text(draw(read_points(PAGE.read_text(encoding="utf-8"))), encoding="utf-8")
    print(OUTPUT.relative_to(ROOT))


if __name__ == "__main__":
    main()
