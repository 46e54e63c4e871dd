"""What annotators count as main text, by kind of element and type of page.

    python -m benchmarks.gold_rules --data ../shared/data/wcxb-dev

The gold text is aligned with the page. A page *keeps* its prices, say, if at least half of the
words of its prices are in the gold text; it is *of two minds* if between a fifth and four fifths
are. What an element is for is told by its tag, the words of its classes, and its text. Pages of one
site share a template: where pairs of them differ as often as any two pages, a coin was tossed.
"""

from __future__ import annotations

import argparse
import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from functools import cached_property
from multiprocessing import get_context
from pathlib import Path
from statistics import fmean, median
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from benchmarks.data import LabelledPage, read
from benchmarks.sampling import sample
from benchmarks.tables import table
from scrapy_boilerplate import Page
from scrapy_boilerplate.core.auto.features import Blocks, units_of
from scrapy_boilerplate.core.auto.lexicon import attribute_words
from scrapy_boilerplate.core.page.arrays import cumulative
from scrapy_boilerplate.core.page.elements import number_keys
from scrapy_boilerplate.core.page.text import tokens
from training.alignment import align, at_first_copies

__all__ = ["ELEMENTS", "Reading", "read_page"]

Bool = NDArray[np.bool_]
Float = NDArray[np.float64]

KEPT = 0.5
"""Share of the words of its elements of a kind from which a page keeps them."""
TWO_MINDS = (0.2, 0.8)
"""Shares between which it is of two minds."""
LEAST_PAGES = 5
"""Pages that a share is told of."""
CARDS, CARD_WORDS = 4, 80
"""Like elements, each with a link, that make cards of one another, and their words at most."""
LONG, COPIED = 20, 4
"""Words of a paragraph, and of a text whose copies are told."""
PRICE_WORDS, BUTTON_WORDS, CONTACT_WORDS = 8, 4, 15
"""Words of a price, of a link that reads like a button, of an address, at most."""

_PRICE = re.compile(r"[$€£¥₹]\s?\d|\d\s?[$€£¥₹]")
_CONTACT = re.compile(r"\w@\w+\.\w|\+?\d[\d ()./-]{8,}\d")
_ACTION = re.compile(
    r"(?:read|learn|show|see|view|find out|discover|explore)\s(?:more|all|now|less|details)\b"
    r"|(?:shop|buy|order|apply|get|start|sign up|book|try|add to)\b"
)


