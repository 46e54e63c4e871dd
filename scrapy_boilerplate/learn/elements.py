"""The elements of a page by the names that they have on all pages of their site."""

from __future__ import annotations

from functools import cached_property
from itertools import chain
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from scrapy_boilerplate.core.page import Page
from scrapy_boilerplate.core.page.arrays import Bool, Int, Int64
from scrapy_boilerplate.core.page.elements import number_keys, path_hashes
from scrapy_boilerplate.learn.paths import (
    CLASS_CHARACTERS,
    NOT_CONTAINERS,
    PATH_DEPTH,
    TEMPLATE_PATH_DEPTH,
    Hashes,
    TagClass,
    own_tag,
    path_powers,
    stable_id,
    tag_classes_of,
    template_path_hash,
)


class Named(NamedTuple):
    """Elements by selector, in document order."""

    elements: Int64
    """Index of each element."""
    hashes: Hashes
    """Hash of its selector."""
    numbers: Int
    """Which of the element's selectors that is."""
    nameless: Bool
    """Whether the element has no selector of its own; then the hash is that of its path."""


def side_by_side(elements: Int, hashes: Hashes, words: Int, ends: Int) -> tuple[Int64, Int64]:
    """Return for each hash the row of its heaviest element, and how many stand side by side.

    Given are ascending *elements*, each with its hash and its words, and where each element of the
    page ends. Counted are those that do not stand inside one another and hold a tenth of the
    heaviest one's words at least.
    """
    order = np.lexsort((-words, hashes))
    sorted_hashes = hashes[order]
    is_first = np.append(True, sorted_hashes[1:] != sorted_hashes[:-1])[: order.size]
    heaviest = order[is_first]
    group = np.empty(order.size, dtype=np.int64)
    group[order] = np.cumsum(is_first) - 1
    rows = np.flatnonzero(10 * words >= words[heaviest][group])
    rows = rows[np.argsort(group[rows], kind="stable")]
    behind = group[rows] * (ends.size + 1)  # all that a group before holds ends before this one's
    reached = np.maximum.accumulate(behind + ends[elements[rows]])
    is_counted = behind + elements[rows] >= np.append(0, reached)[: rows.size]
    return heaviest, np.bincount(group[rows[is_counted]], minlength=heaviest.size)


class NamedElements:
    """The labels, paths and selectors of a page's elements.

    Holds arrays of the page, not the page itself.
    """

    def __init__(self, page: Page) -> None:
        self._parent = page.parent
        self._has_text = page.last_text > page.first_text
        self._tag_classes, self._kind = _tag_classes_of(page)

    @cached_property
    def _values(self) -> NDArray[np.uint64]:
        """The value that stands for the label of each tag class."""
        return np.array([each.value for each in self._tag_classes], dtype=np.uint64)

    def label(self, element: int) -> str:
        """Return the label of an element."""
        return self._tag_classes[int(self._kind[element])].label

    def path(self, element: int, depth: int = TEMPLATE_PATH_DEPTH) -> str:
        """Return the labels of an element and its nearest ancestors, outermost first."""
        labels: list[str] = []
        while element > 0 and len(labels) < depth:
            labels.append(self.label(element))
            element = int(self._parent[element])
        return " > ".join(reversed(labels)) or self.label(0)

    def path_hashes(self, elements: Int64, depth: int = TEMPLATE_PATH_DEPTH) -> Hashes:
        """Return the hash of each element's path: :func:`template_path_hash` of :meth:`path`."""
        return path_hashes(elements, self._parent, self._kind, self._values, path_powers(depth))

    @cached_property
    def named(self) -> Named:
        """The elements that may be containers; one stands here for each of its selectors."""
        own = [each.hashes for each in self._tag_classes]
        sizes = np.array(list(map(len, own)), dtype=np.int64)
        flat = np.array([*chain.from_iterable(own), 0], dtype=np.uint32)
        possible = [each.tag not in NOT_CONTAINERS for each in self._tag_classes]
        found = np.flatnonzero(np.array(possible, dtype=bool)[self._kind] & self._has_text)
        times = np.maximum(1, sizes[self._kind[found]])
        elements, first = np.repeat(found, times), np.repeat(np.cumsum(times) - times, times)
        numbers, kind = np.arange(elements.size) - first, self._kind[elements]
        hashes = flat[(np.cumsum(sizes) - sizes)[kind] + numbers]
        nameless = sizes[kind] == 0
        hashes[nameless] = self.path_hashes(elements[nameless], PATH_DEPTH)
        return Named(elements, hashes, numbers, nameless)

    def selector(self, row: int) -> str:
        """Return the selector that a row of :attr:`named` stands for."""
        element = int(self.named.elements[row])
        own = self._tag_classes[int(self._kind[element])].selectors
        return own[self.named.numbers[row]] if own else self.path(element, PATH_DEPTH)

    def find(self, selector: str) -> Int | None:
        """Return the elements of a selector; ``None`` if :meth:`selector` cannot have written it.

        Then it is one of a person.
        """
        tag = own_tag(selector)
        if not tag:
            return None
        is_path = " > " in selector
        fits = [
            each.tag == tag and (not each.selectors if is_path else selector in each.selectors)
            for each in self._tag_classes
        ]
        found: Int64 = np.flatnonzero(np.array(fits, dtype=bool)[self._kind] & self._has_text)
        if is_path:
            found = found[self.path_hashes(found, PATH_DEPTH) == template_path_hash(selector)]
        return found


def _tag_classes_of(page: Page) -> tuple[list[TagClass], Int64]:
    """Return the tag classes of a page, and the number of each element's own.

    Elements without text are of the root's tag class: no path leads to a block in them.
    """
    names, strings = page.names, page.strings
    key = (page.tag * np.int64(len(strings)) + page.class_id) * len(strings) + page.id_id
    key[page.last_text == page.first_text] = key[0]
    kind = number_keys(key)
    example = np.empty(int(kind.max()) + 1, dtype=np.int64)
    example[kind[::-1]] = np.arange(kind.size)[::-1]  # the first of each: its key is its own
    rows = (page.tag[example], page.class_id[example], page.id_id[example])
    tags, classes, ids = (row.tolist() for row in rows)
    stable = {number: stable_id(strings[number]) for number in set(ids)}
    named = (
        (names[tag], strings[class_name][:CLASS_CHARACTERS], stable[identifier])
        for tag, class_name, identifier in zip(tags, classes, ids, strict=True)
    )
    return tag_classes_of(named), kind
