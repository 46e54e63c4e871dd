"""From a page and what was kept of it to a document."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain, islice

import numpy as np
from lxml import etree

from scrapy_boilerplate.core.answer.document import nodes
from scrapy_boilerplate.core.answer.document.callouts import (
    TITLES,
    CalloutClass,
    callout_of,
    is_title,
    names_kind,
    written_mark,
)
from scrapy_boilerplate.core.answer.document.code import code_language, is_lines_of_code, read_code
from scrapy_boilerplate.core.answer.document.figures import find_figures
from scrapy_boilerplate.core.answer.document.formulas import (
    delimiters,
    formula_in_image,
    may_be_formulas,
    read_formula,
    read_script,
    split_formulas,
    tex_of,
    written_formula,
)
from scrapy_boilerplate.core.answer.document.images import (
    IMAGES,
    Images,
    Surroundings,
    container_of,
    declared_images,
    name_of,
    width_in,
)
from scrapy_boilerplate.core.answer.document.media import (
    EMBEDDING,
    embedded,
    embedded_post,
    holds_embeds,
)
from scrapy_boilerplate.core.answer.document.nodes import Document, Node, Style
from scrapy_boilerplate.core.answer.document.switches import Switches
from scrapy_boilerplate.core.answer.document.writer import Writer
from scrapy_boilerplate.core.page import Page, cumulative
from scrapy_boilerplate.core.page.addresses import joined
from scrapy_boilerplate.core.page.arrays import Bool
from scrapy_boilerplate.core.page.characters import readable
from scrapy_boilerplate.core.page.layout import runs_of
from scrapy_boilerplate.core.page.tags import BLOCK_LEVEL, HEADINGS, LISTS, PREFORMATTED

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
_BLOCKS: dict[str, type[Node]] = {
    "blockquote": nodes.Quote,
    "li": nodes.Item,
    "dl": nodes.DefinitionList,
    "dt": nodes.Term,
    "dd": nodes.Definition,
    "figure": nodes.Figure,
    "figcaption": nodes.Caption,
}
_ANYWHERE = (nodes.Quote, nodes.DefinitionList, nodes.Figure)
"""The others are what they are only inside of the block that they belong in."""
_LINES = HEADINGS | frozenset("p li dd dt td th figcaption".split())
"""Elements whose images are of their text."""
_SECTIONS, _CELLS = frozenset("thead tbody tfoot".split()), frozenset("td th".split())
_TABLE_PARTS = _SECTIONS | _CELLS | frozenset("tr caption".split())
_MARKS = {"q": ("“", "”"), "rt": ("(", ")")}
"""What a browser draws around them: marks of a quotation; the reading in ``ruby`` above it."""
_SCHEMES = frozenset("http https ftp mailto tel".split())
_IGNORED = re.compile(r"[\x00-\x1f\x7f]")  # what browsers pass over in addresses
_MOST_ADDRESS = 8192
_ROOM, _ROOM_BY_ELEMENT = 32_000, 64
"""Characters by which relative addresses of a page may grow as they become absolute: a page cannot
make its outputs huge by a long base. The links and images beyond are left out."""

_ITEMS = frozenset("li dt dd tr td th caption body html".split())
"""Elements that are no callouts."""
_LEVELS_OF_TITLE, _TEXTS_OF_TITLE = 6, 20
"""Elements around the first text of a callout that may be its title; text nodes of a title."""
_MATH, _MOST_AROUND_FORMULA = ("math", "{http://www.w3.org/1998/Math/MathML}math"), 20  # nodes
_LEVELS_OF_CODE = 8
"""Elements around code that may name its language."""
_MOST_SPANNED = 1000  # columns, and rows, of one cell


def build_document(page: Page, keep: Bool, switches: Switches | None = None) -> Document:
    """Return the structure of what was kept of *page*.

    *keep* tells for each text node whether it was kept. Figures in the kept text come with their
    captions. Images, links and formatting are left out where *switches* say so.

    >>> page = Page.parse("<h1>A title</h1><ul><li>One <b>two</b>.</ul><footer>Dropped</footer>")
    >>> document = build_document(page, np.array([True, True, True, True, False]))
    >>> [type(node).__name__ for node in document.nodes]
    ['Heading', 'Text', 'List', 'Item', 'Paragraph', 'Text', 'Styled', 'Text', 'Text']
    """
    if not keep.any():
        return Document()
    switches = switches or Switches()
    if not switches.images:
        return _Builder(page, keep, switches, np.zeros(page.tag.size, dtype=bool)).build()
    figures, captions = find_figures(page, keep)
    return _Builder(page, keep | captions, switches, figures).build()


def data_tables(page: Page) -> Bool:
    """Return for each element whether it is a table of data with two rows or more."""
    if not page.is_data_table.any():
        return page.is_data_table
    is_row = page.has_tag(("tr",))
    is_row[page.parent[page.has_tag(_CELLS)]] = True  # or a section that holds cells
    rows = cumulative(is_row)
    return page.is_data_table & (rows[page.end] - rows[:-1] >= 2)


@dataclass(slots=True)
class _Frame:
    """An element that is being read."""

    node: etree._Element
    element: int
    block: int
    """The nearest block-level element."""
    children: Iterator[etree._Element]
    child: int
    """Index of the next child that is visible."""
    position: int
    """Number of child elements read so far …"""
    texts: int
    """… and of text nodes."""
    depth: int
    """Blocks that were open before it."""
    wanted: int
    """Nodes of the line that the text before it stood in."""
    closing: str = ""
    """What is written after it: the mark that ends a quotation."""


class _Builder:
    """Reads the elements that hold something kept, in one pass without recursion."""

    def __init__(self, page: Page, keep: Bool, switches: Switches, figures: Bool) -> None:
        self._page, self._switches = page, switches
        self._room = _ROOM + _ROOM_BY_ELEMENT * page.tag.size
        self._writer = Writer()
        self._keep: list[bool] = keep.tolist()
        before = cumulative(keep)
        holds: Bool = figures | (before[page.last_text] > before[page.first_text])
        self._holds: list[bool] = holds.tolist()
        visible, kept = cumulative(page.visible), cumulative(page.visible * keep)
        first, last = page.first_text, page.last_text
        mostly = figures | (2 * (kept[last] - kept[first]) >= visible[last] - visible[first])
        self._mostly_kept: list[bool] = mostly.tolist()
        self._names = [page.names[tag] for tag in page.tag.tolist()]
        self._end: list[int] = page.end.tolist()
        self._parent: list[int] = page.parent.tolist()
        self._position: list[int] = page.position.tolist()
        self._first_text: list[int] = page.first_text.tolist()
        self._last_text: list[int] = page.last_text.tolist()
        self._is_block: list[bool] = page.is_block.tolist()
        self._is_table: list[bool] = data_tables(page).tolist()
        self._in_table: set[int] = set()  # the elements of tables of data
        self._callouts = {
            number: found
            for number, value in enumerate(page.strings)
            if (found := callout_of(value)) is not None
        }  # by the number of a class
        self._class_ids: list[int] = page.class_id.tolist()
        self._titles: set[int] = set()  # elements of titles that were read
        starts, stops = page.text_start.tolist(), page.text_stop.tolist()
        self._texts = [page.buffer[a:b] for a, b in zip(starts, stops, strict=True)]
        self._owners = [*page.text_parent.tolist(), -1]  # of each text node, and none after them
        self._ordinals: list[int] = page.text_ordinal.tolist()
        self._is_apart = _are_apart(page, keep, self._texts)
        self._notes = page.notes
        self._cuts = dict(page.notes.beginnings)  # characters of texts that are marks
        self._has_embeds = holds_embeds(page.root)
        self._may_be_formulas = may_be_formulas(page)
        self._formulas = delimiters(page.root, page.buffer)
        self._asides: list[tuple[etree._Element, int]] = []  # notes in the place of references …
        self._placed: set[int] = set()  # … that are read as notes now
        self._images = Images()
        self._link: tuple[etree._Element | None, nodes.Link | None] = None, None  # around images
        self._shown: dict[str, tuple[int, int]] = {}  # images by name: the text after, the node
        self._container = container_of(page, keep) if switches.images else range(0)
        self._first_kept, self._last_kept = np.flatnonzero(keep)[[0, -1]].tolist()
        self._text = 0  # the next text node
        self._formula = ""  # the last one

    def build(self) -> Document:
        """Return the document."""
        writer = self._writer
        self._read(self._page.root, 0)
        for node, element in self._asides:
            self._placed.add(element)
            self._text = self._first_text[element]
            writer.close_to(0)
            writer.open(nodes.Note(self._notes.notes[element]), element)
            self._read(node, element)
        writer.close_to(0)
        find_xpaths = self._page.xpaths_later(writer.places)
        return Document(tuple(writer.nodes), tuple(writer.ends), find_xpaths)

    def _read(self, node: etree._Element, element: int) -> None:
        """Read an element and what it holds."""
        frames = [self._enter(node, element, element)]
        while frames:
            frame = frames[-1]
            child = next(frame.children, None)
            if child is None:
                frames.pop()
                self._leave(frame)
                if frames:
                    self._read_text(frame.node.tail, frames[-1])
                continue
            element = self._element_of(child, frame)
            if element >= 0 and self._is_read(element):
                frames.append(self._enter(child, element, frame.block))
                continue
            if element >= 0:
                self._pass_over(child, element, frame)
            elif child.tag == "script":
                self._read_script(child, frame)
            elif child.tag == "noscript":
                self._read_images(child, frame.element, frame)
            elif child.tag in EMBEDDING and self._mostly_kept[frame.element]:
                self._embed(*embedded(child), frame.element, frame)
            self._read_text(child.tail, frame)

    # -- the walk ----------------------------------------------------------------------------

    def _element_of(self, child: etree._Element, frame: _Frame) -> int:
        """Return the index of a child of the element at hand; -1 if it is not visible."""
        if not isinstance(child.tag, str):
            return -1
        frame.position += 1
        element = frame.child
        if element >= self._end[frame.element] or self._position[element] != frame.position:
            return -1
        frame.child = self._end[element]
        return element

    def _is_read(self, element: int) -> bool:
        """Return whether an element is read: it holds what was kept, or is a part of a table."""
        return self._holds[element] or (
            element in self._in_table and self._names[element] in _CELLS
        )

    def _enter(self, node: etree._Element, element: int, block: int) -> _Frame:
        frame = _Frame(
            node=node,
            element=element,
            block=element if self._is_block[element] else block,
            children=iter(node),
            child=element + 1,
            position=0,
            texts=0,
            depth=self._writer.depth,
            wanted=len(self._writer.wanted),
        )
        name = self._names[element]
        self._set_apart(self._first_text[element])
        if self._is_whole(node, name, frame):
            frame.children = iter(())
            self._text = self._last_text[element]
            return frame
        if self._is_block[element]:
            self._open_block(name, frame)
        else:
            self._open_inline(node, name, frame)
        self._read_text(node.text, frame)
        return frame

    def _leave(self, frame: _Frame) -> None:
        del self._writer.wanted[frame.wanted :]
        if frame.closing:
            self._writer.text(frame.closing, frame.element, frame.block)
        if self._is_block[frame.element]:
            self._writer.end_paragraph()
            self._writer.close_to(frame.depth)
        tag = frame.node.tag
        if self._has_embeds and tag in EMBEDDING:
            self._embed(*embedded(frame.node), frame.element, frame)
        if tag == "blockquote":
            last = self._last_text[frame.element] - 1
            if last >= 0 and not self._keep[last]:
                self._embed(*embedded_post(frame.node), frame.element, frame)

    def _read_text(self, text: str | None, frame: _Frame) -> None:
        if not text:
            return
        frame.texts += 1
        number = self._text
        is_known = (
            self._owners[number] == frame.element and self._ordinals[number] == frame.texts
        )  # else it is blank
        self._text += is_known
        if not (is_known and self._keep[number]):
            self._writer.space()
            return
        if self._is_apart[number]:
            self._set_apart(number)
        text = self._texts[number]
        if number in self._cuts:
            text = text[self._cuts[number] :]
        if not text or text.isspace():
            return
        if self._formulas is None or not ("\\" in text or "$" in text):
            self._writer.text(text, -number - 1, frame.block)
            return
        for plain, tex, display in split_formulas(text, self._formulas):
            if plain.strip():
                self._writer.text(plain, -number - 1, frame.block)
            elif plain:
                self._writer.space()
            if tex:
                self._writer.leaf(nodes.Formula(readable(tex), display), frame.element, frame.block)

    def _set_apart(self, number: int) -> None:
        """Note, once, the white space before a text node, wherever it stands."""
        if number < len(self._texts) and self._is_apart[number]:
            self._is_apart[number] = False
            self._writer.space()

    def _pass_over(self, node: etree._Element, element: int, frame: _Frame) -> None:
        """Read what an element without kept text adds: an image, an end of line, a checkbox."""
        self._text = self._last_text[element]
        name = self._names[element]
        if name == "hr":
            self._writer.add_block(nodes.Rule(), element)
        elif name == "input" and node.get("type") == "checkbox":
            self._writer.check(node.get("checked") is not None)
        elif self._is_block[element]:
            self._writer.end_paragraph()
        else:
            self._break_lines(element)
        is_blank = self._first_text[element] == self._text
        if is_blank and element in self._may_be_formulas and self._mostly_kept[frame.element]:
            self._read_formula(node, frame)
        if is_blank:
            self._read_images(node, element, frame)
        embeds = self._has_embeds and self._mostly_kept[frame.element]
        if embeds and (is_blank or node.tag in EMBEDDING):
            for inside in node.iter(*EMBEDDING):
                self._embed(*embedded(inside), element, frame)
        if self._is_block[element]:
            self._writer.end_paragraph()

    def _break_lines(self, element: int, text: int | None = None) -> None:
        """End a line for each ``br`` in an element; only for those before the text node *text*."""
        for inside in range(element, self._end[element]):
            if self._names[inside] == "br" and text in (None, self._first_text[inside]):
                self._writer.line_break(inside)

    # -- blocks ------------------------------------------------------------------------------

    def _is_whole(self, node: etree._Element, name: str, frame: _Frame) -> bool:
        """Read an element of which no part is read by itself: code or a formula."""
        if frame.element in self._may_be_formulas and self._read_formula(node, frame):
            pass
        elif name in PREFORMATTED or (name == "div" and is_lines_of_code(node)):
            self._read_code(node, frame, is_block=True)
        elif frame.element in self._notes.references and frame.element not in self._placed:
            reference = nodes.NoteReference(*self._notes.references[frame.element])
            self._writer.leaf(reference, frame.element, frame.block)
            if frame.element in self._notes.notes:
                self._asides.append((node, frame.element))
        elif frame.element in self._notes.marks or frame.element in self._titles:
            pass
        elif name == "math":
            display = node.get("display") == "block"
            self._formula = readable(read_formula(node))
            self._writer.leaf(nodes.Formula(self._formula, display), frame.element, frame.block)
        elif node.get("aria-hidden") == "true" and _is_beside_formula(node):
            pass  # the same formula, drawn
        elif name in _CODE and not self._holds_more_than_code[frame.element]:
            self._read_code_in_line(node, frame)
        else:
            return False
        return True

    def _read_formula(self, node: etree._Element, frame: _Frame) -> bool:
        """Read the formula that an element is; ``False`` if it is none."""
        tex, display = written_formula(node)
        if tex:
            self._formula = readable(tex)
            self._writer.leaf(nodes.Formula(self._formula, display), frame.element, frame.block)
        return bool(tex)

    def _read_code(self, node: etree._Element, frame: _Frame, *, is_block: bool) -> None:
        """Read code; where only lines can stand it is code in a line."""
        code = readable(self._kept_code(node, frame.element))
        if not code.strip():
            return
        block = nodes.Code(code, self._language(node, frame.element)) if is_block else None
        if block is not None and self._follows_row(frame.element):
            before = self._writer.nodes[-1]
            assert isinstance(before, nodes.Code)
            self._writer.nodes[-1] = nodes.Code(f"{before.text}\n{code}", before.language)
            return
        if block is None or not self._writer.add_block(block, frame.element):
            in_line = nodes.InlineCode(" ".join(code.split()))
            self._break_lines(frame.element, self._first_text[frame.element])
            self._writer.leaf(in_line, frame.element, frame.block)
            self._break_lines(frame.element, self._last_text[frame.element])

    def _kept_code(self, node: etree._Element, element: int) -> str:
        """Return what was kept of code: as it was typed, or of a part of it what the page shows."""
        first, last = self._first_text[element], self._last_text[element]
        kept = self._keep[first:last]
        if all(kept):
            return read_code(node, self._screen_only)
        each = np.add.outer(np.arange(first, last), [0, 1])
        spans = runs_of(each, np.array(kept, dtype=np.uint8))
        return self._page.join(spans, self._page.lay_out_all(spans))

    def _read_code_in_line(self, node: etree._Element, frame: _Frame) -> None:
        """Read code that is not preformatted; several lines that stand alone are a block."""
        span = self._first_text[frame.element], self._last_text[frame.element]
        has_lines = _holds(node, "br", *BLOCK_LEVEL) and self._page.stands_alone(*span)
        links = list(islice(node.iterdescendants("a"), 2))
        if len(links) == 1 and _words(links[0]) == _words(node):
            self._open_inline(links[0], "a", frame)  # the code is the link
        self._read_code(node, frame, is_block=has_lines)

    @cached_property
    def _screen_only(self) -> set[etree._Element]:
        """The elements that are for the screen only."""
        return {node for _, node in self._page.nodes(self._page.screen_only.tolist())}

    def _follows_row(self, element: int) -> bool:
        """Return whether code stands in the row after that of the code before, both numbered."""
        writer, row = self._writer, self._parent[element]
        if not (writer.nodes and isinstance(writer.nodes[-1], nodes.Code) and row in self._rows):
            return False
        before = self._parent[writer.places[-1]]
        is_next = self._end[before] == row and self._parent[before] == self._parent[row]
        return before in self._rows and is_next

    @cached_property
    def _rows(self) -> set[int]:
        """The elements right around numbers of lines."""
        numbers = self._page.nodes(self._page.screen_only.tolist())
        return {
            self._parent[element]
            for element, node in numbers
            if "".join(node.itertext()).strip().isdecimal()
        }

    def _language(self, node: etree._Element, element: int) -> str:
        """Return the language that code names, or what holds nothing else, or a figure with it."""
        around = [node, *islice(node.iter("code"), 1)]
        first, last = self._first_text[element], self._last_text[element]
        for outer in islice(node.iterancestors(), _LEVELS_OF_CODE):
            element = self._parent[element]
            is_all = (self._first_text[element], self._last_text[element]) == (first, last)
            if outer.tag in ("body", "html") or not (is_all or outer.tag == "figure"):
                break
            around.append(outer)
        return code_language(around)

    def _open_block(self, name: str, frame: _Frame) -> None:
        self._writer.end_paragraph()
        block = self._block(frame.node, name, frame.element)
        if block is not None:
            frame.depth = self._writer.open(block, frame.element)

    def _block(self, node: etree._Element, name: str, element: int) -> Node | None:
        """Return the block that an element is; ``None`` if it only holds others."""
        if name in HEADINGS:
            return nodes.Heading(int(name[1]))
        if element in self._notes.notes and not self._writer.is_open(nodes.Note):
            return nodes.Note(self._notes.notes[element])
        if name in _LISTS and element in self._notes.lists:
            return None
        if name in _LISTS:
            return nodes.List(name == "ol", _number(node.get("start")))
        if self._is_table[element] and node.get("role") not in ("presentation", "none"):
            self._in_table.update(range(element, self._end[element]))
            return nodes.Table()
        if name in _TABLE_PARTS:
            return self._table_part(node, name) if element in self._in_table else None
        callout = self._callout(node, name, element)
        if callout is not None:
            return callout
        kind = _BLOCKS.get(name)
        if kind is None or (kind not in _ANYWHERE and not self._writer.accepts(kind)):
            return None
        return kind()

    def _callout(self, node: etree._Element, name: str, element: int) -> Node | None:
        """Return the callout that an element is; its title is read with it."""
        found = self._callouts.get(self._class_ids[element])
        first = self._first_text[element]
        begins = name == "blockquote" and first < self._last_text[element]
        written = written_mark(self._texts[first]) if begins else None
        if written is not None and self._keep[first]:
            found, self._cuts[first] = written
        if name in _ITEMS:
            return None
        declared = node.get("data-callout")
        if declared and declared.isalpha():
            found = CalloutClass(declared.lower(), sure=True)
        if found is None or element in self._in_table:
            return None
        titles, said = self._titles_of(element, found.kind)
        is_one = found.sure or name == "details" or (titles and not said)
        if not is_one or not self._writer.can_open:
            return None
        self._titles.update(titles)
        return nodes.Callout(found.kind, said)

    def _titles_of(self, element: int, kind: str) -> tuple[list[int], str]:
        """Return the elements of the titles with which a callout begins, and what they say.

        One that names the *kind* says nothing; its own title may follow.
        """
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
        inner, title, said, label = self._owners[first], -1, "", ""
        for _ in range(_LEVELS_OF_TITLE):
            after = self._last_text[inner]
            span = range(first, after)
            is_part = inner > element and self._first_text[inner] == first
            if not is_part or after >= self._last_text[element] or len(span) > _TEXTS_OF_TITLE:
                break
            if not all(self._keep[text] for text in span):
                break
            text = " ".join("".join(self._texts[text] for text in span).split())
            class_ = self._page.strings[self._class_ids[inner]]
            if names_kind(text, kind):
                title, said, label = inner, "", text
            elif is_title(class_) or self._names[inner] in TITLES:
                title, said = inner, text.removeprefix(label).strip()
            inner = self._parent[inner]
        return title, said

    def _table_part(self, node: etree._Element, name: str) -> Node | None:
        if name == "tr":
            parent = node.getparent()
            return nodes.Row(header=parent is not None and parent.tag == "thead")
        if name in _SECTIONS:  # its cells may stand in no row
            child = next(node.iterchildren("*"), None)
            is_row = child is not None and child.tag in _CELLS
            return nodes.Row(header=name == "thead") if is_row else None
        if name in _CELLS:
            spans = (_number(node.get(key)) for key in ("colspan", "rowspan"))
            return nodes.Cell(name == "th", *(min(max(each, 1), _MOST_SPANNED) for each in spans))
        return nodes.Caption() if name == "caption" else None

    # -- inside a line -----------------------------------------------------------------------

    def _open_inline(self, node: etree._Element, name: str, frame: _Frame) -> None:
        element = frame.element
        if name in _MARKS and not (name == "rt" and _has_brackets(node)):
            opening, frame.closing = _MARKS[name]
            self._writer.text(opening, element, frame.block)
        elif name in _STYLES:
            styled = nodes.Styled(_STYLES[name])
            if self._switches.formatting and not self._writer.has(styled):
                self._writer.wanted.append((styled, element))
        elif name == "a" and self._switches.links and not self._writer.is_wanted(nodes.Link):
            href = self._address(node.get("href"))
            if href and not (self._is_own(node, href) and self._is_of_heading(element)):
                self._writer.wanted.append((nodes.Link(href), element))

    def _is_own(self, node: etree._Element, address: str) -> bool:
        """Return whether a link leads to the page itself, or to a place in it."""
        is_place = (node.get("href") or "").strip().startswith("#")
        return is_place or address.partition("#")[0].rstrip("/") in self._own_addresses

    def _is_of_heading(self, element: int) -> bool:
        return self._writer.is_open(nodes.Heading) or bool(self._holds_heading[element])

    @cached_property
    def _holds_heading(self) -> Bool:
        return _hold(self._page, HEADINGS)

    @cached_property
    def _holds_more_than_code(self) -> Bool:
        return _hold(self._page, _NOT_IN_CODE)

    @cached_property
    def _own_addresses(self) -> set[str]:
        addresses = (each.partition("#")[0].rstrip("/") for each in self._page.addresses)
        return {*addresses} - {""}

    def _read_script(self, node: etree._Element, frame: _Frame) -> None:
        tex, display = read_script(node)
        if tex and self._mostly_kept[frame.element]:
            self._formula = readable(tex)
            self._writer.leaf(nodes.Formula(self._formula, display), frame.element, frame.block)

    def _embed(self, said: str, src: str, element: int, frame: _Frame) -> None:
        address = self._address(src)
        if address and self._switches.links and not self._writer.is_wanted(nodes.Link):
            self._writer.end_paragraph()
            self._writer.wanted.append((nodes.Link(address, embed=True), element))
            self._writer.text(readable(said), element, frame.block)
            self._writer.wanted.pop()
            self._writer.end_paragraph()

    def _read_images(self, node: etree._Element, element: int, frame: _Frame) -> None:
        """Read the images in an element without text."""
        if not (self._switches.images and self._mostly_kept[frame.element]):
            return
        images = list(node.iter(*IMAGES))
        places = [element] * len(images)
        if node.tag != "noscript":
            inside = range(element, self._end[element])
            visible = [each for each in inside if self._names[each] in IMAGES]
            places = visible if len(visible) == len(images) else places
        for image, place in zip(images, places, strict=True):
            around = Surroundings(image, frame.node)
            is_inside = self._is_inside(frame)
            if not around.shares and (is_inside or around.stands_beside):
                self._read_image(image, around, place, frame, is_inside=is_inside)

    def _is_inside(self, frame: _Frame) -> bool:
        """Return whether kept text stands before and after the place at hand, or around it."""
        is_between = self._first_kept < self._text <= self._last_kept
        return is_between or self._names[frame.block] in _LINES

    def _read_image(
        self,
        image: etree._Element,
        around: Surroundings,
        place: int,
        frame: _Frame,
        *,
        is_inside: bool,
    ) -> None:
        formula = readable(formula_in_image(image))
        if formula:
            if formula != self._formula:  # else MediaWiki's copy of the formula before
                self._writer.leaf(nodes.Formula(formula), place, frame.block)
            return
        picture = self._images.read(image)
        src = self._address(picture.address) if picture else ""
        if picture is None or not src:
            return
        is_above = frame.element <= self._container.start < self._end[frame.element]
        is_outside = not is_inside and is_above and place not in self._container
        is_declared = self._text <= self._first_kept and name_of(src) in self._declared
        if is_outside and not is_declared:
            return
        alt = " ".join(readable(picture.alternative).split())
        if (self._formula and tex_of(alt) == self._formula) or self._is_copy(src, around, place):
            return
        link = around.link
        if link is not self._link[0]:  # else one link around several images
            address = self._address(link.get("href")) if link is not None else ""
            self._link = link, nodes.Link(address) if address else None
        wanted = len(self._writer.wanted)
        if self._link[1] and self._switches.links and not self._writer.is_wanted(nodes.Link):
            self._writer.wanted.append((self._link[1], place))
        self._writer.leaf(nodes.Image(src, alt), place, frame.block)
        del self._writer.wanted[wanted:]
        self._shown[name_of(src)] = self._text, len(self._writer.nodes) - 1

    @cached_property
    def _declared(self) -> frozenset[str]:
        """The images that the page declares as its own."""
        return declared_images(self._page.root)

    def _is_copy(self, src: str, around: Surroundings, place: int) -> bool:
        """Return whether an image was read before; the larger of the two is kept."""
        text, index = self._shown.get(name_of(src), (-1, -1))
        is_copy = index >= 0 and (text == self._text or around.shows_again)
        if not is_copy or place in self._in_table:
            return False
        shown = self._writer.nodes[index]
        if isinstance(shown, nodes.Image) and width_in(src) > width_in(shown.src):
            self._writer.nodes[index] = replace(shown, src=src)
        return True

    def _address(self, value: str | None) -> str:
        """Return an absolute address; an empty one for what leads to no page."""
        value = _IGNORED.sub("", value or "").strip()
        if not value:
            return ""
        address = joined(self._page.base_url, value)
        scheme, colon, _ = address.partition(":")
        is_relative = not colon or "/" in scheme or "?" in scheme or "#" in scheme
        if not is_relative and scheme.lower() not in _SCHEMES:
            return ""
        self._room -= max(len(address) - len(value), 0)
        return address if self._room >= 0 and len(address) <= _MOST_ADDRESS else ""


def _are_apart(page: Page, keep: Bool, texts: list[str]) -> list[bool]:
    """Return which text nodes white space, or what is left out, sets apart from the one before."""
    is_apart = page.is_apart.copy()
    is_apart[1:] |= (page.text_start[1:] > page.text_stop[:-1]) | ~keep[:-1]
    ends = chain([False], (text[-1].isspace() for text in texts))
    flags = zip(is_apart.tolist(), texts, ends, strict=False)
    return [apart or text[0].isspace() or end for apart, text, end in flags]


def _number(value: str | None) -> int:
    """Return the whole number that an attribute holds, 1 if it holds none."""
    value = (value or "").strip()
    return int(value) if value.isascii() and value.isdecimal() and len(value) < 10 else 1


def _hold(page: Page, names: Iterable[str]) -> Bool:
    """Return which elements hold another one of these names."""
    before = cumulative(page.has_tag([*names]))
    holds: Bool = before[page.end] > before[1:]
    return holds


def _holds(node: etree._Element, *names: str) -> bool:
    """Return whether an element of these names stands in another."""
    return len(node) > 0 and next(node.iterdescendants(*names), None) is not None


def _words(node: etree._Element) -> list[str]:
    return "".join(node.itertext()).split()


def _has_brackets(node: etree._Element) -> bool:
    """Return whether a reading in ``ruby`` has brackets of its own."""
    before = node.getprevious()
    return before is not None and before.tag == "rp"


def _is_beside_formula(node: etree._Element) -> bool:
    return any(
        beside is not None
        and any(each.tag in _MATH for each in islice(beside.iter(), _MOST_AROUND_FORMULA))
        for beside in (node.getprevious(), node.getnext())
    )
