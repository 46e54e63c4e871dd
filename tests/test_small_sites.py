"""Small sites of many kinds: what is an article's own stays, whatever its site repeats."""

from __future__ import annotations

import gzip
import json
import random
import re
from collections.abc import Callable
from itertools import product
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from test_site_guards import paragraphs

from scrapy_boilerplate import Page, get_extractor
from scrapy_boilerplate.core.answer.metadata.authors import names_in_byline
from scrapy_boilerplate.core.answer.metadata.dates import find_date
from scrapy_boilerplate.learn import SiteLearner, SiteModel

LEARNED = (3, 12)
SIGNS = ("✓", "–", "==", "(?:…)", "<", "*")
GERMAN = (
    "Der Hafen von {} wurde im Jahr {} gegraben, weil die Fischer einen sicheren Platz brauchten.",
    "Niemand weiß, warum die Lampe am Tor {} in jeder Nacht des Jahres {} brannte.",
    "Ein Sturm zerbrach die Mauer bei {} und nahm {} Netze mit, die man erst viel später fand.",
)
MENU = "<ul class=menu><li><a href=/>Home</a><li><a href=/n>News</a><li><a href=/a>About</a></ul>"
FOOT = (
    "<div class=foot><p>© The Harbour Post. All rights reserved by the people of the coast.</div>"
)
MORE = "<div class=more><h3>Most read</h3><ul>{}</ul></div>".format(
    "".join(f"<li><a href=/{n}>The wall near gate {n} broke again</a>" for n in range(5))
)


def said(number: int, language: str = "en") -> list[str]:
    """Return paragraphs that no other page has."""
    if language == "en":
        return paragraphs(number, 4)
    return [
        " ".join(each.format(f"Name{number}{part}", 1000 + 17 * number + part) for each in GERMAN)
        for part in range(4)
    ]


def text(number: int, language: str = "en") -> str:
    return "".join(f"<p>{each}</p>" for each in said(number, language))


def code(number: int) -> str:
    lines = "\n".join(f"let gate{number}{n} = open(harbour[{n}])" for n in range(5))
    return f"<pre><code>import harbour\n{lines}\nharbour.close()</code></pre>"


def signs(number: int) -> str:
    rows = "".join(f"<tr><td>{sign}<td>Gate {number} has sense {sign} here" for sign in SIGNS)
    return f"<table><tr><th>Sign<th>Sense{rows}</table>"


def steps(number: int) -> str:
    own = [f"Open gate {number} of the harbour with key {n}" for n in range(3)]
    shared = ["Install the package first", "Then restart the machine", "Read what it says"]
    return f"<ol>{''.join(f'<li>{each}</li>' for each in own + shared)}</ol>"


PARTS: dict[str, Callable[[int], str]] = {
    "a by-line of one author": lambda number: (
        f"<p class=by>By Ann Reed, {1 + number % 28} May 2020"
    ),
    "the same by-line": lambda number: "<p class=by>By Ann Reed</p>",
    "code": code,
    "signs": signs,
    "steps": steps,
    "a series": lambda number: f"<h2>Stories of the harbour, part {number}</h2>",
}
"""Parts of an article that repeat on other pages in whole or in part."""

FRAMES: dict[str, str] = {
    "blog": "{menu}<div class=post><h1>{title}</h1>{part}<div class=entry>{text}</div></div>{more}"
    "{foot}",
    "manual": "<div class=side>{menu}</div><div role=main><h1>{title}</h1>{text}{part}</div>{foot}",
    "shop": "{menu}<div class=product><h1>{title}</h1><p class=price>{number} €</p>"
    "<div class=about>{part}{text}</div></div>{more}{foot}",
    "table": "<table><tr><td>{menu}<td><h1>{title}</h1>{text}{part}<td>{more}</table>{foot}",
    "bare": "<h1>{title}</h1>{part}{text}{menu}{foot}",
}
"""Templates of pages; the last one has no container of its own."""


def page(frame: str, number: int, part: str, language: str = "en") -> Page:
    title = f"How the harbour of Name{number} came to be"
    own = {"title": title, "number": number, "part": PARTS[part](number)}
    body = FRAMES[frame].format(**own, text=text(number, language), menu=MENU, more=MORE, foot=FOOT)
    url = f"https://a.example/{frame}/{number}"
    return Page.parse(f"<title>{title} | The Harbour Post</title>{body}", url=url)


def learn(method: str, pages: list[Page]) -> SiteModel:
    extractor, learner = get_extractor(method), SiteLearner()
    for each in pages:
        learner.observe(each, extractor.extract(each))
    return learner.model("a.example") or SiteModel("a.example")


