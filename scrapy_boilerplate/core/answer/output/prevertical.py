"""Prevertical text, which corpus tools read: SpiderLing, jusText, Sketch Engine."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple
from xml.sax.saxutils import escape


class TextBlock(NamedTuple):
    """A paragraph or a heading of the main content."""

    text: str
    is_heading: bool = False
    after_gap: bool = False
    """Whether text of the page before it was left out."""


def prevertical(blocks: Iterable[TextBlock], attributes: Mapping[str, object]) -> str:
    """Return a ``doc`` element with a ``p`` element for each block."""
    named = "".join(f' {name}="{_attribute(value)}"' for name, value in attributes.items() if value)
    lines = [f"<doc{named}>"]
    for block in blocks:
        if block.after_gap:
            lines.append("<gap/>")
        lines += [f'<p heading="{block.is_heading:d}">', _text(block.text), "</p>"]
    return "\n".join([*lines, "</doc>", ""])


def _text(text: str) -> str:
    lines = (" ".join(line.split()) for line in text.splitlines())
    return escape("\n".join(filter(None, lines)))


def _attribute(value: object) -> str:
    return escape(" ".join(str(value).split()), {'"': "&quot;"})
