"""From units to values: who wrote each, when, and what."""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from scrapy_boilerplate.metadata.dates import read_date, find_date
from scrapy_boilerplate.page import Page, cumulative
from scrapy_boilerplate.posts.units import Marks, Units
from scrapy_boilerplate.posts.values import Post

__all__ = ["read_posts"]

_BODY = re.compile(
    r"(?:\A|[\s_-])(?:body|content|text|message|msg|bbwrapper|postbody|entry|md|cooked|usertext|"
    r"commtext|commenttext|commentbody|postcontent|inner|format_text)(?:\Z|[\s_-])",
    re.IGNORECASE,
)
_CONTROL = re.compile(
    r"\W*(?:(?:click (?:here )?to )?(?:reply|respond|permalink|permanent link|link|share|report|quote|like|unlike|edit|delete|flag|up ?vote|"
    r"down ?vote|more|less|hide|follow|top|back to top|parent|context|save|thanks|thank|helpful|"
    r"logged|log in|sign up|expand|collapse|show|next|prev|previous|says|said|wrote|posted|on|at|by|"
    r"reply to this|share this|share post|like this|report abuse|your comment is awaiting moderation|rate this|react|new|op|author|profile|website|link|guest|member|senior member|"
    r"junior member|moderator|registered)\W*(?:\(?\d*\)?)\W*)+\Z|[\W\d]*\Z",
    re.IGNORECASE,
)
_SAID = re.compile(r"\A\W*(.{1,40}?)\s+(?:said|says|wrote|writes|commented|replied|posted)\b", re.I)
_BY = re.compile(r"\b(?:by|from):?\s+(.{2,40}?)\s*(?:\Z|\bon\b|\bat\b|[|,·•»(\d])", re.IGNORECASE)
_LABEL = re.compile(
    r"\A\W*(?:posted\s+by|by|from|author)\b:?\s*|\s*(?:said|says|wrote|writes|commented)?[\W]*\Z",
    re.I,
)
_NUMBER = re.compile(r"\A\W*\d{1,4}[.):]?\s+(?=\D)")
_WHEN = re.compile(
    r"\bat\b|\bon\b|\d\S*|\b[ap]\.?m\b|[|/@,]|\b(?:jan|feb|mar|apr|may|june?|july?|aug|sept?|oct|nov|dec)[a-z]*\b|\b(?:mon|tues?|wed(?:nes)?|thu(?:rs)?|fri|sat(?:ur)?|sun)(?:day)?\b",
    re.I,
)
LONGEST_META = 14
"""Words of a line that says who wrote, and when."""
LONGEST_NAME = 50
"""Characters."""


def read_posts(page: Page, units: Units, marks: Marks) -> tuple[Post, ...]:
    """Return what stands in each unit; one without any words of its own is left out."""
    reader = _Reader(page, units, marks)
    posts = (reader.read(number) for number in range(units.elements.size))
    return tuple(post for post in posts if post is not None)


