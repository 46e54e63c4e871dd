"""XPaths of elements, from the arrays of a page: absolute, short, and right in any namespace."""

from __future__ import annotations

import re
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["XPaths"]

Int = NDArray[Any]

_NAME = re.compile(r"[A-Za-z_][\w.-]*\Z", re.ASCII)
# Each step begins with a slash, which no class before it holds: no backtracking.
_PLAIN = re.compile(r"(?:/(?:[A-Za-z_][\w.-]*|\*)(?:\[\d+\])?)+\Z", re.ASCII)


class XPaths:
    """Writes the XPath of an element; *names* are the qualified names by tag id."""

    def __init__(self, root: Any, names: list[str], tag: Int, parent: Int, position: Int) -> None:
        self._root = root
        self._names = [name if _NAME.match(name) else "" for name in names]
        self._tag, self._parent, self._position = tag, parent, position

    @cached_property
    def _lists(self) -> tuple[list[int], list[int], list[int]]:
        """Tag, parent and rank of each element; lists are faster than arrays one by one."""
        return self._tag.tolist(), self._parent.tolist(), self._ranks().tolist()

    def _ranks(self) -> Int:
        """Return each element's position among the siblings of its tag, 0 for an only one."""
        family = (self._parent + np.int64(1)) * len(self._names) + self._tag
        order = np.argsort(family, kind="stable")
        family = family[order]
        opens = np.append(True, family[1:] != family[:-1])
        first = np.maximum.accumulate(np.where(opens, np.arange(opens.size), 0))
        only = opens & np.append(opens[1:], True)
        ranks = np.empty_like(order)
        ranks[order] = np.where(only, 0, np.arange(opens.size) - first + 1)
        return ranks

    def _step(self, element: int) -> str:
        """Return the last step of an element's XPath."""
        tags, _, ranks = self._lists
        name = self._names[tags[element]]
        if not name:  # of a namespace, or XPath cannot spell it
            return f"*[{self._position[element]}]"
        rank = ranks[element]
        return f"{name}[{rank}]" if rank else name

    def _root_xpath(self) -> str:
        path: str = self._root.getroottree().getpath(self._root)
        if _PLAIN.match(path):
            return path
        nodes = [self._root, *self._root.iterancestors()]
        steps = [
            f"*[{1 + sum(1 for _ in node.itersiblings('*', preceding=True))}]" for node in nodes
        ]
        return "/" + "/".join(reversed(steps))

    @cached_property
    def _trail(self) -> dict[int, str]:
        """The element asked for last and its ancestors, root first, each with its last step."""
        return {0: self._root_xpath()}

    def of_element(self, element: int) -> str:
        """Return the absolute XPath of an element."""
        # Neighbours share most of the way. The paths of all ancestors, kept by themselves, would
        # take memory as the square of the depth.
        parents = self._lists[1]
        trail, missing = self._trail, []
        while element not in trail:
            missing.append(element)
            element = parents[element]
        while next(reversed(trail)) != element:
            trail.popitem()
        for below in reversed(missing):
            trail[below] = self._step(below)
        return "/".join(trail.values())
