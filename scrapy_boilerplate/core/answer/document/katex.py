"""The formulas that KaTeX has drawn, as MathML."""

from __future__ import annotations

import re
from collections.abc import Iterable

from lxml import etree

_NOTHING = frozenset(
    "katex-html strut pstrut mspace vlist-s nulldelimiter frac-line hide-tail root".split()
)
_SIGNS = frozenset("mbin mrel mopen mclose mpunct delimsizing".split())
_STACKS = {"mfrac": "mfrac", "sqrt": "msqrt", "op-limits": "munder", "msupsub": "m"}
_LENGTH = re.compile(r"(?:top|height):\s{0,3}(-?\d{1,5}(?:\.\d{0,9})?)em")
_DEEPEST = 60


def mathml_of_katex(node: etree._Element) -> etree._Element:
    """Return the MathML of what stands in ``katex-html``."""
    math = etree.Element("math")
    _read(node, math, 0)
    return math


def _read(parts: Iterable[etree._Element], holder: etree._Element, depth: int) -> None:
    for part in parts:
        classes = (part.get("class") or "").split()
        name = next((_STACKS[each] for each in classes if each in _STACKS), "")
        text = (part.text or "").replace("\u200b", "").strip()
        if (
            depth > _DEEPEST
            or not _NOTHING.isdisjoint(classes)
            or (name == "m" and not len(holder))
        ):
            continue
        if name:
            _stack(name, _shelves(part), holder, depth)
        elif len(part):
            _read(part, etree.SubElement(holder, "mrow"), depth + 1)
        elif text:
            is_sign = not text.isalnum() or not _SIGNS.isdisjoint(classes)
            name = "mo" if is_sign else "mn" if text.isdecimal() else "mi"
            etree.SubElement(holder, "mtext" if "text" in classes else name).text = text


def _stack(
    name: str, shelves: list[tuple[float, etree._Element]], holder: etree._Element, depth: int
) -> None:
    """Add what stands above each other, from the top in *shelves*, in MathML's order."""
    above = [shelf for top, shelf in shelves if top < 0]
    below = [shelf for top, shelf in shelves if top >= 0]
    order = [shelf for _, shelf in shelves]
    if name == "m":
        name += "sub" * bool(below) + "sup" * bool(above)
        order = [*below[:1], *above[:1]]
    elif name == "munder" and len(order) > 2:
        name, order = "munderover", [*order[1:], *order[:1]]
    base = holder[-1] if name.startswith("msu") else None
    made = etree.SubElement(holder, name)
    if base is not None:
        made.append(base)
    for shelf in order:
        _read(shelf, etree.SubElement(made, "mrow"), depth + 1)


def _shelves(node: etree._Element) -> list[tuple[float, etree._Element]]:
    """Return the parts with text from the top, each after its place, negative above the line."""
    inside = (each for child in node if child.get("class") != "root" for each in child.iter("*"))
    found = []
    for shelf in next((each for each in inside if each.get("class") == "vlist"), ()):
        if any(text.strip("\u200b \n\t") for text in shelf.itertext()):
            styles = (each.get("style") or "" for each in (shelf, *shelf[:1]))
            lengths = [_LENGTH.search(style) for style in styles]
            found.append((sum(float(each[1]) for each in lengths if each), shelf))
    return sorted(found, key=lambda each: each[0])
