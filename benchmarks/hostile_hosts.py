"""How many pages a host takes from learning that lies: decoys, seeded text, a redesign.

    python -m benchmarks.hostile_hosts
    python -m benchmarks.hostile_hosts --data ../shared/data/sites --extractors auto mss-tuned mss

Each made host shows 40 honest articles, then 200 that are made to mislead the learner. *Decoy*: the
known container holds other text, and the article stands beside it. *Archive*: several of the known
containers hold other text. *Seeded*: paragraphs of 35 later articles stood on two of the first 20
pages each, in the same template path. With ``--data`` also a redesign: some articles of one site,
then up to 60 of another, for each pair of neighbours, both ways; all pages count. A page is lost if
the single-page method alone has a word F1 of one half or more, and the answer after learning has
less than half of that; it is worse if it loses more than .1.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from statistics import fmean
from typing import NamedTuple

from benchmarks.commands import a_folder, command
from benchmarks.merged_hosts import answers, prepared
from benchmarks.sites import Labelled, method
from benchmarks.tables import share, table
from scrapy_boilerplate import Page
from scrapy_boilerplate.core.methods.base import Extractor
from scrapy_boilerplate.core.page.text import tokens

HONEST, HOSTILE = 40, 200
"""Articles of a host that are honest, and that are laid against the learner."""

SEEDED = 35  # articles whose text was seeded before

FIRST, LATER = (5, 15, 60), 60  # articles of a host before a redesign, and after it

WORSE = 0.1  # word F1 from which on a loss counts

EARLY, SEEDS = 20, 2  # first pages of a host, and on how many of them each seeded paragraph stands

FRAME = (
    "<!DOCTYPE html><title>{title}</title><body><ul id=menu><li><a href=/>Home</a><li><a href=/s>"
    "Sport</a><li><a href=/c>Culture</a></ul><div id=main>{body}</div><div id=foot><p>All rights "
    "reserved by the publisher of this site.</p></div>"
)

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
    html = FRAME.format(title=f"{told.title} - Host {host}", body=headed(told, body))
    page = Page.parse(html, url=f"https://host-{host}.example/{told.number}")
    gold = tokens("\n".join([told.title, *told.paragraphs]))
    return Labelled(page, gold, "article", method.extract(page))


def headed(told: Story, body: str) -> str:
    return f"<h1 class=headline>{told.title}</h1>{body}"


def marked_up(paragraphs: Sequence[str]) -> str:
    return "".join(f"<p>{paragraph}</p>" for paragraph in paragraphs)


def honest(host: int, told: Story) -> str:
    """Return an article in the host's container."""
    return f"<div class=story>{marked_up(told.paragraphs)}</div>"


def decoy(host: int, told: Story) -> str:
    """Return an article beside the container, which holds other text."""
    other = story(host, told.number + 10_000).paragraphs[:2]
    return f"{honest(host, told._replace(paragraphs=other))}{_beside(told)}"


def archive(host: int, told: Story) -> str:
    """Return an article beside several of the containers, which hold other text."""
    others = story(host, told.number + 10_000).paragraphs[:3]
    boxes = "".join(f"<div class=story>{marked_up([other])}</div>" for other in others)
    return f"{boxes}{_beside(told)}"


def _beside(told: Story) -> str:
    return f"<div class=text>{marked_up(told.paragraphs)}</div>"


def seeding(host: int, told: Story) -> str:
    """Return an honest article; below the first ones stand paragraphs of later ones."""
    paragraphs = list(told.paragraphs)
    for number in range(HONEST, HONEST + SEEDED):
        for at, text in enumerate(story(host, number).paragraphs):
            pages = random.Random(f"{host} {number} {at}").sample(range(EARLY), SEEDS)
            paragraphs += [text] * (told.number in pages)
    return f"<div class=story>{marked_up(paragraphs)}</div>"


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
    most: int  # pages lost of the host that lost most
    after: int  # pages of that host until the last one that was lost; 0 if none was
    single: float
    learned: float  # mean word F1
    worst: float  # what the host gains that gains least
    worse: int  # pages that are worse by more than .1


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


def redesigned(
    sites: Mapping[str, Sequence[Labelled]], first: int
) -> list[tuple[list[Labelled], int]]:
    """Return hosts with so many articles of a site first, then those of another: both ways."""
    articles = {
        name: [page for page in pages if page.kind == "article"][:LATER]
        for name, pages in sites.items()
    }
    neighbours = list(pairwise([*articles, next(iter(articles))]))
    pairs = [*neighbours, *((two, one) for one, two in neighbours)]
    return [(articles[one][:first] + articles[two], 0) for one, two in pairs]


def losses(hosts: Sequence[tuple[list[Labelled], int]], extractor: Extractor) -> Losses:
    """Return what is lost of the pages of each host that come after its first ones."""
    counts, gains, single, learned = [], [], [], []
    for pages, first in hosts:
        texts = answers(pages, extractor)[first:]
        pairs = [
            (page.single_f1, page.f1(text)) for page, text in zip(pages[first:], texts, strict=True)
        ]
        single += [alone for alone, _ in pairs]
        learned += [f1 for _, f1 in pairs]
        lost = [n for n, (alone, f1) in enumerate(pairs, 1) if alone >= 0.5 and 2 * f1 < alone]
        counts.append((len(lost), max(lost, default=0)))
        gains.append(fmean(f1 - alone for alone, f1 in pairs))
    most, after = max(counts)
    total = sum(lost for lost, _ in counts)
    worse = sum(f1 < alone - WORSE for alone, f1 in zip(single, learned, strict=True))
    means = fmean(single), fmean(learned), min(gains)
    return Losses(len(single), total, most, after, *means, worse)


def main() -> None:
    parser = command(__doc__)
    add = parser.add_argument
    add("--data", type=a_folder, help="folder of the multi-page sites, for the redesigns")
    add("--model", help="file of a model for auto, as training.auto writes it")
    add("--extractors", nargs="+", default=["auto", "mss-tuned", "mss"], help="names of methods")
    add("--hosts", type=int, default=5, help="made hosts of each kind (default: %(default)s)")
    given = parser.parse_args()
    rows = []
    for name in given.extractors:
        extractor = method(name, given.model)
        kinds = {attack: made_hosts(attack, extractor, given.hosts) for attack in ATTACKS}
        if given.data:
            sites = prepared(given.data, extractor)
            for first in FIRST:
                kinds[f"redesign after {first} pages"] = redesigned(sites, first)
        for kind, hosts in kinds.items():
            found = losses(hosts, extractor)
            counts = [len(hosts), *found[:4]]
            means = [*map(share, found[4:6]), f"{found.worst:+.3f}", str(found.worse)]
            rows.append([name, kind, *map(str, counts), *means])
    headers = ["method", "host", "hosts", "pages", "lost", "most of a host", "last after"]
    print(table([*headers, "F1 alone", "learned", "worst host", "worse"], rows, left=2))


if __name__ == "__main__":
    main()
