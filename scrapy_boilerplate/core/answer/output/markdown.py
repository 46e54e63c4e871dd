"""A document as Markdown: CommonMark with the tables and strikethrough of GFM."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from itertools import chain, repeat

from scrapy_boilerplate.core.answer.document import nodes
from scrapy_boilerplate.core.answer.document.nodes import Document, Node
from scrapy_boilerplate.core.answer.output._markdown_lines import Lines, fence_of

_LINES = frozenset(nodes.LINES)
_HOLDERS = (nodes.Quote, nodes.Callout, nodes.List, nodes.Item, nodes.Note, nodes.Table)
_LINE_END = re.compile(r"\r\n?|\n")
_MOST_COLUMNS = 64
_MOST_MARGINS, _MARGIN_A_CHARACTER = 20_000, 3
"""Characters that margins of quotes and lists take at most, and more for each one of the text."""
_MOST_BLANKS = 10_000  # cells of a table, besides two for each cell with text


def markdown(document: Document) -> str:
    r"""Return a document as Markdown.

    Everything that Markdown would read as markup is escaped. A table without a header gets an empty
    one, since GFM has no other. Formulas stand between dollar signs, notes are ``[^1]``, and
    ``sub``, ``sup``, ``ins`` and ``mark`` are written as HTML, which CommonMark allows.

    >>> from scrapy_boilerplate import extract
    >>> page = "<h1>One *title*</h1><ul><li>First item<li>Second item</ul>"
    >>> markdown(extract(page, extractor="mss", tag_score=0.0).document)
    '# One \\*title\\*\n\n- First item\n- Second item\n'
    """
    return _MarkdownWriter(document).write()


@dataclass(slots=True)
class _Holder:
    """What a block holds: lines, which get its margin when it ends."""

    first: str = ""
    """What its first line begins with …"""
    rest: str = ""
    """… and the later ones."""
    tight: bool = False
    """Whether no blank line separates what it holds."""
    tight_items: bool = False
    """Whether it is a list whose items are a line each."""
    ordered: bool = False
    number: int = 1
    """Number of the next item of an ordered list."""
    bullet: str = ""
    """What its items begin with, if it is a list."""
    bullet_above: str = ""
    """That of the list right above the next block."""
    lines: list[str] = field(default_factory=list)
    above: tuple[str, ...] = ()
    """Lines before these."""

    def add(self, lines: list[str], bullet: str = "") -> None:
        """Add a block of these lines."""
        if self.lines and lines and not self.tight:
            self.lines.append("")
        self.lines += lines
        self.bullet_above = bullet

    def with_margin(self) -> list[str]:
        """Return its lines with its margin."""
        self.lines[:0] = self.above
        if not self.lines and self.first != self.rest:  # an empty item
            return [self.first.rstrip()]
        margins = chain([self.first], repeat(self.rest))
        return [
            margin + line if line else margin.rstrip()
            for margin, line in zip(margins, self.lines, strict=False)
        ]


_ADDRESS_ALONE = re.compile(
    r"\A(?!https?://\S*\s*\Z)((?:[A-Za-z][\w+.-]*:|[\\/])\S*)(?=\s*\Z|\s+[\"'(])"
)
"""An address that a note consists of; those of the web may lead where they say."""


class _MarkdownWriter:
    """Writes blocks line by line; each holder adds its margin when it ends."""

    def __init__(self, document: Document) -> None:
        self._document = document
        numbers = {node.number for node in document.nodes if type(node) is nodes.Note}
        references = (node for node in document.nodes if type(node) is nodes.NoteReference)
        self._referred = {node.number for node in references} if numbers else set[int]()
        self._lines = Lines(document, numbers)
        self._holders = [_Holder()]
        self._table: _Grid | None = None
        self._room = _MOST_MARGINS

    def write(self) -> str:
        """Return all of it."""
        document, index = self._document, 0
        closing: list[tuple[int, Node]] = []  # of open blocks: where they end
        while index < len(document.nodes):
            while closing and closing[-1][0] <= index:
                self._close(closing.pop()[1])
            node, after = document.nodes[index], document.ends[index]
            if type(node) in _LINES:
                self._write_line_block(node, index + 1, after)
                index = after
                continue
            if self._table is not None:
                self._read_table(self._table, node)
            else:
                self._begin(node, index)
                if isinstance(node, _HOLDERS):
                    closing.append((after, node))
            index += 1
        while closing:
            self._close(closing.pop()[1])
        lines = self._holders[0].lines
        return "\n".join([*lines, ""]) if lines else ""

    def _close(self, node: Node) -> None:
        if not isinstance(node, nodes.Table):
            self._end()
        elif self._table is not None:
            self._write_table(self._table)

    def _emit(self, text: str) -> None:
        """Write a block of one or several lines."""
        self._room += _MARGIN_A_CHARACTER * len(text)
        self._holders[-1].add(_LINE_END.split(text) if "\r" in text else text.split("\n"))

    def _end(self) -> None:
        """Write what a holder holds; without its margin if margins are out of all proportion."""
        ended = self._holders.pop()
        if ended.first.startswith("[^") and ended.lines:
            # To readers without footnotes this defines where each mark leads.
            ended.lines[0] = _ADDRESS_ALONE.sub(r"\1 &nbsp;", ended.lines[0])
        margins = len(ended.rest) * len(ended.lines)
        if margins > self._room:
            ended.first = ended.rest = ""
        else:
            self._room -= margins
        self._holders[-1].add(ended.with_margin(), ended.bullet)

    def _write_line_block(self, node: Node, first: int, after: int) -> None:
        in_table, is_heading = self._table is not None, isinstance(node, nodes.Heading)
        text = self._lines.text(first, after, in_table=in_table, one_line=is_heading)
        if not text:
            return
        if self._table is not None and not isinstance(node, nodes.Caption):
            self._table.add(text)
        elif isinstance(node, nodes.Heading):
            self._emit("#" * node.level + " " + text)
        else:
            self._emit(f"**{text}**" if isinstance(node, nodes.Term) and "*" not in text else text)

    # -- blocks ------------------------------------------------------------------------------

    def _begin(self, node: Node, index: int) -> None:
        holder = self._holders[-1]
        if isinstance(node, nodes.Quote):
            self._holders.append(_Holder("> ", "> "))
        elif isinstance(node, nodes.Callout):
            self._holders.append(_Holder("> ", "> ", above=self._mark_of(node, index)))
        elif isinstance(node, nodes.List):
            marks = (".", ")") if node.ordered else ("-", "*")
            bullet = marks[1] if holder.bullet_above == marks[0] else marks[0]
            tight = self._is_tight(index)
            either = tight or holder.tight
            self._holders.append(_Holder("", "", either, tight, node.ordered, node.start, bullet))
        elif isinstance(node, nodes.Item):
            self._begin_item(node, index)
        elif isinstance(node, nodes.Note):
            mark = f"[^{node.number}]: " if node.number in self._referred else f"{node.number}. "
            self._holders.append(_Holder(mark, "    "))
        elif isinstance(node, nodes.Code):
            fence = fence_of(node.text, least=3)
            self._emit(f"{fence}{node.language}\n{node.text}\n{fence}")
        elif isinstance(node, nodes.Rule):
            # The other one would be a part of the marker of a list.
            innermost = next((each.bullet for each in self._holders[::-1] if each.bullet), "")
            self._emit("***" if innermost == "-" else "---")
        elif isinstance(node, nodes.Table):
            self._table = _Grid()

    def _mark_of(self, node: nodes.Callout, index: int) -> tuple[str, ...]:
        """Return the lines with which a callout begins: GitHub's mark, and its title."""
        mark = f"[!{node.kind.upper()}] {self._lines.line(node.title)}".rstrip()
        first = next(self._document.children(index), -1)
        is_text = first >= 0 and isinstance(self._document.nodes[first], nodes.Paragraph)
        return (mark,) if is_text else (mark, "")

    def _begin_item(self, node: nodes.Item, index: int) -> None:
        above = self._holders[-1]
        bullet = f"{above.number}{above.bullet} " if above.ordered else f"{above.bullet} "
        above.number += 1
        first = next(self._document.children(index), -1)
        is_task = node.checked is not None
        box = ("[x] " if node.checked else "[ ] ") if is_task else ""
        box = box if isinstance(self._document.nodes[first], nodes.Paragraph) else ""
        self._holders.append(_Holder(bullet + box, " " * len(bullet), above.tight_items))

    def _is_tight(self, index: int) -> bool:
        """Return whether each item of a list is one paragraph, with lists below it at the most."""
        document = self._document
        for item in document.children(index):
            for number, block in enumerate(document.children(item)):
                kind = nodes.Paragraph if number == 0 else nodes.List
                if not isinstance(document.nodes[block], kind):
                    return False
        return True

    # -- tables ------------------------------------------------------------------------------

    def _read_table(self, grid: _Grid, node: Node) -> None:
        if isinstance(node, nodes.Table):
            self._write_table(grid)
        elif isinstance(node, nodes.Row):
            grid.begin_row(node)
        elif isinstance(node, nodes.Cell):
            grid.begin_cell(node)
        elif isinstance(node, nodes.Code):
            for line in filter(str.strip, node.text.splitlines()):
                grid.add(self._lines.code_in_cell(line))

    def _write_table(self, grid: _Grid) -> None:
        self._table = None
        text = grid.text()
        if text:
            self._emit(text)