def lost(method: str, pages: list[Page], asked: Page) -> list[str]:
    """Return the lines of the single page's answer that are not in the learned one."""
    extractor = get_extractor(method)
    alone, answer = extractor.extract(asked), learn(method, pages).apply(asked, extractor)
    left = answer.text.splitlines()
    return [line for line in alone.text.splitlines() if line.strip() and line not in left]


def is_around(line: str) -> bool:
    """Return whether a line belongs to the site, not to an article."""
    return any(each in line for each in ("rights reserved", "broke again", "Most read")) or (
        line.strip() in {"Home", "News", "About"}
    )


@pytest.mark.parametrize(("frame", "part"), [*product(FRAMES, PARTS)])
def test_small_sites_lose_nothing_of_their_articles(frame: str, part: str) -> None:
    for method, known in product(("auto", "mss-tuned"), LEARNED):
        pages = [page(frame, number, part) for number in range(known)]
        gone = lost(method, pages, page(frame, 50, part))
        assert [line for line in gone if not is_around(line)] == [], (method, known)


@pytest.mark.parametrize("part", PARTS)
def test_two_templates_and_two_languages_lose_nothing(part: str) -> None:
    """Pages of a blog in English stand between those of a manual in German."""
    for first, second in (("blog", "manual"), ("shop", "table")):
        pages = [
            page(second if number % 2 else first, number, part, "de" if number % 2 else "en")
            for number in range(16)
        ]
        for number, frame in ((50, first), (51, second)):
            asked = page(frame, number, part, "de" if number % 2 else "en")
            gone = lost("auto", pages, asked)
            assert [line for line in gone if not is_around(line)] == [], (frame, number)


# -- sites of the development data, mutated ----------------------------------------------------

BYLINE = "<p>By Ann Reed, 4 May 2025</p>"
MUTATIONS: dict[str, Callable[[str, str], str]] = {
    "as it is": lambda html, other: html,
    "by-line": lambda html, other: re.sub(r"(?i)</h1>", lambda end: end[0] + BYLINE, html),
    "quote": lambda html, other: re.sub(r"(?i)</h1>", lambda end: f"{end[0]}<p>{other}", html),
    "no classes": lambda html, other: re.sub(r'(?i)\sclass="[^"]*"', "", html),
    "signs": lambda html, other: re.sub(r"(?i)</h1>", lambda end: end[0] + signs(1), html),
}


@settings(max_examples=25)
@given(
    st.integers(0, 16),
    st.sampled_from([2, 3, 8]),
    st.sampled_from([*MUTATIONS]),
    st.sampled_from(["auto", "mss-tuned", "energy"]),
    st.integers(0, 99),
)
def test_no_real_site_takes_what_is_the_articles(
    shared_data: Path, site: int, known: int, mutation: str, method: str, seed: int
) -> None:
    folder = sorted((shared_data / "sites").glob("*/gold.jsonl"))[site].parent
    rows = list(map(json.loads, (folder / "gold.jsonl").read_text("utf-8").splitlines()))
    rows = random.Random(seed).sample([row for row in rows if row["kind"] == "article"], known + 1)
    extractor, other = get_extractor(method), rows[0]["text"][:300]
    pages: list[Page] = []
    for row in rows:
        html = gzip.decompress((folder / row["file"]).read_bytes()).decode("utf-8", "replace")
        url = f"https://a.example/{len(pages)}"
        pages.append(Page.parse(MUTATIONS[mutation](html, other), url=url))
    *taught, asked = pages
    alone, answer = extractor.extract(asked), learn(method, taught).apply(asked, extractor)
    before, after = (
        list(filter(None, map(str.strip, each.text.splitlines()))) for each in (alone, answer)
    )
    if not before or not after:
        assert not before or (alone.confidence or 0) < 0.9 or not alone.is_one_text
        return
    if before[0] in asked.title and len(before[0]) > 20:
        assert before[0] in answer.text  # (a)
    known_lines = {
        line.strip() for each in taught for line in extractor.extract(each).text.splitlines()
    }
    if (alone.confidence or 0) >= 0.9 and 2 * len(answer.text) < len(alone.text):
        assert set(before) - set(after) <= known_lines  # (b)
    lines = {line for line in {*before, *after} if len(line.split()) <= 12}
    lines = {line for line in lines if "//" not in line}  # an address is no by-line
    by = {line for line in lines if find_date(line) or names_in_byline(line)}
    # (f); of other methods' answers, which hold menus and comments, other blocks end elsewhere.
    assert by & set(before) == by & set(after) or method != "auto"
    assert not [
        each.text
        for each in answer.explain()
        if "repeats" in each.reason and each.rule == "site" and not re.search(r"\w", each.text)
    ]  # (d)
