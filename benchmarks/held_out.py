"""``auto`` beside other tools on pages that nothing of it was trained on.

    python -m training.auto ../shared/data/wcxb-dev --extra ../shared/data/extra \
        ../shared/data/cleaneval-dev ../shared/data/sites --cross-validate --json held-out.json
    python -m benchmarks.held_out held-out.json --data ../shared/data/cleaneval-dev

The shipped model has seen all labelled pages, so that running it on them says little. The first
command writes what models reached that had not seen a page's domain (``training.left_out`` what
models reached that had not seen anything of its set); the second one runs the other tools and
extractors on the same pages.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from pathlib import Path
from statistics import fmean
from typing import Any

from benchmarks.data import read
from benchmarks.methods import Method, our_methods, peer_methods
from benchmarks.metrics import paired_difference
from benchmarks.quality import evaluate, failure_lines
from benchmarks.tables import share, table

__all__ = ["held_out_table"]

MOST_SITES = 20
"""Sites of a set that get a table each."""


def held_out_table(mine: dict[str, Sequence[float]], others: dict[str, Sequence[float]]) -> str:
    """Return a Markdown table of the means, and of the paired gains of the first of *mine*.

    >>> print(held_out_table({"auto": [1.0, 0.5]}, {"peer": [0.5, 0.0]}))
    | method | word F1 | gain of auto | standard error |
    | :----- | ------: | -----------: | -------------: |
    | auto   |    .750 |              |                |
    | peer   |    .250 |        +.500 |           .000 |
    """
    name, reference = next(iter(mine.items()))
    rows = [[label, share(fmean(values)), "", ""] for label, values in mine.items()]
    for label, values in others.items():
        gain = paired_difference(reference, values)
        mean = f"{gain.mean:+.3f}".replace("0.", ".")
        rows.append([label, share(fmean(values)), mean, share(gain.standard_error)])
    return table(["method", "word F1", f"gain of {name}", "standard error"], rows)


def main() -> None:
    """Print a table for all pages, and for each site where the set has several."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.held_out", description=__doc__.partition("\n")[0]
    )
    add = parser.add_argument
    add("answers", type=Path, help="file that training.auto has written with --json")
    add("--data", type=Path, required=True, help="folder of one of its sets")
    add("--kinds", help="only pages of these kinds, with commas between")
    add("--extractors", default="mss-tuned", help="others of ours (default: %(default)s)")
    add("--processes", type=int, default=1, help="pages at a time (default: 1)")
    arguments = parser.parse_args()
    kinds = arguments.kinds and arguments.kinds.split(",")
    answers: dict[str, dict[str, Any]] = {
        answer["id"]: answer
        for answer in json.loads(arguments.answers.read_text(encoding="utf-8"))
        if answer["set"] == arguments.data.name and (not kinds or answer["kind"] in kinds)
    }
    pages = [page for page in read(arguments.data) if page.id in answers]
    methods: list[Method] = our_methods(arguments.extractors.split(",")) + peer_methods()
    results = evaluate(pages, methods, processes=arguments.processes)
    groups: dict[str, list[int]] = {
        f"{arguments.data.name}, {len(pages)} pages": [*range(len(pages))]
    }
    sites = {page.site for page in pages} - {None}
    for place, page in enumerate(pages):
        if page.site is not None and len(sites) <= MOST_SITES:
            groups.setdefault(page.site, []).append(place)
    for title, places in groups.items():
        ways = answers[pages[places[0]].id]["f1"]
        mine = {
            label: [answers[pages[place].id]["f1"][way] for place in places]
            for label, way in (("auto", "balanced"), ("auto, no classes", "no classes"))
            if way in ways
        }
        others = {m.label: [results[m].f1[place] for place in places] for m in methods}
        print(f"\n{title}\n\n{held_out_table(mine, others)}")
    print("\n".join(failure_lines(results)))


if __name__ == "__main__":
    main()
