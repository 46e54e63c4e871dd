"""Writes a document as Markdown, line by line; each holder adds its margin when it ends."""

import re
import unicodedata

from scrapy_boilerplate.core.answer.document import nodes
from scrapy_boilerplate.core.page._checks cimport check_sizes

cdef object Text = nodes.Text, Link = nodes.Link, Styled = nodes.Styled, Code = nodes.Code
cdef object Paragraph = nodes.Paragraph, Heading = nodes.Heading, Caption = nodes.Caption
cdef object List = nodes.List, Item = nodes.Item, Note = nodes.Note, Quote = nodes.Quote
cdef object Callout = nodes.Callout, Table = nodes.Table, Row = nodes.Row, Cell = nodes.Cell
cdef frozenset LINES = frozenset(nodes.LINES)

cdef enum:
    MOST_COLUMNS = 64
    # Characters that margins of quotes and lists take at most, and more for each one of the text.
    MOST_MARGINS = 20_000
    MARGIN_A_CHARACTER = 3
    MOST_BLANKS = 10_000  # cells of a table, besides two for each cell with text
    MOST_ROUNDS = 8

# Single characters and fixed look-arounds: no backtracking.
cdef object escape_special = re.compile(
    r"\\|`|\*|~|\[|\]|<|_(?<![^\W_]_)|_(?![^\W_])|&(?=#|[A-Za-z][A-Za-z0-9]{1,31};)"
).sub
cdef object escape_entity = re.compile(r"&(?=#|[A-Za-z][A-Za-z0-9]{1,31};)").sub
cdef object begins_block = re.compile(r"(?:#{1,6}(?=\s|$)|[-+](?=\s|$)|>|[|:=-][\s|:=-]*$)").match
cdef object NUMBER_START = re.compile(r"(\d{1,9})([.)])(?=\s|$)")
cdef object find_backticks = re.compile("`+").findall
cdef object ADDRESS = re.compile(r"[\s()<>\\|`\[\]\x00-\x1f]")
cdef object LINE_ENDS = re.compile(r"[\r\n]+"), LINE_END = re.compile(r"\r\n?|\n")
cdef object OPEN_DOLLAR = re.compile(r"(?<!\\)((?:\\\\)*)\$")
# An address that a note consists of; those of the web may lead where they say.
cdef object ADDRESS_ALONE = re.compile(
    r"\A(?!https?://\S*\s*\Z)((?:[A-Za-z][\w+.-]*:|[\\/])\S*)(?=\s*\Z|\s+[\"'(])"
)
cdef dict DELIMITERS = {"em": "*", "strong": "**", "del": "~~"}


cdef class Holder:
    """What a block holds: lines, which get its margin when it ends."""

    cdef str first, rest  # what its first line begins with, and the later ones
    cdef str bullet  # what its items begin with, if it is a list
    cdef str bullet_above  # that of the list right above the next block
    cdef bint tight  # whether no blank line separates what it holds
    cdef bint tight_items  # whether it is a list whose items are a line each
    cdef bint ordered
    cdef Py_ssize_t number  # of the next item of an ordered list
    cdef tuple above  # lines before these
    cdef list lines

    def __init__(self, str first="", str rest="", bint tight=False, tuple above=()):
        self.first, self.rest, self.tight, self.above = first, rest, tight, above
        self.bullet = self.bullet_above = ""
        self.lines = []

    cdef int add(self, list lines, str bullet) except -1:
        if self.lines and lines and not self.tight:
            self.lines.append("")
        self.lines += lines
        self.bullet_above = bullet
        return 0

    cdef list with_margin(self):
        cdef list lines = [*self.above, *self.lines]
        cdef str line, margin = self.first
        if not lines and self.first != self.rest:  # an empty item
            return [self.first.rstrip()]
        if not self.first and not self.rest:
            return lines
        for number, line in enumerate(lines):
            lines[number] = margin + line if line else margin.rstrip()
            margin = self.rest
        return lines


cdef class Emphasis:
    """Marked text in a line, from the piece that opens it to the one that closes it."""

    cdef str style
    cdef Py_ssize_t begin, end

    def __init__(self, style, begin):
        self.style, self.begin = style, begin


