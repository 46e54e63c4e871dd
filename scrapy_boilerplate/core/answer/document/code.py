"""Preformatted text: the code as it was typed, without line numbers, and its language."""

from __future__ import annotations

import re
from itertools import islice

from lxml import etree

from scrapy_boilerplate.core.page.tags import BLOCK_LEVEL, is_line_style

_LANGUAGE = re.compile(r"(?:^|\s)(?:language|lang|highlight-source|brush:\s*|source)-?([\w+#.-]+)")
_NOT_LANGUAGES = frozenset("none plain plaintext text txt nohighlight".split())
_HIDDEN = frozenset("script style template noscript button svg".split())


def _is_gutter(text: str) -> bool:
    r"""Return whether *text* is a column of line numbers: whole numbers that ascend by one.

    >>> _is_gutter("1\n2\n3\n"), _is_gutter("1\n3"), _is_gutter("7")
    (True, False, False)
    """
    lines = text.split()
    if len(lines) < 2 or not all(line.isdecimal() and len(line) < 8 for line in lines):
        return False
    first = int(lines[0])
    return all(int(line) == number for number, line in enumerate(lines, first))


def code_language(node: etree._Element) -> str:
    """Return the language that a ``pre`` element, its ``code`` or what is around it names.

    >>> code_language(etree.fromstring("<pre><code class='language-rust hljs'/></pre>"))
    'rust'
    """
    around = [node, *node.iter("code"), *islice(node.iterancestors(), 2)]
    for element in around[:4]:
        for name in ("data-lang", "data-language", "class"):
            value = (element.get(name) or "")[:200]
            found = value if name != "class" else "".join(_LANGUAGE.findall(value)[:1])
            if found and found.lower() not in _NOT_LANGUAGES:
                return found.strip().lower()
    return ""


def read_code(node: etree._Element) -> str:
    r"""Return the text of a ``pre`` element with its white space, without line numbers.

    A line is what the page shows as one: ``br`` ends it, and so does an element of its own line,
    unless the text has a line feed there already.

    >>> read_code(etree.fromstring("<pre>def f():<br/>    <b>return</b> 1</pre>"))
    'def f():\n    return 1'
    """
    pieces: list[str | None] = []  # None: a line ends here, if it is not empty
    numbers: list[int] = []  # pieces that may be numbers of lines
    at_start = True

    def add(text: str | None) -> None:
        nonlocal at_start
        if text:
            if at_start and text.strip().isdecimal():
                numbers.append(len(pieces))
            pieces.append(text)
            at_start = text.endswith("\n")

    def end_line() -> None:
        nonlocal at_start
        pieces.append(None)
        at_start = True

    open_lines: list[etree._Element] = []
    walk = etree.iterwalk(node, events=("start", "end"))
    for event, element in walk:
        name = element.tag if isinstance(element.tag, str) else ""
        if event == "start":
            if name in _HIDDEN:
                walk.skip_subtree()
                continue
            if name == "br":
                add("\n")
            is_line = name in BLOCK_LEVEL or is_line_style(element.get("style") or "")
            if is_line and element is not node:
                end_line()
                open_lines.append(element)
            if name:
                add(element.text)
            continue
        if open_lines and open_lines[-1] is element:
            open_lines.pop()
            end_line()
        if element is not node:
            add(element.tail)
    if len(numbers) > 1 and _is_gutter("\n".join(pieces[n] or "" for n in numbers)):
        for number in numbers:
            pieces[number] = ""
    return _joined(pieces).strip("\r\n").replace("\r\n", "\n").replace("\r", "\n")


def _joined(pieces: list[str | None]) -> str:
    """Return the text of *pieces*; ``None`` ends a line that holds something."""
    joined: list[str] = []
    at_start = True
    for piece in pieces:
        if piece is not None:
            joined.append(piece)
        elif not at_start:
            joined.append("\n")
        at_start = joined[-1].endswith("\n") if piece else at_start or piece is None
    return "".join(joined)
