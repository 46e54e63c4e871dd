"""Shapes of pages that a program must not choke on, and what every output costs on them.

    python -m benchmarks.limits                     # how time grows; fails where it is not linear
    python -m benchmarks.limits budget --extractors mss justext web2text auto

The first command measures each output on each shape at four sizes, and two of the methods and
options; with ``--draw 1`` to ``8`` other ones, so that nine runs measure all on all shapes, as
``tests/test_limits.py`` does by calls. Shapes
on which time seems to grow faster than the page are measured again, up to ten times, and the best
times count: what else the machine does adds to single times only. It fails if they still grow by an
exponent of more than 1.45; linear time has 1, quadratic time 2. The second prints how long the
largest pages take that a crawl reads: up to its budget of nodes.
"""

from __future__ import annotations

import gc
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from math import log
from statistics import median
from time import process_time
from typing import Any, ClassVar

import numpy as np

from benchmarks.commands import command, in_processes
from benchmarks.tables import table
from scrapy_boilerplate import (
    Extractor,
    Page,
    Verdict,
    compare,
    extract,
    extractor_names,
    get_extractor,
)
from scrapy_boilerplate.core.answer.document.switches import Switches
from scrapy_boilerplate.core.answer.extraction import OUTPUTS
from scrapy_boilerplate.core.answer.metadata.page_metadata import VALUES
from scrapy_boilerplate.core.answer.next_page import next_page
from scrapy_boilerplate.core.caching import Remembered
from scrapy_boilerplate.core.page.budget import MAX_NODES

UNITS = (
    *("<p>a ", "<br>a", "<td>a", "<a href=x>b</a> ", "<li><a href=/x>one two</a>"),
    "<div><p>One two three four five six seven.</p></div>",
)
"""What pages are made of that cost much for their bytes."""

LONG = "https://a.example/" + "x/" * 20_000


def _times(unit: str, end: str = "", head: str = "") -> Callable[[int], str]:
    """Return pages of *unit* again and again, with as many *end* after it."""

    def page(size: int) -> str:
        number = size // (len(unit) + len(end))
        return (
            f"<title>A page</title>{head}<article><p>One two three. {unit * number}{end * number}"
        )

    return page


