"""A page as the site learner sees it: blocks with slots, and elements with selectors."""

from __future__ import annotations

import re
from collections.abc import Container, Iterable
from functools import cached_property, lru_cache
from typing import Any, NamedTuple
from weakref import ref
from zlib import crc32

import numpy as np
from cssselect import HTMLTranslator, SelectorError
from lxml import etree
from numpy.typing import NDArray

from scrapy_boilerplate.page import Page

__all__ = ["Named", "Outline", "in_spans", "label", "selectors", "side_by_side", "slot_hash"]

Int = NDArray[Any]
Bool = NDArray[np.bool_]

SLOT_DEPTH = 4
"""Components of a slot: the block's element and the nearest of its ancestors."""

PATH_DEPTH = 3
"""Components of the selector of an element that has no name of its own."""

_INLINE_DEPTH = 16  # inline elements around a text that are looked through for its block
_NAME = re.compile(r"[^\W\d][^\W\d]*(?:-+[^\W\d]+)*\Z")  # no digits; words joined by hyphens
_LONGEST = 40  # characters of a name
_MOST_CLASSES = 6
_MOST_NODES = 1000  # elements that a selector of a rule may find on a page
_PRIME = np.uint64(0x100000001B3)
_HEADINGS = ("h1", "h2", "h3", "h4", "h5", "h6")
_NOT_CONTAINERS = frozenset(
    "html body p a span em strong b i u s small sub sup code h1 h2 h3 h4 h5 h6 hgroup br img "
    "li dt dd tr td th tbody thead tfoot caption figcaption label option button select".split()
)


def _names(tag: str, class_name: str, identifier: str) -> list[str]:
    """Return the selectors by which an element is known on more than its own page.

    Names with digits are left out, since they number pages, posts and columns.
    """
    # The ids of headings are anchors that say what the heading does.
    names = [f"{tag}#{identifier}"] if _usable(identifier) and tag not in _HEADINGS else []
    tokens = dict.fromkeys(class_name[: _LONGEST * _MOST_CLASSES].split()[:_MOST_CLASSES])
    return names + [f"{tag}.{token}" for token in tokens if _usable(token)]


def _usable(name: str) -> bool:
    return len(name) <= _LONGEST and _NAME.match(name) is not None


@lru_cache(maxsize=8192)
def selectors(tag: str, class_name: str, identifier: str) -> tuple[str, ...]:
    """Return the selectors ``tag#id`` and ``tag.class`` of an element, the surest first.

    >>> selectors("div", "post-17 post hentry", "post-17")
    ('div.post', 'div.hentry')
    """
    return tuple(_names(tag, class_name, identifier))


@lru_cache(maxsize=8192)
def label(tag: str, class_name: str, identifier: str) -> str:
    """Return an element's component in slots and paths: its first selector, or its tag.

    >>> label("div", "post-17 post hentry", "post-17"), label("td", "", "")
    ('div.post', 'td')
    """
    if tag in ("body", "html"):  # their classes name the section
        return tag
    names = _names(tag, class_name[:200], identifier[:200])
    return names[0] if names else tag


@lru_cache(maxsize=8192)
def label_hash(tag: str, class_name: str, identifier: str) -> int:
    """Return 64 bits that stand for an element's label."""
    return _spread(crc32(label(tag, class_name, identifier).encode()))


def text_hash(text: str) -> int:
    """Return 32 bits that stand for a text, whatever its case and white space."""
    return crc32(" ".join(text.lower().split()).encode("utf-8", "replace"))


@lru_cache(maxsize=65536)
def slot_hash(path: str) -> int:
    """Return the hash of a slot or path written as labels joined by ``" > "``.

    >>> slot_hash("div.post > p") == slot_hash("p")
    False
    """
    value = np.uint64(0)
    components = path.split(" > ")
    with np.errstate(over="ignore"):
        for depth, component in enumerate(reversed(components)):
            value += _component(component, depth)
    return int(value >> np.uint64(32))