class _Blocks:
    """The blocks of a page, with what the kinds of elements are told by."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.texts = [" ".join(text.split()).lower() for text in page.lay_out_all(page.blocks)]
        self.words = page.per_block(page.words)
        linked = page.per_block(page.words * page.in_link)
        self.linked = linked / np.maximum(self.words, 1)

    def inside(self, *names: str) -> Bool:
        """Tell which blocks stand inside elements of these names."""
        return self._below(self.page.has_tag(names))

    def named(self, words: str) -> Bool:
        """Tell which blocks stand inside elements with one of these words in a class or id.

        What holds most of the page only says what there is on it, as ``with-sidebar`` does.
        """
        wanted, page = set(words.split()), self.page
        has = np.array([not wanted.isdisjoint(attribute_words(each)) for each in page.strings])
        sums = cumulative(page.words)
        is_part = 2 * (sums[page.last_text] - sums[page.first_text]) <= sums[-1]
        return self._below((has[page.class_id] | has[page.id_id]) & is_part)

    def reads(self, pattern: re.Pattern[str] | str, most: int = 10**9) -> Bool:
        """Tell which blocks of at most so many words a pattern is found in."""
        found = np.array([re.search(pattern, text) is not None for text in self.texts])
        return found & (self.words <= most)

    @cached_property
    def outside(self) -> Bool:
        """Blocks around which nothing says that they are of the site."""
        return self.inside("nav", "menu", "footer") | self.named(
            "nav navbar navigation menu submenu footer breadcrumb breadcrumbs"
        )

    @cached_property
    def card(self) -> Bool:
        """Blocks in one of several like elements that are short and have a link and more."""
        blocks = Blocks.of(self.page)
        words, linked = blocks.within(np.stack([blocks.words, blocks.linked]))
        several = blocks.last_block - blocks.first_block > 1
        is_card = several & (linked > 0) & (words <= CARD_WORDS)
        family = number_keys(
            (self.page.parent + 1) * (blocks.tag_class_key.max() + 1) + blocks.tag_class_key
        )
        is_card &= np.bincount(family, is_card)[family] >= CARDS
        is_card[0] = False
        teasers = units_of(blocks)[0][:, 1] >= CARDS
        return (self._below(is_card) | teasers) & ~self.outside

    @cached_property
    def copied(self) -> Bool:
        """Blocks whose text stands further up, too."""
        seen = set[str]()
        flags = []
        for text, words in zip(self.texts, self.words.tolist(), strict=True):
            flags.append(words >= COPIED and text in seen)
            seen.add(text)
        return np.array(flags)

    @cached_property
    def lead(self) -> Bool:
        """The first text of some words below the first main heading."""
        flags = np.zeros(self.words.size, dtype=bool)
        heading = self.inside("h1")
        if heading.any():
            below = np.arange(heading.size) > np.flatnonzero(heading)[0]
            likely = below & ~heading & ~self.outside & (self.words > COPIED) & (self.linked < 0.5)
            flags[np.flatnonzero(likely)[:1]] = True
        return flags

    def _below(self, flags: Bool) -> Bool:
        return self.page.count_above(flags)[self.page.text_parent[self.page.blocks[:, 0]]] > 0


PARAGRAPHS, CARD_HEADINGS, COPIES = "paragraphs", "card headings", "second copies"
"""Kinds of elements; second copies are kept where the gold text has a text as often."""
_HEADINGS = ("h1", "h2", "h3", "h4", "h5", "h6")
ELEMENTS: dict[str, Callable[[_Blocks], Bool]] = {
    "main heading": lambda b: b.inside("h1") & ~b.card,
    "first text below it": lambda b: b.lead,
    "other headings": lambda b: b.inside(*_HEADINGS[1:]) & ~b.card & ~b.outside,
    PARAGRAPHS: lambda b: (b.words >= LONG) & (b.linked < 0.25) & ~b.card & ~b.outside,
    "list items": lambda b: b.inside("li") & (b.linked < 0.5) & ~b.card & ~b.outside,
    "tables and definitions": lambda b: b.inside("td", "th", "dt", "dd") & ~b.card & ~b.outside,
    "code": lambda b: b.inside("pre"),
    "captions": lambda b: b.inside("figcaption", "caption"),
    "dates": lambda b: (b.inside("time") | b.named("date published")) & ~b.card & ~b.outside,
    "authors": lambda b: b.named("author byline") & ~b.card & ~b.outside,
    "tags": lambda b: b.named("tag tags categories") & ~b.card & ~b.outside,
    "prices": lambda b: b.reads(_PRICE, PRICE_WORDS) & ~b.card & ~b.outside,
    "options and labels": lambda b: b.inside("option", "select", "label", "legend"),
    "buttons": lambda b: b.inside("button"),
    "“read more”, “buy”": lambda b: b.reads(rf"^(?:{_ACTION.pattern})", BUTTON_WORDS) & ~b.outside,
    CARD_HEADINGS: lambda b: b.card & (b.inside(*_HEADINGS) | (b.linked > 0.9)),
    "card texts": lambda b: b.card & (b.words >= 8) & (b.linked < 0.5) & ~b.inside(*_HEADINGS),
    "card prices": lambda b: b.card & b.reads(_PRICE, PRICE_WORDS),
    "questions and answers": lambda b: b.named("faq faqs accordion"),
    "reviews, testimonials": lambda b: b.named("review reviews testimonial testimonials"),
    "comments": lambda b: b.named("comment comments commentlist replies"),
    "related": lambda b: b.named("related recommend recommended recommendations upsell similar"),
    "filters, sorting": lambda b: b.named("filter filters facet facets sort sorting refine"),
    "page numbers": lambda b: b.named("pagination pager"),
    "breadcrumbs": lambda b: b.named("breadcrumb breadcrumbs crumbs"),
    "menus": lambda b: b.inside("nav", "menu"),
    "side column": lambda b: b.inside("aside") | b.named("sidebar"),
    "share, follow": lambda b: b.named("share sharing social follow"),
    "newsletter": lambda b: b.named("newsletter subscribe signup"),
    "contact data": lambda b: b.reads(_CONTACT, CONTACT_WORDS) & ~b.outside,
    "cookies, consent": lambda b: b.reads("cookie") | b.named("cookie cookies consent gdpr"),
    "dialogs": lambda b: b.named("modal popup dialog overlay drawer"),
    COPIES: lambda b: b.copied & ~b.outside,
    "copyright line": lambda b: b.reads("©|copyright", CONTACT_WORDS),
    "footer": lambda b: b.inside("footer"),
}
"""Kinds of elements, and which blocks are of a kind. A block may be of several."""


class Reading(NamedTuple):
    """How a gold text treats its page."""

    kind: str
    """Type of the page."""
    site: str
    """Its registered domain."""
    kept: dict[str, float]
    """Share of the words of each kind of element that are gold, of the kinds that there are."""
    words: int
    """Words of the gold text."""
    of_page: float
    """Share of the page's words that are gold."""
    left_out: float
    """Share of the words between the first and the last gold block that are not gold."""


