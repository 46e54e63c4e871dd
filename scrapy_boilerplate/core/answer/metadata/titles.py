"""Collects the texts that may be the title."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Literal, NamedTuple, TypeAlias

MOST_PARTS = 6
"""Parts of a title that are told apart; later ones stay together."""
LONGEST = 400
"""Characters of a title."""

Place: TypeAlias = Literal["whole", "start", "middle", "end"]
"""Which part of a declared title a candidate is."""

_SEPARATOR = re.compile(
    r"\s+(?:[|–—\-·•:»«/\\~›>⋅∙¦‹<]|::|\|\||--)+\s+|\s*[|•»¦]\s*|:\s+|\s+[-–—](?=\w)"
)
_WORD = re.compile(r"\w+")


def words_of(text: str) -> tuple[str, ...]:
    """Return the words of a text in lower case: what tells titles apart.

    >>> words_of("It’s – “A Title”!")
    ('it', 's', 'a', 'title')
    """
    return tuple(_WORD.findall(unicodedata.normalize("NFKC", text[:LONGEST]).casefold()))


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
