"""Share of a crawl's text that repeats: the report by which site learning is judged.

Text that stands on every page of a site is counted with every page: a menu, a teaser that a method
kept. The share of sentences and characters that are unique tells how much of it is left. It says
nothing of good text that was lost: a method that keeps nothing repeats nothing.

    python -m scrapy_boilerplate.tools.duplication feed.jsonl --field text --site-field url

Source: I. Endrédy, A. Novák, *More Effective Boilerplate Removal – the GoldMiner Algorithm*, 2013,
table 1.
"""

from __future__ import annotations

import argparse
import csv
import gzip
import json
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from hashlib import blake2b
from typing import IO

from scrapy_boilerplate.core.page.text import sentences
from scrapy_boilerplate.learn.keys import host
from scrapy_boilerplate.tools.tables import table

__all__ = ["Duplication", "DuplicationCounter", "duplication", "read_feed", "site_of"]

CAPACITY = 1_000_000
"""Sentences that are remembered; about 150 MB when so many have been seen."""


@dataclass(frozen=True, slots=True)
class Duplication:
    """Counts in the texts of one site."""

    texts: int
    """Texts that hold at least one sentence."""

    sentences: int
    """Sentences, each as often as it occurs."""

    unique_sentences: int
    """Different sentences; white space does not make a difference."""

    characters: int
    """Characters of the sentences, each as often as it occurs."""

    unique_characters: int
    """Characters of the different sentences."""

    exact: bool = True
    """Whether the two numbers of what is unique were counted, not estimated from a sample."""

    @property
    def sentence_share(self) -> float:
        """Unique sentences as a share of all, in [0, 1]; 1 where there are none."""
        return self.unique_sentences / self.sentences if self.sentences else 1.0

    @property
    def character_share(self) -> float:
        """Characters of unique sentences as a share of all, in [0, 1]; 1 where there are none."""
        return self.unique_characters / self.characters if self.characters else 1.0


@dataclass(slots=True)
class _Tally:
    """The counts of one site, unique or not."""

    texts: int = 0
    sentences: int = 0
    characters: int = 0


class DuplicationCounter:
    """Counts texts one by one, in a memory that does not grow with the crawl.

    Of each different sentence 8 bytes of its hash and its length are remembered. When there are
    more than *capacity*, the half of them is forgotten whose next bit of the hash is 1, and so are
    new sentences like them; what is unique is then estimated as twice the rest, and so on. With a
    million remembered sentences the error is about .1 %.

    >>> counter = DuplicationCounter()
    >>> counter.add("Rain again. Most read: sun.", site="a.example")
    >>> counter.add("Snow at last. Most read: sun.", site="a.example")
    >>> counter.report()["a.example"].sentence_share
    0.75
    """

    def __init__(self, capacity: int = CAPACITY) -> None:
        if capacity < 1:
            raise ValueError(f"capacity must be at least 1, not {capacity}")
        self._capacity = capacity
        self._halvings = 0
        self._seen: dict[int, tuple[str, int]] = {}  # site and length by hash
        self._sites: dict[str, _Tally] = {}

    def add(self, text: str, site: str = "") -> None:
        """Count the sentences of *text*; a sentence is unique within its *site*."""
        tally = self._sites.setdefault(site, _Tally())
        before = tally.sentences
        for number, length in self._pieces(text, site):
            tally.sentences += 1
            tally.characters += length
            if self._is_sampled(number):
                self._seen[number] = site, length
                while len(self._seen) > self._capacity:
                    self._halvings += 1
                    kept = {at: seen for at, seen in self._seen.items() if self._is_sampled(at)}
                    self._seen = kept
        tally.texts += tally.sentences > before

    def _pieces(self, text: str, site: str) -> Iterator[tuple[int, int]]:
        """Yield for each sentence a number that only the same one of the site has; its length."""
        key = blake2b(site.encode("utf-8", "surrogatepass"), digest_size=64).digest()
        for sentence in sentences(text):
            sentence = " ".join(sentence.split())
            encoded = sentence.encode("utf-8", "surrogatepass")
            number = int.from_bytes(blake2b(encoded, digest_size=8, key=key).digest(), "little")
            yield number, len(sentence)

    def _is_sampled(self, number: int) -> bool:
        return number & ((1 << self._halvings) - 1) == 0

    def report(self) -> dict[str, Duplication]:
        """Return the counts of each site, in the order in which they were first seen."""
        weight = 1 << self._halvings
        sentences: Counter[str] = Counter()
        characters: Counter[str] = Counter()
        for site, length in self._seen.values():
            sentences[site] += weight
            characters[site] += weight * length
        return {
            site: Duplication(
                texts=tally.texts,
                sentences=tally.sentences,
                unique_sentences=min(sentences[site], tally.sentences),
                characters=tally.characters,
                unique_characters=min(characters[site], tally.characters),
                exact=weight == 1,
            )
            for site, tally in self._sites.items()
        }


