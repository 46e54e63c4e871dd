"""The formulas that KaTeX has drawn, as MathML."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import NamedTuple

from lxml import etree

_NOTHING = frozenset("strut pstrut mspace vlist-s nulldelimiter frac-line hide-tail root".split())
_SIGNS = frozenset("mbin mrel mopen mclose mpunct delimsizing".split())
_TOP, _HEIGHT = (re.compile(rf"{name}:\s{{0,3}}(-?[\d.]{{1,9}})em") for name in ("top", "height"))
_DEEPEST = 60


class _Shelf(NamedTuple):
    """One of the parts that stand above each other."""

    top: float
    """Its place below the line; negative above it."""
    parts: list[etree._Element]


def mathml_of_katex(node: etree._Element) -> etree._Element:
    """Return the MathML of what stands in ``katex-html``.

    >>> two = "<i style='top:-3em'><i class='pstrut' style='height:2.7em'/><i>2</i></i>"
    >>> page = f"<b><b><i>x</i><b class='msupsub'><i class='vlist'>{two}</i></b></b></b>"
    >>> [each.tag for each in mathml_of_katex(etree.fromstring(page)).iter()]
    ['math', 'mrow', 'msup', 'mi', 'mrow', 'mn']
    """
    math = etree.Element("math")
    _read(node, math, 0)
    return math


def _read(parts: Iterable[etree._Element], holder: etree._Element, depth: int) -> None:
    for part in parts:
        classes = set((part.get("class") or "").split())
        if classes & _NOTHING or depth > _DEEPEST:
            continue
        if "msupsub" in classes and len(holder):
            shelves = _shelves(part)
            above = [each for each in shelves if each.top < 0]
            below = [each for each in shelves if each.top >= 0]
            name = "m" + "sub" * bool(below) + "sup" * bool(above)
            base = holder[-1]
            scripts = etree.SubElement(holder, name)
            scripts.append(base)
            _read_shelves([*below[:1], *above[:1]], scripts, depth)
        elif "mfrac" in classes:
            _read_shelves(_shelves(part), etree.SubElement(holder, "mfrac"), depth)
        elif "sqrt" in classes:
            _read_shelves(_shelves(part)[:1], etree.SubElement(holder, "msqrt"), depth)
        elif "op-limits" in classes:
            shelves = _shelves(part)
            name = "munderover" if len(shelves) > 2 else "munder"
            shelves = [*shelves[1:], *shelves[:1]] if len(shelves) > 2 else shelves
            _read_shelves(shelves, etree.SubElement(holder, name), depth)
        elif len(part):
            _read(part, etree.SubElement(holder, "mrow"), depth + 1)
        elif text := (part.text or "").replace("\u200b", "").strip():
            is_sign = classes & _SIGNS or not text.isalnum()
            name = "mo" if is_sign else "mn" if text.isdecimal() else "mi"
            etree.SubElement(holder, "mtext" if "text" in classes else name).text = text


def _shelves(node: etree._Element) -> list[_Shelf]:
    """Return the parts with text that stand above each other in an element, from the top."""
    lists = (each for each in node.iter("*") if each.get("class") == "vlist")
    found = []
    for shelf in next((each for each in lists if _says(each) and not _is_root(each)), ()):
        heights = [_HEIGHT.search(child.get("style") or "") for child in shelf[:1]]
        top = _TOP.search(shelf.get("style") or "")
        if top and _says(shelf):
            height = float(heights[0][1]) if heights and heights[0] else 0.0
            found.append(_Shelf(float(top[1]) + height, list(shelf)))
    return sorted(found, key=lambda each: each.top)


def _read_shelves(shelves: list[_Shelf], holder: etree._Element, depth: int) -> None:
    for shelf in shelves:
        _read(shelf.parts, etree.SubElement(holder, "mrow"), depth + 1)


def _says(node: etree._Element) -> bool:
    return any(text.strip("\u200b \n\t") for text in node.itertext())


def _is_root(node: etree._Element) -> bool:
    """Tell whether an element is of the degree of a root."""
    return any(each.get("class") == "root" for each in node.iterancestors())