def read_page(labelled: LabelledPage) -> Reading | None:
    """Return how the gold text treats the page; ``None`` without text on either side.

    >>> from benchmarks.data import LabelledPage
    >>> html = b"<h1>A cat</h1><p>It sat on the mat.</p><footer>(c) 2020</footer>"
    >>> read_page(LabelledPage("1", html, "It sat on the mat.", None, "", "article")).kept
    {'main heading': 0.0, 'first text below it': 1.0, 'footer': 0.0}
    """
    page = Page.parse(labelled.html, url=labelled.url)
    if not page.text_at.size or not labelled.gold.strip():
        return None
    blocks = _Blocks(page)
    sizes = page.blocks[:, 1] - page.blocks[:, 0]
    gold = align(page, labelled.gold).shares(np.repeat(np.arange(sizes.size), sizes))
    twice = at_first_copies(gold, blocks.texts)
    kept = {}
    for name, is_kind in ELEMENTS.items():
        of_kind = blocks.words * is_kind(blocks)
        if of_kind.any():
            shares = twice if name == COPIES else gold
            kept[name] = float((shares * of_kind).sum() / of_kind.sum())
    return Reading(
        labelled.kind,
        labelled.group,
        kept,
        len(tokens(labelled.gold)),
        float((gold * blocks.words).sum() / max(blocks.words.sum(), 1)),
        _left_out(gold, blocks.words),
    )


def _left_out(gold: Float, words: NDArray[Any]) -> float:
    places = np.flatnonzero(gold >= KEPT)
    if not places.size:
        return 0.0
    inside = slice(places[0], places[-1] + 1)
    return float(1 - (gold[inside] * words[inside]).sum() / max(words[inside].sum(), 1))


def elements_table(readings: Sequence[Reading], kinds: Sequence[str]) -> str:
    """Return which share of the pages of each type keeps each kind of element."""
    rows = []
    for name in ELEMENTS:
        having = [each for each in readings if name in each.kept]
        cells = []
        for kind in kinds:
            of_kind = [each for each in having if each.kind == kind]
            cells.append(_percent(each.kept[name] >= KEPT for each in of_kind))
        in_part = _percent(_of_two_minds(each.kept[name]) for each in having)
        rows.append([name, *cells, in_part, differing_pairs(having, name)])
    counts = [sum(each.kind == kind for each in readings) for kind in kinds]
    heads = [f"{kind} ({count})" for kind, count in zip(kinds, counts, strict=True)]
    return table(["element", *heads, "of two minds", "pairs differ"], rows)