cdef class MarkdownWriter:
    """Writes one document."""

    cdef tuple nodes, ends
    cdef set notes, referred  # numbers of the notes, and of those that the text refers to
    cdef list holders  # open ones, outermost first
    cdef list table  # the rows of the table that is read, each a list of cells with their lines
    cdef list written  # pieces of the line at hand
    cdef Py_ssize_t room  # for margins
    cdef bint escapes_dollars, in_table, one_line

    def __init__(self, document):
        cdef Py_ssize_t index, after
        self.nodes, self.ends = document.nodes, document.ends
        check_sizes(len(self.ends), len(self.nodes))
        self.notes, self.referred = set(), set()
        for index, node in enumerate(self.nodes):
            after = self.ends[index]
            if not index < after <= len(self.nodes):
                raise IndexError(f"node {index} of {len(self.nodes)} cannot end at {after}")
            kind = type(node)
            if kind is Note:
                self.notes.add(node.number)
            elif kind is nodes.NoteReference:
                self.referred.add(node.number)
            elif kind is nodes.Formula:
                self.escapes_dollars = True
        self.holders = [Holder()]
        self.room = MOST_MARGINS

    def write(self):
        cdef list closing = []  # of open blocks: where they end, and whether they are tables
        cdef Py_ssize_t index = 0
        while index < len(self.nodes):
            while closing and closing[len(closing) - 1][0] <= index:
                self.close(closing.pop()[1])
            node, after = self.nodes[index], self.ends[index]
            kind = type(node)
            if kind in LINES:
                self.write_line_block(node, kind, index + 1, after)
                index = after
                continue
            if self.table is not None:
                self.read_table(node, kind)
            elif self.begin(node, kind, index):
                closing.append((after, kind is Table))
            index += 1
        while closing:
            self.close(closing.pop()[1])
        lines = self.innermost().lines
        return "\n".join([*lines, ""]) if lines else ""

    cdef Holder innermost(self):
        return self.holders[len(self.holders) - 1]

    cdef int close(self, bint is_table) except -1:
        if not is_table:
            self.end()
        elif self.table is not None:
            self.write_table()
        return 0

    cdef int emit(self, str text) except -1:
        self.room += MARGIN_A_CHARACTER * len(text)
        self.innermost().add(LINE_END.split(text) if "\r" in text else text.split("\n"), "")
        return 0

    cdef int end(self) except -1:
        """Write what a holder holds; without its margin if margins are out of all proportion."""
        cdef Holder ended = self.holders.pop()
        if ended.first.startswith("[^") and ended.lines:
            # To readers without footnotes this defines where each mark leads.
            ended.lines[0] = ADDRESS_ALONE.sub(r"\1 &nbsp;", ended.lines[0])
        cdef Py_ssize_t margins = len(ended.rest) * len(ended.lines)
        if margins > self.room:
            ended.first = ended.rest = ""
        else:
            self.room -= margins
        self.innermost().add(ended.with_margin(), ended.bullet)
        return 0

    cdef int write_line_block(self, node, kind, Py_ssize_t first, Py_ssize_t after) except -1:
        self.in_table, self.one_line = self.table is not None, kind is Heading
        cdef str text = self.text(first, after)
        if not text:
            return 0
        if self.in_table and kind is not Caption:
            last(last(self.table))[1].append(text)
        elif self.one_line:
            self.emit("#" * node.level + " " + text)
        else:
            self.emit(f"**{text}**" if kind is nodes.Term and "*" not in text else text)
        return 0

    # -- blocks ------------------------------------------------------------------------------

    cdef bint begin(self, node, kind, Py_ssize_t index) except -1:
        """Begin a block; tell whether it holds others."""
        cdef Holder holder = self.innermost(), each
        if kind is Quote:
            self.holders.append(Holder("> ", "> "))
        elif kind is Callout:
            self.holders.append(Holder("> ", "> ", above=self.mark_of(node, index)))
        elif kind is List:
            marks = (".", ")") if node.ordered else ("-", "*")
            each = Holder()
            each.bullet = marks[1] if holder.bullet_above == marks[0] else marks[0]
            each.tight_items = self.is_tight(index)
            each.tight = each.tight_items or holder.tight
            each.ordered, each.number = node.ordered, node.start
            self.holders.append(each)
        elif kind is Item:
            self.begin_item(node, index)
        elif kind is Note:
            mark = f"[^{node.number}]: " if node.number in self.referred else f"{node.number}. "
            self.holders.append(Holder(mark, "    "))
        elif kind is Table:
            self.table = []
        else:
            if kind is Code:
                fence = fence_of(node.text, 3)
                self.emit(f"{fence}{node.language}\n{node.text}\n{fence}")
            elif kind is nodes.Rule:
                # The other one would be a part of the marker of a list.
                bullets = [each.bullet for each in self.holders[::-1] if each.bullet]
                self.emit("***" if bullets[:1] == ["-"] else "---")
            return False
        return True

    cdef bint begins_with_text(self, Py_ssize_t index) except -1:
        return self.ends[index] > index + 1 and type(self.nodes[index + 1]) is Paragraph

    cdef tuple mark_of(self, node, Py_ssize_t index):
        """Return the lines with which a callout begins: GitHub's mark, and its title."""
        self.in_table, self.one_line = False, True
        mark = f"[!{node.kind.upper()}] {self.whole(self.escaped(node.title).strip())}".rstrip()
        return (mark,) if self.begins_with_text(index) else (mark, "")

    cdef int begin_item(self, node, Py_ssize_t index) except -1:
        cdef Holder above = self.innermost()
        bullet = f"{above.number}{above.bullet} " if above.ordered else f"{above.bullet} "
        above.number += 1
        box = ""
        if node.checked is not None and self.begins_with_text(index):
            box = "[x] " if node.checked else "[ ] "
        self.holders.append(Holder(bullet + box, " " * len(bullet), above.tight_items))
        return 0

    cdef bint is_tight(self, Py_ssize_t index) except -1:
        """Return whether each item of a list is one paragraph, with lists below it at the most."""
        cdef Py_ssize_t item = index + 1, block, after, end = self.ends[index]
        while item < end:
            after, block = self.ends[item], item + 1
            while block < after:
                if type(self.nodes[block]) is not (Paragraph if block == item + 1 else List):
                    return False
                block = self.ends[block]
            item = after
        return True

    # -- tables ------------------------------------------------------------------------------

    cdef int read_table(self, node, kind) except -1:
        if kind is Table:
            self.write_table()
        elif kind is Row:
            self.table.append([])
        elif kind is Cell:
            last(self.table).append((node, []))
        elif kind is Code:
            self.in_table = True
            for line in filter(str.strip, node.text.splitlines()):
                self.written = []
                self.read_code(line)
                last(last(self.table))[1].append("".join(self.written))
        return 0

    cdef int write_table(self) except -1:
        cdef list rows = self.table
        self.table = None
        cdef str text = table_of(rows)
        return self.emit(text) if text else 0

    # -- lines -------------------------------------------------------------------------------

    cdef str text(self, Py_ssize_t first, Py_ssize_t after):
        """Return what some nodes say, without white space around it."""
        cdef list marks = []
        cdef list closing = []  # of open nodes: where they end, what is written then, their mark
        cdef list written = []
        cdef Py_ssize_t index
        if after == first + 1 and type(self.nodes[first]) is Text:  # as most are
            return self.whole(self.escaped(self.nodes[first].text).strip())
        self.written = written
        for index in range(first, after):
            while closing and closing[len(closing) - 1][0] <= index:
                self.close_inline(closing)
            node = self.nodes[index]
            kind = type(node)
            if kind is Text:
                written.append(self.escaped(node.text))
            elif kind is Link:
                if written and written[len(written) - 1].endswith("!"):
                    written.append(written.pop()[:-1] + "\\!")
                written.append("[")
                closing.append((self.ends[index], f"]({address_of(node.href)})", None))
            elif kind is Styled:
                marks.append(Emphasis(node.style, len(written)))
                written.append("")
                closing.append((self.ends[index], "", marks[len(marks) - 1]))
            else:
                self.read_leaf(node, kind)
        while closing:
            self.close_inline(closing)
        if marks:
            write_emphasis(written, marks)
        return self.whole("".join(written).strip())

    cdef int close_inline(self, list closing) except -1:
        cdef Emphasis mark
        _, text, mark = closing.pop()
        if mark is not None:
            mark.end = len(self.written)
        self.written.append(text)
        return 0

    cdef str whole(self, str text):
        if self.in_table:
            return text
        if self.one_line:
            return text[:-1] + "\\#" if text.endswith("#") else text
        if "\n" not in text:
            return escape_start(text)
        return "\n".join([escape_start(line) for line in text.split("\n")])

    cdef int read_leaf(self, node, kind) except -1:
        cdef list written = self.written
        if kind is nodes.LineBreak:
            written.append(" " if self.one_line else "<br>" if self.in_table else "\\\n")
        elif kind is nodes.InlineCode:
            self.read_code(node.text)
        elif kind is nodes.NoteReference:
            label = self.escaped(node.label)
            shown = f"<sup>{label}</sup>" if node.label.isalnum() else label
            written.append(f"[^{node.number}]" if node.number in self.notes else shown)
        elif kind is nodes.Formula:
            mark = "$$" if node.display else "$"
            written.append(f"{mark}{tex_of(node.tex, self.in_table)}{mark}")
        elif kind is nodes.Image:
            title = self.escaped(node.title).replace('"', '\\"')
            target = f'{address_of(node.src)} "{title}"' if title else address_of(node.src)
            written.append(f"![{self.escaped(node.alt)}]({target})")
        return 0

    cdef int read_code(self, str text) except -1:
        text = LINE_ENDS.sub(" ", text)
        cdef list written = self.written
        # It would be one code with the last.
        cdef bint joins = bool(written) and written[len(written) - 1].endswith("`")
        if not text.strip():  # Markdown has no empty code
            written.append(" ")
        elif joins or (self.in_table and "\\|" in text):  # which ends a cell for some readers
            written.append(f"<code>{self.escaped(text)}</code>")
        else:
            fence = fence_of(text, 1)
            pad = " " if "`" in (text[0], text[len(text) - 1]) else ""
            code = f"{fence}{pad}{text}{pad}{fence}"
            written.append(code.replace("|", "\\|") if self.in_table else code)
        return 0

    cdef str escaped(self, str text):
        if not may_be_markup(text):  # as of most
            return text
        if "\n" in text or "\r" in text:
            text = LINE_ENDS.sub(" ", text)
        text = escape_special(r"\\\g<0>", text)
        if self.escapes_dollars:
            text = text.replace("$", "\\$")
        return text.replace("|", "\\|") if self.in_table else text


