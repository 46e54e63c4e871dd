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
        self._names = names
        self._tag, self._parent, self._position = tag, parent, position

    @cached_property
    def _ranks(self) -> list[int]:
        """Position of each element among the siblings of its name; 0 for the only one."""
        order = np.lexsort((np.arange(self._tag.size), self._tag, self._parent))
        tag, parent = self._tag[order], self._parent[order]
        new = np.ones(order.size, dtype=bool)
        new[1:] = (tag[1:] != tag[:-1]) | (parent[1:] != parent[:-1])
        group = np.cumsum(new) - 1
        rank = np.empty(order.size, dtype=np.int64)
        rank[order] = np.arange(order.size) - np.flatnonzero(new)[group] + 1
        rank[order[np.bincount(group)[group] == 1]] = 0
        ranks: list[int] = rank.tolist()
        return ranks

    @cached_property
    def _node_tests(self) -> list[str]:
        """Tag name of each element; empty for one of a namespace, or that XPath cannot spell."""
        tests = [name if _NAME.match(name) else "" for name in self._names]
        return [tests[tag] for tag in self._tag.tolist()]

    def _step(self, element: int) -> str:
        """Return the last step of an element's XPath."""
        name, rank = self._node_tests[element], self._ranks[element]
        if not name:
            return f"*[{self._position[element]}]"
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
        trail, missing = self._trail, []
        while element not in trail:
            missing.append(element)
            element = int(self._parent[element])
        while next(reversed(trail)) != element:
            trail.popitem()
        for below in reversed(missing):
            trail[below] = self._step(below)
        return "/".join(trail.values())
