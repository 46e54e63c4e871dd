"""When a site changes: after how many pages that is found, and how often it is found in vain.

    python -m benchmarks.changes --data ../shared/data/sites ../shared/data/extra

Of the made hosts one in ten changes at a random page after it was learned: another template, the
text beside the container, one paragraph of the article, or pages in place of it (a challenge, a
login, a question about cookies, a script, a parked domain, no text). One page in six is a list, and
one a short page. The hosts of the data do not change: their pages come in the order of their
addresses, and shuffled. Then for each pair of neighbours the pages of one come, then those of the
other at the same addresses: a redesign.
"""

from __future__ import annotations

import argparse
import random
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from itertools import cycle, pairwise
from pathlib import Path
from statistics import median
from typing import NamedTuple

from benchmarks.data import read
from benchmarks.hostile_hosts import Story, decoy, honest, story
from benchmarks.sites import learner, method
from benchmarks.tables import share, table
from scrapy_boilerplate import Page
from scrapy_boilerplate.core.methods.base import Extractor

__all__ = ["CHANGES", "Found", "found", "made_host"]

PAGES, EARLIEST, LATEST = 90, 30, 70
"""Pages of a made host, and the first and last page at which it may change."""

IN_TIME = 10
"""Pages within which a change should be found."""

LEAST_PAGES, SHUFFLED = 30, 4
"""Pages of a host of the data that is used, and how often its pages come shuffled."""

FRAME = (
    "<!DOCTYPE html><title>{title}</title><body><ul id=menu><li><a href=/>Home</a><li><a href=/s>"
    "Sport</a><li><a href=/c>Culture</a></ul><div id=main>{body}</div><div id=foot><p>All rights "
    "reserved by the publisher of this site.</p></div>"
)
OTHER_FRAME = (
    "<!DOCTYPE html><title>{title}</title><body><header><nav><a href=/>Start</a> <a href=/news>News"
    "</a></nav></header><main>{body}</main><footer>Imprint and contact</footer>"
)


def _paragraphs(told: Story, most: int | None = None) -> str:
    return "".join(f"<p>{paragraph}</p>" for paragraph in told.paragraphs[:most])


def _headed(told: Story, body: str) -> str:
    return f"<h1 class=headline>{told.title}</h1>{body}"


def article(host: int, told: Story) -> str:
    """Return a page as the host was."""
    return FRAME.format(title=told.title, body=_headed(told, honest(host, told)))


def listing(host: int, told: Story) -> str:
    """Return a page that lists articles."""
    others = [story(host, told.number + 1000 + n) for n in range(8)]
    items = "".join(
        f"<div class=story><h2><a href=/news/{each.number}>{each.title}</a></h2><p>"
        f"{each.paragraphs[0][:80]}</p></div>"
        for each in others
    )
    return FRAME.format(title="News", body=items)


def contact(host: int, told: Story) -> str:
    """Return a page of few words."""
    return FRAME.format(title="Contact", body=f"<h1>Contact</h1><p>Write to us: {told.title}</p>")


def renamed(host: int, told: Story) -> str:
    """Return an article in another container of the same frame."""
    body = f"<section class=post-body>{_paragraphs(told)}</section>"
    return FRAME.format(title=told.title, body=_headed(told, body))


def redesigned(host: int, told: Story) -> str:
    """Return an article in another container and another frame."""
    body = f"<article class=entry><h1>{told.title}</h1>{_paragraphs(told)}</article>"
    return OTHER_FRAME.format(title=told.title, body=body)


def beside(host: int, told: Story) -> str:
    """Return an article that stands beside the container."""
    return FRAME.format(title=told.title, body=_headed(told, decoy(host, told)))


def shortened(host: int, told: Story) -> str:
    """Return the first sentence of an article."""
    body = f"<div class=story><p>{told.paragraphs[0]}</p></div><p>Subscribe to go on.</p>"
    return FRAME.format(title=told.title, body=_headed(told, body))


def challenge(host: int, told: Story) -> str:
    """Return a test for humans."""
    return (
        "<title>Just a moment...</title><h1>a.example</h1><p>Verify you are human by completing "
        "the action below.</p><script>window._cf_chl_opt={cType:'managed'}</script>"
    )


def login(host: int, told: Story) -> str:
    """Return a login in the frame of the host."""
    form = "<form><input name=u><input type=password name=p><button>Log in</button></form>"
    return FRAME.format(title="Log in", body=f"<h1>Log in to go on</h1>{form}")


def consent(host: int, told: Story) -> str:
    """Return a question about cookies."""
    text = "We and our partners use cookies to measure use. You can refuse cookies at any time."
    return f"<title>{told.title}</title><div><p>{text}</p><button>Accept</button></div>"


def shell(host: int, told: Story) -> str:
    """Return a page that only a script fills."""
    return f"<title>{told.title}</title><div id=root></div><script src=/app.js></script>"


def parked(host: int, told: Story) -> str:
    """Return the page of a domain that was given up, without any mark of a service."""
    ads = "".join(f"<li><a href=/x{n}>{word}</a>" for n, word in enumerate("Cars Loans Hotels".split()))
    return f"<title>a.example</title><h2>Related links</h2><ul>{ads * 4}</ul>"