cdef object last(list parts):
    """Return the last row of a table, or the last cell of a row."""
    if not parts:
        raise ValueError("text of a table stands in a cell, and a cell in a row")
    return parts[len(parts) - 1]


cdef bint may_be_markup(str text) noexcept:
    cdef Py_UCS4 character
    for character in text:
        if character in u"\\`*~[]<_&\n\r$|":
            return True
    return False


cdef str table_of(list rows):
    """Return a table: the columns that a cell spans, and those below it, stay empty."""
    cdef list written = [], line
    cdef dict spanned = {}  # rows that a cell above takes, by column
    cdef Py_ssize_t cells = 0, width = 0, columns
    cdef Py_ssize_t blanks = 0  # cells that others span: what spans may be a bomb
    for row in rows:
        line = []
        for cell, lines in row:
            blanks += leave_out(line, spanned, MOST_BLANKS + 2 * cells - blanks)
            cells += 1
            columns = min(cell.colspan, max(MOST_COLUMNS - len(line), 1))
            if blanks + columns - 1 > MOST_BLANKS + 2 * cells:
                columns = 1
            blanks += columns - 1
            if cell.rowspan > 1:
                spanned.update(dict.fromkeys(range(len(line), len(line) + columns), cell.rowspan - 1))
            line += ["<br>".join(lines), *[""] * (columns - 1)]
        blanks += leave_out(line, spanned, MOST_BLANKS + 2 * cells - blanks)
        written.append(line)
        width = max(width, len(line))
    if not width:
        return ""
    if not all([cell.header for cell, _ in rows[0]]):
        written.insert(0, [])
    blanks += width * len(written) - sum(map(len, written))
    for line in written if blanks <= MOST_BLANKS + 2 * cells else written[:1]:  # GFM fills rows up
        line += [""] * (width - len(line))
    lines = ["| " + " | ".join(line) + " |" for line in written]
    lines.insert(1, "|" + " --- |" * width)
    return "\n".join(lines)


