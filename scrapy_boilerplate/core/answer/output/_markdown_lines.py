"""Lines of Markdown: text with what is escaped in it, emphasis, links, code."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection
from dataclasses import dataclass

from scrapy_boilerplate.core.answer.document import nodes
from scrapy_boilerplate.core.answer.document.nodes import Document, Node

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


class Lines:
    """Writes the text of blocks, each a line or several."""

    def __init__(self, document: Document, notes: Collection[int]) -> None:
        self._nodes, self._ends = document.nodes, document.ends
        self._escapes_dollars = nodes.Formula in set(map(type, document.nodes))
        self._notes = notes  # numbers of those that are written

    def text(self, first: int, after: int, *, in_table: bool, one_line: bool) -> str:
        """Return what some nodes say, without white space around it."""
        self._in_table, self._one_line = in_table, one_line
        node = self._nodes[first] if after == first + 1 else None
        if type(node) is nodes.Text:  # as most are
            text = self._escaped(node.text).strip()
            is_plain = text[:1].isalpha() and not one_line
            return text if is_plain else self._whole(text)
        written: list[str] = []
        self._written = written
        marks: list[_Emphasis] = []
        closing: list[tuple[int, str, _Emphasis | None]] = []  # of open nodes: where they end
        for index in range(first, after):
            while closing and closing[-1][0] <= index:
                self._close(*closing.pop())
            node = self._nodes[index]
            if type(node) is nodes.Text:
                written.append(self._escaped(node.text))
            elif type(node) is nodes.Link:
                if written and written[-1].endswith("!"):
                    written[-1] = written[-1][:-1] + "\\!"
                written.append("[")
                closing.append((self._ends[index], f"]({_address(node.href)})", None))
            elif type(node) is nodes.Styled:
                marks.append(_Emphasis(node.style, len(written)))
                written.append("")
                closing.append((self._ends[index], "", marks[-1]))
            else:
                self._read_leaf(node)
        while closing:
            self._close(*closing.pop())
        if marks:
            _write_emphasis(written, marks)
        return self._whole("".join(written).strip())

    def line(self, text: str) -> str:
        """Return a text as a line by itself."""
        self._in_table, self._one_line = False, True
        return self._whole(self._escaped(text).strip())

    def code_in_cell(self, text: str) -> str:
        """Return a line of code in a cell of a table."""
        self._in_table, self._written = True, []
        self._read_code(text)
        return "".join(self._written)

    def _close(self, _: int, text: str, mark: _Emphasis | None) -> None:
        if mark is not None:
            mark.end = len(self._written)
        self._written.append(text)

    def _whole(self, text: str) -> str:
        if self._in_table:
            return text
        if self._one_line:
            return text[:-1] + "\\#" if text.endswith("#") else text
        if "\n" not in text:
            return _escape_start(text)
        return "\n".join(map(_escape_start, text.split("\n")))

    def _read_leaf(self, node: Node) -> None:
        add = self._written.append
        if isinstance(node, nodes.LineBreak):
            add(" " if self._one_line else "<br>" if self._in_table else _BREAK)
        elif isinstance(node, nodes.InlineCode):
            self._read_code(node.text)
        elif isinstance(node, nodes.NoteReference):
            label = self._escaped(node.label)
            shown = f"<sup>{label}</sup>" if node.label.isalnum() else label
            add(f"[^{node.number}]" if node.number in self._notes else shown)
        elif isinstance(node, nodes.Formula):
            mark = "$$" if node.display else "$"
            add(f"{mark}{_tex(node.tex, in_cell=self._in_table)}{mark}")
        elif isinstance(node, nodes.Image):
            title = self._escaped(node.title).replace('"', '\\"')
            target = f'{_address(node.src)} "{title}"' if title else _address(node.src)
            add(f"![{self._escaped(node.alt)}]({target})")

    def _read_code(self, text: str) -> None:
        text = _LINE_ENDS.sub(" ", text)
        written = self._written
        joins = bool(written) and written[-1].endswith("`")  # it would be one code with the last
        if not text.strip():  # Markdown has no empty code
            written.append(" ")
        elif joins or (self._in_table and "\\|" in text):  # which ends a cell for some readers
            written.append(f"<code>{self._escaped(text)}</code>")
        else:
            code = _code(text)
            written.append(code.replace("|", "\\|") if self._in_table else code)

    def _escaped(self, text: str) -> str:
        if "\n" in text or "\r" in text:
            text = _LINE_ENDS.sub(" ", text)
        if _SPECIAL.search(text):
            text = _SPECIAL.sub(r"\\\g<0>", text)
        if self._escapes_dollars:
            text = text.replace("$", "\\$")
        return text.replace("|", "\\|") if self._in_table else text


# -- emphasis --------------------------------------------------------------------------------


@dataclass(slots=True)
class _Emphasis:
    """Marked text in a line, from the piece that opens it to the one that closes it."""

    style: nodes.Style
    begin: int
    end: int = 0


_MOST_ROUNDS = 8


def _write_emphasis(pieces: list[str], marks: list[_Emphasis]) -> None:
    """Write what opens and closes each mark: delimiters where CommonMark reads them as emphasis."""
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
    """Return TeX that says the same and that Markdown reads neither as HTML, link nor code."""
    tex = _LINE_ENDS.sub(" ", tex).replace("<", r"\lt ").replace("](", "]{}(").replace("`", "‘")
    tex = _OPEN_DOLLAR.sub(r"\1\\$", tex)
    if in_cell:
        tex = tex.replace("\\|", r"\Vert ").replace("|", r"\vert ")
    backslashes = len(tex) - len(tex.rstrip("\\"))
    return tex + " " * (backslashes % 2)


def _address(address: str) -> str:
    """Return an address as a link's target, which ends at white space or a bracket."""
    if _ADDRESS.search(address):
        address = _ADDRESS.sub(
            lambda match: "".join(f"%{b:02X}" for b in match[0].encode()), address
        )
    return _ENTITY.sub("&amp;", address) if "&" in address else address
