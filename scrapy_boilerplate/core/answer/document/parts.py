"""Parts of a document by themselves: its images, links, tables and sections."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate
from typing import Any, NamedTuple, TypeVar

from scrapy_boilerplate.core.answer.document import nodes
from scrapy_boilerplate.core.answer.document.nodes import Document, Node

Part = TypeVar("Part")

_ROOM = 32_000
"""Characters that parts repeat of others at most: captions of several images, headings of several
sections. A part beyond goes without them."""

_INSIDE_WORDS = (nodes.Styled, nodes.Link)


@dataclass(frozen=True, slots=True)
class ImagePart:
    """An image of the main content."""

    src: str
    """Its address, absolute where the page's address is known."""
    alt: str
    """What the page says in its place."""
    caption: str
    """The caption of its figure; empty without one."""
    xpath: str


@dataclass(frozen=True, slots=True)
class LinkPart:
    """A link of the main content."""

    href: str
    """Its address, absolute where the page's address is known."""
    text: str
    xpath: str


@dataclass(frozen=True, slots=True)
class EmbedPart:
    """A video, sound or map that the main content shows."""

    src: str
    """Its address, absolute where the page's address is known."""
    text: str
    """What it is, and its title: ``Video: How the harbour was built``."""
    xpath: str


@dataclass(frozen=True, slots=True)
class TablePart:
    """A table of the main content."""

    rows: tuple[tuple[str, ...], ...]
    """The texts of its cells; a cell that spans several columns or rows stands once."""
    header: bool
    """Whether the first row names the columns."""
    caption: str
    xpath: str


@dataclass(frozen=True, slots=True)
class Section:
    """The text between two headings, or with ``max_words`` a piece of it: a natural chunk."""

    headings: tuple[str, ...]
    """Its heading, after those of the sections that it is a part of; empty before the first. On a
    page of many sections under long headings the later ones have their own only."""
    document: Document
    """Its content, with its heading; later pieces of a divided section have no heading."""


def images(document: Document) -> tuple[ImagePart, ...]:
    """Return the images of a document in their order.

    >>> from scrapy_boilerplate import extract
    >>> html = "<p>Some text of an article.<figure><img src=/a.png><figcaption>A view of it."
    >>> found = extract(html, url="https://example.com/", extractor="mss", tag_score=0.0)
    >>> [(image.src, image.caption) for image in found.images]
    [('https://example.com/a.png', 'A view of it.')]
    """
    figures: list[tuple[int, str]] = []  # those around the node at hand: where they end, captions
    said, room = "", _ROOM
    found: list[tuple[Any, ...]] = []
    for index, node in enumerate(document.nodes):
        while figures and figures[-1][0] <= index:
            figures.pop()
        if isinstance(node, nodes.Figure):
            figures.append((document.ends[index], _caption_of(document, index)))
        elif isinstance(node, nodes.Image):
            caption = node.caption or (figures[-1][1] if figures else "")
            room -= len(caption) if caption is said else 0
            said, caption = caption, caption if room >= 0 else ""
            found.append((index, node.src, node.alt, caption))
    return _with_xpaths(document, ImagePart, found)


def _with_xpaths(
    document: Document, part: Callable[..., Part], rows: list[tuple[Any, ...]]
) -> tuple[Part, ...]:
    """Return a part for each row, which is the index of its node and what the part says."""
    xpaths = document.find_xpaths([row[0] for row in rows])
    return tuple(part(*row[1:], xpath) for row, xpath in zip(rows, xpaths, strict=True))


def _caption_of(document: Document, index: int) -> str:
    captions = (
        text_of(document, child)
        for child in document.children(index)
        if isinstance(document.nodes[child], nodes.Caption)
    )
    return next(captions, "")


def links(document: Document) -> tuple[LinkPart, ...]:
    """Return the links of a document in their order."""
    return _with_xpaths(document, LinkPart, _linked(document, embeds=False))


def embeds(document: Document) -> tuple[EmbedPart, ...]:
    """Return the embedded videos, sounds and maps of a document in their order."""
    return _with_xpaths(document, EmbedPart, _linked(document, embeds=True))


def _linked(document: Document, *, embeds: bool) -> list[tuple[Any, ...]]:
    return [
        (index, node.href, text_of(document, index))
        for index, node in enumerate(document.nodes)
        if type(node) is nodes.Link and node.embed == embeds
    ]


def tables(document: Document) -> tuple[TablePart, ...]:
    """Return the tables of a document in their order."""
    places = enumerate(document.nodes)
    found = [_table(document, index) for index, node in places if isinstance(node, nodes.Table)]
    return _with_xpaths(document, TablePart, found)


def _table(document: Document, index: int) -> tuple[Any, ...]:
    rows = [row for row in document.children(index) if isinstance(document.nodes[row], nodes.Row)]
    cells = [list(document.children(row)) for row in rows]
    first = [document.nodes[cell] for cell in cells[0]] if cells else []
    texts = tuple(tuple(text_of(document, cell) for cell in row) for row in cells)
    is_header = bool(first) and all(isinstance(cell, nodes.Cell) and cell.header for cell in first)
    return index, texts, is_header, _caption_of(document, index)


