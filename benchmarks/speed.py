"""What extraction costs, in parses: each method's time beside lxml's for the same page.

    python -m benchmarks.speed --data ../shared/data/wcxb-dev --limit 100 --peers

A ratio to the parse of the same page holds on other machines, where milliseconds do not. Each
page is measured *repeats* times with the methods in turn, in an order that changes every time; the
least processor time of each counts. Printed are the medians over pages of the ratios, and the
ratios of the sums over all pages, which long pages weigh on more.

- *parse*: lxml, through parsel, from decoded text to a tree, as ``response.selector`` does it.
- *walk*: from that tree to a ``Page``, which every method shares; and the loop over its nodes that
  is in the place of the compiled one where there is no compiler.
- *method*: from a fresh ``Page`` to an ``Extraction``.
- *on a tree* is walk and method, for a tree that was parsed a while ago and is in no cache now.
- *on a tree* for a peer: what it takes where it accepts lxml's tree.
- *just parsed* is walk and method right after the parse: what a crawl pays, whose spider has parsed
  the response a moment before.
- *from bytes* is everything: decoding, parse, walk and method; for peers, with their own parser.
"""

from __future__ import annotations

import argparse
import gc
import sys
from collections.abc import Callable, Sequence
from copy import deepcopy
from functools import partial
from pathlib import Path
from random import Random
from statistics import median
from time import process_time
from typing import Any

from parsel import Selector
from w3lib.encoding import html_to_unicode

from benchmarks.data import LabelledPage, read
from benchmarks.methods import Method, our_methods, peer_methods, text_function
from benchmarks.peers import TREE_PEERS
from benchmarks.sampling import sample
from benchmarks.tables import table
from benchmarks.workers import Worker, WorkerError, each_with_worker
from scrapy_boilerplate import Extractor, Page, get_extractor

__all__ = ["Times", "clock", "measure", "speed_table"]

PARSE, WALK = "lxml parse", "walk"

_LARGE = 1 << 12  # bytes of memory that is not taken from what small objects left

Times = dict[tuple[str, str], float]
"""Least seconds of each (row, column) on one page."""


def measure(html: bytes, url: str | None, methods: Sequence[Method], repeats: int) -> Times:
    """Return the least processor time of each step on one page."""
    text = html_to_unicode(None, html, default_encoding="utf-8")[1]
    selector = Selector(text=text, type="html")

    def page() -> Page:
        return Page.from_selector(selector, url=url, source=text)

    steps: dict[tuple[str, str], Callable[[], Callable[[], Any]]] = {
        # Each returns, off the clock, the call that is then measured.
        (PARSE, "on a tree"): lambda: partial(Selector, text=text, type="html"),
        (WALK, "on a tree"): lambda: page,
    }
    for method in methods:
        function = text_function(method)
        steps[method.label, "from bytes"] = partial(partial, function, html, url, None)
        if not method.is_peer:
            extractor = get_extractor(method.name)
            steps[method.label, "method"] = partial(_on_fresh, extractor.extract, page)
            steps[method.label, "just parsed"] = partial(_parsed, extractor, text, url)
        elif method.name in TREE_PEERS:
            tree = partial(deepcopy, selector.root)
            steps[method.label, "on a tree"] = partial(_on_fresh, TREE_PEERS[method.name], tree)
    gc.freeze()  # what is loaded now stays, and need not be looked through before each call
    times: Times = {}
    for repeat in range(repeats):
        # No step always follows the same other one, whose memory it would find in the caches.
        for step in Random(repeat).sample(list(steps), len(steps)):
            seconds = clock(steps[step])
            times[step] = min(seconds, times.get(step, seconds))
    return times


def _on_fresh(function: Callable[[Any], Any], make: Callable[[], Any]) -> Callable[[], Any]:
    """Return the call of *function* with what *make* makes now: nothing is cached in it yet."""
    return partial(function, make())


