"""Draws how each method decides on one page of the example project.

    python -m benchmarks.decisions

writes ``docs/decisions.svg``: a strip for each method, along the words of the page. A bar shows
what the method kept, the curve what it decided by.
"""

from __future__ import annotations

from html import escape
from itertools import accumulate
from pathlib import Path
from typing import NamedTuple

import numpy as np

from scrapy_boilerplate import Page, get_extractor
from scrapy_boilerplate.learn.selectors import find_nodes

__all__ = ["Strip", "article", "draw", "joined", "strips"]

ROOT = Path(__file__).parent.parent
PAGE = ROOT / "example_project" / "sites" / "portal" / "all-hands.html"
OUTPUT = ROOT / "docs" / "decisions.svg"

WIDTH, LEFT, HEIGHT, BAR = 760, 230, 44, 9
"""Width of the picture, room for names, height of a strip and of the bar in it."""

CURVES = {
    "mss": "running sum of its tokens",
    "mss-tuned": "running sum of its tokens",
    "mss-learned": "running sum of learned values",
    "bte": "running sum of words and tags",
    "energy": "energy of each coherent text",
    "links": "words of each text that are not in links",
    "justext": "class of each paragraph",
    "scoring": "product of six factors",
    "web2text": "probability of content",
    "auto": "probability of content",
}
"""What the curve of each method shows."""

STYLE = """
text { font: 12px sans-serif; fill: #333 } .note { font-size: 10px; fill: #777 }
.kept { fill: #2f8f46 } .left { fill: #e0e0e0 } .article { fill: #0b62c4 }
.curve { fill: none; stroke: #c46a0b; stroke-width: 1.5 } .axis { stroke: #ddd }
@media (prefers-color-scheme: dark) { text { fill: #ddd } .note { fill: #999 }
.kept { fill: #58b96f } .left { fill: #444 } .article { fill: #6db3ff }
.curve { stroke: #f0a355 } .axis { stroke: #444 } }"""


class Strip(NamedTuple):
    """What a method made of the page, whose words are numbered."""

    name: str
    kept: list[tuple[int, int]]
    """Runs of words that it kept."""
    curve: list[tuple[int, float]]
    """What it decided by, from word to word."""


def strips(page: Page) -> list[Strip]:
    """Return the strip of each method that can run here, the article itself first."""
    words = np.concatenate([[0], np.cumsum(page.words)]).tolist()
    found = []
    for name in CURVES:
        try:
            verdict = get_extractor(name).judge(page)
        except ImportError as error:  # of an extra
            print(f"left out: {error}")
            continue
        scores = verdict.scores.tolist()
        before = scores
        if CURVES[name].startswith("running"):
            scores = list(accumulate(scores))
            before = [0.0, *scores[:-1]]
        spans = [(words[start], words[stop]) for start, stop in verdict.spans.tolist()]
        curve = [
            point
            for (start, stop), one, two in zip(spans, before, scores, strict=True)
            for point in ((start, one), (stop, two))
        ]
        kept = [span for span, is_kept in zip(spans, verdict.keep.tolist(), strict=True) if is_kept]
        found.append(Strip(name, joined(kept), curve))
    return found


def joined(runs: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Return runs of words in which those that touch are one.

    >>> joined([(0, 2), (2, 2), (2, 5), (7, 9)])
    [(0, 5), (7, 9)]
    """
    found: list[tuple[int, int]] = []
    for start, stop in runs:
        if found and found[-1][1] >= start:
            start = found.pop()[0]
        found.append((start, stop))
    return [run for run in found if run[1] > run[0]]


def article(page: Page) -> tuple[int, int]:
    """Return where the article's words begin and end: the element ``div.body`` of the template."""
    (element,) = find_nodes(page, "div.body")
    first, last = int(page.first_text[element]), int(page.last_text[element])
    return int(page.words[:first].sum()), int(page.words[:last].sum())


def draw(page: Page, shown: list[Strip]) -> str:
    """Return the picture as SVG."""
    total = int(page.words.sum())
    start, stop = article(page)
    height = HEIGHT * len(shown) + 40
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" role="img">',
        "<title>What each method kept of one page, and what it decided by</title>",
        f"<style>{STYLE}</style>",
        _text(LEFT - 8, 14, "the article", "end"),
        _bar("left", 5, 0, total, total),
        _bar("article", 5, start, stop, total),
        _text(LEFT, 28, f"{total} words: menu, article, comments, most read", "start", "note"),
    ]
    for number, strip in enumerate(shown):
        parts += _strip(strip, 40 + HEIGHT * number, total)
    return "\n".join([*parts, "</svg>\n"])


def _strip(strip: Strip, y: float, total: int) -> list[str]:
    scores = [score for _, score in strip.curve]
    low, high = min(0.0, *scores), max(0.0, *scores)
    room = HEIGHT - BAR - 8

    def level(score: float) -> float:
        return y + room - (score - low) / (high - low or 1) * room

    points = " ".join(f"{_x(word, total):.0f},{level(score):.0f}" for word, score in strip.curve)
    return [
        _text(LEFT - 8, y + room - 8, strip.name, "end"),
        _text(LEFT - 8, y + room + 6, CURVES[strip.name], "end", "note"),
        f'<line class="axis" x1="{LEFT}" y1="{level(0):.0f}" x2="{WIDTH}" y2="{level(0):.0f}"/>',
        f'<polyline class="curve" points="{points}"/>',
        _bar("left", y + room, 0, total, total),
        *(_bar("kept", y + room, *run, total) for run in strip.kept),
    ]


def _x(words: int, total: int) -> float:
    return LEFT + (WIDTH - LEFT) * words / total


def _bar(kind: str, y: float, start: int, stop: int, total: int) -> str:
    x, width = _x(start, total), _x(stop, total) - _x(start, total)
    return f'<rect class="{kind}" x="{x:.1f}" y="{y:.0f}" width="{width:.1f}" height="{BAR}"/>'


def _text(x: float, y: float, text: str, anchor: str, kind: str = "") -> str:
    name = f' class="{kind}"' if kind else ""
    return f'<text{name} x="{x:.0f}" y="{y:.0f}" text-anchor="{anchor}">{escape(text)}</text>'


def main() -> None:
    """Run the command."""
    page = Page.parse(PAGE.read_bytes())
    OUTPUT.write_text(draw(page, strips(page)), encoding="utf-8")
    print(OUTPUT.relative_to(ROOT))


if __name__ == "__main__":
    main()
