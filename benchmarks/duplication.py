"""How much of each method's text repeats across a site, and how much good text it keeps.

    python -m benchmarks.duplication --data ../shared/data/sites

The table of the site-learning article (Endrédy, Novák 2013, table 1) for every method: the share of
unique sentences and of unique characters over all pages of a site. The article did not measure what
good text is lost; here the recall of the gold text stands beside, the mean over the site's pages
that have a text. *gold* is the text that a person marked: what a perfect method would reach.
"""

from __future__ import annotations

import argparse
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean

from benchmarks.data import LabelledPage, read
from benchmarks.methods import EVERYTHING, Method, answers, our_methods, peer_methods
from benchmarks.metrics import word_score
from benchmarks.tables import share, table
from scrapy_boilerplate.tools.duplication import Duplication, DuplicationCounter

__all__ = ["Row", "duplication_summary", "duplication_table", "measure"]

GOLD = "gold"


@dataclass(frozen=True, slots=True)
class Row:
    """What one method did to the pages of one site."""

    site: str
    method: str
    counts: Duplication
    recall: float
    """Mean recall of the gold text, over the pages that have one."""


def measure(
    pages: Sequence[LabelledPage], methods: Sequence[Method], processes: int = 1
) -> list[Row]:
    """Return a row for each site and method, the gold text first."""
    labels = [GOLD, *(method.label for method in methods)]
    counters = {label: DuplicationCounter() for label in labels}
    recalls: dict[tuple[str, str], list[float]] = defaultdict(list)

    def add(page: LabelledPage, label: str, text: str) -> None:
        counters[label].add(text, page.group)
        if page.gold:
            recalls[page.group, label].append(word_score(text, page.gold).recall)

    for page in pages:
        add(page, GOLD, page.gold)
    for page, method, text in answers(pages, methods, processes):
        add(page, method.label, text if isinstance(text, str) else "")
    reports = {label: counter.report() for label, counter in counters.items()}
    return [
        Row(site, label, reports[label][site], fmean(recalls[site, label] or [float("nan")]))
        for site in sorted({page.group for page in pages})
        for label in labels
    ]


def duplication_table(rows: Sequence[Row]) -> str:
    """Return a Markdown table with a row a site and method."""
    header = ["site", "method", "sentences", "unique", "share", "characters", "unique", "share"]
    cells = [
        [
            row.site,
            row.method,
            f"{row.counts.sentences:,}",
            f"{row.counts.unique_sentences:,}",
            f"{row.counts.sentence_share:.0%}",
            f"{row.counts.characters:,}",
            f"{row.counts.unique_characters:,}",
            f"{row.counts.character_share:.0%}",
            share(row.recall),
        ]
        for row in rows
    ]
    return table([*header, "recall of gold"], cells, left=2)


def duplication_summary(rows: Sequence[Row]) -> str:
    """Return a Markdown table with a row a site and a column a method.

    Each cell has the shares of unique sentences and characters in percent, and the recall.
    """
    methods = list(dict.fromkeys(row.method for row in rows))
    cells: dict[str, list[str]] = defaultdict(list)
    for row in rows:
        shares = f"{100 * row.counts.sentence_share:.0f} / {100 * row.counts.character_share:.0f}"
        cells[row.site].append(f"{shares} · {share(row.recall)}")
    return table(["site", *methods], [[site, *row] for site, row in cells.items()])


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.duplication", description=__doc__.partition("\n")[0]
    )
    add = parser.add_argument
    add("--data", type=Path, required=True, help="folder of sites, or of one site")
    add("--extractors", help="names of extractors, with commas between (default: all)")
    add("--peers", action="store_true", help="measure the other tools, too")
    add("--summary", action="store_true", help="print a row a site, only shares and recall")
    add("--processes", type=int, default=1, help="pages at a time (default: 1)")
    arguments = parser.parse_args()
    names = arguments.extractors
    methods = [EVERYTHING, *our_methods(names and names.split(","))]
    if arguments.peers:
        methods += peer_methods()
    rows = measure(list(read(arguments.data)), methods, arguments.processes)
    print(duplication_summary(rows) if arguments.summary else duplication_table(rows))


if __name__ == "__main__":
    main()
