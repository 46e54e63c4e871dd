"""Labelled pages as ``auto`` is trained on them: read, labelled block by block, some made."""

from __future__ import annotations

import argparse
import zlib
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from benchmarks.commands import a_folder, in_processes, new_folder
from benchmarks.data import LabelledPage, read
from scrapy_boilerplate.core.auto._features_native import Features
from scrapy_boilerplate.core.auto.declarations import UNKNOWN, metadata_features
from scrapy_boilerplate.core.auto.features import read_features
from scrapy_boilerplate.core.auto.lexicon import Lexicon
from scrapy_boilerplate.core.page import Page
from training.addresses import details_of
from training.alignment import label_blocks
from training.lexicon import Counts, count_words
from training.made_pages import cut_short, list_of, with_list_below
from training.pages import Words

Float = NDArray[np.float32]

NOISY, LEAST_ON_PAGE = ("news-2011", "articles-zh"), 0.95
"""Sets of which pages are left out that lack more of their gold text's words, and whose pages
count half, so that forums do not suffer from the many articles."""

SCARCE = ("sites",)  # sets whose pages count double: few of many kinds, at most so many of a site

MADE = 3
"""One of so many articles becomes an index page, one has a list made below, one is cut short."""


@dataclass(slots=True)
class Example:
    """A labelled page as the model sees it."""

    id: str
    source: str  # name of the set
    group: str
    kind: str
    site: str | None
    language: str | None
    arrays: Page | None  # the page without its tree; ``None`` for a page without text
    metadata: Mapping[str, float]  # what the page says of itself: the features of :data:`METADATA`
    address: Mapping[str, float]
    """What its whole address tells: :data:`~training.addresses.DETAILS`."""
    labels: Float  # share of each block's characters that are gold
    words: Words  # words by block, and those of the gold text
    counts: Counts  # what a lexicon is made of
    html: bytes  # the page, compressed
    url: str | None
    weight: float = 1.0  # how much the page counts in training
    at_home: bool = True
    """Whether the page is of the set that counts most, which has all types of pages."""
    made: bool = False
    """Whether the page was made from another one: to tell kinds, or, with a weight, as another one
    whose blocks are learned."""

    def page(self) -> Page:
        """Read the page again: its tree was not kept."""
        return Page.parse(zlib.decompress(self.html), url=self.url)

    def features(
        self, lexicon: Lexicon, *, bare: bool = False, unknown: Collection[str] = ()
    ) -> Features:
        """Return the features of the blocks, if *bare* without classes.

        What the page says of itself is not known where it is named in *unknown*.
        """
        assert self.arrays is not None
        metadata = {**self.metadata, **{name: UNKNOWN[name] for name in unknown}}
        return read_features(self.arrays, lexicon, classes=not bare, metadata=metadata)


def prepare(labelled: LabelledPage, source: str, labels: Float | None = None) -> Example:
    """Read a page; *labels* where they are known from an earlier run."""
    page = Page.parse(labelled.html, url=labelled.url)
    facts = (labelled.id, source, labelled.group, labelled.kind, labelled.site, labelled.language)
    again = (zlib.compress(labelled.html), labelled.url)
    if not page.text_at.size:
        words = Words.of_texts([], labelled.gold)
        return Example(*facts, None, {}, {}, np.zeros(0, dtype=np.float32), words, {}, *again)
    if labels is None or len(labels) != len(page.blocks):
        labels = label_blocks(page, labelled.gold)
    example = Example(
        *facts,
        page,
        metadata_features(page),
        details_of(page),
        labels,
        Words.of_texts(page.lay_out_all(page.blocks), labelled.gold),
        count_words(page, labels),
        *again,
    )
    page.root = None  # what is large; Example.page reads it again
    for name in ("stats", "_boundaries", "_layout"):
        vars(page).pop(name, None)
    return example


def sets_of(folders: Iterable[Path]) -> list[Path]:
    """Return the folders of single sets: those in a folder of sets in its place, in order."""
    found: list[Path] = []
    for folder in folders:
        inside = sorted({path.parent for path in folder.glob("*/gold.jsonl")})
        inside = [each for each in inside if (each / "html").exists()]
        found += inside or [folder]
    return found


