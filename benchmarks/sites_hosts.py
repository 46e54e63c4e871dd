"""What learning does to each host: word F1 alone and learned, host by host, and the worst of them.

    python -m training.auto ../shared/data/wcxb-dev --extra ../shared/data/extra \
        ../shared/data/cleaneval-dev ../shared/data/sites --cross-validate --folds 3 \
        --models build/site-folds
    python -m benchmarks.sites_hosts --data ../shared/data/extra/news-2011 ../shared/data/sites \
        --model build/site-folds --extractors auto mss-learned

Hosts are those with five pages or more. *Crawl*: the pages come one at a time in an order drawn at
random, and each is answered at once. *Others*: the page is not among those learned from, of which
there are 20 at most; *GoldMiner* is the published algorithm on the same pages. Tested are the pages
of which 95 % of the gold text's words stand on the page; all are learned from. The shipped ``auto``
has seen these sets; the models of the folds saw no page of the host's domain.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import cache, partial
from pathlib import Path
from statistics import fmean
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from benchmarks.commands import a_folder, command
from benchmarks.data import LabelledPage, fold_models, read
from benchmarks.goldminer import GoldMiner
from benchmarks.merged_hosts import answers
from benchmarks.metrics import paired_difference, score
from benchmarks.sites import Labelled, learner, mean, method, model_of
from benchmarks.tables import share, table
from scrapy_boilerplate.core.methods.base import Extractor
from scrapy_boilerplate.core.page.text import tokens
from scrapy_boilerplate.learn.options import FREEZE_PAGES

LEAST_PAGES = 5  # pages of a host that is measured

LEAST_ON_PAGE = 0.95  # share of the gold text's words that stand on a page that is tested

PARTS = 20  # parts of a host's pages, each of which is answered by what the others teach

LOSS = 0.01  # from which on a host's articles are better or worse


class Tested(NamedTuple):
    page: Labelled
    single: float
    crawl: float
    others: float
    goldminer: float


class Host(NamedTuple):
    """A host and its pages that are tested."""

    name: str
    pages: int
    tested: list[Tested]

    def of(self, kind: str) -> list[Tested]:
        """Return the tested pages of a kind; articles are all that are not index pages."""
        return [each for each in self.tested if (each.page.kind == "index") == (kind == "index")]


def hosts(folder: Path, least: int = LEAST_PAGES) -> dict[str, list[LabelledPage]]:
    """Return the pages of each host of a set that has enough of them.

    An address that several pages declare, as in ``base``, is not their own.
    """
    found: dict[str, list[LabelledPage]] = {}
    pages = list(read(folder))
    times = Counter(page.url for page in pages)
    for page in pages:
        host = page.site or urlsplit(page.url or "").hostname
        if host:
            own = page if times[page.url] == 1 else replace(page, url=None)
            found.setdefault(host, []).append(own)
    return {name: pages for name, pages in sorted(found.items()) if len(pages) >= least}


def is_tested(page: Labelled) -> bool:
    """Tell whether the gold text stands on the page."""
    whole = tokens("\n".join(page.page.lay_out(start, stop) for start, stop in page.page.blocks))
    return not page.gold or score(whole, page.gold).recall >= LEAST_ON_PAGE


def methods_of_pages(name: str, model: Path | None) -> Callable[[LabelledPage], Extractor]:
    """Return what tells the method of a page.

    *model* is a file for ``auto``, or a folder of models of folds, of which each page gets
    the model that did not see its domain.
    """
    if name != "auto" or model is None or not model.is_dir():
        only = method(name, str(model) if model else None)
        return lambda page: only
    models = fold_models(model)
    load = cache(partial(method, "auto"))
    return lambda page: load(models[page.id])


def from_others(
    pages: Sequence[Labelled], extractor: Extractor, make: Callable[[], Any] = learner
) -> list[str]:
    """Return the answer to each page by what others of its host teach the learner of *make*."""
    order = list(range(len(pages)))
    random.Random(0).shuffle(order)
    texts = [""] * len(pages)
    parts = min(PARTS, len(pages))
    for part in range(parts):
        mine = order[part::parts]
        others = [pages[number] for number in order if number not in mine]
        model = model_of(others[:FREEZE_PAGES], make)
        for number in mine:
            texts[number] = pages[number].learned(model, extractor)
    return texts


def measured(name: str, rows: Sequence[LabelledPage], extractor: Extractor, seeds: int) -> Host:
    """Measure a host; the crawl in several orders."""
    pages = [Labelled.of(row, extractor) for row in rows]
    found: list[list[float]] = [[] for _ in pages]
    for seed in range(seeds):
        order = list(range(len(pages)))
        random.Random(seed).shuffle(order)
        texts = answers([pages[number] for number in order], extractor)
        for number, text in zip(order, texts, strict=True):
            found[number].append(pages[number].f1(text))
    learned = [from_others(pages, extractor, make) for make in (learner, GoldMiner)]
    tested = [
        Tested(page, page.single_f1, fmean(crawl), *map(page.f1, texts))
        for page, crawl, *texts in zip(pages, found, *learned, strict=True)
        if is_tested(page)
    ]
    return Host(name, len(pages), tested)


def read_hosts(folder: Path, name: str, model: Path | None, seeds: int) -> Iterator[Host]:
    """Yield each host of a set that has pages to test."""
    method_of = methods_of_pages(name, model)
    for host, rows in hosts(folder).items():
        found = measured(host, rows, method_of(rows[0]), seeds)
        if found.tested:
            yield found


def _row(name: str, pages: str, tested: Sequence[Sequence[float]]) -> list[str]:
    single, crawl, others, published = (mean(column) for column in zip(*tested, strict=True))
    gains = [f"{crawl - single:+.3f}", f"{others - single:+.3f}"]
    return [name, pages, *map(share, (single, crawl, others, published)), *gains]


def report(found: Sequence[Host], kind: str) -> str:
    """Return a table of the hosts, and a line on those that lose."""
    rows, means = [], []
    for host in found:
        tested = [each[1:] for each in host.of(kind)]
        if tested:
            rows.append(_row(host.name, f"{host.pages}, {len(tested)}", tested))
            means.append([mean(column) for column in zip(*tested, strict=True)])
    if not means:
        return ""
    rows.append(_row(f"mean over {len(means)} hosts", "", means))
    lines = []
    for way, column in (("crawl", 1), ("others", 2), ("GoldMiner", 3)):
        alone, learned = zip(*((each[0], each[column]) for each in means), strict=True)
        gain, error = paired_difference(learned, alone)
        gains = [each[column] - each[0] for each in means]
        better, worse = (sum(sign * each > LOSS for each in gains) for sign in (1, -1))
        lines.append(
            f"{way}: {gain:+.4f} ± {error:.4f}, worst host {min(gains):+.3f}, "
            f"{better} better and {worse} worse by more than {LOSS}"
        )
    head = [kind, "pages, tested", "alone", "crawl", "others", "GoldMiner", "gain, crawl"]
    head.append("gain, others")
    return f"{table(head, rows)}\n\n" + "\n\n".join(lines)


def main() -> None:
    parser = command(__doc__)
    add = parser.add_argument
    add("--data", type=a_folder, nargs="+", required=True, help="folders of sets with hosts")
    add("--extractors", nargs="+", default=["auto"], help="names of methods")
    add("--model", type=Path, help="model for auto, or a folder of training.auto --models")
    add("--seeds", type=int, default=3, help="orders of the crawl (default: %(default)s)")
    given = parser.parse_args()
    for name in given.extractors:
        for folder in given.data:
            found = list(read_hosts(folder, name, given.model, given.seeds))
            for kind in ("article", "index"):
                text = report(found, kind)
                if text:
                    print(f"\n{name}, {folder.name}: word F1, {kind} pages\n\n{text}", flush=True)


if __name__ == "__main__":
    main()
