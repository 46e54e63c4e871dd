"""Chooses the title among the texts that may be it: a linear model with few features."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from math import log1p
from urllib.parse import unquote, urlsplit

from scrapy_boilerplate.core.answer.metadata.subject import Group
from scrapy_boilerplate.core.answer.metadata.title_weights import WEIGHTS
from scrapy_boilerplate.core.answer.metadata.titles import (
    TitleCandidate,
    Titles,
    candidates,
    words_of,
)

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


def score(candidate: TitleCandidate, around: TitleSurroundings) -> float:
    """Return how much speaks for a text as the title."""
    return sum(WEIGHTS.get(name, 0.0) * value for name, value in features(candidate, around))


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