def read_examples(
    folder: Path,
    cache: Path | None,
    weight: float = 1.0,
    *,
    pages_a_site: int | None = None,
    made_weight: float = 0.0,
    seed: int = 0,
    processes: int = 1,
) -> list[Example]:
    """Read the pages of a set, of each site at most so many, drawn at random.

    Behind them stand pages made from them, whose blocks count *made_weight* times as much.

    Twice as many index pages, of which few sets have any, tell no more than what a list is: their
    weight is 0.

    *cache* is a folder that keeps the labels for the next time.
    """
    file = cache / f"labels-{folder.name}.npz" if cache else None
    known: dict[str, Float] = {}
    if file is not None and file.exists():
        with np.load(file, allow_pickle=False) as arrays:
            parts = np.split(arrays["labels"], arrays["stop"][:-1])
            known = dict(zip(arrays["id"].tolist(), parts, strict=True))
    pages, only_kinds = list(read(folder)), set[str]()
    if pages_a_site is not None:
        few = at_most(pages, pages_a_site, seed)
        index = [page for page in pages if page.kind == "index"]
        chosen = {page.id for page in few}
        others = [page for page in at_most(index, 2 * pages_a_site, seed) if page.id not in chosen]
        pages = [*few, *others]
        only_kinds = {page.id for page in others}

    def prepared(page: LabelledPage) -> Example:
        return prepare(page, folder.name, known.get(page.id))

    examples = in_processes(prepared, pages, processes)
    weight *= 2.0 if folder.name in SCARCE else 0.5 if folder.name in NOISY else 1.0
    for example in examples:
        example.weight = 0.0 if example.id in only_kinds else weight
    if file is not None and not all(example.id in known for example in examples):
        labels = [example.labels for example in examples]
        np.savez(
            file,
            id=np.array([example.id for example in examples]),
            labels=np.concatenate(labels),
            stop=np.cumsum([len(part) for part in labels]),
        )
    if folder.name in NOISY:
        examples = [e for e in examples if e.words.share_on_page() >= LEAST_ON_PAGE]
    made = _make_kinds(pages, folder.name, seed, processes, short=made_weight > 0)
    groups = {example.group for example in examples}
    made = [example for example in made if example.group in groups]
    examples += [example for example in made if example.kind != "page"]
    if made_weight:  # their blocks are learned, too; their classes are no new words
        weight *= made_weight
        examples += [replace(each, kind="page", weight=weight, counts={}) for each in made]
    return examples


def _make_kinds(
    pages: Sequence[LabelledPage], source: str, seed: int, processes: int, *, short: bool
) -> list[Example]:
    """Make lists, articles above a list and *short* ones, each of other articles.

    None are made where there are index pages, too.
    """
    articles = [page for page in pages if page.kind == "article" and page.gold.strip()]
    if len(articles) < 2 or any(page.kind == "index" for page in pages):
        return []
    makers = (list_of, with_list_below, *((cut_short,) if short else ()))
    random = Random(f"{source} {seed}")
    random.shuffle(articles)
    tasks = [
        (make, page, random.sample(articles, min(len(articles), TEXTS)), Random(random.random()))
        for number, make in enumerate(makers)
        for page in articles[number::MADE]
    ]

    def made(task: tuple[Maker, LabelledPage, list[LabelledPage], Random]) -> Example | None:
        make, page, others, random = task
        new = make(page, others, random)
        return replace(prepare(new, source), weight=0.0, made=True) if new else None

    found = in_processes(made, tasks, processes)
    return [example for example in found if example and example.arrays is not None]


Maker: TypeAlias = Callable[[LabelledPage, Sequence[LabelledPage], Random], LabelledPage | None]

TEXTS = 20  # articles that a made list has texts of, at most


def at_most(pages: Sequence[LabelledPage], pages_a_site: int, seed: int) -> list[LabelledPage]:
    """Return so many pages of each site, drawn at random; all pages that are of no site."""
    seen: dict[str, int] = {}
    chosen = []
    for place in np.random.default_rng(seed).permutation(len(pages)).tolist():
        site = pages[place].site
        if site is not None:
            seen[site] = seen.get(site, 0) + 1
        if site is None or seen[site] <= pages_a_site:
            chosen.append(place)
    return [pages[place] for place in sorted(chosen)]


def add_set_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of what is trained on, and how it is read."""
    add = parser.add_argument
    add("--extra", type=a_folder, nargs="*", default=[], help="sets to train on besides")
    add("--extra-weight", type=float, default=0.5, help="how much a page of them counts")
    add("--made-weight", type=float, default=0.15, help="that of blocks of made pages, in it")
    add("--pages-a-site", type=int, default=12, help="at most, of sets with many pages a site")
    add("--processes", type=int, default=2, help="pages read at a time (default: %(default)s)")
    add("--cache", type=new_folder, help="folder that keeps the labels for the next time")


def read_sets(options: argparse.Namespace, seed: int = 0) -> list[Example]:
    """Read all sets that the arguments name: that which counts most whole, of others a sample."""
    same = {"seed": seed, "processes": options.processes}
    examples = read_examples(options.pages, options.cache, **same)
    for folder in sets_of(options.extra):
        others = read_examples(
            folder,
            options.cache,
            options.extra_weight,
            pages_a_site=options.pages_a_site,
            made_weight=options.made_weight,
            **same,
        )
        examples += [replace(example, at_home=False) for example in others]
    return examples