def _powers() -> list[np.uint64]:
    power, powers = _PRIME, []
    with np.errstate(over="ignore"):
        for _ in range(SLOT_DEPTH):
            powers.append(power)
            power = power * _PRIME * _PRIME
    return powers


_POWERS = _powers()


def _component(name: str, depth: int) -> np.uint64:
    with np.errstate(over="ignore"):
        value: np.uint64 = np.uint64(_spread(crc32(name.encode()))) * _POWERS[depth]
    return value


def _spread(value: int) -> int:
    return (value * 0x9E3779B97F4A7C15 + 1) & 0xFFFFFFFFFFFFFFFF


@lru_cache(maxsize=8192)
def _is_own(selector: str) -> bool:
    """Tell whether :attr:`Outline.named` may write this selector."""
    steps = selector.split(" > ")
    if len(steps) == 1:
        tag, _, name = re.sub("#", ".", selector, count=1).partition(".")
        return tag.isalnum() and tag not in _NOT_CONTAINERS and _usable(name)
    whole = len(steps) == PATH_DEPTH or steps[0] == "body"
    return whole and steps[-1].isalnum() and steps[-1] not in _NOT_CONTAINERS


@lru_cache(maxsize=1024)
def compiled(selector: str) -> etree.XPath:
    """Return a CSS selector, or an XPath that starts with ``/`` or ``(``, ready to be run.

    Raises :exc:`ValueError` for one that cannot be read.
    """
    try:
        path = selector if selector[:1] in ("/", "(") else HTMLTranslator().css_to_xpath(selector)
        return etree.XPath(path)
    except (SelectorError, etree.XPathSyntaxError) as error:
        raise ValueError(f"{selector!r} is no CSS selector or XPath: {error}") from error


