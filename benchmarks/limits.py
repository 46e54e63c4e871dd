"""What a page costs when it is large, and what is left of it when it is done.

    python -m benchmarks.limits --data ../shared/data/wcxb-dev

*Growth*: each method reads pages of 2 and 20 MB, made of one real page's content again and again,
and is timed from the parsed tree. *Memory*: the same large page in a process of its own, the peak
of resident memory as a multiple of what the tree takes. *Leak*: resident memory while real pages
are parsed and extracted in turn. *Budget* (``--budget``, alone): pages of very many nodes, as far
as a crawl reads them.
"""

from __future__ import annotations

import argparse
import gc
import itertools
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from time import process_time

from parsel import Selector

from benchmarks.crawl import resident_megabytes
from benchmarks.data import read
from benchmarks.tables import table
from scrapy_boilerplate import Page, extractor_names, get_extractor
from scrapy_boilerplate.core.page.budget import MAX_NODES

__all__ = ["main"]

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

POINTS = (0.1, 0.25, 0.5, 0.75, 1.0)


def large_page(content: str, size: int) -> str:
    """Return a page of *size* characters, *content* again and again."""
    unit = f"<section>{content}</section>"
    return f"<!DOCTYPE html><html><body>{unit * (size // len(unit))}</body></html>"


def content_of(folder: str) -> str:
    """Return the largest ``article`` or ``main`` element of the first pages of a set."""
    found = []
    for page in itertools.islice(read(folder), 50):
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


def leak(name: str, folder: str, count: int) -> str:
    """Return the table of the memory while *count* pages are extracted, the same ones again."""
    pages = [page.html for page in itertools.islice(read(folder), 200)]
    extractor = get_extractor(name)
    marks = {max(1, round(count * share)): share for share in POINTS}
    found = []
    for number, html in enumerate(itertools.islice(itertools.cycle(pages), count), 1):
        extractor.extract(Page.parse(html))
        if number in marks:
            gc.collect()
            found.append(f"{resident_megabytes():.0f}")
    return table(
        ["method", "pages", *(f"MB at {p:.0%}" for p in POINTS)], [[name, str(count), *found]]
    )


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
    return table(["10 MB of", *(f"{name} s" for name in names)], rows)


def main(arguments: Sequence[str] | None = None) -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--data", help="folder of a labelled set")
    parser.add_argument("--extractors", nargs="+", default=extractor_names(), metavar="NAME")
    parser.add_argument("--pages", type=int, default=100_000, help="pages that show a leak")
    parser.add_argument("--budget", action="store_true", help="only what a crawl's budget allows")
    parser.add_argument("--child", nargs=2, help=argparse.SUPPRESS)
    options = parser.parse_args(arguments)
    if options.child:
        return memory(*options.child)
    if options.budget:
        return print(budget(options.extractors))
    if not options.data:
        parser.error("--data is needed")
    print(growth(options.extractors, content_of(options.data)))
    if options.pages:
        print()
        print(leak(options.extractors[0], options.data, options.pages))
    return None


if __name__ == "__main__":
    main()