def duplication(
    texts: Iterable[str | tuple[str, str]], *, capacity: int = CAPACITY
) -> dict[str, Duplication]:
    """Count the sentences of *texts*, or of pairs of (site, text), by site.

    Texts without a site are counted under the empty one. Memory is bounded by *capacity*, the
    number of different sentences that are counted exactly; see :class:`DuplicationCounter`.

    >>> report = duplication(["Rain again. Most read: sun.", "Snow at last. Most read: sun."])
    >>> report[""].unique_sentences, report[""].sentences
    (3, 4)
    """
    counter = DuplicationCounter(capacity)
    for entry in texts:
        site, text = ("", entry) if isinstance(entry, str) else entry
        counter.add(text, site)
    return counter.report()


# -- feeds -----------------------------------------------------------------------------------


def site_of(value: str) -> str:
    """Return the site of an address, as the site learner has it; any other value as it is.

    >>> site_of("https://www.example.com/a"), site_of("blog")
    ('example.com', 'blog')
    """
    return host(value) or value


def read_feed(
    path: str, *, field: str = "text", site_field: str | None = None
) -> Iterator[tuple[str, str]]:
    """Yield (site, text) of each item of a feed: JSON Lines or CSV, either with ``.gz``.

    The site is the host of the address in *site_field*, or the value itself; empty without one.
    Items without a text are left out. ``-`` is the standard input, as JSON Lines. Raises
    :exc:`ValueError` for a line that is not a JSON object, and :exc:`KeyError` where no item has
    *field*.
    """
    missing = found = False
    with ExitStack() as stack:
        file = sys.stdin if path == "-" else stack.enter_context(_open(path))
        for item in _items(path, file):
            found |= field in item
            missing |= field not in item
            text = item.get(field)
            if isinstance(text, str) and text:
                yield site_of(str(item.get(site_field) or "")) if site_field else "", text
    if missing and not found:
        raise KeyError(f"no item of {path} has a field {field!r}")


def _items(path: str, file: IO[str]) -> Iterator[Mapping[str, object]]:
    if path.removesuffix(".gz").endswith(".csv"):
        csv.field_size_limit(min(sys.maxsize, 2**31 - 1))
        yield from csv.DictReader(file)
        return
    for number, line in enumerate(file, start=1):
        if line.isspace():
            continue
        item = json.loads(line)
        if not isinstance(item, dict):
            raise ValueError(f"line {number} of {path} is not a JSON object")
        yield item


def _open(path: str) -> IO[str]:
    if path.endswith(".gz"):
        return gzip.open(path, "rt", encoding="utf-8", newline="")
    return open(path, encoding="utf-8", newline="")


def _print(report: Mapping[str, Duplication], most: int) -> None:
    rows = ["site texts sentences unique share characters unique share".split()]
    rows += (
        [
            site or "all",
            *map(str, (counts.texts, counts.sentences, counts.unique_sentences)),
            f"{counts.sentence_share:.0%}",
            *map(str, (counts.characters, counts.unique_characters)),
            f"{counts.character_share:.0%}",
        ]
        for site, counts in sorted(report.items(), key=lambda row: -row[1].characters)[:most]
    )
    print(table(rows, right=range(1, 8)), end="")
    if len(report) > most:
        print(f"… and {len(report) - most} more sites")
    if not all(counts.exact for counts in report.values()):
        print("unique counts are estimated from a sample; a larger --capacity makes it larger")


def main(argv: list[str] | None = None) -> None:
    """Print the report of a feed, the site with most text first."""
    parser = argparse.ArgumentParser(
        prog="python -m scrapy_boilerplate.tools.duplication",
        description="Count how many sentences of a feed's texts are unique.",
    )
    add = parser.add_argument
    add("feed", help="JSON Lines or CSV, either with .gz; - for the standard input")
    add("--field", default="text", help="field that holds the text (default: %(default)s)")
    add("--site-field", help="field whose address or value is the site (default: one site)")
    add("--sites", type=int, default=50, help="sites that are printed (default: %(default)s)")
    add("--capacity", type=int, default=CAPACITY, help="sentences that are remembered")
    given = parser.parse_args(argv)
    texts = read_feed(given.feed, field=given.field, site_field=given.site_field)
    try:
        report = duplication(texts, capacity=given.capacity)
    except (OSError, ValueError, KeyError) as error:
        parser.error(str(error.args[0]) if isinstance(error, KeyError) else str(error))
    _print(report, given.sites)


if __name__ == "__main__":
    main()
