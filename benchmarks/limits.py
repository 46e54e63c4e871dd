"""What large pages and many threads cost: time, memory, and what waiting for each other takes.

    python -m benchmarks.limits --growth --data ../shared/data/wcxb-dev
    python -m benchmarks.limits --budget
    python -m benchmarks.limits --held 300 --data ../shared/data/wcxb-dev --extractors auto
    python -m benchmarks.limits --threads --data ../shared/data/wcxb-dev --extractors mss auto

- *Growth*: each method reads pages of 2 and 20 MB, made of one real page's content again and again,
  and is timed from the parsed tree; then the same large page in a process of its own, the peak of
  resident memory as a multiple of what the tree takes.
- *Budget*: pages of very many nodes, as far as a crawl reads them.
- *Held*: kilobytes that kept extractions take each, beside the pages that they came from, each row
  in a process of its own. An extraction keeps what it was read from, since outputs are made when
  they are asked for, but no tree.
- *Threads*: how many times the pages of one thread two threads do in the same time, and two
  processes, from bytes, in turn. On a quiet machine with two processors the latter is nearly 2.
"""

from __future__ import annotations

import argparse
import gc
import pickle
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Executor, ProcessPoolExecutor, ThreadPoolExecutor
from itertools import cycle, islice
from multiprocessing import get_context
from pathlib import Path
from statistics import median
from time import perf_counter, process_time
from typing import Any

import lxml.html
from parsel import Selector

from benchmarks.crawl import resident_megabytes
from benchmarks.data import LabelledPage, read, sample
from benchmarks.tables import table
from scrapy_boilerplate import Page, extract, extractor_names, get_extractor
from scrapy_boilerplate.core.page.budget import MAX_NODES

__all__ = ["HELD", "held"]

SMALL, LARGE = 2_000_000, 20_000_000
"""Characters of the pages that are compared."""

UNITS = (
    "<p>a ",
    "<br>a",
    "<td>a",
    "<a href=x>b</a> ",
    "<li><a href=/x>one two</a>",
    "<div><p>One two three four five six seven.</p></div>",
)
"""What pages are made of that cost much for their bytes."""


# -- growth --------------------------------------------------------------------------------------


def large_page(content: str, size: int) -> str:
    """Return a page of *size* characters, *content* again and again."""
    unit = f"<section>{content}</section>"
    return f"<!DOCTYPE html><html><body>{unit * (size // len(unit))}</body></html>"


def content_of(pages: Iterable[LabelledPage]) -> str:
    """Return the largest ``article`` or ``main`` element of some pages."""
    found = []
    for page in pages:
        text = page.html.decode("utf-8", "replace")
        found += Selector(text=text, type="html").css("article, main").getall()
    return max((html for html in found if len(html) < 100_000), key=len)


def seconds(name: str, html: str) -> float:
    """Return the time of the walk and the method on a tree, the least of three."""
    selector = Selector(text=html, type="html", huge_tree=True)
    extractor = get_extractor(name)
    times = []
    for _ in range(3):
        started = process_time()
        extractor.extract(Page.from_selector(selector))
        times.append(process_time() - started)
    return min(times)


def memory(name: str, path: str) -> None:
    """Print the memory of a tree, and the peak of tree and extraction together, in MB."""
    html = Path(path).read_text(encoding="utf-8")
    extractor = get_extractor(name)
    extractor.extract(Page.parse("<p>Loads what is loaded once."))
    before = resident_megabytes()
    selector = Selector(text=html, type="html", huge_tree=True)
    tree = resident_megabytes() - before
    Path("/proc/self/clear_refs").write_text("5")  # forget the peak of the parse
    extractor.extract(Page.from_selector(selector))
    with Path("/proc/self/status").open(encoding="ascii") as lines:
        peak = next(int(line.split()[1]) for line in lines if line.startswith("VmHWM:")) / 1e3
    print(tree, peak - before)


def growth(names: Sequence[str], content: str) -> str:
    """Return the table of time and memory by method."""
    small, large = large_page(content, SMALL), large_page(content, LARGE)
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "page.html")
        file.write_text(large, encoding="utf-8")
        for name in names:
            short, long = seconds(name, small), seconds(name, large)
            command = [sys.executable, "-m", "benchmarks.limits", "--child", name, str(file)]
            done = subprocess.run(command, check=True, capture_output=True, text=True)
            tree, peak = map(float, done.stdout.split())
            times = (f"{short:.2f}", f"{long:.2f}", f"{long / short:.1f}")
            rows.append([name, *times, f"{peak / tree:.1f}"])
    header = ["method", "s for 2 MB", "s for 20 MB", "ratio", "peak in trees"]
    return table(header, rows)


# -- budget --------------------------------------------------------------------------------------


