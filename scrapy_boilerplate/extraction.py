"""What an extractor answers with: frozen values that outlive the page they came from."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

__all__ = ["Explanation", "Extraction", "Kind", "Role", "Segment"]

Kind = Literal["article", "list", "empty", "not_html"]
"""What a page is: one text, a page that lists texts, a page without text, or no page at all."""

Role = Literal[
    "title",
    "body",
    "teaser",
    "comment",
    "list",
    "table",
    "code",
    "caption",
    "navigation",
    "boilerplate",
]
"""What a segment is on its page. Methods that cannot tell say ``body`` or ``boilerplate``."""


@dataclass(frozen=True, slots=True)
class Segment:
    """One coherent piece of a page's text and the node that it came from."""

    text: str
    """The laid-out text: paragraphs are separated by a blank line, lines by a line break."""

    xpath: str
    """Absolute XPath of the element or text node, resolvable by lxml on :attr:`Page.root`. It has
    about a thousand characters at most: for a deeper element it says its number in the tree."""

    role: Role = "body"
    """What the segment is on its page."""

    score: float = 0.0
    """The method's own measure; comparable within one page and method only."""

    span: tuple[int, int] = (0, 0)
    """Half-open range of the :class:`~scrapy_boilerplate.Page`'s text nodes."""


@dataclass(frozen=True, slots=True)
class Extraction:
    """The answer of an extractor for one page."""

    text: str
    """The main content, laid out for a reader; empty if the page has none."""

    segments: tuple[Segment, ...] = ()
    """What the method found, in document order: for ``energy`` and ``links`` the whole partition
    of the page into coherent texts, for the other methods the paragraphs of the main content."""

    main: tuple[Segment, ...] = ()
    """The segments that make up :attr:`text`."""

    kind: Kind = "empty"
    """What the page is."""

    confidence: float | None = None
    """Expected word F1 of :attr:`text`, in [0, 1]; ``None`` where the method cannot tell."""

    extractor: str = ""
    """Registered name of the method."""

    truncated: bool = False
    """Whether a part of the page is missing: the parser dropped it, or it was too much."""

    garbled: bool = False
    """Whether the page was decoded wrongly; :attr:`confidence` is then at most 0.5."""


@dataclass(frozen=True, slots=True)
class Explanation:
    """Why one block of a page was kept or dropped."""

    text: str
    """The block's text, white space collapsed."""

    xpath: str
    """The node that the block came from."""

    kept: bool
    """Whether the block is part of the extraction's text."""

    score: float
    """The method's own measure."""

    reason: str
    """The rule, factor or value that decided, in words."""
