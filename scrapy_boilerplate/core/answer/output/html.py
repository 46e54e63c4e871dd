"""A document as clean HTML, and the visitor that writes it and TEI."""

from __future__ import annotations

from collections.abc import Callable
from html import escape
from typing import Any, TypeAlias

from scrapy_boilerplate.core.answer.document import nodes
from scrapy_boilerplate.core.answer.document.nodes import Cell, Document, Node

Tags: TypeAlias = "tuple[str, str]"  # what stands before a node, and after it and all that it holds


def html(document: Document) -> str:
    r"""Return a document as semantic HTML5, without classes, styles, scripts or events.

    Addresses are absolute where the page's address is known; those of links and images can only be
    ones that a browser opens as pages, mails or calls. A formula is its TeX in ``code``, in the
    brackets that MathJax and KaTeX look for.

    >>> from scrapy_boilerplate import extract
    >>> page = "<h1 class=x>A title</h1><p onclick=f()>Some text to be kept here."
    >>> extract(page, extractor="mss", tag_score=0.0).html
    '<h1>A title</h1>\n<p>Some text to be kept here.</p>\n'
    """
    return written(document, _HtmlWriter(document).tags)


class _HtmlWriter:
    """Gives the tags of each node; those of some depend on the nodes around them."""

    def __init__(self, document: Document) -> None:
        self._document = document
        self._notes = {node.number for node in document.nodes if isinstance(node, nodes.Note)}
        self._after_notes = -1  # where the last note ends
        self._bare: set[int] = set()  # paragraphs that are written without tags

    def tags(self, index: int, node: Node) -> Tags:
        """Return what stands before and after a node."""
        kind = type(node)
        if index in self._bare:
            return "", ""
        if kind in _COMPACT:
            self._bare.update(_only_paragraph(self._document, index))
        if kind in _FIXED:
            before = self._document.nodes[index - 1]
            is_of_table = kind is nodes.Caption and isinstance(before, nodes.Table)
            return element("caption") if is_of_table else _FIXED[kind]
        if type(node) is nodes.NoteReference and node.number not in self._notes:
            label = _said(node.label)
            return (f"<sup>{label}</sup>" if node.label.isalnum() else label), ""
        if type(node) is nodes.Note:
            return self._note(index, node)
        return _TAGS[kind](node)

    def _note(self, index: int, node: nodes.Note) -> Tags:
        """Return the tags of a note, with those of the list around notes that come in a row."""
        before, after = element("li", f' id="note-{node.number}"')
        if index != self._after_notes:
            start = f' start="{node.number}"' if node.number > 1 else ""
            before = f'<section role="doc-endnotes">\n<ol{start}>\n{before}'
        end = self._document.ends[index]
        if not any(isinstance(node, nodes.Note) for node in self._document.nodes[end : end + 1]):
            after += "</ol>\n</section>\n"
        self._after_notes = end
        return before, after


def written(document: Document, tags: Callable[[int, Node], Tags]) -> str:
    """Return a document with the *tags* of each node but text, each asked for once, in order."""
    pieces: list[str] = []
    closing: list[tuple[int, str]] = []  # of the open nodes: where they end, and what follows
    for index, (node, end) in enumerate(zip(document.nodes, document.ends, strict=True)):
        while closing and closing[-1][0] <= index:
            pieces.append(closing.pop()[1])
        if type(node) is nodes.Text:  # as most are
            pieces.append(_said(node.text))
            continue
        before, after = tags(index, node)
        pieces.append(before)
        if after:
            closing.append((end, after))
    pieces += [after for _, after in reversed(closing)]
    return "".join(pieces)


def element(name: str, attributes: str = "", inside: str = "", end: str = "\n") -> Tags:
    """Return the tags of an element, *inside* after the first and *end* after the second."""
    return f"<{name}{attributes}>{inside}", f"</{name}>{end}"


def spans(cell: Cell, columns: str, rows: str) -> str:
    """Return the attributes *columns* and *rows* of a cell that spans several."""
    named = ((columns, cell.colspan), (rows, cell.rowspan))
    return "".join(f' {name}="{span}"' for name, span in named if span > 1)


def _only_paragraph(document: Document, index: int) -> list[int]:
    """Return the first block of an item or a cell if it is its only paragraph."""
    children = list(document.children(index))
    if not children or not isinstance(document.nodes[children[0]], nodes.Paragraph):
        return []
    rest = (document.nodes[child] for child in children[1:])
    return children[:1] if all(isinstance(block, nodes.List) for block in rest) else []


def _said(text: str) -> str:
    has_marks = "&" in text or "<" in text or ">" in text
    return escape(text, quote=False) if has_marks else text


def _image(node: nodes.Image) -> Tags:
    title = f' title="{escape(node.title)}"' if node.title else ""
    return f'<img src="{escape(node.src)}" alt="{escape(node.alt)}"{title}>', ""


def _list(node: nodes.List) -> Tags:
    start = f' start="{node.start}"' if node.ordered and node.start != 1 else ""
    return element("ol" if node.ordered else "ul", start, "\n")


def _item(node: nodes.Item) -> Tags:
    box = f'<input type="checkbox" disabled{" checked" if node.checked else ""}> '
    return element("li", inside=box if node.checked is not None else "")


def _callout(node: nodes.Callout) -> Tags:
    title = f"<p><strong>{_said(node.title)}</strong></p>\n" if node.title else ""
    return element("aside", f' role="note" data-callout="{escape(node.kind)}"', f"\n{title}")


def _code(node: nodes.Code) -> Tags:
    language = f' data-language="{escape(node.language)}"' if node.language else ""
    return f"<pre><code{language}>{_said(node.text)}</code></pre>\n", ""


def _formula(node: nodes.Formula) -> Tags:
    begin, end = ("\\[", "\\]") if node.display else ("\\(", "\\)")
    return f"<code>{begin}{_said(node.tex)}{end}</code>", ""


def _reference(node: nodes.NoteReference) -> Tags:
    address = f'href="#note-{node.number}" role="doc-noteref"'
    return f"<sup><a {address}>{node.number}</a></sup>", ""


_COMPACT = frozenset((nodes.Item, nodes.Cell, nodes.Definition, nodes.Note))
"""Blocks of which an only paragraph needs no tags."""

_FIXED: dict[type[Node], Tags] = {
    nodes.Paragraph: element("p"),
    nodes.Quote: element("blockquote", inside="\n"),
    nodes.DefinitionList: element("dl", inside="\n"),
    nodes.Term: element("dt"),
    nodes.Definition: element("dd"),
    nodes.Table: element("table", inside="\n"),
    nodes.Row: element("tr", inside="\n"),
    nodes.Figure: element("figure", inside="\n"),
    nodes.Caption: element("figcaption"),
    nodes.Rule: ("<hr>\n", ""),
    nodes.LineBreak: ("<br>", ""),
}
_TAGS: dict[type[Node], Callable[[Any], Tags]] = {
    nodes.Heading: lambda node: element(f"h{node.level}"),
    nodes.Callout: _callout,
    nodes.List: _list,
    nodes.Item: _item,
    nodes.Cell: lambda node: element(
        "th" if node.header else "td", spans(node, "colspan", "rowspan")
    ),
    nodes.Code: _code,
    nodes.Styled: lambda node: element(node.style, end=""),
    nodes.Link: lambda node: element("a", f' href="{escape(node.href)}"', end=""),
    nodes.Image: _image,
    nodes.InlineCode: lambda node: (f"<code>{_said(node.text)}</code>", ""),
    nodes.Formula: _formula,
    nodes.NoteReference: _reference,
}
