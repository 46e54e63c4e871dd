"""Levels of items that no list inside of another shows: of editors, of documents saved as pages."""

from __future__ import annotations

import re

from lxml import etree

from scrapy_boilerplate.core.answer.document.nodes import List
from scrapy_boilerplate.core.page.lenient import attribute_of
from scrapy_boilerplate.core.page.screen_only import MARK_OF_WORD
from scrapy_boilerplate.core.page.tags import LISTS

MAY_LEVEL = ("lst-kix", "ql-indent", "default-depth", "msolist")
"""A part of each class that says a level: of Google Docs, Quill, Draft and Word."""
_LEVEL = re.compile(r"(?i)(?:lst-kix_\w+-|ql-indent-|default-depth)(\d)|msolistparagraph")
_OF_STYLE = re.compile(
    r"(?i)mso-list:\s*l\d+\s+level(\d)|margin-left:\s*(\d+(?:\.\d+)?|\.\d+)(pt|in|cm)"
)
_INDENTS = {"pt": 36, "in": 0.5, "cm": 1.27}  # of a level


def says_level(value: str) -> bool:
    """Tell whether a class says the level of an item or a list."""
    return _LEVEL.search(value) is not None


def level_of(node: etree._Element, name: str) -> tuple[int, List, bool] | None:
    """Return the level of a list or an item, its list, and whether it is an item."""
    found = _LEVEL.search(attribute_of(node, "class") or "")
    if found is None:
        return None
    if name in LISTS or name == "li":
        around = node if name != "li" else node.getparent()
        is_ordered = around is not None and around.tag == "ol"
        level = next(filter(None, found.groups()), "")
        return (int(level), List(is_ordered), name == "li") if level else None
    if found[1] or name != "p":
        return None
    said = {match.lastindex: match for match in _OF_STYLE.finditer(node.get("style") or "")}
    level = 1
    if 1 in said:
        level = int(said[1][1])
    elif 3 in said:
        level = round(float(said[3][2]) / _INDENTS[said[3][3].lower()])
    mark = next(filter(str.strip, node.itertext("*")), "").strip()
    is_marked = MARK_OF_WORD.fullmatch(mark) is not None
    if not (is_marked or 1 in said):
        return None  # Word's style for lists says nothing by itself
    return max(level - 1, 0), List(is_marked and mark[-1] in ".)"), True
