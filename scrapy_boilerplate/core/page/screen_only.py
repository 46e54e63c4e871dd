"""Text for the screen only: permalinks, numbers of lines, bars of code, formulas drawn once more.

They are told by structure, and by class names that widely used libraries document; no site is
named. Each is the text of elements of its own, and these count as not visible.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import pairwise

import numpy as np

from scrapy_boilerplate.core.caching import cached_property
from scrapy_boilerplate.core.page._screen_only_native import Names, beside_code, find_aids
from scrapy_boilerplate.core.page.arrays import Bool, Int64, cumulative
from scrapy_boilerplate.core.page.code_languages import LANGUAGES, NO_LANGUAGES
from scrapy_boilerplate.core.page.node_arrays import Nodes
from scrapy_boilerplate.core.page.notes import side_copies
from scrapy_boilerplate.core.page.tags import HEADINGS, PREFORMATTED
from scrapy_boilerplate.core.page.walk import bits_of

_BESIDE = HEADINGS | frozenset("dt caption figcaption legend summary".split())
"""Elements that have permalinks."""

_MARKS = frozenset("¶ # § ◆ 🔗 ⚓ ⚓︎ 🔗︎ ⛓ ∞ [#] (#) [¶]".split())
_SURE_MARKS = _MARKS - {"#", "∞", "§", "◆"}  # text of permalinks wherever they stand

_WORDS = frozenset(
    "edit|[edit]|edit source|edit section|edit this section|permalink|permanent link|direct link|"
    "anchor link|copy|copied|copied!|copy link|copy url|copy code|copy code block|copy snippet|"
    "copy code snippet|copy to clipboard|copy code to clipboard|view source|[source]|[src]".split(
        "|"
    )
)
_BEGINNINGS = ("permalink to ", "permalink: ", "permanent link to", "link to ", "direct link to ",
               "anchor link to", "copy link to", "section titled ", "edit section")  # fmt: skip

_EDIT = frozenset(
    "mw-editsection secedit headerlink crayon-toolbar crayon-plain-wrap toolbar_item "
    "gist-meta".split()
)
_DATA_OF_FILES = frozenset(["informations"])
_RENDERED = frozenset("katex-html mathjax_svg mathjax_chtml mjx-chtml".split())
_NUMBERS = frozenset(
    "gutter gl ln lnt lineno linenos linenodiv linenumber linenumbers line-number line-numbers "
    "line-num line-nums line_number line_numbers line-numbers-rows code-gutter rouge-gutter "
    "blob-num crayon-num crayon-nums hljs-ln-numbers react-syntax-highlighter-line-number "
    "codemirror-linenumber cm-linenumbers ace_gutter-cell".split()
)
"""Classes, lower case, by what they stand for."""

_PROMPTS = frozenset(
    "prompt input_prompt output_prompt jp-inputprompt jp-outputprompt jp-inputarea-prompt "
    "jp-outputarea-prompt".split()
)
_ITEMS = frozenset(["ltx_tag_item"])
_OF_WORD = frozenset(
    f"msolistparagraph{end}" for end in ("", "cxspfirst", "cxspmiddle", "cxsplast")
)
MARK_OF_WORD = re.compile(r"[·•o§▪–—*Øüv\uf0b7\uf0a7\uf0d8-]|\w{1,5}[.)]")
_DRAWN = re.compile(r"(?:In|Out)?\s?\[[\d\s*]*\]:?|[•◦∗⋄·–—*]|\d+\.")
"""Classes of what counts the cells of notebooks or stands before items, and its text."""

_CLASSES = Names(_EDIT | _DATA_OF_FILES | _RENDERED | _NUMBERS | _PROMPTS | _ITEMS | _OF_WORD)

_BUTTONS = frozenset(["button", "clipboard-copy"])

# -- bars of code ----------------------------------------------------------------------------

_LABELS = (
    LANGUAGES
    | NO_LANGUAGES
    | frozenset(
        "console output|plain text|shell|command line|terminal|terminal window|copied|copied!|copy|"
        "copy code|code snippet|objective-c|visual basic|wrap|expand|download|source code|"
        "expand source code|view source|show source|view code|show code".split("|")
    )
)
"""What bars of code say, beside names of files."""
_MOST_INDENT = 9  # characters of white space before the number of a line
_MOST_ACTION = 3  # words of what a bar of code does, after its label
_MOST_OF_TOOLTIP = 60  # words
_LEAST_CAPTION = 3  # words of a title that says what code does
_FILE = re.compile(
    r"[\w@.~/\\:()\[\]-]*[\w\])]\.[A-Za-z]\w{0,9}|(?:[\w.-]+/)*(?:Make|Docker|Gem)file"
)
_FRAME = re.compile(
    r"(?i)code|highlight|snippet|terminal|syntax|shiki|prism|(?:^|\s)lang(?:uage)?-|listing|console|(?:^|\s)file(?:\s|$)"
)
"""Classes of what holds code and its bar."""
_BAR = re.compile(
    r"(?i)lang|file|(?:^|[\s_-])(?:title|header|head|bar|toolbar|label|name|copy|meta|info|tabs?)(?:$|[\s_-])|"
    r"(?:title|header|bar|label|sr-only|visually-hidden)(?:$|[\s_-])|Title_|Header_|Bar_|Label_"
)
"""Classes of bars of code, inside of a frame."""
_NO_BARS = HEADINGS | frozenset(["blockquote", "li", "td"])
_BARS_OF_FRAMES = frozenset("th dt dd p".split())  # elements that may be bars in a frame only
_NOT_AROUND = frozenset("body html section article main blockquote li".split())
"""Elements that hold more than code and its bar."""
_KINDS = bits_of(
    [
        *(_BUTTONS | {"a"}, _BESIDE, PREFORMATTED, _BUTTONS),
        *(frozenset(["math"]), frozenset(["code"]), _NOT_AROUND, frozenset(["figure", "th"])),
    ]
)
_CODE, _BUTTON, _FORMULA = 1 << 2, 1 << 3, 1 << 4


def find_screen_only(nodes: Nodes) -> Int64:
    """Return the elements whose text is for the screen only, ascending; none holds another."""
    tags = _KINDS.of(nodes.names)
    links, numbered, inside, buttons, kinds = find_aids(nodes, tags, _FIRST_LETTERS)
    found = [
        element
        for element, is_aid, text in links
        if _is_screen_only(text, is_aid)
        or (is_aid and tags[nodes.tag[element]] & _BUTTON and _tidy(text).startswith("copy "))
    ]
    finder = _Finder(nodes)
    found += finder.of_classes()
    found += inside
    if nodes.may_have("tooltip"):
        found += finder.tooltips()
    if kinds & _CODE:
        # Those that copy or edit: some toolbars stand elements away from code.
        found += [element for element, text in buttons if _tidy(text) in _WORDS]
        found += finder.numbered_lines(numbered)
        found += finder.bars(beside_code(nodes, tags))
    found += side_copies(nodes)
    if kinds & _FORMULA:
        found += finder.formulas()
    return np.array(finder.outermost(sorted({*found})), dtype=np.int64)


class _Finder:
    """Looks for each kind of text for the screen only, by the arrays of a page."""

    def __init__(self, nodes: Nodes) -> None:
        self._nodes = nodes

    def outermost(self, elements: Iterable[int]) -> list[int]:
        """Return which of ascending *elements* have text, and stand in no other one that has."""
        nodes, found, end = self._nodes, [], 0
        for element in elements:
            if element >= end and nodes.last_text[element] > nodes.first_text[element]:
                found.append(element)
                end = int(nodes.end[element])
        return found

    def _span(self, element: int) -> tuple[int, int]:
        """Return the text nodes of an element, from the first on and before the last."""
        return int(self._nodes.first_text[element]), int(self._nodes.last_text[element])

    def tooltips(self) -> list[int]:
        """Return short texts by their role, no notes, that a page shows beside others on demand."""
        nodes = self._nodes
        found: list[int] = nodes.with_sign("tooltip").nonzero()[0].tolist()
        names = [nodes.strings[nodes.class_id[at]] + nodes.strings[nodes.id_id[at]] for at in found]
        return [
            each
            for each, name in zip(found, names, strict=True)
            if "note" not in name.lower() and len(nodes.said_by(each).split()) <= _MOST_OF_TOOLTIP
        ]

    # -- by class ----------------------------------------------------------------------------

    @cached_property
    def _told(self) -> dict[int, set[str]]:
        """The classes of what is for the screen only, by string id; most pages have none."""
        return _CLASSES.told(self._nodes.strings)

    def _of_class(self, names: frozenset[str]) -> Bool:
        nodes = self._nodes
        flags = np.zeros(len(nodes.strings), dtype=bool)
        flags[[number for number, told in self._told.items() if told & names]] = True
        return flags.take(nodes.class_id) & (nodes.last_text > nodes.first_text)

    def of_classes(self) -> list[int]:
        """Return what edits a section, numbers of lines, and those of cells."""
        if not self._told:
            return []
        found: list[int] = self._of_class(_EDIT).nonzero()[0].tolist()
        nodes, flags = self._nodes, self._of_class(_NUMBERS)
        around = nodes.parent[self._of_class(_DATA_OF_FILES)].tolist()
        found += [each for each in around if nodes.strings[nodes.class_id[each]] == "meta"]
        others = nodes.texts_inside(flags)
        others[others] = [not "".join(t.split()).isdecimal() for t in nodes.texts(others)]
        sums = cumulative(others)
        flags &= sums[nodes.last_text] == sums[nodes.first_text]
        numbers: list[int] = flags.nonzero()[0].tolist()
        drawn = self._of_class(_PROMPTS | _ITEMS).nonzero()[0].tolist()
        drawn = [each for each in drawn if _DRAWN.fullmatch(nodes.said_by(each).strip())]
        return found + numbers + drawn + self._marks_of_word()

    def _marks_of_word(self) -> list[int]:
        """Return the marks of items, each all that its element says, with which they begin."""
        nodes, found = self._nodes, []
        for item in self._of_class(_OF_WORD).nonzero()[0].tolist():
            first, last = self._span(item)
            mark = int(nodes.text_parent[first])
            while mark > item and nodes.parent[mark] > item:
                mark = int(nodes.parent[mark])
            is_one = mark > item and self._span(mark)[1] == first + 1 < last
            if is_one and MARK_OF_WORD.fullmatch(nodes.text(first).strip()):
                found.append(mark)
        return found

    @cached_property
    def _codes(self) -> Int64:
        """How much code begins before each element."""
        return cumulative(self._nodes.has_tag(PREFORMATTED))

    # -- numbers of lines, by structure ------------------------------------------------------

    def numbered_lines(self, codes: list[int]) -> list[int]:
        """Return the elements with which each line of *codes* begins, if they count the lines."""
        nodes = self._nodes
        found: list[int] = []
        for code in codes:
            texts = [text for text in range(*self._span(code)) if self._begins_line(code, text)]
            if (
                1 < len(texts) == self._nodes.said_by(code).strip().count("\n") + 1
                and len(texts) < self._span(code)[1] - self._span(code)[0]
                and _ascends([*map(nodes.text, texts)])
            ):
                found += nodes.text_parent[texts].tolist()
            elif len(texts := self._numbers_of_rows(code)) > 1:
                found += texts
        return found

    def _begins_line(self, code: int, text: int) -> bool:
        """Tell whether a text is a number in an element of its own, and begins a line of *code*."""
        nodes = self._nodes
        if not nodes.text(text).strip().isdecimal():
            return False
        owner, start = int(nodes.text_parent[text]), int(nodes.text_start[text])
        before = nodes.buffer[max(start - _MOST_INDENT, 0) : start].rpartition("\n")[2]
        first, last = self._span(owner)
        return owner != code and last - first == 1 and not before.strip(" \t")

    def _numbers_of_rows(self, code: int) -> list[int]:
        """Return the elements of numbers that ascend and begin each of the rows of code."""
        nodes = self._nodes
        first, last = self._span(code)
        row = int(nodes.parent[nodes.text_parent[first]])
        if not code < row:
            return []
        found: list[int] = []
        end = nodes.end[nodes.parent[row]]
        while row < end:
            begin, after = self._span(row)
            number = int(nodes.text_parent[begin]) if begin < after else -1
            if number < 0 or nodes.parent[number] != row:
                return []
            found.append(number)
            row = int(nodes.end[row])
        ascends = _ascends(list(map(self._nodes.said_by, found)))
        return found if ascends and last - first > len(found) else []

    # -- bars of code ------------------------------------------------------------------------

    def bars(self, places: list[tuple[int, int, int]]) -> Iterator[int]:
        """Yield labels of a language, names of files and the like beside code or in it.

        *places* are of code, what holds it or is its only line, and an element around that.
        """
        nodes = self._nodes
        for code, inner, outer in places:
            is_frame = outer == code or self._is_in_frame(code, outer)
            (first, last), (begin, after) = self._span(inner), self._span(outer)
            for text in (*range(begin, first), *range(last, after)):
                element = int(nodes.text_parent[text])
                holders = [element]
                while (
                    element > outer
                    and nodes.parent[element] > outer
                    and not (nodes.parent[element] <= inner < nodes.end[nodes.parent[element]])
                ):
                    element = int(nodes.parent[element])
                    holders.append(element)
                is_beside = element > outer and not element <= inner < nodes.end[element]
                if is_beside and self._is_bar(element, holders, is_frame=is_frame):
                    yield element

    def _is_in_frame(self, element: int, outer: int) -> bool:
        """Tell whether an element above, up to *outer*, is named as what holds code."""
        nodes = self._nodes
        while element != outer:
            element = int(nodes.parent[element])
            if _FRAME.search(nodes.strings[nodes.class_id[element]]):
                return True
        return False

    def _is_bar(self, element: int, holders: list[int], *, is_frame: bool) -> bool:
        """Tell whether an element beside code says what code it is, and *holders* of its text."""
        nodes = self._nodes
        if self._codes[nodes.end[element]] > self._codes[element]:
            return False  # it holds other code, too
        names = [nodes.names[nodes.tag[each]] for each in holders]
        if not (_NO_BARS if is_frame else _NO_BARS | _BARS_OF_FRAMES).isdisjoint(names):
            return False
        said = self._nodes.said_by(element)
        text = _tidy(said)
        label, colon, action = text.partition(":")  # "Code: Select all", in any language
        if is_frame and colon and label in _LABELS and len(action.split()) <= _MOST_ACTION:
            return True
        if text in _LABELS or text in _WORDS or _FILE.fullmatch(said.strip()):
            return True
        if not is_frame or text[-1:] in ".:;!?" or "figcaption" in names[-1:]:
            words = text.split()
            return is_frame and bool(words) and all(each in _LABELS for each in words)
        classes = [nodes.strings[nodes.class_id[each]] for each in holders]
        if len(text.split()) >= _LEAST_CAPTION and "title" in classes:
            return False
        return any(map(_BAR.search, classes))

    # -- formulas ----------------------------------------------------------------------------

    def formulas(self) -> list[int]:
        """Return all of each formula but one form of it: its TeX, without that its MathML."""
        nodes = self._nodes
        is_formula = nodes.filled(("math",))
        own = nodes.count_below(is_formula)
        drawn = self._of_class(_RENDERED) | nodes.filled(("nobr", "mjx-math"))
        inside = own[np.maximum(nodes.parent, 0)]
        found: list[int] = (drawn & (inside > 0) & (own == 0)).nonzero()[0].tolist()
        notes = (nodes.filled(("annotation",)) & (nodes.count_above(is_formula) > 0)).nonzero()[0]
        notes = notes[np.unique(nodes.parent[notes], return_index=True)[1]]
        beside = np.isin(nodes.parent, nodes.parent[notes]).nonzero()[0]
        others: list[int] = np.setdiff1d(beside, notes).tolist()
        return found + others


def _tidy(text: str) -> str:
    """Return a text in lower case, white space collapsed."""
    return " ".join(text.lower().split())


def _is_screen_only(text: str, is_aid: bool) -> bool:
    """Return whether a short link is a permalink, or edits or copies beside a heading."""
    text = _tidy(text)
    if text in _SURE_MARKS:
        return True
    return is_aid and (text in _MARKS or text in _WORDS or text.startswith(_BEGINNINGS))


def _ascends(numbers: list[str]) -> bool:
    """Return whether these are at least two whole numbers that ascend by one."""
    numbers = [each.strip() for each in numbers]
    if len(numbers) < 2 or not all(each.isdecimal() and len(each) < 8 for each in numbers):
        return False
    return all(int(b) == int(a) + 1 for a, b in pairwise(numbers))


_FIRST = {
    letter for text in (*_MARKS, *_WORDS, *_BEGINNINGS) for letter in (text[0], text[0].upper())
}
_FIRST_LETTERS = np.array([chr(code) in _FIRST for code in range(128)], dtype=np.uint8)