class _Reader:
    def __init__(self, page: Page, units: Units, marks: Marks) -> None:
        self._page, self._units, self._marks = page, units, marks
        self._words = cumulative(page.words)
        owners = np.full(page.text_at.size, -1, dtype=np.int64)
        for number in range(units.elements.size):  # a later one is inside of the earlier
            owners[units.starts[number] : units.stops[number]] = number
        self._owners = owners
        flags = np.array([bool(name and _BODY.search(name)) for name in page.strings], dtype=bool)
        self._bodies = np.flatnonzero(flags[page.class_id] | flags[page.id_id])
        self._authors = np.flatnonzero(marks.names_author)
        self._depths = _depths(units)
        self._block_starts = page.blocks[:, 0]

    def read(self, number: int) -> Post | None:
        """Return the post of a unit."""
        units, page = self._units, self._page
        start, stop = int(units.starts[number]), int(units.stops[number])
        own = np.flatnonzero(self._owners[start:stop] == number) + start
        if not own.size:
            return None
        author, author_nodes = self._author(number, own)
        date, date_nodes = self._date(own)
        body = self._body(number, own, set(author_nodes) | set(date_nodes))
        author = author or self._said(own, body) or self._beside_date(date_nodes)
        text = "\n\n".join(filter(None, (page.lay_out(a, b) for a, b in _runs(body)))).strip()
        if not text:
            return None
        return Post(
            author, date, text, int(self._depths[number]), page.xpath(int(units.elements[number]))
        )

    def _author(self, number: int, own: NDArray[np.int64]) -> tuple[str, list[int]]:
        page = self._page
        element = int(self._units.elements[number])
        first = np.searchsorted(self._authors, element, side="right")
        for candidate in self._authors[first : first + 12].tolist():
            a, b = int(page.first_text[candidate]), int(page.last_text[candidate])
            if a > own[-1]:
                break
            if b <= a or self._owners[a] != number:
                continue
            line = page.lay_out(a, b).strip().splitlines()
            name = _name(line[0]) if line else ""
            if name and not self._marks.dated[a:b].any():
                return name, list(range(a, b))
        return "", []

    def _date(self, own: NDArray[np.int64]) -> tuple[str, list[int]]:
        dated = own[self._marks.dated[own]]
        for node in dated[:4].tolist():
            block = self._block(node)
            text = " ".join(self._page.lay_out(*block).split())
            found = read_date(text) or find_date(text)
            if found:
                return found, list(range(*block)) if len(text.split()) <= LONGEST_META else [node]
        if dated.size:
            node = int(dated[0])
            text = " ".join(self._page.lay_out(node, node + 1).split())
            if len(text.split()) <= LONGEST_META:
                return text, [node]
        return "", []

    def _block(self, node: int) -> tuple[int, int]:
        at = int(np.searchsorted(self._block_starts, node, side="right")) - 1
        start, stop = self._page.blocks[at].tolist()
        return start, stop

    def _body(self, number: int, own: NDArray[np.int64], meta: set[int]) -> list[int]:
        """Return the text nodes of what was written."""
        page = self._page
        inside = self._body_element(number, own)
        nodes = own if inside is None else own[(own >= inside[0]) & (own < inside[1])]
        kept = [node for node in nodes.tolist() if node not in meta]
        body = []
        for node in _by_block(kept, self._block_starts):
            start, stop = node[0], node[-1] + 1
            text = " ".join(page.lay_out(start, stop).split())
            is_meta = len(text.split()) <= LONGEST_META and (
                _CONTROL.match(text) or (inside is None and self._is_meta(node))
            )
            if not is_meta:
                body += node
        return body

    def _is_meta(self, nodes: list[int]) -> bool:
        """Tell whether a short block is no text: all links, or a date."""
        return bool(self._page.in_link[nodes].all() or self._marks.dated[nodes].any())

    def _body_element(self, number: int, own: NDArray[np.int64]) -> tuple[int, int] | None:
        """Return the text nodes of the innermost element that is named like a body."""
        page, element = self._page, int(self._units.elements[number])
        first = np.searchsorted(self._bodies, element, side="right")
        last = np.searchsorted(self._bodies, int(page.end[element]))
        total = int(page.words[own].sum())
        best = None
        for candidate in self._bodies[first:last][:24].tolist():
            a, b = int(page.first_text[candidate]), int(page.last_text[candidate])
            if b <= a or self._owners[a] != number:
                continue
            mine = own[(own >= a) & (own < b)]
            size = int(page.words[mine].sum())
            if 2 * size >= total or (best is None and size):
                if best is None or b - a <= best[1] - best[0] or 2 * size >= total:
                    best = a, b
        return best

    def _beside_date(self, nodes: list[int]) -> str:
        """Return the name in the line of the date."""
        if not nodes:
            return ""
        text = " ".join(self._page.lay_out(nodes[0], nodes[-1] + 1).split())
        match = _BY.search(text)
        return _name(match[1] if match else _WHEN.sub(" ", text))

    def _said(self, own: NDArray[np.int64], body: list[int]) -> str:
        """Return the name in the line before what was written."""
        before = own[own < body[0]] if body else own
        if not before.size:
            return ""
        text = " ".join(self._page.lay_out(int(before[0]), int(before[-1]) + 1).split())[:200]
        for form in (_SAID, _BY):
            match = form.search(text)
            if match:
                return _name(match[1])
        links = before[self._page.in_link[before]]
        for node in (links[:2] if links.size else before[:1]).tolist():
            name = _name(self._page.lay_out(node, node + 1))
            if name and not self._marks.dated[node] and not _CONTROL.match(name):
                return name
        return ""


def _name(text: str) -> str:
    """Return the name in a line; empty if it holds none."""
    name = _LABEL.sub("", " ".join(text.split()))
    name = _NUMBER.sub("", name).split(" (")[0].strip(" ,:;-–—|·•#@()")
    is_name = (
        0 < len(name) <= LONGEST_NAME
        and any(map(str.isalpha, name))
        and "://" not in name
        and not _CONTROL.match(name)
    )
    return name if is_name else ""


def _depths(units: Units) -> NDArray[np.int64]:
    """Return for each unit how many others it stands in."""
    depths = np.zeros(units.starts.size, dtype=np.int64)
    open_stops: list[int] = []
    for number, (start, stop) in enumerate(
        zip(units.starts.tolist(), units.stops.tolist(), strict=True)
    ):
        while open_stops and open_stops[-1] <= start:
            open_stops.pop()
        depths[number] = len(open_stops)
        open_stops.append(stop)
    return depths


def _by_block(nodes: list[int], starts: NDArray[np.int64]) -> list[list[int]]:
    """Divide text nodes where blocks begin, and where nodes between are missing."""
    groups: list[list[int]] = []
    blocks = np.searchsorted(starts, nodes, side="right").tolist()
    for index, node in enumerate(nodes):
        if index and blocks[index] == blocks[index - 1] and node == nodes[index - 1] + 1:
            groups[-1].append(node)
        else:
            groups.append([node])
    return groups


def _runs(nodes: list[int]) -> list[tuple[int, int]]:
    runs: list[tuple[int, int]] = []
    for node in nodes:
        if runs and runs[-1][1] == node:
            runs[-1] = runs[-1][0], node + 1
        else:
            runs.append((node, node + 1))
    return runs
