"""The title of a page: the texts that may be it, and what is known of each."""

from __future__ import annotations

import html
import re
from collections.abc import Container, Iterator, Mapping, Set
from dataclasses import dataclass, field
from functools import lru_cache
from importlib.resources import files
from itertools import islice
from math import log1p
from typing import Literal, NamedTuple, TypeAlias
from urllib.parse import unquote
from zlib import crc32

import numpy as np

from scrapy_boilerplate.core.answer.metadata.choosing import TRUST, Candidate, Valued, choose
from scrapy_boilerplate.core.answer.metadata.declared import (
    MOST_HEADINGS,
    Declared,
    Heading,
    words_of,
)
from scrapy_boilerplate.core.page import Page
from scrapy_boilerplate.core.page.addresses import parts_of

_NO_TITLE = re.compile(
    r"\s*(?:untitled(?: document)?|index(?:\.[a-z]+)?|new page(?: \d+)?)\s*", re.I
)
MOST_H1, MOST_H2 = 5, 3  # headings that may be the title
_SIGNS = " \n\t▶►▸▷●■◆→¶"  # around a heading
MOST_PARTS = 6  # parts of a title that are told apart; later ones stay together
LONGEST_TITLE = 400  # characters of a title

Words: TypeAlias = frozenset[str]
Place: TypeAlias = Literal["whole", "start", "middle", "end"]
"""Which part of a declared title a candidate is."""

_SEPARATOR = re.compile(
    r"(?=[\s【|•»¦｜：:_-])(?:"  # one test for most characters
    r"\s*【(?=[^【】]+】\Z)|\s+[|–—\-·•:»«/\\~›>⋅∙¦‹<]+\s+|\s*[|•»¦｜：]\s*|:\s+|\s+[-–—](?=\w)|"
    r"(?<=[\u3000-\u9fff\uff00-\uff60)])[_-]+(?=[\u3000-\u9fff]))"
)


SITE_PART = -1.0  # weight of a text that stands in the titles of most pages of the site
UNFITTED = {
    "site part": SITE_PART,
    "slug": -4.0,
    "shared part": 2.0,
    "h2 of site": 6.0,
    "own block": 4.0,
    "h1 behind :": 1.0,
    "middle behind :": -1.0,
    "host": -1.0,
    "cut name of host": 0.5,
}
"""Weights of what pages by themselves, on which the others are fitted, rarely have: names of a
wiki's pages, such as ``old_harbour``, titles for sharing that are a part of the document's, and
headings of threads below that of the site, and parts that are a line of a page without headings."""


def page_title(page: Page, declared: Declared, site_parts: Container[int] = ()) -> Valued[str]:
    found = title_candidates(page, declared, site_parts)
    best, confidence = choose(found, weights(), TRUST["title"], least=float("-inf"))
    return (best.value, best.source, confidence) if best is not None else ("", "", 0.0)


def title_candidates(
    page: Page, declared: Declared, site_parts: Container[int] = ()
) -> list[Candidate]:
    """Return the texts that may be the title; the same words in several places are one."""
    texts = _texts(page, declared)
    found = _whole_and_parts(texts)
    if not any(_HEADINGS & each.places.keys() and "title" in each.places for each in found):
        for each in found:
            each.is_line = "title" in each.places and own_line(page, each.text) >= 0
    learned = {each.words for each in found if site_parts and _hash(each.words) in site_parts}
    around = _surroundings(texts, declared, learned)
    return [
        Candidate(each.text, next(iter(each.places)), _features(each, around)) for each in found
    ]


_HEADINGS = frozenset(("h1", "h1+", "h2"))
_SHORTEST_LINE, _SHORTEST_NAME = 8, 4
"""Characters of a line that is the title: names of sites and sections are shorter."""
_MOST_LINES, _REST_OF_BLOCK = 20, 200
"""Places that are looked at, and characters that may stand below in the same block."""


