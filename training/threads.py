"""Fits what tells a thread by the units that repeat on it: ``python -m training.threads --help``.

Prints the weights that stand in ``scrapy_boilerplate.core.answer.posts.threads``, and how well
threads are told on domains that nothing was fitted on: with and without addresses, with and without
classes and ids. Threads are the forums of the first set; articles with comments, blogs, lists and
documentation of all sets are what they are told from. Half of the pages are learned from as if
their address was not known, and each page both with its classes and without.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from copy import copy
from math import log
from random import Random
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from benchmarks.commands import a_file, a_folder, command, in_processes
from benchmarks.data import LabelledPage, read
from benchmarks.tables import share, table
from scrapy_boilerplate.core.answer.posts.threads import (
    CLIP,
    PAGE_WEIGHT,
    USUAL,
    WEIGHTS,
    address_evidence,
    candidates,
    measure,
)
from scrapy_boilerplate.core.answer.posts.unit_signs import PostEvidence
from scrapy_boilerplate.core.answer.posts.units import Units
from scrapy_boilerplate.core.auto.declarations import ADDRESS, METADATA, UNKNOWN
from scrapy_boilerplate.core.auto.features import FEATURES, read_features
from scrapy_boilerplate.core.auto.forest import Forest
from scrapy_boilerplate.core.auto.model import MAY_BE_THREAD, load_model, model_to_arrays
from scrapy_boilerplate.core.page import Page
from training.examples import at_most, sets_of
from training.logistic import fit_logistic
from training.page_kinds import train_before
from training.pages import Words, held_out, write_arrays

Floats = NDArray[np.float64]

UNTOLD = ("cleaneval-2007", "cleaneval-dev")
"""Sets that hold threads without saying so: measured, and not learned from."""
RIGHT, NEARLY = 0.6, 0.03
"""Word F1 of the right units of a thread, or how far it may be below that of the whole page."""
LIKE = 0.3  # likeness of units below which they are other parts of a page than posts
RIDGE = 25.0  # penalty on the squares of the weights
PAGES_A_SITE, FOLDS, ROUNDS = 3, 5, 300
SHORTENED = 3  # shorter pages made of each thread
WAYS = ("as it is", "no address", "no classes", "neither")


class Candidate(NamedTuple):
    """Units of a page that may be its posts."""

    bare: bool | None
    """Whether the page was read without classes and ids; ``None`` for a part of it."""
    measures: list[float]
    is_right: bool  # whether these are the posts of a thread


class Judged(NamedTuple):
    """A page and its candidates."""

    group: str
    source: str
    kind: str
    address: float
    candidates: list[Candidate]
    facts: list[NDArray[np.float32]]
    """Features of its first block, with classes and without, and when it is shortened."""

    @property
    def is_thread(self) -> bool:
        """Whether it is a page of a forum."""
        return self.kind == "forum"

    @property
    def is_learned(self) -> bool:
        """Whether it is known that it is one, or none."""
        return self.source not in UNTOLD


def judge(task: tuple[LabelledPage, str]) -> Judged | None:
    """Read a page with its classes and without; ``None`` for one without text."""
    labelled, source = task
    page = Page.parse(labelled.html, url=labelled.url)
    if not page.text_at.size:
        return None
    is_thread = labelled.kind == "forum"
    bare = copy(page)
    bare.class_id, bare.id_id = np.zeros_like(page.class_id), np.zeros_like(page.id_id)
    words = Words.of(page, labelled.gold) if is_thread else None
    whole = words.f1(np.ones(page.text_at.size, dtype=bool)) if words else 0.0

    def f1_of(units: Units) -> float:
        return words.f1(units.inside(page.text_at.size)) if words else 0.0

    found: list[Candidate] = []
    for each in (page, bare):
        found += _candidates(each, bare=each is bare, f1_of=f1_of, whole=whole)
    lexicon = load_model().lexicon  # which the columns that are looked at do not need

    def facts_of(page: Page, *, classes: bool) -> NDArray[np.float32]:
        return read_features(page, lexicon, classes=classes).matrix(0, 1)[0]

    facts = [facts_of(page, classes=True), facts_of(page, classes=False)]
    random = Random(labelled.id)
    for _ in range(SHORTENED if is_thread else 1):
        read = random.choice((page, bare))
        shorter = _shortened(read, random, is_thread=is_thread)
        if shorter is not None:
            # Which of its units are right is known by what they are on the whole page.
            rated = None if is_thread else f1_of
            hidden = random.random() < 0.5
            found += _candidates(shorter, bare=None, f1_of=rated, whole=whole, dateless=hidden)
            facts.append(facts_of(shorter, classes=read is page))
    of_page = (labelled.group, source, labelled.kind)
    return Judged(*of_page, address_evidence(page), found, facts)


def _candidates(
    page: Page,
    *,
    bare: bool | None,
    f1_of: Callable[[Units], float] | None,
    whole: float,
    dateless: bool = False,
) -> list[Candidate]:
    """Return the candidates of *page*; of a shortened thread all large ones are right."""
    evidence, found = PostEvidence(page), []
    if dateless:
        evidence.dated = np.zeros_like(evidence.dated)
    for units in candidates(evidence):
        values = measure(evidence, units)
        f1 = f1_of(units) if f1_of else float(values["running_share"] >= RIGHT)
        is_right = whole > 0 and (f1 >= RIGHT or f1 >= whole - NEARLY) and values["alike"] >= LIKE
        found.append(Candidate(bare, list(values.values()), is_right))
    return found


def _shortened(page: Page, random: Random, *, is_thread: bool) -> Page | None:
    """Return *page* with a few of its units, so that size tells less; of threads little else."""
    units = next(candidates(PostEvidence(page)), None)
    left = random.randint(2, 8)
    if units is None or units.elements.size <= left:
        return None
    keep = ~units.inside(page.text_at.size)
    if is_thread and random.random() < 0.7:
        keep &= page.texts_inside(page.has_tag(("h1",)))
    for start, stop in zip(units.starts[:left].tolist(), units.stops[:left].tolist(), strict=True):
        keep[start:stop] = True
    return page.restricted(keep)


class Fitted(NamedTuple):
    """A logistic regression on measures and their squares."""

    mean: Floats
    scale: Floats
    weights: Floats  # of the measures, their squares, the address and 1

    def log_odds(self, measures: Floats, address: Floats) -> Floats:
        """Return the log-odds that units with these measures are posts."""
        values: Floats = _columns(measures, self.mean, self.scale, address) @ self.weights
        return values


def _columns(measures: Floats, mean: Floats, scale: Floats, address: Floats) -> Floats:
    values = np.clip((measures - mean) / scale, -CLIP, CLIP)
    return np.column_stack([values, values**2, address, np.ones(len(values))])


def fit(measures: Floats, address: Floats, is_right: Floats) -> Fitted:
    """Fit the regression; all but the constant is drawn to zero."""
    mean, scale = measures.mean(axis=0), measures.std(axis=0) + 1e-6
    columns = _columns(measures, mean, scale, address)
    penalty = np.full(columns.shape[1], RIDGE)
    penalty[-1] = 1e-6
    return Fitted(mean, scale, fit_logistic(columns, is_right, np.ones(len(columns)), penalty))


def cross_validate(pages: Sequence[Judged]) -> tuple[Fitted, dict[str, Floats]]:
    """Return what is fitted on all pages, and the log-odds of each page by the way of reading it,
    told by what was fitted on other domains.
    """
    owner = np.array([n for n, page in enumerate(pages) for _ in page.candidates])
    rows = [each for page in pages for each in page.candidates]
    measures = np.array([each.measures for each in rows])
    is_right = np.array([float(each.is_right) for each in rows])
    bare = np.array([-1 if each.bare is None else each.bare for each in rows])
    # Other groups of siblings on a thread are neither right nor wrong.
    learned = np.array([pages[n].is_learned for n in owner.tolist()])
    learned &= np.array([not pages[n].is_thread for n in owner.tolist()]) | (is_right > 0)
    address = np.array([pages[n].address for n in owner.tolist()])
    hidden = (np.random.default_rng(0).random(len(pages)) < 0.5)[owner]
    known = np.where(hidden, 0.0, address)
    parts = (measures, known, is_right)
    told = {way: np.full(len(pages), -np.inf) for way in WAYS}
    for seen, of_fold in held_out([page.group for page in pages], FOLDS):
        fitted = fit(*(part[learned & seen[owner]] for part in parts))
        for way in WAYS:
            asked = of_fold[owner] & (bare == (way in WAYS[2:]))
            given = address if way in WAYS[::2] else np.zeros(len(rows))
            found = fitted.log_odds(measures[asked], given[asked])
            np.maximum.at(told[way], owner[asked], found)
    return fit(*(part[learned] for part in parts)), told


def may_be_threads(pages: Sequence[Judged]) -> tuple[Forest, dict[str, Floats]]:
    """Return a forest that tells where posts are worth looking for, and what it says of each page.

    What it says, as log-odds, is cross-validated, as the rest is.
    """
    known = [np.array([page.facts[bare] for page in pages]) for bare in (0, 1)]
    every = np.array([facts for page in pages for facts in page.facts])
    learned = np.concatenate([_without(names, every) for names in ((), ADDRESS, METADATA)])
    owner = np.array([number for number, page in enumerate(pages) for _ in page.facts] * 3)

    def grow(chosen: NDArray[np.bool_]) -> Forest:
        is_learned = chosen & np.array([page.is_learned for page in pages])
        rows = np.flatnonzero(is_learned[owner]).tolist()
        of_rows = [pages[owner[row]] for row in rows]
        return train_before("thread", of_rows, learned[rows][:, None], ROUNDS, 0)

    told = {way: np.zeros(len(pages)) for way in WAYS}
    ways = (_without(names, facts) for facts in known for names in ((), METADATA))
    read = dict(zip(WAYS, ways, strict=True))
    for seen, asked in held_out([page.group for page in pages], FOLDS):
        forest = grow(seen)
        for way, facts in read.items():
            likely = forest.probabilities(facts[asked])
            told[way][asked] = np.log(likely / (1 - likely))
    return grow(np.ones(len(pages), dtype=bool)), told


def _without(names: Sequence[str], facts: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return *facts* with the features of these *names* unknown."""
    facts = facts.copy()
    facts[:, [FEATURES.index(name) for name in names]] = [UNKNOWN[name] for name in names]
    return facts


