"""The elements of a page by the names that they have on all pages of their site."""

from __future__ import annotations

from array import array
from typing import NamedTuple

import numpy as np

from scrapy_boilerplate.core.caching import cached_property
from scrapy_boilerplate.core.page import Page
from scrapy_boilerplate.core.page._elements_native import number_keys, path_hashes
from scrapy_boilerplate.core.page.arrays import Int, Int64
from scrapy_boilerplate.learn.paths import (
    PATH_DEPTH,
    TEMPLATE_PATH_DEPTH,
    Hashes,
    TagClass,
    own_tag,
    path_powers,
    stable_id,
    tag_class,
    template_path_hash,
)


class Named(NamedTuple):
    """Elements by selector, in document order."""

    elements: Int64
    hashes: Hashes  # of the selector; of the path, for an element without any
    numbers: Int  # which of the element's selectors that is


def side_by_side(elements: Int, hashes: Hashes, words: Int, ends: Int) -> tuple[Int64, Int64]:
    """Return for each hash the row of its heaviest element, and how many stand side by side."""
    # Counted are those of the ascending *elements* that do not stand inside one another and hold
    # a tenth of the heaviest one's words at least. *ends* says where each element ends.
    order = np.lexsort((-words, hashes))
    sorted_hashes = hashes[order]
    is_first = np.empty(order.size, dtype=bool)
    is_first[:1] = True
    np.not_equal(sorted_hashes[1:], sorted_hashes[:-1], out=is_first[1:])
    heaviest = order[is_first]
    if heaviest.size == order.size:
        return heaviest, np.ones(order.size, dtype=np.int64)
    group = np.empty(order.size, dtype=np.int64)
    group[order] = is_first.cumsum() - 1
    rows = (10 * words >= words[heaviest][group]).nonzero()[0]
    rows = rows[group[rows].argsort(kind="stable")]
    group, elements = group[rows], elements[rows]
    behind = group * (ends.size + 1)  # all that a group before holds ends before this one's
    reached = np.maximum.accumulate(behind + ends[elements])
    is_counted = np.ones(rows.size, dtype=bool)
    np.greater_equal((behind + elements)[1:], reached[:-1], out=is_counted[1:])
    return heaviest, np.bincount(group[is_counted], minlength=heaviest.size)


class NamedElements:
    """The labels, paths and selectors of a page's elements, without the page itself."""

    def __init__(self, page: Page) -> None:
        self._parent = page.parent
        self._has_text = page.last_text > page.first_text
        self._tag_classes, self._kind = _tag_classes_of(page)
        self._values = np.array(array("Q", [each.value for each in self._tag_classes]))

    def path_names(self, elements: Int, depth: int = TEMPLATE_PATH_DEPTH) -> list[str]:
        """Return the labels of each element and its nearest ancestors, outermost first."""
        labels = [*(each.label for each in self._tag_classes), ""]
        above, steps = elements, []
        for _ in range(depth):
            kinds = np.where(above > 0, self._kind[above], -1)
            steps.append([labels[kind] for kind in kinds.tolist()])
            above = np.maximum(self._parent[above], 0)
        root = self._tag_classes[int(self._kind[0])].label
        paths = zip(*reversed(steps), strict=True)
        return [" > ".join(filter(None, path)) or root for path in paths]

    def path_hashes(self, elements: Int64, depth: int = TEMPLATE_PATH_DEPTH) -> Hashes:
        """Return the hash of each element's path: :func:`template_path_hash` of its name."""
        values, powers = self._values, path_powers(depth)
        return path_hashes(elements, self._parent, self._kind, values, powers)

    @cached_property
    def named(self) -> Named:
        """The elements that may be containers; one stands here for each of its selectors."""
        rows = np.array([len(each.hashes) for each in self._tag_classes])
        flat = np.array(array("I", [one for each in self._tag_classes for one in each.hashes]))
        times = rows[self._kind] * self._has_text
        elements = np.arange(times.size).repeat(times)
        kind = self._kind[elements]
        numbers = np.arange(elements.size) - (times.cumsum() - times)[elements]
        hashes = flat[(rows.cumsum() - rows)[kind] + numbers]
        nameless = hashes == 0
        hashes[nameless] = self.path_hashes(elements[nameless], PATH_DEPTH)
        return Named(elements, hashes, numbers)

    def selector(self, row: int) -> str:
        """Return the selector that a row of :attr:`named` stands for."""
        element = int(self.named.elements[row])
        own = self._tag_classes[int(self._kind[element])].selectors
        if own:
            return own[self.named.numbers[row]]
        return self.path_names(np.array([element]), PATH_DEPTH)[0]

    def find(self, selector: str) -> Int | None:
        """Return the elements of a selector; ``None`` if it is one of a person."""
        if not own_tag(selector):
            return None
        number = template_path_hash(selector)
        is_path = " > " in selector
        own = 0 if is_path else number  # paths are those of nameless elements
        is_own = np.array([own in each.hashes for each in self._tag_classes])
        found = (is_own[self._kind] & self._has_text).nonzero()[0]
        return found[self.path_hashes(found, PATH_DEPTH) == number] if is_path else found


def _tag_classes_of(page: Page) -> tuple[list[TagClass], Int64]:
    """Return the tag classes of a page, and each element's own; the root's if it has no text."""
    names, strings = page.names, page.strings
    key = page.tag.astype(np.int64)
    for column in (page.class_id, page.id_id):
        key *= len(strings)
        key += column
    key[page.last_text == page.first_text] = key[0]
    kind = number_keys(key)  # in the order they come
    so_far = np.maximum.accumulate(kind)
    example = so_far.searchsorted(np.arange(so_far[-1] + 1))  # the first of each
    columns = page.tag, page.class_id, page.id_id
    tags, classes, ids = (column[example].tolist() for column in columns)
    stable = {number: stable_id(strings[number]) for number in set(ids)}
    named = [
        (names[tag], strings[class_name], stable[identifier])
        for tag, class_name, identifier in zip(tags, classes, ids, strict=True)
    ]
    return tag_class.each(named), kind