def differing_pairs(having: Sequence[Reading], name: str) -> str:
    """Return how many pairs of pages differ in whether they keep their elements of a kind.

    First those of pages of one site and type; then of any pages of these types.
    """
    by_site: dict[tuple[str, str], list[bool]] = defaultdict(list)
    by_kind: dict[str, list[bool]] = defaultdict(list)
    for each in having:
        by_site[each.kind, each.site].append(each.kept[name] >= KEPT)
        by_kind[each.kind].append(each.kept[name] >= KEPT)
    several = {key: choices for key, choices in by_site.items() if len(choices) > 1}
    if len(several) < LEAST_PAGES:
        return "–"
    pages = sum(map(len, several.values()))
    of_site = sum(_differing(each) * len(each) for each in several.values()) / pages
    of_any = sum(_differing(by_kind[kind]) * len(each) for (kind, _), each in several.items())
    return f"{100 * of_site:.0f} : {100 * of_any / pages:.0f}"


def _differing(choices: Sequence[bool]) -> float:
    """Return the share of pairs of which one is chosen."""
    size, chosen = len(choices), sum(choices)
    return 2 * chosen * (size - chosen) / (size * (size - 1))


def texts_table(readings: Sequence[Reading], kinds: Sequence[str]) -> str:
    """Return how long the gold texts are, and how much of the page they take and leave out."""
    rows = []
    for kind in kinds:
        of_kind = [each for each in readings if each.kind == kind]
        paragraphs = [each.kept[PARAGRAPHS] for each in of_kind if PARAGRAPHS in each.kept]
        rows.append(
            [
                f"{kind} ({len(of_kind)})",
                f"{median(each.words for each in of_kind):.0f}",
                f"{100 * fmean(each.of_page for each in of_kind):.0f}",
                f"{100 * fmean(each.left_out for each in of_kind):.0f}",
                _percent(map(_of_two_minds, paragraphs)),
            ]
        )
    heads = "median words", "% of the page", "% left out in between", "paragraphs of two minds"
    return table(["pages", *heads], rows)


def choices_table(readings: Sequence[Reading], kinds: Sequence[str]) -> str:
    """Return what is kept of pages that have both cards and paragraphs."""
    rows = []
    for kind in kinds:
        choices = [
            (each.kept[CARD_HEADINGS] >= KEPT, each.kept[PARAGRAPHS] >= KEPT)
            for each in readings
            if each.kind == kind and {CARD_HEADINGS, PARAGRAPHS} <= each.kept.keys()
        ]
        ways = ((True, True), (True, False), (False, True), (False, False))
        shares = [_percent(choice == way for choice in choices).partition(" ")[0] for way in ways]
        rows.append([f"{kind} ({len(choices)})", *shares])
    return table(["pages", "both", "cards", "paragraphs", "neither"], rows)


def _of_two_minds(share: float) -> bool:
    return TWO_MINDS[0] < share < TWO_MINDS[1]


def _percent(flags: Iterable[bool]) -> str:
    """Return how many are set and of how many, of few only a dash."""
    found = list(flags)
    return f"{100 * fmean(found):.0f} ({len(found)})" if len(found) >= LEAST_PAGES else "–"


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.gold_rules", description=__doc__.partition("\n")[0]
    )
    add = parser.add_argument
    add("--data", type=Path, required=True, help="folder of any of the labelled sets")
    add("--limit", type=int, help="pages of a fixed sample (default: all)")
    add("--processes", type=int, default=2, help="pages read at a time (default: %(default)s)")
    arguments = parser.parse_args()
    pages = sample(list(read(arguments.data)), arguments.limit)
    with get_context("fork").Pool(arguments.processes) as pool:
        readings = [each for each in pool.imap(read_page, pages, chunksize=4) if each]
    kinds = sorted({each.kind for each in readings})
    print(texts_table(readings, kinds), end="\n\n")
    print(choices_table(readings, kinds), end="\n\n")
    print(elements_table(readings, kinds))


if __name__ == "__main__":
    main()
