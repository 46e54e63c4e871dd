"""Fails when a method's word F1 falls below its floor: what CI runs before a change lands.

    python -m benchmarks.gate             # check
    python -m benchmarks.gate --update    # raise the floors to what is reached now

Floors stand in ``gate.json``, a set of pages and a method each. The pages are a fixed sample of
each development set, and the pages in ``tests/fixtures/gate`` that ship with the repository; a
development set that is not there is skipped, and said so. With the multi-page sites, the gate also
measures hosts that hold several sites (``benchmarks.merged_hosts``): no mix may lose more than .002
by learning, and no article be emptied of which the single-page method was confident.
Floors of structure are the shares of headings, items, cells, code, links and captions of the gold
text that are in ``auto``'s Markdown and HTML (``benchmarks.structure``), and those of the Markdown
that real software built pages from.
``--update`` never lowers a floor: where
a change is worth a loss, lower it by hand, in the same commit, and say why.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from math import floor
from pathlib import Path
from statistics import fmean

from benchmarks.commands import command
from benchmarks.data import LabelledPage, read, sample
from benchmarks.markdown import measure as measure_markdown
from benchmarks.markdown import read_built
from benchmarks.merged_hosts import EMPTY, KEPT, LEAST_GAIN, gate_values
from benchmarks.methods import our_methods
from benchmarks.quality import evaluate, failure_lines
from benchmarks.structure import FORMATS, OURS, measure_all
from benchmarks.structure_parts import PARTS
from benchmarks.tables import share

GATE = Path(__file__).with_name("gate.json")
FIXTURES = "fixtures"
MERGED = "merged_hosts"
BUILT, BUILT_EVERY = "markdown of made", 3
"""The Markdown that pages were built from (``benchmarks.markdown``), of each third page."""
FIXTURE_PAGES = Path(__file__).parent.parent / "tests" / "fixtures" / "gate"
DATA = Path(os.environ.get("BOILERPLATE_SHARED") or FIXTURE_PAGES.parents[3] / "shared") / "data"
SAMPLES = {
    "wcxb-dev": 160,
    "sites": 100,
    "cleaneval-dev": 58,
    "extra/articles-2012": 60,
    "extra/articles-zh": 30,
    "extra/cleaneval-2007": 60,
    "extra/news-2008": 60,
    "extra/news-2011": 80,
}
"""Development sets, and how many pages of each are measured."""

STRUCTURE = {FIXTURES: 25, "wcxb-dev": 60}
"""Sets whose structure is measured, and on how many pages."""

_WITH_COMMENTS = {"auto": (("comments", True),)}
OPTIONS = {"cleaneval-dev": _WITH_COMMENTS, "extra/cleaneval-2007": _WITH_COMMENTS}
"""Options by set and method: the annotators of CleanEval kept what readers had written."""

MARGIN = 0.005
"""How far below what was measured a floor is set: libraries differ a little between versions."""

Values = dict[str, float]  # mean word F1 by method

Floors = dict[str, Values]  # least word F1 by set and method


def measure(name: str, pages: list[LabelledPage], processes: int = 1) -> Values:
    """Return every registered extractor's mean word F1 on a set; print where one gave no answer."""
    options = OPTIONS.get(name, {})
    methods = [replace(each, options=options.get(each.name, ())) for each in our_methods()]
    results = evaluate(pages, methods, processes=processes)
    for line in failure_lines(results):
        print(line)
    return {method.name: fmean(result.f1) for method, result in results.items()}


def problems(reached: Mapping[str, float], floors: Mapping[str, float]) -> list[str]:
    """Say what is wrong with one set's figures; nothing if every method reaches its floor.

    >>> problems({"mss": 0.61, "bte": 0.7}, {"mss": 0.62})
    ['mss: .610 is below its floor .620', 'bte: has no floor; run --update']
    """
    found = [
        f"{name}: {share(reached[name])} is below its floor {share(least)}"
        for name, least in floors.items()
        if name in reached and reached[name] < least
    ]
    found += [f"{name}: has no floor; run --update" for name in reached if name not in floors]
    found += [f"{name}: is not registered" for name in floors if name not in reached]
    return found


