"""Preformatted text: the code as it was typed, and its language."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from itertools import islice
from textwrap import dedent

from lxml import etree

from scrapy_boilerplate.core.page._walk_native import one_text
from scrapy_boilerplate.core.page.code_languages import LANGUAGES, NO_LANGUAGES
from scrapy_boilerplate.core.page.lenient import attribute_of
from scrapy_boilerplate.core.page.tags import BLOCK_LEVEL, PREFORMATTED, is_line_style

_PREFIXED = re.compile(
    r"(?:^|[\s;])(?:language|lang|(?:mw-)?highlight(?:-lang|-source|-text)?|src|source|type|lexer|brush|hl)"
    r"[-:]\s*([\w+#.]+(?:-[\w+#.]+)*)"
)
"""Classes that name a language: ``language-js``, ``highlight-source-js``, ``brush: js``."""
_SURE_CLASS = re.compile(r"[\s;]*(?:lang(?:uage)?[-:]|brush:)")
_HIGHLIGHTED = re.compile(
    r"(?i)code|src|hljs|rouge|chroma|shiki|prettyprint|prism|listing|^highlight(?:er|ed)?$|syntax"
)
"""What stands beside a language that is a class by itself: ``highlight ruby``."""
_AMBIGUOUS = frozenset(
    "atom basic blade box clean conf console dos ex git go http ini io less make moon patch "
    "processing properties red regex rest scheme stylus swift text twig vala".split()
)
"""Names of languages that as classes may mean something else."""
_IN_LANG = LANGUAGES - frozenset("cs ml pl ps tt".split())
"""Names that are no codes of human languages."""
_NAMING = re.compile(r"(?:^|-)lang(?:uage)?$|^data-code-wrap$")
_HIDDEN = frozenset("script style template noscript button svg".split())
_BREAKING = frozenset(name.encode() for name in (*_HIDDEN, *BLOCK_LEVEL, "br"))


def code_language(elements: Iterable[etree._Element]) -> str:
    """Return the language that code or the first of the *elements* around it names."""
    for element in elements:
        for name in element.attrib:
            if name != "class" and (name == "lang" or _NAMING.search(name)):
                found = (attribute_of(element, name) or "")[:40].strip().lower()
                if found in _IN_LANG if name == "lang" else found:
                    return "" if found in NO_LANGUAGES else found
        for name in ("class", "data-syntaxhighlighter-params"):
            if found := _of_class((attribute_of(element, name) or "")[:400]):
                return "" if found in NO_LANGUAGES else found
    return ""


def _of_class(value: str) -> str:
    """Return the language that a ``class`` attribute names, lower case."""
    for match in _PREFIXED.finditer(value):
        found = match[1].lower()
        if _SURE_CLASS.match(match[0]) or found in LANGUAGES or found in NO_LANGUAGES:
            return found
        beginning = found.partition("-")[0]
        if beginning in LANGUAGES:
            return beginning
    words = value.split()
    named = [word.lower() for word in words if word.lower() in LANGUAGES]
    is_sure = any(_HIGHLIGHTED.search(word) for word in words if word.lower() not in LANGUAGES)
    return next((name for name in named if is_sure or name not in _AMBIGUOUS), "")


LINE_CLASS = re.compile(r"(?:^|[\s-])line(?:$|\s)")
_LINES_OF_CODE = re.compile(r"(?i)code|syntax|crayon|highlight|fragment|editor|monaco")

CODE_CLASS = re.compile(
    r"(?i)(?<![^\W_])(?:code|source|highlight|listing|diff|syntax|hljs)(?![^\W_])"
)


def _is_line(node: etree._Element | None) -> bool:
    return node is not None and LINE_CLASS.search(attribute_of(node, "class") or "") is not None


def is_lines_of_code(node: etree._Element) -> bool:
    """Return whether each child is a line by its class, and what is around it is named as code."""
    if not len(node) or not all(map(_is_line, node)):
        return False
    around = [node, *islice(node.iterancestors(), 4)]
    return any(_LINES_OF_CODE.search(attribute_of(each, "class") or "") for each in around)


def read_code(node: etree._Element, without: Collection[etree._Element] = ()) -> str:
    """Return the text of a ``pre`` element with its white space, less that of some elements."""
    # A line is what the page shows as one: ``br`` or an element of its own line ends it, unless the
    # text has a line feed there.
    is_division = node.tag == "div"  # which shows nothing of what stands between its lines
    if not (is_division or without) and (text := one_text(node, _BREAKING)) is not None:
        return _without_ends(text)  # of most: a walk takes several times as long
    pieces: list[str] = []
    is_fresh = True  # whether the line is empty so far
    open_lines: list[etree._Element] = []

    def add(text: str | None) -> None:
        nonlocal is_fresh
        if text:
            pieces.append(text)
            is_fresh = text.endswith("\n")

    def end_line() -> None:
        if not is_fresh:
            add("\n")

    walk = etree.iterwalk(node, events=("start", "end", "comment", "pi"))
    for event, element in walk:
        name = element.tag if isinstance(element.tag, str) else ""
        if event == "start":
            if name == "br":
                add("\n")
            is_line = name in BLOCK_LEVEL or is_line_style(element.get("style") or "")
            if is_line and element is not node:
                end_line()
                open_lines.append(element)
            if name in _HIDDEN or element in without:
                walk.skip_subtree()
            elif name:
                add(element.text)
            continue
        if open_lines and open_lines[-1] is element:
            open_lines.pop()
            end_line()
        elif not element.tail and _is_line(element) and _is_line(element.getnext()):
            end_line()
        if element is not node and not (element.getparent() is node and is_division):
            is_typed = name != "br" or node.tag in PREFORMATTED  # else one end of line, not two
            add(element.tail if is_typed else (element.tail or "").lstrip("\r\n"))
    code = _without_ends("".join(pieces))
    return dedent(code) if is_division and len(node) > 1 else code


def _without_ends(code: str) -> str:
    code = code.replace("\xa0", " ")  # which no compiler reads
    code = code.strip("\r\n").replace("\r\n", "\n").replace("\r", "\n")
    end = code.rstrip(" \t\n")  # templates indent the end of the element
    return end if "\n" in code[len(end) :] else code