def own_line(page: Page, text: str) -> int:
    """Return the text node that begins a block that says just this in its first line, else −1."""
    if len(text) < _SHORTEST_LINE:
        return -1
    at = page.buffer.find(text)
    for _ in range(_MOST_LINES):
        if at < 0:
            break
        text_node = int(page.text_stop.searchsorted(at, side="right"))
        start, stop = page.blocks[page.block_of(text_node)].tolist()
        size = int(page.text_stop[stop - 1] - page.text_start[start])
        may_be = size <= 2 * len(text) + _REST_OF_BLOCK and not page.in_link[start]
        if may_be and page.lay_out(start, stop).lstrip().partition("\n")[0].rstrip() == text:
            return int(start)
        at = page.buffer.find(text, at + 1)
    return -1


def title_ends(title: str) -> tuple[int, ...]:
    """Return the hashes of what stands before the first separator and after the last one."""
    # On the pages of a site one of them is mostly the same: its name.
    marks = list(_SEPARATOR.finditer(title[:LONGEST_TITLE]))
    ends = [title[: marks[0].start()], title[marks[-1].end() :]] if marks else [title]
    return tuple(map(_hash, filter(None, map(words_of, ends))))


def _hash(words: tuple[str, ...]) -> int:
    return crc32(" ".join(words).encode("utf-8", "surrogatepass"))


def _texts(page: Page, declared: Declared) -> list[tuple[str, str]]:
    """Return what stands at the places of titles, with their names; some may be empty."""
    main, of_page = declared.subject.main, declared.subject.page
    headings = list(_headings(declared, "h1", MOST_H1))
    first = next((each for each in declared.headings if each.tag == "h1" and each.text), None)
    if first and first.stop > first.start + 1:
        headings[0] = _own_text(page, first) or headings[0]
    return [
        *(("h1+" if number else "h1", text) for number, text in enumerate(headings)),
        ("headline", html.unescape(main.text("headline", "name", "title")) if main else ""),
        ("name", html.unescape(of_page.text("name", "headline")) if of_page else ""),
        ("og:title", declared.meta("og:title")),
        ("title", "" if _NO_TITLE.fullmatch(page.title) else html.unescape(page.title)),
        ("twitter:title", declared.meta("twitter:title")),
        *((tag, text) for tag in ("h2", "h3") for text in _headings(declared, tag, MOST_H2)),
    ]


def _headings(declared: Declared, tag: str, most: int) -> Iterator[str]:
    own = (each.text.strip(_SIGNS) for each in declared.headings if each.tag == tag)
    texts = (" ".join(each.split()) for each in own)
    return islice(map(html.unescape, filter(None, texts)), most)


def _own_text(page: Page, heading: Heading) -> str:
    """Return the longest text in a heading that is a part of the document's title, if not all is.

    Others are subtitles, buttons and words for screen readers.
    """
    parts = {each.words: each.text for each in _cut(html.unescape(page.title))}
    if words_of(heading.text) in parts:
        return ""
    texts = (page.lay_out(at, at + 1) for at in range(heading.start, heading.stop))
    return max((parts.get(words_of(each), "") for each in texts), key=len)


def title_text(page: Page, declared: Declared, title: str) -> int:
    """Return the text node of a heading that says the title, else of the first `h1`, else −1."""
    words = words_of(title)
    headings = declared.headings[:MOST_HEADINGS]
    for each in headings:
        if words_of(each.text) == words:
            return each.start
    line = own_line(page, title)
    first = (each.start for each in headings if each.tag == "h1")
    return line if line >= 0 else next(first, -1)


# -- whole titles and their parts ------------------------------------------------------------------


class _Part(NamedTuple):
    place: Place
    text: str
    words: tuple[str, ...]
    rest: tuple[str, ...] = ()  # words around it in the title that it was cut from …
    cut: int = 0  # … the number of their parts …
    separator: str = ""  # … and what separates them
    before: str = ""  # what separates it from what comes before


@dataclass(slots=True)
class _Text:
    text: str
    words: tuple[str, ...]
    part: _Part  # how it was cut, if it was
    is_line: bool = False
    """Whether a line of the page says just this, and no heading says a part of the title."""
    places: dict[str, Place] = field(default_factory=dict)
    """By source: ``h1`` (the first one), ``h1+`` (a later one), ``h2``, ``title`` and others."""


