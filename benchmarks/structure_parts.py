"""The parts of a page or an answer that make its structure, read from any HTML in the same way.

Nothing of the package's own reading of a page is used here but its words, so that no tool is
judged by another's eyes.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from urllib.parse import unquote, urljoin

import lxml.html
import numpy as np
from lxml import etree

from scrapy_boilerplate.core.page.text import tokens
from training.alignment import align_tokens

Parts = dict[str, Counter[tuple[object, ...]]]
"""Keys of the parts of each kind, with how often each occurs."""

PARTS = ("headings", "items", "cells", "code", "links", "captions")  # the kinds of parts

_UNSEEN = frozenset("script style template noscript svg textarea select button iframe".split())
_HEADINGS = frozenset("h1 h2 h3 h4 h5 h6".split())
_LISTS = frozenset(("ul", "ol"))
_BLOCKS = frozenset("p div li td th dd blockquote figcaption caption section article body".split())
_CONTAINS = _HEADINGS | {"table", "article"}
"""An item with one of these inside is a container, not an item that a reader would call one."""
_ARRANGES = _HEADINGS | frozenset("table form pre ul ol".split())
"""A table with one of these inside arranges the page."""
_LINE = re.compile(r"\bl(?:ine)?-?n(?:o|umber|r)|lineno|\bln\b|block")
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")
_OWN_LINES = frozenset("div p li tr td table ol ul".split())
MAX_DEPTH = 6  # items around an item that are looked at
_LEAST = 0.5  # share of the characters of a part that are gold
_LEAST_CODE = 0.9
_PARSER = lxml.html.HTMLParser(encoding="utf-8", huge_tree=True, remove_comments=True)


def parts_of_page(html: str, url: str | None, gold: str) -> Parts:
    """Return the parts of a page whose text stands in its gold text.

    >>> found = parts_of_page("<h2>A cat [edit]</h2><h2>Share</h2><p>It.", None, "A cat. It.")
    >>> list(found["headings"])
    [(2, ('a', 'cat'))]
    """
    root = _parsed(html)
    if root is None:
        return {kind: Counter() for kind in PARTS}
    texts = _Texts(root)
    texts.keep_gold(tokens(gold))
    base = next((each.get("href") for each in root.iter("base") if each.get("href")), "")
    url = urljoin(url or "", base)
    return _Reader(root, texts, url).parts(captions=_declared_captions)


def parts_of_answer(html: str, url: str | None) -> Parts:
    """Return the parts of what a tool answers; a caption may be any block of its own."""
    root = _parsed(html)
    if root is None:
        return {kind: Counter() for kind in PARTS}
    return _Reader(root, _Texts(root), url).parts(captions=_any_block)


def _parsed(html: str) -> etree._Element | None:
    try:
        root = lxml.html.document_fromstring(html.encode("utf-8", "replace"), parser=_PARSER)
    except etree.ParserError:  # nothing, or nothing but comments
        return None
    for heading in root.iterfind(".//*[@role='heading']"):
        heading.tag = f"h{min(max(_whole(heading.get('aria-level'), 2), 1), 6)}"
    return root


class _Texts:
    """The words of a tree, those of each element in a row."""

    def __init__(self, root: etree._Element) -> None:
        self.words: list[str] = []
        self._starts: list[bool] = []
        self._spans: dict[etree._Element, tuple[int, int]] = {}
        self._is_gold: list[bool] = []
        begun: list[int] = []
        walk = etree.iterwalk(root, events=("start", "end"))
        for event, element in walk:
            if event == "start":
                begun.append(len(self.words))
                if element.tag in _UNSEEN or not isinstance(element.tag, str):
                    walk.skip_subtree()
                else:
                    self._add(element.text)
            else:
                self._spans[element] = (begun.pop(), len(self.words))
                self._add(element.tail)
        self._is_gold = [True] * len(self.words)

    def _add(self, text: str | None) -> None:
        found = tokens(text or "")
        self.words += found
        self._starts += [True] + [False] * (len(found) - 1) if found else []

    def keep_gold(self, gold: list[str]) -> None:
        """Keep the words only that are aligned with the gold text."""
        starts = np.array(self._starts, dtype=bool)
        self._is_gold = (align_tokens(self.words, gold, starts) >= 0).tolist()

    def of(self, element: etree._Element, without: frozenset[str] = frozenset()) -> list[int]:
        """Return the places of the words in an element, less those in elements of some names."""
        start, stop = self._spans.get(element, (0, 0))
        places: list[int] = []
        at = start
        for inner in element.iter(*without) if without else ():
            first, after = self._spans.get(inner, (at, at))
            if inner is not element and first >= at:
                places += range(at, first)
                at = after
        return [*places, *range(at, stop)]

    def share(self, places: list[int]) -> float:
        """Return the share of the characters of these words that are gold."""
        total = sum(len(self.words[place]) for place in places)
        gold = sum(len(self.words[place]) for place in places if self._is_gold[place])
        return gold / total if total else 0.0

    def key(self, places: list[int]) -> tuple[str, ...]:
        """Return the gold words; none if most of the text is not gold."""
        if self.share(places) < _LEAST:
            return ()
        return tuple(self.words[place] for place in places if self._is_gold[place])


@dataclass(slots=True)
class _Reader:
    root: etree._Element
    texts: _Texts
    url: str | None

    def parts(self, captions: Callable[[_Reader], Iterator[tuple[str, ...]]]) -> Parts:
        kinds: dict[str, Iterator[tuple[object, ...]]] = {
            "headings": self._headings(),
            "items": self._items(),
            "cells": self._cells(),
            "code": self._code(),
            "links": self._links(),
            "captions": captions(self),
        }
        return {kind: Counter(found) for kind, found in kinds.items()}

    def _headings(self) -> Iterator[tuple[object, ...]]:
        """Yield level and words."""
        for heading in self.root.iter(*_HEADINGS):
            if key := self.texts.key(self.texts.of(heading)):
                yield int(heading.tag[1]), key

    def _items(self) -> Iterator[tuple[object, ...]]:
        """Yield words, those of each item around it, and number; 0 in a list without numbers."""
        chains: dict[etree._Element, tuple[object, ...]] = {}
        for item in self.root.iter("li"):
            above = next((chains[outer] for outer in item.iterancestors("li")), ())
            key = self.texts.key(self.texts.of(item, _LISTS))
            chains[item] = (*above, key)[-MAX_DEPTH:]
            parent = item.getparent()
            is_item = parent is not None and parent.tag in _LISTS
            if key and is_item and next(item.iter(*_CONTAINS), None) is None:
                yield key, above, _number(item, parent)

    def _cells(self) -> Iterator[tuple[object, ...]]:
        """Yield words, column and the words of the first cell in the row."""
        for table in self.root.iter("table"):
            if _is_data(table):
                yield from self._cells_of(table)

    def _cells_of(self, table: etree._Element) -> Iterator[tuple[object, ...]]:
        taken: Counter[int] = Counter()  # column: rows that a cell above still takes
        for row in table.iter("tr"):
            column, first = 0, None
            above, taken = taken, Counter()
            for cell in row.iterchildren("td", "th"):
                while above[column] > 0:
                    taken[column] = above[column] - 1
                    column += 1
                key = self.texts.key(self.texts.of(cell))
                first = first if first is not None else key or None
                if key:
                    yield key, column, first
                width, height = (_whole(cell.get(name), 1) for name in ("colspan", "rowspan"))
                for _ in range(min(width, 100)):
                    taken[column] = height - 1
                    column += 1
            for later, rows in above.items():
                if later >= column and rows > 0:
                    taken[later] = rows - 1

    def _code(self) -> Iterator[tuple[object, ...]]:
        """Yield the text of code with its white space, where nobody can doubt what that is."""
        for code in self.root.iter("pre"):
            places = self.texts.of(code)
            if places and self.texts.share(places) >= _LEAST_CODE and not _has_own_lines(code):
                for end in code.iter("br"):
                    end.tail = "\n" + (end.tail or "")
                text = _CONTROL.sub("", "".join(code.itertext()).replace("\r\n", "\n"))
                lines = text.strip("\n").split("\n")
                yield ("\n".join(line.rstrip() for line in lines),)

    def _links(self) -> Iterator[tuple[object, ...]]:
        """Yield words and absolute address."""
        for link in self.root.iter("a"):
            address = (link.get("href") or "").strip()
            leads = address and not address.startswith(("#", "javascript:"))
            holds_blocks = next(link.iter(*_BLOCKS, *_HEADINGS), None) is not None
            if leads and not holds_blocks and (key := self.texts.key(self.texts.of(link))):
                yield key, _absolute(self.url, address)


def _declared_captions(reader: _Reader) -> Iterator[tuple[str, ...]]:
    for caption in reader.root.iter("figcaption", "caption"):
        if key := reader.texts.key(reader.texts.of(caption)):
            yield key


def _any_block(reader: _Reader) -> Iterator[tuple[str, ...]]:
    for block in reader.root.iter(*_BLOCKS):
        if key := reader.texts.key(reader.texts.of(block, _BLOCKS)):
            yield key
    for image in reader.root.iter("img"):
        for name in ("alt", "title"):
            if key := tuple(tokens(image.get(name) or "")):
                yield key


def _number(item: etree._Element, parent: etree._Element) -> int:
    if parent.tag == "ul":
        return 0
    start = _whole(parent.get("start"), 1)
    return start + sum(1 for _ in item.itersiblings("li", preceding=True))


def _whole(value: str | None, default: int) -> int:
    value = (value or "").strip()
    return int(value) if re.fullmatch("[0-9]{1,6}", value) else default


def _is_data(table: etree._Element) -> bool:
    """Tell whether a table has rows and columns, and nothing that only a layout has."""
    inside = (each for each in table.iter(*_ARRANGES) if each is not table)
    if next(inside, None) is not None or table.get("role") in ("presentation", "none"):
        return False
    rows = [sum(1 for _ in row.iterchildren("td", "th")) for row in table.iter("tr")]
    return sum(size >= 2 for size in rows) >= 2


def _has_own_lines(code: etree._Element) -> bool:
    """Tell whether elements make lines in it, or numbers of lines stand there."""
    if next(code.iter(*_OWN_LINES), None) is not None:
        return True
    marked = (f"{each.get('class') or ''} {each.get('style') or ''}" for each in code.iter("span"))
    return any(map(_LINE.search, marked))


def _absolute(url: str | None, address: str) -> str:
    try:
        return unquote(urljoin(url or "", "".join(address.split()))).rstrip("/")
    except ValueError:
        return address
