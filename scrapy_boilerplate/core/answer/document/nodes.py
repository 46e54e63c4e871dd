"""The document model: a flat row of nodes, in the order in which they are read."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Literal, TypeAlias

from scrapy_boilerplate.core.caching import cached_property

_CALLOUT = re.compile(r"[a-z]{1,20}")
_LANGUAGE = re.compile(r"[\w+#.-]{1,40}")

Style: TypeAlias = Literal["em", "strong", "del", "ins", "sub", "sup", "mark"]
"""How a piece of a line is marked, by the name of its HTML element."""


@dataclass(frozen=True, slots=True)
class Node:
    """One node of a document; the nodes that it holds come right after it."""


# -- blocks ----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Heading(Node):
    """A heading of level 1 to 6."""

    level: int


@dataclass(frozen=True, slots=True)
class Paragraph(Node):
    """A paragraph, or any other run of text that stands by itself."""


@dataclass(frozen=True, slots=True)
class Quote(Node):
    """A quotation of one or several blocks."""


@dataclass(frozen=True, slots=True)
class Callout(Node):
    """A note, a tip or a warning that stands apart from the text, of one or several blocks."""

    kind: str = "note"
    """Its kind in lower case, as the page names it: ``note``, ``tip``, ``warning``, ``danger`` …"""
    title: str = ""
    """Its own title; empty where it says no more than the kind."""

    def __post_init__(self) -> None:
        if not _CALLOUT.fullmatch(self.kind):
            object.__setattr__(self, "kind", "note")


@dataclass(frozen=True, slots=True)
class List(Node):
    """A list of items."""

    ordered: bool = False
    start: int = 1
    """Number of the first item of an ordered list."""


@dataclass(frozen=True, slots=True)
class Item(Node):
    """An item of a list."""

    checked: bool | None = None
    """Whether the item's checkbox is ticked; ``None`` without one."""


@dataclass(frozen=True, slots=True)
class DefinitionList(Node):
    """A list of terms and their definitions."""


@dataclass(frozen=True, slots=True)
class Term(Node):
    """A term of a definition list."""


@dataclass(frozen=True, slots=True)
class Definition(Node):
    """The definition of the term before."""


@dataclass(frozen=True, slots=True)
class Table(Node):
    """A table of data; one that only arranges the page is no table here."""


@dataclass(frozen=True, slots=True)
class Row(Node):
    """A row of a table."""

    header: bool = False
    """Whether it stands above the others and names the columns."""


@dataclass(frozen=True, slots=True)
class Cell(Node):
    """A cell of a table; it may be empty."""

    header: bool = False
    colspan: int = 1
    rowspan: int = 1


@dataclass(frozen=True, slots=True)
class Figure(Node):
    """An image, a table or code with its caption."""


@dataclass(frozen=True, slots=True)
class Caption(Node):
    """The caption of a table or figure."""


@dataclass(frozen=True, slots=True)
class Code(Node):
    """Preformatted text, with its white space."""

    text: str
    language: str = ""
    """Name of the programming language, if the page says it; what can be no name is dropped."""

    def __post_init__(self) -> None:
        if not _LANGUAGE.fullmatch(self.language):
            object.__setattr__(self, "language", "")


@dataclass(frozen=True, slots=True)
class Note(Node):
    """A footnote or endnote."""

    number: int = 1
    """The number by which :class:`NoteReference` refers to it."""


@dataclass(frozen=True, slots=True)
class Rule(Node):
    """A line across the page."""


# -- inside a line ---------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Text(Node):
    """Plain text; white space is collapsed."""

    text: str


@dataclass(frozen=True, slots=True)
class Styled(Node):
    """Marked text: emphasis and its kin."""

    style: Style


@dataclass(frozen=True, slots=True)
class Link(Node):
    """A link; its address is absolute where the page's address is known."""

    href: str
    embed: bool = False
    """Whether the page shows there what the link leads to: a video, sound or a map."""


@dataclass(frozen=True, slots=True)
class NoteReference(Node):
    """A reference to a :class:`Note`."""

    number: int = 1
    label: str = ""
    """What the page shows in its place."""


@dataclass(frozen=True, slots=True)
class InlineCode(Node):
    """Code inside a line."""

    text: str


@dataclass(frozen=True, slots=True)
class Formula(Node):
    """A formula in TeX."""

    tex: str
    display: bool = False
    """Whether it stands on a line of its own."""


@dataclass(frozen=True, slots=True)
class Image(Node):
    """An image; its address is absolute where the page's address is known."""

    src: str
    alt: str = ""
    caption: str = ""
    """Caption that is not in the text; one that is stands beside the image."""

    @property
    def title(self) -> str:
        """The caption, where it says more than the alternative text."""
        return "" if self.caption == self.alt else self.caption


@dataclass(frozen=True, slots=True)
class LineBreak(Node):
    """The end of a line inside a block."""


LINES = (Paragraph, Heading, Term, Caption)  # blocks that hold lines of text, and no other blocks


def _chosen(xpaths: tuple[str, ...], indices: Sequence[int]) -> list[str]:
    return [xpaths[index] for index in indices]


@dataclass(frozen=True)
class Document:
    """The kept content of a page."""

    nodes: tuple[Node, ...] = ()
    ends: tuple[int, ...] = ()
    """For each node the index after the last one that it holds."""

    find_xpaths: Callable[[Sequence[int]], Sequence[str]] = field(
        default=partial(_chosen, ()), repr=False, compare=False
    )
    """Function that returns the XPaths of the nodes at some indices, when they are asked for."""

    @cached_property
    def xpaths(self) -> tuple[str, ...]:
        """For each node the XPath of its element or text, or of the block that holds it."""
        return tuple(self.find_xpaths(range(len(self.nodes))))

    def __reduce__(self) -> tuple[Any, ...]:
        """Return what is pickled: the XPaths in place of what finds them."""
        return Document, (self.nodes, self.ends, partial(_chosen, self.xpaths))

    def children(self, index: int = -1) -> Iterator[int]:
        """Yield the indices of the nodes right inside a node, or of those that are in none."""
        child, end = index + 1, self.ends[index] if index >= 0 else len(self.nodes)
        while child < end:
            yield child
            child = self.ends[child]