def _whole_and_parts(texts: list[tuple[str, str]]) -> list[_Text]:
    found: dict[tuple[str, ...], _Text] = {}
    known_parts: dict[tuple[str, bool], list[_Part]] = {}
    for source, text in texts:
        is_heading = source[0] == "h" and source != "headline"
        parts = known_parts.get((text, is_heading))
        if parts is None:
            parts = [_Part("whole", text, words_of(text))] if is_heading else list(_cut(text))
            known_parts[text, is_heading] = parts
        for part in parts:
            if not part.words or len(part.text) > LONGEST_TITLE:
                continue
            known = found.get(part.words)
            if known is None:
                known = found[part.words] = _Text(part.text, part.words, part)
            elif known.text.isupper() > part.text.isupper():
                known.text = part.text  # as it is written, not set
            known.places.setdefault(source, part.place)
            if part.cut and not known.part.cut:
                known.part = part
    return list(found.values())


def _cut(text: str) -> Iterator[_Part]:
    """Yield a title, and every run of its parts between separators."""
    whole = words_of(text)
    yield _Part("whole", text, whole)
    marks = list(_SEPARATOR.finditer(text[:LONGEST_TITLE]))[: MOST_PARTS - 1]
    starts = [0, *(mark.end() for mark in marks)]
    ends = [*(mark.start() for mark in marks), len(text)]
    last_part = len(marks)
    for first, start in enumerate(starts if marks else ()):
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
                _like(marks[last if last < last_part else first - 1].group()),
                _like(marks[first - 1].group()) if first else "",
            )


_OF_BAR = str.maketrans(dict.fromkeys("·•⋅∙¦｜", "|"))


def _like(separator: str) -> str:
    """Return the separator that another one is like; " : " is not like ":"."""
    is_apart = separator.strip() == ":" != separator.rstrip()
    return "/" if is_apart else separator.strip().translate(_OF_BAR)


# -- what is known of each -------------------------------------------------------------------------

_SEPARATORS = "|-–—:"


class _Surroundings(NamedTuple):
    heading: frozenset[str]  # words of the first heading
    of_heading: dict[str, float]  # what is known of that
    compared: list[tuple[str, str, Words]]
    """Words of the document's title, the heading, the path of the address and its last part."""
    sites: frozenset[str]  # names of the site, without white space …
    learned: Set[tuple[str, ...]]  # … and the words of those among them that its other pages teach
    host: str  # the host without dots
    is_home: bool  # whether the address has no path


def _surroundings(
    texts: list[tuple[str, str]], declared: Declared, learned: Set[tuple[str, ...]]
) -> _Surroundings:
    parts = parts_of(declared.url)
    host, path = (parts.hostname or "").removeprefix("www."), unquote(parts.path)
    segments = [segment for segment in path.split("/") if segment]
    last = segments[-1].rpartition(".")[0] or segments[-1] if segments else ""
    names = (*map(words_of, declared.site_names), *learned)
    known, group = dict(reversed(texts)), declared.subject.group
    document = frozenset(words_of(known["title"].replace("_", " ")))
    heading = frozenset(words_of(known.get("h1", "")))
    address, ending = frozenset(_slug_words(path)), frozenset(_slug_words(last))
    is_article = group == "article" or declared.meta("og:type").lower() == "article"
    of_heading = {
        "h1 alone": sum(source in ("h1", "h1+") for source, _ in texts) == 1,
        "h1 in title": _share(heading, document),
        "title in h1": _share(document, heading),
        "h1 in address": _share(heading, address),
        "h1 of article": is_article + (group == "article"),
        **({} if group == "article" else {f"h1 of {group}": 1.0}),
    }
    shared = {"title": document, "h1": heading, "address": address, "last part": ending}
    return _Surroundings(
        heading=heading,
        of_heading=of_heading,
        compared=[
            (f"of it in {name}", f"of {name} in it", words)
            for name, words in shared.items()
            if words
        ],
        sites=frozenset(filter(None, map("".join, names))),
        learned=learned,
        host=host.replace(".", "").replace("-", "").casefold(),
        is_home=not (segments or parts.query),
    )


