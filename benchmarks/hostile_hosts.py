"""How many pages a host takes from learning that lies: decoys, seeded text, a redesign.

    python -m benchmarks.hostile_hosts
    python -m benchmarks.hostile_hosts --data ../shared/data/sites --extractors auto mss-tuned mss

Each made host shows 40 honest articles, then 200 that are made to mislead the learner. *Decoy*: the
known container holds other text, and the article stands beside it. *Archive*: several of the known
containers hold other text. *Seeded*: paragraphs of 35 later articles stood on two of the first 20
pages each, in the same template path. With ``--data`` also a redesign: up to 60 articles of one
site, then 60 of the next one, for every site. A page is lost if the single-page method alone has a
word F1 of one half or more, and the answer after learning has less than half of that.
"""

from __future__ import annotations

import argparse
import random
from collections.abc import Callable, Sequence
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

from benchmarks.merged_hosts import answers, prepared
from benchmarks.metrics import score
from benchmarks.sites import Labelled, method
from benchmarks.tables import share, table
from scrapy_boilerplate import Page
from scrapy_boilerplate.extractors.base import Extractor
from scrapy_boilerplate.page.text import tokens

__all__ = ["ATTACKS", "Losses", "losses", "made_hosts"]

HONEST, HOSTILE = 40, 200
"""Articles of a host that are honest, and that are laid against the learner."""

SEEDED = 35
"""Articles whose text was seeded before."""

EARLY, SEEDS = 20, 2
"""First pages of a host, and on how many of them each seeded paragraph stands."""

SYLLABLES = "ba ce di fo gu ha je ki lo mu na pe ri so tu va we xi yo zu".split()


class Story(NamedTuple):
    """An article of a made host."""

    number: int
    title: str
    paragraphs: list[str]


def story(host: int, number: int) -> Story:
    """Return an article; the same host and number give the same one."""
    generator = random.Random(f"{host} {number}")

    def sentence(words: int) -> str:
        made = (
            "".join(generator.choices(SYLLABLES, k=generator.randint(1, 4))) for _ in range(words)
        )
        return " ".join(made).capitalize() + "."

    paragraphs = [" ".join(sentence(generator.randint(8, 16)) for _ in range(3)) for _ in range(6)]
    return Story(number, sentence(6), paragraphs)


def made_page(host: int, told: Story, body: str, method: Extractor) -> Labelled:
    """Return the page of an article with *body* between the host's menu and its foot."""
    menu = "".join(f"<li><a href=/{w}>{w.title()}</a>" for w in ("home", "sport", "culture"))
    html = (
        f"<!DOCTYPE html><title>{told.title} - Host {host}</title><body><ul id=menu>{menu}</ul>"
        f"<div id=main><h1 class=headline>{told.title}</h1>{body}</div>"
        "<div id=foot><p>All rights reserved by the publisher of this site.</p></div>"
    )
    page = Page.parse(html, url=f"https://host-{host}.example/{told.number}")
    gold = tokens("\n".join([told.title, *told.paragraphs]))
    single = method.extract(page)
    f1 = score(tokens(single.text), gold).f1
    return Labelled(page, gold, "article", single, f1)


def _text(paragraphs: Sequence[str]) -> str:
    return "".join(f"<p>{paragraph}</p>" for paragraph in paragraphs)


def honest(host: int, told: Story) -> str:
    """Return an article in the host's container."""
    return f"<div class=story>{_text(told.paragraphs)}</div>"


def decoy(host: int, told: Story) -> str:
    """Return an article beside the container, which holds other text."""
    other = story(host, told.number + 10_000).paragraphs[:2]
    return f"<div class=story>{_text(other)}</div><div class=text>{_text(told.paragraphs)}</div>"


def archive(host: int, told: Story) -> str:
    """Return an article beside several of the containers, which hold other text."""
    others = story(host, told.number + 10_000).paragraphs[:3]
    boxes = "".join(f"<div class=story>{_text([other])}</div>" for other in others)
    return f"{boxes}<div class=text>{_text(told.paragraphs)}</div>"