class Outline:
    """The blocks and named elements of a page.

    A *slot* is the place of a block in the site's template: the labels of its element and of the
    nearest ancestors. Blocks are those of the page, in document order.
    """

    def __init__(self, page: Page) -> None:
        self._page = ref(page)  # weak, since outlines are kept as long as their pages live
        self.located: Any = None
        """What was found last: a model, and where it has the article."""

    @property
    def page(self) -> Page:
        """The page; somebody else must hold it."""
        page = self._page()
        if page is None:
            raise ReferenceError("the page of this outline is gone")
        return page

    # -- elements ----------------------------------------------------------------------------

    @cached_property
    def _kinds(self) -> tuple[list[tuple[str, str, str]], Int]:
        """The distinct (tag, class, id) of the page, and the number of each element's own."""
        page = self.page
        size = np.int64(len(page.strings))
        code = (page.tag.astype(np.int64) * size + page.class_id) * size + page.id_id
        _, first, kind = np.unique(code, return_index=True, return_inverse=True)
        rows = (page.tag[first], page.class_id[first], page.id_id[first])
        names, strings = page.names, page.strings
        return [
            (names[tag], strings[class_name], strings[identifier])
            for tag, class_name, identifier in zip(*(r.tolist() for r in rows), strict=True)
        ], kind.reshape(-1)

    @cached_property
    def _label_hashes(self) -> NDArray[np.uint64]:
        kinds, kind = self._kinds
        hashes = [label_hash(*each) for each in kinds]
        return np.array(hashes, dtype=np.uint64)[kind]

    def label(self, element: int) -> str:
        """Return the label of an element."""
        kinds, kind = self._kinds
        return label(*kinds[kind[element]])

    def path(self, element: int, depth: int = SLOT_DEPTH) -> str:
        """Return the labels of an element and its nearest ancestors, outermost first."""
        labels: list[str] = []
        while element > 0 and len(labels) < depth:
            labels.append(self.label(element))
            element = int(self.page.parent[element])
        return " > ".join(reversed(labels)) or self.label(0)

    def path_hashes(self, elements: Int, depth: int = SLOT_DEPTH) -> Int:
        """Return the hashes of the paths of elements, as :func:`slot_hash` does for each."""
        value: Int = np.zeros(elements.size, dtype=np.uint64)
        at: Int = elements.astype(np.int64)
        for number in range(depth):
            inside = (at > 0) | ((at == 0) & (number == 0))
            value += np.where(inside, self._label_hashes[at] * _POWERS[number], np.uint64(0))
            at = np.maximum(self.page.parent[at], 0)
        hashes: Int = (value >> np.uint64(32)).astype(np.uint32)
        return hashes

    # -- blocks ------------------------------------------------------------------------------

    @cached_property
    def words(self) -> Int:
        """Number of words of each block."""
        return self.page.per_block(self.page.words)

    @cached_property
    def elements(self) -> Int:
        """Block-level element that holds each block."""
        page = self.page
        element = page.text_parent[page.blocks[:, 0]]
        for _ in range(_INLINE_DEPTH):
            inline = ~page.is_block[element] & (element > 0)
            if not inline.any():
                break
            element = np.where(inline, page.parent[element], element)
        return element

    @cached_property
    def slots(self) -> Int:
        """Hash of each block's slot."""
        return self.path_hashes(self.elements)

    def text(self, block: int) -> str:
        """Return the text of a block as it stands in the page."""
        start, stop = self.page.blocks[block]
        return self.page.buffer[self.page.text_start[start] : self.page.text_stop[stop - 1]]

    def texts(self, blocks: Iterable[int]) -> Int:
        """Return the hashes of the texts of blocks."""
        return np.array([text_hash(self.text(block)) for block in blocks], dtype=np.uint32)

    @cached_property
    def titled(self) -> Bool:
        """Whether each block says what the document's title says, or a good part of it."""
        page = self.page
        flags = np.zeros(len(page.blocks), dtype=bool)
        title = page.title.casefold()
        if len(title) < 4:
            return flags
        size = page.per_block(page.visible)
        visible = sum(not char.isspace() for char in title)
        for block in np.flatnonzero((size <= visible) & (4 * size >= visible)).tolist():
            flags[block] = " ".join(self.text(block).casefold().split()) in title
        return flags

    @cached_property
    def teased(self) -> Bool:
        """Whether each block points elsewhere: all of it is a link, or the heading above it is.

        A heading that repeats the document's title does not count: it may link to its own page.
        """
        page = self.page
        visible = page.per_block(page.visible)
        linked = page.per_block(page.visible * page.in_link) == visible
        linked &= ~self.titled
        heading = (page.count_above(page.has_tag(_HEADINGS)) > 0)[page.text_parent]
        heading = heading[page.blocks[:, 0]]
        above = np.maximum.accumulate(np.where(heading, np.arange(heading.size), -1))
        teased: Bool = linked | (linked[above] & (above >= 0))
        return teased

    def in_slots(self, hashes: Container[int]) -> Bool:
        """Return for each block whether the hash of its slot is among *hashes*."""
        return np.array([slot in hashes for slot in self.slots.tolist()], dtype=bool)

    def slot_name(self, block: int) -> str:
        """Return the slot of a block as labels joined by ``" > "``."""
        return self.path(int(self.elements[block]))

    def kept_words(self, spans: Iterable[tuple[int, int]]) -> Int:
        """Return for each block how many of its words stand in the *spans* of text nodes."""
        return self.page.per_block(self.page.words * in_spans(spans, self.page.text_at.size))

    # -- containers --------------------------------------------------------------------------

    def block_ranges(self, elements: Int) -> Int:
        """Return rows of (first, after the last) block that start inside each element."""
        page = self.page
        ranges = np.stack([page.first_text[elements], page.last_text[elements]], axis=1)
        blocks: Int = np.searchsorted(page.blocks[:, 0], ranges)
        return blocks

    @cached_property
    def named(self) -> Named:
        """The elements that may be containers; one stands here for each of its selectors."""
        page = self.page
        kinds, kind = self._kinds
        possible = np.array([tag not in _NOT_CONTAINERS for tag, _, _ in kinds], dtype=bool)
        names = [selectors(*k) if fit else () for k, fit in zip(kinds, possible, strict=True)]
        found = np.flatnonzero(possible[kind] & (page.last_text > page.first_text))
        times = np.array([len(own) or 1 for own in names], dtype=np.int64)[kind[found]]
        elements = np.repeat(found, times)
        texts: list[str] = []
        for element, number in zip(found.tolist(), kind[found].tolist(), strict=True):
            texts += names[number] or (self.path(element, PATH_DEPTH),)
        hashes = np.fromiter(map(slot_hash, texts), dtype=np.uint32, count=len(texts))
        return Named(elements, hashes, texts)

    def find(self, selector: str) -> Int:
        """Return the elements of a selector, as :attr:`named` writes it or of any other make."""
        kinds, kind = self._kinds
        if not _is_own(selector):
            return self.find_nodes(selector)
        if " > " not in selector:
            tag = re.split("[.#]", selector, maxsplit=1)[0]
            fits = [k[0] == tag and selector in selectors(*k) for k in kinds]
            return np.flatnonzero(np.array(fits, dtype=bool)[kind])
        tag = selector.rpartition(" > ")[2]
        nameless = [k[0] == tag and not selectors(*k) for k in kinds]
        found = np.flatnonzero(np.array(nameless, dtype=bool)[kind])
        fitting: Int = found[self.path_hashes(found, PATH_DEPTH) == slot_hash(selector)]
        return fitting

    def find_nodes(self, selector: str) -> Int:
        """Return the elements of a CSS selector, or of an XPath that starts with ``/`` or ``(``.

        Raises :exc:`ValueError` for one that cannot be read.
        """
        page = self.page
        nodes = compiled(selector)(page.root)
        if not isinstance(nodes, list):
            raise ValueError(f"the XPath {selector!r} selects no elements")
        nodes = [node for node in nodes if isinstance(node, etree._Element)][:_MOST_NODES]
        tree = page.root.getroottree()
        wanted = {tree.getpath(node) for node in nodes}
        tags = page.has_tag({str(node.tag).lower() for node in nodes})
        found = [e for e in np.flatnonzero(tags).tolist() if page.xpath(e) in wanted]
        return np.array(found, dtype=np.int64)


