"""The elements of a page by the names that they have on all pages of their site."""

from __future__ import annotations

from array import array
from typing import NamedTuple

import numpy as np

from scrapy_boilerplate.core.caching import cached_property
from scrapy_boilerplate.core.page import Page, cumulative
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


class NamedElements:
    """The labels, paths and selectors of a page's elements, without the page itself."""

    def __init__(self, page: Page) -> None:
        self._parent = page.parent
        self._has_text = page.last_text > page.first_text
        self._tag_classes, self._kind = _tag_classes_of(page)
        self._values = np.array(array("Q", [each.value for each in self._tag_classes]))

    def path_names(self, elements: Int, depth: int = TEMPLATE_PATH_DEPTH) -> list[str]:
        """Return the labels of each element and its nearest ancestors, outermost first."""
        labels, kind = [each.label for each in self._tag_classes], self._kind.data
        parent, paths = self._parent.data, list[str]()
        for element in elements.tolist():
            path, above = list[str](), element
            while above > 0 and len(path) < depth:
                path.append(labels[kind[above]])
                above = parent[above]
            paths.append(" > ".join(reversed(path)) or labels[kind[0]])
        return paths

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
        numbers = np.arange(elements.size) - cumulative(times)[elements]
        hashes = flat[cumulative(rows)[kind] + numbers]
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
