"""A document as Markdown: CommonMark with the tables and strikethrough of GFM."""

from __future__ import annotations

from scrapy_boilerplate.core.answer.document.nodes import Document
from scrapy_boilerplate.core.answer.output._markdown_native import MarkdownWriter


def markdown(document: Document) -> str:
    r"""Return a document as Markdown.

    Everything that Markdown would read as markup is escaped. A table without a header gets an empty
    one, since GFM has no other. Formulas stand between dollar signs, notes are ``[^1]``, and
    ``sub``, ``sup``, ``ins`` and ``mark`` are written as HTML, which CommonMark allows.

    >>> from scrapy_boilerplate import extract
    >>> page = "<h1>One *title*</h1><ul><li>First item<li>Second item</ul>"
    >>> extract(page, extractor="mss", tag_score=0.0).markdown
    '# One \\*title\\*\n\n- First item\n- Second item\n'
    """
    return MarkdownWriter(document).write()