def text_of(document: Document, index: int) -> str:
    """Return what a node says, on one line."""
    if type(document.nodes[index]) is nodes.Link and document.ends[index] == index + 2:
        first = document.nodes[index + 1]
        if type(first) is nodes.Text:  # as in most links
            return " ".join(first.text.split())
    pieces = []
    for node in document.nodes[index : document.ends[index]]:
        if isinstance(node, (nodes.Text, nodes.InlineCode, nodes.Code)):
            pieces.append(node.text)
        elif isinstance(node, nodes.Callout):
            pieces.append(f" {node.title} ")
        elif isinstance(node, (nodes.Formula, nodes.NoteReference)):
            pieces.append(node.tex if isinstance(node, nodes.Formula) else node.label)
        elif not isinstance(node, nodes.Image):
            pieces.append("" if isinstance(node, _INSIDE_WORDS) else " ")
    return " ".join("".join(pieces).split())


def sections(document: Document, max_words: int | None = None) -> tuple[Section, ...]:
    """Divide a document before each heading that stands in no other block.

    Sections of more than *max_words* words are divided between paragraphs and items of lists,
    without overlap. A longer paragraph, table or block of code stays whole, and headings do not
    count.

    >>> from scrapy_boilerplate import extract
    >>> html = "<h1>Title</h1><p>It begins.</p><h2>Part</h2><p>It goes on for a while."
    >>> [each.headings for each in extract(html, extractor="mss", tag_score=0.0).sections]
    [('Title',), ('Title', 'Part')]
    """
    tops = document.children()
    starts = [0, *(top for top in tops if isinstance(document.nodes[top], nodes.Heading))]
    ends = [*starts[1:], len(document.nodes)]
    open_headings: list[tuple[int, str]] = []
    room = _ROOM
    found = []
    for start, end in zip(starts, ends, strict=True):
        if start == end:
            continue
        heading = document.nodes[start]
        if isinstance(heading, nodes.Heading):
            while open_headings and open_headings[-1][0] >= heading.level:
                open_headings.pop()
            open_headings.append((heading.level, text_of(document, start)))
        headings = tuple(text for _, text in open_headings)
        part = _part(document, start, end)
        for piece in _divided(part, max_words) if max_words else (part,):
            room -= sum(map(len, headings[:-1]))
            found.append(Section(headings if room >= 0 else headings[-1:], piece))
    return tuple(found)


def _part(document: Document, start: int, end: int) -> Document:
    if end - start == len(document.nodes):
        return document
    return Document(
        document.nodes[start:end],
        tuple(after - start for after in document.ends[start:end]),
        lambda indices: document.find_xpaths([start + index for index in indices]),
    )


# -- pieces with a bounded number of words ---------------------------------------------------------

_HOLDERS = (
    nodes.List,
    nodes.Item,
    nodes.Quote,
    nodes.Callout,
    nodes.DefinitionList,
    nodes.Definition,
)
"""Blocks that may be divided between the blocks that they hold."""

_DEPTH = 8  # holders inside each other that are divided at most, since each piece repeats them


class _Block(NamedTuple):
    start: int
    end: int
    words: int
    holders: tuple[int, ...]  # the divided blocks around it, the outermost first


def _divided(document: Document, max_words: int) -> Iterator[Document]:
    """Yield *document* in pieces of at most *max_words* words, headings not counted."""
    numbers = _numbers(document)
    piece: list[_Block] = []
    words = 0
    for block in _blocks(document, max_words):
        if words and words + block.words > max_words:
            yield _gathered(document, piece, numbers)
            piece, words = [], 0
        piece.append(block)
        words += block.words
    if piece:
        yield _gathered(document, piece, numbers)


def _blocks(document: Document, max_words: int) -> Iterator[_Block]:
    """Yield the largest blocks that fit, and those that cannot be divided."""
    before = [0, *accumulate(_words(node) for node in document.nodes)]
    holders: list[int] = []
    index = 0
    while index < len(document.nodes):
        while holders and document.ends[holders[-1]] <= index:
            holders.pop()
        node, end = document.nodes[index], document.ends[index]
        words = before[end] - before[index]
        if isinstance(node, _HOLDERS) and words > max_words and len(holders) < _DEPTH:
            holders.append(index)
            index += 1
        else:
            counted = 0 if isinstance(node, nodes.Heading) else words
            yield _Block(index, end, counted, tuple(holders))
            index = end


def _words(node: Node) -> int:
    if isinstance(node, (nodes.Text, nodes.InlineCode, nodes.Code)):
        return len(node.text.split())
    return int(isinstance(node, nodes.Formula))


def _numbers(document: Document) -> dict[int, int]:
    """Return the numbers of the items of ordered lists."""
    return {
        child: number
        for index, node in enumerate(document.nodes)
        if isinstance(node, nodes.List) and node.ordered
        for number, child in enumerate(document.children(index), node.start)
    }


def _gathered(document: Document, blocks: Sequence[_Block], numbers: dict[int, int]) -> Document:
    """Return a document of *blocks* inside their holders."""
    chosen = sorted(
        {at for start, end, _, holders in blocks for at in (*holders, *range(start, end))}
    )
    made = [document.nodes[at] for at in chosen]
    for place, child in enumerate(chosen[1:]):
        node = made[place]
        if isinstance(node, nodes.List) and node.ordered and child in numbers:
            made[place] = replace(node, start=numbers[child])
    return Document(
        tuple(made),
        tuple(bisect_left(chosen, document.ends[at]) for at in chosen),
        lambda indices: document.find_xpaths([chosen[index] for index in indices]),
    )
