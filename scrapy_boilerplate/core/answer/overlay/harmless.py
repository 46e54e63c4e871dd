"""Elements and attributes that are safe to show: those that neither run nor load anything."""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import escape

from lxml import etree

from scrapy_boilerplate.core.page.lenient import attribute_of

_SHOWN = frozenset(
    "a abbr acronym address article aside b bdi bdo big blockquote br caption center cite code "
    "col colgroup data dd del details dfn dir div dl dt em fieldset figcaption figure font footer "
    "h1 h2 h3 h4 h5 h6 header hgroup hr i img ins kbd label li main mark menu nav ol p pre q rp "
    "rt ruby s samp search section small span strike strong sub summary sup table tbody td tfoot "
    "th thead time tr tt u ul var wbr".split()
)
"""Elements that are shown as they are."""

_AS: dict[str, str] = {
    **dict.fromkeys("html body".split(), ""),
    **dict.fromkeys("form dialog frameset frame noscript noembed noframes marquee".split(), "div"),
    **dict.fromkeys("optgroup option select textarea legend".split(), "div"),
    **dict.fromkeys("listing xmp plaintext".split(), "pre"),
}
"""What other elements are shown as; no tag of ``html`` and ``body``."""

_CUSTOM = re.compile(r"[a-z][a-z0-9]*-[a-z0-9-]*\Z")
_HIDDEN = frozenset(
    "applet audio base canvas embed head iframe input link meta object param portal script source "
    "style svg template title track video".split()
)
_FIT = ("id", "class", "dir", "lang", "align", "valign", "colspan", "rowspan", "width", "height")
_OF = {"img": ("alt",), "ol": ("start", "type", "reversed"), "li": ("value",), "font": ("color",)}
_ATTRIBUTES = {name: (*_FIT, "style", *_OF.get(name, ())) for name in ("", *_OF)}
_LONGEST = 10_000  # characters of an attribute

VOID = frozenset("br col hr img wbr".split())
"""Shown elements that have no end tag."""


def shown_as(name: str) -> str | None:
    """Return the element that an element is shown as; ``""`` for none, ``None`` with its text.

    >>> shown_as("p"), shown_as("form"), shown_as("x-ad"), shown_as("odd"), shown_as("script")
    ('p', 'div', 'x-ad', 'span', None)
    """
    if name in _SHOWN:
        return name
    if name in _HIDDEN:
        return None
    if name == "b-t":  # the element of our own marks
        return "span"
    known = _AS.get(name)
    if known is not None:
        return known
    return name if _CUSTOM.match(name) else "span"


def attributes(node: etree._Element, name: str) -> Iterator[str]:
    """Yield the harmless attributes of an element that is shown as *name*, written."""
    for each in _ATTRIBUTES.get(name, _ATTRIBUTES[""]):
        value = attribute_of(node, each)
        if value is not None and len(value) <= _LONGEST:
            yield f' {each}="{escape(value)}"'
    if name == "details":
        yield " open"  # its text counts, so it is shown
