"""What a page holds for the screen only: permalinks, numbers of lines, formulas drawn once more.

They are told by structure, and by class names that widely used libraries document; no site is
named. Each is the text of elements of its own, and these count as not visible.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property
from itertools import pairwise

import numpy as np

from scrapy_boilerplate.page.arrays import Bool, Int64, cumulative
from scrapy_boilerplate.page.nodes import Nodes
from scrapy_boilerplate.page.tags import PREFORMATTED

__all__ = ["find_furniture"]

_HEADINGS = frozenset("h1 h2 h3 h4 h5 h6".split())
_BESIDE = _HEADINGS | frozenset("dt caption figcaption legend summary".split())
"""Elements that have permalinks."""

_MARKS = frozenset("¶ # § 🔗 ⚓ ⚓︎ 🔗︎ ⛓ ∞ [#] (#) [¶]".split())
_SURE_MARKS = _MARKS - {"#", "∞", "§"}
"""Text of permalinks wherever they stand."""

_WORDS = frozenset(
    "edit|[edit]|edit source|edit section|edit this section|copy|copy link|copied|copied!|"
    "copy code|copy to clipboard|copy url|permalink|permanent link|direct link|anchor link".split(
        "|"
    )
)
_BEGINNINGS = ("permalink to ", "permalink: ", "permanent link to", "link to ", "direct link to ",
               "anchor link to", "copy link to", "section titled ", "edit section")  # fmt: skip
_MOST_CHARACTERS = 100  # of what these begin
_LONGEST_MARK = 4  # with white space
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


def find_furniture(nodes: Nodes) -> Int64:
    """Return the elements whose text is for the screen only, ascending; none holds another.

    >>> from scrapy_boilerplate import Page
    >>> Page.parse("<h2>Title <a href='#t'>¶</a></h2><p>Text").buffer
    'Title Text'
    """
    finder = _Finder(nodes)
    found = {
        *finder.links(),
        *finder.buttons(),
        *finder.of_classes(),
        *finder.columns_of_numbers(),
        *finder.numbered_lines(),
        *finder.formulas(),
    }
    flags = np.zeros(nodes.tag.size, dtype=bool)
    flags[list(found)] = True
    flags &= nodes.last_text > nodes.first_text
    return np.flatnonzero(flags & (nodes.count_above(flags) == 1)) if found else np.zeros(0, int)


class _Finder:
    """Looks for each kind of furniture, by the arrays of a page."""

    def __init__(self, nodes: Nodes) -> None:
        self._nodes = nodes

    def _text(self, element: int) -> str:
        """Return the text of an element, lower case, white space collapsed."""
        nodes = self._nodes
        first, last = int(nodes.first_text[element]), int(nodes.last_text[element])
        start, stop = int(nodes.text_start[first]), int(nodes.text_stop[last - 1])
        if stop - start > 2 * _MOST_CHARACTERS:
            return ""
        return " ".join(nodes.buffer[start:stop].lower().split())

    def _filled(self, names: Iterable[str]) -> Bool:
        """Return which elements of these names have text."""
        return self._nodes.has_tag(names) & (self._nodes.last_text > self._nodes.first_text)

    # -- permalinks, and what edits or copies ------------------------------------------------

    @cached_property
    def _headings(self) -> tuple[Bool, Bool]:
        """Return which elements are headings, and which stand inside or beside one."""
        nodes = self._nodes
        is_heading = self._filled(_BESIDE)
        inside = nodes.count_above(is_heading) > 0
        after = np.append(nodes.end, 0)[: nodes.tag.size]
        has_next = after < nodes.tag.size
        following = after[has_next]
        here = np.flatnonzero(has_next)
        siblings = nodes.parent[following] == nodes.parent[here]
        here, following = here[siblings], following[siblings]
        beside = inside & ~is_heading
        beside[following[is_heading[here]]] = True
        beside[here[is_heading[following]]] = True
        return is_heading, beside

    def _is_alone(self, element: int) -> bool:
        """Tell whether an element is all the text of the heading that it stands in."""
        nodes, above = self._nodes, element
        for _ in range(_MOST_LEVELS):
            if above <= 0 or self._headings[0][above]:
                break
            above = int(nodes.parent[above])
        texts = nodes.last_text - nodes.first_text
        return bool(self._headings[0][above] and texts[above] == texts[element])

    def links(self) -> list[int]:
        """Return permalinks, and links beside headings that edit or copy."""
        nodes = self._nodes
        flags = self._filled(("a", "button", "clipboard-copy"))
        texts = nodes.last_text - nodes.first_text
        links = np.flatnonzero(flags & (texts <= 3))
        first, last = nodes.first_text[links], nodes.last_text[links] - 1
        length = nodes.text_stop[last] - nodes.text_start[first]
        short = length <= np.where(self._headings[1][links], _MOST_CHARACTERS, _LONGEST_MARK)
        found = []
        for element in links[short].tolist():
            text = self._text(element)
            if text in _SURE_MARKS or (self._is_beside(element) and _is_aid(text)):
                found.append(element)
        return [element for element in found if not self._is_alone(element)]

    def _is_beside(self, element: int) -> bool:
        """Tell whether an element stands beside a heading, or at one end of what is in it."""
        if not self._headings[1][element]:
            return False
        nodes, above = self._nodes, element
        for _ in range(_MOST_LEVELS):
            above = max(int(nodes.parent[above]), 0)
            if self._headings[0][above]:
                return bool(
                    nodes.first_text[above] == nodes.first_text[element]
                    or nodes.last_text[above] == nodes.last_text[element]
                )
        return True

    def buttons(self) -> list[int]:
        """Return the buttons inside code, and those beside it that copy."""
        nodes = self._nodes
        is_code = nodes.has_tag(PREFORMATTED)
        if not is_code.any():
            return []
        buttons = self._filled(("button", "clipboard-copy"))
        inside = buttons & (nodes.count_above(is_code) > 0)
        holds = np.zeros(nodes.tag.size, dtype=bool)
        holds[np.maximum(nodes.parent[is_code], 0)] = True
        near = np.flatnonzero(buttons & ~inside & holds[np.maximum(nodes.parent, 0)]).tolist()
        copying = [element for element in near if self._text(element) in _WORDS]
        return [*np.flatnonzero(inside).tolist(), *copying]

    # -- by class ----------------------------------------------------------------------------

    @cached_property
    def _classes(self) -> set[str]:
        """All class names and ids of the page."""
        return set(" ".join(self._nodes.strings).lower().split())

    def _of_class(self, names: frozenset[str]) -> Bool:
        """Return which elements with text have a class of these *names*."""
        nodes = self._nodes
        if names.isdisjoint(self._classes):
            return np.zeros(nodes.tag.size, dtype=bool)
        strings = enumerate(nodes.strings)
        ids = [number for number, value in strings if names.intersection(value.lower().split())]
        return np.isin(nodes.class_id, ids) & (nodes.last_text > nodes.first_text)

    @cached_property
    def _others(self) -> Int64:
        """How many text nodes before each one hold anything but whole numbers."""
        nodes = self._nodes
        slices = zip(nodes.text_start.tolist(), nodes.text_stop.tolist(), strict=True)
        others = [not _is_numbers(nodes.buffer[start:stop]) for start, stop in slices]
        return cumulative(np.array(others, dtype=bool))

    def of_classes(self) -> list[int]:
        """Return what edits a section, and numbers of lines."""
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
        is_code, is_cell = nodes.has_tag(PREFORMATTED), nodes.has_tag(("td", "th"))
        if not is_code.any() or not is_cell.any():
            return []
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
        nodes = self._nodes
        first, last = int(nodes.first_text[element]), int(nodes.last_text[element])
        return nodes.buffer[nodes.text_start[first] : nodes.text_stop[last - 1]]

    def numbered_lines(self) -> list[int]:
        """Return the elements with which each line of code begins, if they count the lines."""
        nodes = self._nodes
        codes = self._filled(PREFORMATTED)
        found: list[int] = []
        for code in np.flatnonzero(codes & (nodes.count_above(codes) == 1)).tolist():
            texts = self._numbers_of(code)
            lines = self._whole(code).strip().count("\n") + 1
            if 1 < len(texts) == lines and _ascends([self._node(text) for text in texts]):
                found += [int(nodes.text_parent[text]) for text in texts]
            elif len(texts := self._numbers_of_rows(code)) > 1:
                found += texts
        return found

    def _numbers_of_rows(self, code: int) -> list[int]:
        """Return the elements of numbers that ascend and begin each of the rows of code."""
        nodes = self._nodes
        first = int(nodes.text_parent[nodes.first_text[code]])
        row = int(nodes.parent[first])
        if not code < row or not self._node(int(nodes.first_text[code])).isdecimal():
            return []
        found: list[int] = []
        end = int(nodes.end[nodes.parent[row]])
        while row < end:
            texts = int(nodes.first_text[row]), int(nodes.last_text[row])
            number = int(nodes.text_parent[texts[0]]) if texts[0] < texts[1] else -1
            if number < 0 or nodes.parent[number] != row:
                return []
            found.append(number)
            row = int(nodes.end[row])
        others = nodes.last_text[code] - nodes.first_text[code] - len(found)
        ascends = _ascends([self._whole(number).strip() for number in found])
        return found if ascends and others else []

    def _numbers_of(self, code: int) -> list[int]:
        """Return the text nodes that are a number, in an element of its own, and begin a line.

        Nothing is returned where they are all that there is.
        """
        nodes, found = self._nodes, []
        first, last = int(nodes.first_text[code]), int(nodes.last_text[code])
        for text in range(first, last):
            if not self._node(text).isdecimal():
                continue
            owner, start = int(nodes.text_parent[text]), int(nodes.text_start[text])
            is_alone = nodes.last_text[owner] - nodes.first_text[owner] == 1 and owner != code
            before = nodes.buffer[max(start - _MOST_INDENT, 0) : start].rstrip(" \t")
            if is_alone and before[-1:] in ("", "\n"):
                found.append(text)
        return found if len(found) < last - first else []

    def _node(self, text: int) -> str:
        """Return a text node that may be a number; others may be cut short."""
        start = int(self._nodes.text_start[text])
        return self._nodes.buffer[start : min(start + 12, int(self._nodes.text_stop[text]))].strip()

    # -- formulas ----------------------------------------------------------------------------

    def formulas(self) -> list[int]:
        """Return all of each formula but one form of it: its TeX, without that its MathML."""
        nodes = self._nodes
        is_formula = self._filled(("math",))
        if not is_formula.any():
            return []
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
    """Tell whether a link that says this is no part of the heading."""
    return text in _MARKS or text in _WORDS or text.startswith(_BEGINNINGS)


def _is_numbers(text: str) -> bool:
    return "".join(text.split()).isdecimal()


def _ascends(numbers: list[str]) -> bool:
    """Tell whether these are at least two whole numbers that ascend by one."""
    if len(numbers) < 2 or not all(each.isdecimal() and len(each) < 8 for each in numbers):
        return False
    return all(int(b) == int(a) + 1 for a, b in pairwise(numbers))
