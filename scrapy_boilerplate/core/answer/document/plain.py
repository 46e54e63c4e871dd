"""A document of plain text, for methods that give no more."""

from __future__ import annotations

from scrapy_boilerplate.core.answer.document.nodes import Document, LineBreak, Node, Paragraph, Text


def from_text(text: str) -> Document:
    r"""Return a document of the paragraphs of *text*, which blank lines separate.

    >>> [type(node).__name__ for node in from_text("One.\nTwo.\n\nThree.").nodes]
    ['Paragraph', 'Text', 'LineBreak', 'Text', 'Paragraph', 'Text']
    """
    nodes: list[Node] = []
    ends: list[int] = []
    for paragraph in text.split("\n\n"):
        lines = [" ".join(line.split()) for line in paragraph.split("\n") if line.strip()]
        if not lines:
            continue
        begin = len(nodes)
        nodes.append(Paragraph())
        for number, line in enumerate(lines):
            nodes += [LineBreak(), Text(line)] if number else [Text(line)]
        ends += [len(nodes), *range(begin + 2, len(nodes) + 1)]
    return Document(tuple(nodes), tuple(ends), ("",) * len(nodes))
