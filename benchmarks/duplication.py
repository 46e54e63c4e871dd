"""How much of each method's text repeats across a site, and how much good text it keeps.

    python -m benchmarks.duplication --data ../shared/data/sites

The table of the site-learning article (Endrédy, Novák 2013, table 1) for every method: the share of
unique sentences and of unique characters over all pages of a site. The article did not measure what
good text is lost; here the recall of the gold text stands beside, the mean over the site's pages
that have a text. *gold* is the text that a person marked: what a perfect method would reach.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from statistics import fmean

from benchmarks.data import LabelledPage, read
from benchmarks.methods import EVERYTHING, Method, answer, our_methods, peer_methods
from benchmarks.metrics import word_score
from benchmarks.quality import LIMIT_S
from benchmarks.tables import share, table
from benchmarks.workers import Worker, WorkerError, each_with_worker
from scrapy_boilerplate.duplication import DuplicationCounter

__all__ = ["duplication_table"]

GOLD = "gold"


def _texts(methods: Sequence[Method], worker: Worker, page: LabelledPage) -> list[str]:
    return [page.gold, *(_text(worker, method, page) for method in methods)]


def _text(worker: Worker, method: Method, page: LabelledPage) -> str:
    try:
        text: str = worker(method, page.html, page.url, page.language)[0]
    except WorkerError:
        return ""
    return text


def duplication_table(
    pages: Sequence[LabelledPage], methods: Sequence[Method], processes: int = 1
) -> str:
    """Return a Markdown table: a row a site and method, with the counts, the shares, the recall."""
    labels = [GOLD, *(method.label for method in methods)]
    counter = DuplicationCounter()
    recalls: dict[str, list[float]] = {}
    work = partial(_texts, methods)
    answers = each_with_worker(work, pages, answer, limit_s=LIMIT_S, processes=processes)
    for page, texts in zip(pages, answers, strict=True):
        for label, text in zip(labels, texts, strict=True):
            row = f"{page.group}\t{label}"
            counter.add(text, row)
            if page.gold:
                recalls.setdefault(row, []).append(word_score(text, page.gold).recall)
    report = counter.report()
    rows = []
    for site in sorted({page.group for page in pages}):
        for label in labels:
            counts = report[f"{site}\t{label}"]
            rows.append(
                [
                    site if label == GOLD else "",
                    label,
                    f"{counts.sentences:,}",
                    f"{counts.unique_sentences:,}",
                    f"{counts.sentence_share:.0%}",
                    f"{counts.characters:,}",
                    f"{counts.unique_characters:,}",
                    f"{counts.character_share:.0%}",
                    share(fmean(recalls.get(f"{site}\t{label}", [float("nan")]))),
                ]
            )
    header = ["site", "method", "sentences", "unique", "share", "characters", "unique", "share"]
    return table([*header, "recall of gold"], rows, left=2)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.duplication", description=__doc__.partition("\n")[0]
    )
    add = parser.add_argument
    add("--data", type=Path, required=True, help="folder of sites, or of one site")
    add("--extractors", help="names of extractors, with commas between (default: all)")
    add("--peers", action="store_true", help="measure the other tools, too")
    add("--processes", type=int, default=1, help="pages at a time (default: 1)")
    arguments = parser.parse_args()
    names = arguments.extractors
    methods = [EVERYTHING, *our_methods(names and names.split(","))]
    if arguments.peers:
        methods += peer_methods()
    print(duplication_table(list(read(arguments.data)), methods, arguments.processes))


if __name__ == "__main__":
    main()
