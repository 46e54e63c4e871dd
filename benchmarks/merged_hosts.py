"""What learning does to a host that holds several sites: F1, articles emptied, index pages empty.

    python -m benchmarks.merged_hosts --data ../shared/data/sites --seeds 3
    python -m benchmarks.merged_hosts --data ../shared/data/sites --sites 2 6 --extractors auto

A mix is 2 to 8 sites drawn at random under one host, in equal shares or with most pages from one
site, shuffled or section by section, with and without index pages. Pages come one at a time, and
each is answered at once, as in a crawl.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from itertools import product
from pathlib import Path
from statistics import fmean
from typing import NamedTuple

from benchmarks.commands import a_folder, command, in_processes
from benchmarks.sites import Labelled, learner, mean, method, sites_of
from benchmarks.tables import share, table
from scrapy_boilerplate.core.methods.base import Extractor

SITES = (2, 4, 6, 8)  # numbers of sites under one host

PAGES = 120  # pages of a host with equal shares

LARGE, SMALL = 60, 10
"""Pages of the first site of a host with unequal shares, and of each other site."""

CONFIDENT = 0.9  # confidence from which on the single-page method's answer must not be emptied

GAIN, KEPT, EMPTY = "least gain", "confident articles kept", "index pages empty"
"""Figures of the gate."""


class Mix(NamedTuple):
    """How the pages of a host are put together."""

    sites: int
    shares: str
    order: str
    index: bool  # type: ignore[assignment]  # of a tuple

    def pages(self, sites: Mapping[str, Sequence[Labelled]], seed: int) -> list[Labelled]:
        """Draw a host's pages in their order. The same mix and seed give the same pages."""
        generator = random.Random(f"{self} {seed}")
        names = generator.sample(sorted(sites), self.sites)
        drawn: list[Labelled] = []
        for number, name in enumerate(names):
            size = PAGES // self.sites
            if self.shares == "skewed":
                size = SMALL if number else LARGE
            fit = [page for page in sites[name] if self.index or page.kind != "index"]
            drawn += generator.sample(fit, min(size, len(fit)))
        if self.order == "shuffled":
            generator.shuffle(drawn)
        return drawn


class Outcome(NamedTuple):
    """The figures of one method on one or several hosts."""

    single: float
    learned: float
    confident: int  # articles of which the single-page method was confident
    emptied: int  # those of them for which the learned answer is empty
    index: int  # type: ignore[assignment]  # of a tuple
    """Index pages."""
    empty: int  # those of them for which the learned answer is empty

    def row(self) -> list[str]:
        index = share(self.empty / self.index) if self.index else ""
        cells = [share(self.single), share(self.learned), f"{self.learned - self.single:+.3f}"]
        return [*cells, f"{self.emptied} of {self.confident}", index]


def mixes(numbers: Sequence[int] = SITES) -> Iterator[Mix]:
    for parts in product(numbers, ("equal", "skewed"), ("shuffled", "sections"), (False, True)):
        yield Mix(*parts)


def prepared(folder: Path, extractor: Extractor) -> dict[str, list[Labelled]]:
    return {
        name: [Labelled.of(row, extractor) for row in rows] for name, rows in sites_of(folder, None)
    }


def answers(pages: Sequence[Labelled], extractor: Extractor) -> list[str]:
    """Return the learned answer to each page of a host, in the order in which they come."""
    teacher = learner()
    found: list[str] = []
    for page in pages:
        teacher.observe(page.page, page.single)
        found.append(page.learned(teacher.model("site"), extractor))
    return found


def outcome(pages: Sequence[Labelled], texts: Sequence[str]) -> Outcome:
    """Return the figures of the answers *texts* to the pages of a host."""
    learned = [page.f1(text) for page, text in zip(pages, texts, strict=True)]
    kinds = {"article": [0, 0], "index": [0, 0]}
    for page, text in zip(pages, texts, strict=True):
        is_sure = (page.single.confidence or 0.0) >= CONFIDENT
        if page.kind in kinds and (page.kind == "index" or is_sure):
            kinds[page.kind][0] += 1
            kinds[page.kind][1] += not text
    single = fmean(page.single_f1 for page in pages)
    return Outcome(single, fmean(learned), *kinds["article"], *kinds["index"])


def run(
    sites: Mapping[str, Sequence[Labelled]], extractor: Extractor, mix: Mix, seeds: int
) -> Outcome:
    """Return the figures of a mix over several draws."""
    outcomes = []
    for seed in range(seeds):
        pages = mix.pages(sites, seed)
        outcomes.append(outcome(pages, answers(pages, extractor)))
    return merged(outcomes)


def merged(outcomes: Sequence[Outcome]) -> Outcome:
    """Return the means of the F1 and the sums of the counts."""
    columns = list(zip(*outcomes, strict=True))
    return Outcome(mean(columns[0]), mean(columns[1]), *map(sum, columns[2:]))


GATE_SITES, GATE_METHODS, GATE_SEEDS = (2, 6), ("auto", "mss-tuned"), 5
"""What the gate measures, and how many draws of each mix."""

LEAST_GAIN = -0.002  # what learning may cost a mix


def gate_values(folder: Path, processes: int = 1) -> dict[str, float]:
    """Return the figures that have floors in the gate, by method and name.

    The least gain of a mix, the share of confident articles that are not emptied on any, and the
    share of index pages that are answered empty on all.
    """
    found = in_processes(partial(_gate_values, folder), GATE_METHODS, processes)
    return {name: value for values in found for name, value in values.items()}


def _gate_values(folder: Path, name: str) -> dict[str, float]:
    extractor = method(name)
    sites = prepared(folder, extractor)
    found = [run(sites, extractor, mix, GATE_SEEDS) for mix in mixes(GATE_SITES)]
    whole = merged(found)
    return {
        f"{name} {GAIN}": min(each.learned - each.single for each in found),
        f"{name} {KEPT}": 1 - whole.emptied / max(1, whole.confident),
        f"{name} {EMPTY}": whole.empty / whole.index,
    }


def main() -> None:
    parser = command(__doc__)
    add = parser.add_argument
    add("--data", type=a_folder, required=True, help="folder of the multi-page sites")
    add("--extractors", nargs="+", default=["auto", "mss-tuned"], help="names of methods")
    add("--sites", nargs="+", type=int, default=list(SITES), help="sites under one host")
    add("--seeds", type=int, default=3, help="draws of sites and pages (default: %(default)s)")
    given = parser.parse_args()
    for name in given.extractors:
        extractor = method(name)
        sites = prepared(given.data, extractor)
        found = {mix: run(sites, extractor, mix, given.seeds) for mix in mixes(given.sites)}
        rows = [
            [str(mix.sites), mix.shares, mix.order, "yes" if mix.index else "no", *each.row()]
            for mix, each in found.items()
        ]
        rows.append(["all", "", "", "", *merged(list(found.values())).row()])
        print(f"\n{name}: one host of several sites, {given.seeds} draws a mix\n")
        headers = ["sites", "shares", "order", "index pages", "single", "learned", "gain"]
        print(table([*headers, "confident articles emptied", "index empty"], rows, left=4))


if __name__ == "__main__":
    main()
