"""What learning a site brings by the number of pages seen: word F1; and the bytes it takes.

    python -m benchmarks.sites --data ../shared/data/sites --extractors mss-tuned justext
    python -m benchmarks.sites --data ../shared/data/sites --bytes

The first learns each site on random pages of it and tests on others, for several numbers of pages
and several draws. The second measures the bytes of a site's state. :mod:`benchmarks.crawl` measures
the time, and :mod:`benchmarks.sites_hosts` the published algorithm beside ours.
"""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from statistics import fmean
from typing import Any, NamedTuple

from benchmarks.commands import a_folder, command
from benchmarks.data import LabelledPage, read_sites
from benchmarks.metrics import score
from benchmarks.tables import share, table
from scrapy_boilerplate import Page, get_extractor
from scrapy_boilerplate.core.answer.extraction import Extraction
from scrapy_boilerplate.core.methods.base import Extractor
from scrapy_boilerplate.core.page.text import tokens
from scrapy_boilerplate.learn import SiteLearner

SIZES = (1, 2, 3, 5, 8, 13, 20, 50)  # pages that are learned from

MOST_TESTED = {"article": 30, "index": 20}  # pages of each kind that are tested at a draw


class Labelled(NamedTuple):
    """A page, read once, with the single-page method's answer."""

    page: Page
    gold: list[str]
    kind: str
    single: Extraction

    @classmethod
    def of(cls, row: LabelledPage, extractor: Extractor) -> Labelled:
        page = Page.parse(row.html, url=row.url)
        return cls(page, tokens(row.gold), row.kind, extractor.extract(page))

    def f1(self, text: str) -> float:
        return score(tokens(text), self.gold).f1

    @property
    def single_f1(self) -> float:
        return self.f1(self.single.text)

    def learned(self, model: Any, extractor: Extractor) -> str:
        """Return the text with what a site's *model* says, if there is one."""
        answer = model.apply(self.page, extractor, self.single) if model else self.single
        text: str = answer.text
        return text


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
    pages: Sequence[Labelled], extractor: Extractor, size: int, seeds: int
) -> tuple[Scores, Scores]:
    """Return the F1 of tested pages by kind, without and with learning from *size* pages."""
    single: Scores = defaultdict(list)
    learned: Scores = defaultdict(list)
    for seed in range(seeds):
        sample, tested = draw(pages, size, seed)
        model = model_of(pages[number] for number in sample)
        for page in (pages[number] for number in tested):
            single[page.kind].append(page.single_f1)
            learned[page.kind].append(page.f1(page.learned(model, extractor)))
    return single, learned


def learner() -> SiteLearner:
    """Return a learner that takes all pages for one site."""
    return SiteLearner(key=lambda url: "site")


def model_of(pages: Iterable[Any], make: Callable[[], Any] = learner) -> Any:
    """Return what a learner learns from some pages of a site."""
    teacher = make()
    for page in pages:
        teacher.observe(page.page, page.single)
    return teacher.model("site")


def mean(values: Sequence[float]) -> float:
    values = [value for value in values if value == value]
    return fmean(values) if values else float("nan")


def method(name: str, model: str | None = None) -> Extractor:
    """Return an extractor by its name; *model* is a file for ``auto``."""
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
            pages = [Labelled.of(row, extractor) for row in labelled]
            by_size = {size: evaluate(pages, extractor, size, seeds) for size in sizes}
            for kind, kept in rows.items():
                singles = [f1 for single, _ in by_size.values() for f1 in single[kind]]
                if singles:
                    learned = [mean(by_size[size][1][kind]) for size in sizes]
                    kept.append([site, mean(singles), *learned])
        for kind, kept in rows.items():
            columns = list(zip(*(row[1:] for row in kept), strict=True))
            kept.append(["mean over sites", *map(mean, columns)])
            headers = [kind, "single page", *map(str, sizes)]
            print(f"\n{name}: word F1 on {kind} pages, by number of pages learned from\n")
            print(table(headers, [[row[0], *map(share, row[1:])] for row in kept]))


def sizes_of_states(folder: Path, extractors: Sequence[str], only: Any) -> None:
    """Print the bytes of each site's state: the most while it is learned, and those at the end."""
    for name in extractors:
        extractor = get_extractor(name)
        body = []
        for site, labelled in sites_of(folder, only):
            teacher, most = learner(), 0
            for row in labelled:
                page = Page.parse(row.html, url=row.url)
                teacher.observe(page, extractor.extract(page))
                if not teacher.is_frozen("site"):
                    most = max(most, len(teacher.state("site") or b""))
            final = len(teacher.state("site") or b"")
            body.append([site, str(len(labelled)), str(most), str(final)])
        body.append(["most", "", *(max((row[n] for row in body), key=int) for n in (2, 3))])
        print(f"\n{name}: bytes of a site's state\n")
        print(table(["site", "pages", "while learning", "at the end"], body))


def main() -> None:
    parser = command(__doc__)
    add = parser.add_argument
    add("--data", type=a_folder, required=True, help="folder of the multi-page sites")
    add("--extractors", nargs="+", default=["mss-tuned"], help="names (default: %(default)s)")
    add("--model", help="file of a model for auto, as training.auto writes it")
    add("--pages", nargs="+", type=int, default=list(SIZES), help="pages that are learned from")
    add("--seeds", type=int, default=3, help="draws of pages (default: %(default)s)")
    add("--sites", nargs="+", help="only these sites")
    add("--bytes", action="store_true", help="bytes of each site's state")
    given = parser.parse_args()
    if given.bytes:
        sizes_of_states(given.data, given.extractors, given.sites)
    else:
        quality(given.data, given.extractors, given.pages, given.seeds, given.sites, given.model)


if __name__ == "__main__":
    main()
