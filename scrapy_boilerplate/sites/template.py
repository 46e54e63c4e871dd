"""A page as the site learner sees it: blocks with template paths, and elements with selectors."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import cached_property, lru_cache
from itertools import chain
from operator import mul
from typing import Any, NamedTuple
from weakref import ref
from zlib import crc32

import numpy as np
from cssselect import HTMLTranslator, SelectorError
from lxml import etree
from numpy.typing import NDArray

from scrapy_boilerplate.page import Page, cumulative
from scrapy_boilerplate.page.elements import holders, number_keys, path_hashes

__all__ = [
    "Named",
    "TemplateView",
    "in_spans",
    "label",
    "selectors",
    "side_by_side",
    "template_path_hash",
]

Int = NDArray[Any]
Bool = NDArray[np.bool_]

TEMPLATE_PATH_DEPTH = 4
"""Components of a template path: the block's element and the nearest of its ancestors."""

PATH_DEPTH = 3
"""Components of the selector of an element that has no name of its own."""

_INLINE_DEPTH = 16  # inline elements around a text that are looked through for its block
_NAME = re.compile(r"[^\W\d][^\W\d]*(?:-+[^\W\d]+)*\Z")  # no digits; words joined by hyphens
_LONGEST = 40  # characters of a name
_MOST_CLASSES = 6
_MOST_NODES = 1000  # elements that a selector of a rule may find on a page
_MASK = 0xFFFFFFFFFFFFFFFF  # of 64 bits
_POWERS: list[int] = [
    pow(0x100000001B3, 2 * depth + 1, _MASK + 1) for depth in range(TEMPLATE_PATH_DEPTH)
]
_POWERS_ARRAY = np.array(_POWERS, dtype=np.uint64)
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


def selectors(tag: str, class_name: str, identifier: str) -> tuple[str, ...]:
    """Return the selectors ``tag#id`` and ``tag.class`` of an element, the surest first.

    >>> selectors("div", "post-17 post hentry", "post-17")
    ('div.post', 'div.hentry')
    """
    return tuple(_names(tag, class_name, identifier))


def label(tag: str, class_name: str, identifier: str) -> str:
    """Return an element's component in paths and paths: its first selector, or its tag.

    >>> label("div", "post-17 post hentry", "post-17"), label("td", "", "")
    ('div.post', 'td')
    """
    return tag_class_of(tag, class_name, identifier).label


class Kind(NamedTuple):
    """What elements of one tag, class and id are known by, on whatever page."""

    tag: str
    label: str
    value: int
    """64 bits that stand for the label."""
    selectors: tuple[str, ...]
    """The selectors, if it may be a container …"""
    hashes: tuple[int, ...]
    """… and the hash of each."""


_kinds: dict[tuple[str, str, str], Kind] = {}
_MOST_KINDS = 16384


def tag_class_of(tag: str, class_name: str, identifier: str) -> Kind:
    """Return what an element is known by; the pages of a site have most of them in common."""
    # Most ids are their page's own; without them most elements have been met before.
    key = tag, class_name, identifier if identifier and _usable(identifier) else ""
    kind = _kinds.get(key)
    if kind is None:
        if len(_kinds) >= _MOST_KINDS:
            _kinds.clear()
        kind = _kinds[key] = _new_kind(*key)
    return kind


def _new_kind(tag: str, class_name: str, identifier: str) -> Kind:
    names = _names(tag, class_name, identifier)
    # The classes of the body name the section.
    name = names[0] if names and tag not in ("body", "html") else tag
    own = () if tag in _NOT_CONTAINERS else tuple(names)
    return Kind(tag, name, _label_value(name), own, tuple(map(template_path_hash, own)))


def text_hash(text: str) -> int:
    """Return 32 bits that stand for a text, whatever its case and white space."""
    return crc32(" ".join(text.lower().split()).encode("utf-8", "replace"))


@lru_cache(maxsize=65536)
def template_path_hash(path: str) -> int:
    """Return the hash of a path or path written as labels joined by ``" > "``.

    >>> template_path_hash("div.post > p") == template_path_hash("p")
    False
    """
    steps = path.split(" > ")
    value: int = sum(map(mul, map(_label_value, reversed(steps)), _POWERS))
    return (value & _MASK) >> 32