cdef Py_ssize_t leave_out(list row, dict spanned, Py_ssize_t most) except -1:
    """Leave out the next columns that cells of the rows above reach into; return how many."""
    cdef Py_ssize_t number = 0
    while number < most and spanned.get(len(row), 0) > 0:
        spanned[len(row)] -= 1
        row.append("")
        number += 1
    return number


# -- emphasis --------------------------------------------------------------------------------


cdef int write_emphasis(list pieces, list marks) except -1:
    """Write what opens and closes each mark: delimiters where CommonMark reads them as emphasis."""
    cdef Emphasis mark
    cdef list delimited = []
    for mark in marks:
        if mark.style in DELIMITERS:
            delimited.append(mark)
            pieces[mark.begin] = pieces[mark.end] = DELIMITERS[mark.style]
        else:
            write_tags(pieces, mark)
    for number in range(MOST_ROUNDS):
        unread = unread_marks(pieces, delimited)
        if not unread:
            break
        for mark in delimited if number == MOST_ROUNDS - 1 else unread:
            write_tags(pieces, mark)
        delimited = [mark for mark in delimited if pieces[mark.begin][0] != "<"]
    return 0


cdef int write_tags(list pieces, Emphasis mark) except -1:
    pieces[mark.begin], pieces[mark.end] = f"<{mark.style}>", f"</{mark.style}>"
    return 0


