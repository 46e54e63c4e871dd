"""Finds authors and dates that a reader sees: by-lines, ``time`` elements, lines near the title."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cached_property, reduce
from itertools import islice
from operator import or_
from typing import Any

import numpy as np
from lxml import etree
from numpy.typing import NDArray

from scrapy_boilerplate.core.answer.metadata.dates import find_date
from scrapy_boilerplate.core.answer.metadata.microdata import text_inside
from scrapy_boilerplate.core.caching import remember
from scrapy_boilerplate.core.page import Page, cumulative
from scrapy_boilerplate.core.page.lenient import attribute_of

MOST_WORDS = 40
"""Words of an element that may be a by-line."""
MOST_FOUND = 12
"""Elements of each kind that are read."""
NEAR, NEAR_DATES = 20, 80
"""Blocks after the title that may name its author, and its date."""
LONGEST_NAME = 80
"""Characters."""

_AUTHOR = re.compile(
    r"(?:.*[_-])?(?:(?:post|entry|article)?-?author(?:s|-?name)?|by-?line\w*|writer|"
    r"contributors?|posted-?by|poster|user-?name|creator)(?:[_-].*)?",
    re.IGNORECASE,
)
_NOT_AUTHOR = re.compile(
    r"bio|about|avatar|image|img|photo|pic|social|comment|related|box|desc|icon|role|title|"
    r"follow|count|share|form|login|popup|modal|menu|footer|sidebar|widget|search|nav",
    re.IGNORECASE,
)
_DATE = re.compile(
    r"(?:.*[_-])?(?:(?:post|entry|article|publish|pub|publication)?-?date(?:s|time|line)?|time|"
    r"timestamp|(?:date-?)?publish(?:ed)?(?:-?at)?|posted(?:-?on)?|updated|created|byline|"
    r"(?:post-?|article-?|entry-?)?meta)(?:[_-].*)?",
    re.IGNORECASE,
)
_EITHER = re.compile(
    "auth|by-?line|writer|contrib|poste|user|creator|date|time|publish|created|meta"
)
_IS_AUTHOR, _IS_NOT_AUTHOR, _IS_DATE = 1, 2, 4
_LONGEST_CLASS = 300

_CHANGED = re.compile(r"updated|modified|edited|revised|aktualisiert|mis à jour", re.IGNORECASE)
_BY = re.compile(
    r"\W*(?i:(?:(?:written|posted|reviewed|story|words|article|published)\s+)?by)\b:?\s+"
    r"(?=[A-Z\u00c0-\u024f])"
)
_WRITTEN_BY = re.compile(
    r"\b[WPAwpa](?:ritten|osted|ublished|uthored)\s+[Bb]y:?\s+(?=[A-Z\u00c0-\u024f])"
)
_AFTER_DATE = re.compile(r"[\w.,\s]{6,20}\s*[·•|–—]\s*(?=[A-Z\u00c0-\u024f])")
_BY_RELATION = etree.XPath("descendant::a[contains(@rel, 'author')]")
_YEAR = re.compile(r"(?:19|20)\d\d")


class Visible:
    """The lines of a page that may name its author or its date, those to be trusted most first."""

    def __init__(self, page: Page, title: int) -> None:
        self._page = page
        self._title = title
        """Index of the text node that the title begins with; −1 if it is not on the page."""

    def authors(self) -> Iterator[tuple[str, str]]:
        """Yield the source and the text of what may name the author."""
        page = self._page
        for node in _BY_RELATION(page.root)[:MOST_FOUND]:
            yield "rel=author", text_inside(node)
        for element in self._elements(_IS_AUTHOR, _IS_NOT_AUTHOR):
            yield "class", self._text(element)
        for text in self._near(NEAR):
            if _BY.match(text):
                yield "by-line", text
            elif (match := _AFTER_DATE.match(text)) and find_date(match.group()):
                yield "by-line", text[match.end() :]
        for match in islice(_WRITTEN_BY.finditer(page.buffer), MOST_FOUND):
            yield "by-line", page.buffer[match.end() : match.end() + LONGEST_NAME]

    def dates(self) -> Iterator[tuple[str, str, bool]]:
        """Yield the source and the text of what may hold the date, and whether of a change."""
        for node in islice(self._page.root.iter("{*}time"), MOST_FOUND):
            named = (attribute_of(node, name) or "" for name in ("class", "itemprop"))
            is_change = bool(_CHANGED.search(" ".join((*named, _before(node)))))
            yield "time", attribute_of(node, "datetime") or text_inside(node), is_change
        for element in self._elements(_IS_DATE, 0):
            text = self._text(element)
            yield "class", text, bool(_CHANGED.search(text))
        for text in self._near(NEAR_DATES, _YEAR):
            yield "text", text, bool(_CHANGED.search(text))

    @cached_property
    def _words(self) -> NDArray[np.int64]:
        return cumulative(self._page.words)

    @cached_property
    def _roles(self) -> NDArray[np.int64]:
        """The role of each element by its class or id."""
        names = [name.lower() for name in self._page.strings]
        roles = np.zeros(len(names), dtype=np.int64)
        ends = np.cumsum([len(name) + 1 for name in names])
        places = [match.start() for match in _EITHER.finditer("\n".join(names))]
        for number in np.unique(np.searchsorted(ends, places, side="right")).tolist():
            roles[number] = _roles_of(names[number])
        return roles

    def _elements(self, wanted: int, unwanted: int) -> list[int]:
        """Return short elements whose class or id says so, those after the title first."""
        page = self._page
        named = (self._roles & (wanted | unwanted)) == wanted
        found = np.flatnonzero(named[page.class_id] | named[page.id_id])
        sizes = self._words[page.last_text[found]] - self._words[page.first_text[found]]
        found = found[(sizes > 0) & (sizes <= MOST_WORDS)]
        after = page.first_text[found] > self._title
        return [*found[after][:MOST_FOUND].tolist(), *found[~after][-MOST_FOUND:].tolist()]

    def _text(self, element: int) -> str:
        page = self._page
        return page.lay_out(int(page.first_text[element]), int(page.last_text[element]))

    def _near(self, number: int, wanted: re.Pattern[str] | None = None) -> Iterator[str]:
        """Yield the short blocks around the title, those with something wanted in them."""
        page = self._page
        at = int(np.searchsorted(page.blocks[:, 0], self._title, side="right")) - 1
        after = range(at + 1, min(at + 1 + number, len(page.blocks)))
        for block in (*after, *range(at - 1, max(at - 4, -1), -1)):
            start, stop = page.blocks[block].tolist()
            if self._words[stop] - self._words[start] > MOST_WORDS:
                continue
            ends = int(page.text_start[start]), int(page.text_stop[stop - 1])
            if wanted is None or wanted.search(page.buffer, *ends):
                yield " ".join(page.lay_out(start, stop).split())


def _roles_of(name: str) -> int:
    """Return what a class or id says of its element."""
    if len(name) > _LONGEST_CLASS:
        return 0
    return reduce(or_, map(_roles_of_token, name.split()), 0)


@remember(1 << 22)
def _roles_of_token(token: str) -> int:
    return (
        _IS_AUTHOR * bool(_AUTHOR.fullmatch(token))
        + _IS_NOT_AUTHOR * bool(_NOT_AUTHOR.search(token))
        + _IS_DATE * bool(_DATE.fullmatch(token))
    )


def _before(node: Any) -> str:
    """Return the end of the text right before a node in its parent."""
    beside = node.getprevious()
    try:
        parent = node.getparent()
        text = beside.tail if beside is not None else parent.text if parent is not None else ""
    except UnicodeDecodeError:  # a lone surrogate
        text = ""
    return (text or "")[-40:]
