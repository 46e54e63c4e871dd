"""What held extractions take: kilobytes each, beside the pages that they came from.

    python -m benchmarks.memory --data ../shared/data/wcxb-dev --hold 10000

Each row is a process of its own that keeps so many extractions of the set's pages and nothing else;
of pages with their trees at most a thousand, which take gigabytes. ``--row`` measures one of them.
An extraction keeps what it was read from, since outputs are made when they are asked for, but no
tree.
"""

from __future__ import annotations

import argparse
import gc
import multiprocessing
import os
import pickle
from collections.abc import Callable, Sequence
from itertools import cycle, islice
from pathlib import Path
from typing import Any

from benchmarks.data import LabelledPage, read
from benchmarks.sampling import sample
from benchmarks.tables import table
from scrapy_boilerplate import Page, extract

__all__ = ["CASES", "held"]


def _bytes(page: LabelledPage) -> Any:
    return extract(bytes(bytearray(page.html)), url=page.url)  # a source of its own


def _response(page: LabelledPage) -> Any:
    from scrapy.http import HtmlResponse

    return extract(HtmlResponse(page.url or "", body=bytes(bytearray(page.html))))


def _made(page: LabelledPage) -> Any:
    found = _bytes(page)
    found.markdown, found.html, found.metadata  # noqa: B018 - which makes them
    return found


TREES = "page with its tree"
MOST_TREES = 1000

CASES: dict[str, Callable[[LabelledPage], Any]] = {
    "source (bytes)": lambda page: bytes(bytearray(page.html)),
    TREES: lambda page: Page.parse(page.html, url=page.url),
    "extraction of bytes": _bytes,
    "extraction of a response": _response,
    "extraction with Markdown, HTML, metadata": _made,
    "extraction, unpickled": lambda page: pickle.loads(pickle.dumps(_made(page))),
}
"""What is held, by its name in the table."""


def held(name: str, pages: Sequence[LabelledPage], number: int) -> float:
    """Return the kilobytes of resident memory that each of so many takes."""
    make = CASES[name]
    for page in pages[:5]:  # whatever is loaded once
        make(page)
    gc.collect()
    before = _resident()
    kept = [make(page) for page in islice(cycle(pages), number)]
    gc.collect()
    return (_resident() - before) / len(kept) / 1024


def _resident() -> int:
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE")


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.memory", description=__doc__.partition("\n")[0]
    )
    add = parser.add_argument
    add("--data", type=Path, required=True, help="folder of any of the labelled sets")
    add("--hold", type=int, default=1000, help="how many are held (default: %(default)s)")
    add("--pages", type=int, default=200, help="pages of the fixed sample (default: %(default)s)")
    add("--row", choices=CASES, action="append", help="a row to measure (default: all)")
    arguments = parser.parse_args()
    pages = sample(list(read(arguments.data)), arguments.pages)
    rows = []
    for name in arguments.row or CASES:
        with multiprocessing.get_context("spawn").Pool(1) as pool:
            most = MOST_TREES if name == TREES else arguments.hold
            work = (name, pages, min(most, arguments.hold))
            rows.append([name, f"{pool.apply(held, work):.0f}"])
    print(table([f"{arguments.hold} held", "kB each"], rows))


if __name__ == "__main__":
    main()
