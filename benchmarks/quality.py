"""Word F1 of every extractor, and of other tools, on a labelled set of pages.

    python -m benchmarks.quality --data ../shared/data/wcxb-dev --peers
    python -m benchmarks.quality --data … --extractors mss --options tag_score=-3.25,-1

The second command has a row for every combination of the options.
A page on which a method fails or takes longer than the limit counts as an empty answer.

The shipped model of ``auto`` has seen all labelled pages, so that running it on them says little.
``training.auto --cross-validate --json FILE`` writes what models reached that had not seen a page's
domain, with ``--by-set`` what models reached that had seen nothing of its set. ``--held-out
FILE`` puts that beside the others, on the same pages.
"""

from __future__ import annotations

import argparse
import json
import sys
from ast import literal_eval
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import product
from math import nan
from pathlib import Path
from statistics import fmean

from benchmarks.commands import a_file, a_folder, command
from benchmarks.data import LabelledPage, read, sample
from benchmarks.methods import EVERYTHING, Method, answers, our_methods, peer_methods
from benchmarks.metrics import Score, bootstrap_interval, paired_difference, score
from benchmarks.peers import PEERS, installed_peers
from benchmarks.tables import share, table
from scrapy_boilerplate.core.page.text import tokens
from scrapy_boilerplate.tools.isolation import Failure

HELD_OUT = Method("auto, held out")  # the row of ``--held-out``


@dataclass(slots=True)
class Results:
    """What one method reached, page by page, in the order of the pages."""

    scores: list[Score] = field(default_factory=list)  # score of each page
    failures: Counter[str] = field(default_factory=Counter)
    """Reasons for which there was no answer, with the number of pages."""

    @property
    def f1(self) -> list[float]:
        """Word F1 of each page."""
        return [each.f1 for each in self.scores]


def evaluate(
    pages: Iterable[LabelledPage], methods: Sequence[Method], *, processes: int = 1
) -> dict[Method, Results]:
    """Run every method on every page, each page's methods one after the other."""
    results = {method: Results() for method in methods}
    for page, method, text in answers(pages, methods, processes):
        result = results[method]
        if isinstance(text, Failure):
            result.failures[f"{text.reason} {text.message}".strip()] += 1
            text = ""
        result.scores.append(score(tokens(text), tokens(page.gold)))
    return results


# -- report ----------------------------------------------------------------------------------


def quality_table(
    pages: Sequence[LabelledPage], results: dict[Method, Results], by: str | None
) -> str:
    """Return a Markdown table: word F1 by method, overall and for each value of *by*.

    Where nothing is broken down it has precision and recall instead.
    """
    places: dict[str, list[int]] = defaultdict(list)
    for place, page in enumerate(pages):
        places[(by and getattr(page, by)) or "–"].append(place)
    groups = sorted(places) if by else []
    header = ["method", "word F1", "95 %"]
    header += [f"{group} ({len(places[group])})" for group in groups] or ["precision", "recall"]
    rows = []
    for method, result in results.items():
        low, high = bootstrap_interval(result.f1)
        values = [fmean(result.f1[place] for place in places[group]) for group in groups] or [
            fmean(each.precision for each in result.scores),
            fmean(each.recall for each in result.scores),
        ]
        label = f"*{method.label}*" if method.is_peer else method.label
        interval = f"{share(low)}–{share(high)}"
        rows.append([label, share(fmean(result.f1)), interval, *map(share, values)])
    return table(header, rows)


def difference_table(results: dict[Method, Results], reference: Method) -> str:
    """Return a Markdown table of each method's gain over one of them, on the same pages."""
    rows = []
    for method, result in results.items():
        if method != reference:
            gain, error = paired_difference(result.f1, results[reference].f1)
            rows.append([method.label, f"{gain:+.3f}", f"{error:.3f}"])
    return table([f"word F1 against {reference.label}", "gain", "standard error"], rows)


def held_out(path: Path, folder: Path) -> dict[str, float]:
    """Return word F1 by page of a set, as training has written it to a file."""
    answers = json.loads(path.read_text(encoding="utf-8"))
    return {each["id"]: each["f1"]["balanced"] for each in answers if each["set"] == folder.name}


def failure_lines(results: dict[Method, Results]) -> list[str]:
    """Return a line for each reason for which a method had no answer."""
    return [
        f"{method.label}: {count} pages without an answer: {reason}"
        for method, result in results.items()
        for reason, count in result.failures.most_common()
    ]


def _arguments() -> argparse.Namespace:
    parser = command(__doc__)
    add = parser.add_argument
    add("--data", type=a_folder, required=True, help="folder of any of the labelled sets")
    add("--extractors", help="names of extractors, with commas between (default: all)")
    add("--peers", action="store_true", help="measure the other tools, too")
    add("--limit", type=int, help="a fixed sample of so many pages (default: all)")
    add("--options", nargs="+", default=[], metavar="NAME=VALUE,…", help="of the extractors")
    add("--by", choices=["kind", "language", "site"], help="how to break the results down")
    add("--against", help="label of a row, for the paired gain of the others over it")
    add("--held-out", type=a_file, metavar="FILE", help="add what training wrote with --json")
    add("--processes", type=int, default=1, help="pages at a time (default: 1)")
    return parser.parse_args()


def with_options(methods: Iterable[Method], settings: Iterable[str]) -> list[Method]:
    """Return the methods with every combination of settings such as ``p=1,2``.

    >>> [each.label for each in with_options([Method("energy")], ["p=1,2", "dissipation=prose"])]
    ['energy p=1 dissipation=prose', 'energy p=2 dissipation=prose']
    """
    named = [setting.partition("=")[::2] for setting in settings]
    values = [[(name, _value(text)) for text in texts.split(",")] for name, texts in named]
    return [Method(each.name, options=chosen) for each in methods for chosen in product(*values)]


def _value(text: str) -> object:
    try:
        return literal_eval(text)
    except (SyntaxError, ValueError):
        return text


def main() -> None:
    arguments = _arguments()
    names = arguments.extractors and arguments.extractors.split(",")
    methods = [EVERYTHING, *with_options(our_methods(names), arguments.options)]
    if arguments.peers:
        methods += peer_methods()
        for name in PEERS.keys() - set(installed_peers()):
            print(f"{name} is not installed and left out", file=sys.stderr)
    pages = list(read(arguments.data))
    known = held_out(arguments.held_out, arguments.data) if arguments.held_out else {}
    pages = sample([page for page in pages if not known or page.id in known], arguments.limit)
    rows = {method.label: method for method in ([HELD_OUT] if known else []) + methods}
    if arguments.against and arguments.against not in rows:
        sys.exit(f"there is no row {arguments.against!r}; there are: {', '.join(rows)}")
    results = evaluate(pages, methods, processes=arguments.processes)
    if known:
        scores = [Score(known[page.id], nan, nan) for page in pages]
        results = {HELD_OUT: Results(scores)} | results
    print(quality_table(pages, results, arguments.by))
    if arguments.against:
        print(f"\n{difference_table(results, rows[arguments.against])}")
    for line in failure_lines(results):
        print(line)


if __name__ == "__main__":
    main()
