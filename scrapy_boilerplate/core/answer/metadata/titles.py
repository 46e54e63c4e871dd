"""The title of a page: the texts that may be it, and a linear model that chooses among them."""

from __future__ import annotations

import html
import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from importlib.resources import files
from math import log1p
from typing import Literal, NamedTuple, TypeAlias
from urllib.parse import unquote, urlsplit

import numpy as np

from scrapy_boilerplate.core.answer.metadata.declared import (
    Declared,
    Group,
    Subject,
    site_names,
    words_of,
)
from scrapy_boilerplate.core.page import Page

MOST_HEADINGS = 5
"""Headings of each level that may be the title."""


def page_title(page: Page, declared: Declared, subject: Subject) -> tuple[str, str]:
    """Return the title of a page and where it stands; empty texts without one."""
    titles, around = title_evidence(page, declared, subject)
    return choose_title(titles, around)


def title_evidence(
    page: Page, declared: Declared, subject: Subject
) -> tuple[Titles, TitleSurroundings]:
    """Return what stands where titles stand, and what it is compared with."""
    main, of_page = subject.main, subject.page
    titles = Titles(
        document=html.unescape(page.title),
        open_graph=declared.meta("og:title"),
        twitter=declared.meta("twitter:title"),
        headline=html.unescape(main.text("headline", "name", "title")) if main else "",
        named=html.unescape(of_page.text("name", "headline")) if of_page else "",
        headings=_headings(page, "h1")[:MOST_HEADINGS],
        second=_headings(page, "h2")[:3],
    )
    is_article = subject.group == "article" or declared.meta("og:type").lower() == "article"
    around = surroundings(
        titles,
        declared.url,
        site_names(declared, subject),
        subject.group,
        is_article=is_article,
    )
    return titles, around


def _headings(page: Page, tag: str) -> tuple[str, ...]:
    elements = np.flatnonzero(page.has_tag((tag,)))[: 2 * MOST_HEADINGS].tolist()
    texts = (
        " ".join(page.lay_out(int(page.first_text[each]), int(page.last_text[each])).split())
        for each in elements
    )
    return tuple(html.unescape(text) for text in texts if text)


def title_text(page: Page, title: str) -> int:
    """Return the text node that the title begins with on the page; −1 if it is not there.

    Headings are tried first, then the other blocks of the first half of the page.
    """
    words = words_of(title)
    headings = page.has_tag(("h1", "h2", "h3")) & (page.last_text > page.first_text)
    first = -1
    for element in np.flatnonzero(headings)[: 4 * MOST_HEADINGS].tolist():
        start, stop = int(page.first_text[element]), int(page.last_text[element])
        if words_of(page.lay_out(start, stop)) == words:
            return start
        if first < 0 and page.names[page.tag[element]] == "h1":
            first = start
    return first


# -- the texts that may be the title --------------------------------------------------------------

MOST_PARTS = 6
"""Parts of a title that are told apart; later ones stay together."""
LONGEST = 400
"""Characters of a title."""

Place: TypeAlias = Literal["whole", "start", "middle", "end"]
"""Which part of a declared title a candidate is."""

_SEPARATOR = re.compile(r"\s+[|–—\-·•:»«/\\~›>⋅∙¦‹<]+\s+|\s*[|•»¦]\s*|:\s+|\s+[-–—](?=\w)")


@dataclass(frozen=True, slots=True)
class Titles:
    """Texts at the places of titles; empty where there is none."""

    document: str = ""
    """The ``title`` element."""
    open_graph: str = ""
    twitter: str = ""
    headline: str = ""
    """Title of the subject in structured data."""
    named: str = ""
    """Name of the page in structured data."""
    headings: tuple[str, ...] = ()
    """The first headings of the first level …"""
    second: tuple[str, ...] = ()
    """… and of the second."""


@dataclass(slots=True)
class TitleCandidate:
    """A text that may be the title, and what speaks for it."""

    text: str
    words: tuple[str, ...]
    places: dict[str, Place] = field(default_factory=dict)
    """By source: ``h1`` (the first one), ``h1+`` (a later one), ``h2``, ``title``, ``og:title``,
    ``twitter:title``, ``headline``, ``name``."""
    rest: tuple[str, ...] = ()
    """Words around it in the title that it was cut from …"""
    cut: int = 0
    """… the number of their parts …"""
    separator: str = ""
    """… and what separates them."""