def _numbered(unit: str, end: str = "") -> Callable[[int], str]:
    """Return pages of *unit* with a number of its own each time."""

    def page(size: int) -> str:
        numbers = range(size // len(unit))
        body = "".join(unit.replace("#", str(number)) for number in numbers)
        return f"<title>A page</title><article><p>One two three. {body}{end}"

    return page


def _two(first: str, second: str, inside: str = "") -> Callable[[int], str]:
    """Return pages of as much *first* as *second*, each with a number of its own for ``#``."""

    def page(size: int) -> str:
        halves = [_numbered(each)(size // 2).partition("three. ")[2] for each in (first, second)]
        return f"<title>A page</title><article><p>One two three. {inside}{''.join(halves)}"

    return page


def _deep(outer: str, inner: str, levels: int = 1900, end: str = "") -> Callable[[int], str]:
    """Return pages of *inner* again and again in *outer*; the largest are *levels* deep."""

    def page(size: int) -> str:
        around = outer * max(levels * size // SIZES[-1], 1)
        many = inner * (max(size - len(around), 0) // len(inner))
        return f"<title>A page</title><p>One two three. {around}{many}{end}"

    return page


def _entities(size: int) -> str:
    """Return a page whose entities name one of many values many times."""
    many, values = (
        ",".join(['{"@id":"b"}'] * (size // 24)),
        ",".join(['{"name":"A"}'] * (size // 26)),
    )
    data = f'[{{"@type":"Article","author":[{many}]}},{{"@id":"b","itemListElement":[{values}]}}]'
    return f"<script type='application/ld+json'>{data}</script><p>One two three."


def _state(size: int) -> str:
    """Return a page whose JSON has many groups below long keys."""
    groups = "".join(f'"k{number}":"It rained all day.",' for number in range(size // 60))
    key = "x" * (size // 60)
    keys = "".join(f'{{"{key}{number}":' for number in range(30))
    data = keys + "{" + groups + '"z":1}' + "}" * 30
    return f"<div id=app></div><script type=application/json>{data}</script>"


def _base(characters: int) -> str:
    return f"<base href='{LONG[:characters]}'>"


def _author(size: int) -> str:
    names = ",".join(['{"name":"A B"}'] * (size // 15))
    head = f'<script type=\'application/ld+json\'>{{"@type":"Article","author":[{names}]}}</script>'
    return _times("a ", head=head)(size)


SHAPES: dict[str, Callable[[int], str]] = {
    "links": _times("<a href=x>b</a> "),
    "links under a long base": _times("<a href=x>b</a> ", head=_base(len(LONG))),
    "links under a base": _times("<a href=x>b</a> ", head=_base(4000)),
    "images under a base": _times("<img src=x alt=b> ", head=_base(1000)),
    "long links": _times(f"<a href='{LONG[:9000]}'>b</a> "),
    "links of signs": _times("<a href='((((|||||'>(((</a> "),
    "quotes": _times("<blockquote>a", "</blockquote>"),
    "paragraphs in quotes": lambda n: "<blockquote>" * 30 + _times("<p>a")(n),
    "quotes of paragraphs": _times("<blockquote><p>a<p>b"),
    "paragraphs in numbered lists": lambda n: (
        "<ol start=123456789><li>" * 30 + _times("<p>a<br>b<hr>")(n)
    ),
    "lists": _times("<ul><li>a", "</ul>"),
    "numbered lists": _times("<ol start=999999999><li>a", "</ol>"),
    "lists in quotes": _times("<blockquote><ul><li>a", "</ul></blockquote>"),
    "one long list": _times("<li>a b <b>c</b>"),
    "paragraphs": _times("<p>a"),
    "deep paragraphs": lambda n: "<div>" * 200 + _times("<p>a")(n),
    "divs": _times("<div>a", "</div>"),
    "sections": _times("<section><h2>a</h2>b"),
    "headings": _times("<h6>a</h6>b"),
    "emphasis": _times("<b>a</b><i>b</i>"),
    "nested emphasis": _times("<b><i>a"),
    "nested marks": _times("<del>x"),
    "formatting opened again": lambda n: (
        "<p>" + "<b id=x>" * 9 + "<p>x" * (n // 4) + "<div>" * 3000
    ),
    "code": _times("<code>`</code>"),
    "blocks of code": _times("<pre>`````````\n</pre>a"),
    "one block of code": lambda size: (
        f"<p>One two three.<pre>{'a = `b`  # c' * (size // 12)}</pre>"
    ),
    "tables": _times("<table><tr><td>a<td>b<tr><td>c<td>d</table>"),
    "wide cells": _times("<table><tr><td colspan=64>a<tr><td colspan=64>b</table>"),
    "rows of one wide table": lambda n: "<table>" + _times("<tr><td colspan=9999>a<td>b")(n),
    "high cells": lambda n: "<table>" + _times("<tr><td rowspan=60000>a<td>b")(n),
    "one wide row": lambda n: (
        f"<table><tr>{'<td>a' * (n // 60)}{'<tr><td>b<td>c' * (n * 2 // 15)}</table>"
    ),
    "nested tables": _times("<table><tr><td>a<td>", "</table>"),
    "breaks": _times("a<br>"),
    "signs": _times("<>&\"'`*_[]\\|$ "),
    "brackets": lambda size: _times("&lt; a ")(size) + "b",
    "formulas": _times("<math alttext='&lt;'><mi>x</mi></math>"),
    "fractions": _times("<math><mfrac><mi>a</mi><mi>b</mi></mfrac></math> "),
    "nested fractions": _times("<math><mfrac><mi>a</mi>", "</mfrac></math>"),
    "figures": _times("<figure><img src=x><figcaption>a</figcaption></figure>"),
    "one figure of many images": lambda n: (
        f"<p>One two three.<figure>{''.join(f'<img src={i}.png>' for i in range(n // 25))}"
        f"<figcaption>{'It rained. ' * (n // 60)}</figcaption></figure>"
    ),
    "a long heading above many": lambda n: (
        f"<h1>{'A long title. ' * (n // 30)}</h1>{_times('<h2>b</h2>c')(n // 2)}"
    ),
    "definitions": _times("<dl><dt>a<dd>b</dl>"),
    "readings": _times("<ruby>a<rt>b</rt></ruby>"),
    "notes": _numbered("a<sup id=r#><a href=#n#>#</a></sup><p id=n#>b <a href=#r#>^</a></p>"),
    "meta": lambda n: _times("a ", head="<meta name=author content='A B'>" * (n // 30))(n),
    "json-ld": _author,
    "microdata": _times("<div itemscope itemtype=https://schema.org/Comment itemprop=comment>a"),
    "by-lines": _times("<p>By Ada Lovelace, 4 September 2025</p>"),
    "times": _times("<time datetime=2025-09-04>4 September 2025</time> "),
    "attributes": _numbered("<p data-a#=b class=c#>d</p>"),
    "comments": _times("<div class=comment><b class=author>A</b><time>2020-01-01</time><p>b</div>"),
    "posts": _numbered(
        "<div class=post id=p#><b class=author>A #</b> <time>2020-01-01</time>"
        "<p>One two three four five six.</p></div>"
    ),
    "entities and values": _entities,
    "keys and groups": _state,
    "openings of literals": lambda n: (
        f"<div id=app></div><script>x={'data:[' * 19}{'1,' * (n // 2)}</script>"
    ),
    "sources and images": _two(
        "<source srcset='a#.png 1x, b#.png 2x'>", "<img src=#.png alt=a>", "<picture>"
    ),
    "images and candidates": lambda n: (
        f"<p>One two three.<picture><source srcset='{'a.png 1x, ' * (n // 20)}'>"
        + "<img src=a.png>" * (n // 30)
    ),
    "captions and images": _two("<figcaption>a #</figcaption>", "<img src=#.png>", "<figure>"),
    "headings and sections": _two("<section><h2>a #</h2>", "<h3>b #</h3>c"),
    "labels and dates": _two("<p>Published: ", "<p>4 September 2025 "),
    "notes and marks": _two(
        "<p id=n#>note <a href=#r#>^</a></p>", "a<sup><a href=#n#>#</a></sup> "
    ),
    "marks and plain notes": _two("word[#] ", "<p>[#] a note</p>"),
    "cells and spans": lambda n: "<table><tr>" + _two("<td rowspan=99 colspan=9>a", "<tr><td>b")(n),
    "headers and cells": _two("<th id=h#>a", "<tr><td headers=h#>b", "<table><tr>"),
    "classes and elements": _two("<p class='a# b#'>c", "<b>d</b> "),
    "properties and items": _two(
        "<div itemscope itemref=r#></div>", "<b id=r# itemprop=name>A #</b> "
    ),
    "authors and replies": _two(
        "<div class=comment id=c#><b class=author>A #</b><p>One two.</div>", "<a href=#c#>re</a> "
    ),
    "fallbacks and elements": _times("<noscript><img src=a.png></noscript><b>c</b>"),
    "one long link around paragraphs": lambda n: (
        f"<p>One two three.<a href='/{'x' * min(n // 8, 8000)}'>{'<p>b' * (n // 8)}</a>"
    ),
    "deep cells": _deep("<ins>", "<th>a", end="<a href=x>z</a>"),
    "deep links to pages": _deep("<div>", "<a href='?page=2'>2</a> "),
    "links to pages in links": _deep("<a href='?page=2'><div>", "<i></i>", 900),
    "deep code before a table": _deep("<code>", "<b>x</b>", end="<table><td>a"),
    "deep places before a heading": _deep("<a href='#x'>y<div>", "<b>x</b>", 900, end="<h2>a"),
    "deep players": _deep("<video src=a.mp4><div>", "<i></i>", 900),
    "deep formulas drawn": _deep("<i aria-hidden=true>x</i><div>", "<b>x</b>", 900),
    "deep comments": _deep("<div class=comment><b class=author>A</b>", "<p>One two.", 900),
    "deep items": _deep("<div itemscope itemprop=comment>", "<b itemprop=name>A</b> ", 900),
    "deep images": _deep("<figure>", "<img src=x.png>"),
    "callouts and titles": _two(
        "<div class='admonition note'><p>a #</div>", "<p class=admonition-title>b #", "<aside>"
    ),
    "tabs and panels": _two(
        "<button role=tab aria-controls=t#>a #</button>",
        "<div role=tabpanel id=t#><pre>b</pre></div>",
    ),
    "notes and breaks": _two("<br>[#] a note", "word[#] ", "<div>"),
    "marks of scripts and notes": _two("word<sup>#</sup> ", "<li id=n#>a note"),
    "deep notes": _deep("<span class=sidenote>", "a<sup>1</sup> "),
    "names and ages": _two("<b>Ada #</b> ", "<span>3 hours ago</span> ", "<ul><li>"),
    "by-lines and names": _two("<p class=byline>By ", "Ada B# and "),
    "white space": _times(" \n\t&nbsp;a"),
    "one text": _times("It rained all day in the town, and nobody went out. "),
    "marks": _times(". ! ? \u3002"),
    "no spaces": _times("日本語の文章です。"),
    "entities of nothing": _times("&#1;&bogus; "),
    "comments in a text": _times("a<!-- -->"),
    "ends": _times("<p>One two three four.</p></html>"),
    "deep, again and again": _times(f"{'<div>' * 50}word{'</div>' * 50}"),
    "long names, deep": _deep(f"<{'x' * 98}>", "<p>a b", 900),
    "no words": _times("&#x200b;&shy;"),
}
"""Shapes by what they are made of: from a size in characters to about as much HTML."""


def parsed(html: str) -> Page:
    return Page.parse(html, url="https://host.example/a/page.html", max_nodes=None)


@dataclass(frozen=True, slots=True)
class Everything(Extractor):
    name: ClassVar[str] = "everything"

    def judge(self, page: Page) -> Verdict:
        size = len(page.blocks)
        return Verdict(page.blocks, np.ones(size, dtype=bool), np.ones(size), str)


# -- how time grows ------------------------------------------------------------------------------

SIZES = (24_000, 60_000, 150_000, 375_000)  # characters of the pages that are measured
NOISE = 2e-4  # seconds added to each time: less is no growth but the clock
AIM, BOUND, ROUNDS = 1.25, 1.45, 10
"""The exponent below which a shape is measured no more, that above which the command fails, and the
rounds till then. What is as fast as memory grows by up to 1.3: large pages are in no cache. What is
quadratic grows by 2, and is not below 1.25 unless small pages took eight times as long as they do.
"""

STEPS = (
    *("read", "auto", "document"),
    *(name for name in OUTPUTS if name not in VALUES),
    *("pages", "explain", "without"),
)
"""What is measured, in this order: what it has in common with an earlier one is known then."""


CHOICES: dict[str, dict[str, Any]] = {
    **{name: {"extractor": name} for name in extractor_names()},
    **{f"comments={value}": {"comments": value} for value in (True, False)},
    **{f"favor={value}": {"favor": value} for value in ("precision", "recall")},
    "hidden": {"hidden": "drop"},
    "blocked": {"blocked": False},
    "max_words": {"max_words": 50},
    "compare": {},
}
"""Methods and options, of which each shape is timed with a few in each draw."""
A_DRAW = 2


def chosen(page: Page, name: str) -> object:
    """Return what a choice makes of a page."""
    return extract(page, **CHOICES[name]).sections if CHOICES[name] else compare(page)


def drawn(shape: str, draw: int = 0) -> list[str]:
    """Return the choices that are measured on a shape; each is on some shape in every draw."""
    first = A_DRAW * (list(SHAPES).index(shape) + draw)
    return [list(CHOICES)[(first + n) % len(CHOICES)] for n in range(A_DRAW)]


def exponent(sizes: Sequence[int], seconds: Sequence[float]) -> float:
    """Return with which power of the size time grows: the median from each size to the next.

    A step that is taken once, as where a page gets too deep for a parser, is none of growth.

    >>> round(exponent([1000, 2000, 4000], [1.0, 4.0, 16.0]), 2)
    2.0
    >>> round(exponent([1000, 2000, 4000, 8000], [1.0, 2.0, 20.0, 40.0]), 2)
    1.0
    """
    points = [(log(size), log(each + NOISE)) for size, each in zip(sizes, seconds, strict=True)]
    return median((y - x) / (b - a) for (a, x), (b, y) in pairwise(points))


WITHOUT = Switches(tables=False, images=False, links=False, formatting=False, hidden="drop")
"""Everything that can be left out."""

COLD = np.ones(1 << 20)
"""What fills a processor's own cache when it is read, so that small pages gain nothing by it."""


def forget() -> None:
    """Forget what functions remember of texts: small pages were seen in an earlier round."""
    for each in gc.get_objects():
        if type(each) is Remembered:  # others may warn when they are asked for their class
            each.forget()


def seconds(run: Callable[[], object]) -> float:
    COLD.sum()
    started = process_time()
    run()
    return process_time() - started


def measured(
    shape: str,
    size: int,
    cost: Callable[[Callable[[], object]], float] = seconds,
    choices: Sequence[str] = (),
) -> dict[str, float]:
    """Return what each step and choice costs on a page."""
    html = SHAPES[shape](size)
    page = parsed(html)
    everything, auto = Everything().extract(page), get_extractor("auto")
    own: dict[str, Callable[[], object]] = {
        "read": lambda: parsed(html),
        "auto": lambda: auto.extract(page),
        "document": lambda: everything.document,
        "pages": lambda: next_page(page) + next_page(page, is_thread=True),
        "explain": everything.explain,
        "without": lambda: Everything().extract(page).switched(WITHOUT).markdown,
        **{name: partial(chosen, page, name) for name in choices},
    }
    forget()
    gc.collect()
    gc.disable()  # a collection looks at all that there is, whoever made it
    try:
        return {
            step: cost(own.get(step) or partial(OUTPUTS[step], everything))
            for step in dict.fromkeys((*STEPS, *choices))
        }
    finally:
        gc.enable()


def growth(shape: str, draw: int = 0) -> dict[str, float]:
    """Return the exponent of each step's time on a shape."""
    rounds: list[list[dict[str, float]]] = []
    found: dict[str, float] = {}
    for _ in range(ROUNDS):
        rounds.append([measured(shape, size, choices=drawn(shape, draw)) for size in SIZES])
        found = {
            step: exponent(
                SIZES, [min(each[step] for each in some) for some in zip(*rounds, strict=True)]
            )
            for step in rounds[0][0]
        }
        if max(found.values()) <= AIM:
            break
    return found


def grows_too_fast(
    shapes: Sequence[str], draw: int = 0, processes: int = 1
) -> list[tuple[float, str, str]]:
    """Return what grows faster than ``BOUND``, and print the fastest of each step."""
    measured(shapes[0], SIZES[0])  # loads what is loaded when it is first used
    grown = in_processes(partial(growth, draw=draw), shapes, processes)
    found = dict(zip(shapes, grown, strict=True))
    all_of = sorted(
        (value, step, shape) for shape in shapes for step, value in found[shape].items()
    )
    worst = {step: (step, f"{value:.2f}", shape) for value, step, shape in all_of}
    print(
        table(["output", "exponent", "of the worst shape"], [worst[each] for each in sorted(worst)])
    )
    return [each for each in all_of if each[0] > BOUND]


# -- the largest pages of a crawl ----------------------------------------------------------------


def budget(names: Sequence[str]) -> str:
    """Return the table of the time for 10 MB of one thing, as far as a crawl reads them."""
    extractors = [get_extractor(name) for name in names]
    rows = []
    for unit in UNITS:
        html = unit * (10_000_000 // len(unit))
        rows.append([f"`{unit.strip()}`"])
        for extractor in extractors:
            started = process_time()
            extractor.extract(Page.parse(html, max_nodes=MAX_NODES))
            rows[-1].append(f"{process_time() - started:.2f}")
    return table(["seconds for 10 MB of", *names], rows)


def main() -> None:
    parser = command(__doc__)
    parser.add_argument("what", nargs="?", choices=["growth", "budget"], default="growth")
    parser.add_argument("--extractors", nargs="+", default=extractor_names(), metavar="NAME")
    parser.add_argument("--draw", type=int, default=0, help="number of the choices (default: 0)")
    parser.add_argument("--shapes", nargs="+", default=list(SHAPES), metavar="NAME")
    parser.add_argument("--processes", type=int, default=2, help="shapes at a time (default: 2)")
    options = parser.parse_args()
    if options.what == "budget":
        print(budget(options.extractors))
    elif too_fast := grows_too_fast(options.shapes, options.draw, options.processes):
        sys.exit("\n".join(f"{step}, {shape}: {value:.2f}" for value, step, shape in too_fast))


if __name__ == "__main__":
    main()
