"""Pieces of a document with a bounded number of words."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import accumulate
from typing import NamedTuple

from scrapy_boilerplate.core.answer.document import nodes
from scrapy_boilerplate.core.answer.document.nodes import Document, Node

_HOLDERS = (
    nodes.List,
    nodes.Item,
    nodes.Quote,
    nodes.Callout,
    nodes.DefinitionList,
    nodes.Definition,
)
"""Blocks that may be divided between the blocks that they hold."""

_DEPTH = 8
"""Holders inside each other that are divided at most, since each piece repeats them."""


class _Block(NamedTuple):
    start: int
    end: int
    words: int
    holders: tuple[int, ...]
    """The divided blocks around it, the outermost first."""


def divided(document: Document, max_words: int) -> Iterator[Document]:
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
    made: list[Node] = []
    ends: list[int] = []
    sources: list[int] = []
    opened: list[tuple[int, int]] = []  # holders at hand: their place there, and here

    def close(depth: int) -> None:
        while len(opened) > depth:
            ends[opened.pop()[1]] = len(made)

    for start, end, _, holders in blocks:
        depth = 0
        while depth < min(len(opened), len(holders)) and opened[depth][0] == holders[depth]:
            depth += 1
        close(depth)
        inner = [*holders, start]
        for holder, child in zip(holders[depth:], inner[depth + 1 :], strict=True):
            node = document.nodes[holder]
            if isinstance(node, nodes.List) and node.ordered:
                node = replace(node, start=numbers[child])
            opened.append((holder, len(made)))
            made.append(node)
            ends.append(0)
            sources.append(holder)
        shift = len(made) - start
        made.extend(document.nodes[start:end])
        ends.extend(each + shift for each in document.ends[start:end])
        sources.extend(range(start, end))
    close(0)

    return Document(
        tuple(made),
        tuple(ends),
        lambda indices: document.find_xpaths([sources[index] for index in indices]),
    )