class _Part(NamedTuple):
    place: Place
    text: str
    words: tuple[str, ...]
    rest: tuple[str, ...] = ()
    cut: int = 0
    separator: str = ""


def candidates(titles: Titles) -> list[TitleCandidate]:
    """Return the texts that may be the title; the same words in several places are one.

    >>> found = candidates(Titles(document="A title - My site", headings=("A title",)))
    >>> [(each.text, each.places) for each in found][0]
    ('A title', {'h1': 'whole', 'title': 'start'})
    """
    found: dict[tuple[str, ...], TitleCandidate] = {}
    for source, part in _parts(titles):
        if not part.words or len(part.text) > LONGEST:
            continue
        candidate = found.setdefault(part.words, TitleCandidate(part.text, part.words))
        candidate.places.setdefault(source, part.place)
        if part.cut and not candidate.cut:
            candidate.rest, candidate.cut = part.rest, part.cut
            candidate.separator = part.separator
    return list(found.values())


def _parts(titles: Titles) -> Iterator[tuple[str, _Part]]:
    for number, text in enumerate(titles.headings):
        yield "h1+" if number else "h1", _Part("whole", text, words_of(text))
    declared = {
        "headline": titles.headline,
        "name": titles.named,
        "og:title": titles.open_graph,
        "title": titles.document,
        "twitter:title": titles.twitter,
    }
    for source, text in declared.items():
        for part in _cut(text):
            yield source, part
    for text in titles.second:
        yield "h2", _Part("whole", text, words_of(text))


def _cut(text: str) -> Iterator[_Part]:
    """Yield a title, and every run of its parts between separators."""
    whole = words_of(text)
    yield _Part("whole", text, whole)
    marks = list(_SEPARATOR.finditer(text[:LONGEST]))[: MOST_PARTS - 1]
    starts = [0, *(mark.end() for mark in marks)]
    ends = [*(mark.start() for mark in marks), len(text)]
    last_part = len(marks)
    for first, start in enumerate(starts):
        before = words_of(text[:start])
        for last in range(first, len(ends)):
            if first == 0 and last == last_part:
                continue
            part = text[start : ends[last]].strip()
            words = words_of(part)
            yield _Part(
                "start" if first == 0 else "end" if last == last_part else "middle",
                part,
                words,
                (*before, *whole[len(before) + len(words) :]),
                last_part - (last - first),
                marks[last if last < last_part else first - 1].group().strip(),
            )


# -- the choice ------------------------------------------------------------------------------------

_SEPARATORS = "|-–—:"


@dataclass(frozen=True, slots=True)
class TitleSurroundings:
    """The texts that candidates for the title are compared with."""

    document: frozenset[str]
    """Words of the ``title`` element …"""
    heading: frozenset[str]
    """… of the first heading …"""
    address: frozenset[str]
    """… of the path of the address …"""
    last: frozenset[str]
    """… and of its last part."""
    sites: frozenset[str]
    """Names of the site, without white space."""
    host: str
    """The host without dots."""
    is_home: bool
    """Whether the address has no path."""
    group: Group
    is_article: bool
    headings: int
    """Number of headings of the first level."""


def surroundings(
    titles: Titles, url: str, sites: Collection[str], group: Group, *, is_article: bool
) -> TitleSurroundings:
    """Return what the titles of a page are compared with; *sites* are names of its site."""
    try:
        parts = urlsplit(url)
        host, path = (parts.hostname or "").removeprefix("www."), unquote(parts.path)
    except ValueError:  # such as a bracket that is not closed
        host, path = "", ""
    segments = [segment for segment in path.split("/") if segment]
    joined = ("".join(words_of(name)) for name in sites)
    return TitleSurroundings(
        document=frozenset(words_of(titles.document)),
        heading=frozenset(words_of(titles.headings[0])) if titles.headings else frozenset(),
        address=frozenset(_slug_words(path)),
        last=frozenset(_slug_words(segments[-1].rpartition(".")[0] or segments[-1]))
        if segments
        else frozenset(),
        sites=frozenset(name for name in joined if name),
        host=host.replace(".", "").replace("-", "").casefold(),
        is_home=not segments,
        group=group,
        is_article=is_article,
        headings=len(titles.headings),
    )


