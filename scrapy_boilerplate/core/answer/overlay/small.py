"""The overlay as a notebook shows it: small, without scripts."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape
from typing import NamedTuple

from scrapy_boilerplate.core.answer.overlay.colours import STYLE, kind_of
from scrapy_boilerplate.core.answer.overlay.marked import marked_page
from scrapy_boilerplate.core.page import Page

MOST_CHARACTERS = 2_000_000
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
    """Return the page in a frame in which nothing runs, with marks; what is not *marked* was left.

    >>> page = Page.parse("<p>One two")
    >>> 'sandbox=""' in small_overlay(page, [Marked(0, 1, True)], "1 block")
    True
    """
    attributes = [f' class="{kind_of("boilerplate", False)}"'] * page.text_at.size
    for start, stop, kept, role, note in marked:
        title = f' title="{escape(note)}"' if note else ""
        written = f' class="{kind_of(role, kept)}"{title}'
        attributes[start:stop] = [written] * (stop - start)
    return framed(marked_page(page, attributes.__getitem__, style=STYLE), caption)


def framed(document: str, caption: str) -> str:
    """Return a document in a sandboxed frame under a caption."""
    if len(document) > MOST_CHARACTERS:
        return f"<p>{escape(caption)}; the page is too large to be shown</p>"
    return (
        f'<figure style="margin:0"><figcaption>{escape(caption)}</figcaption>'
        f'<iframe sandbox="" srcdoc="{escape(document)}" title="{escape(caption)}" '
        'style="width:100%;height:28em;border:1px solid #8888;background:#fff"></iframe></figure>'
    )


def shortened(text: str, most: int) -> str:
    """Return *text* on one line, cut at *most* characters.

    >>> shortened("One  two three", 8)
    'One two…'
    """
    line = " ".join(text[: 4 * most].split())
    return line if len(line) <= most else f"{line[: most - 1].rstrip()}…"
