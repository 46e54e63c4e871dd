"""What learning a site brings: word F1, unique sentences, good text lost, bytes and time.

    python -m benchmarks.sites --data ../shared/data/sites --extractors mss-tuned justext
    python -m benchmarks.sites --data ../shared/data/sites --corpus
    python -m benchmarks.sites --data ../shared/data/sites --cost
    python -m benchmarks.sites --data ../shared/data/sites --memory
    python -m benchmarks.sites --data ../shared/data/sites --thresholds
    python -m benchmarks.sites --data ../shared/data/wcxb-dev --mixed

The first learns each site on random pages of it and tests on others, for several numbers of pages
and several draws, with the source's algorithm (``goldminer``) beside it. The second extracts each
site as one dump and counts the share of unique sentences and the recall of the gold text. The third
measures the bytes of a site's state and the time that learning adds to a crawl, the fourth the
memory of a process that has met 100 000 sites. The fifth tells how far the figures hang on the
learner's thresholds, and whether the best value of each on all sites but one is the best for that
one, too. The last takes the pages of many sites for one host. ``trafilatura`` can be named among
the extractors: its text is then tied to the page's blocks, to be learned from.
"""

from __future__ import annotations

import argparse
import random
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from statistics import fmean
from tempfile import TemporaryDirectory
from time import process_time, thread_time
from typing import Any, ClassVar, NamedTuple

import numpy as np
from lxml import etree

from benchmarks.crawl import resident_megabytes
from benchmarks.data import LabelledPage, read, read_sites
from benchmarks.metrics import score
from benchmarks.tables import share, table
from scrapy_boilerplate import Page, get_extractor
from scrapy_boilerplate.core.answer.extraction import Extraction
from scrapy_boilerplate.core.methods.base import Extractor, Verdict
from scrapy_boilerplate.core.page.text import tokens
from scrapy_boilerplate.learn import GoldMiner, LearningOptions, SiteLearner, learn
from scrapy_boilerplate.learn.sketch import Sketch
from scrapy_boilerplate.learn.sketch import draw as sketch_of
from scrapy_boilerplate.learn.stores.queued import QueuedStore
from scrapy_boilerplate.learn.stores.sqlite import SQLiteStore
from scrapy_boilerplate.learn.template import view_of
from scrapy_boilerplate.plugin.extensions import FLUSH_SECONDS  # ticks of a round
from scrapy_boilerplate.tools.duplication import duplication

SIZES = (1, 2, 3, 5, 10, 20)
"""Pages that are learned from."""

MOST_TESTED = {"article": 30, "index": 20}
"""Pages of each kind that are tested at a draw."""


@dataclass(frozen=True)
class Trafilatura(Extractor):
    """The peer as an extractor: a block is kept if its text stands in trafilatura's.

    It always reads the whole page; of a part of a page it keeps what it keeps of the page.
    """

    name: ClassVar[str] = "trafilatura"

    def judge(self, page: Page) -> Verdict:
        """Keep the blocks that trafilatura's text holds."""
        import trafilatura

        html = etree.tostring(page.root, encoding="unicode", method="html")
        answer = trafilatura.extract(html, include_comments=False, url=page.url) or ""
        answer = "".join(answer.split())
        texts = ["".join(page.lay_out(start, stop).split()) for start, stop in page.blocks]
        keep = np.array([len(text) > 2 and text in answer for text in texts], dtype=bool)
        return Verdict(page.blocks, keep, keep.astype(float), lambda block: "")


class Labelled(NamedTuple):
    """A page, read once, with the single-page method's answer."""

    page: Page
    gold: list[str]
    kind: str
    single: Extraction
    single_f1: float


def prepare(rows: Sequence[LabelledPage], extractor: Extractor) -> list[Labelled]:
    """Read pages and run the single-page method on each."""
    labelled = []
    for row in rows:
        page = Page.parse(row.html, url=row.url)
        single = extractor.extract(page)
        gold = tokens(row.gold)
        labelled.append(Labelled(page, gold, row.kind, single, score(tokens(single.text), gold).f1))
    return labelled


