"""Weighs what a site's model says of a block: ``python -m training.site_evidence --help``.

The weights stand in ``learn/applying/weighing.py``, and are fitted on hosts with several pages:
what the site says comes from other pages of the host, drawn at random. *Beside probabilities*: the
log-odds of a block's content are those of ``auto`` plus a weight, fitted by logistic regression;
what ``auto`` says comes from a model that saw no page of the host's domain. *Kept, left*: the
log-odds of content of the blocks that other methods keep, and of those that they leave out, from
counts. A host counts by the square root of its pages. Needs scipy (which the extra ``training``
brings).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from random import Random
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize

from benchmarks.commands import a_folder, command, in_processes
from benchmarks.data import LabelledPage, fold_models
from benchmarks.sites import model_of
from benchmarks.sites_hosts import LEAST_ON_PAGE, hosts
from benchmarks.tables import table
from scrapy_boilerplate.core.answer.extraction import Extraction
from scrapy_boilerplate.core.auto import Auto
from scrapy_boilerplate.core.methods import Extractor, get_extractor
from scrapy_boilerplate.core.page import Page
from scrapy_boilerplate.learn.applying.matching import read_page
from scrapy_boilerplate.learn.applying.weighing import WEIGHTS
from scrapy_boilerplate.learn.template import SinglePageResult
from training.alignment import label_blocks
from training.pages import Words

Float = NDArray[Any]

LEAST_PAGES = 3  # pages of a host that teaches

OTHERS = (2, 3, 5, 8, 13, 20)  # numbers of pages that a site's model is learned from

MOST_PAGES, MOST_READ = 60, 20  # pages of a host that are looked at, and that each model reads

PRIOR = 1e-5  # how much a weight of 1 costs; it keeps those at 0 for which there are no blocks


OTHERS_THAN_AUTO = ("mss", "mss-tuned", "energy", "scoring", "links", "bte", "justext")
"""Methods without probabilities."""


class Blocks(NamedTuple):
    """What is said of some blocks."""

    relation: NDArray[np.int8]
    log_odds: Float
    """Those of ``auto``; of another method 1 for a block that it keeps, 0 for any other."""
    label: Float
    weight: Float


def _labels(page: Page, gold: str) -> Float | None:
    """Return the share of each block that is content; ``None`` if the page lacks gold words."""
    words = Words.of_texts(page.lay_out_all(page.blocks), gold)
    return label_blocks(page, gold) if words.share_on_page() >= LEAST_ON_PAGE else None


def read_host(
    rows: Sequence[LabelledPage], extractors: Sequence[Extractor | dict[str, str]]
) -> list[Blocks]:
    """Return the blocks of a host, read by models of other pages of it.

    An extractor is a method, or the file of the model of ``auto`` for each page.
    """
    random = Random(rows[0].id)
    chosen = random.sample(rows, min(MOST_PAGES, len(rows)))
    parsed = [(Page.parse(row.html, url=row.url), row) for row in chosen]
    parsed = [(page, row) for page, row in parsed if page.text_at.size]
    labels = [_labels(page, row.gold) for page, row in parsed]
    found: list[Blocks] = []
    for extractor in extractors:
        pages = [
            Read(page, label, _method(extractor, row).extract(page))
            for (page, row), label in zip(parsed, labels, strict=True)
        ]
        for size in OTHERS:
            random.shuffle(pages)
            found += _read_pages(pages[:size], pages[size : size + MOST_READ])
    return found


class Read(NamedTuple):
    """A page, its labels if it has good ones, and what the method finds on it."""

    page: Page
    label: Float | None
    single: Extraction


def _method(extractor: Extractor | dict[str, str], row: LabelledPage) -> Extractor:
    return Auto(model=extractor[row.id]) if isinstance(extractor, dict) else extractor


def _read_pages(learned: Sequence[Read], others: Sequence[Read]) -> Iterator[Blocks]:
    """Yield what a model of some pages says of the blocks of others."""
    model = model_of(learned)
    for page, label, alone in others:
        result = SinglePageResult(page, None, alone)
        evidence = read_page(model, page, result).evidence if model else None
        if label is None or evidence is None:
            continue
        scores = alone.block_scores
        if scores is None:
            said = np.minimum(page.per_block(page.words * alone.kept(page)), 1.0)
        else:
            bounded = np.clip(scores.astype(np.float64), 1e-4, 1 - 1e-4)
            said = np.log(bounded / (1 - bounded))
        words = np.sqrt(page.per_block(page.words))
        weight = words / max(1.0, words.sum()) / len(others) ** 0.5
        relation = evidence.relation
        yield Blocks(relation, said, label, weight)


def log_odds(blocks: Sequence[Blocks]) -> Float:
    """Return the log-odds of content of the blocks of each relation: those kept, those left."""
    relation, kept, label, weight = map(np.concatenate, zip(*blocks, strict=True))
    rows = 2 * relation.astype(int) + (kept < 1)
    both = [
        np.bincount(rows, weight * each, 2 * len(WEIGHTS)) + PRIOR for each in (label, 1 - label)
    ]
    odds: Float = np.log(both[0] / both[1]).reshape(-1, 2)
    return odds


def fit(blocks: Sequence[Blocks]) -> Float:
    """Return the weight of each relation that makes the labels most likely.

    The log-odds of the page get a factor, since they may be too sure; weights are divided by it.
    """
    relation, log_odds, label, weight = map(np.concatenate, zip(*blocks, strict=True))
    weight = weight / weight.sum()

    def loss(values: Float) -> tuple[float, Float]:
        *weights, factor = values
        odds = factor * log_odds + np.array(weights)[relation]
        error = weight * (1 / (1 + np.exp(-odds)) - label)
        likely = weight * (np.logaddexp(0, odds) - label * odds)
        gradient = np.bincount(relation, error, values.size) + 2 * PRIOR * values
        gradient[-1] = (error * log_odds).sum()
        return float(likely.sum() + PRIOR * (values[:-1] ** 2).sum()), gradient

    start = np.append(np.zeros(len(WEIGHTS)), 1.0)
    found: Float = minimize(loss, start, jac=True, method="L-BFGS-B").x
    return found[:-1] / found[-1]


def main() -> None:
    """Print the weights fitted on all sets, and with each of them left out."""
    parser = command(__doc__)
    add = parser.add_argument
    add("--data", type=a_folder, nargs="+", required=True, help="folders of sets with hosts")
    add(
        "--model",
        type=a_folder,
        help="the folder of training.auto --models, to fit beside probabilities",
    )
    add("--methods", nargs="+", default=OTHERS_THAN_AUTO, help="those without probabilities")
    add("--processes", type=int, default=2, help="hosts at a time (default: %(default)s)")
    given = parser.parse_args()
    methods: list[Extractor | dict[str, str]]
    if given.model:
        methods = [fold_models(given.model)]
    else:
        methods = [get_extractor(name) for name in given.methods]
    tasks = [
        (folder.name, rows) for folder in given.data for rows in hosts(folder, LEAST_PAGES).values()
    ]
    found = in_processes(lambda task: read_host(task[1], methods), tasks, given.processes)
    sets: dict[str, list[Blocks]] = {name: [] for name, _ in tasks}
    for (name, _), blocks in zip(tasks, found, strict=True):
        sets[name] += blocks
    parts = [
        [block for name, blocks in sets.items() if name != left_out for block in blocks]
        for left_out in (None, *sets)
    ]
    columns = [fit(part)[:, None] if given.model else log_odds(part) for part in parts]
    weights = np.array([*WEIGHTS.values()])
    shipped = weights[:, :1] if given.model else weights[:, 1:]
    counts = np.bincount(np.concatenate([b.relation for b in parts[0]]), minlength=len(WEIGHTS))
    rows = [
        [relation, str(counts[n])]
        + [" / ".join(f"{value:+.1f}" for value in each[n]) for each in (shipped, *columns)]
        for n, relation in enumerate(WEIGHTS)
    ]
    print(table(["what", "blocks", "shipped", "all", *(f"without {s}" for s in sets)], rows))


if __name__ == "__main__":
    main()
