"""XPaths of elements, from the arrays of a page: absolute, short, and right in any namespace."""

from __future__ import annotations

import re
from functools import cached_property
from typing import Any

from numpy.typing import NDArray

__all__ = ["XPaths"]

Int = NDArray[Any]

_NAME = re.compile(r"[A-Za-z_][\w.-]*\Z", re.ASCII)
# Each step begins with a slash, which no class before it holds: no backtracking.
_PLAIN = re.compile(r"(?:/(?:[A-Za-z_][\w.-]*|\*)(?:\[\d+\])?)+\Z", re.ASCII)


class XPaths:
    """Writes the XPath of an element; *names* are the qualified names by tag id."""

    def __init__(
        self, root: Any, names: list[str], tag: Int, parent: Int, end: Int, position: Int
    ) -> None:
        self._root = root
        self._names = [name if _NAME.match(name) else "" for name in names]
        self._tag, self._parent, self._end, self._position = tag, parent, end, position

    @cached_property
    def _lists(self) -> tuple[list[int], list[int], list[int]]:
        """Tag, parent and end of each element; lists are faster than arrays one by one."""
        return self._tag.tolist(), self._parent.tolist(), self._end.tolist()

    @cached_property
    def _ranks(self) -> dict[int, int]:
        """Position of elements among the siblings of their name; 0 for an only one."""
        return {}

    def _rank_children(self, parent: int) -> None:
        tags, _, ends = self._lists
        if ends[parent + 1] == ends[parent]:
            self._ranks[parent + 1] = 0
            return
        named: dict[int, list[int]] = {}
        child = parent + 1
        while child < ends[parent]:
            named.setdefault(tags[child], []).append(child)
            child = ends[child]
        for children in named.values():
            several = len(children) > 1
            self._ranks.update((c, n if several else 0) for n, c in enumerate(children, 1))

    def _step(self, element: int) -> str:
        """Return the last step of an element's XPath."""
        tags, parents, _ = self._lists
        name = self._names[tags[element]]
        if not name:  # of a namespace, or XPath cannot spell it
            return f"*[{self._position[element]}]"
        if element not in self._ranks:
            self._rank_children(parents[element])
        rank = self._ranks[element]
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