def sites_of(folder: Path, names: Sequence[str] | None) -> Iterator[tuple[str, list[LabelledPage]]]:
    """Yield the labelled pages of each site."""
    for path in sorted(folder.glob("*/gold.jsonl")):
        if not names or path.parent.name in names:
            yield path.parent.name, list(read_sites(path.parent))


def draw(pages: Sequence[Labelled], size: int, seed: int) -> tuple[list[int], list[int]]:
    """Return the pages to learn from and those to test on: the same for every method."""
    generator = random.Random(seed)
    order = list(range(len(pages)))
    generator.shuffle(order)
    size = min(size, len(order) // 2)
    left = dict(MOST_TESTED)
    tested = []
    for number in order[size:]:
        if left.get(pages[number].kind, 0):
            left[pages[number].kind] -= 1
            tested.append(number)
    return order[:size], tested


Scores = dict[str, list[float]]


def evaluate(
    pages: Sequence[Labelled],
    extractor: Extractor,
    size: int,
    seeds: int,
    make: Callable[[], Any],
) -> tuple[Scores, Scores]:
    """Return the F1 of tested pages by kind, without and with learning from *size* pages."""
    single: Scores = defaultdict(list)
    learned: Scores = defaultdict(list)
    for seed in range(seeds):
        sample, tested = draw(pages, size, seed)
        learner = make()
        for number in sample:
            learner.observe(pages[number].page, pages[number].single)
        model = learner.model("site")
        for number in tested:
            page = pages[number]
            single[page.kind].append(page.single_f1)
            if model is None:
                learned[page.kind].append(page.single_f1)
                continue
            answer = model.apply(page.page, extractor, page.single).text
            learned[page.kind].append(score(tokens(answer), page.gold).f1)
    return single, learned


def one_site(url: str) -> str:
    """Return the same key for all pages of a folder."""
    return "site"


def learner() -> SiteLearner:
    """Return a learner that takes all pages for one site."""
    return SiteLearner(LearningOptions(), key=one_site)


def faithful() -> GoldMiner:
    """Return the source's algorithm."""
    return GoldMiner(key=one_site)


def mean(values: Sequence[float]) -> float:
    """Return the mean of what is a number."""
    values = [value for value in values if value == value]
    return fmean(values) if values else float("nan")


def method(name: str, model: str | None = None) -> Extractor:
    """Return an extractor by its name, or the peer; *model* is a file for ``auto``."""
    if name == "trafilatura":
        return Trafilatura()
    return get_extractor(name, model=model) if model and name == "auto" else get_extractor(name)


def quality(
    folder: Path,
    extractors: Sequence[str],
    sizes: Sequence[int],
    seeds: int,
    only: Any,
    model: str | None,
) -> None:
    """Print word F1 by site, method and number of pages learned from."""
    for name in extractors:
        extractor = method(name, model)
        rows: dict[str, list[list[Any]]] = {"article": [], "index": []}
        for site, labelled in sites_of(folder, only):
            pages = prepare(labelled, extractor)
            by_size = {size: evaluate(pages, extractor, size, seeds, learner) for size in sizes}
            source = {
                size: evaluate(pages, extractor, size, seeds, faithful)[1]
                for size in sizes
                if size >= 10
            }
            for kind, kept in rows.items():
                singles = [f1 for single, _ in by_size.values() for f1 in single[kind]]
                if singles:
                    learned = [mean(by_size[size][1][kind]) for size in sizes]
                    published = [mean(scores[kind]) for scores in source.values()]
                    kept.append([site, mean(singles), *learned, *published])
        for kind, kept in rows.items():
            columns = list(zip(*(row[1:] for row in kept), strict=True))
            kept.append(["mean over sites", *map(mean, columns)])
            headers = [kind, "single page", *map(str, sizes), *(f"goldminer {n}" for n in source)]
            print(f"\n{name}: word F1 on {kind} pages, by number of pages learned from\n")
            print(table(headers, [[row[0], *map(share, row[1:])] for row in kept]))


def corpus(folder: Path, extractors: Sequence[str], only: Any) -> None:
    """Print the share of unique sentences, and the recall of the gold text, of whole sites."""
    for name in extractors:
        extractor = method(name)
        lines = []
        for site, labelled in sites_of(folder, only):
            pages = prepare(labelled, extractor)
            answers: dict[str, list[str]] = {"single": [page.single.text for page in pages]}
            for way, make in (
                ("learned", lambda: SiteLearner(LearningOptions(freeze_pages=100), key=one_site)),
                ("goldminer", faithful),
            ):
                teacher = make()
                for page in pages:
                    teacher.observe(page.page, page.single)
                model = teacher.model("site")
                answers[way] = [
                    model.apply(page.page, extractor, page.single).text
                    if model
                    else page.single.text
                    for page in pages
                ]
            line: list[Any] = [site]
            for measure in (_unique, _recall):
                line += [measure(texts, pages) for texts in answers.values()]
            lines.append(line)
        lines.append(["mean over sites", *map(mean, zip(*(row[1:] for row in lines), strict=True))])
        headers = ["site"]
        headers += [f"unique, {way}" for way in answers] + [f"recall, {way}" for way in answers]
        print(
            f"\n{name}: share of unique sentences, and of the articles' gold words that are kept\n"
        )
        print(table(headers, [[row[0], *map(share, row[1:])] for row in lines]))


def _unique(texts: Sequence[str], pages: Sequence[Labelled]) -> float:
    return duplication(texts)[""].sentence_share


def _recall(texts: Sequence[str], pages: Sequence[Labelled]) -> float:
    pairs = zip(texts, pages, strict=True)
    return mean([score(tokens(text), page.gold).recall for text, page in pairs if page.gold])


def cost(folder: Path, extractors: Sequence[str], only: Any) -> None:
    """Print the bytes of states and models, and the time that learning adds.

    While a site is learned a sketch of each page is drawn, and the site is learned several times.
    """
    for name in extractors:
        extractor = get_extractor(name)
        body, times = [], []
        for site, labelled in sites_of(folder, only):
            teacher = learner()
            most = 0
            seconds = np.zeros((len(labelled), 2))
            locked_at = len(labelled)
            for number, row in enumerate(labelled):
                started = process_time()
                extractor.extract(Page.parse(row.html, url=row.url))
                seconds[number, 0] = process_time() - started
                frozen = teacher.is_frozen("site")
                locked_at = min(locked_at, number) if frozen else locked_at
                started = process_time()
                _crawled(teacher, row, extractor)
                seconds[number, 1] = process_time() - started
                if not teacher.is_frozen("site"):
                    most = max(most, len(teacher.state("site") or b""))
            final = len(teacher.state("site") or b"")
            learning, learned = seconds[:locked_at].sum(axis=0), seconds[locked_at:].sum(axis=0)
            times.append([learning, learned])
            size = f"{1000 * seconds[:, 0].mean():.1f}"
            shares = [_ratio(part) for part in (learning, learned, learning + learned)]
            body.append([site, str(len(labelled)), str(most), str(final), size, *shares])
        total = np.sum(times, axis=0)
        shares = [_ratio(part) for part in (*total, total.sum(axis=0))]
        body.append(["all", "", max((row[2] for row in body), key=int), "", "", *shares])
        print(f"\n{name}: bytes of a site's state; time with learning as a share of that without\n")
        headers = ["site", "pages", "learning", "at the end", "ms a page without"]
        print(table([*headers, "while learning", "once learned", "all pages"], body))


def _crawled(teacher: SiteLearner, row: LabelledPage, extractor: Extractor) -> None:
    """Do what a crawl that emits every item at once does with a page."""
    page = Page.parse(row.html, url=row.url)
    single = extractor.extract(page)
    teacher.observe(page, single)
    model = teacher.model("site")
    if model is not None:
        model.apply(page, extractor, single)


def mixed(folder: Path, extractors: Sequence[str], seeds: int) -> None:
    """Print what learning does to a host on which every page is of another site."""
    lines = []
    for name in extractors:
        extractor = get_extractor(name)
        for seed in range(seeds):
            rows = list(read(folder))
            random.Random(seed).shuffle(rows)
            teacher, events = learner(), []
            alone, learned, emptied = [], [], 0
            seconds = np.zeros(2)
            for row in rows:
                started = process_time()
                page = Page.parse(row.html, url=row.url)
                single = extractor.extract(page)
                seconds += process_time() - started
                started = process_time()
                events.append(teacher.observe(page, single))
                model = teacher.model("site")
                answer = model.apply(page, extractor, single) if model else single
                seconds[1] += process_time() - started
                gold = tokens(row.gold)
                alone.append(score(tokens(single.text), gold).f1)
                learned.append(score(tokens(answer.text), gold).f1)
                emptied += bool(single.text and not answer.text)
            counts = [len(rows), emptied, events.count("frozen"), _ratio(seconds)]
            lines.append(
                [name, str(seed), share(mean(alone)), share(mean(learned)), *map(str, counts)]
            )
    print("\nOne host, every page of another site\n")
    headers = [
        "method",
        "order",
        "F1 alone",
        "learned",
        "pages",
        "emptied",
        "times learned",
        "time",
    ]
    print(table(headers, lines))


def _ratio(seconds: Any) -> str:
    return f"{seconds[1] / seconds[0]:.2f}" if seconds[0] else ""


MANY_SITES = 100_000


def memory(folder: Path, extractors: Sequence[str], only: Any) -> None:
    """Print what a learner with its default limits keeps of very many sites, and the memory.

    The states are those of the real sites, each under many names; each row has a process of its
    own. Then all that is in memory is written to a store, as a crawl does: a share each second.
    """
    extractor = get_extractor(extractors[0])
    kinds: dict[str, list[bytes]] = {"learning, 10 pages": [], "learned": []}
    for _, labelled in sites_of(folder, only):
        for size, states in zip((10, len(labelled)), kinds.values(), strict=True):
            teacher = learner()
            for row in labelled[:size]:
                page = Page.parse(row.html, url=row.url)
                teacher.observe(page, extractor.extract(page))
            state = teacher.state("site")
            if state is not None and teacher.is_frozen("site") == (states is kinds["learned"]):
                states.append(state)
    context = get_context("spawn")
    rows = []
    for name, states in kinds.items():
        with context.Pool(1) as process:
            rows.append([name, *process.apply(_filled, (states,))])
    print(f"\n{MANY_SITES:,} sites, the limits at their defaults\n")
    headers = ["every site is", "bytes of a state", "in memory", "had to leave", "MB by its count"]
    print(table([*headers, "MB of the process", "ms of the longest tick", "s of a round"], rows))


def _filled(states: Sequence[bytes]) -> list[str]:
    """Return what a learner holds that has loaded many states, the MB of it, and the flush time."""
    before = resident_megabytes()
    teacher = SiteLearner()
    for number in range(MANY_SITES):
        teacher.load(f"host-{number}.example", states[number % len(states)])
    grown = round(resident_megabytes() - before)
    size = fmean(map(len, states))
    memory = teacher.memory
    counts = [len(memory), memory.evicted, round(memory.size / 1e6), grown]
    ticks = _flushed(teacher)
    times = [f"{1000 * max(ticks):.0f}", f"{sum(ticks):.1f}"]
    return [f"{size:,.0f}", *(f"{count:,}" for count in counts), *times]


def _flushed(teacher: SiteLearner) -> list[float]:
    """Write all states to a new SQLite store; return the seconds of each tick of the round."""
    ticks = []
    with TemporaryDirectory() as folder:
        store = QueuedStore(SQLiteStore(f"{folder}/sites.sqlite"))
        teacher.memory.store = store
        while not ticks or teacher.memory.is_flushing:
            started = thread_time()  # the store has a thread of its own
            teacher.flush(1 / FLUSH_SECONDS)
            ticks.append(thread_time() - started)
        store.close(600)
    return ticks


VALUES: dict[str, tuple[float, ...]] = {
    "tolerance": (0.05, 0.1, 0.15, 0.2, 0.3),
    "trust": (0.3, 0.5, 0.7),
    "distrust": (0.05, 0.1, 0.2),
    "purity": (0.5, 0.6, 0.7, 0.8, 0.9),
    "min_words": (25, 50, 100),
    "repeated_share": (0.15, 0.25, 0.5),
    "near_duplicate": (0.4, 0.6, 0.8),
    "coverage": (0.75, 0.85, 0.95),
}
"""Values of the learner's thresholds that are tried, one threshold at a time."""


def thresholds(
    folder: Path, extractors: Sequence[str], seeds: int, only: Any, size: int = 10
) -> None:
    """Print word F1 by value of each threshold, and that of values chosen on the other sites."""
    for name in extractors:
        extractor = get_extractor(name)
        found: dict[tuple[str, float], list[tuple[float, float]]] = defaultdict(list)
        for _, labelled in sites_of(folder, only):
            pages = prepare(labelled, extractor)
            cases = [_drawn(pages, size, seed) for seed in range(seeds)]
            for threshold, values in VALUES.items():
                for value in values:
                    options = replace(LearningOptions(), **{threshold: value})
                    scores: Scores = defaultdict(list)
                    for sketches, names, tested in cases:
                        model = learn("site", sketches, names, options)
                        for page in tested:
                            answer = model.apply(page.page, extractor, page.single).text
                            scores[page.kind].append(score(tokens(answer), page.gold).f1)
                    pair = mean(scores["article"]), mean(scores["index"])
                    found[threshold, value].append(pair)
        lines = []
        for threshold, values in VALUES.items():
            sites = range(len(found[threshold, values[0]]))
            chosen = [
                found[threshold, max(values, key=partial(_without, found, threshold, site))][site]
                for site in sites
            ]
            rows = [(f"{value:g}", found[threshold, value]) for value in values]
            for value, pairs in [*rows, ("chosen on other sites", chosen)]:
                lines.append([threshold, value, *map(share, map(mean, zip(*pairs, strict=True)))])
        print(f"\n{name}: mean word F1 over sites, learning from {size} pages\n")
        print(table(["threshold", "value", "article", "index"], lines, left=2))


def _drawn(
    pages: Sequence[Labelled], size: int, seed: int
) -> tuple[list[Sketch], dict[int, str], list[Labelled]]:
    sample, tested = draw(pages, size, seed)
    sketches: list[Sketch] = []
    names: dict[int, str] = {}
    for number in sample:
        spans = [segment.span for segment in pages[number].single.main]
        sketch, given = sketch_of(view_of(pages[number].page), spans)
        sketches.append(sketch)
        names |= given
    return sketches, names, [pages[number] for number in tested]


def _without(found: Any, threshold: str, site: int, value: float) -> float:
    """Return what a value reaches on all sites but one: articles and index pages count the same."""
    rest = [pair for number, pair in enumerate(found[threshold, value]) if number != site]
    return sum(map(mean, zip(*rest, strict=True)))


def main() -> None:
    """Run what the command line asks for."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    add = parser.add_argument
    add("--data", type=Path, required=True, help="folder of the multi-page sites")
    add("--extractors", nargs="+", default=["mss-tuned"], help="names (default: %(default)s)")
    add("--model", help="file of a model for auto, as training.auto writes it")
    add("--pages", nargs="+", type=int, default=list(SIZES), help="pages that are learned from")
    add("--seeds", type=int, default=3, help="draws of pages (default: %(default)s)")
    add("--sites", nargs="+", help="only these sites")
    add("--corpus", action="store_true", help="unique sentences and recall of whole sites")
    add("--cost", action="store_true", help="bytes and time")
    add("--memory", action="store_true", help="memory with very many sites")
    add("--mixed", action="store_true", help="the pages of --data, all of them as one site")
    add("--thresholds", action="store_true", help="F1 by value of the learner's thresholds")
    given = parser.parse_args()
    if given.corpus:
        corpus(given.data, given.extractors, given.sites)
    elif given.thresholds:
        thresholds(given.data, given.extractors, given.seeds, given.sites)
    elif given.memory:
        memory(given.data, given.extractors, given.sites)
    elif given.mixed:
        mixed(given.data, given.extractors, given.seeds)
    elif given.cost:
        cost(given.data, given.extractors, given.sites)
    else:
        quality(given.data, given.extractors, given.pages, given.seeds, given.sites, given.model)


if __name__ == "__main__":
    main()
