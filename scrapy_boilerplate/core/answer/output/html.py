"""A document as clean HTML."""

from __future__ import annotations

from html import escape

from scrapy_boilerplate.core.answer.document.nodes import (
    Caption,
    Cell,
    Code,
    Definition,
    DefinitionList,
    Document,
    Figure,
    Formula,
    Heading,
    Image,
    InlineCode,
    Item,
    LineBreak,
    Link,
    List,
    Node,
    Note,
    NoteReference,
    Paragraph,
    Quote,
    Row,
    Rule,
    Styled,
    Table,
    Term,
    Text,
)

_NAMES: dict[type[Node], str] = {
    Paragraph: "p",
    Quote: "blockquote",
    Item: "li",
    Note: "li",
    DefinitionList: "dl",
    Term: "dt",
    Definition: "dd",
    Table: "table",
    Row: "tr",
    Figure: "figure",
}
_HOLDERS = (Quote, List, DefinitionList, Table, Row, Figure)
"""Elements whose tags stand on lines of their own."""
_COMPACT = (Item, Cell, Definition, Note)
"""Blocks of which an only paragraph needs no tags."""


def html(document: Document) -> str:
    r"""Return a document as semantic HTML5, without classes, styles, scripts or events.

    Addresses are absolute where the page's address is known; those of links and images can only be
    ones that a browser opens as pages, mails or calls. A formula is its TeX in ``code``, in the
    brackets that MathJax and KaTeX look for.

    >>> from scrapy_boilerplate import extract
    >>> page = "<h1 class=x>A title</h1><p onclick=f()>Some text to be kept here."
    >>> html(extract(page, extractor="mss", tag_score=0.0).document)
    '<h1>A title</h1>\n<p>Some text to be kept here.</p>\n'
    """
    pieces: list[str] = []
    bare: set[int] = set()  # paragraphs that are written without tags
    notes = {node.number for node in document.nodes if isinstance(node, Note)}
    in_notes = False
    for index, node, begins in document.events():
        if isinstance(node, _COMPACT) and begins:
            bare.update(_only_paragraph(document, index))
        if isinstance(node, Paragraph) and index in bare:
            continue
        if isinstance(node, NoteReference):
            pieces.append(_reference(node, node.number in notes))
            continue
        if isinstance(node, Note) and begins and not in_notes:
            start = f' start="{node.number}"' if node.number > 1 else ""
            pieces.append(f'<section role="doc-endnotes">\n<ol{start}>\n')
            in_notes = True
        pieces.append(
            _opening(document, index, node) if begins else _closing(document, index, node)
        )
        if isinstance(node, Note) and not begins:
            after = document.ends[index]
            in_notes = after < len(document.nodes) and isinstance(document.nodes[after], Note)
            if not in_notes:
                pieces.append("</ol>\n</section>\n")
    return "".join(pieces)


def _reference(node: NoteReference, is_joined: bool) -> str:
    if not is_joined:
        return escape(node.label, quote=False)
    return f'<sup><a href="#note-{node.number}" role="doc-noteref">{node.number}</a></sup>'


def _only_paragraph(document: Document, index: int) -> list[int]:
    """Return the first block of an item or a cell if it is its only paragraph."""
    children = list(document.children(index))
    if not children or not isinstance(document.nodes[children[0]], Paragraph):
        return []
    rest = (document.nodes[child] for child in children[1:])
    return children[:1] if all(isinstance(block, List) for block in rest) else []


def _opening(document: Document, index: int, node: Node) -> str:
    """Return the start tag of a node, or all of it if it holds no others."""
    if isinstance(node, Text):
        return escape(node.text, quote=False)
    if isinstance(node, Link):
        return f'<a href="{escape(node.href)}">'
    if isinstance(node, Image):
        return f'<img src="{escape(node.src)}" alt="{escape(node.alt)}">'
    if isinstance(node, InlineCode):
        return f"<code>{escape(node.text, quote=False)}</code>"
    if isinstance(node, Formula):
        begin, end = ("\\[", "\\]") if node.display else ("\\(", "\\)")
        return f"<code>{begin}{escape(node.tex, quote=False)}{end}</code>"
    if isinstance(node, LineBreak):
        return "<br>"
    if isinstance(node, Rule):
        return "<hr>\n"
    if isinstance(node, Code):
        language = f' data-language="{escape(node.language)}"' if node.language else ""
        return f"<pre><code{language}>{escape(node.text, quote=False)}</code></pre>\n"
    name = _name(document, index, node)
    inside = "\n" if isinstance(node, _HOLDERS) else ""
    if isinstance(node, Item) and node.checked is not None:
        inside = f'<input type="checkbox" disabled{" checked" * node.checked}> '
    return f"<{name}{_attributes(node)}>{inside}"


def _closing(document: Document, index: int, node: Node) -> str:
    name = _name(document, index, node)
    return f"</{name}>" + ("" if isinstance(node, (Styled, Link)) else "\n")


def _name(document: Document, index: int, node: Node) -> str:
    if isinstance(node, Heading):
        return f"h{node.level}"
    if isinstance(node, Styled):
        return node.style
    if isinstance(node, Link):
        return "a"
    if isinstance(node, List):
        return "ol" if node.ordered else "ul"
    if isinstance(node, Cell):
        return "th" if node.header else "td"
    if isinstance(node, Caption):
        return "caption" if isinstance(document.nodes[index - 1], Table) else "figcaption"
    return _NAMES[type(node)]


def _attributes(node: Node) -> str:
    if isinstance(node, Note):
        return f' id="note-{node.number}"'
    if isinstance(node, List) and node.ordered and node.start != 1:
        return f' start="{node.start}"'
    if isinstance(node, Cell):
        spans = (("colspan", node.colspan), ("rowspan", node.rowspan))
        return "".join(f' {name}="{span}"' for name, span in spans if span > 1)
    return ""
