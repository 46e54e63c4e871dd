"""When a site changes: after how many pages that is found, and how often it is found in vain.

    python -m benchmarks.changes --data ../shared/data/sites ../shared/data/extra
    python -m benchmarks.changes --blocked ../shared/data/*

Of the made hosts one in ten changes at a random page once it was learned: another template, the
text beside the container, one paragraph of the article, or pages in place of it (a challenge, a
login, a question about cookies, a script, a parked domain, no text). One page in six is a list, and
one a short page. The hosts of the data do not change: their pages come in the order of their
addresses, and shuffled. Then each is followed by the pages of its neighbour at the same addresses:
a redesign.
"""

from __future__ import annotations

import random
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain, pairwise, product
from pathlib import Path
from statistics import median
from typing import NamedTuple

from benchmarks.commands import a_folder, command
from benchmarks.data import read
from benchmarks.hostile_hosts import FRAME, Story, decoy, headed, honest, marked_up, story
from benchmarks.sites import method
from benchmarks.sites_hosts import hosts
from benchmarks.tables import share, table
from scrapy_boilerplate import Page
from scrapy_boilerplate.core.methods.base import Extractor
from scrapy_boilerplate.learn import SiteLearner

PAGES, LONGEST_WAIT, CHANGED = 90, 40, 20
"""Pages of a host; after how many it changes at the latest, once it was learned; pages since."""

LISTS, SHORT = 1 / 6, 1 / 6
"""Shares of the pages of a made host that are lists, and that have few words."""

IN_TIME = 10  # pages within which a change should be found

LEAST_PAGES, SHUFFLED = 30, 4
"""Pages of a host of the data that is used, and how often its pages come shuffled."""

OTHER_FRAME = (
    "<!DOCTYPE html><title>{title}</title><body><header><nav><a href=/>Start</a> <a href=/news>News"
    "</a></nav></header><main>{body}</main><footer>Imprint and contact</footer>"
)


def article(host: int, told: Story) -> str:
    """Return a page as the host was."""
    return FRAME.format(title=told.title, body=headed(told, honest(host, told)))


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
    body = f"<section class=post-body>{marked_up(told.paragraphs)}</section>"
    return FRAME.format(title=told.title, body=headed(told, body))


def redesigned(host: int, told: Story) -> str:
    """Return an article in another container and another frame."""
    body = f"<article class=entry><h1>{told.title}</h1>{marked_up(told.paragraphs)}</article>"
    return OTHER_FRAME.format(title=told.title, body=body)


def beside(host: int, told: Story) -> str:
    """Return an article that stands beside the container."""
    return FRAME.format(title=told.title, body=headed(told, decoy(host, told)))


def shortened(host: int, told: Story) -> str:
    """Return the first sentence of an article."""
    body = f"<div class=story><p>{told.paragraphs[0]}</p></div><p>Subscribe to go on.</p>"
    return FRAME.format(title=told.title, body=headed(told, body))


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
    ads = "".join(
        f"<li><a href=/x{n}>{word}</a>" for n, word in enumerate("Cars Loans Hotels".split())
    )
    return f"<title>a.example</title><h2>Related links</h2><ul>{ads * 4}</ul>"


CHANGES = (renamed, redesigned, beside, shortened, challenge, login, consent, shell, parked)
"""How a host may change."""


class Host(NamedTuple):
    """The pages of a host, as (address, HTML)."""

    before: Sequence[tuple[str, bytes | str]]
    after: Sequence[tuple[str, bytes | str]] = ()
    """Pages since its change; none if it does not change."""
    wait: int = 0  # after how many pages it changes, once it was learned
    change: str = ""  # how it changes


class Found(NamedTuple):
    """What was found on a host."""

    after: int | None  # pages from the change until it was found; ``None`` if it was not
    false: int  # changes that were found before there was one
    what: str = ""  # what was said of it


