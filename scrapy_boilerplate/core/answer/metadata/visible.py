"""Places where a reader sees who wrote a page, and when: by-lines, elements named so, ``time``."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cached_property, reduce
from operator import or_
from typing import Any

import numpy as np
from numpy.typing import NDArray

from scrapy_boilerplate.core.caching import remember
from scrapy_boilerplate.core.page import Page, cumulative
from scrapy_boilerplate.core.page.arrays import Bool

MOST_WORDS = 40
"""Words of an element that may be a by-line."""
MOST_FOUND = 12
"""Elements of each kind that are read."""

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
_COMMENTS = re.compile(
    r"(?:.*[_-])?(?:comments?(?:list|area)?|cmt|respond|responses|disqus|repl(?:y|ies))"
    r"(?!.*(?:open|closed|count|link|off|enabled))(?:[_-].*)?"
)
_ASIDE = re.compile(
    r"(?:.*[_-])?(?:side-?bar|aside|(?<!elementor-)widget|related|recommend\w*|popular|trending|latest|recent|"
    r"teasers?|promo|carousel|slider|most-?(?:read|viewed)|read-?next|newsletter|menu|"
    r"(?:post-?)?navigation|nav|pager|pagination|site-footer|page-footer|copyright)(?:[_-].*)?"
)
_EITHER = re.compile(
    "auth|by-?line|writer|contrib|poste|user|creator|date|time|publish|created|meta|"
    "comment|cmt|respon|disqus|repl|side|widget|relat|recom|popul|trend|late|recent|teaser|promo|"
    "carou|slider|most|next|newsl|menu|nav|pag|footer|copyr"
)
AUTHOR, NOT_AUTHOR, DATE, _IN_COMMENTS, _BESIDE = 1, 2, 4, 8, 16
"""Roles of a class or id, bits of a number."""
_LONGEST_CLASS = 300


class Visible:
    """The lines and elements of a page that may name its author or its date."""

    def __init__(self, page: Page, title: int) -> None:
        self.page = page
        self.title = title
        """Index of the text node that the title begins with; −1 if it is not on the page."""
        self.title_block = int(np.searchsorted(page.blocks[:, 0], title, side="right")) - 1

    @cached_property
    def words(self) -> NDArray[np.int64]:
        """The number of words before each text node."""
        return cumulative(self.page.words)

    @cached_property
    def _roles(self) -> NDArray[np.int64]:
        """The role of each element by its class or id."""
        page = self.page
        names = [name.lower() for name in page.strings]
        roles = np.zeros(len(names), dtype=np.int64)
        ends = np.cumsum([len(name) + 1 for name in names])
        places = [match.start() for match in _EITHER.finditer("\n".join(names))]
        for number in np.unique(np.searchsorted(ends, places, side="right")).tolist():
            roles[number] = _roles_of(names[number])
        own: NDArray[np.int64] = roles[page.class_id] | roles[page.id_id]
        return own

    def named(self, wanted: int, unwanted: int = 0) -> list[int]:
        """Return short elements whose class or id says so, those after the title first."""
        page = self.page
        found = np.flatnonzero((self._roles & (wanted | unwanted)) == wanted)
        sizes = self.words[page.last_text[found]] - self.words[page.first_text[found]]
        found = found[(sizes > 0) & (sizes <= MOST_WORDS)]
        found = found[~self.is_beside[found]]
        return self._nearest(found)

    def _nearest(self, elements: NDArray[np.int64]) -> list[int]:
        """Return some elements after the title, and some before it."""
        after = self.page.first_text[elements] > self.title
        later, earlier = elements[after], elements[~after]
        return [*later[:MOST_FOUND].tolist(), *earlier[-MOST_FOUND:].tolist()]

    @cached_property
    def is_beside(self) -> Bool:
        """Whether each element stands among comments, or in what is beside the text.

        The foot of an article is no foot of the page. What the title stands in, or most of the
        words, is not beside the text whatever its name, such as ``with-sidebar``.
        """
        page, roles = self.page, self._roles
        in_article = page.count_above(page.has_tag(("article",))) > 0
        feet = page.has_tag(("footer",)) & ~in_article
        beside = page.has_tag(("aside", "nav")) | ((roles & _BESIDE) > 0) | feet
        beside &= (roles & (AUTHOR | DATE)) == 0
        return self._inside(beside) | self.in_comments

    @cached_property
    def in_comments(self) -> Bool:
        """Whether each element stands among comments."""
        return self._inside((self._roles & _IN_COMMENTS) > 0)

    def _inside(self, flags: Bool) -> Bool:
        """Return which elements are in a flagged one without the title and most of the words."""
        first, last = self.page.first_text, self.page.last_text
        flags = flags & ((first > self.title) | (last <= self.title))
        flags &= 2 * (self.words[last] - self.words[first]) <= self.words[-1]
        found: Bool = self.page.count_above(flags) > 0
        return found

    def text(self, element: int) -> str:
        """Return the text of an element, as it is laid out."""
        page = self.page
        return page.lay_out(int(page.first_text[element]), int(page.last_text[element]))

    def near(
        self, after: int, before: int = 3, wanted: re.Pattern[str] | None = None
    ) -> Iterator[tuple[int, str]]:
        """Yield the short blocks around the title with their numbers: those after it first.

        *wanted* is what must stand in them.
        """
        page, at = self.page, self.title_block
        later = range(at + 1, min(at + 1 + after, len(page.blocks)))
        for block in (*later, *range(at - 1, max(at - 1 - before, -1), -1)):
            start, stop = page.blocks[block].tolist()
            if self.words[stop] - self.words[start] > MOST_WORDS:
                continue
            ends = int(page.text_start[start]), int(page.text_stop[stop - 1])
            if wanted is None or wanted.search(page.buffer, *ends):
                yield block, " ".join(page.lay_out(start, stop).split())

    def times(self) -> list[tuple[int, Any]]:
        """Return ``time`` elements with their nodes, those after the title first."""
        page = self.page
        elements = np.flatnonzero(page.has_tag(("time",)))
        if not elements.size:
            return []
        nodes = list(page.root.iter("{*}time"))
        if len(nodes) != elements.size:  # some are not visible
            every = list(page.root.iter("*"))
            nodes = [every[number] for number in page.ordinal[elements].tolist()]
        node_of = dict(zip(elements.tolist(), nodes, strict=True))
        return [(element, node_of[element]) for element in self._nearest(elements)]


def _roles_of(name: str) -> int:
    """Return what a class or id says of its element."""
    if len(name) > _LONGEST_CLASS:
        return 0
    return reduce(or_, map(_roles_of_token, name.split()), 0)


@remember(1 << 22)
def _roles_of_token(token: str) -> int:
    return (
        AUTHOR * bool(_AUTHOR.fullmatch(token))
        + NOT_AUTHOR * bool(_NOT_AUTHOR.search(token))
        + DATE * bool(_DATE.fullmatch(token))
        + _IN_COMMENTS * bool(_COMMENTS.fullmatch(token))
        + _BESIDE * bool(_ASIDE.fullmatch(token))
    )
