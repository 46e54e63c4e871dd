"""XPaths of elements, from the arrays of a page: absolute, short, and right in any namespace."""

from __future__ import annotations

import re

import numpy as np
from lxml import etree

from scrapy_boilerplate.core.caching import cached_property
from scrapy_boilerplate.core.page._elements_native import number_keys
from scrapy_boilerplate.core.page.arrays import Bool, Int, Int32, Int64, ranks
from scrapy_boilerplate.core.page.walk import KNOWN_TAGS

LONGEST = 1000
"""Characters of a path. Where names are long and many texts stand deep, whole paths would take more
memory than a machine has: two thousand levels of a hundred characters are two hundred kilobytes a
text."""

USUAL, USUAL_OF_PARTS, SPARE = 150, 100, 64_000
"""Characters that the paths of a page take on an average at most, but for the first ones: small
texts of a page made for it would give rows that are hundreds of times its size. Parts have less."""

_NAME = re.compile(r"[A-Za-z_][\w.-]*\Z", re.ASCII)
# Each step begins with a slash, which no class before it holds: no backtracking.
_PLAIN = re.compile(r"(?:/(?:[A-Za-z_][\w.-]*|\*)(?:\[\d+\])?)+\Z", re.ASCII)


class XPaths:
    """Writes the XPaths of elements by their qualified *names*; does not hold the tree."""

    def __init__(
        self,
        root: etree._Element,
        names: list[str],
        tag: Int32,
        parent: Int32,
        position: Int32,
        ordinal: Int32,
    ) -> None:
        others = names[len(KNOWN_TAGS) :]
        self._names = [*KNOWN_TAGS, *(name if _NAME.match(name) else "" for name in others)]
        # Views: a number of theirs costs a third of one of an array.
        self._tag, self._parent = tag.data, parent.data
        self._position, self._ordinal = position.data, ordinal.data
        self._root_xpath = self._path_of_root(root)
        # Of what others stand in; kept, since parts of a page are asked for one by one.
        self._steps, self._sizes = {0: self._root_xpath}, {0: len(self._root_xpath)}

    @cached_property
    def _ranks(self) -> memoryview:
        tag, parent = np.asarray(self._tag), np.asarray(self._parent)
        return _ranks(tag, parent, len(self._names)).data

    def _path_of_root(self, root: etree._Element) -> str:
        if not len(self._tag):  # a comment or the like
            return "/*"
        if root.getparent() is root.getprevious() is root.getnext() is None:
            return f"/{self._names[self._tag[0]] or '*'}"
        path: str = root.getroottree().getpath(root)
        if not _PLAIN.match(path):
            nodes = [root, *root.iterancestors()]
            steps = [
                f"*[{1 + sum(1 for _ in node.itersiblings('*', preceding=True))}]" for node in nodes
            ]
            path = "/" + "/".join(reversed(steps))
        if len(path) > LONGEST:
            number = root.xpath("count(preceding::*) + count(ancestor-or-self::*)")
            return f"/descendant::*[{number:.0f}]"
        return path

    def of_elements(self, elements: list[int], usual: int = USUAL) -> list[str]:
        """Return the absolute XPaths of *elements*."""
        # Neighbours may stand far apart: only steps that others go through are kept, and only what
        # fits is joined.
        parent, root = self._parent, self._root_xpath
        steps, sizes = self._steps, self._sizes
        found: list[str] = []
        room, last, path, same, text = SPARE, -1, "", -1, ""
        for element in elements:
            above = parent[element] if element else -1
            missing = []
            while above > 0 and above not in sizes:
                missing.append(above)
                above = parent[above]
            for below in reversed(missing):
                steps[below] = self._step(below)
                sizes[below] = sizes[above] + 1 + len(steps[below])
                above = below
            step = self._step(element) if element else root
            size = sizes[above] + 1 + len(step) if element else len(root)
            room += usual
            if size <= min(LONGEST, room):
                above = parent[element] if element else -1
                if above != last:  # else a sibling of the one before
                    last, way = above, [""]
                    while above > 0:
                        way.append(steps[above])
                        above = parent[above]
                    path = "/".join([root, *reversed(way)] if last >= 0 else way)
                if element != same:  # else one string stands for both
                    same, text = element, path + step
            else:
                same, text = -1, f"{root}/descendant::*[{self._ordinal[element]}]"
            found.append(text)
            room -= len(text)
        return found

    def _step(self, element: int) -> str:
        name, rank = self._names[self._tag[element]], self._ranks[element]
        if not name:  # of a namespace, or XPath cannot spell it
            return f"*[{self._position[element]}]"
        return f"{name}[{rank}]" if rank else name


def smallest_nodes(
    spans: Int,
    text_parent: Int32,
    parent: Int32,
    first_text: Int32,
    last_text: Int32,
    is_block: Bool,
) -> Int32:
    """Return for each row of (start, stop) the smallest element that holds these text nodes.

    Of several it is the nearest block-level one, or the outermost; −1 for a single text node that
    no element holds alone. Raises :exc:`IndexError` for text nodes that the page does not have.
    """
    starts, stops = spans.astype(np.int64, copy=False).T
    if spans.size and not (spans.min() >= 0 and spans.max() <= text_parent.size):
        raise IndexError(f"the page has only {text_parent.size} text nodes")
    sizes, held = stops - starts, last_text - first_text
    element: Int32 = text_parent[starts]
    far = np.arange(element.size)
    while far.size:  # up to an element that holds the whole span
        at = element[far]
        far = far[(first_text[at] > starts[far]) | (last_text[at] < stops[far])]
        element[far] = parent[element[far]]
    more = held[element] != sizes
    inline = (~more).nonzero()[0]
    while inline.size:  # up as long as an inline element is all that its parent holds
        inline = inline[~is_block[element[inline]] & (element[inline] > 0)]
        inline = inline[held[parent[element[inline]]] == sizes[inline]]
        element[inline] = parent[element[inline]]
    element[more & (sizes == 1)] = -1
    return element


def _ranks(tag: Int32, parent: Int32, tags: int) -> Int64:
    """Return each element's position among the siblings of its tag, 0 for an only one."""
    family = (parent + np.int64(1)) * tags + tag
    found = ranks(family) + 1
    numbers = number_keys(family)
    found[np.bincount(numbers)[numbers] == 1] = 0
    return found
