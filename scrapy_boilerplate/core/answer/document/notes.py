"""Footnotes, endnotes and sidenotes: what links to each other, or stands right after its mark."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import islice, takewhile
from typing import TypeAlias

from lxml import etree

from scrapy_boilerplate.core.page.lenient import attribute_of, text_of

_LINKS = etree.XPath("descendant::a[contains(@href, '#')][string-length(.) < 40]")
_NAMED = etree.XPath("descendant::*[@id or self::a[@name]]")
_ASIDE = etree.XPath("descendant::span[contains(@class, 'note')]")
_AGAIN = etree.XPath(
    "descendant::*[@class][contains(@class, 'note_mark') or contains(@class, 'note_type')"
    " or contains(@class, 'tag_note')]"
)
"""Marks that LaTeXML repeats at the beginning of a note."""
_LABEL = re.compile(r"\W{0,3}(?:\d{1,3}|[a-z]|[ivx]{1,5}|[*†‡§¶]{1,3}|note \d{1,3})\W{0,3}")
_BRACKETS = re.compile(r"[\[\]() ]*")
"""What stands around a reference."""
_MARKS = re.compile(r"[\W\d_]{0,12}(?:[a-z\W]{1,3})?")
"""What stands beside the links back from a note."""
_INLINE = frozenset("a sup sub span small b strong i em cite ins".split())
_KINDS = ("role", "epub:type", "{http://www.idpf.org/2007/ops}type")
_NOTES = frozenset("doc-footnote doc-endnote footnote endnote rearnote".split())
_LEVELS, _LEVELS_OF_NOTE = 3, 12
_MOST_BACK = 20
"""Links back to a reference that are looked at."""
_LONGEST_MARKS = 60

_Found: TypeAlias = "dict[etree._Element, tuple[list[etree._Element], set[etree._Element]]]"
"""By note: the links that refer to it, and those back from it."""


@dataclass(frozen=True)
class Notes:
    """The notes of a page, by their elements."""

    references: dict[etree._Element, tuple[int, str]] = field(default_factory=dict)
    """The number of the note that each refers to, and what it says."""
    notes: dict[etree._Element, int] = field(default_factory=dict)
    """The number of each note, in their order on the page from 1. One that stands in the place of
    its reference is a reference, too, and comes after those that are linked."""
    marks: set[etree._Element] = field(default_factory=set)
    """What leads back from a note or marks it, and says nothing."""
    lists: set[etree._Element] = field(default_factory=set)
    """The elements right around notes."""


def find_notes(root: etree._Element) -> Notes:
    """Return the notes of a page: what a short link leads to, and what links back to that link.

    The note comes after the reference. One without a link back is a note only if its ``role`` or
    ``epub:type`` says so, or if it stands in a list of others. Notes are also what stands in a line
    right after a mark, in an element whose class says ``note``, as LaTeXML and Tufte CSS have it.
    Linear.

    >>> page = etree.HTML("<p>One<sup id=r1><a href=#n1>1</a></sup>.<ol><li id=n1>Two. "
    ...                   "<a href=#r1>back</a></ol>")
    >>> [(note.tag, number) for note, number in find_notes(page).notes.items()]
    [('li', 1)]
    """
    notes = _linked(root)
    known: dict[str, int] = {}  # the number of each note, by its mark
    inside: set[etree._Element] = set()
    for aside in _ASIDE(root):
        mark = _mark_before(aside)
        if mark is None or aside in inside or _LABEL.fullmatch(_said(aside)):
            continue
        inside.update(aside.iter("span"))
        label, again = _said(mark), _AGAIN(aside)
        if _squeezed(aside) != _squeezed(*again):
            known[label] = notes.notes[aside] = len(notes.notes) + 1
        elif label not in known:  # a mark of a note that stands elsewhere
            notes.marks.add(aside)
            continue
        notes.references[aside] = known[label], label
        notes.marks.update([mark, *again])
    return notes


def _mark_before(aside: etree._Element) -> etree._Element | None:
    """Return the mark that stands right before an element, with a checkbox at the most between."""
    mark = aside.getprevious()
    if mark is not None and mark.tag == "input" and not (mark.tail or "").strip():
        mark = mark.getprevious()
    if mark is None or mark.tag not in ("sup", "label") or (mark.tail or "").strip():
        return None
    label = _said(mark)
    return mark if _LABEL.fullmatch(label) or not any(map(str.isalnum, label)) else None


def _linked(root: etree._Element) -> Notes:
    """Return the notes that are linked with their references."""
    links = list(_LINKS(root))
    short = [link for link in links if _LABEL.fullmatch(_said(link))]
    if not short:
        return Notes()
    named: dict[str, etree._Element] = {}
    for node in _NAMED(root):
        for name in (attribute_of(node, "id"), attribute_of(node, "name")):
            if name:
                named.setdefault(name, node)
    hrefs = {link: attribute_of(link, "href") or "" for link in links}
    targets = {link: named.get(href.rpartition("#")[2]) for link, href in hrefs.items()}
    order = {link: number for number, link in enumerate(links)}
    found: _Found = {}
    back: dict[etree._Element, list[etree._Element]] = {}
    for link in links:
        target = targets[link]
        if target is not None:
            back.setdefault(target, []).append(link)
    for link in short:
        target = targets[link]
        if target is None:
            continue
        note, returning = _note(link, target, back, order)
        if note is not None:
            references, marks = found.setdefault(note, ([], set()))
            references.append(link)
            marks.update(returning)
    return _numbered(root, found) if found else Notes()


def _note(
    link: etree._Element,
    target: etree._Element,
    back: dict[etree._Element, list[etree._Element]],
    order: dict[etree._Element, int],
) -> tuple[etree._Element | None, list[etree._Element]]:
    """Return the note that a link refers to, and what links back from it; ``None`` if it is none.

    Where the name stands on the link back, the note is the block around it.
    """
    note: etree._Element | None = target
    for _ in range(_LEVELS):
        if note is None or note.tag not in _INLINE:
            break
        note = note.getparent()
    if note is None or note.tag in ("body", "html") or _is_inside(link, note):
        return None, []
    places = [link, *_inline_above(link)]
    returning = [
        each
        for place in places
        for each in back.get(place, ())[:_MOST_BACK]
        if order[each] > order[link] and _is_inside(each, note)
    ]
    kinds = (attribute_of(note, name) or "" for name in _KINDS)
    if returning or _NOTES.intersection(" ".join(kinds).split()):
        return note, returning
    return None, []


def _numbered(root: etree._Element, found: _Found) -> Notes:
    notes = Notes()
    lists = {note.getparent() for note in found if note.tag == "li"}
    for node in root.iter(*{note.tag for note in found}):
        parent = node.getparent()
        if node not in found and not (node.tag == "li" and parent in lists):
            continue
        if not any(each in notes.notes for each in islice(node.iterancestors(), _LEVELS_OF_NOTE)):
            notes.notes[node] = len(notes.notes) + 1
            notes.lists.add(parent)
    for note, number in notes.notes.items():
        links, returning = found.get(note, ([], set()))
        for link in links:
            notes.references[_around(link, _BRACKETS, note)] = number, _said(link)
        notes.marks.update(_around(link, _MARKS, note) for link in returning)
    return notes


def _around(link: etree._Element, marks: re.Pattern[str], note: etree._Element) -> etree._Element:
    """Return the largest inline element around a link, in its note, that adds marks only."""
    outer, said = link, _said(link)
    for above in _inline_above(link):
        text = _said(above)
        added = text.replace(said, "", 1)
        if above is note or len(text) > _LONGEST_MARKS or not marks.fullmatch(added):
            break
        outer = above
    return outer


def _inline_above(node: etree._Element) -> Iterator[etree._Element]:
    return takewhile(lambda each: each.tag in _INLINE, islice(node.iterancestors(), _LEVELS))


def _is_inside(node: etree._Element, outer: etree._Element) -> bool:
    return any(above is outer for above in islice(node.iterancestors(), _LEVELS_OF_NOTE))


def _squeezed(*elements: etree._Element) -> str:
    """Return the beginning of what elements say, without white space."""
    return "".join("".join(map(_said, elements)).split())


def _said(node: etree._Element) -> str:
    """Return the beginning of what an element says."""
    if not len(node):  # as in most links, and much cheaper
        return (text_of(node) or "").strip()
    pieces, size = [], 0
    for text in node.itertext():
        pieces.append(text)
        size += len(text)
        if size > _LONGEST_MARKS:
            break
    return "".join(pieces).strip()
