"""The walk of a tree in Python: states what the compiled walk has to find."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence

import numpy as np
from lxml import etree

from scrapy_boilerplate.core.page._walk_native import walk
from scrapy_boilerplate.core.page.arrays import Int32
from scrapy_boilerplate.core.page.lenient import attribute_of, tail_of, text_of
from scrapy_boilerplate.core.page.tags import INVISIBLE, is_line_style
from scrapy_boilerplate.core.page.walk import (
    ELEMENT_ROWS,
    KNOWN_TAGS,
    LINE_KINDS,
    SIGNS,
    TAG_IDS,
    TEXT_ROWS,
    Walk,
    local_name,
)

_LITERAL, _BREAK = 1, 3
_HIDDEN, _FOREIGN = -1, -2  # stand for the index of an element that is not visible; in svg


def _matrix(rows: Sequence[Sequence[int]], width: int) -> Int32:
    return np.ascontiguousarray(np.array(rows, dtype=np.int32).reshape(-1, width).T)


def walk_in_python(root: etree._Element, invisible: Collection[str] = INVISIBLE) -> Walk:
    """Read the tree below *root* in one iterative pass; the tree stays as it is.

    *invisible* are the elements to pass over with all that they hold.
    """
    walker = _Walker(invisible)
    for node in root.iter():
        walker.visit(node)
    return walker.finish(root)


class _Walker:
    """What was read so far, and the elements that are open at the current node."""

    def __init__(self, invisible: Collection[str]) -> None:
        self._invisible = invisible
        self._tag_ids = TAG_IDS.copy()
        self._line_kinds = [LINE_KINDS.get(name, 0) for name in KNOWN_TAGS]  # by tag id
        self._literal = 0  # open elements of preformatted text
        self._lines: list[int] = []  # open elements that stand on lines of their own in it
        self._string_ids = {"": 0}
        self._elements: list[list[int]] = []
        self._texts: list[tuple[int, int, int, int, int]] = []
        self._ordinals: list[int] = []  # text nodes seen so far, by element
        self._children: list[int] = []  # child elements seen so far, visible or not, by element
        self._pieces: list[str] = []
        self._offset = self._seen = 0  # characters, and elements, visible or not
        self._title = ""
        self._declared = self._prose = self._hidden = self._article = 0
        self._signs: set[str] = set()
        self._begun: list[int] = []  # pieces before each element
        self._open_nodes: list[etree._Element] = []  # the ancestors of the current node …
        self._open_ids: list[int] = []  # … and their indices

    def visit(self, node: etree._Element) -> None:
        """Read the next node in document order."""
        nodes, ids = self._open_nodes, self._open_ids
        above = node.getparent() if nodes else None
        while nodes and nodes[-1] is not above:
            self._close()
        owner = ids[-1] if ids else -1
        nodes.append(node)
        ids.append(self._open(node, owner))

    def finish(self, root: etree._Element) -> Walk:
        """Return what was read, after the last node."""
        while self._open_nodes:
            self._close()
        for node in root.iter("input", "meta"):
            if (attribute_of(node, "type") or "").lower() == "password":
                self._signs.add("password")
            if (attribute_of(node, "http-equiv") or "").lower() == "refresh":
                self._signs.add("refresh")
        if next(root.iter("{*}base"), None) is not None:
            self._signs.add("base")
        if re.search("note", "".join(self._string_ids), re.IGNORECASE | re.ASCII):
            self._signs.add("note")
        if sum(row[10] == 2 for row in self._elements) >= 3:
            self._signs.add("contents")
        return Walk(
            [*map(local_name, self._tag_ids)],
            [*self._tag_ids],
            list(self._string_ids),
            _matrix(self._elements, len(ELEMENT_ROWS)),
            _matrix(self._texts, len(TEXT_ROWS)),
            "".join(self._pieces),
            self._title,
            self._seen,
            self._declared,
            self._prose,
            max(self._hidden, _size_of_state(root)),
            self._article,
            sum(1 << SIGNS.index(sign) for sign in self._signs),
        )

    def _open(self, node: etree._Element, owner: int) -> int:
        """Return the index of a node inside *owner*; a negative number if it is invisible."""
        name = node.tag
        if not isinstance(name, str):
            return _HIDDEN
        self._seen += 1
        if name == "meta" or (name == "script" and "ld+json" in (attribute_of(node, "type") or "")):
            self._declared = self._seen
        if owner >= 0:
            self._children[owner] += 1
        elif self._open_ids:  # inside an invisible element
            if not self._title and owner != _FOREIGN and name.endswith("title"):
                self._title = (local_name(name) == "title" and text_of(node)) or ""
            return owner
        tag = self._tag_ids.get(name)
        if tag is None:
            local = local_name(name)
            if local in self._invisible:
                self._title = self._title or (local == "title" and text_of(node)) or ""
                hidden, article = _hidden_sizes(node)
                self._hidden = max(self._hidden, hidden)
                self._article = max(self._article, article)
                return _FOREIGN if local == "svg" else _HIDDEN
            tag = self._tag_ids.setdefault(name, len(self._tag_ids))
            self._line_kinds.append(LINE_KINDS.get(local, 0))
        return self._add_element(node, tag, owner)

    def _add_element(self, node: etree._Element, tag: int, owner: int) -> int:
        number, depth = len(self._elements), len(self._open_ids)
        position = self._children[owner] if owner >= 0 else 1
        row = [tag, owner, depth, 0, len(self._texts), 0, 0, 0, position, self._seen - 1, 0]
        if tag == TAG_IDS["a"]:
            before, _, after = (attribute_of(node, "href") or "").partition("#")
            row[10] = (1 if before else 2) if after else 0
        for column, name in ((6, "class"), (7, "id")):
            value = attribute_of(node, name)
            if value:
                row[column] = self._string_ids.setdefault(value, len(self._string_ids))
        self._elements.append(row)
        self._begun.append(len(self._pieces))
        self._ordinals.append(0)
        self._children.append(0)
        kind = self._line_kinds[tag]
        if self._literal or kind == _LITERAL:
            self._open_line(node, kind, number)
        text = text_of(node)
        if text:
            self._add_text(text, number)
        return number

    def _add_text(self, text: str, owner: int) -> None:
        self._ordinals[owner] += 1
        self._pieces.append(text)
        start = self._offset
        self._offset = stop = start + len(text)
        if not text.isspace():
            self._texts.append((owner, len(self._elements), start, stop, self._ordinals[owner]))
            if not any(node.tag == "a" for node in self._open_nodes):
                self._prose += len(text)

    def _open_line(self, node: etree._Element, kind: int, number: int) -> None:
        """Begin a line where an element of preformatted text does so."""
        self._literal += kind == _LITERAL
        if kind == _BREAK:
            self._add_line_feed()
        elif kind or is_line_style(attribute_of(node, "style") or ""):
            self._end_line()
            self._lines.append(number)

    def _close_line(self, number: int) -> None:
        self._literal -= self._line_kinds[self._elements[number][0]] == _LITERAL
        if self._lines and self._lines[-1] == number:
            self._lines.pop()
            self._end_line()

    def _end_line(self) -> None:
        if not (self._pieces and self._pieces[-1].endswith("\n")):
            self._add_line_feed()

    def _add_line_feed(self) -> None:
        self._pieces.append("\n")
        self._offset += 1

    def _close(self) -> None:
        """Close the innermost open node, and read the text behind it."""
        node, number = self._open_nodes.pop(), self._open_ids.pop()
        if number >= 0:
            row = self._elements[number]
            row[3], row[5] = len(self._elements), len(self._texts)
            if node.tag == "sup" or row[10]:
                text = "".join(self._pieces[self._begun[number] :])
                if _may_be_label(text):
                    self._signs.add("raised" if node.tag == "sup" else "label")
            if self._literal:
                self._close_line(number)
        if self._open_ids and self._open_ids[-1] >= 0:
            tail = tail_of(node)
            if tail:
                self._add_text(tail, self._open_ids[-1])


def _may_be_label(text: str) -> bool:
    letters = re.findall("[a-z]", text)
    if re.search("[A-Z\u5000-\u9fff]", text) or len(letters) > 5:
        return False
    if re.search(r"[0-9*]|[^\0-\x7f]", text):
        return True
    return len(letters) == 1 or (bool(letters) and {*letters} <= {*"ivx"})


def _size_of_state(root: etree._Element) -> int:
    body = root.find("body")
    children = () if body is None else body[:20]
    values = (
        attribute_of(child, name) or ""
        for child in children
        if isinstance(child.tag, str)
        for name in child.attrib
        if name.startswith("data-")
    )
    return max((len(_utf8(value)) for value in values if value[:1] in ("{", "[")), default=0)


def _hidden_sizes(top: etree._Element) -> tuple[int, int]:
    """Return the bytes of an element that is not visible, and of what may be an article in it."""
    size = article = 0
    for node in top.iter():
        texts = [text_of(node)] if isinstance(node.tag, str) else []
        texts += [tail_of(node)] if node is not top else []
        size += sum(len(_utf8(text)) for text in texts if text)
        if node.tag == "script" and "ld+json" in (attribute_of(node, "type") or ""):
            text = (text_of(node) or "") if not len(node) else ""
            article = max(article, len(_utf8(text)) * ("articleBody" in text))
    is_plain = "}" not in top.tag
    if top.tag == "noscript":
        article = max(article, size)
    return size * (is_plain and top.tag != "style"), article


def _utf8(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


assert not INVISIBLE & set(KNOWN_TAGS)


def assert_same(root: etree._Element) -> None:
    """Assert that the walk of the tree below *root* finds what the oracle finds."""
    found, expected = walk(root), walk_in_python(root)
    for name, one, other in zip(expected._fields, found, expected, strict=True):
        if isinstance(other, np.ndarray):
            assert isinstance(one, np.ndarray), name
            assert (one.dtype, one.tolist()) == (other.dtype, other.tolist()), name
        else:
            assert one == other, name
