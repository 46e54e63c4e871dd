"""One line of Markdown: text with what is escaped in it, emphasis, links, code."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection
from dataclasses import dataclass, field
from typing import NamedTuple

from scrapy_boilerplate.core.answer.document import nodes
from scrapy_boilerplate.core.answer.document.nodes import Node

# Single characters and fixed look-arounds: no backtracking.
# Each choice begins with its character: the search is four times as fast.
_SPECIAL = re.compile(
    r"\\|`|\*|~|\[|\]|<|_(?<![^\W_]_)|_(?![^\W_])|&(?=#|[A-Za-z][A-Za-z0-9]{1,31};)"
)
_ENTITY = re.compile(r"&(?=#|[A-Za-z][A-Za-z0-9]{1,31};)")
_BLOCK_START = re.compile(r"(?:#{1,6}(?=\s|$)|[-+](?=\s|$)|>|[|:=-][\s|:=-]*$)")
_NUMBER_START = re.compile(r"(\d{1,9})([.)])(?=\s|$)")
_BACKTICKS = re.compile("`+")
_ADDRESS = re.compile(r"[\s()<>\\|`\[\]\x00-\x1f]")
_DELIMITERS = {"em": "*", "strong": "**", "del": "~~"}
_BREAK = "\\\n"
_LINE_ENDS = re.compile(r"[\r\n]+")
_OPEN_DOLLAR = re.compile(r"(?<!\\)((?:\\\\)*)\$")


class _Mark(NamedTuple):
    """The begin or end of a node in a line."""

    node: Node
    begins: bool


@dataclass(slots=True)
class Line:
    """Collects what stands in a block of text, and writes it."""

    in_table: bool
    one_line: bool
    escapes_dollars: bool
    notes: Collection[int]
    """Numbers of the notes that are written."""
    _pieces: list[str | _Mark] = field(default_factory=list)

    def read(self, node: Node, begins: bool) -> None:
        """Take in a node."""
        if type(node) is nodes.Text:
            self._pieces.append(self._escaped(node.text))
        elif isinstance(node, (nodes.Styled, nodes.Link)):
            self._pieces.append(_Mark(node, begins))
        elif isinstance(node, nodes.LineBreak):
            self._pieces.append(" " if self.one_line else "<br>" if self.in_table else _BREAK)
        elif isinstance(node, nodes.InlineCode):
            self._read_code(node.text)
        elif isinstance(node, nodes.NoteReference):
            label = self._escaped(node.label)
            shown = f"<sup>{label}</sup>" if node.label.isalnum() else label
            self._pieces.append(f"[^{node.number}]" if node.number in self.notes else shown)
        elif isinstance(node, nodes.Formula):
            mark = "$$" if node.display else "$"
            self._pieces.append(f"{mark}{_tex(node.tex, in_cell=self.in_table)}{mark}")
        elif isinstance(node, nodes.Image):
            title = self._escaped(node.title).replace('"', '\\"')
            target = f'{_address(node.src)} "{title}"' if title else _address(node.src)
            self._pieces.append(f"![{self._escaped(node.alt)}]({target})")

    def _read_code(self, text: str) -> None:
        text = _LINE_ENDS.sub(" ", text)
        last = self._pieces[-1] if self._pieces else ""
        joins = isinstance(last, str) and last.endswith("`")  # it would be one code with the last
        if not text.strip():  # Markdown has no empty code
            self._pieces.append(" ")
        elif joins or (self.in_table and "\\|" in text):  # which ends a cell for some readers
            self._pieces.append(f"<code>{self._escaped(text)}</code>")
        else:
            self._pieces.append(self._in_cell(_code(text)))

    def _in_cell(self, text: str) -> str:
        return text.replace("|", "\\|") if self.in_table else text

    def _escaped(self, text: str) -> str:
        if "\n" in text or "\r" in text:
            text = _LINE_ENDS.sub(" ", text)
        if _SPECIAL.search(text):
            text = _SPECIAL.sub(r"\\\g<0>", text)
        if self.escapes_dollars:
            text = text.replace("$", "\\$")
        return self._in_cell(text)

    def text(self) -> str:
        """Return the line, or the lines, without white space around them."""
        written: list[str] = []
        marks: list[_Emphasis] = []
        open_marks: list[_Emphasis] = []
        for piece in self._pieces:
            if isinstance(piece, str):
                written.append(piece)
            elif isinstance(piece.node, nodes.Link):
                if piece.begins and written and written[-1].endswith("!"):
                    written[-1] = written[-1][:-1] + "\\!"
                written.append("[" if piece.begins else f"]({_address(piece.node.href)})")
            elif isinstance(piece.node, nodes.Styled):
                if piece.begins:
                    open_marks.append(_Emphasis(piece.node.style, len(written)))
                    marks.append(open_marks[-1])
                else:
                    open_marks.pop().end = len(written)
                written.append("")
        if marks:
            _write_emphasis(written, marks)
        text = "".join(written).strip()
        if self.in_table:
            return text
        if self.one_line:
            return text[:-1] + "\\#" if text.endswith("#") else text
        return "\n".join(map(_escape_start, text.split("\n")))


# -- emphasis --------------------------------------------------------------------------------


@dataclass(slots=True)
class _Emphasis:
    """Marked text in a line, from the piece that opens it to the one that closes it."""

    style: nodes.Style
    begin: int
    end: int = 0


_MOST_ROUNDS = 8


def _write_emphasis(pieces: list[str], marks: list[_Emphasis]) -> None:
    """Write what opens and closes each mark: delimiters where CommonMark reads them as emphasis.

    One that is written as HTML stands beside others, so that they are looked at once more.
    """
    delimited = [mark for mark in marks if mark.style in _DELIMITERS]
    for mark in marks:
        _write_tags(pieces, mark)
    for mark in delimited:
        pieces[mark.begin] = pieces[mark.end] = _DELIMITERS[mark.style]
    for number in range(_MOST_ROUNDS):
        unread = _unread(pieces, delimited)
        if not unread:
            break
        for mark in delimited if number == _MOST_ROUNDS - 1 else unread:
            _write_tags(pieces, mark)
        delimited = [mark for mark in delimited if pieces[mark.begin][0] != "<"]


def _write_tags(pieces: list[str], mark: _Emphasis) -> None:
    pieces[mark.begin], pieces[mark.end] = f"<{mark.style}>", f"</{mark.style}>"


def _unread(pieces: list[str], delimited: list[_Emphasis]) -> list[_Emphasis]:
    """Return the marks whose delimiters CommonMark would not read as what they are."""
    begins = {mark.begin: mark for mark in delimited}
    ends = {mark.end: mark for mark in delimited}
    found: dict[int, _Emphasis] = {}
    before, number = " ", 0
    while number < len(pieces):
        piece = pieces[number]
        if number not in begins and number not in ends:
            before = piece[-1:] or before
            number += 1
            continue
        run = [number]
        while (number := number + 1) < len(pieces):
            if pieces[number] and pieces[number][0] != piece[0]:
                break
            if pieces[number]:
                if number not in begins and number not in ends:
                    break
                run.append(number)
        after = pieces[number][0] if number < len(pieces) else " "
        opening = [begins[each] for each in run if each in begins]
        closing = [ends[each] for each in run if each in ends]
        # One run of delimiters cannot close some and open others.
        if opening and (closing or not _can_flank(before, after)):
            found.update((mark.begin, mark) for mark in opening)
        elif closing and not _can_flank(after, before):
            found.update((mark.begin, mark) for mark in closing)
        before = piece[0]
    return list(found.values())


def _can_flank(outer: str, inner: str) -> bool:
    """Return whether delimiters between these characters open or close emphasis."""
    if inner.isspace():
        return False
    return not _is_punctuation(inner) or outer.isspace() or _is_punctuation(outer)


def _is_punctuation(char: str) -> bool:
    return unicodedata.category(char)[0] in "PS"


def _escape_start(line: str) -> str:
    """Escape what would make a line begin a heading, a list, a quotation or a rule."""
    if line[:1].isalpha():
        return line
    if _BLOCK_START.match(line):
        return "\\" + line
    return _NUMBER_START.sub(r"\1\\\2", line, count=1) if _NUMBER_START.match(line) else line


def _code(text: str) -> str:
    fence, pad = fence_of(text), " " if "`" in (text[0], text[-1]) else ""
    return f"{fence}{pad}{text}{pad}{fence}"


def fence_of(code: str, least: int = 1) -> str:
    """Return what stands around code: more backticks than stand in it in a row."""
    longest = max(map(len, _BACKTICKS.findall(code)), default=0)
    return "`" * max(longest + 1, least)


def _tex(tex: str, *, in_cell: bool = False) -> str:
    r"""Return TeX that says the same and that Markdown reads neither as HTML, link nor code.

    >>> _tex(r"a<b"), _tex("[x](y) $`")
    ('a\\lt b', '[x]{}(y) \\$‘')
    """
    tex = _LINE_ENDS.sub(" ", tex).replace("<", r"\lt ").replace("](", "]{}(").replace("`", "‘")
    tex = _OPEN_DOLLAR.sub(r"\1\\$", tex)
    if in_cell:
        tex = tex.replace("\\|", r"\Vert ").replace("|", r"\vert ")
    backslashes = len(tex) - len(tex.rstrip("\\"))
    return tex + " " * (backslashes % 2)


def _address(address: str) -> str:
    """Return an address as a link's target, which ends at white space or a bracket."""
    encoded = _ADDRESS.sub(lambda match: "".join(f"%{b:02X}" for b in match[0].encode()), address)
    return _ENTITY.sub("&amp;", encoded)
