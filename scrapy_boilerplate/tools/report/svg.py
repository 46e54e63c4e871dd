"""Plots as SVG: bars, pairs and a histogram, drawn with the style sheet of their page."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape

WIDTH, ROW, NAMES, VALUES = 720, 22, 220, 110
"""Width of a plot, height of a row, and room for names and values beside it."""

_LONGEST_NAME = 32


def bars(title: str, rows: Sequence[tuple[str, float, float, str]]) -> str:
    """Return horizontal bars; each row has a name, a length, the filled share of it and a value.

    >>> 'class="bar" x="220" y="3" width="390"' in bars("Pages", [("a.example", 9, 1, "9")])
    True
    """
    most = max((length for _, length, _, _ in rows), default=0) or 1
    parts = []
    for number, (name, length, share, value) in enumerate(rows):
        y, width = ROW * number + 3, (WIDTH - NAMES - VALUES) * length / most
        parts += [
            _label(name, y),
            f'<rect class="rest" x="{NAMES}" y="{y}" width="{width:.0f}" height="{ROW - 6}"/>',
            f'<rect class="bar" x="{NAMES}" y="{y}" width="{width * share:.0f}" '
            f'height="{ROW - 6}"/>',
            _text(NAMES + width + 6, y + 12, value),
        ]
    return _plot(title, ROW * len(rows), parts)


def pairs(title: str, rows: Sequence[tuple[str, float, float, str]]) -> str:
    """Return for each row a line from a first to a second share, with a name and a value.

    >>> pairs("Repeats", [("a.example", 0.5, 0.1, "50 % → 10 %")]).count("<circle")
    2
    """
    width = WIDTH - NAMES - VALUES
    parts = []
    for number, (name, first, second, value) in enumerate(rows):
        y = ROW * number + 3
        one, two = (NAMES + width * share for share in (first, second))
        parts += [
            _label(name, y),
            f'<line class="axis" x1="{NAMES}" y1="{y + 8}" x2="{NAMES + width}" y2="{y + 8}"/>',
            f'<line class="change" x1="{one:.0f}" y1="{y + 8}" x2="{two:.0f}" y2="{y + 8}"/>',
            f'<circle class="before" cx="{one:.0f}" cy="{y + 8}" r="5"/>',
            f'<circle class="after" cx="{two:.0f}" cy="{y + 8}" r="5"/>',
            _text(NAMES + width + 12, y + 12, value),
        ]
    return _plot(title, ROW * len(rows), parts)


def histogram(title: str, counts: Sequence[int]) -> str:
    """Return the counts of equal parts of [0, 1] as columns.

    >>> histogram("Confidence", [0, 2]).count('class="bar"')
    2
    """
    height, most = 140, max(counts, default=0) or 1
    step = WIDTH / max(len(counts), 1)
    parts = []
    for number, count in enumerate(counts):
        tall = (height - 40) * count / most
        x, y = step * number, height - 20 - tall
        parts += [
            f'<rect class="bar" x="{x + 3:.0f}" y="{y:.0f}" width="{step - 6:.0f}" '
            f'height="{tall:.0f}"/>',
            _text(x + step / 2, y - 4, str(count) if count else "", "middle"),
            _text(x + step / 2, height - 5, f"{number / len(counts):.1f}", "middle"),
        ]
    return _plot(title, height, parts)


def _plot(title: str, height: float, parts: Iterable[str]) -> str:
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" role="img">'
        f"<title>{escape(title)}</title>{''.join(parts)}</svg>"
    )


def _label(name: str, y: float) -> str:
    short = name if len(name) <= _LONGEST_NAME else f"{name[: _LONGEST_NAME - 1]}…"
    return _text(NAMES - 8, y + 12, short, "end")


def _text(x: float, y: float, text: str, anchor: str = "start") -> str:
    return f'<text x="{x:.0f}" y="{y:.0f}" text-anchor="{anchor}">{escape(text)}</text>'