def _slug_words(path: str) -> tuple[str, ...]:
    return words_of(path.replace("_", " ").replace("-", " ").replace("/", " "))


def choose_title(titles: Titles, around: TitleSurroundings) -> tuple[str, str]:
    """Return the title and where it stands; empty texts for a page without any.

    >>> titles = Titles(document="A title - My site", headings=("A title",))
    >>> choose_title(titles, surroundings(titles, "", ["My site"], "other", is_article=False))
    ('A title', 'h1')
    """
    found = candidates(titles)
    if not found:
        return "", ""
    best = max(found, key=lambda each: score(each, around))
    return best.text, next(iter(best.places))


@lru_cache(maxsize=1)
def weights() -> Mapping[str, float]:
    """Return the weight of each feature, as ``python -m training.titles`` fitted them."""
    file = files("scrapy_boilerplate.core").joinpath("models/titles.npz")
    with file.open("rb") as opened, np.load(opened, allow_pickle=False) as arrays:
        return dict(zip(arrays["names"].tolist(), arrays["weights"].tolist(), strict=True))


def score(candidate: TitleCandidate, around: TitleSurroundings) -> float:
    """Return how much speaks for a text as the title."""
    weight = weights()
    return sum(weight.get(name, 0.0) * value for name, value in features(candidate, around))


def features(candidate: TitleCandidate, around: TitleSurroundings) -> list[tuple[str, float]]:
    """Return what is known of a text that may be the title, by name; what is missing is 0."""
    words = frozenset(candidate.words)
    return [
        *((f"{source} {place}", 1.0) for source, place in candidate.places.items()),
        ("places", float(len(candidate.places))),
        ("whole places", float(sum(place == "whole" for place in candidate.places.values()))),
        *_of_heading(candidate, around),
        *_of_site(candidate, around),
        ("log words", log1p(len(candidate.words))),
        (f"{len(candidate.words)} words" if len(candidate.words) < 4 else "words", 1.0),
        ("many words", float(len(candidate.words) > 14)),
        ("of it in title", _share(words, around.document)),
        ("of title in it", _share(around.document, words)),
        ("of it in h1", _share(words, around.heading)),
        ("of h1 in it", _share(around.heading, words)),
        ("of it in address", _share(words, around.address)),
        ("of address in it", _share(around.address, words)),
        ("of it in last part", _share(words, around.last)),
        ("of last part in it", _share(around.last, words)),
        ("parts cut", float(candidate.cut)),
        ("log words cut", log1p(len(candidate.rest))),
        (f"cut at {candidate.separator}" if candidate.separator in _SEPARATORS else "cut", 1.0),
    ]


def _of_heading(candidate: TitleCandidate, around: TitleSurroundings) -> list[tuple[str, float]]:
    if "h1" not in candidate.places:
        return []
    return [
        ("h1 alone", float(around.headings == 1)),
        ("h1 in title", _share(around.heading, around.document)),
        ("title in h1", _share(around.document, around.heading)),
        ("h1 in address", _share(around.heading, around.address)),
        ("h1 of article", float(around.is_article)),
        (f"h1 of {around.group}", 1.0),
    ]


def _of_site(candidate: TitleCandidate, around: TitleSurroundings) -> list[tuple[str, float]]:
    joined, rest = "".join(candidate.words), "".join(candidate.rest)
    is_site = joined in around.sites or joined in around.host
    found = [
        ("site at home" if around.is_home else "site elsewhere", float(is_site)),
        ("whole at home", float(around.is_home and candidate.places.get("title") == "whole")),
        ("holds site", float(any(name in joined for name in around.sites))),
    ]
    if rest:
        is_named = any(name in rest for name in around.sites)
        is_host = len(rest) > 2 and rest in around.host
        found += [
            ("cut site", float(is_named)),
            ("cut host", float(is_host)),
            ("cut only site", float(rest in around.sites)),
            ("cut only site at :", float(rest in around.sites and candidate.separator == ":")),
            ("home after cut", float(around.is_home and is_named)),
            ("cut what is not known", float(not (is_named or is_host))),
        ]
    return found


def _share(words: frozenset[str], others: frozenset[str]) -> float:
    return len(words & others) / len(words) if words else 0.0
