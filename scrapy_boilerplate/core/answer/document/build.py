"""From a page and what was kept of it to a document."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Collection, Iterable
from dataclasses import replace
from itertools import islice
from typing import Any

import numpy as np
from lxml import etree
from numpy.typing import NDArray

from scrapy_boilerplate.core.answer.document import _reader_native as reader
from scrapy_boilerplate.core.answer.document import callouts, code, formulas, images, media, nodes
from scrapy_boilerplate.core.answer.document._reader_native import Reader, Writer
from scrapy_boilerplate.core.answer.document.figures import find_figures
from scrapy_boilerplate.core.answer.document.nodes import Document, Node, Style
from scrapy_boilerplate.core.answer.document.switches import Switches
from scrapy_boilerplate.core.caching import cached_property
from scrapy_boilerplate.core.page import Page, cumulative
from scrapy_boilerplate.core.page.arrays import Bool
from scrapy_boilerplate.core.page.characters import readable
from scrapy_boilerplate.core.page.layout import runs_of
from scrapy_boilerplate.core.page.notes import texts_of_note
from scrapy_boilerplate.core.page.tags import BLOCK_LEVEL, HEADINGS, LISTS, PREFORMATTED
from scrapy_boilerplate.core.page.walk import TagTable

_STYLES: dict[str, Style] = {
    **dict.fromkeys(("em", "i", "cite", "dfn", "var"), "em"),
    **dict.fromkeys(("strong", "b"), "strong"),
    **dict.fromkeys(("del", "s", "strike"), "del"),
    "ins": "ins",
    "sub": "sub",
    "sup": "sup",
    "mark": "mark",
}
_CODE = frozenset("code kbd samp tt".split())
_NOT_IN_CODE = ("img", "math", "table", *PREFORMATTED)
"""Code that is not preformatted holds other things with these."""
_LISTS = LISTS - {"dl"}
_BLOCKS: dict[str, Node] = {
    **{name: nodes.Heading(int(name[1])) for name in HEADINGS},
    **{name: nodes.List(name == "ol") for name in _LISTS},
    "blockquote": nodes.Quote(),
    "li": nodes.Item(),
    "dl": nodes.DefinitionList(),
    "dt": nodes.Term(),
    "dd": nodes.Definition(),
    "figure": nodes.Figure(),
    "figcaption": nodes.Caption(),
}
_NODE_KINDS = _BLOCKS | {name: nodes.Styled(style) for name, style in _STYLES.items()}
_BELONGS = ("li", "dt", "dd", "figcaption")
"""Elements that are these blocks only inside of the block that they belong in."""
_SECTIONS, _CELLS = frozenset("thead tbody tfoot".split()), frozenset("td th".split())
_TABLE_PARTS = _SECTIONS | _CELLS | frozenset("tr caption".split())
_MARKS = {"q": ("“", "”"), "rt": ("(", ")")}
"""What a browser draws around them: marks of a quotation; the reading in ``ruby`` above it."""
_ITEMS = frozenset("li dt dd tr td th caption body html".split())  # elements that are no callouts
_LEVELS_OF_TITLE, _TEXTS_OF_TITLE = 6, 20
"""Elements around the first text of a callout that may be its title; text nodes of a title."""
_TAGS: TagTable[np.int32] = TagTable(
    {
        **dict.fromkeys((*PREFORMATTED, *_CODE, "math"), reader.WHOLE),
        "math-renderer": reader.FORMULA,
        **dict.fromkeys(HEADINGS, reader.HEADING),
        **dict.fromkeys(_LISTS, reader.LIST),
        **dict.fromkeys(_TABLE_PARTS, reader.PART),
        **dict.fromkeys(_BELONGS, reader.BELONGS),
        **dict.fromkeys(_STYLES, reader.STYLE),
        **dict.fromkeys(media.EMBEDDING, reader.EMBEDS),
        "details": reader.CALLOUT,
        "div": reader.DIVISION,
        "a": reader.LINK,
        "hr": reader.RULE,
        "q": reader.MARKED,
        "rt": reader.MARKED,
        "blockquote": reader.CALLOUT | reader.EMBEDS,
    },
    other=0,
    dtype=np.int32,
)
"""What the name of an element says of it."""
_LEVELS_OF_CODE = 8  # elements around code that may name its language
_MOST_AROUND = 8  # elements around an image in which its caption is looked for
_MOST_SPANNED = 1000  # columns, and rows, of one cell


def build_document(page: Page, keep: Bool, switches: Switches | None = None) -> Document:
    """Return the structure of what was kept of *page*."""
    if not keep.any():
        return Document()
    return _Builder(page, keep, switches or Switches()).build()


def data_tables(page: Page) -> Bool:
    """Return for each element whether it is a table of data with two rows or more."""
    if not page.is_data_table.any():
        return page.is_data_table
    is_row = page.has_tag(("tr",))
    is_row[page.parent[page.has_tag(_CELLS)]] = True  # or a section that holds cells
    return page.is_data_table & (page.count_below(is_row) >= 2)


class _Builder(Reader):  # type: ignore[misc]
    """Says what the few elements are that the compiled reader does not know."""

    def __init__(self, page: Page, keep: Bool, switches: Switches) -> None:
        self._page = page
        has_figures = switches.images and "figcaption" in page.tag_names
        self._figures = find_figures(page, keep) if has_figures else None
        self._keep = keep
        kept = cumulative(keep)
        self._kept = kept.data  # text nodes kept before each
        self._names = page.names
        # Views: a number of theirs costs a third of one of an array.
        self._tag, self._parent, self._end = page.tag.data, page.parent.data, page.end.data
        self._first_text, self._last_text = page.first_text.data, page.last_text.data
        self._class_ids, self._hidden = page.class_id.data, page.screen_only.data
        self._notes = page.notes
        # Characters that are marks, at the beginning of texts; all texts with marks or as notes.
        texts = (*page.notes.inside, *(~note for note in page.notes.notes if note < 0))
        self._cuts = dict.fromkeys(texts, 0) | page.notes.beginnings
        self._asides: list[tuple[etree._Element, int]] = []  # notes in the place of references …
        self._placed: set[int] = set()  # … that are read as notes now
        self._scripts: set[etree._Element] = set()  # formulas that were read
        self._titles: set[int] = set()  # elements of titles that were read
        self._code_tables: dict[int, list[int]] = {}  # the cells with their lines
        self._marks = self._marks_of_elements()
        super().__init__(
            *(page, keep, kept, switches, self._marks),
            *(_TAGS.of(page.names), _NODE_KINDS if switches.formatting else _BLOCKS, self._cuts),
        )

    def _marks_of_elements(self) -> NDArray[np.uint8]:
        """Return what is known of each element beside its name."""
        page, notes = self._page, self._notes
        marks = np.zeros(page.tag.size, dtype=np.uint8)
        for elements, mark in (
            ((*notes.references, *notes.marks), reader.WHOLE),
            ([note for note in notes.notes if note >= 0], reader.NOTE),
            (notes.lists, reader.NOTES),
            (notes.raised, reader.PLAIN),
        ):
            if elements:
                marks[[*elements]] |= mark
        if self._figures is not None:
            marks[page.count_below(self._figures.elements) > 0] |= reader.READ
        cells = page.has_tag(_CELLS) * np.uint8(reader.READ)
        for table in np.flatnonzero(data_tables(page)).tolist():
            noted = np.flatnonzero(marks[table : self._end[table]] & reader.NOTE) + table
            if any(self._name(note) == "tr" for note in noted.tolist()):
                continue  # its rows are notes
            if lines := self._lines_of_code(table):
                self._code_tables[table] = lines
                marks[table] |= reader.WHOLE
            else:
                marks[table] |= reader.TABLE
                marks[table : self._end[table]] |= cells[table : self._end[table]]
        return marks

    def _lines_of_code(self, table: int) -> list[int]:
        """Return the cells with the lines of a table of code; none of another table."""
        page, end = self._page, self._end[table]
        classes = " ".join(page.strings[each] for each in set(page.class_id[table:end].tolist()))
        if not (self._is_whole(table) and code.CODE_CLASS.search(classes)):
            return []
        cells = np.flatnonzero(page.has_tag(_CELLS)[table:end]) + table
        ends_row = page.parent[cells] != np.append(page.parent[cells[1:]], -1)
        says = page.last_text[cells] > page.first_text[cells]
        is_code = not (says & ~ends_row).any() and 1 < np.count_nonzero(ends_row) < cells.size
        return cells[ends_row].tolist() if is_code else []

    def build(self) -> Document:
        """Return the document."""
        writer = self.writer
        self.read()
        writer.close_to(0)
        if writer.ends.count(len(writer.ends)) == 1:
            self._drop_rule()  # in no other block: it sets off what is not kept
        for node, element in self._asides:
            self._placed.add(element)
            writer.close_to(0)
            writer.open(nodes.Note(self._notes.notes[element]), element)
            self.read(node, element)
        writer.close_to(0)
        xpaths = self._page.xpaths_later(writer.places)
        return Document(tuple(writer.nodes), tuple(writer.ends), xpaths)

    def _name(self, element: int) -> str:
        return self._names[self._tag[element]]

    def _span(self, element: int) -> tuple[int, int]:
        """Return the first text node of an element and the one after its last."""
        return self._first_text[element], self._last_text[element]

    def _is_whole(self, element: int) -> bool:
        """Return whether all of an element's text was kept."""
        first, last = self._span(element)
        return bool(self._kept[last] - self._kept[first] == last - first)

    # -- what the compiled reader asks ---------------------------------------------------------

    @cached_property
    def _formula_finder(self) -> re.Pattern[str] | None:
        """What finds the formulas in texts, if a script draws them."""
        return formulas.formula_finder(self._page.root)

    def read_formulas(self, text: str, number: int) -> bool:
        """Read a text that may hold formulas; ``False`` if it holds none."""
        if not formulas.may_hold_formulas(text) or self._formula_finder is None:
            return False
        for plain, tex, display in formulas.split_formulas(text, self._formula_finder):
            if plain.strip():
                self.writer.text(plain, -number - 1, self.block)
            elif plain:
                self.writer.has_space = True
            if tex:
                self._leaf(nodes.Formula(readable(tex), display))
        return True

    def read_marked(self, number: int) -> None:
        """Read a text that begins a note in lines, begins with a mark or has references in it."""
        self._begin_line(number)
        text, start = self._page.text(number), self._cuts[number]
        for begin, stop, note in sorted(self._notes.inside.get(number, ())):
            if note in self._kept_notes:
                self.say(text[start:begin], number)
                self._leaf(nodes.NoteReference(note, text[begin:stop]))
                start = stop
            elif not note:
                self.say(text[start:begin], number)
                start = stop
        self.say(text[start:], number)

    def _begin_line(self, text: int) -> None:
        """Begin the note that is a line from a text on, if there is one."""
        if ~text in self._notes.notes:
            self.writer.end_block(nodes.Note)
            self._drop_rule()
            self.writer.open(nodes.Note(self._notes.notes[~text]), ~text)

    @cached_property
    def _kept_notes(self) -> set[int]:
        """The numbers of the notes that are lines or elements with kept text."""
        notes = self._notes.notes
        spans = {notes[note]: texts_of_note(self._page, note) for note in notes}
        return {number for number, (a, b) in spans.items() if self._kept[b] > self._kept[a]}

    def passed(self, element: int, bits: int, is_blank: bool) -> None:
        """Read what an element without kept text adds: a formula, an image, media."""
        if is_blank and bits & reader.FORMULA and self.is_mostly_kept:
            scripts = [*self.node.iter("script")]
            for script in scripts:
                self._read_script(script)
            if not scripts:
                self._read_formula(self.node)
        if is_blank and bits & reader.SHOWS:
            self.read_images()
        if bits & reader.EMBEDS and self.is_mostly_kept:
            for inside in self.node.iter(*media.EMBEDDING):
                self._embed(*media.embedded(inside), element)

    def left(self, node: etree._Element) -> None:
        """Read what an element embeds, after its text, which may say who wrote a post."""
        last = self._last_text[self.element] - 1
        if node.tag != "blockquote" or (last >= 0 and not self._keep[last]):
            self._embed(*media.embedded(node), self.element)

    @property
    def is_mostly_kept(self) -> bool:
        """Whether most of the element at hand was kept."""
        if self._figures is not None and self._figures.elements[self.element]:
            return True
        first, last = self._span(self.element)
        kept, visible = self._sums
        return bool(2 * (kept[last] - kept[first]) >= visible[last] - visible[first])

    @cached_property
    def _sums(self) -> tuple[memoryview, memoryview]:
        visible = self._page.visible
        return cumulative(visible * self._keep).data, cumulative(visible).data

    def _leaf(self, node: Node) -> None:
        self.writer.leaf(node, self.element, self.block)

    # -- blocks ------------------------------------------------------------------------------

    def whole(self, bits: int) -> bool:
        """Read the element at hand if no part of it is read by itself: code or a formula."""
        element, node = self.element, self.node
        name = self._name(element)
        if bits & reader.FORMULA and self._read_formula(node):
            pass
        elif name in PREFORMATTED or (name == "div" and code.is_lines_of_code(node)):
            self._read_code(node, is_block=True)
        elif element in self._notes.references and element not in self._placed:
            self._leaf(nodes.NoteReference(*self._notes.references[element]))
            if element in self._notes.notes:
                self._asides.append((node, element))
        elif element in self._notes.marks or element in self._titles:
            self._begin_line(self._first_text[element])
        elif element in self._code_tables:
            self._read_rows(element)
        elif name == "math":
            self.formula = readable(formulas.read_formula(node))
            self._leaf(nodes.Formula(self.formula, node.get("display") == "block"))
        elif name in _CODE and not self._holds_more_than_code[element]:
            self._read_code_in_line(node)
        else:
            return False
        return True

    def _read_formula(self, node: etree._Element) -> bool:
        """Read the formula that an element is; ``False`` if it is none."""
        script = formulas.script_of(node)
        if script is not None:
            self._read_script(script)
            return True
        tex, display = formulas.written_formula(node)
        if tex:
            self.formula = readable(tex)
            self._leaf(nodes.Formula(self.formula, display))
        return bool(tex)

    def _read_code(self, node: etree._Element, *, is_block: bool) -> None:
        """Read code; where only lines can stand it is code in a line."""
        element, writer = self.element, self.writer
        text = readable(self._kept_code(node, element))
        if not text.strip():
            return
        if is_block and self._follows_row(element):
            before = writer.nodes[-1]
            assert isinstance(before, nodes.Code)
            writer.nodes[-1] = replace(before, text=f"{before.text}\n{text}")
        elif not is_block or not self._add_code(text, node, element):
            self.break_lines(element, self._first_text[element])
            self._leaf(nodes.InlineCode(" ".join(text.split())))
            self.break_lines(element, self._last_text[element])

    def _add_code(self, text: str, node: etree._Element, element: int) -> bool:
        return self.writer.add_block(nodes.Code(text, self._language(node, element)), element)

    def _read_rows(self, table: int) -> None:
        """Read a table of code, each row of which is a line."""
        cells = self._page.nodes(self._code_tables[table])
        hidden = self._hidden_in(table)
        text = readable("\n".join(code.read_code(each, hidden) for _, each in cells))
        if not self._add_code(text, self.node, table):
            self._leaf(nodes.InlineCode(" ".join(text.split())))

    def _kept_code(self, node: etree._Element, element: int) -> str:
        """Return what was kept of code: as it was typed, or of a part of it what the page shows."""
        if self._is_whole(element):
            return code.read_code(node, self._hidden_in(element))
        first, last = self._span(element)
        each = np.add.outer(np.arange(first, last), [0, 1])
        spans = runs_of(each, self._keep[first:last].view(np.uint8))
        return self._page.join(spans, self._page.lay_out_all(spans))

    def _read_code_in_line(self, node: etree._Element) -> None:
        """Read code that is not preformatted; several lines that stand alone are a block."""
        line = next(node.iterdescendants("br", *BLOCK_LEVEL), None) if len(node) else None
        has_lines = line is not None and self._page.stands_alone(*self._span(self.element))
        links = list(islice(node.iterdescendants("a"), 2)) if len(node) else []
        if len(links) == 1 and _words(links[0]) == _words(node):
            self.open_link(links[0].get("href") or "")  # the code is the link
        self._read_code(node, is_block=has_lines)

    def _hidden_in(self, element: int) -> Collection[etree._Element]:
        """Return the elements that are for the screen only if one stands in an *element*."""
        inside = self._hidden[bisect_left(self._hidden, element) :][:1]
        return self._screen_only if inside and inside[0] < self._end[element] else ()

    @cached_property
    def _screen_only(self) -> dict[etree._Element, int]:
        return {node: each for each, node in self._page.nodes(self._page.screen_only.tolist())}

    def _follows_row(self, element: int) -> bool:
        """Return whether code stands in the row after that of the code before, both numbered."""
        writer, row = self.writer, self._parent[element]
        if not (writer.nodes and isinstance(writer.nodes[-1], nodes.Code) and row in self._rows):
            return False
        before = self._parent[writer.places[-1]]
        is_next = self._end[before] == row and self._parent[before] == self._parent[row]
        return before in self._rows and is_next

    @cached_property
    def _rows(self) -> set[int]:
        """The elements right around numbers of lines and what holds nothing else."""
        rows = set()
        for node, element in self._screen_only.items():
            if "".join(node.itertext()).strip().isdecimal():
                span, row = self._span(element), self._parent[element]
                while row > 0 and self._span(row) == span:
                    row = self._parent[row]
                rows.add(row)
        return rows

    def _language(self, node: etree._Element, element: int) -> str:
        """Return the language that code names, or what holds nothing else, or a figure with it."""
        around = [node, *islice(node.iter("code"), 1)]
        span = self._span(element)
        for outer in islice(node.iterancestors(), _LEVELS_OF_CODE):
            element = self._parent[element]
            is_all = self._span(element) == span
            if outer.tag in ("body", "html") or not (is_all or outer.tag == "figure"):
                break
            around.append(outer)
        return code.code_language(around)

    def special_block(self, name: str, bits: int) -> Any:
        """Return the block that the element at hand is, ``None`` if it only holds others, and
        ``NotImplemented`` if its name says it.
        """
        element, marks = self.element, self._marks[self.element]
        if marks & reader.NOTE and not self.writer.is_open(nodes.Note):
            self._drop_rule()
            return nodes.Note(self._notes.notes[element])
        if name in _LISTS:
            start = _number(self.node.get("start"))
            return None if marks & reader.NOTES else nodes.List(name == "ol", start)
        if marks & reader.TABLE:
            if self.node.get("role") in ("presentation", "none"):
                return None
            self._marks[element : self._end[element]] |= reader.IN_TABLE
            return nodes.Table()
        if name in _TABLE_PARTS:
            return self._table_part(name, bits) if marks & reader.IN_TABLE else None
        callout = self._callout(name, element)
        return NotImplemented if callout is None else callout

    def _drop_rule(self) -> None:
        """Drop the rule that stands last, such as right before a note: outputs have notes apart."""
        writer = self.writer
        if writer.nodes and isinstance(writer.nodes[-1], nodes.Rule):
            for each in (writer.nodes, writer.ends, writer.places):
                each.pop()

    def _callout(self, name: str, element: int) -> Node | None:
        """Return the callout that an element is; its title is read with it."""
        said = self._page.strings[self._class_ids[element]]
        found = callouts.callout_of(f"custom-block {said}" if name == "details" else said)
        first = self._first_text[element]
        begins = name == "blockquote" and first < self._last_text[element]
        written = callouts.written_mark(self._page.text(first)) if begins else None
        if written is not None and self._keep[first]:
            found, self._cuts[first] = written
        if name in _ITEMS:
            return None
        for declared in map(self.node.get, callouts.DECLARING):
            if declared and declared.isalpha():
                found = callouts.CalloutClass(declared.lower(), sure=True)
        if found is None or self._marks[element] & reader.IN_TABLE:
            return None
        titles, said = self._titles_of(element, found.kind)
        is_sure = found.sure or name == "details" or self.node.get("role") == "note"
        is_one = is_sure or (titles and not said)
        if not is_one or not self.writer.can_open:
            return None
        self._titles.update(titles)
        self._marks[titles] |= reader.WHOLE
        is_kept = titles and self._keep[self._first_text[titles[-1]]]
        return nodes.Callout(found.kind, said if is_kept else "")

    def _titles_of(self, element: int, kind: str) -> tuple[list[int], str]:
        """Return the elements of the titles with which a callout begins, and what they say."""
        titles: list[int] = []
        text, said = self._first_text[element], ""
        while text < self._last_text[element] and not said:
            title, said = self._title_at(text, element, kind)
            if title < 0 or (titles and not said):
                break
            titles.append(title)
            text = self._last_text[title]
        return titles, said

    def _title_at(self, first: int, element: int, kind: str) -> tuple[int, str]:
        """Return the element of the title that begins a callout at a text, −1 without one."""
        inner, title, said, label = int(self._page.text_parent[first]), -1, "", ""
        for _ in range(_LEVELS_OF_TITLE):
            after = self._last_text[inner]
            span = range(first, after)
            is_part = inner > element and self._first_text[inner] == first
            if not is_part or after >= self._last_text[element] or len(span) > _TEXTS_OF_TITLE:
                break
            text = " ".join("".join(map(self._page.text, span)).split())
            class_ = self._page.strings[self._class_ids[inner]]
            if callouts.names_kind(text, kind):
                title, said, label = inner, "", text
            elif callouts.TITLE_CLASS.search(class_) or self._name(inner) in callouts.TITLES:
                title, said = inner, text.removeprefix(label).lstrip(f" :{callouts.ICONS}")
            inner = self._parent[inner]
        return title, said

    def _table_part(self, name: str, bits: int) -> Node | None:
        element = self.element
        if name == "tr":
            return nodes.Row(header=self._name(self._parent[element]) == "thead")
        if name in _CELLS:
            said = map(self.node.get, ("colspan", "rowspan")) if bits & reader.VALUE else ()
            spans = (min(max(_number(each), 1), _MOST_SPANNED) for each in said)
            return nodes.Cell(name == "th", *spans)
        return nodes.Caption() if name == "caption" else None

    # -- inside a line -----------------------------------------------------------------------

    def open_marks(self, name: str) -> str:
        """Write what a browser draws before the element at hand; return what it draws after it."""
        before = self.node.getprevious()
        if before is not None and before.tag == "rp":  # brackets of its own
            return ""
        opening, closing = _MARKS[name]
        self.writer.text(opening, self.element, self.block)
        return closing

    @cached_property
    def holds_heading(self) -> Bool:
        return _hold(self._page, HEADINGS)

    @cached_property
    def _holds_more_than_code(self) -> Bool:
        return _hold(self._page, _NOT_IN_CODE)

    def _read_script(self, node: etree._Element) -> None:
        tex, display = formulas.read_script(node)
        if tex and self.is_mostly_kept and node not in self._scripts:
            self._scripts.add(node)
            self.formula = readable(tex)
            self._leaf(nodes.Formula(self.formula, display))

    def _embed(self, said: str, src: str, element: int) -> None:
        address = self.address(src)
        if address and self.switches.links and not self.writer.is_wanted(nodes.Link):
            self.writer.end_paragraph()
            self.writer.wanted.append((nodes.Link(address, embed=True), element))
            self.writer.text(readable(said), element, self.block)
            self.writer.wanted.pop()
            self.writer.end_paragraph()

    @cached_property
    def _container(self) -> range:
        return images.container_of(self._page, self._keep)

    def is_outside(self, place: int, name: str) -> bool:
        """Return whether an image stands outside of what holds the text, and is not the page's."""
        above = self.element <= self._container.start < self._end[self.element]
        if not above or place in self._container:
            return False
        return self.text > self.first_kept or name not in self._declared

    def caption_of(self, place: int) -> str:
        """Return the dropped caption of the figure around an image, for its first image."""
        captions = self._figures.captions if self._figures else {}
        for _ in range(_MOST_AROUND if captions else 0):
            if place in captions:
                return captions.pop(place)
            place = self._parent[place]
        return ""

    @cached_property
    def _declared(self) -> frozenset[str]:
        """The images that the page declares as its own."""
        return images.declared_images(self._page)


def from_text(text: str) -> Document:
    """Return a document of the paragraphs of *text*, which blank lines separate."""
    writer = Writer()
    for paragraph in text.split("\n\n"):
        for line in filter(str.strip, paragraph.split("\n")):
            writer.text(line, 0, 0)
            writer.line_break(0)
        writer.end_paragraph()
    return Document(tuple(writer.nodes), tuple(writer.ends), lambda indices: [""] * len(indices))


def _words(node: etree._Element) -> list[str]:
    return "".join(node.itertext()).split()


def _number(value: str | None) -> int:
    """Return the whole number that an attribute holds, 1 if it holds none."""
    value = (value or "").strip()
    return int(value) if value.isascii() and value.isdecimal() and len(value) < 10 else 1


def _hold(page: Page, names: Iterable[str]) -> Bool:
    """Return which elements hold another one of these names."""
    flags = page.has_tag(names)
    return page.count_below(flags) > flags
