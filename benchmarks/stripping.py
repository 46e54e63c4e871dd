"""What stripping costs, and what it saves those who read the body afterwards.

    python -m benchmarks.stripping --data ../shared/data/wcxb-dev

All times are processor time in ms a page, the best of several runs for each page.
"""

from __future__ import annotations

import argparse
import re
import time
from collections.abc import Callable, Sequence
from itertools import islice
from statistics import fmean
from typing import Any

import lxml.html
from scrapy.http import HtmlResponse

from benchmarks.data import read
from benchmarks.tables import table
from scrapy_boilerplate.core.strip import strip_elements

RUNS = 3


def parse(body: bytes) -> Any:
    """Parse with lxml alone."""
    parser = lxml.html.HTMLParser(encoding="utf-8", huge_tree=True)
    return lxml.html.document_fromstring(body or b"<p>", parser=parser)


def select(body: bytes) -> Any:
    """Parse as Scrapy does, and take all links out."""
    return _response(body).css("a::attr(href)").getall()


def search(body: bytes) -> Any:
    """Look for all addresses in the text of the response."""
    return re.findall(r"https?://[^\s\"'<>]+", _response(body).text)


def _response(body: bytes) -> HtmlResponse:
    return HtmlResponse("https://example.com/", body=body, encoding="utf-8")


STEPS: dict[str, Callable[[bytes], Any]] = {
    "lxml parse": parse,
    "response.css('a::attr(href)')": select,
    "a regex on response.text": search,
}


def milliseconds(step: Callable[[bytes], Any], *variants: Sequence[bytes]) -> list[float]:
    """Return for each list of bodies the mean processor time that *step* takes for one at best.

    The variants of a page take turns, so that other work on the machine slows all of them alike.
    """
    best = [
        [min(times) for times in zip(*(_turn(step, page) for _ in range(RUNS)), strict=True)]
        for page in zip(*variants, strict=True)
    ]
    return [1e3 * fmean(times) for times in zip(*best, strict=True)]


def _turn(step: Callable[[bytes], Any], bodies: Sequence[bytes]) -> list[float]:
    times = []
    for body in bodies:
        begin = time.process_time()
        step(body)
        times.append(time.process_time() - begin)
    return times


def main(arguments: Sequence[str] | None = None) -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--data", required=True, help="folder of a labelled page set")
    parser.add_argument("--limit", type=int, help="number of pages; all by default")
    options = parser.parse_args(arguments)
    before = [page.html for page in islice(read(options.data), options.limit)]
    after = [strip_elements(body) for body in before]

    bytes_in, bytes_out = fmean(map(len, before)), fmean(map(len, after))
    print(
        table(
            ["pages", "bytes in", "bytes cut", "share cut"],
            [
                [
                    f"{len(before):,}",
                    f"{bytes_in:,.0f}",
                    f"{bytes_in - bytes_out:,.0f}",
                    f"{1 - bytes_out / bytes_in:.0%}",
                ]
            ],
        )
    )
    print()
    (cost,) = milliseconds(strip_elements, before)
    rows = [["strip", f"{cost:.2f}", "", "", ""]]
    for name, step in STEPS.items():
        long, short = milliseconds(step, before, after)
        rows.append(
            [
                name,
                f"{long:.2f}",
                f"{short:.2f}",
                f"{long - short:.2f}",
                f"{long - short - cost:+.2f}",
            ]
        )
    print(table(["ms a page", "whole", "stripped", "saved", "saved less strip"], rows))


if __name__ == "__main__":
    main()
