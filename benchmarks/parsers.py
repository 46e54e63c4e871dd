"""What lexbor in the place of lxml's parser would change, and what it would save.

    python -m benchmarks.parsers --data ../shared/data/wcxb-dev ../shared/data/sites

Lexbor builds the tree that HTML5 demands. Here it is written as HTML and read again by lxml, so
that the same walk sees it. Printed are the shares of pages on which blocks and answer stay the
same, the mean word F1 with lxml's and with lexbor's tree, and the processor time of a parse by
lexbor, from text to its own tree, in parses of lxml: the median over pages.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path
from statistics import mean, median
from typing import NamedTuple

from parsel import Selector
from selectolax.lexbor import LexborHTMLParser
from w3lib.encoding import html_to_unicode

from benchmarks.data import LabelledPage, read
from benchmarks.metrics import word_score
from benchmarks.sampling import sample
from benchmarks.speed import clock
from benchmarks.tables import table
from scrapy_boilerplate import Extractor, Page, get_extractor

__all__ = ["Compared", "compare"]

_REPEATS = 3


class Compared(NamedTuple):
    """One page by both parsers."""

    same_blocks: bool
    same_answer: bool
    f1: float
    """By lxml's tree."""
    lexbor_f1: float
    cost: float
    """Time of lexbor's parse divided by that of lxml's."""


def compare(page: LabelledPage, extractor: Extractor) -> Compared:
    """Read *page* by both parsers."""
    text = html_to_unicode(None, page.html, default_encoding="utf-8")[1]
    ours = Page.parse(text, url=page.url)
    theirs = Page.parse(LexborHTMLParser(text).html or "", url=page.url)
    answer, other = extractor.extract(ours).text, extractor.extract(theirs).text
    return Compared(
        _blocks(ours) == _blocks(theirs),
        answer == other,
        word_score(answer, page.gold).f1,
        word_score(other, page.gold).f1,
        _seconds(lambda: LexborHTMLParser(text))
        / _seconds(lambda: Selector(text=text, type="html")),
    )


def _blocks(page: Page) -> list[str]:
    return [page.lay_out(start, stop) for start, stop in page.blocks.tolist()]


def _seconds(parse: Callable[[], object]) -> float:
    return min(clock(lambda: parse) for _ in range(_REPEATS))


def parsers_table(found: Iterable[tuple[str, list[Compared]]]) -> str:
    """Return a Markdown table, a row for each set of pages."""
    rows = []
    for name, pages in found:
        blocks, answers, ours, theirs, costs = zip(*pages, strict=True)
        shares = [f"{mean(share):.3f}" for share in (blocks, answers, ours, theirs)]
        rows.append([f"{name} ({len(pages)})", *shares, f"{median(costs):.2f}"])
    header = ["pages", "same blocks", "same answer", "F1, lxml", "F1, lexbor", "its parse"]
    return table(header, rows)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.parsers", description=__doc__.partition("\n")[0]
    )
    add = parser.add_argument
    add("--data", type=Path, nargs="+", required=True, help="folders of labelled sets")
    add("--extractor", default="auto", help="default: %(default)s")
    add("--limit", type=int, default=250, help="pages of each set (default: %(default)s)")
    options = parser.parse_args()
    compared = partial(compare, extractor=get_extractor(options.extractor))
    sets = [(each.name, sample(list(read(each)), options.limit)) for each in options.data]
    print(parsers_table((name, [*map(compared, pages)]) for name, pages in sets))


if __name__ == "__main__":
    main()