@lru_cache(maxsize=8192)
def _label_value(name: str) -> int:
    value: int = (crc32(name.encode("utf-8", "replace")) * 0x9E3779B97F4A7C15 + 1) & _MASK
    return value


@lru_cache(maxsize=8192)
def _own_tag(selector: str) -> str:
    """Return the tag of a selector that :meth:`TemplateView.selector` may write, else an empty
    text.
    """
    steps = selector.split(" > ")
    if len(steps) == 1:
        tag, _, name = re.sub("#", ".", selector, count=1).partition(".")
        is_own = _usable(name)
    else:
        tag, is_own = steps[-1], len(steps) == PATH_DEPTH or steps[0] == "body"
    return tag if is_own and tag.isalnum() and tag not in _NOT_CONTAINERS else ""


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


class TemplateView:
    """The blocks and named elements of a page.

    A *template path* is the place of a block in the site's template: the labels of its element and
    of the nearest ancestors. Blocks are those of the page, in document order.
    """

    def __init__(self, page: Page) -> None:
        self._page = ref(page)  # weak, since views are kept as long as their pages live
        self.located: Any = None
        """What was found last: a model, and where it has the article."""

    @property
    def page(self) -> Page:
        """The page; somebody else must hold it."""
        page = self._page()
        if page is None:
            raise ReferenceError("the page of this view is gone")
        return page

    # -- elements ----------------------------------------------------------------------------

    @cached_property
    def _kinds(self) -> tuple[list[Kind], Int]:
        """The kinds of the page's elements, and the number of each element's own."""
        page = self.page
        names, strings = page.names, page.strings
        key = (page.tag * np.int64(len(strings)) + page.class_id) * len(strings) + page.id_id
        kind = number_keys(key)
        example = np.empty(int(kind.max()) + 1, dtype=np.int64)
        example[kind] = np.arange(kind.size)
        rows = (page.tag[example], page.class_id[example], page.id_id[example])
        keys = [
            (names[tag], strings[class_name], strings[identifier])
            for tag, class_name, identifier in zip(*(r.tolist() for r in rows), strict=True)
        ]
        return [_kinds.get(key) or tag_class_of(*key) for key in keys], kind

    @cached_property
    def _values(self) -> NDArray[np.uint64]:
        """What stands for the label of each kind."""
        return np.array([each.value for each in self._kinds[0]], dtype=np.uint64)

    def label(self, element: int) -> str:
        """Return the label of an element."""
        kinds, kind = self._kinds
        return kinds[int(kind[element])].label

    def path(self, element: int, depth: int = TEMPLATE_PATH_DEPTH) -> str:
        """Return the labels of an element and its nearest ancestors, outermost first."""
        labels: list[str] = []
        while element > 0 and len(labels) < depth:
            labels.append(self.label(element))
            element = int(self.page.parent[element])
        return " > ".join(reversed(labels)) or self.label(0)

    def path_hashes(self, elements: Int, depth: int = TEMPLATE_PATH_DEPTH) -> Int:
        """Return the hashes of the paths of elements, as :func:`template_path_hash` does for
        each.
        """
        powers = _POWERS_ARRAY[:depth]
        return path_hashes(elements, self.page.parent, self._kinds[1], self._values, powers)

    # -- blocks ------------------------------------------------------------------------------

    @cached_property
    def block_texts(self) -> list[tuple[int, int]]:
        """Where in the buffer each block's text begins and ends."""
        page = self.page
        starts = page.text_start[page.blocks[:, 0]].tolist()
        return list(zip(starts, page.text_stop[page.blocks[:, 1] - 1].tolist(), strict=True))

    @cached_property
    def words(self) -> Int:
        """Number of words of each block."""
        return self.page.per_block(self.page.words)

    @cached_property
    def words_before(self) -> Int:
        """Number of words before each block, and of all of them."""
        return cumulative(self.words)

    @cached_property
    def elements(self) -> Int:
        """Block-level element that holds each block."""
        page = self.page
        at = page.text_parent[page.blocks[:, 0]]
        return holders(at, page.parent, page.is_block.view(np.uint8), _INLINE_DEPTH)

    @cached_property
    def paths(self) -> Int:
        """Hash of each block's path."""
        return self.path_hashes(self.elements)

    def texts(self, blocks: Iterable[int]) -> Int:
        """Return the hashes of the texts of blocks."""
        buffer, bounds = self.page.buffer, self.block_texts
        hashes = [text_hash(buffer[slice(*bounds[block])]) for block in blocks]
        return np.array(hashes, dtype=np.uint32)

    @cached_property
    def matches_title(self) -> Bool:
        """Whether each block says what the document's title says, or a good part of it."""
        page = self.page
        flags = np.zeros(len(page.blocks), dtype=bool)
        title = page.title.casefold()
        if len(title) < 4:
            return flags
        size = page.per_block(page.visible)
        visible = sum(not char.isspace() for char in title)
        buffer, bounds = page.buffer, self.block_texts
        for block in np.flatnonzero((size <= visible) & (4 * size >= visible)).tolist():
            text = buffer[slice(*bounds[block])]
            flags[block] = " ".join(text.casefold().split()) in title
        return flags

    @cached_property
    def is_teaser(self) -> Bool:
        """Whether each block points elsewhere: all of it is a link, or the heading above it is.

        A heading that repeats the document's title does not count: it may link to its own page.
        """
        page = self.page
        visible = page.per_block(page.visible)
        linked = page.per_block(page.visible * page.in_link) == visible
        linked &= ~self.matches_title
        heading = (page.count_above(page.has_tag(_HEADINGS)) > 0)[page.text_parent]
        heading = heading[page.blocks[:, 0]]
        above = np.maximum.accumulate(np.where(heading, np.arange(heading.size), -1))
        is_teaser: Bool = linked | (linked[above] & (above >= 0))
        return is_teaser

    def flags(self, of_slot: Mapping[int, int]) -> Int:
        """Return for each block the flags that its template path's hash has in *of_slot*, else
        0.
        """
        return np.array(
            [of_slot.get(path, 0) for path in self.paths.tolist()],
            dtype=np.uint8,
        )

    def path_name(self, block: int) -> str:
        """Return the template path of a block as labels joined by ``" > "``."""
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
        possible = np.array([each.tag not in _NOT_CONTAINERS for each in kinds], dtype=bool)
        own = [each.hashes or (0,) for each in kinds]
        sizes = np.fromiter(map(len, own), dtype=np.int64, count=len(own))
        found = np.flatnonzero(possible[kind] & (page.last_text > page.first_text))
        times = sizes[kind[found]]
        elements = np.repeat(found, times)
        numbers = np.arange(elements.size) - np.repeat(np.cumsum(times) - times, times)
        flat = np.fromiter(chain.from_iterable(own), dtype=np.uint32, count=int(sizes.sum()))
        hashes = flat[(np.cumsum(sizes) - sizes)[kind[elements]] + numbers]
        nameless = np.array([not each.hashes for each in kinds], dtype=bool)[kind[elements]]
        hashes[nameless] = self.path_hashes(elements[nameless], PATH_DEPTH)
        return Named(elements, hashes, numbers)

    def selector(self, row: int) -> str:
        """Return the selector that a row of :attr:`named` stands for."""
        kinds, kind = self._kinds
        element = int(self.named.elements[row])
        own = kinds[kind[element]].selectors
        return own[self.named.numbers[row]] if own else self.path(element, PATH_DEPTH)

    def find(self, selector: str) -> Int:
        """Return the elements of a selector, as :meth:`selector` writes it or of any other make."""
        tag = _own_tag(selector)
        if not tag:
            return self.find_nodes(selector)
        kinds, kind = self._kinds
        is_path = " > " in selector
        fits = [
            number
            for number, each in enumerate(kinds)
            if each.tag == tag and (not each.selectors if is_path else selector in each.selectors)
        ]
        if not fits:
            return np.zeros(0, dtype=np.int64)
        wanted = np.zeros(len(kinds), dtype=bool)
        wanted[fits] = True
        found: Int = np.flatnonzero(wanted[kind])
        if is_path:
            found = found[self.path_hashes(found, PATH_DEPTH) == template_path_hash(selector)]
        return found

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
    numbers: Int
    """Which of the element's selectors that is."""


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


def heaviest_of(elements: Int, words: Int, ends: Int) -> tuple[int, int]:
    """Return what :func:`side_by_side` does, for the elements of one selector."""
    first = int(np.argmax(words))
    after, count = -1, 0
    for element in elements[10 * words >= words[first]].tolist():
        if element >= after:
            count += 1
        after = max(after, int(ends[element]))
    return first, count


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
