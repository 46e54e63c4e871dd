"""What each output costs beside text, in parses.

    python -m benchmarks.outputs --data ../shared/data/wcxb-dev --limit 100

An output is made when it is first asked for. Its time is that of the first ask on an extraction
that has its text and nothing else, on a page that was read for it; *text* is what a crawl pays
whose spider has parsed the response: the walk and the method. Each is measured *repeats* times, and
the least processor time counts, as in ``benchmarks.speed``. *sum* is the ratio of the sums over
all pages, on which long pages weigh more.
"""

from __future__ import annotations

import argparse
import gc
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from statistics import median
from typing import Any

from parsel import Selector
from w3lib.encoding import html_to_unicode

from benchmarks.data import LabelledPage, read
from benchmarks.sampling import sample
from benchmarks.speed import clock
from benchmarks.tables import table
from scrapy_boilerplate import Extraction, Page, get_extractor

__all__ = ["OUTPUTS", "Costs", "costs_table", "measure"]

OUTPUTS: dict[str, Callable[[Extraction], Any]] = {
    "`segments` as rows": lambda found: found.segment_rows(),
    "`markdown`": lambda found: found.markdown,
    "`html`": lambda found: found.html,
    "`markdown` and `html`": lambda found: (found.markdown, found.html),
    "`prevertical`": lambda found: found.prevertical,
    "`tei`": lambda found: found.tei,
    "`images`, `links`, `tables`": lambda found: (found.images, found.links, found.tables),
    "`metadata`": lambda found: found.metadata,
    "`comments`, `posts`": lambda found: (found.comments, found.posts),
    "all: `to_dict()`": lambda found: found.to_dict(),
}
"""What is asked for, by what the table calls it."""

REPEATS = 3
PARSE, TEXT = "lxml parse", "`text`"

Costs = dict[str, float]
"""Least seconds of each step on one page."""


def measure(page: LabelledPage, repeats: int) -> Costs:
    """Return what each output of a page costs."""
    text = html_to_unicode(None, page.html, default_encoding="utf-8")[1]
    selector = Selector(text=text, type="html")
    method = get_extractor("auto")

    def extraction() -> Extraction:
        return method.extract(Page.from_selector(selector, url=page.url, source=text))

    costs: Costs = {}
    for _ in range(repeats):
        steps = {PARSE: lambda: Selector(text=text, type="html"), TEXT: extraction}
        for name, call in steps.items():
            costs[name] = min(costs.get(name, 1e9), clock(lambda: call))  # noqa: B023
        for name, output in OUTPUTS.items():
            found = extraction()
            costs[name] = min(costs.get(name, 1e9), clock(lambda: partial(output, found)))  # noqa: B023
    return costs


def costs_table(costs: Sequence[Costs]) -> str:
    """Return a Markdown table of the ratios to the parse: medians over pages, and of the sums.

    >>> print(costs_table([{PARSE: 0.002, TEXT: 0.004, "`html`": 0.001}]))
    | in parses | median |  sum |
    | :-------- | -----: | ---: |
    | `text`    |   2.00 | 2.00 |
    | + `html`  |    .50 |  .50 |
    <BLANKLINE>
    1 pages; one parse took 2.00 ms a page (mean).
    """
    rows = []
    for name in costs[0]:
        if name != PARSE:
            middle = median(page[name] / page[PARSE] for page in costs)
            whole = sum(page[name] for page in costs) / sum(page[PARSE] for page in costs)
            label = name if name == TEXT else f"+ {name}"
            rows.append([label, *(f"{v:.2f}".removeprefix("0") for v in (middle, whole))])
    milliseconds = 1000 * sum(page[PARSE] for page in costs) / len(costs)
    head = table(["in parses", "median", "sum"], rows)
    return f"{head}\n\n{len(costs)} pages; one parse took {milliseconds:.2f} ms a page (mean)."


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.outputs", description=__doc__.partition("\n")[0]
    )
    add = parser.add_argument
    add("--data", type=Path, required=True, help="folder of any of the labelled sets")
    add("--limit", type=int, default=100, help="pages of the fixed sample (default: %(default)s)")
    add(
        "--repeats", type=int, default=REPEATS, help="times each is measured (default: %(default)s)"
    )
    arguments = parser.parse_args()
    pages = sample(list(read(arguments.data)), arguments.limit)
    gc.freeze()  # what is loaded now stays, and need not be looked through before each call
    print(costs_table([measure(page, arguments.repeats) for page in pages]))


if __name__ == "__main__":
    main()