def raised(reached: Mapping[str, float], floors: Mapping[str, float]) -> Values:
    """Return the floors of one set, each raised to just below what was reached, never lowered.

    >>> raised({"mss": 0.6309, "new": 0.5}, {"mss": 0.62, "old": 0.7})
    {'mss': 0.625, 'old': 0.7, 'new': 0.495}
    """
    new = dict(floors)
    for name, value in reached.items():
        candidate = floor(round(1000 * (value - MARGIN), 6)) / 1000
        new[name] = max(candidate, 0.0, floors.get(name, 0.0))
    return new


def raised_of_merged(reached: Mapping[str, float], floors: Mapping[str, float]) -> Values:
    """Return the floors of merged hosts: the shares of empty index pages raised, the rest as set.

    >>> raised_of_merged({"auto least gain": 0.03, "auto confident articles kept": 1.0}, {})
    {'auto least gain': -0.002, 'auto confident articles kept': 1.0}
    """
    index = {name: value for name, value in reached.items() if name.endswith(EMPTY)}
    fixed = {
        name: 1.0 if name.endswith(KEPT) else LEAST_GAIN for name in reached if name not in index
    }
    return fixed | raised(index, floors)


def page_sets(data: Path) -> dict[str, list[LabelledPage] | None]:
    """Return the pages of each set; ``None`` for a set that is not there."""
    sets: dict[str, list[LabelledPage] | None] = {FIXTURES: list(read(FIXTURE_PAGES))}
    for name, size in SAMPLES.items():
        folder = data / name
        sets[name] = sample(list(read(folder)), size) if folder.is_dir() else None
    return sets


def measure_structure(pages: Sequence[LabelledPage], processes: int = 1) -> Values:
    """Return the share of each kind of part that is kept, by kind and format."""
    shares = measure_all(pages, [OURS], None, processes)
    values: Values = {}
    for form in FORMATS:
        for kind in PARTS:
            kept = [page[OURS, form][kind][0] for page in shares]
            known = [value for value in kept if value is not None]
            if known:
                values[f"{kind} in {form}"] = fmean(known)
    return values


def measure_built(folder: Path, processes: int = 1) -> Values:
    """Return precision and recall of each kind of part, against the Markdown of built pages."""
    found = measure_markdown(list(read_built(folder, BUILT_EVERY)), OURS, processes)
    return {
        f"{kind} {name}": value
        for kind, values in found.items()
        for name, value in zip(("right", "kept"), values, strict=True)
    }


def _checks(
    sets: Mapping[str, list[LabelledPage] | None], data: Path, processes: int
) -> Iterator[tuple[str, Callable[[], Values]]]:
    """Yield what is measured, by its name in the file of floors."""
    for name, pages in sets.items():
        if pages is None:
            print(f"{name}: skipped, there is no {data / name}")
        else:
            yield name, partial(measure, name, pages, processes)
    for name, size in STRUCTURE.items():
        if pages := sets.get(name):
            yield f"structure of {name}", partial(measure_structure, sample(pages, size), processes)
    if (data / "made").is_dir():
        yield BUILT, partial(measure_built, data / "made", processes)
    if (data / "sites").is_dir():
        yield MERGED, partial(gate_values, data / "sites", processes)


def main(argv: list[str] | None = None) -> int:
    """Check or update the floors; return the exit status."""
    parser = command(__doc__)
    add = parser.add_argument
    add("--data", type=Path, default=DATA, help="folder of the development sets")
    add("--update", action="store_true", help="raise the floors to what is reached now")
    add("--processes", type=int, default=2, help="pages at a time (default: %(default)s)")
    add("--gate", type=Path, default=GATE, help=argparse.SUPPRESS)
    arguments = parser.parse_args(argv)
    floors: Floors = json.loads(arguments.gate.read_text()) if arguments.gate.exists() else {}
    failed = False
    sets = page_sets(arguments.data)
    for name, check in _checks(sets, arguments.data, arguments.processes):
        reached = check()
        if arguments.update:
            raise_floors = raised_of_merged if name == MERGED else raised
            floors[name] = raise_floors(reached, floors.get(name, {}))
        found = problems(reached, floors.get(name, {}))
        failed |= bool(found)
        print(f"{name}: {', '.join(f'{each} {share(value)}' for each, value in reached.items())}")
        for line in found:
            print(f"  FAIL {line}", flush=True)
    if arguments.update:
        arguments.gate.write_text(json.dumps(floors, indent=1) + "\n")
    print("failed" if failed else "passed")
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