CHANGES = (
    renamed,
    redesigned,
    beside,
    shortened,
    challenge,
    login,
    consent,
    shell,
    parked,
)
"""How a host may change."""


class Found(NamedTuple):
    """What was found on a host."""

    after: int | None
    """Pages from the change until it was found; ``None`` if it was not."""
    false: int
    """Changes that were found before there was one."""
    what: str
    """What was said of it."""


def made_host(host: int) -> tuple[list[tuple[str, str]], int | None, str]:
    """Return the pages of a host, (address, HTML), the page at which it changes, and how."""
    generator = random.Random(host)
    changes_at = generator.randint(EARLIEST, LATEST) if host % 10 == 0 else None
    change = CHANGES[host // 10 % len(CHANGES)]
    pages = []
    for number in range(PAGES):
        told, draw = story(host, number), generator.random()
        kind, url = article, f"https://h{host}.example/news/{number}"
        if changes_at is not None and number >= changes_at:
            kind = change
        elif draw < 1 / 6:
            kind = listing
        elif draw < 2 / 6:
            kind = contact
        pages.append((url, kind(host, told)))
    return pages, changes_at, change.__name__ if changes_at is not None else ""


def found(
    pages: Sequence[tuple[str, bytes | str]], changes_at: int | None, extractor: Extractor
) -> Found:
    """Return what a learner finds on the pages of one host."""
    teacher, false = learner(), 0
    for number, (url, html) in enumerate(pages):
        page = Page.parse(html, url=url)
        event = teacher.observe(page, extractor.extract(page))
        if event not in ("relearning", "blocked"):
            continue
        if changes_at is None or number < changes_at:
            false += 1
            continue
        change = teacher.change("site")
        return Found(number - changes_at + 1, false, change.what if change else "")
    return Found(None, false, "")


def hosts_of(folders: Sequence[Path]) -> dict[str, list[tuple[str, bytes]]]:
    """Return the pages of each host of the data that has enough of them."""
    hosts: dict[str, list[tuple[str, bytes]]] = defaultdict(list)
    for folder in folders:
        for row in read(folder):
            if row.site and row.url:
                hosts[row.site].append((row.url, row.html))
    return {name: sorted(pages) for name, pages in hosts.items() if len(pages) >= LEAST_PAGES}


def orders(pages: Sequence[tuple[str, bytes]]) -> Iterator[list[tuple[str, bytes]]]:
    """Yield the pages of a host in the order of their addresses, and shuffled."""
    yield sorted(pages)
    for seed in range(SHUFFLED):
        yield random.Random(seed).sample(pages, len(pages))


def redesigns(
    hosts: Mapping[str, Sequence[tuple[str, bytes]]],
) -> Iterator[tuple[list[tuple[str, bytes]], int]]:
    """Yield the pages of a host, then those of its neighbour at the same addresses."""
    for one, two in pairwise([*hosts, next(iter(hosts))]):
        before = random.Random(0).sample(list(hosts[one]), len(hosts[one]))[:45]
        after = random.Random(1).sample(list(hosts[two]), len(hosts[two]))[:30]
        urls = cycle(f"{url}-{number}" for number, (url, _) in enumerate(before))
        yield [*before, *((url, html) for url, (_, html) in zip(urls, after, strict=False))], len(before)


def _row(name: str, results: Sequence[Found]) -> list[str]:
    after = [each.after for each in results if each.after is not None]
    in_time = sum(number <= IN_TIME for number in after)
    said = Counter(each.what for each in results if each.what).most_common(2)
    cells = [str(len(results)), share(in_time / len(results)), str(len(after))]
    middle = [f"{median(after):g}", str(max(after))] if after else ["", ""]
    return [name, *cells, *middle, "; ".join(what for what, _ in said)]


def main() -> None:
    """Print a table of the changes found, and a line of those found in vain."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    add = parser.add_argument
    add("--data", type=Path, nargs="*", default=[], help="folders of multi-page sites")
    add("--extractor", default="auto", help="method (default: %(default)s)")
    add("--hosts", type=int, default=300, help="made hosts (default: %(default)s)")
    given = parser.parse_args()
    extractor = method(given.extractor, None)
    by_change: dict[str, list[Found]] = defaultdict(list)
    for host in range(given.hosts):
        pages, changes_at, change = made_host(host)
        by_change[change].append(found(pages, changes_at, extractor))
    unchanged = {"made": by_change.pop("", [])}
    rows = [_row(f"made: {name}", results) for name, results in sorted(by_change.items())]
    hosts = hosts_of(given.data)
    if hosts:
        changed = [found(pages, at, extractor) for pages, at in redesigns(hosts)]
        rows.append(_row("data: another site", changed))
        unchanged["of the data"] = [
            found(order, None, extractor) for pages in hosts.values() for order in orders(pages)
        ]
    headers = ["change", "hosts", f"in {IN_TIME} pages", "found", "median", "most", "said"]
    print(table([headers[0], *headers[1:]], rows, left=1))
    for name, results in unchanged.items():
        wrong = sum(each.false > 0 for each in results)
        print(f"unchanged hosts {name}: {len(results)} crawls, {wrong} with a change found in vain")
    early = [each.false for results in by_change.values() for each in results]
    print(f"changed hosts with a change found too early: {sum(map(bool, early))} of {len(early)}")


if __name__ == "__main__":
    main()
