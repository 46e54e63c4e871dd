"""What two threads gain over one, beside two processes.

    python -m benchmarks.threads --data ../shared/data/wcxb-dev

Extracts pages from their bytes, in one thread, in two threads, and in two processes with one thread
each; the three take turns. *threads* is how many times the pages of one thread two threads do in
the same time, *processes* the same of processes, which share nothing. On a quiet machine with two
processors the latter is nearly 2. On a busy one both are less; *of processes*, their ratio, changes
little. ``parse`` is lxml's parser alone.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence
from functools import partial
from itertools import islice
from multiprocessing import get_context
from statistics import median
from threading import Barrier, Thread
from time import perf_counter
from typing import Any

from benchmarks.data import read
from benchmarks.instructions import _texts
from benchmarks.tables import table
from scrapy_boilerplate import extract

__all__ = ["main"]

PARSE = "parse"


def _do(method: str, bodies: Sequence[bytes]) -> None:
    if method == PARSE:
        import lxml.html

        for body in bodies:
            parser = lxml.html.HTMLParser(encoding="utf-8", huge_tree=True)
            lxml.html.document_fromstring(body, parser=parser)
        return
    for body in bodies:
        extract(body, extractor=method).text  # noqa: B018


def seconds_in_threads(method: str, bodies: Sequence[bytes], threads: int) -> float:
    """Return how long so many threads take, each for all pages."""
    together = Barrier(threads + 1)

    def work() -> None:
        together.wait()
        _do(method, bodies)

    running = [Thread(target=work) for _ in range(threads)]
    for each in running:
        each.start()
    together.wait()
    begin = perf_counter()
    for each in running:
        each.join()
    return perf_counter() - begin


class Processes:
    """Processes that have the pages, and wait for work."""

    def __init__(self, count: int, bodies: Sequence[bytes]) -> None:
        context = get_context("spawn")
        self._pipes = []
        for _ in range(count):
            mine, its = context.Pipe()
            context.Process(target=_serve, args=(its, bodies), daemon=True).start()
            self._pipes.append(mine)

    def seconds(self, method: str) -> float:
        """Return how long they take, each for all pages."""
        begin = perf_counter()
        for pipe in self._pipes:
            pipe.send(method)
        for pipe in self._pipes:
            pipe.recv()
        return perf_counter() - begin

    def end(self) -> None:
        """End them."""
        for pipe in self._pipes:
            pipe.send(None)


def _serve(pipe: Any, bodies: Sequence[bytes]) -> None:
    while method := pipe.recv():
        _do(method, bodies)
        pipe.send(True)


def gains(method: str, bodies: Sequence[bytes], processes: Processes, repeats: int) -> list[float]:
    """Return what threads and processes gain, and what the former gain of the latter: medians."""
    steps: list[Callable[[], float]] = [
        partial(seconds_in_threads, method, bodies, 1),
        partial(seconds_in_threads, method, bodies, 2),
        partial(processes.seconds, method),
    ]
    for step in steps:
        step()  # what is made once is made now
    rows = []
    for _ in range(repeats):
        one, two, apart = (step() for step in steps)
        rows.append((2 * one / two, 2 * one / apart, apart / two))
    return [median(column) for column in zip(*rows, strict=True)]


def main(arguments: Sequence[str] | None = None) -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--data", help="folder of a labelled page set; by default ours")
    parser.add_argument("--pages", type=int, default=100, help="pages of it")
    parser.add_argument("--repeats", type=int, default=7, help="turns of each")
    parser.add_argument("--extractors", nargs="+", default=["mss", "auto"], help="methods")
    given = parser.parse_args(arguments)
    if given.data:
        bodies = [page.html for page in islice(read(given.data), given.pages)]
    else:
        bodies = [text.encode() for text in _texts()] * 10
    processes = Processes(2, bodies)
    rows = []
    for method in (PARSE, *given.extractors):
        found = gains(method, bodies, processes, given.repeats)
        rows.append([method, *(f"{value:.2f}" for value in found)])
        print(rows[-1], file=sys.stderr)
    processes.end()
    print(table(["from bytes", "threads", "processes", "of processes"], rows))


if __name__ == "__main__":
    main()