class Named(NamedTuple):
    """Elements by selector, in document order."""

    elements: Int
    """Index of each element."""
    hashes: Int
    """Hash of its selector."""
    selectors: list[str]
    """The selector."""


def side_by_side(named: Named, words: Int, end: Int) -> tuple[Int, Int]:
    """Return for each selector the row of its heaviest element, and how many stand side by side.

    Counted are elements that do not stand inside one another and hold a tenth of the heaviest
    one's *words* at least; *end* is the page's.
    """
    order = np.lexsort((named.elements, named.hashes))
    if not order.size:
        return order, order
    hashes = named.hashes[order]
    opens = np.append(True, hashes[1:] != hashes[:-1])
    starts = np.flatnonzero(opens)
    group = np.cumsum(opens) - 1
    most = np.maximum.reduceat(words[order], starts)
    heavy = 10 * words[order] >= most[group]
    rows = order[heavy]
    groups = group[heavy]
    # Within a group the elements ascend; one is outside the others if it starts after they end.
    ends = end[named.elements[rows]] + groups * (np.int64(end.size) + 1)
    begins = named.elements[rows] + groups * (np.int64(end.size) + 1)
    outer = np.append(True, begins[1:] >= np.maximum.accumulate(ends)[:-1])
    count = np.bincount(groups[outer], minlength=starts.size)
    heaviest = order[np.lexsort((-words[order], group))[starts]]
    return heaviest, count


def fold(hashes: Int) -> Int:
    """Return 32 bits of each of 64-bit *hashes*."""
    folded: Int = (hashes * np.uint64(0x9E3779B97F4A7C15) >> np.uint64(32)).astype(np.uint32)
    return folded


def in_spans(spans: Iterable[tuple[int, int]], size: int) -> Bool:
    """Return for each of *size* text nodes whether it stands in one of the disjoint *spans*."""
    steps = np.zeros(size + 1, dtype=np.int64)
    for start, stop in spans:
        steps[start] += 1
        steps[stop] -= 1
    inside: Bool = np.cumsum(steps[:-1]) > 0
    return inside