def _slug_words(path: str) -> tuple[str, ...]:
    return words_of(path.replace("_", " ").replace("-", " ").replace("/", " "))


@lru_cache(maxsize=1)
def weights() -> Mapping[str, float]:
    file = files("scrapy_boilerplate.core").joinpath("models/titles.npz")
    with file.open("rb") as opened, np.load(opened, allow_pickle=False) as arrays:
        fitted = dict(zip(arrays["names"].tolist(), arrays["weights"].tolist(), strict=True))
    return {**fitted, **UNFITTED}


def _features(candidate: _Text, around: _Surroundings) -> dict[str, float]:
    """Return what is known of a text that may be the title, by name; what is missing is 0."""
    places, part, words = candidate.places, candidate.part, frozenset(candidate.words)
    count, wholes = len(candidate.words), {name for name, at in places.items() if at == "whole"}
    found: dict[str, float] = {f"{source} {place}": 1.0 for source, place in places.items()}
    found["places"] = len(places)
    found["own block"] = candidate.is_line
    found["slug"] = "_" in candidate.text and " " not in candidate.text
    found["whole places"] = len(wholes)
    if places.get("title", "whole") != "whole":
        # Another place may have the whole of what is a part of the document's title.
        is_below_site = (
            around.heading <= frozenset(part.rest)
            if around.heading
            else "".join(part.rest) in around.sites
        )
        is_only_one = not around.heading or is_below_site or "h1" in wholes
        found["shared part"] = "og:title" in wholes and is_only_one
        is_post = "h3" in wholes and part.separator == ":" and places["title"] == "end"
        found["h2 of site"] = ("h2" in wholes or is_post) and is_below_site
    if not around.heading:
        found["middle behind :"] = part.place == "middle" and part.before == ":"
    if "h1" in places:
        found |= around.of_heading
        is_end = places["h1"] == "whole" and places.get("title") == "end" and part.separator == ":"
        found["h1 behind :"] = is_end and around.of_heading["h1 alone"]
    _add_of_site(found, candidate, around)
    found["log words"] = log1p(count)
    found[f"{count} words" if count < 4 else "words"] = 1.0
    found["many words"] = count > 14
    for of_it, in_it, others in around.compared:
        if common := len(words & others):
            found[of_it] = common / len(words)
            found[in_it] = common / len(others)
    found["parts cut"] = part.cut
    found["log words cut"] = log1p(len(part.rest))
    found[f"cut at {part.separator}" if part.separator in _SEPARATORS else "cut"] = 1.0
    return found


def _add_of_site(found: dict[str, float], candidate: _Text, around: _Surroundings) -> None:
    joined, rest = "".join(candidate.words), "".join(candidate.part.rest)
    sites, host, is_home = around.sites, around.host, around.is_home
    found["site at home" if is_home else "site elsewhere"] = joined in sites or joined in host
    found["whole at home"] = is_home and candidate.places.get("title") == "whole"
    found["holds site"] = any(name in joined for name in sites)
    found["site part"] = candidate.words in around.learned
    found["host"] = not is_home and _is_name_of(joined, host)
    if rest:
        is_named = any(name in rest for name in sites)
        found["cut site"] = is_named
        found["cut host"] = is_host = len(rest) > 2 and rest in host
        found["cut name of host"] = not (around.heading or sites) and _is_name_of(rest, host)
        found["cut only site"] = is_only = rest in sites
        found["cut only site at :"] = is_only and candidate.part.separator == ":"
        found["home after cut"] = is_home and is_named
        found["cut what is not known"] = not (is_named or is_host)


def _is_name_of(joined: str, host: str) -> bool:
    return len(joined) >= _SHORTEST_NAME and host.startswith(joined)


def _share(words: Words, others: Words) -> float:
    return len(words & others) / len(words) if words else 0.0
