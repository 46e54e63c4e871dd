"""Writes nodes: opens blocks when text needs them, and collapses white space on the way."""

from __future__ import annotations

from dataclasses import replace

from scrapy_boilerplate.core.answer.document import nodes
from scrapy_boilerplate.core.answer.document.nodes import Document, Node

MAX_NESTING = 24
"""Blocks inside blocks. Deeper ones are written without their container, so that what an output
repeats for each level, such as the margin of a quotation, stays small."""

_MOST_REPEATED = 32_000
"""Characters of the addresses of links that are written again for each block that they hold."""

_HOLDS: dict[type[Node], tuple[type[Node], ...]] = {
    nodes.List: (nodes.Item,),
    nodes.DefinitionList: (nodes.Term, nodes.Definition),
    nodes.Table: (nodes.Row, nodes.Caption),
    nodes.Row: (nodes.Cell,),
}
"""Blocks that hold some kinds of blocks only …"""

_WRAPPER: dict[type[Node], type[Node]] = {
    nodes.List: nodes.Item,
    nodes.DefinitionList: nodes.Definition,
    nodes.Table: nodes.Row,
    nodes.Row: nodes.Cell,
}
"""… and what others are wrapped in there."""


class Writer:
    """Collects the nodes of a document in their order, with the place that each was read from."""

    def __init__(self) -> None:
        self.nodes: list[Node] = []
        self.ends: list[int] = []
        self.places: list[int] = []
        self._blocks: list[int] = []  # open blocks, outermost first
        self._wrappers: set[int] = set()  # those that no element asked for
        self._inline: list[tuple[int, Node]] = []  # open inside the line, outermost first
        self._links: set[int] = set()  # those that were written, by their identity
        self._room = _MOST_REPEATED
        self.wanted: list[tuple[Node, int]] = []
        """Nodes that the text to come stands in, outermost first, with their places."""
        self._space = False  # whether white space stands before the next text
        self._break = -1  # place of an end of line before the next text
        self._is_fresh = True  # whether the line is empty so far
        self._pieces: list[str] = []  # text that is not written yet …
        self._text_place = 0  # … and where it begins

    def _add(self, node: Node, place: int) -> int:
        if self._pieces:
            self._flush()
        index = len(self.nodes)
        self.nodes.append(node)
        self.ends.append(index + 1)
        self.places.append(place)
        return index

    # -- blocks ------------------------------------------------------------------------------

    @property
    def depth(self) -> int:
        """Number of open blocks."""
        return len(self._blocks)

    @property
    def _in_line(self) -> bool:
        """Whether the open block holds lines."""
        return bool(self._blocks) and isinstance(self.nodes[self._blocks[-1]], nodes.LINES)

    @property
    def can_open(self) -> bool:
        """Whether a block that begins now is written."""
        self.end_paragraph()
        return not self._in_line and len(self._blocks) < MAX_NESTING

    def open(self, block: Node, place: int) -> int:
        """Begin a block; return how many blocks are open when it has ended.

        A heading, a term or a caption that is open takes in what the block would hold.
        """
        return self._open(block, place) if self.can_open else len(self._blocks)

    def _open(self, block: Node, place: int) -> int:
        for level in range(len(self._blocks) - 1, 0, -1):
            if self._blocks[level] not in self._wrappers:
                break
            if isinstance(block, _HOLDS[type(self.nodes[self._blocks[level - 1]])]):
                self.close_to(level)
        depth = len(self._blocks)
        self._wrap(block, place)
        if isinstance(block, nodes.Cell):  # the next cell stands in the same row
            depth = len(self._blocks)
        self._begin(block, place)
        return depth

    def _wrap(self, block: Node, place: int) -> None:
        """Open what must stand between the open block and *block*."""
        while self._blocks:
            kind = type(self.nodes[self._blocks[-1]])
            if isinstance(block, _HOLDS.get(kind, (Node,))):
                return
            self._wrappers.add(len(self.nodes))
            self._begin(_WRAPPER[kind](), place)

    def _begin(self, block: Node, place: int) -> None:
        self._blocks.append(self._add(block, place))
        self._space, self._break, self._is_fresh = False, -1, True

    def _close(self) -> None:
        self._close_inline(0)
        if self._pieces:
            self._flush()
        index = self._blocks.pop()
        self.ends[index] = len(self.nodes)
        self._space, self._break = False, -1

    def close_to(self, depth: int) -> None:
        """End blocks until so many are open."""
        while len(self._blocks) > depth:
            self._close()

    def end_paragraph(self) -> None:
        """End the paragraph at hand; in other blocks of text the words are only set apart."""
        if self._blocks and isinstance(self.nodes[self._blocks[-1]], nodes.Paragraph):
            self._close()
        self._space = True

    def add_block(self, block: Node, place: int) -> bool:
        """Write a block that holds nothing; ``False`` where only lines can stand."""
        self.end_paragraph()
        if self._in_line:
            return False
        self.close_to(self._open(block, place))
        return True

    def check(self, checked: bool) -> None:
        """Note the checkbox that an item begins with; one elsewhere says nothing."""
        last = self.nodes[-1] if self._blocks[-1:] == [len(self.nodes) - 1] else None
        if isinstance(last, nodes.Item) and not self._pieces:  # it holds nothing so far
            self.nodes[-1] = replace(last, checked=checked)

    def accepts(self, kind: type[Node]) -> bool:
        """Return whether the open block is one that such blocks belong in."""
        level = len(self._blocks) - 1
        while level > 0 and self._blocks[level] in self._wrappers:
            level -= 1
        holder = self.nodes[self._blocks[level]] if level >= 0 else None
        if kind is nodes.Caption and isinstance(holder, nodes.Figure):
            return True
        return holder is not None and kind in _HOLDS.get(type(holder), ())

    def is_open(self, kind: type[Node]) -> bool:
        """Return whether one of the open blocks is of that kind."""
        return any(isinstance(self.nodes[block], kind) for block in self._blocks)

    # -- lines -------------------------------------------------------------------------------

    def is_wanted(self, kind: type[Node]) -> bool:
        """Return whether the text at hand stands in a node of that kind."""
        return bool(self.wanted) and any(isinstance(node, kind) for node, _ in self.wanted)

    def has(self, wanted: nodes.Styled) -> bool:
        """Return whether the text at hand is marked so already."""
        return any(node == wanted for node, _ in self.wanted)

    def space(self) -> None:
        """Note white space."""
        self._space = True

    def line_break(self, place: int) -> None:
        """End a line; two in a row end the paragraph."""
        if not self._in_line or self._is_fresh:
            return
        if self._break >= 0:
            self.end_paragraph()
        else:
            self._break = place

    def text(self, text: str, place: int, block_place: int) -> None:
        """Write text that is not blank; *block_place* is that of the paragraph it may open."""
        self._space |= text[0].isspace()
        self._prepare(block_place)
        if not self._pieces or self._pieces == [" "]:
            self._text_place = place
        self._pieces.append(" ".join(text.split()))
        self._space, self._is_fresh = text[-1].isspace(), False

    def leaf(self, node: Node, place: int, block_place: int) -> None:
        """Write a node that stands in a line and holds nothing."""
        self._prepare(block_place)
        self._add(node, place)
        self._is_fresh = False

    def _prepare(self, block_place: int) -> None:
        """Open what the next piece of a line stands in."""
        if not self._in_line:
            paragraph = nodes.Paragraph()
            self._wrap(paragraph, block_place)
            self._begin(paragraph, block_place)
        common = 0
        for (_, opened), (wanted, _) in zip(self._inline, self.wanted, strict=False):
            if opened is not wanted:
                break
            common += 1
        if len(self._inline) > common:
            self._close_inline(common)
        if self._space or self._break >= 0:
            self._separate()
        for node, place in self.wanted[common:]:
            if not isinstance(node, nodes.Link) or self._may_repeat(node):
                self._inline.append((self._add(node, place), node))

    def _may_repeat(self, link: nodes.Link) -> bool:
        """Return whether a link may be written, which one around many blocks is for each."""
        self._room -= len(link.href) * (id(link) in self._links)
        self._links.add(id(link))
        return self._room >= 0

    def _separate(self) -> None:
        """Write what stands before the next piece of the line."""
        if self._break >= 0:
            self._add(nodes.LineBreak(), self._break)
        elif self._space and not self._is_fresh:
            if not self._pieces:
                self._text_place = self.places[-1]
            self._pieces.append(" ")
        self._space, self._break = False, -1

    def _flush(self) -> None:
        """Write the text at hand."""
        text, self._pieces = "".join(self._pieces), []
        self._add(nodes.Text(text), self._text_place)

    def _close_inline(self, number: int) -> None:
        if self._pieces and len(self._inline) > number:
            self._flush()
        while len(self._inline) > number:
            self.ends[self._inline.pop()[0]] = len(self.nodes)


def from_text(text: str) -> Document:
    r"""Return a document of the paragraphs of *text*, which blank lines separate.

    >>> [type(node).__name__ for node in from_text("One.\nTwo.\n\nThree.").nodes]
    ['Paragraph', 'Text', 'LineBreak', 'Text', 'Paragraph', 'Text']
    """
    writer = Writer()
    for paragraph in text.split("\n\n"):
        for line in filter(str.strip, paragraph.split("\n")):
            writer.text(line, 0, 0)
            writer.line_break(0)
        writer.end_paragraph()
    size = len(writer.nodes)
    return Document(tuple(writer.nodes), tuple(writer.ends), lambda: ("",) * size)
