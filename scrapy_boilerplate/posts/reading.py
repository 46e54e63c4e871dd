"""From units to values: who wrote each, when, and what."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

import numpy as np

from scrapy_boilerplate.metadata.dates import read_date
from scrapy_boilerplate.page import Page
from scrapy_boilerplate.page.arrays import Bool, Int
from scrapy_boilerplate.posts.units import Marks, Units
from scrapy_boilerplate.posts.values import Post

__all__ = ["read_posts"]


LONGEST_META = 14
"""Words of a line that says who wrote, and when."""
LONGEST_NAME, LONGEST_LINE = 50, 200
"""Characters of a name, and of a line that one is looked for in."""
MOST_BODIES, MOST_NAMES = 24, 12
"""Elements of a unit that may be its body, and that may name its author."""
LEAST_OF_BODY, LEAST_OF_OTHERS = 0.2, 0.5
"""Share of a unit's words in an element that is named like a body and nothing else, and in another
that may be one."""

_BODY = re.compile(
    r"(?:\A|[\s_-])(?:body|content|text|message|msg|entry|inner)(?:\Z|[\s_-])",
    re.IGNORECASE,
)
_ONLY_BODY = re.compile(
    r"(?:\A|[\s_-])(?:bbwrapper|post-?body|post-?content|postmsg|post_(?:body|message|content)|"
    r"message-?text|msg_text|(?:comment|reply)[_-]?(?:text|body)|comm-?text|usertext|user-?content|"
    r"cooked|md|prose|ipscomment_content|ipsentry__content|formatted-text|format_text)"
    r"(?:\Z|[\s_-])",
    re.IGNORECASE,
)
"""What is hardly ever a name of anything else."""
_NO_BODY = re.compile(
    r"clamp|preview|muted|footer|header|meta|title|attribution|menu|button", re.IGNORECASE
)
"""What names a small part that may be named like a body as well."""
_QUOTED = re.compile(
    r"(?:\A|[\s_-])(?:quote|quoted|quotetext|quote-text|quotecontainer|bbcodequote|bbcodeblock\S*|"
    r"ipsquote\S*|onebox\S*)(?:\Z|\s)",
    re.IGNORECASE,
)
"""What others wrote, and what a link leads to."""
_ASIDE = re.compile(
    r"(?:\A|\s)(?:(?:(?!has|with|no|is|show)[a-z]+[_-]+)*(?:post|user|message)?signature|sig)"
    r"(?:[_-]+(?:text|content|body|wrap|wrapper|container))?(?:\Z|\s)|"
    r"(?:\A|\s)(?:reactionsbar|message-footer|last-?edit(?:ed)?|edited-?by)(?:\Z|\s|-)",
    re.IGNORECASE,
)
"""What stands below each post of a writer, and what readers made of a post."""
_COMMENTS = re.compile(
    r"(?:\A|\s)(?:js-)?(?:post-)?comments(?:-(?:list|container|component|section))?(?:\Z|\s)"
)
"""Comments on a post."""
_CONTROLS = frozenset(
    "a abuse all and at author awaiting back by cancel click code collapse comment comments "
    "context delete down downvote edit expand flag follow from guest help helpful here hide "
    "in is joined junior less like likes link log logged me member moderation moderator more "
    "new next no of on op or parent permalink permanent post posted posts prev previous "
    "profile quote rate rating react registered replied replies reply report respond said "
    "save says select senior share show shrink sign thank thanks the this to top unlike up "
    "upvote vote votes website with wrote yes you your".split()
)
_SAID = re.compile(r"\A\W*(.{1,40}?)\s+(?:said|says|wrote|writes|commented|replied|posted)\b", re.I)
_BY = re.compile(r"\b(?:by|from):?\s+(.{2,40}?)\s*(?:\Z|\bon\b|\bat\b|[|,·•»(\d])", re.IGNORECASE)
_BEFORE_NAME = re.compile(r"\A\W*(?:posted\s+by|by|from|author)\b:?\s*|\A\W*\d{1,4}[.):]?\s+", re.I)
_AFTER_NAME = re.compile(r"\s(?:said|says|wrote|writes|commented|discussion starter)\W*\Z", re.I)
_WHEN = re.compile(
    r"\bat\b|\bon\b|\d\S*|\b[ap]\.?m\b|[|/@,]|"
    r"\b(?:jan|feb|mar|apr|may|june?|july?|aug|sept?|oct|nov|dec)[a-z]*\b|"
    r"\b(?:mon|tues?|wed(?:nes)?|thu(?:rs)?|fri|sat(?:ur)?|sun)(?:day)?\b",
    re.IGNORECASE,
)
_WORD = re.compile(r"\w+")


def read_posts(page: Page, units: Units, marks: Marks) -> tuple[Post, ...]:
    """Return what stands in each unit; one without any words of its own is left out."""
    reader = _Reader(page, units, marks)
    posts = (reader.read(number) for number in range(units.elements.size))
    return tuple(post for post in posts if post is not None)


class _Reader:
    """Reads the units of one page."""

    def __init__(self, page: Page, units: Units, marks: Marks) -> None:
        self._page, self._units, self._marks = page, units, marks
        self._owner, depths = _nesting(units, page.text_at.size)
        self._depths: list[int] = depths.tolist()
        order = np.argsort(self._owner, kind="stable")
        bounds = np.searchsorted(self._owner[order], np.arange(units.elements.size + 1))
        self._own = np.split(order, bounds)[1:-1]
        """Text nodes of each unit that are in no other inside of it."""
        only_body = self._are_named(_ONLY_BODY.search) & ~self._are_named(_NO_BODY.search)
        body = only_body | (self._are_named(_BODY.search) & ~self._are_named(_NO_BODY.search))
        quoted = self._are_named(_QUOTED.search) | (page.has_tag(("blockquote",)) & ~body)
        aside = self._are_named(_ASIDE.search)
        if not units.is_comment:
            aside |= self._are_named(_COMMENTS.search)
        quoted, aside = (page.count_above(self._below_units(each)) > 0 for each in (quoted, aside))
        self._is_aside: Bool = aside[page.text_parent]
        """Whether each text node stands beside what was written …"""
        self._is_other: Bool = self._is_aside | quoted[page.text_parent]
        """… or in what others have written."""
        self._bodies = tuple(
            (np.flatnonzero(named & ~quoted & ~aside), share)
            for named, share in ((only_body, LEAST_OF_BODY), (body, LEAST_OF_OTHERS))
        )
        self._named = np.flatnonzero(marks.names_author)
        self._block_of = np.searchsorted(page.blocks[:, 0], np.arange(page.text_at.size), "right")

    def read(self, number: int) -> Post | None:
        """Return the post of a unit; ``None`` if it holds no words."""
        own = self._own[number]
        if not own.size:
            return None
        author, author_nodes = self._author(number, own)
        date, date_nodes = self._date(own)
        body = self._body(number, own, {*author_nodes, *date_nodes})
        text = "\n\n".join(self._page.lay_out(*run) for run in _runs(body)).strip()
        if not text:
            return None
        author = author or self._said(own, body) or self._beside_date(date_nodes)
        xpath = self._page.xpath(int(self._units.elements[number]))
        return Post(author, date, text, self._depths[number], xpath)

    def _are_named(self, test: Callable[[str], object]) -> Bool:
        """Tell for each element whether its class or its id passes a test."""
        page = self._page
        flags = np.array([bool(name and test(name)) for name in page.strings], dtype=bool)
        found: Bool = flags[page.class_id] | flags[page.id_id]
        return found

    def _below_units(self, flags: Bool) -> Bool:
        """Leave the flags of elements inside of a unit, itself left out."""
        units = np.zeros(flags.size, dtype=bool)
        units[self._units.elements] = True
        inside: Bool = flags & ~units & (self._page.count_above(units) > 0)
        return inside

    def _line(self, start: int, stop: int) -> str:
        return " ".join(self._page.lay_out(start, stop).split())

    # -- author and date ---------------------------------------------------------------------

    def _author(self, number: int, own: Int) -> tuple[str, range]:
        """Return the name in the first element that is named like an author, and its text."""
        for start, stop in self._inside(self._named, number, own, MOST_NAMES):
            lines = self._page.lay_out(start, stop).strip().splitlines()
            name = _name(lines[0]) if lines else ""
            if name and not self._marks.dated[start:stop].any():
                return name, range(start, stop)
        return "", range(0)

    def _inside(self, elements: Int, number: int, own: Int, most: int) -> Iterator[tuple[int, int]]:
        """Yield the text nodes of those *elements* that begin in a unit, itself left out."""
        page = self._page
        unit = int(self._units.elements[number])
        first = int(np.searchsorted(elements, unit, side="right"))
        for element in elements[first : first + most].tolist():
            start, stop = int(page.first_text[element]), int(page.last_text[element])
            if start > own[-1]:
                return
            if start < stop and self._owner[start] == number:
                yield start, stop

    def _date(self, own: Int) -> tuple[str, range]:
        """Return the first date in a unit, and the text that holds it."""
        dated = own[self._marks.dated[own]][:4].tolist()
        for node in dated:
            start, stop = self._page.blocks[self._block_of[node] - 1].tolist()
            text = self._line(start, stop)
            found = read_date(text)
            if found:
                is_short = len(text.split()) <= LONGEST_META
                return found, range(start, stop) if is_short else range(node, node + 1)
        text = self._line(dated[0], dated[0] + 1) if dated else ""
        if text and len(text.split()) <= LONGEST_META:
            return text, range(dated[0], dated[0] + 1)
        return "", range(0)

    def _said(self, own: Int, body: list[int]) -> str:
        """Return the name in the line before what was written."""
        before = own[own < body[0]] if body else own
        before = before[before < own[0] + MOST_NAMES]
        if not before.size:
            return ""
        text = self._line(int(before[0]), int(before[-1]) + 1)[:LONGEST_LINE]
        for form in (_SAID, _BY):
            match = form.search(text)
            if match:
                return _name(match[1])
        links = before[self._page.in_link[before]]
        for node in (links[:2] if links.size else before[:1]).tolist():
            name = _name(self._line(node, node + 1))
            if name and not self._marks.dated[node]:
                return name
        return ""

    def _beside_date(self, nodes: range) -> str:
        """Return the name in the line of the date."""
        if not nodes:
            return ""
        text = self._line(nodes[0], nodes[-1] + 1)[:LONGEST_LINE]
        match = _BY.search(text)
        return _name(match[1] if match else _WHEN.sub(" ", text))

    # -- what was written --------------------------------------------------------------------

    def _body(self, number: int, own: Int, meta: set[int]) -> list[int]:
        """Return the text nodes of what was written."""
        inside = self._body_element(number, own, meta)
        start, stop = inside or (int(own[0]), int(own[-1]) + 1)
        own = own[(own >= start) & (own < stop) & ~self._is_aside[own]]
        nodes = [node for node in own.tolist() if node not in meta]
        body: list[int] = []
        for piece in self._pieces(nodes):
            words = self._line(piece[0], piece[-1] + 1).split()
            is_short = len(words) <= LONGEST_META
            if not (is_short and (_is_control(words) or (not inside and self._is_meta(piece)))):
                body += piece
        return body

    def _body_element(self, number: int, own: Int, meta: set[int]) -> tuple[int, int] | None:
        """Return the text nodes of the innermost element that is named like a body."""
        words = np.where(self._is_other[own], 0, self._page.words[own])
        for at, node in enumerate(own.tolist()):
            is_short = words[at] <= 3
            if node in meta or (is_short and _is_control(self._line(node, node + 1).split())):
                words[at] = 0
        total = int(words.sum())
        for elements, least in self._bodies:
            best = None
            for start, stop in self._inside(elements, number, own, MOST_BODIES):
                if int(words[(own >= start) & (own < stop)].sum()) > least * total:
                    best = start, stop
            if best:
                return best
        return None

    def _pieces(self, nodes: list[int]) -> Iterator[list[int]]:
        """Divide text nodes where blocks begin, and where nodes between are missing."""
        piece: list[int] = []
        for node in nodes:
            if piece and (
                node != piece[-1] + 1 or self._block_of[node] != self._block_of[piece[-1]]
            ):
                yield piece
                piece = []
            piece.append(node)
        if piece:
            yield piece

    def _is_meta(self, nodes: list[int]) -> bool:
        """Tell whether a short line is no text: all links, or a date."""
        return bool(self._page.in_link[nodes].all() or self._marks.dated[nodes].any())


def _is_control(words: list[str]) -> bool:
    """Tell whether a short line is a control or a label, such as "Reply to this (3)"."""
    found = _WORD.findall(" ".join(words).casefold())
    return all(word in _CONTROLS or word.isdecimal() for word in found)


def _name(text: str) -> str:
    """Return the name in a line; empty if it holds none.

    >>> _name("3. Ada Lovelace said:"), _name("Reply (3)")
    ('Ada Lovelace', '')
    """
    text = _AFTER_NAME.sub("", " " + " ".join(text[:LONGEST_LINE].split()))
    name = _BEFORE_NAME.sub("", text.strip()).split(" (")[0].strip(" ,:;-–—|·•#@()")
    is_name = (
        0 < len(name) <= LONGEST_NAME
        and any(map(str.isalpha, name))
        and "://" not in name
        and not _is_control([name])
    )
    return name if is_name else ""


def _nesting(units: Units, nodes: int) -> tuple[Int, Int]:
    """Return the innermost unit of each text node, −1 for none, and each unit's depth."""
    owner = np.full(nodes, -1, dtype=np.int64)
    depths = np.zeros(units.starts.size, dtype=np.int64)
    opened: list[int] = []  # units that are open, outermost first
    stops: list[int] = units.stops.tolist()
    at = 0
    for number, start in enumerate(units.starts.tolist()):
        while opened and stops[opened[-1]] <= start:
            inner = opened.pop()
            owner[at : stops[inner]] = inner
            at = max(at, stops[inner])
        if opened:
            owner[at:start] = opened[-1]
        at = max(at, start)
        depths[number] = len(opened)
        opened.append(number)
    while opened:
        inner = opened.pop()
        owner[at : stops[inner]] = inner
        at = max(at, stops[inner])
    return owner, depths


def _runs(nodes: list[int]) -> list[tuple[int, int]]:
    """Return ascending text nodes as runs of neighbours."""
    runs: list[tuple[int, int]] = []
    for node in nodes:
        if runs and runs[-1][1] == node:
            runs[-1] = runs[-1][0], node + 1
        else:
            runs.append((node, node + 1))
    return runs
