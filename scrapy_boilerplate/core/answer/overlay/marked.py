"""A page as harmless HTML in which each visible text is marked."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from html import escape

from lxml import etree

from scrapy_boilerplate.core.answer.overlay.harmless import VOID, attributes, shown_as
from scrapy_boilerplate.core.page import Page
from scrapy_boilerplate.core.page.lenient import attribute_of, tail_of, text_of

POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; form-action 'none'"
"""The content security policy of a page that is shown: nothing runs, nothing is loaded."""

Marks = Callable[[int], str]
"""Returns the attributes of the mark around a text node, written; ``""`` for none."""

_END_OF_STYLE = re.compile(r"<(?=[/!])")  # no page needs them in a style sheet
_MOST_STYLE = 2_000_000  # characters of all style sheets together


def marked_page(page: Page, marks: Marks, *, style: str = "") -> str:
    """Return *page* as an HTML document with a ``b-t`` element around each visible text node.

    *marks* gives the attributes of each, by its number. Scripts, forms, addresses and event
    handlers are left out; the page's own style sheets stay, and *style* follows them. The document
    carries :data:`POLICY`; show it in a sandboxed frame without scripts all the same.

    >>> page = Page.parse("<p onclick=run()>One <a href=/x>link</a><script>run()</script>")
    >>> print(marked_page(page, lambda text: f' data-t="{text}"').partition("<body")[2])
    ><p><b-t data-t="0">One </b-t><a><b-t data-t="1">link</b-t></a></p></body></html>
    """
    return "".join(_MarkedWriter(page, marks).pieces(style))


class _MarkedWriter:
    """Writes a tree, text node by text node."""

    def __init__(self, page: Page, marks: Marks) -> None:
        self._root, self._marks = page.root, marks
        owners = page.ordinal[page.text_parent].tolist()
        self._numbers = {
            place: number
            for number, place in enumerate(zip(owners, page.text_ordinal.tolist(), strict=True))
        }
        self._open: list[tuple[int, str | None]] = []  # ordinal and name of each open element
        self._texts: list[int] = []  # text nodes seen so far, of each open element
        self._seen = 0
        self._shows_noscript = bool(page.has_tag(("noscript",)).any())

    def pieces(self, style: str) -> Iterator[str]:
        language = attribute_of(self._root, "lang")
        direction = attribute_of(self._root, "dir")
        named = "".join(
            f' {name}="{escape(value)}"'
            for name, value in (("lang", language), ("dir", direction))
            if value
        )
        yield f'<!DOCTYPE html><html{named}><head><meta charset="utf-8">'
        yield f'<meta http-equiv="Content-Security-Policy" content="{escape(POLICY)}">'
        yield f"<style>{_style_sheets(self._root)}</style><style>{style}</style></head>"
        body = next(self._root.iter("body"), None)
        yield f"<body{''.join(attributes(body, 'body')) if body is not None else ''}>"
        for event, node in etree.iterwalk(self._root, events=("start", "end", "comment", "pi")):
            if event == "start":
                yield from self._start(node)
            else:
                if event == "end":
                    yield self._end()
                yield from self._tail(node)
        yield "</body></html>"

    def _start(self, node: etree._Element) -> Iterator[str]:
        local = node.tag.rpartition("}")[2].lower()
        name = shown_as(local)
        is_inside_hidden = self._open and self._open[-1][1] is None
        if is_inside_hidden or (local == "noscript" and not self._shows_noscript):
            name = None
        self._open.append((self._seen, name))
        self._texts.append(0)
        self._seen += 1
        if name:
            yield f"<{name}{''.join(attributes(node, name))}>"
            if name == "img":
                return
        yield from self._text(text_of(node))

    def _end(self) -> str:
        _, name = self._open.pop()
        self._texts.pop()
        return f"</{name}>" if name and name not in VOID else ""

    def _tail(self, node: etree._Element) -> Iterator[str]:
        if self._open:
            yield from self._text(tail_of(node))

    def _text(self, text: str | None) -> Iterator[str]:
        if not text:
            return
        self._texts[-1] += 1
        ordinal, name = self._open[-1]
        number = self._numbers.get((ordinal, self._texts[-1]))
        if number is not None:
            yield f"<b-t{self._marks(number)}>{escape(text, quote=False)}</b-t>"
        elif name is not None:
            yield escape(text, quote=False)


def _style_sheets(root: etree._Element) -> str:
    """Return the page's own style sheets, without what could end the element."""
    sheets, size = [], 0
    for node in root.iter("style"):
        text = text_of(node) or ""
        size += len(text)
        if size > _MOST_STYLE:
            break
        sheets.append(_END_OF_STYLE.sub("", text))
    return "\n".join(sheets)
