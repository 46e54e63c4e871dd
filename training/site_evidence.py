"""Weighs what a site's model says of a block: ``python -m training.site_evidence --help``.

The log-odds of a block's content are those of ``auto`` plus a weight for what the site's model says
of the block. The weights, which stand in ``learn/applying/weighing.py``, are fitted by logistic
regression on hosts with several pages: what ``auto`` says comes from a model that saw no page of
the host's domain, what the site says from other pages of the host, drawn at random. A host counts
by the square root of its pages. Needs scipy (which the extra ``training`` brings).
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from functools import cache
from multiprocessing import get_context
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize

from benchmarks.data import LabelledPage, fold_models
from benchmarks.sites import one_site
from benchmarks.sites_hosts import LEAST_ON_PAGE, hosts
from benchmarks.tables import table
from scrapy_boilerplate.core.answer.extraction import Extraction
from scrapy_boilerplate.core.auto import Auto
from scrapy_boilerplate.core.page import Page
from scrapy_boilerplate.learn import SiteLearner
from scrapy_boilerplate.learn.applying.reading import read_page
from scrapy_boilerplate.learn.applying.single_page import SinglePageResult
from scrapy_boilerplate.learn.applying.weighing import WEIGHTS, relations
from training.alignment import align, at_first_copies
from training.pages import Words

Float = NDArray[Any]

LEAST_PAGES = 3
"""Pages of a host that teaches."""

OTHERS = (2, 3, 5, 8, 13, 20)
"""Numbers of other pages that a site's model is learned from, each as likely."""

DRAWS = 3
"""Models that each page is read by."""

PRIOR = 1e-5
"""How much a weight of 1 costs; it keeps those at 0 for which there are no blocks."""


class Block(NamedTuple):
    """What is said of some blocks."""

    relation: NDArray[np.int8]
    log_odds: Float
    label: Float
    weight: Float


def _labels(page: Page, gold: str) -> Float:
    """Return the share of each block that is content."""
    numbers = np.repeat(np.arange(len(page.blocks)), np.diff(page.blocks, axis=1)[:, 0])
    shares = align(page, gold).shares(numbers).astype(np.float32)
    return at_first_copies(shares, page.lay_out_all(page.blocks))


def _is_labelled(page: Page, gold: str) -> bool:
    return Words.of_texts(page.lay_out_all(page.blocks), gold).share_on_page() >= LEAST_ON_PAGE


def read_host(rows: Sequence[LabelledPage], models: dict[str, str]) -> list[Block]:
    """Return the blocks of a host, read by models of other pages of it."""
    pages: list[tuple[Page, Extraction, LabelledPage]] = []
    for row in rows:
        page = Page.parse(row.html, url=row.url)
        if page.text_at.size:
            pages.append((page, Auto(model=models[row.id]).extract(page), row))
    return [block for number in range(len(pages)) for block in _read_page(pages, number)]


def _read_page(
    pages: Sequence[tuple[Page, Extraction, LabelledPage]], number: int
) -> Iterator[Block]:
    page, alone, row = pages[number]
    if not _is_labelled(page, row.gold):
        return
    label = _labels(page, row.gold)
    random = Random(row.id)
    others = [other for place, other in enumerate(pages) if place != number]
    assert alone.block_scores is not None
    scores = np.clip(alone.block_scores.astype(np.float64), 1e-4, 1 - 1e-4)
    words = np.sqrt(page.per_block(page.words))
    weight = words / max(1.0, words.sum()) / len(pages) ** 0.5
    for _ in range(DRAWS):
        learner = SiteLearner(key=one_site)
        for other, found, _ in random.sample(others, min(random.choice(OTHERS), len(others))):
            learner.observe(other, found)
        model = learner.model(one_site(""))
        part = model and read_page(model, page, SinglePageResult(page, None, alone)).part
        if part:
            yield Block(relations(part), np.log(scores / (1 - scores)), label, weight)


def fit(blocks: Sequence[Block]) -> Float:
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
    parser = argparse.ArgumentParser(
        prog="python -m training.site_evidence", description=__doc__.partition("\n")[0]
    )
    add = parser.add_argument
    add("--data", type=Path, nargs="+", required=True, help="folders of sets with hosts")
    add("--model", type=Path, required=True, help="the folder that training.folds has written")
    add("--processes", type=int, default=2, help="hosts at a time (default: %(default)s)")
    given = parser.parse_args()
    models = {page: str(file) for page, file in fold_models(given.model).items()}
    read = cache(hosts)
    tasks = [
        (folder.name, rows) for folder in given.data for rows in read(folder, LEAST_PAGES).values()
    ]
    with get_context("fork").Pool(given.processes) as pool:
        found = pool.starmap(read_host, [(rows, models) for _, rows in tasks], chunksize=1)
    sets: dict[str, list[Block]] = {name: [] for name, _ in tasks}
    for (name, _), blocks in zip(tasks, found, strict=True):
        sets[name] += blocks
    columns = [
        fit([block for name, blocks in sets.items() if name != left_out for block in blocks])
        for left_out in (None, *sets)
    ]
    numbers = np.concatenate([block.relation for blocks in sets.values() for block in blocks])
    counts = np.bincount(numbers, minlength=len(WEIGHTS))
    rows = [
        [relation, str(counts[n]), f"{weight:+.1f}", *(f"{column[n]:+.2f}" for column in columns)]
        for n, (relation, weight) in enumerate(WEIGHTS.items())
    ]
    print(table(["what", "blocks", "shipped", "all", *(f"without {s}" for s in sets)], rows))


if __name__ == "__main__":
    main()