def made_host(host: int) -> Host:
    """Return a host, which changes if its number is a multiple of ten."""
    generator, pages = random.Random(host), []
    for number in range(PAGES):
        draw = generator.random()
        kind = listing if draw < LISTS else contact if draw < LISTS + SHORT else article
        pages.append((f"https://h{host}.example/news/{number}", kind(host, story(host, number))))
    if host % 10:
        return Host(pages)
    change, wait = CHANGES[host // 10 % len(CHANGES)], generator.randint(1, LONGEST_WAIT)
    changed = [
        (f"https://h{host}.example/news/{number}", change(host, story(host, number)))
        for number in range(PAGES, PAGES + CHANGED)
    ]
    return Host(pages, changed, wait, change.__name__)


def found(host: Host, extractor: Extractor) -> Found:
    """Return what a learner finds on the pages of one host."""
    teacher, false, changes_at = SiteLearner(), 0, len(host.before)
    seen = 0
    while seen < changes_at + len(host.after):
        is_changed = seen >= changes_at
        url, html = host.after[seen - changes_at] if is_changed else host.before[seen]
        page = Page.parse(html, url=url)
        event = teacher.observe(page, extractor.extract(page))
        seen += 1
        if event == "frozen" and host.after and not false:
            changes_at = min(changes_at, seen + host.wait)
        elif event in ("relearning", "blocked") and is_changed:
            change = teacher.change(teacher.site_of(page))
            return Found(seen - changes_at, false, change.what if change else "")
        else:
            false += event in ("relearning", "blocked")
    return Found(None, false)


def hosts_of(folders: Sequence[Path]) -> dict[str, list[tuple[str, bytes]]]:
    """Return the pages of each host of the data that has enough of them."""
    return {
        name: sorted((row.url, row.html) for row in rows if row.url)
        for folder in folders
        for name, rows in hosts(folder, LEAST_PAGES).items()
    }


def unchanged(hosts: Mapping[str, Sequence[tuple[str, bytes]]]) -> Iterator[Host]:
    """Yield each host with its pages in the order of their addresses, and shuffled."""
    for pages in hosts.values():
        yield Host(sorted(pages))
        for seed in range(SHUFFLED):
            yield Host(random.Random(seed).sample(pages, len(pages)))


def redesigns(hosts: Mapping[str, Sequence[tuple[str, bytes]]]) -> Iterator[Host]:
    """Yield each host, with the pages of its neighbour at the same addresses after it was learned.

    Each is drawn several times.
    """
    for (one, two), seed in product(pairwise([*hosts, next(iter(hosts))]), range(SHUFFLED)):
        generator = random.Random(seed)
        before = generator.sample(hosts[one], len(hosts[one]))
        pages = generator.sample(hosts[two], len(hosts[two]))
        moved = [(url, html) for (url, _), (_, html) in zip(before, pages, strict=False)]
        yield Host(before, moved[:CHANGED], generator.randint(1, 10), "another site")


def _row(name: str, results: Sequence[Found]) -> list[str]:
    after = [each.after for each in results if each.after is not None]
    in_time = sum(number <= IN_TIME for number in after)
    said = Counter(each.what for each in results if each.what).most_common(2)
    cells = [str(len(results)), share(in_time / len(results)), str(len(after))]
    middle = [f"{median(after):g}", str(max(after))] if after else ["", ""]
    return [name, *cells, *middle, "; ".join(what for what, _ in said)]


def blocked(folders: Sequence[Path]) -> str:
    """Say how many labelled pages with and without a text are taken for blocked."""
    counts: Counter[tuple[bool, bool]] = Counter()
    for folder in folders:
        for row in read(folder):
            counts[bool(row.gold.strip()), Page.parse(row.html, url=row.url).block is not None] += 1
    parts = (
        f"{counts[has_text, True]} of {counts[has_text, True] + counts[has_text, False]} pages "
        f"{'with' if has_text else 'without'} a text"
        for has_text in (True, False)
    )
    return f"taken for blocked: {', '.join(parts)}"


def main() -> None:
    parser = command(__doc__)
    add = parser.add_argument
    add("--data", type=a_folder, nargs="*", default=[], help="folders of multi-page sites")
    add("--extractor", default="auto", help="method (default: %(default)s)")
    add("--hosts", type=int, default=500, help="made hosts (default: %(default)s)")
    add("--blocked", type=a_folder, nargs="+", help="labelled pages; looks for nothing else")
    given = parser.parse_args()
    if given.blocked:
        print(blocked(given.blocked))
        return
    extractor, real = method(given.extractor), hosts_of(given.data)
    kinds: dict[str, Iterable[Host]] = {"made": map(made_host, range(given.hosts))}
    if real:
        kinds["data"] = chain(unchanged(real), redesigns(real))
    rows, lines = [], []
    for name, crawled in kinds.items():
        by_change: dict[str, list[Found]] = defaultdict(list)
        for host in crawled:
            by_change[host.change].append(found(host, extractor))
        same = by_change.pop("")
        changed = [each for results in by_change.values() for each in results]
        rows += [_row(f"{name}: {change}", by_change[change]) for change in sorted(by_change)]
        rows.append(_row(f"{name}: all", changed))
        in_vain = sum(each.false > 0 for each in same)
        early = sum(each.false > 0 for each in changed)
        lines.append(
            f"{name}: a change found in vain in {in_vain} of {len(same)} crawls without one, "
            f"and before it came in {early} of {len(changed)}"
        )
    headers = ["change", "crawls", f"in {IN_TIME} pages", "found", "median", "most", "said"]
    print(table(headers, rows, left=1))
    print("\n".join(lines))


if __name__ == "__main__":
    main()
