"""The one walk of an lxml tree: from elements to flat arrays."""

from __future__ import annotations

import logging
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Generic, NamedTuple, TypeVar

import numpy as np
from lxml import etree
from numpy.typing import NDArray

from scrapy_boilerplate.core.native import load_native
from scrapy_boilerplate.core.page.arrays import Int32
from scrapy_boilerplate.core.page.lenient import attribute_of, tail_of, text_of
from scrapy_boilerplate.core.page.tags import BLOCK_LEVEL, PREFORMATTED, is_line_style

__all__ = [
    "ELEMENT_ROWS",
    "INVISIBLE",
    "KNOWN_TAGS",
    "TAG_IDS",
    "TEXT_ROWS",
    "TagTable",
    "Walk",
    "native_walk",
    "walk",
    "walk_in_python",
]

logger = logging.getLogger(__name__)


INVISIBLE = frozenset(
    "script style noscript template head title iframe noframes noembed svg audio video canvas "
    "datalist".split()
)
"""Elements whose content no browser with scripts shows as text of the page."""

KNOWN_TAGS = (
    # Elements whose ids are the same on every page; other names get ids of their own a page.
    "html body div p a span li ul ol table tbody thead tfoot tr td th br img h1 h2 h3 h4 h5 h6 "
    "strong b em i u s small sup sub code pre blockquote q cite section article main aside header "
    "footer nav form input button select option optgroup label textarea fieldset legend dl dt dd "
    "figure figcaption hr center font time mark address details summary dialog menu hgroup search "
    "caption colgroup col picture source embed object param area map link meta base wbr nobr del "
    "ins abbr acronym dfn kbd samp var tt big strike ruby rt rp bdi bdo data output progress meter "
    "frameset frame dir marquee blink listing xmp plaintext math slot track"
).split()

TAG_IDS = {name: number for number, name in enumerate(KNOWN_TAGS)}

_LITERAL, _LINE, _BREAK = 1, 2, 3
LINE_KINDS = {
    **dict.fromkeys(BLOCK_LEVEL, _LINE),
    **dict.fromkeys(PREFORMATTED, _LITERAL),
    "br": _BREAK,
}
"""Elements that begin or end a line of preformatted text."""


Number = TypeVar("Number", bound=np.generic)


class TagTable(Generic[Number]):
    """A number for each tag name, looked up for all names of a page at once.

    >>> table = TagTable({"p": 1, "o:p": 2}, other=0, dtype=np.int64)
    >>> table.of(KNOWN_TAGS)[:5].tolist(), table.of([*KNOWN_TAGS, "o:p"])[-1].tolist()
    ([0, 0, 0, 1, 0], 2)
    """

    def __init__(self, numbers: Mapping[str, int], *, other: int, dtype: type[Number]) -> None:
        self._numbers, self._other, self._dtype = numbers, other, dtype
        self._of_known = self._look_up(KNOWN_TAGS)

    def _look_up(self, names: Sequence[str]) -> NDArray[Number]:
        numbers = [self._numbers.get(name, self._other) for name in names]
        return np.array(numbers, dtype=self._dtype)

    def __len__(self) -> int:
        return len(self._numbers)

    def of(self, names: Sequence[str]) -> NDArray[Number]:
        """Return the number of each of a page's *names*, of which the known ones come first."""
        known = self._of_known
        if len(names) == known.size:
            return known
        return np.concatenate([known, self._look_up(names[known.size :])])


class Walk(NamedTuple):
    """A tree's visible elements and text nodes, both in document order."""

    names: list[str]
    """Tag names by tag id, lower case, without namespace: :data:`KNOWN_TAGS`, then the page's own
    others."""
    qualified_names: list[str]
    """The same names as lxml has them."""
    strings: list[str]
    """Values of ``class`` and ``id`` attributes by string id; the first one is empty."""
    elements: Int32
    """A row of each of :data:`ELEMENT_ROWS`, a column an element."""
    texts: Int32
    """A row of each of :data:`TEXT_ROWS`, a column a text node that is not blank."""
    buffer: str
    """All visible text, white space included. Before and inside preformatted text it has a line
    feed wherever elements begin or end a line."""
    title: str
    """Text of the first ``title`` element, unchanged."""
    declared: int
    """How many elements there are, visible or not, up to the last ``meta`` or JSON-LD."""