def _parsed(extractor: Extractor, text: str, url: str | None) -> Callable[[], Any]:
    """Return the call of *extractor* on a tree that is parsed now."""
    selector = Selector(text=text, type="html")
    return lambda: extractor.extract(Page.from_selector(selector, url=url, source=text))


def clock(make: Callable[[], Callable[[], Any]]) -> float:
    """Return the processor time of the call that *make* makes, in seconds.

    The garbage collector waits. What earlier calls freed is put in order before: the C library does
    that when memory is next asked for, whoever asks.
    """
    gc.collect()
    gc.disable()
    try:
        call = make()
        bytes(_LARGE)
        start = process_time()
        call()
        return process_time() - start
    finally:
        gc.enable()


def _measure_page(
    methods: Sequence[Method], repeats: int, worker: Worker, page: LabelledPage
) -> Times | str:
    try:
        times: Times = worker(page.html, page.url, methods, repeats)
    except WorkerError as error:
        return f"{page.id} is left out: {error}"
    return times


def speed_table(times: Sequence[Times], methods: Sequence[Method]) -> str:
    """Return a Markdown table of the ratios to the parse: medians over pages, and of the sums."""
    parse = (PARSE, "on a tree")
    walk = (WALK, "on a tree")

    def ratio(*steps: tuple[str, str]) -> list[str]:
        if steps[0] not in times[0]:
            return ["–", "–"]
        spent = [sum(page[step] for step in steps) for page in times]
        parses = [page[parse] for page in times]
        middle = median(mine / base for mine, base in zip(spent, parses, strict=True))
        return [f"{middle:.2f}", f"{sum(spent) / sum(parses):.2f}"]

    rows = [[PARSE, *["1.00"] * 2, *["–"] * 6], [WALK, *ratio(walk), *["–"] * 6]]
    for method in methods:
        name = method.label
        rows.append(
            [
                f"*{name}*" if method.is_peer else name,
                *ratio((name, "method")),
                *ratio(*[(name, "on a tree")] if method.is_peer else [(name, "method"), walk]),
                *ratio((name, "just parsed")),
                *ratio((name, "from bytes")),
            ]
        )
    columns = ("step", "on a tree", "just parsed", "from bytes")
    header = ["in parses", *(name for column in columns for name in (column, "sum"))]
    milliseconds = 1000 * sum(page[parse] for page in times) / len(times)
    return f"{table(header, rows)}\n\nOne parse took {milliseconds:.2f} ms a page (mean)."


def run(
    pages: Sequence[LabelledPage], methods: Sequence[Method], repeats: int, limit_s: float = 300
) -> tuple[list[Times], list[str]]:
    """Measure every method on every page; return the times, and why a page was left out."""
    work = partial(_measure_page, methods, repeats)
    found = list(each_with_worker(work, pages, measure, limit_s=limit_s))
    return [t for t in found if isinstance(t, dict)], [t for t in found if isinstance(t, str)]


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.speed", description=__doc__.partition("\n")[0]
    )
    add = parser.add_argument
    add("--data", type=Path, required=True, help="folder of any of the labelled sets")
    add("--extractors", help="names of extractors, with commas between (default: all)")
    add("--peers", action="store_true", help="measure the other tools, too")
    add("--limit", type=int, default=100, help="pages of the fixed sample (default: %(default)s)")
    add("--repeats", type=int, default=5, help="times each is measured (default: %(default)s)")
    arguments = parser.parse_args()
    names = arguments.extractors
    methods = our_methods(names and names.split(","))
    if arguments.peers:
        methods += peer_methods()
    pages = sample(list(read(arguments.data)), arguments.limit)
    times, left_out = run(pages, methods, arguments.repeats)
    print("\n".join(left_out), file=sys.stderr)
    print(f"\n{arguments.data.name}, {len(times)} pages, least of {arguments.repeats} times\n")
    print(speed_table(times, methods))


if __name__ == "__main__":
    main()
