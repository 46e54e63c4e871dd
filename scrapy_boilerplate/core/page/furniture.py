"""Text for the screen only: permalinks, numbers of lines, formulas drawn once more.

They are told by structure, and by class names that widely used libraries document; no site is
named. Each is the text of elements of its own, and these count as not visible.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from scrapy_boilerplate.core.page._furniture_native import short_links
from scrapy_boilerplate.core.page.arrays import Bool, Int64, cumulative
from scrapy_boilerplate.core.page.nodes import Nodes
from scrapy_boilerplate.core.page.tags import CELLS, HEADINGS, PREFORMATTED
from scrapy_boilerplate.core.page.walk import TagTable

_BESIDE = HEADINGS | frozenset("dt caption figcaption legend summary".split())
"""Elements that have permalinks."""

_MARKS = frozenset("¶ # § 🔗 ⚓ ⚓︎ 🔗︎ ⛓ ∞ [#] (#) [¶]".split())
_SURE_MARKS = _MARKS - {"#", "∞", "§"}
"""Text of permalinks wherever they stand."""

_WORDS = frozenset(
    "edit|[edit]|edit source|edit section|edit this section|permalink|permanent link|direct link|"
    "anchor link|copy|copied|copied!|copy link|copy url|copy code|copy code block|copy snippet|"
    "copy code snippet|copy to clipboard|copy code to clipboard".split("|")
)
_BEGINNINGS = ("permalink to ", "permalink: ", "permanent link to", "link to ", "direct link to ",
               "anchor link to", "copy link to", "section titled ", "edit section")  # fmt: skip
_MOST_CHARACTERS = 100  # of what these begin
_MOST_INDENT = 9
_MOST_LEVELS = 8  # between a heading and its permalink

_EDIT = frozenset("mw-editsection headerlink".split())
_RENDERED = frozenset("katex-html mathjax_svg mathjax_chtml mjx-chtml".split())
_NUMBERS = frozenset(
    "gutter gl ln lnt lineno linenos linenodiv linenumber linenumbers line-number line-numbers "
    "line-num line-nums line_number line_numbers line-numbers-rows code-gutter rouge-gutter "
    "blob-num crayon-num crayon-nums hljs-ln-numbers react-syntax-highlighter-line-number".split()
)
"""Classes, lower case, by what they stand for."""

_CLASSES = _EDIT | _RENDERED | _NUMBERS

_LINK, _HEADING = 1, 2
_KINDS = TagTable(
    dict.fromkeys(("a", "button", "clipboard-copy"), _LINK) | dict.fromkeys(_BESIDE, _HEADING),
    other=0,
    dtype=np.uint8,
)


def find_furniture(nodes: Nodes) -> Int64:
    """Return the elements whose text is for the screen only, ascending; none holds another.

    >>> from scrapy_boilerplate import Page
    >>> Page.parse("<h2>Title <a href='#t'>¶</a></h2><p>Text").buffer
    'Title Text'
    """
    finder = _Finder(nodes)
    found: set[int] = {
        *finder.links(),
        *finder.buttons(),
        *finder.of_classes(),
        *finder.columns_of_numbers(),
        *finder.numbered_lines(),
        *finder.formulas(),
    }
    if not found:
        return np.zeros(0, dtype=np.int64)
    flags = np.zeros(nodes.tag.size, dtype=bool)
    flags[list(found)] = True
    flags &= nodes.last_text > nodes.first_text
    return np.flatnonzero(flags & (nodes.count_above(flags) == 1))


class _Finder:
    """Looks for each kind of furniture, by the arrays of a page."""

    def __init__(self, nodes: Nodes) -> None:
        self._nodes = nodes
        # One by one, numbers of a memory view are read faster than those of an array.
        self._tag, self._kinds = nodes.tag.data, _KINDS.of(nodes.names).data
        self._parent, self._end = nodes.parent.data, nodes.end.data
        self._first, self._last = nodes.first_text.data, nodes.last_text.data
        self._start, self._stop = nodes.text_start.data, nodes.text_stop.data

    def _text(self, element: int) -> str:
        """Return the text of an element, lower case, white space collapsed."""
        start = self._start[self._first[element]]
        stop = self._stop[self._last[element] - 1]
        if stop - start > 2 * _MOST_CHARACTERS:
            return ""
        return " ".join(self._nodes.buffer[start:stop].lower().split())

    def _filled(self, names: Iterable[str]) -> Bool:
        """Return which elements of these names have text."""
        return self._nodes.has_tag(names) & (self._nodes.last_text > self._nodes.first_text)

    # -- permalinks, and what edits or copies ------------------------------------------------

    def links(self) -> list[int]:
        """Return permalinks, and links beside headings that edit or copy."""
        nodes = self._nodes
        found = []
        for element, is_beside in short_links(
            *(_KINDS.of(nodes.names), nodes.tag, nodes.parent, nodes.end),
            *(nodes.first_text, nodes.last_text, nodes.text_start, nodes.text_stop),
            *(nodes.buffer, _FIRST_LETTERS),
        ):
            text, above = self._text(element), self._heading_above(element)
            begins = above is None or self._first[above] == self._first[element]
            ends = above is None or self._last[above] == self._last[element]
            is_all_of_it = above is not None and begins and ends
            is_aid = _is_aid(text) and is_beside and (begins or ends)
            if (is_aid or text in _SURE_MARKS) and not is_all_of_it:
                found.append(element)
        return found

    def _heading_above(self, element: int) -> int | None:
        """Return the heading that an element stands in, if it is not far above."""
        above = element
        for _ in range(_MOST_LEVELS):
            above = max(self._parent[above], 0)
            if self._kinds[self._tag[above]] == _HEADING:
                return above
        return None

    def buttons(self) -> list[int]:
        """Return the buttons inside code, and those that copy or edit on pages with code.

        Some toolbars stand elements away from it.
        """
        nodes = self._nodes
        if nodes.tag_names.isdisjoint(PREFORMATTED):
            return []
        buttons = self._filled(("button", "clipboard-copy"))
        inside = buttons & (nodes.count_above(nodes.has_tag(PREFORMATTED)) > 0)
        others = np.flatnonzero(buttons & ~inside).tolist()
        labels = [element for element in others if self._text(element) in _WORDS]
        return [*np.flatnonzero(inside).tolist(), *labels]

    # -- by class ----------------------------------------------------------------------------

    @cached_property
    def _told(self) -> list[int]:
        """String ids of the classes and ids that tell furniture."""
        strings = self._nodes.strings
        if _CLASSES.isdisjoint(" ".join(strings).lower().split()):  # most pages, told at once
            return []
        words = [text.lower().split() for text in strings]
        return [number for number, each in enumerate(words) if not _CLASSES.isdisjoint(each)]

    def _of_class(self, names: frozenset[str]) -> Bool:
        """Return which elements with text have a class of these *names*."""
        nodes = self._nodes
        if not self._told:
            return np.zeros(nodes.tag.size, dtype=bool)
        ids = [n for n in self._told if names.intersection(nodes.strings[n].lower().split())]
        return np.isin(nodes.class_id, ids) & (nodes.last_text > nodes.first_text)

    @cached_property
    def _others(self) -> Int64:
        """Number of text nodes before each one that hold anything but whole numbers."""
        nodes = self._nodes
        slices = zip(nodes.text_start.tolist(), nodes.text_stop.tolist(), strict=True)
        others = [not _is_numbers(nodes.buffer[start:stop]) for start, stop in slices]
        return cumulative(np.array(others, dtype=bool))

    def of_classes(self) -> list[int]:
        """Return what edits a section, and numbers of lines."""
        if not self._told:
            return []
        nodes = self._nodes
        numbers = np.flatnonzero(self._of_class(_NUMBERS))
        if numbers.size:
            others = self._others
            numbers = numbers[others[nodes.last_text[numbers]] == others[nodes.first_text[numbers]]]
        return [*np.flatnonzero(self._of_class(_EDIT)).tolist(), *numbers.tolist()]

    # -- numbers of lines, by structure ------------------------------------------------------

    def columns_of_numbers(self) -> list[int]:
        """Return the cells of line numbers beside cells of code."""
        nodes = self._nodes
        if nodes.tag_names.isdisjoint(PREFORMATTED) or nodes.tag_names.isdisjoint(CELLS):
            return []
        is_code, is_cell = nodes.has_tag(PREFORMATTED), nodes.has_tag(CELLS)
        codes, inner = cumulative(is_code), cumulative(is_cell)
        cells = np.flatnonzero(is_cell & (nodes.last_text > nodes.first_text))
        cells = cells[
            (nodes.end[cells] < nodes.tag.size) & (inner[nodes.end[cells]] == inner[cells] + 1)
        ]
        beside = nodes.end[cells]
        fits = is_cell[beside] & (nodes.parent[cells] == nodes.parent[beside])
        fits &= codes[nodes.end[beside]] > codes[beside]
        return [cell for cell in cells[fits].tolist() if _ascends(self._whole(cell).split())]

    def _whole(self, element: int) -> str:
        first, last = self._first[element], self._last[element]
        return self._nodes.buffer[self._start[first] : self._stop[last - 1]]

    def numbered_lines(self) -> list[int]:
        """Return the elements with which each line of code begins, if they count the lines."""
        nodes = self._nodes
        if nodes.tag_names.isdisjoint(PREFORMATTED):
            return []
        codes = self._filled(PREFORMATTED)
        found: list[int] = []
        for code in np.flatnonzero(codes & (nodes.count_above(codes) == 1)).tolist():
            texts = self._numbers_of(code)
            lines = self._whole(code).strip().count("\n") + 1
            if 1 < len(texts) == lines and _ascends([self._node(text) for text in texts]):
                found += nodes.text_parent[texts].tolist()
            elif len(texts := self._numbers_of_rows(code)) > 1:
                found += texts
        return found

    def _numbers_of_rows(self, code: int) -> list[int]:
        """Return the elements of numbers that ascend and begin each of the rows of code."""
        if not self._node(self._first[code]).isdecimal():
            return []
        text_parent = self._nodes.text_parent.data
        row = self._parent[text_parent[self._first[code]]]
        if not code < row:
            return []
        found: list[int] = []
        end = self._end[self._parent[row]]
        while row < end:
            first = self._first[row]
            number = text_parent[first] if first < self._last[row] else -1
            if number < 0 or self._parent[number] != row:
                return []
            found.append(number)
            row = self._end[row]
        others = self._last[code] - self._first[code] - len(found)
        ascends = _ascends([self._whole(number).strip() for number in found])
        return found if ascends and others else []

    def _numbers_of(self, code: int) -> list[int]:
        """Return the text nodes that are a number, in an element of its own, and begin a line.

        Nothing is returned where they are all that there is.
        """
        nodes, found = self._nodes, []
        first, last = self._first[code], self._last[code]
        for text in range(first, last):
            if not self._node(text).isdecimal():
                continue
            owner, start = int(nodes.text_parent[text]), self._start[text]
            is_alone = self._last[owner] - self._first[owner] == 1 and owner != code
            before = nodes.buffer[max(start - _MOST_INDENT, 0) : start].rstrip(" \t")
            if is_alone and before[-1:] in ("", "\n"):
                found.append(text)
        return found if len(found) < last - first else []

    def _node(self, text: int) -> str:
        """Return a text node that may be a number; others may be cut short."""
        start = self._start[text]
        return self._nodes.buffer[start : min(start + 12, self._stop[text])].strip()

    # -- formulas ----------------------------------------------------------------------------

    def formulas(self) -> list[int]:
        """Return all of each formula but one form of it: its TeX, without that its MathML."""
        nodes = self._nodes
        if "math" not in nodes.tag_names:
            return []
        is_formula = self._filled(("math",))
        formulas = cumulative(is_formula)
        drawn = self._of_class(_RENDERED) | (self._filled(("nobr", "mjx-math")))
        above = np.maximum(nodes.parent, 0)
        inside = formulas[nodes.end[above]] - formulas[above]
        own = formulas[nodes.end] - formulas[:-1]
        found: list[int] = np.flatnonzero(drawn & (inside > 0) & (own == 0)).tolist()
        notes = np.flatnonzero(self._filled(("annotation",)) & (nodes.count_above(is_formula) > 0))
        first = np.unique(nodes.parent[notes], return_index=True)[1]
        for note in notes[first].tolist():
            found += [each for each in self._siblings(note) if each != note]
        return found

    def _siblings(self, element: int) -> list[int]:
        nodes = self._nodes
        found: list[int] = []
        above = int(nodes.parent[element])
        child, end = above + 1, int(nodes.end[above])
        while child < end:
            found.append(child)
            child = int(nodes.end[child])
        return found


def _is_aid(text: str) -> bool:
    """Return whether a link that says this is no part of the heading."""
    return text in _MARKS or text in _WORDS or text.startswith(_BEGINNINGS)


def _is_numbers(text: str) -> bool:
    return "".join(text.split()).isdecimal()


def _ascends(numbers: list[str]) -> bool:
    """Return whether these are at least two whole numbers that ascend by one."""
    if len(numbers) < 2 or not all(each.isdecimal() and len(each) < 8 for each in numbers):
        return False
    return all(int(b) == int(a) + 1 for a, b in pairwise(numbers))


def _first_letters() -> NDArray[np.uint8]:
    """Return a flag for each character of ASCII with which marks and their like begin."""
    flags = np.zeros(128, dtype=np.uint8)
    for text in (*_MARKS, *_WORDS, *_BEGINNINGS):
        for letter in (text[0], text[0].upper()):
            if letter.isascii():
                flags[ord(letter)] = 1
    return flags


_FIRST_LETTERS = _first_letters()