ELEMENT_ROWS = (
    *("tag", "parent", "depth", "end", "first_text", "last_text", "class_id", "id_id"),
    *("position", "ordinal"),
)
TEXT_ROWS = ("text_parent", "text_at", "text_start", "text_stop", "text_ordinal")


_HIDDEN, _FOREIGN = -1, -2  # stand for the index of an element that is not visible; in svg


def local_name(name: str) -> str:
    """Return a name without namespace, lower case."""
    return (name.rpartition("}")[2] if name[0] == "{" else name).lower()


def _matrix(rows: Sequence[Sequence[int]], width: int) -> Int32:
    return np.ascontiguousarray(np.array(rows, dtype=np.int32).reshape(-1, width).T)


def walk_in_python(root: etree._Element, invisible: Collection[str] = INVISIBLE) -> Walk:
    """Read the tree below *root* in one iterative pass; the tree stays as it is.

    *invisible* are the elements to pass over with all that they hold.
    """
    walker = _Walker(invisible)
    for node in root.iter():
        walker.visit(node)
    return walker.finish()


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
        self._declared = 0
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

    def finish(self) -> Walk:
        """Return what was read, after the last node."""
        while self._open_nodes:
            self._close()
        return Walk(
            [*map(local_name, self._tag_ids)],
            [*self._tag_ids],
            list(self._string_ids),
            _matrix(self._elements, len(ELEMENT_ROWS)),
            _matrix(self._texts, len(TEXT_ROWS)),
            "".join(self._pieces),
            self._title,
            self._declared,
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
                return _FOREIGN if local == "svg" else _HIDDEN
            tag = self._tag_ids.setdefault(name, len(self._tag_ids))
            self._line_kinds.append(LINE_KINDS.get(local, 0))
        return self._add_element(node, tag, owner)

    def _add_element(self, node: etree._Element, tag: int, owner: int) -> int:
        number, depth = len(self._elements), len(self._open_ids)
        position = self._children[owner] if owner >= 0 else 1
        row = [tag, owner, depth, 0, len(self._texts), 0, 0, 0, position, self._seen - 1]
        for column, name in ((6, "class"), (7, "id")):
            value = attribute_of(node, name)
            if value:
                row[column] = self._string_ids.setdefault(value, len(self._string_ids))
        self._elements.append(row)
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
            if self._literal:
                self._close_line(number)
        if self._open_ids and self._open_ids[-1] >= 0:
            tail = tail_of(node)
            if tail:
                self._add_text(tail, self._open_ids[-1])


assert not INVISIBLE & set(KNOWN_TAGS)


# -- which walk is used ----------------------------------------------------------------------

_SAMPLE = "<head><title>t</title></head><p class='c' id='i'>a<b>é</b><!-- -->\u00a0<br>z</p>"


def _agrees(walk: Callable[..., Walk]) -> bool:
    """Tell whether *walk* reads a small tree as the walk in Python does."""
    root = etree.fromstring(_SAMPLE, parser=etree.HTMLParser(encoding="utf-8"))
    return repr(walk(root)) == repr(walk_in_python(root))


def native_walk() -> Callable[..., Walk] | None:
    """Return the compiled walk, or ``None`` if there is none or it does not fit this lxml."""
    found: Callable[..., Walk] | None = load_native("core.page._walk_native", "walk")
    if found is None:
        return None
    built, here = str(load_native("core.page._walk_native", "COMPILED_AGAINST")), etree.__version__
    if built.split(".")[0] != here.split(".")[0] or not _agrees(found):
        logger.warning(
            "The compiled walk was built for lxml %s and does not fit lxml %s; using the slower "
            "one in Python. Reinstall scrapy-boilerplate-removal to compile it again.",
            *(built, here),
        )
        return None
    return found


walk: Callable[..., Walk] = native_walk() or walk_in_python
"""The walk that pages are read with."""