def seeding(host: int, told: Story) -> str:
    """Return an honest article; below the first ones stand paragraphs of later ones."""
    paragraphs = list(told.paragraphs)
    for number in range(HONEST, HONEST + SEEDED):
        for at, text in enumerate(story(host, number).paragraphs):
            pages = random.Random(f"{host} {number} {at}").sample(range(EARLY), SEEDS)
            paragraphs += [text] * (told.number in pages)
    return f"<div class=story>{_text(paragraphs)}</div>"


def sometimes(host: int, told: Story) -> str:
    """Return two honest articles, then a decoy."""
    return (honest, honest, decoy)[told.number % 3](host, told)


ATTACKS: dict[str, tuple[Callable[[int, Story], str], Callable[[int, Story], str], int]] = {
    "decoy": (honest, decoy, HOSTILE),
    "decoy on every third page": (honest, sometimes, HOSTILE),
    "archive": (honest, archive, HOSTILE),
    "seeded": (seeding, honest, SEEDED),
}
"""How a host's first pages and its later ones are made, and how many later ones there are."""


class Losses(NamedTuple):
    """What became of the pages of several hosts."""

    pages: int
    lost: int
    most: int
    """Pages lost of the host that lost most."""
    after: int
    """Pages of that host until the last one that was lost; 0 if none was."""
    single: float
    learned: float
    """Mean word F1."""


def made_hosts(attack: str, extractor: Extractor, hosts: int) -> list[tuple[list[Labelled], int]]:
    """Return the pages of some hosts, and how many honest ones come first."""
    first, then, later = ATTACKS[attack]
    made = []
    for host in range(hosts):
        told = [story(host, number) for number in range(HONEST + later)]
        bodies = [(first if each.number < HONEST else then)(host, each) for each in told]
        pages = [
            made_page(host, each, body, extractor) for each, body in zip(told, bodies, strict=True)
        ]
        made.append((pages, HONEST))
    return made


def redesigned(data: Path, extractor: Extractor) -> list[tuple[list[Labelled], int]]:
    """Return for each site the articles of it and of the next one, and how many come first."""
    sites = prepared(data, extractor)
    articles = {
        name: [page for page in pages if page.kind == "article"][:60]
        for name, pages in sites.items()
    }
    names = [*articles, next(iter(articles))]
    return [(articles[one] + articles[two], len(articles[one])) for one, two in pairwise(names)]


def losses(hosts: Sequence[tuple[list[Labelled], int]], extractor: Extractor) -> Losses:
    """Return what is lost of the later pages of each host."""
    counts, single, learned = [], [], []
    for pages, first in hosts:
        texts = answers(pages, extractor)[first:]
        pairs = [
            (page.single_f1, score(tokens(text), page.gold).f1)
            for page, text in zip(pages[first:], texts, strict=True)
        ]
        single += [alone for alone, _ in pairs]
        learned += [f1 for _, f1 in pairs]
        lost = [n for n, (alone, f1) in enumerate(pairs, 1) if alone >= 0.5 and 2 * f1 < alone]
        counts.append((len(lost), max(lost, default=0)))
    most, after = max(counts)
    total = sum(lost for lost, _ in counts)
    return Losses(len(single), total, most, after, *(sum(f) / len(f) for f in (single, learned)))


def main() -> None:
    """Print a table for each method."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    add = parser.add_argument
    add("--data", type=Path, help="folder of the multi-page sites, for the redesigns")
    add("--extractors", nargs="+", default=["auto", "mss-tuned", "mss"], help="names of methods")
    add("--hosts", type=int, default=5, help="made hosts of each kind (default: %(default)s)")
    given = parser.parse_args()
    rows = []
    for name in given.extractors:
        extractor = method(name)
        kinds = {attack: made_hosts(attack, extractor, given.hosts) for attack in ATTACKS}
        if given.data:
            kinds["redesign"] = redesigned(given.data, extractor)
        for kind, hosts in kinds.items():
            found = losses(hosts, extractor)
            counts = [len(hosts), *found[:4]]
            rows.append([name, kind, *map(str, counts), *map(share, found[4:])])
    headers = ["method", "host", "hosts", "pages", "lost", "most of a host", "last after"]
    print(table([*headers, "F1 alone", "learned"], rows, left=2))


if __name__ == "__main__":
    main()
