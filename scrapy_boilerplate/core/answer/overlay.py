"""A page shown with marks on its text: harmless HTML, in which nothing runs or loads."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from html import escape
from typing import NamedTuple

from lxml import etree

from scrapy_boilerplate.core.page import Page
from scrapy_boilerplate.core.page.lenient import attribute_of, tail_of, text_of

# -- which elements and attributes are harmless --------------------------------------------------

_SHOWN = frozenset(
    "a abbr acronym address article aside b bdi bdo big blockquote br caption center cite code "
    "col colgroup data dd del details dfn dir div dl dt em fieldset figcaption figure font footer "
    "h1 h2 h3 h4 h5 h6 header hgroup hr i img ins kbd label li main mark menu nav ol p pre q rp "
    "rt ruby s samp search section small span strike strong sub summary sup table tbody td tfoot "
    "th thead time tr tt u ul var wbr".split()
)
"""Elements that are shown as they are."""

_SOMETIMES_SHOWN = ("noscript", "template")
_AS = {
    **dict.fromkeys("html body".split(), ""),
    **dict.fromkeys("form dialog frameset frame noembed noframes marquee".split(), "div"),
    **dict.fromkeys(_SOMETIMES_SHOWN, "div"),
    **dict.fromkeys("optgroup option select textarea legend".split(), "div"),
    **dict.fromkeys("listing xmp plaintext".split(), "pre"),
    "b-t": "span",  # the element of our own marks
}
"""What other elements are shown as; no tag of ``html`` and ``body``."""

_CUSTOM = re.compile(r"[a-z][a-z0-9]*-[a-z0-9-]*\Z")
_HIDDEN = frozenset(
    "applet audio base canvas embed head iframe input link meta object param portal script source "
    "style svg title track video".split()
)
_FIT = ("id", "class", "dir", "lang", "align", "valign", "colspan", "rowspan", "width", "height")
_OF = {"img": ("alt",), "ol": ("start", "type", "reversed"), "li": ("value",), "font": ("color",)}
_LONGEST_ATTRIBUTE = 10_000  # characters of an attribute
_VOID = frozenset("br col hr img wbr".split())


def shown_as(name: str) -> str | None:
    """Return the element that an element is shown as; ``""`` for none, ``None`` with its text."""
    if name in _SHOWN:
        return name
    if name in _HIDDEN:
        return None
    return _AS.get(name, name if _CUSTOM.match(name) else "span")


def _attributes(node: etree._Element, name: str) -> str:
    """Return the harmless attributes of an element that is shown as *name*, written."""
    values = ((each, attribute_of(node, each)) for each in (*_FIT, "style", *_OF.get(name, ())))
    written = [
        f' {each}="{escape(value)}"'
        for each, value in values
        if value is not None and len(value) <= _LONGEST_ATTRIBUTE
    ]
    if name == "details":
        written.append(" open")  # its text counts, so it is shown
    return "".join(written)


# -- a page with marks ---------------------------------------------------------------------------

POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; form-action 'none'"
"""The content security policy of a page that is shown: nothing runs, nothing is loaded."""

Marks = Callable[[int], str]
"""Returns the attributes of the mark around a text node, written; ``""`` for none."""

_END_OF_STYLE = re.compile(r"<(?=[/!])")  # no page needs them in a style sheet
_MOST_STYLE = 2_000_000  # characters of all style sheets together


def marked_page(page: Page, marks: Marks, *, style: str = "") -> str:
    """Return *page* as an HTML document with a ``b-t`` element around each visible text node."""
    root = page.root
    values = ((name, attribute_of(root, name)) for name in ("lang", "dir"))
    named = "".join(f' {name}="{escape(value)}"' for name, value in values if value)
    body = next(root.iter("body"), None)
    return (
        f'<!DOCTYPE html><html{named}><head><meta charset="utf-8">'
        f'<meta http-equiv="Content-Security-Policy" content="{escape(POLICY)}">'
        f"<style>{_style_sheets(root)}</style><style>{style}</style></head>"
        f"<body{'' if body is None else _attributes(body, 'body')}>"
        f"{''.join(_MarkedWriter(page, marks).pieces())}</body></html>"
    )


class _MarkedWriter:
    """Writes a tree, text node by text node."""

    def __init__(self, page: Page, marks: Marks) -> None:
        self._root, self._marks = page.root, marks
        owners = page.ordinal[page.text_parent].tolist()
        places = zip(owners, page.text_ordinal.tolist(), strict=True)
        self._numbers = {place: number for number, place in enumerate(places)}
        self._open: list[tuple[int, str | None]] = []  # ordinal and name of each open element
        self._texts: list[int] = []  # text nodes seen so far, of each open element
        self._seen = 0
        self._shown = frozenset(page.ordinal[page.has_tag(_SOMETIMES_SHOWN)].tolist())

    def pieces(self) -> Iterator[str]:
        for event, node in etree.iterwalk(self._root, events=("start", "end", "comment", "pi")):
            if event == "start":
                yield from self._start(node)
                continue
            if event == "end":
                _, name = self._open.pop()
                self._texts.pop()
                yield f"</{name}>" if name and name not in _VOID else ""
            if self._open:
                yield self._text(tail_of(node))

    def _start(self, node: etree._Element) -> Iterator[str]:
        local = node.tag.rpartition("}")[2].lower()
        name = shown_as(local)
        is_inside_hidden = self._open and self._open[-1][1] is None
        if is_inside_hidden or (local in _SOMETIMES_SHOWN and self._seen not in self._shown):
            name = None
        self._open.append((self._seen, name))
        self._texts.append(0)
        self._seen += 1
        if name:
            yield f"<{name}{_attributes(node, name)}>"
        if name != "img":
            yield self._text(text_of(node))

    def _text(self, text: str | None) -> str:
        if not text:
            return ""
        self._texts[-1] += 1
        ordinal, name = self._open[-1]
        number = self._numbers.get((ordinal, self._texts[-1]))
        written = escape(text, quote=False)
        if number is not None:
            return f"<b-t{self._marks(number)}>{written}</b-t>"
        return "" if name is None else written


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


# -- as a notebook shows it ----------------------------------------------------------------------

COLOURS = {
    "title": "#b7d3f7",
    **dict.fromkeys(("body", "list", "table", "code"), "#bfe8c4"),
    "caption": "#b5e6e2",
    "comment": "#dcc8f2",
    "teaser": "#fbdcae",
    **dict.fromkeys(("navigation", "boilerplate"), "#e3e3e3"),
}
"""Background of a text by its role; readable under black text."""

_COLOUR_RULES = "".join(
    f"b-t.{role}{{background:{colour}!important;color:#000!important}}"
    for role, colour in COLOURS.items()
)
STYLE = (
    f"b-t{{color-scheme:light}}{_COLOUR_RULES}"
    # No opacity: thousands of layers take a browser quadratic time.
    "b-t.left{background:transparent!important;text-decoration:line-through!important;"
    "text-decoration-color:#b00!important}"
    "b-t.left.teaser,b-t.left.comment{background:#f3e6cf!important}"
)
"""Style sheet of the marks: colour says what a text is, a line through it that it was left out."""

_MOST_CHARACTERS = 2_000_000
"""Length of the largest page that is shown as a page; of a larger one the text is shown."""


class Marked(NamedTuple):
    """A run of text nodes, and what was made of it."""

    start: int
    stop: int
    kept: bool
    role: str = "body"
    note: str = ""
    """What is shown when the mouse is over it."""


def small_overlay(page: Page, marked: Iterable[Marked], caption: str) -> str:
    """Return the page in a frame in which nothing runs; what is not *marked* was left out."""
    attributes = [' class="left boilerplate"'] * page.text_at.size
    for start, stop, kept, role, note in marked:
        title = f' title="{escape(note)}"' if note else ""
        written = f' class="{"kept" if kept else "left"} {role}"{title}'
        attributes[start:stop] = [written] * (stop - start)
    document = marked_page(page, attributes.__getitem__, style=STYLE)
    if len(document) > _MOST_CHARACTERS:
        return f"<p>{escape(caption)}; the page is too large to be shown</p>"
    return (
        f'<figure style="margin:0"><figcaption>{escape(caption)}</figcaption>'
        f'<iframe sandbox="" srcdoc="{escape(document)}" title="{escape(caption)}" '
        'style="width:100%;height:28em;border:1px solid #8888;background:#fff"></iframe></figure>'
    )


def shortened(text: str, most: int) -> str:
    """Return *text* on one line, cut at *most* characters."""
    line = " ".join(text[: 4 * most].split())
    return line if len(line) <= most else f"{line[: most - 1].rstrip()}…"