def budget(names: Sequence[str]) -> str:
    """Return the table of the time for 10 MB of one thing, as far as a crawl reads them."""
    extractors = [get_extractor(name) for name in names]
    rows = []
    for unit in UNITS:
        html = unit * (10_000_000 // len(unit))
        rows.append([f"`{unit.strip()}`"])
        for extractor in extractors:
            started = process_time()
            extractor.extract(Page.parse(html, max_nodes=MAX_NODES))
            rows[-1].append(f"{process_time() - started:.2f}")
    return table(["seconds for 10 MB of", *names], rows)


# -- held ----------------------------------------------------------------------------------------


def _copied(page: LabelledPage) -> bytes:
    return bytes(bytearray(page.html))  # a source of its own


def _of_bytes(page: LabelledPage) -> Any:
    return extract(_copied(page), url=page.url)


def _of_response(page: LabelledPage) -> Any:
    from scrapy.http import HtmlResponse

    return extract(HtmlResponse(page.url or "", body=_copied(page)))


def _with_outputs(page: LabelledPage) -> Any:
    found = _of_bytes(page)
    found.markdown, found.html, found.metadata  # noqa: B018 - which makes them
    return found


HELD: dict[str, Callable[[LabelledPage], Any]] = {
    "source (bytes)": _copied,
    "page with its tree": lambda page: Page.parse(page.html, url=page.url),
    "extraction of bytes": _of_bytes,
    "extraction of a response": _of_response,
    "extraction with Markdown, HTML, metadata": _with_outputs,
    "extraction, unpickled": lambda page: pickle.loads(pickle.dumps(_with_outputs(page))),
}
"""What is held, by its name in the table."""


def held(name: str, pages: Sequence[LabelledPage], number: int) -> float:
    """Return the kilobytes of resident memory that each of so many takes."""
    make = HELD[name]
    for page in pages[:5]:  # whatever is loaded once
        make(page)
    gc.collect()
    before = resident_megabytes()
    kept = [make(page) for page in islice(cycle(pages), number)]
    gc.collect()
    return (resident_megabytes() - before) / len(kept) * 1000


def held_table(pages: Sequence[LabelledPage], number: int) -> str:
    """Return the table of what held extractions take."""
    rows = []
    for name in HELD:
        with get_context("spawn").Pool(1) as pool:
            rows.append([name, f"{pool.apply(held, (name, pages, number)):.0f}"])
    return table([f"{number} held", "kB each"], rows)


# -- threads -------------------------------------------------------------------------------------

PARSE = "parse"
_bodies: list[bytes] = []
"""The pages, in each process."""


def _take(bodies: Sequence[bytes]) -> None:
    _bodies.extend(bodies)


def _do(method: str) -> None:
    for body in _bodies:
        if method == PARSE:
            parser = lxml.html.HTMLParser(encoding="utf-8", huge_tree=True)
            lxml.html.document_fromstring(body, parser=parser)
        else:
            extract(body, extractor=method).text  # noqa: B018


def _seconds_of(pool: Executor, workers: int, method: str) -> float:
    """Return how long so many workers take, each for all pages."""
    begin = perf_counter()
    for done in [pool.submit(_do, method) for _ in range(workers)]:
        done.result()
    return perf_counter() - begin


def threads_table(names: Sequence[str], bodies: Sequence[bytes], repeats: int = 7) -> str:
    """Return the table of what two threads and two processes gain over one thread: medians."""
    rows = []
    _take(bodies)
    context = get_context("spawn")
    with (
        ThreadPoolExecutor(2) as threads,
        ProcessPoolExecutor(2, context, initializer=_take, initargs=(bodies,)) as processes,
    ):
        ways = ((threads, 1), (threads, 2), (processes, 2))
        for name in (PARSE, *names):
            for way in ways:
                _seconds_of(*way, name)  # what is made once is made now
            turns = [[_seconds_of(*way, name) for way in ways] for _ in range(repeats)]
            gains = [median(2 * one / turn[n] for one, *turn in turns) for n in (0, 1)]
            rows.append([name, *(f"{gain:.2f}" for gain in gains)])
    return table(["gain over one thread", "two threads", "two processes"], rows)


def main() -> None:
    """Print the tables that are asked for."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    add = parser.add_argument
    add("--data", type=Path, help="folder of a labelled set, for all but --budget")
    add("--extractors", nargs="+", default=extractor_names(), metavar="NAME")
    add("--pages", type=int, default=100, help="pages of the fixed sample (default: 100)")
    add("--growth", action="store_true", help="large pages")
    add("--budget", action="store_true", help="what a crawl's budget of nodes allows")
    add("--held", type=int, metavar="NUMBER", help="memory of so many extractions")
    add("--threads", action="store_true", help="two threads and two processes")
    add("--child", nargs=2, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.child:
        return memory(*given.child)
    if given.budget:
        return print(budget(given.extractors))
    if not given.data:
        parser.error("--budget, or --data with another of these, is needed")
    pages = sample(list(read(given.data)), given.pages)
    if given.growth:
        print(growth(given.extractors, content_of(pages)))
    if given.held:
        print(held_table(pages, given.held))
    if given.threads:
        print(threads_table(given.extractors, [page.html for page in pages]))
    return None


if __name__ == "__main__":
    main()