@dataclass(slots=True)
class _Grid:
    """The cells of a table that is being read."""

    rows: list[list[list[str]]] = field(default_factory=list)
    is_header: list[bool] = field(default_factory=list)
    _spanned: dict[int, int] = field(default_factory=dict)  # column: rows that a cell above takes
    _cells: int = 0
    _blanks: int = 0  # cells that others span, or that fill a row

    def begin_row(self, row: nodes.Row) -> None:
        """Begin a row."""
        self.rows.append([])
        self.is_header.append(True)
        self._fill()

    def _fill(self) -> None:
        """Leave out the columns that cells of the rows above reach into."""
        row = self.rows[-1]
        while self._spanned.get(len(row), 0) > 0 and self._has_room(1):
            self._spanned[len(row)] -= 1
            self._blanks += 1
            row.append([])

    def _has_room(self, blanks: int) -> bool:
        """Return whether so many more blank cells are in proportion: what spans may be a bomb."""
        return self._blanks + blanks <= _MOST_BLANKS + 2 * self._cells

    def begin_cell(self, cell: nodes.Cell) -> None:
        """Begin a cell; the columns that it spans stay empty."""
        row = self.rows[-1]
        self.is_header[-1] &= cell.header
        self._fill()
        self._cells += 1
        columns = min(cell.colspan, max(_MOST_COLUMNS - len(row), 1))
        columns = columns if self._has_room(columns - 1) else 1
        self._blanks += columns - 1
        for _ in range(columns):
            if cell.rowspan > 1:
                self._spanned[len(row)] = cell.rowspan - 1
            row.append([])
        self._current = len(row) - columns

    _current: int = 0

    def add(self, text: str) -> None:
        """Add a line to the cell at hand."""
        self.rows[-1][self._current].append(text)

    def text(self) -> str:
        """Return the table."""
        rows = [["<br>".join(lines) for lines in row] for row in self.rows]
        width = max(map(len, rows), default=0)
        if not width:
            return ""
        if not self.is_header[0]:
            rows.insert(0, [])
        blanks = width * len(rows) - sum(map(len, rows))
        padded = rows if self._has_room(blanks) else rows[:1]  # GFM fills rows up
        for row in padded:
            row += [""] * (width - len(row))
        lines = ["| " + " | ".join(row) + " |" for row in rows]
        lines.insert(1, "|" + " --- |" * width)
        return "\n".join(lines)
