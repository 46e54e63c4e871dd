"""What extraction costs, in parses: each method's time beside lxml's for the same page.

    python -m benchmarks.speed --data ../shared/data/wcxb-dev --limit 100 --peers

A ratio to the parse of the same page holds on other machines, where milliseconds do not. Each
page is measured *repeats* times with the methods in turn, in an order that changes every time; the
least processor time of each counts. Printed are the medians of the ratios over pages.

- *lxml parse*: through parsel, from decoded text to a tree, as ``response.selector`` does it.
- *walk*: from that tree to a ``Page``, which every method shares.
- *step*: the method, from a fresh ``Page`` to an ``Extraction``.
- *on a tree*: walk and method; for a peer, what it takes where it accepts lxml's tree.
- *from bytes*: decoding, parse, walk and method; for peers, with their own parser.
"""

from __future__ import annotations

import gc
import logging
import sys
from collections.abc import Callable, Sequence
from copy import deepcopy
from functools import partial
from random import Random
from statistics import median
from time import process_time
from typing import Any

from parsel import Selector
from w3lib.encoding import html_to_unicode

from benchmarks.commands import a_folder, command
from benchmarks.data import read, sample
from benchmarks.methods import Method, one_thread_each, our_methods, peer_methods, text_function
from benchmarks.peers import TREE_PEERS
from benchmarks.tables import table
from scrapy_boilerplate import Page, get_extractor
from scrapy_boilerplate.tools.isolation import Failure, Isolated

PARSE, WALK = "lxml parse", "walk"

LIMIT_S = 300  # seconds after which a page is left out

_LARGE = 1 << 12  # bytes of memory that is not taken from what small objects left

Times = dict[tuple[str, str], float]  # least seconds of each (row, column) on one page

Step = Callable[[], Callable[[], Any]]  # makes, off the clock, the call that is then measured


def measure_methods(html: bytes, url: str | None, methods: Sequence[Method], repeats: int) -> Times:
    """Return the least processor time of each method's steps on one page."""
    parse, page, tree = _page_of(html, url)
    steps: dict[tuple[str, str], Step] = {
        (PARSE, "step"): lambda: parse,
        (WALK, "step"): lambda: page,
    }
    for method in methods:
        function = text_function(method)
        steps[method.label, "from bytes"] = partial(partial, function, html, url, None)
        if not method.is_peer:
            extractor = get_extractor(method.name)
            steps[method.label, "step"] = partial(_on_fresh, extractor.extract, page)
        elif method.name in TREE_PEERS:
            fresh = partial(deepcopy, tree)
            steps[method.label, "on a tree"] = partial(_on_fresh, TREE_PEERS[method.name], fresh)
    return _least_times(steps, repeats)


def _page_of(html: bytes, url: str | None) -> tuple[Callable[[], Any], Callable[[], Page], Any]:
    """Return what parses a page, what walks its tree, and the tree."""
    text = html_to_unicode(None, html, default_encoding="utf-8")[1]
    selector = Selector(text=text, type="html")
    page = partial(Page.from_selector, selector, url=url, source=text)
    return partial(Selector, text=text, type="html"), page, selector.root


def _on_fresh(function: Callable[[Any], Any], make: Callable[[], Any]) -> Callable[[], Any]:
    """Return the call of *function* with what *make* makes now: nothing is cached in it yet."""
    return partial(function, make())


def _least_times(steps: dict[tuple[str, str], Step], repeats: int) -> Times:
    """Return the least time of each step; no step always follows the same other one."""
    gc.freeze()  # what is loaded now stays, and need not be looked through before each call
    times: Times = {}
    for repeat in range(repeats):
        for step in Random(repeat).sample(list(steps), len(steps)):
            seconds = clock(steps[step])
            times[step] = min(seconds, times.get(step, seconds))
    return times


def clock(make: Step) -> float:
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


def _ratio(times: Sequence[Times], *steps: tuple[str, str]) -> str:
    """Return the ratio of some steps to the parse: the median over pages."""
    if any(step not in times[0] for step in steps):
        return "–"
    ratios = [sum(page[step] for step in steps) / page[PARSE, "step"] for page in times]
    return f"{median(ratios):.2f}"


def speed_table(times: Sequence[Times], methods: Sequence[Method]) -> str:
    """Return a Markdown table of what each method costs."""
    rows = [[name, _ratio(times, (name, "step")), "–", "–"] for name in (PARSE, WALK)]
    for method in methods:
        name = method.label
        on_a_tree = [(name, "on a tree")] if method.is_peer else [(name, "step"), (WALK, "step")]
        ways = ([(name, "step")], on_a_tree, [(name, "from bytes")])
        label = f"*{name}*" if method.is_peer else name
        rows.append([label, *(_ratio(times, *way) for way in ways)])
    return table(["in parses", "step", "on a tree", "from bytes"], rows)


def measuring(
    methods: Sequence[Method], repeats: int
) -> Callable[[tuple[bytes, str | None]], Times]:
    """Return what measures a page, for a process of its own."""
    logging.disable(logging.CRITICAL)  # peers report every odd page
    return lambda page: measure_methods(*page, methods, repeats)


def main() -> None:
    parser = command(__doc__)
    add = parser.add_argument
    add("--data", type=a_folder, required=True, help="folder of any of the labelled sets")
    add("--extractors", help="names of extractors, with commas between (default: all)")
    add("--peers", action="store_true", help="measure the other tools, too")
    add("--limit", type=int, default=100, help="pages of the fixed sample (default: %(default)s)")
    add("--repeats", type=int, default=3, help="times each is measured (default: %(default)s)")
    given = parser.parse_args()
    methods = our_methods(given.extractors and given.extractors.split(","))
    methods += peer_methods() if given.peers else []
    pages = sample(list(read(given.data)), given.limit)
    from benchmarks.speed import measuring  # which other processes can import

    one_thread_each()
    calls = ((page.id, (page.html, page.url)) for page in pages)
    times: list[Times] = []
    with Isolated(measuring, methods, given.repeats, seconds=LIMIT_S) as pool:
        for name, found in pool.pairs(calls):
            if isinstance(found, Failure):
                print(f"{name} is left out: {found.reason} {found.message}", file=sys.stderr)
            else:
                times.append(found)
    print(speed_table(times, methods))
    milliseconds = 1000 * sum(page[PARSE, "step"] for page in times) / len(times)
    print(f"\n{len(times)} pages; one parse took {milliseconds:.2f} ms a page (mean).")


if __name__ == "__main__":
    main()
