"""Where the comments or posts of a page are: elements of one make, each with author and date.

Four kinds of evidence: names of classes and ids, numbers in ids, a date and an author in each unit,
and structured data. None of them is enough alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from scrapy_boilerplate.page import Page, cumulative

__all__ = ["AUTHOR_NAMES", "Marks", "Units", "find_units", "marks_of"]

Bool = NDArray[np.bool_]
Int = NDArray[np.int64]

_IN_CONTAINER = "item of comments"
LEAST_NUMBERED = 0.25
"""Share of units with a date or an author, where numbers tell them apart."""
LEAST_TEXT = 2
"""Words of a unit on average."""
LEAST_DATED = 0.5
"""Share of units with a date or an author, where names tell what they are …"""
LEAST_WITHOUT_NAMES = 0.8
"""… and where they do not."""
SHORT = 25
"""Words of a text node that may hold a date, and of an element that may name an author."""

_DATE = re.compile(
    r"\b(?:19|20)\d\d\b|\b\d{1,2}:\d\d\b|\b\d{1,2}[/.]\d{1,2}[/.]\d\d\b|\b(?:\d+|an?)\s?"
    r"(?:s|m|h|d|w|mo|y|sec(?:ond)?|min(?:ute)?|hr|hour|day|week|month|year|yr)s?\.?\s(?:ago|old)\b|"
    r"\byesterday\b|\bjust now\b|\btoday\b|\b\d{1,2}\s?(?:mo|y|d|h|w)\b|"
    r"\b(?:jan|feb|mar|apr|may|june?|july?|aug|sept?|oct|nov|dec)[a-z]*\.?\s\d{1,2}\b",
    re.IGNORECASE,
)
AUTHOR_NAMES = re.compile(
    r"(?:\A|[\s_-])(?:\w*author\w*|user-?\w*|\w*username|poster\w*|nick\w*|fn|name|by-?line|member\w*|"
    r"commenter\w*|creator|profile\w*|hnuser|person-listing|display-?name|handle)(?:\Z|[\s_-])",
    re.IGNORECASE,
)
_COMMENT = re.compile(r"comment|cmt|reply|replies|respon(?:d|ses?\b)|disqus|dsq", re.IGNORECASE)
_POST = re.compile(
    r"post|message|msg|answer|question|topic|thread|athing|windowbg|forum|discussion",
    re.IGNORECASE,
)
_PART = re.compile(
    r"list|author|meta|date|time|form|count|link|button|btn|header|head|footer|foot|avatar|title|tool|"
    r"action|control|vote|score|user|profile|number|permalink|signature|menu|nav|tag|share|related|"
    r"structitem|suggest|similar|recommend|trending|info|details|icon|image|img|name|count|policy|notice|respond\b|reply-|attach|edit|rating",
    re.IGNORECASE,
)
_CONTAINER = re.compile(
    r"(?:\A|[\s_-])(?:(?:all|the|post|blog\d*_)?[_-]?comments?(?:[_-]?(?:list|block|container|content|displayed|area|section|"
    r"wrap|wrapper|thread|holder|inner|template))?|commentlist|responses|replies|respond_list)(?:\Z|\s)",
    re.IGNORECASE,
)
_VARIES = re.compile(
    r"\A(?:even|odd|alt|first|last|new|hidden|active|by\w*|comment-author-.*|user-.*|has-.*|is-.*|"
    r"depth-?.*|thread-(?:even|odd|alt).*|t\d.*|highlander.*|.*-(?:even|odd|alt)|status-.*|"
    r"type-.*|category-.*|tag-.*|format-.*|hentry|collapsed|expanded|unread|js-.*|.*_even|.*_odd|"
    r"windowbg2?|bg[12]|online|offline|staff|moderator|admin|op|.*\d.*)\Z",
    re.IGNORECASE,
)
_NUMBERED = re.compile(r"\A(.*?)[-_:]?\d{1,}[-_\da-f]*\Z|\A(.*?[-_])[\da-f]{10,}\Z", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Marks:
    """Where dates and authors stand on a page."""

    dated: Bool
    """Whether each text node holds a date and little else."""
    names_author: Bool
    """Whether each element is named like an author."""


@dataclass(frozen=True, slots=True)
class Units:
    """Comments or posts, in document order."""

    elements: Int
    """The element of each unit."""
    starts: Int
    """First text node of each unit."""
    stops: Int
    """After the last text node of each unit; a unit may hold others."""
    name: str
    """What their elements have in common in class or id."""

    @property
    def is_comment(self) -> bool:
        """Whether they are named like comments rather than posts."""
        return bool(_COMMENT.search(self.name))


def marks_of(page: Page) -> Marks:
    """Return where dates and authors stand on *page*."""
    dated = np.zeros(page.text_at.size, dtype=bool)
    places = [match.start() for match in _DATE.finditer(page.buffer)]
    nodes = np.searchsorted(page.text_stop, places, side="right")
    dated[nodes[nodes < dated.size]] = True
    dated &= page.words <= SHORT
    flags = np.array([_names_author(name) for name in page.strings], dtype=bool)
    words = cumulative(page.words)
    sizes = words[page.last_text] - words[page.first_text]
    named = (flags[page.class_id] | page.has_tag(("cite",))) & (sizes > 0) & (sizes <= SHORT)
    return Marks(dated, named)


@lru_cache(maxsize=4096)
def _names_author(name: str) -> bool:
    return bool(name) and len(name) < 200 and bool(AUTHOR_NAMES.search(name))


def find_units(page: Page, marks: Marks) -> Units | None:
    """Return the comments or posts of *page*; ``None`` if it has none."""
    best: tuple[float, Units] | None = None
    dates, authors = cumulative(marks.dated), cumulative(marks.names_author)
    words = cumulative(page.words)
    total = max(1, int(words[-1]))
    headings = cumulative(_in_linked_heading(page))
    for (name, numbered), elements in _groups(page):
        starts, stops = _spans(page, elements)
        sizes = words[stops] - words[starts]
        if sizes.mean() < LEAST_TEXT:
            continue
        has_date = (dates[stops] > dates[starts]).mean()
        has_author = (authors[page.end[elements]] > authors[elements]).mean()
        is_comment, is_post = bool(_COMMENT.search(name)), bool(_POST.search(name))
        named = is_comment or is_post
        least = LEAST_DATED if named else LEAST_WITHOUT_NAMES
        if is_comment and numbered and elements.size > 2:
            least = LEAST_NUMBERED
        if max(has_date, has_author) < least or not (numbered or elements.size > 1):
            continue
        if name == _IN_CONTAINER and has_date < LEAST_DATED:
            continue
        if not is_comment and not (
            elements.size >= (2 if is_post else 3)
            and min(has_date, has_author) >= LEAST_WITHOUT_NAMES
            and (headings[stops] > headings[starts]).mean() < 0.5
        ):
            continue
        share = _covered(starts, stops, words) / total
        score = (
            2.0 * named
            + 1.0 * numbered
            + has_date
            + has_author
            + 2.0 * share
            + 0.2 * np.log(elements.size)
        )
        if best is None or score > best[0] + 1e-9:
            best = score, Units(elements, starts, stops, name)
    return best[1] if best else None


def _in_linked_heading(page: Page) -> Bool:
    """Return for each text node whether it is a link in a heading, as in lists of articles."""
    inside: Bool = page.count_above(page.has_tag(("h1", "h2")))[page.text_parent] > 0
    return inside & page.in_link


def _covered(starts: Int, stops: Int, words: Int) -> float:
    """Return the words inside of units, those of nested ones once."""
    outer = np.maximum.accumulate(np.append(0, stops[:-1]))
    return float((words[np.maximum(stops, outer)] - words[np.maximum(starts, outer)]).sum())


def _groups(page: Page) -> Iterator[tuple[tuple[str, bool], Int]]:
    """Yield elements of one make, with their common name and whether their ids are numbered."""
    has_text = page.last_text > page.first_text
    makes = [_make(name) for name in page.strings]
    stems = [_stem(name) for name in page.strings]
    groups: dict[tuple[int, str, bool], list[int]] = {}
    candidates = np.flatnonzero(has_text & ((page.class_id > 0) | (page.id_id > 0)))
    for element in candidates.tolist():
        tag = int(page.tag[element])
        stem = stems[page.id_id[element]]
        make = makes[page.class_id[element]]
        if stem and (_COMMENT.search(stem) or _POST.search(stem) or len(stem) <= 2):
            groups.setdefault((tag, stem, True), []).append(element)
        if make:
            groups.setdefault((tag, make, False), []).append(element)
    for (_, name, numbered), elements in groups.items():
        yield (name, numbered), np.array(elements)
    for elements in _in_containers(page, has_text):
        yield (_IN_CONTAINER, False), elements


def _in_containers(page: Page, has_text: Bool) -> Iterator[Int]:
    """Yield the items of lists that a container of comments holds, one or two levels below it."""
    named = np.array([bool(name) and bool(_CONTAINER.search(name)) for name in page.strings])
    container = named[page.class_id] | named[page.id_id]
    parent = np.maximum(page.parent, 0)
    under = container[parent] | container[parent[parent]]
    for tag in ("li", "dt", "article", "div"):
        items = np.flatnonzero(under & has_text & page.has_tag((tag,)))
        if items.size:
            holder = page.parent[items]
            most = np.bincount(holder).argmax()
            yield items[holder == most]


@lru_cache(maxsize=8192)
def _make(name: str) -> str:
    """Return what elements of one make have in common in their class; empty if nothing fits."""
    tokens = [token for token in name.split()[:12] if not _VARIES.match(token)]
    units = [t for t in tokens if (_COMMENT.search(t) or _POST.search(t)) and not _PART.search(t)]
    if units:
        return units[0].lower()
    return "" if any(_PART.search(token) for token in tokens) else " ".join(tokens[:2]).lower()


@lru_cache(maxsize=8192)
def _stem(name: str) -> str:
    """Return what stands before the number in an id; empty without a number."""
    match = _NUMBERED.match(name) if len(name) < 100 else None
    stem = (match[1] if match[1] is not None else match[2]) if match else ""
    return "" if not stem or _PART.search(stem) else stem.lower()


def _spans(page: Page, elements: Int) -> tuple[Int, Int]:
    """Return the text nodes of units; a term of a list goes with its definitions."""
    starts = page.first_text[elements].astype(np.int64)
    stops = page.last_text[elements].astype(np.int64)
    if page.names[page.tag[elements[0]]] == "dt":
        parents = page.parent[elements]
        same = np.append(parents[1:] == parents[:-1], False)
        following = np.append(starts[1:], 0)
        stops = np.where(same, following, page.last_text[parents])
    return starts, stops
