"""The one walk of an lxml tree: from elements to flat arrays."""

from __future__ import annotations

import logging
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from lxml import etree
from numpy.typing import NDArray

from scrapy_boilerplate.page.lenient import attribute_of, tail_of, text_of
from scrapy_boilerplate.page.native import load_native

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

Int = NDArray[Any]

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


class TagTable:
    """A number for each tag name, looked up for all names of a page at once.

    >>> table = TagTable({"p": 1, "o:p": 2}, other=0)
    >>> table.of(KNOWN_TAGS)[:5].tolist(), table.of([*KNOWN_TAGS, "o:p"])[-1].tolist()
    ([0, 0, 0, 1, 0], 2)
    """

    def __init__(self, numbers: Mapping[str, int], *, other: int, dtype: Any = np.int64) -> None:
        self._numbers, self._other = numbers, other
        self._of_known = self._look_up(KNOWN_TAGS).astype(dtype)

    def _look_up(self, names: Sequence[str]) -> Int:
        return np.array([self._numbers.get(name, self._other) for name in names])

    def __len__(self) -> int:
        return len(self._numbers)

    def of(self, names: Sequence[str]) -> Int:
        """Return the number of each of a page's *names*, of which the known ones come first."""
        known = self._of_known
        if len(names) == known.size:
            return known
        return np.append(known, self._look_up(names[known.size :]).astype(known.dtype))


class Walk(NamedTuple):
    """A tree's visible elements and text nodes, both in document order."""

    names: list[str]
    """Tag names by tag id, lower case, without namespace: :data:`KNOWN_TAGS`, then the page's own
    others."""
    qualified_names: list[str]
    """The same names as lxml has them."""
    strings: list[str]
    """Values of ``class`` and ``id`` attributes by string id; the first one is empty."""
    elements: Int
    """A row of each of :data:`ELEMENT_ROWS`, a column an element."""
    texts: Int
    """A row of each of :data:`TEXT_ROWS`, a column a text node that is not blank."""
    buffer: str
    """All visible text, white space included."""
    title: str
    """Text of the first ``title`` element, as it stands in the source."""


ELEMENT_ROWS = (
    *("tag", "parent", "depth", "end", "first_text", "last_text", "class_id", "id_id"),
    *("position", "ordinal"),
)
TEXT_ROWS = ("text_parent", "text_at", "text_start", "text_stop", "text_ordinal")


_HIDDEN, _FOREIGN = -1, -2  # stand for the index of an element that is not visible; in svg


def _local_name(name: str) -> str:
    return (name.rpartition("}")[2] if name[0] == "{" else name).lower()


def local_names(tag_ids: Iterable[str]) -> list[str]:
    """Return the names without namespace, lower case; the known ones, which come first, are so."""
    return [*KNOWN_TAGS, *map(_local_name, [*tag_ids][len(KNOWN_TAGS) :])]


def _is_title(node: Any, parent: Any) -> bool:
    """Tell whether a node is a title in the document's head; ``svg`` has titles, too."""
    names = (node.tag, parent.tag)
    if not all(isinstance(name, str) for name in names):
        return False
    return [name.rpartition("}")[2] for name in names] == ["title", "head"]


def _matrix(rows: Sequence[Sequence[int]], width: int) -> Int:
    return np.ascontiguousarray(np.array(rows, dtype=np.int32).reshape(-1, width).T)


def walk_in_python(root: Any, invisible: Collection[str] = INVISIBLE) -> Walk:
    """Read the tree below *root* in one iterative pass; the tree stays as it is.

    *invisible* are the elements to pass over with all that they hold.
    """
    tag_ids = TAG_IDS.copy()
    string_ids = {"": 0}
    elements: list[list[int]] = []
    texts: list[tuple[int, int, int, int, int]] = []
    ordinals: list[int] = []  # text nodes seen so far, by element
    children: list[int] = []  # child elements seen so far, visible or not, by element
    pieces: list[str] = []
    offset = seen = 0  # characters, and elements, visible or not
    title = ""

    def add_text(text: str, owner: int) -> None:
        nonlocal offset
        ordinals[owner] += 1
        pieces.append(text)
        start = offset
        offset += len(text)
        if not text.isspace():
            texts.append((owner, len(elements), start, offset, ordinals[owner]))

    open_nodes: list[Any] = []  # the ancestors of the node at hand …
    open_ids: list[int] = []  # … and their indices

    def close() -> None:
        node = open_nodes.pop()
        number = open_ids.pop()
        if number >= 0:
            row = elements[number]
            row[3] = len(elements)
            row[5] = len(texts)
        if open_ids and open_ids[-1] >= 0:
            tail = tail_of(node)
            if tail:
                add_text(tail, open_ids[-1])

    for node in root.iter():
        above = node.getparent() if open_nodes else None
        while open_nodes and open_nodes[-1] is not above:
            close()
        name = node.tag
        owner = open_ids[-1] if open_ids else -1
        open_nodes.append(node)
        if not isinstance(name, str):
            open_ids.append(_HIDDEN)
            continue
        seen += 1
        if owner >= 0:
            children[owner] += 1
        elif len(open_nodes) > 1:
            open_ids.append(owner)
            if not title and owner != _FOREIGN and name.endswith("title"):
                title = (_local_name(name) == "title" and text_of(node)) or ""
            continue
        identity = tag_ids.get(name)
        if identity is None:
            local = _local_name(name)
            if local in invisible:
                open_ids.append(_FOREIGN if local == "svg" else _HIDDEN)
                title = title or (local == "title" and text_of(node)) or ""
                continue
            identity = tag_ids.setdefault(name, len(tag_ids))
        number = len(elements)
        open_ids.append(number)
        ordinals.append(0)
        children.append(0)
        class_name = attribute_of(node, "class")
        identifier = attribute_of(node, "id")
        position = children[owner] if owner >= 0 else 1
        row = [identity, owner, len(open_ids) - 1, 0, len(texts), 0, 0, 0, position, seen - 1]
        if class_name:
            row[6] = string_ids.setdefault(class_name, len(string_ids))
        if identifier:
            row[7] = string_ids.setdefault(identifier, len(string_ids))
        elements.append(row)
        text = text_of(node)
        if text:
            add_text(text, number)
    while open_nodes:
        close()

    return Walk(
        local_names(tag_ids),
        list(tag_ids),
        list(string_ids),
        _matrix(elements, len(ELEMENT_ROWS)),
        _matrix(texts, len(TEXT_ROWS)),
        "".join(pieces),
        title,
    )


assert not INVISIBLE & set(KNOWN_TAGS)


# -- which walk is used ----------------------------------------------------------------------

_SAMPLE = "<head><title>t</title></head><p class='c' id='i'>a<b>é</b><!-- -->\u00a0<br>z</p>"


def _agrees(walk: Callable[..., Walk]) -> bool:
    """Tell whether *walk* reads a small tree as the walk in Python does."""
    root = etree.fromstring(_SAMPLE, parser=etree.HTMLParser(encoding="utf-8"))
    return repr(walk(root)) == repr(walk_in_python(root))


def native_walk() -> Callable[..., Walk] | None:
    """Return the compiled walk, or ``None`` if there is none or it does not fit this lxml."""
    found: Callable[..., Walk] | None = load_native("page._walk_native", "walk")
    if found is None:
        return None
    built, here = str(load_native("page._walk_native", "COMPILED_AGAINST")), etree.__version__
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
