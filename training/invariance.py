"""How often ``auto`` answers otherwise when only a page's template changes.

    python -m training.invariance ../shared/data/wcxb-dev --extra ../shared/data/extra --every 5

Each article is read as it is and with each change of ``training.mutants`` by itself. Prints the
share of pages whose word F1 moves by more than .05, and how many lose half of it.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from multiprocessing import get_context
from pathlib import Path
from random import Random

import numpy as np

from benchmarks.data import LabelledPage, read
from benchmarks.metrics import word_score
from benchmarks.tables import gain, share, table
from scrapy_boilerplate import extract
from training.examples import TEXTS, at_most, sets_of
from training.mutants import CHANGES, mutant

__all__ = ["measure", "report"]

MOVED = 0.05  # word F1 by which an answer must move to count as another one

Task = tuple[LabelledPage, list[LabelledPage], str | None]


def measure(task: Task) -> list[float]:
    """Return the word F1 of a page and of each of its mutants; not a number for none."""
    page, others, model = task
    found = [_f1(page, model)]
    for name in CHANGES:
        changed = mutant(page, others, Random(f"invariance {page.id} {name}"), name)
        found.append(_f1(changed, model) if changed else float("nan"))
    return found


def _f1(page: LabelledPage, model: str | None) -> float:
    answer = extract(page.html, url=page.url, extractor="auto", model=model)
    return word_score(answer.text, page.gold).f1


def report(reached: Sequence[Sequence[float]]) -> str:
    """Return a row a change and one for all of them, of the rows that :func:`measure` returns."""
    values = np.array(reached)
    known = values[~np.isnan(values).any(axis=1)]
    before, after = known[:, :1], known[:, 1:]
    columns = [(name, after[:, number]) for number, name in enumerate(CHANGES)]
    rows = []
    for name, f1 in columns:
        moved = f1 - before[:, 0]
        error = moved.std(ddof=1) / np.sqrt(moved.size)
        halves = int((f1 < before[:, 0] / 2).sum())
        row = [name, share((abs(moved) > MOVED).mean()), str(halves), gain(moved.mean(), error)]
        rows.append(row)
    moved = after - before
    somewhere = share((abs(moved) > MOVED).any(axis=1).mean())
    rows.append(["mean of changes", share((abs(moved) > MOVED).mean()), "", f"{moved.mean():+.4f}"])
    rows.append(["any change", somewhere, str(int((after < before / 2).any(axis=1).sum())), ""])
    head = [f"{len(known)} articles", "moved", "lose half", "word F1"]
    return table(head, rows)


def main() -> None:
    """Run from the command line."""
    parser = argparse.ArgumentParser(prog="python -m training.invariance", description=__doc__)
    add = parser.add_argument
    add("pages", type=Path, help="folder of a labelled set")
    add("--extra", type=Path, nargs="*", default=[], help="more sets")
    add("--pages-a-site", type=int, default=12, help="at most, of sets with many pages a site")
    add("--every", type=int, default=1, help="read one of so many articles")
    add("--model", help="file of a model for auto, as training.auto writes it")
    add("--processes", type=int, default=2)
    options = parser.parse_args()
    tasks: list[Task] = []
    for folder in sets_of([options.pages, *options.extra]):
        pages = at_most(list(read(folder)), options.pages_a_site, 0)
        articles = [page for page in pages if page.kind == "article" and page.gold.strip()]
        random = Random(f"{folder.name} invariance")
        for page in articles[:: options.every]:
            others = random.sample(articles, min(len(articles), TEXTS))
            tasks.append((page, others, options.model))
    with get_context("fork").Pool(options.processes) as pool:
        print(report(pool.map(measure, tasks, chunksize=4)))


if __name__ == "__main__":
    main()