def report(pages: Sequence[Judged], told: dict[str, Floats], name: str, bound: float) -> str:
    """Return the share of the pages of each set and type that are above a *bound*."""
    rows = np.array([f"{page.source}, {page.kind}" for page in pages])
    lines = []
    for row in dict.fromkeys(rows.tolist()):
        of_row = rows == row
        shares = [share(float((told[way][of_row] > bound).mean())) for way in WAYS]
        lines.append([f"{row} ({of_row.sum()})", *shares])
    return table([name, *WAYS], lines)


def as_code(fitted: Fitted, names: Sequence[str]) -> str:
    """Return the weights as they stand in the package."""
    size = len(names)
    parts = (fitted.mean, fitted.scale, fitted.weights[:size], fitted.weights[size : 2 * size])
    lines = [
        f'    "{name}": ({", ".join(f"{part[number]:.3f}" for part in parts)}),'
        for number, name in enumerate(names)
    ]
    address, bias = fitted.weights[-2:]
    return "\n".join(
        ["WEIGHTS = {", *lines, "}", f"THREAD_BIAS, ADDRESS_WEIGHT = {bias:.3f}, {address:.3f}"]
    )


def main() -> None:
    parser = command(__doc__)
    add = parser.add_argument
    add("pages", type=a_folder, help="folder of the labelled set that has forums")
    add("--extra", type=a_folder, nargs="*", default=[], help="other sets")
    add("--processes", type=int, default=2)
    add("--model", type=a_file, help="model whose forest that tells where to look is replaced")
    options = parser.parse_args()
    model = load_model(options.model) if options.model else None
    tasks = [(page, options.pages.name) for page in read(options.pages)]
    for folder in sets_of(options.extra):
        tasks += [(page, folder.name) for page in at_most(list(read(folder)), PAGES_A_SITE, 0)]
    judged = in_processes(judge, tasks, options.processes)
    pages = [page for page in judged if page is not None]
    names = list(WEIGHTS)
    fitted, told = cross_validate(pages)
    forest, may_be = may_be_threads(pages)
    least = log(MAY_BE_THREAD / (1 - MAY_BE_THREAD))
    found = {
        way: np.where(may_be[way] > least, told[way] + PAGE_WEIGHT * (may_be[way] - USUAL), -np.inf)
        for way in WAYS
    }
    print(report(pages, may_be, "looked at", least), end="\n\n")
    print(report(pages, found, "called threads", 0), end="\n\n")
    print(as_code(fitted, names))
    if model:
        write_arrays(options.model, model_to_arrays(model._replace(threads=forest)))


if __name__ == "__main__":
    main()
