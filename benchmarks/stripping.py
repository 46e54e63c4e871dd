"""What stripping costs, and what it saves those who read the body afterwards.

    python -m benchmarks.stripping --data ../shared/data/wcxb-dev

All times are processor time in ms a page, the best of several runs for each page.
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Callable, Sequence
from functools import partial
from itertools import islice
from statistics import fmean
from typing import Any

import lxml.html
from scrapy.http import HtmlResponse

from benchmarks.data import read
from benchmarks.speed import clock
from benchmarks.tables import table
from scrapy_boilerplate.core.strip import strip_elements

RUNS = 3


def _parse(body: bytes) -> Any:
    parser = lxml.html.HTMLParser(encoding="utf-8", huge_tree=True)
    return lxml.html.document_fromstring(body or b"<p>", parser=parser)


def _response(body: bytes) -> HtmlResponse:
    return HtmlResponse("https://example.com/", body=body, encoding="utf-8")


STEPS: dict[str, Callable[[bytes], Any]] = {
    "lxml parse": _parse,
    "response.css('a::attr(href)')": lambda body: _response(body).css("a::attr(href)").getall(),
    "a regex on response.text": lambda body: re.findall(
        r"https?://[^\s\"'<>]+", _response(body).text
    ),
}


def milliseconds(step: Callable[[bytes], Any], *variants: Sequence[bytes]) -> list[float]:
    """Return for each list of bodies the mean processor time that *step* takes for one at best.

    The variants of a page take turns, so that other work on the machine slows all of them alike.
    """
    best = [
        [
            min(times)
            for times in zip(
                *([_clock(step, body) for body in page] for _ in range(RUNS)), strict=True
            )
        ]
        for page in zip(*variants, strict=True)
    ]
    return [1e3 * fmean(times) for times in zip(*best, strict=True)]


def _clock(step: Callable[[bytes], Any], body: bytes) -> float:
    return clock(lambda: partial(step, body))


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.stripping", description=__doc__.partition("\n")[0]
    )
    parser.add_argument("--data", required=True, help="folder of a labelled page set")
    parser.add_argument("--limit", type=int, help="number of pages; all by default")
    options = parser.parse_args()
    before = [page.html for page in islice(read(options.data), options.limit)]
    after = [strip_elements(body) for body in before]
    whole, stripped = (fmean(map(len, bodies)) for bodies in (before, after))
    share = f"{1 - stripped / whole:.0%}"
    row = [f"{value:,.0f}" for value in (len(before), whole, whole - stripped)]
    print(table(["pages", "bytes in", "bytes cut", "share cut"], [[*row, share]]))
    (cost,) = milliseconds(strip_elements, before)
    rows = [["strip", f"{cost:.2f}", "", "", ""]]
    for name, step in STEPS.items():
        long, short = milliseconds(step, before, after)
        saved = long - short
        figures = f"{long:.2f} {short:.2f} {saved:.2f} {saved - cost:+.2f}"
        rows.append([name, *figures.split()])
    print("\n" + table(["ms a page", "whole", "stripped", "saved", "saved less strip"], rows))


if __name__ == "__main__":
    main()