cdef list unread_marks(list pieces, list delimited):
    """Return the marks whose delimiters CommonMark would not read as what they are."""
    cdef Emphasis mark
    cdef dict begins = {}, ends = {}, found = {}
    cdef Py_ssize_t number = 0
    for mark in delimited:
        begins[mark.begin] = ends[mark.end] = mark
    before = " "
    while number < len(pieces):
        piece = pieces[number]
        if number not in begins and number not in ends:
            before = piece[-1:] or before
            number += 1
            continue
        run = [number]
        number += 1
        while number < len(pieces):
            if pieces[number] and pieces[number][0] != piece[0]:
                break
            if pieces[number]:
                if number not in begins and number not in ends:
                    break
                run.append(number)
            number += 1
        after = pieces[number][0] if number < len(pieces) else " "
        opening = [begins[each] for each in run if each in begins]
        closing = [ends[each] for each in run if each in ends]
        # One run of delimiters cannot close some and open others.
        if opening and (closing or not can_flank(before, after)):
            found.update({mark.begin: mark for mark in opening})
        elif closing and not can_flank(after, before):
            found.update({mark.begin: mark for mark in closing})
        before = piece[0]
    return list(found.values())


cdef bint can_flank(str outer, str inner) except -1:
    """Return whether delimiters between these characters open or close emphasis."""
    if inner.isspace():
        return False
    return not is_punctuation(inner) or outer.isspace() or is_punctuation(outer)


cdef bint is_punctuation(str character) except -1:
    return unicodedata.category(character)[0] in "PS"


cdef str escape_start(str line):
    """Escape what would make a line begin a heading, a list, a quotation or a rule."""
    if line[:1].isalpha():
        return line
    if begins_block(line):
        return "\\" + line
    return NUMBER_START.sub(r"\1\\\2", line, count=1) if NUMBER_START.match(line) else line


cdef str fence_of(str code, Py_ssize_t least):
    """Return what stands around code: more backticks than stand in it in a row."""
    if "`" not in code:
        return "`" * least
    return "`" * max(max(map(len, find_backticks(code))) + 1, least)


cdef str tex_of(str tex, bint in_cell):
    """Return TeX that says the same and that Markdown reads neither as HTML, link nor code."""
    tex = LINE_ENDS.sub(" ", tex).replace("<", r"\lt ").replace("](", "]{}(").replace("`", "‘")
    tex = OPEN_DOLLAR.sub(r"\1\\$", tex)
    if in_cell:
        tex = tex.replace("\\|", r"\Vert ").replace("|", r"\vert ")
    return tex + " " * ((len(tex) - len(tex.rstrip("\\"))) % 2)


cdef str address_of(str address):
    """Return an address as a link's target, which ends at white space or a bracket."""
    if ADDRESS.search(address):
        address = ADDRESS.sub(
            lambda match: "".join([f"%{byte:02X}" for byte in match[0].encode()]), address
        )
    return escape_entity("&amp;", address) if "&" in address else address
