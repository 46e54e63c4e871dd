"""Measures everything and writes the tables of ``docs/benchmarks.md``.

    python -m benchmarks.report                      # all of them, with the peers
    python -m benchmarks.report --only speed,sites   # some of them

Each table stands between two comments, ``<!-- begin NAME -->`` and ``<!-- end NAME -->``, and is
written as soon as it is measured; the rest of the page is written by hand.
"""

from __future__ import annotations

import argparse
import gc
import os
import platform
import re
from collections.abc import Callable, Sequence
from importlib.metadata import version
from pathlib import Path

from benchmarks import outputs, speed
from benchmarks.data import read
from benchmarks.gate import DATA
from benchmarks.methods import EVERYTHING, Method, our_methods, peer_methods
from benchmarks.peers import PEERS, installed_peers
from benchmarks.quality import evaluate, failure_lines, quality_table, restrict
from benchmarks.sampling import sample

__all__ = ["replace_section"]

PAGE = Path(__file__).parent.parent / "docs" / "benchmarks.md"
SPEED_PAGES, SPEED_REPEATS = 150, 5
OUTPUT_PAGES = 60


def _report(data: Path, methods: Sequence[Method], processes: int) -> dict[str, Callable[[], str]]:
    """Return the function that writes each section."""
    everything = [EVERYTHING, *methods]

    def quality(name: str, *tables: tuple[str | None, str]) -> str:
        pages = list(read(data / name))
        results = evaluate(pages, everything, processes=processes)
        parts = []
        for kind, by in tables:
            some, their_results = restrict(pages, results, kind)
            options = f" --kinds {kind}" if kind else ""
            command = f"python -m benchmarks.quality --data ../shared/data/{name}{options}"
            parts.append(f"`{command} --by {by} --peers`, {len(some)} pages:")
            parts.append(quality_table(some, their_results, by))
        parts += [f"- {line}" for line in failure_lines(results)]
        return "\n\n".join(parts)

    def costs() -> str:
        pages = sample(list(read(data / "wcxb-dev")), SPEED_PAGES)
        times, left_out = speed.run(pages, methods, SPEED_REPEATS)
        command = (
            "python -m benchmarks.speed --data ../shared/data/wcxb-dev "
            f"--limit {SPEED_PAGES} --repeats {SPEED_REPEATS} --peers"
        )
        title = f"`{command}`, {len(times)} pages:"
        return "\n\n".join([title, speed.speed_table(times, methods), *left_out])

    def costs_of_outputs() -> str:
        pages = sample(list(read(data / "wcxb-dev")), OUTPUT_PAGES)
        command = (
            f"python -m benchmarks.outputs --data ../shared/data/wcxb-dev --limit {OUTPUT_PAGES}"
        )
        gc.freeze()
        costs = [outputs.measure(page, outputs.REPEATS) for page in pages]
        return f"`{command}`:\n\n{outputs.costs_table(costs)}"

    return {
        "versions": lambda: _versions(methods),
        "wcxb-dev": lambda: quality("wcxb-dev", (None, "kind")),
        "sites": lambda: quality("sites", ("article", "language"), (None, "kind")),
        "cleaneval-dev": lambda: quality("cleaneval-dev", (None, "kind")),
        "speed": costs,
        "outputs": costs_of_outputs,
    }


def _versions(methods: Sequence[Method]) -> str:
    packages = [f"{name} {version(name)}" for name in ("lxml", "parsel", "numpy", "Scrapy")]
    packages += [method.label for method in methods if method.is_peer]
    python = f"Python {platform.python_version()} on {platform.machine()}, {os.cpu_count()} cores"
    return f"Measured with {python}; {', '.join(packages)}."


def replace_section(page: str, name: str, content: str) -> str:
    r"""Return *page* with *content* between the two comments of section *name*.

    Raises :exc:`ValueError` where the page has no such section.

    >>> replace_section("<!-- begin a -->old<!-- end a -->", "a", "new")
    '<!-- begin a -->\n\nnew\n\n<!-- end a -->'
    """
    begin, end = f"<!-- begin {name} -->", f"<!-- end {name} -->"
    before, found, rest = page.partition(begin)
    _, also_found, after = rest.partition(end)
    if not (found and also_found):
        raise ValueError(f"the page has no section {name!r}")
    return f"{before}{begin}\n\n{content}\n\n{end}{after}"


def main() -> None:
    """Measure, and write each table when it is there."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.report", description=__doc__.partition("\n")[0]
    )
    add = parser.add_argument
    add("--data", type=Path, default=DATA, help="folder of the development sets")
    add("--only", help="names of sections, with commas between (default: all)")
    add("--without-peers", action="store_true", help="leave the other tools out")
    add("--processes", type=int, default=1, help="pages at a time (default: 1)")
    add("--page", type=Path, default=PAGE, help="the page to write (default: docs/benchmarks.md)")
    arguments = parser.parse_args()
    missing = PEERS.keys() - set(installed_peers())
    if missing and not arguments.without_peers:
        print(f"not installed and left out: {', '.join(sorted(missing))}")
    methods = our_methods() + ([] if arguments.without_peers else peer_methods())
    sections = _report(arguments.data, methods, arguments.processes)
    wanted = re.split(r",\s*", arguments.only) if arguments.only else list(sections)
    unknown = [name for name in wanted if name not in sections]
    if unknown:
        parser.error(f"no section {', '.join(unknown)}; there are: {', '.join(sections)}")
    for name in wanted:
        content = sections[name]()
        page = replace_section(arguments.page.read_text(encoding="utf-8"), name, content)
        arguments.page.write_text(page, encoding="utf-8")
        print(f"{name} is written", flush=True)


if __name__ == "__main__":
    main()
