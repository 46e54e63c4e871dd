"""Footnotes, endnotes and side notes: what marks in the text lead to, or what stands after them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import islice
from typing import NamedTuple
from urllib.parse import unquote

import numpy as np

from scrapy_boilerplate.core.caching import cached_property
from scrapy_boilerplate.core.page.arrays import Int64, cumulative
from scrapy_boilerplate.core.page.lenient import attribute_of
from scrapy_boilerplate.core.page.node_arrays import Nodes
from scrapy_boilerplate.core.page.tags import BLOCK_LEVEL, CELLS, HEADINGS, PREFORMATTED

_LABEL = re.compile(
    r"\W{0,3}(?:\d{1,3}|[a-z]|[ivx]{1,5}|[*†‡§¶]{1,3}|"
    r"(?i:note|nb|anm\.|lower-[a-z]{5}) \d{1,3})\W{0,3}"
)
_BEGINNING = re.compile(r"\s*\W{0,2}(\d{1,3}|[*†‡§¶]{1,3})(?:\W{1,2}\s*|\s+)")
"""The label with which a note begins that has none in an element of its own."""
_PLAIN = re.compile(r"\[(\d{1,3})\]")  # a mark that is no element
_BEHIND = re.compile(r"\s{0,9}[.:)\]]\s")
"""What stands behind the label of a note that has an element of its own."""
_BRACKETED = re.compile(r"\s*[\[(]")
_OPEN, _CLOSED = re.compile(r"[\[(]\s*\Z"), re.compile(r"\s*[\])][.:]?")
"""Brackets around a mark, in the texts beside it."""
_BEFORE = re.compile(r"[\s\[(^↑]*")
"""A text that stands before the label of a note, or the first link back."""
_BRACKETS = re.compile(r"[\[\]() ]*")  # what stands around a reference
_MARKS = re.compile(r"[\W\d_]{0,12}(?:[a-z\W]{1,3})?")
"""What stands beside the links back from a note."""
_SAID = re.compile(
    r"(?i)foot|note|\bfn|ftn|cite|citation|(?:^|[\s_-])ref(?:s|erences?)?(?:$|[\s_:-])|bib"
)
"""What classes and anchors of notes say, and those of their lists."""
_NOTE = "note"  # what classes of notes in the place of their mark say
_ASIDES = ("span", "aside", "small", "div")
_IS_SIDE_NOTE = re.compile("(?:[Ss]ide|[Mm]argin)[-_]?[Nn]ote")
_AGAIN = re.compile(r"note_mark|note_type|tag_note")
"""Marks that LaTeXML repeats at the beginning of a note."""
_LETTERS = re.compile(r"[^\W\d_]{2}")
_SIGNS = re.compile(r"\w|[*†‡§¶]")
_ABOUT_NOTES = frozenset(
    "note notes footnote footnotes endnote endnotes references anmerkungen fußnoten notas "
    "примечания сноски noten voetnoten noter fotnoter przypisy poznámky 注释 註釋 注 脚注".split()
)
"""What headings of notes say."""

_FIRST_LABELS = frozenset("0 1 a i * †".split())
_INLINE = frozenset("a sup sub span small b strong i em cite ins".split())
_NO_MARKS = PREFORMATTED | frozenset("a code samp kbd tt var".split())
_NO_NOTES = HEADINGS | PREFORMATTED | frozenset("figure section article main body html nav".split())
_KIND_ATTRIBUTES = ("role", "epub:type", "{http://www.idpf.org/2007/ops}type")
_NOTES = frozenset("doc-footnote doc-endnote footnote endnote rearnote".split())
_LINKS = ("a",)
_LEVELS_OF_MARK = 3
_MOST_BACK = 20  # links back to a reference that are looked at
_LARGEST_NOTE = 200  # elements of a note that nothing links back from
_LONGEST_NOTE_LABEL, _LONGEST_LINK, _LONGEST_MARKS = 16, 40, 60


@dataclass(frozen=True)
class Notes:
    """The notes of a page, by their elements."""

    references: dict[int, tuple[int, str]] = field(default_factory=dict)
    """The number of the note that each refers to, and what it says."""
    inside: dict[int, list[tuple[int, int, int]]] = field(default_factory=dict)
    """References that are part of a text node: where each begins and ends in it, and the number; 0
    for what says nothing."""
    notes: dict[int, int] = field(default_factory=dict)
    """The number of each note, in their order on the page from 1. One that stands in the place of
    its reference is a reference, too, and comes after those that are linked. One that is a line of
    several in an element begins at the text node −1, −2, … and goes on to the next one."""
    raised: set[int] = field(default_factory=set)
    """Elements that raise several references, and what stands between them."""
    marks: set[int] = field(default_factory=set)
    """What leads back from a note or marks it, and says nothing."""
    beginnings: dict[int, int] = field(default_factory=dict)
    """Characters of a text node that mark a note, at its beginning."""
    lists: set[int] = field(default_factory=set)
    """The elements right around notes."""
    again: set[int] = field(default_factory=set)
    """Side notes that say what a note in a list says."""

    @property
    def in_place(self) -> list[int]:
        """The elements of notes that stand in the place of their mark."""
        return sorted(self.again | (self.references.keys() & self.notes.keys()))


NO_NOTES = Notes()


def texts_of_note(page: Nodes, note: int) -> tuple[int, int]:
    """Return the first text node of a note and the one after: of an element, or of its line."""
    if note < 0:
        return ~note, ~note + 1
    return int(page.first_text[note]), int(page.last_text[note])


class _Mark(NamedTuple):
    """A mark that does not link: an element, or a part of a text node."""

    label: str
    text: int  # the text node that it begins in …
    start: int
    stop: int  # … and its place there
    element: int = -1  # the element that says nothing else, −1 without one


def find_notes(page: Nodes, blocks: Int64) -> Notes:
    """Return the notes of a page: what a short link leads to, and what links back to that link.

    The note comes after the reference. One without a link back is a note if its ``role`` or
    ``epub:type`` says so, or if its mark is raised or in brackets, and it has the number of the
    mark, or is named as a note. Marks that do not link refer to what begins with the same marks,
    or is so numbered below a heading such as *Notes*. Notes are also what stands in a line right
    after a mark, in an element whose class says ``note``. Linear.

    >>> from scrapy_boilerplate import Page
    >>> page = Page.parse("<p>One<sup id=r1><a href=#n1>1</a></sup>.<ol><li id=n1>Two. "
    ...                   "<a href=#r1>back</a></ol>")
    >>> [(page.names[page.tag[note]], number) for note, number in page.notes.notes.items()]
    [('li', 1)]
    """
    finder = _Finder(page)
    finder.find_linked()
    if not finder.notes.notes:
        finder.find_unlinked(blocks)
    if page.may_have("note"):
        finder.find_in_place()
    return finder.notes


class _Finder:
    def __init__(self, page: Nodes) -> None:
        self._page = page
        self._parent, self._end = page.parent, page.end
        self._first, self._last = page.first_text, page.last_text
        self.notes = Notes()
        self._references: dict[int, list[int]] = {}  # by note: the links that refer to it …
        self._back: dict[int, set[int]] = {}  # … those back from it …
        self._terms: dict[int, int] = {}  # … and the term of which it is the definition

    # -- what elements are and say -----------------------------------------------------------

    def _name(self, element: int) -> str:
        return self._page.names[self._page.tag[element]]

    def _said(self, element: int) -> str:
        """Return the beginning of what an element says."""
        first, last = int(self._first[element]), int(self._last[element])
        if first == last:
            return ""
        start, stop = int(self._page.text_start[first]), int(self._page.text_stop[last - 1])
        return self._page.buffer[start : min(stop, start + _LONGEST_MARKS)].strip()

    def _called(self, element: int) -> str:
        strings = self._page.strings
        return f"{strings[self._page.class_id[element]]} {strings[self._page.id_id[element]]}"

    def _above(self, element: int, levels: int) -> Iterator[int]:
        for _ in range(levels):
            element = int(self._parent[element])
            if element < 0:
                return
            yield element

    def _inline_above(self, element: int) -> Iterator[int]:
        for above in self._above(element, _LEVELS_OF_MARK):
            if self._name(above) not in _INLINE:
                return
            yield above

    def _is_inside(self, element: int, place: int) -> bool:
        first, _, outer = self._span(place)
        return bool(outer < element < self._end[outer] and self._first[element] >= first)

    def _span(self, place: int) -> tuple[int, int, int]:
        """Return the first text node of an element or line, the one after, and what it is in."""
        outer = place if place >= 0 else self._block_around(int(self._page.text_parent[~place]))
        return int(self._first[place]) if place >= 0 else ~place, int(self._last[outer]), outer

    def _block_around(self, element: int) -> int:
        while element > 0 and self._name(element) not in BLOCK_LEVEL:
            element = int(self._parent[element])
        return element

    @cached_property
    def _after_breaks(self) -> set[int]:
        """The text nodes that follow a ``br``; none follows one at the end of the page."""
        return {*self._first[self._page.has_tag(("br",))].tolist()} - {self._page.text_at.size}

    def _short(self, names: Iterable[str], most: int) -> list[int]:
        """Return the elements of some names with short text; of links those to a place."""
        page = self._page
        flags = page.has_tag(names) & (self._last > self._first)
        found = (flags & (page.fragment > 0) if names == _LINKS else flags).nonzero()[0]
        first, last = self._first[found], self._last[found] - 1
        sizes = page.text_stop[last] - page.text_start[first]
        return found[sizes <= most].tolist()

    def _labels(self, name: str) -> list[int]:
        """Return the elements of a name that say no more than a label."""
        short = self._short((name,), _LONGEST_NOTE_LABEL)
        return [element for element in short if _LABEL.fullmatch(self._said(element))]

    # -- linked notes ------------------------------------------------------------------------

    def find_linked(self) -> None:
        if not self._page.may_have("label"):
            return
        labels = self._labels("a")
        if not labels:
            return
        links = self._short(_LINKS, _LONGEST_LINK)
        fragments = self._fragments(links)
        targets = self._targets(fragments)
        back: dict[int, list[int]] = {}
        for link, target in targets.items():
            back.setdefault(target, []).append(link)
        notes = self._notes_of({link: targets[link] for link in labels if link in targets})
        declared = self._declared({note for note in notes.values() if note > 0})
        for link, note in notes.items():
            if self._is_inside(link, note):
                continue
            places = {note, self._terms.get(note, note)}
            returning = [
                each
                for place in (link, *self._inline_above(link))
                for each in back.get(place, ())[:_MOST_BACK]
                if each > link and any(self._is_inside(each, place) for place in places)
            ]
            if returning or note in declared or self._agrees(link, note, fragments[link]):
                self._references.setdefault(note, []).append(link)
                self._back.setdefault(note, set()).update(returning)
        self._number()

    def _fragments(self, links: list[int]) -> dict[int, str]:
        nodes = self._page.nodes(links)
        parts = ((link, (attribute_of(node, "href") or "").partition("#")) for link, node in nodes)
        return {link: fragment for link, (_, _, fragment) in parts if fragment}

    def _targets(self, fragments: dict[int, str]) -> dict[int, int]:
        """Return the element that each link leads to."""
        page = self._page
        named: dict[str, int] = {}
        for element in page.id_id.nonzero()[0].tolist():
            named.setdefault(page.strings[page.id_id[element]], element)
        if any(fragment not in named for fragment in fragments.values()):
            for ordinal, name in page.values_with("name"):
                element = int(np.searchsorted(page.ordinal, ordinal))
                if element < page.ordinal.size and page.ordinal[element] == ordinal:
                    named.setdefault(name, element)
        return {
            link: named[name]
            for link, fragment in fragments.items()
            for name in (f"user-content-{fragment}", unquote(fragment), fragment)  # the last wins
            if name in named
        }

    def _notes_of(self, targets: dict[int, int]) -> dict[int, int]:
        """Return the notes that links lead to: blocks, or lines of blocks with several of them."""
        found = {link: self._note_around(target) for link, target in targets.items()}
        held: dict[int, set[int]] = {}
        for link, note in found.items():
            held.setdefault(note, set()).add(int(self._first[targets[link]]))
        for link, note in found.items():
            text = int(self._first[targets[link]])
            if len(held[note]) > 1 and note > 0 and not held[note].isdisjoint(self._after_breaks):
                found[link] = ~text
        return {link: note for link, note in found.items() if note}

    def _note_around(self, target: int) -> int:
        """Return the block or the definition that a target names, 0 without one."""
        note = target
        for _ in range(_LEVELS_OF_MARK):
            if note < 0 or self._name(note) not in _INLINE:
                break
            note = int(self._parent[note])
        if self._name(note) == "dt":
            term, note = note, int(self._end[note])
            is_next = note < self._end.size and self._parent[note] == self._parent[term]
            note = note if is_next and self._name(note) == "dd" else 0
            self._terms[note] = term
        if self._name(note) in CELLS and not _LETTERS.search(self._said(note)):
            note = int(self._parent[note])  # the row of the number is the note
        return note if note > 0 and self._name(note) not in ("body", "html") else 0

    def _declared(self, notes: set[int]) -> set[int]:
        """Return which of *notes* say that they are some."""
        found = set()
        for note, node in self._page.nodes(sorted(notes)):
            kinds = (attribute_of(node, name) or "" for name in _KIND_ATTRIBUTES)
            if not _NOTES.isdisjoint(" ".join(kinds).split()):
                found.add(note)
        return found

    def _agrees(self, link: int, note: int, fragment: str) -> bool:
        """Tell whether a mark and what it leads to are a note that does not link back."""
        first, _, outer = self._span(note)
        if first < self._first[link] or self._end[outer] - outer > _LARGEST_NOTE:
            return False
        names = {self._name(each) for each in range(outer, int(self._end[outer]))}
        if not names.isdisjoint(_NO_NOTES):
            return False
        around = [link, *self._inline_above(link)]
        inside = range(link + 1, int(self._end[link]))
        is_mark = (
            any(self._name(each) == "sup" for each in (*around, *inside))
            or bool(_BRACKETED.match(self._said(link)))
            or any(_SAID.search(self._called(each)) for each in around)
        )
        lists = [outer, *self._above(outer, 2)]
        is_named = bool(_SAID.search(fragment)) or any(
            _SAID.search(self._called(each)) for each in lists if self._name(each) != "body"
        )
        is_numbered = self._label_of(note) == _squeezed(self._said(link))
        return (is_mark and (is_named or is_numbered)) or (is_named and is_numbered)

    def _label_of(self, note: int) -> str:
        """Return the label with which a note begins; the number of an item."""
        first, last, outer = self._span(note)
        if first < last:
            lead = self._lead(first, outer)
            if lead >= 0:
                return _squeezed(self._said(lead))
            if match := _BEGINNING.match(self._page.text(first)):
                return match[1]
        return str(self._page.position[outer]) if self._name(outer) == "li" else ""

    def _lead(self, text: int, outer: int) -> int:
        """Return the largest element at a text that is only a label, in *outer*; −1 without one.

        Signs may stand before it.
        """
        text += text + 1 < self._last[outer] and bool(_BEFORE.fullmatch(self._page.text(text)))
        element, lead = int(self._page.text_parent[text]), -1
        while element > outer and self._first[element] == text:
            if not _LABEL.fullmatch(self._said(element)):
                break
            lead = element
            element = int(self._parent[element])
        return lead

    def _number(self) -> None:
        """Number the linked notes, with the items beside those that are items."""
        found = self._references
        if not found:
            return
        lists = {self._parent[note] for note in found if note > 0 and self._name(note) == "li"}
        items = (
            element
            for element in self._page.has_tag(("li",)).nonzero()[0].tolist()
            if self._parent[element] in lists
        )
        end = 0
        for note in sorted({*found, *items}, key=lambda place: (self._span(place)[0], place)):
            if note < 0 or note >= end:
                self._add(note, {_squeezed(self._said(link)) for link in found.get(note, ())})
                end = max(end, int(self._end[note])) if note > 0 else end
        raised: set[int] = set()
        for note, number in self.notes.notes.items():
            for link in found.get(note, ()):
                outer = self._around(link, _BRACKETS, note)
                self.notes.references[outer] = number, self._said(link)
                self._drop_brackets(outer)
                above = self._inline_above(outer)
                raised.update(each for each in above if self._name(each) == "sup")
            for link in self._back.get(note, ()):
                self._mark(self._around(link, _MARKS, note), note)

        self.notes.raised.update(each for each in raised if self._says_only_marks(each))

    def _says_only_marks(self, element: int) -> bool:
        """Tell whether what an element says beside references is signs."""
        inside = range(element + 1, int(self._end[element]))
        texts = {*range(int(self._first[element]), int(self._last[element]))}
        for each in inside:
            if each in self.notes.references:
                texts.difference_update(range(int(self._first[each]), int(self._last[each])))
        return not any(_SIGNS.search(self._page.text(text)) for text in texts)

    def _add(self, note: int, labels: set[str]) -> None:
        """Add a note, and what marks it at its beginning with one of the *labels*."""
        notes, (first, last, outer) = self.notes, self._span(note)
        notes.notes[note] = len(notes.notes) + 1
        if note > 0:
            notes.lists.add(int(self._parent[note]))
        if note in self._terms:
            notes.marks.add(self._terms[note])
        if first == last:
            return
        lead = self._lead(first, outer)
        if lead >= 0 and _squeezed(self._said(lead)) in labels:
            self._mark(lead, note)
        elif (match := _BEGINNING.match(self._page.text(first))) and match[1] in labels:
            notes.beginnings[first] = match.end()

    def _mark(self, mark: int, note: int) -> None:
        """Note what marks a note, at its beginning with the signs beside it."""
        self.notes.marks.add(mark)
        self._drop_brackets(mark)
        text, (first, last, _) = int(self._last[mark]), self._span(note)
        if self._first[mark] == first + 1 and _BEFORE.fullmatch(self._page.text(first)):
            self.notes.beginnings[first] = len(self._page.text(first))
            first += 1
        is_first = self._first[mark] == first and text < last
        if is_first and (match := _BEHIND.match(self._page.text(text))):
            self.notes.beginnings[text] = match.end()

    def _drop_brackets(self, mark: int) -> None:
        """Note that brackets right around a mark belong to it."""
        before, after, outer = int(self._first[mark]) - 1, int(self._last[mark]), self._parent[mark]
        is_between = self._first[outer] <= before and after < self._last[outer]
        if not is_between or (self._page.text_parent[[before, after]] != outer).any():
            return
        opened, closed = (
            _OPEN.search(self._page.text(before)),
            _CLOSED.match(self._page.text(after)),
        )
        if opened and closed:
            self.notes.inside.setdefault(before, []).append((*opened.span(), 0))
            self.notes.beginnings[after] = closed.end()

    def _around(self, link: int, marks: re.Pattern[str], note: int) -> int:
        """Return the largest inline element around a link, in its note, that adds marks only."""
        outer, said = link, self._said(link)
        for above in self._inline_above(link):
            text = self._said(above)
            added = text.replace(said, "", 1)
            if above == note or len(text) > _LONGEST_MARKS or not marks.fullmatch(added):
                break
            outer = above
        return outer

    # -- notes that do not link --------------------------------------------------------------

    def find_unlinked(self, blocks: Int64) -> None:
        """Find raised marks, else those in brackets, and what begins so or is so numbered."""
        found = self._raised() or self._bracketed()
        if not found:
            return
        lines = {*blocks[:, 0].tolist()} | self._after_breaks
        marks: dict[str, list[_Mark]] = {}
        leads = []
        for mark in found:
            if mark.text in lines and not self._page.text(mark.text)[: mark.start].strip():
                leads.append(mark)
            elif not self._is_linked(mark):
                marks.setdefault(mark.label, []).append(mark)
        if not marks:
            return
        leads = leads or self._written_leads(sorted(lines), marks)
        notes = self._with_leads(leads) or self._numbered_below(len(marks))
        labels = [label for _, label in notes]
        is_all = labels and labels[0] in _FIRST_LABELS and set(labels) <= set(marks)
        if not is_all or len(set(labels)) < len(labels):
            return
        if any(marks[label][0].text >= self._span(note)[0] for note, label in notes):
            return
        for note, label in notes:
            self._add(note, {label})
            number = self.notes.notes[note]
            for mark in marks[label]:
                if mark.element >= 0:
                    self.notes.references[mark.element] = number, label
                else:
                    place = mark.start, mark.stop, number
                    self.notes.inside.setdefault(mark.text, []).append(place)

    def _raised(self) -> list[_Mark]:
        if not self._page.may_have("raised"):
            return []
        return [
            _Mark(_squeezed(self._said(each)), int(self._first[each]), 0, 0, each)
            for each in self._labels("sup")
        ]

    def _bracketed(self) -> list[_Mark]:
        page = self._page
        if not page.may_have("bracket"):
            return []
        return [
            _Mark(match[1], text, match.start(), match.end())
            for text, said in enumerate(page.texts())
            for match in _PLAIN.finditer(said)
        ]

    def _is_linked(self, mark: _Mark) -> bool:
        """Tell whether a mark stands in a link or in code, or holds a link."""
        around = [int(self._page.text_parent[mark.text])]
        if mark.element >= 0:
            around = [mark.element, *range(mark.element, int(self._end[mark.element]))]
        around += self._above(around[0], _LEVELS_OF_MARK)
        return not _NO_MARKS.isdisjoint(map(self._name, around))

    def _written_leads(self, lines: list[int], marks: Iterable[str]) -> list[_Mark]:
        """Return the labels with which lines begin, if they are all of several *marks*."""
        pairs = ((text, _BEGINNING.match(self._page.text(text))) for text in lines)
        leads = [_Mark(match[1], text, 0, match.end()) for text, match in pairs if match]
        labels = {lead.label for lead in leads}
        return leads if len(labels) > 1 and labels == set(marks) else []

    def _with_leads(self, leads: list[_Mark]) -> list[tuple[int, str]]:
        """Return the last run of siblings, or of lines in them, that begin with labels."""
        around = [self._block_around(int(self._page.text_parent[lead.text])) for lead in leads]
        begun = cumulative(self._page.has_tag(BLOCK_LEVEL)) if leads else np.zeros(0)
        count, run, above = Counter(around), list[tuple[int, str]](), -1
        for lead, block in zip(leads, around, strict=True):
            last = int(self._last[block])
            after = lead.text + 1 if lead.element < 0 else int(self._last[lead.element])
            says_more = lead.element < 0 and self._page.text(lead.text)[lead.stop :].strip()
            is_leaf = begun[self._end[block]] == begun[block] + 1
            if not is_leaf or (after == last and not says_more):
                run = []
                continue
            run = run if self._parent[block] == above else []
            is_whole = count[block] == 1 and lead.text == self._first[block]
            run.append((block if is_whole else ~lead.text, lead.label))
            above = int(self._parent[block])
        is_raised = any(lead.element >= 0 for lead in leads)
        return run if is_raised or len(run) == len(leads) else []

    def _numbered_below(self, count: int) -> list[tuple[int, str]]:
        """Return the items below a heading of notes, with their numbers, if they are so many."""
        page = self._page
        headings = self._short(HEADINGS, _LONGEST_LINK)[::-1]
        about = (h for h in headings if self._said(h).strip(" :.").casefold() in _ABOUT_NOTES)
        for heading in islice(about, _LEVELS_OF_MARK):
            start, stop = int(self._end[heading]), int(self._end[self._parent[heading]])
            lists = page.has_tag(("ol",))[start:stop].nonzero()[0][:1] + start
            items = page.has_tag(("li",))[start:stop].nonzero()[0] + start
            items = items[np.isin(self._parent[items], lists)]
            if len(items) == count:
                return [(int(item), str(n)) for n, item in enumerate(items, 1)]
        return []

    # -- notes in the place of their mark ----------------------------------------------------

    def find_in_place(self) -> None:
        """Find what stands right after a mark, in an element whose class says ``note``."""
        page, notes = self._page, self.notes
        says = np.array([_NOTE in name.lower() for name in page.strings])
        flags = says.take(page.class_id) & page.has_tag(_ASIDES) & (self._last > self._first)
        known: dict[str, int] = {}  # the number of each note, by its mark
        end = 0
        for aside in flags.nonzero()[0].tolist():
            mark = self._mark_before(aside) if aside >= end and aside not in notes.notes else -1
            if mark < 0 or mark in notes.marks or _LABEL.fullmatch(self._said(aside)):
                continue
            end = int(self._end[aside])
            label, (leads, first) = self._said(mark), self._leads(aside)
            linked = next((r for r in range(mark, aside) if r in notes.references), -1)
            if linked >= 0:
                if self._says_again(first, aside, notes.references[linked][0]):
                    notes.again.add(aside)
                continue
            if first < self._last[aside]:
                known[label] = notes.notes[aside] = len(notes.notes) + 1
            elif label not in known:  # a mark of a note that stands elsewhere
                notes.marks.add(aside)
                continue
            notes.references[aside] = known[label], label
            notes.marks.update([mark, *leads])

    def _leads(self, aside: int) -> tuple[list[int], int]:
        """Return the marks that a note begins with, and the text after them."""
        text, leads = int(self._first[aside]), []
        while text < self._last[aside]:
            lead = self._lead(text, aside)
            if lead < 0:
                owner = int(self._page.text_parent[text])
                if not _AGAIN.search(self._called(owner)):
                    break
                lead = owner
            leads.append(lead)
            text = int(self._last[lead])
        return leads, text

    @cached_property
    def _by_number(self) -> dict[int, int]:
        return {number: note for note, number in self.notes.notes.items()}

    def _says_again(self, first: int, aside: int, number: int) -> bool:
        """Tell whether a side note says from a text on what the note of a *number* says."""
        said = self._words(first, int(self._last[aside]))
        noted = self._words(*self._span(self._by_number[number])[:2])
        return len(noted) <= len(said) + _LONGEST_NOTE_LABEL and said in noted

    def _words(self, first: int, last: int) -> str:
        """Return what texts say, without white space."""
        return "".join("".join(self._page.texts(slice(first, last))).split())

    def _mark_before(self, aside: int) -> int:
        """Return the mark that stands right before an element; −1 without one."""
        text, outer = int(self._first[aside]) - 1, int(self._parent[aside])
        for empty in range(aside - 1, max(aside - 3, outer), -1):
            if self._last[empty] > self._first[empty] or self._parent[empty] != outer:
                break
            if self._first[empty] > text and self._name(empty) in ("sup", "label"):
                return empty
        before = int(self._page.text_parent[text]) if text >= 0 else outer
        for _ in range(_LEVELS_OF_MARK):
            if before <= outer or self._parent[before] == outer:
                break
            before = int(self._parent[before])
        if before <= outer or self._parent[before] != outer or self._is_inside(aside, before):
            return -1
        label = self._said(before)
        is_label = _LABEL.fullmatch(label) or not any(map(str.isalnum, label))
        return before if self._name(before) in ("sup", "label", "a") and is_label else -1


def side_copies(page: Nodes) -> list[int]:
    """Return the side notes of a page that say what the note in a list says."""
    if not (page.may_have("note") and page.may_have("label")):
        return []
    if not _IS_SIDE_NOTE.search("\n".join(page.strings)):
        return []
    finder = _Finder(page)
    finder.find_linked()
    finder.find_in_place()
    return sorted(finder.notes.again)


def _squeezed(label: str) -> str:
    """Return a label without brackets, points and white space."""
    return "".join(_SIGNS.findall(label))
