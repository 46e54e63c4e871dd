"""Texts and attributes of a tree, also where lxml cannot decode them.

An XML parser that recovers from errors keeps ``&#xd800;`` as a lone surrogate; lxml raises at it.
"""

from __future__ import annotations

import re

from lxml import etree

__all__ = ["attribute_of", "tail_of", "text_of"]

_SURROGATE = re.compile("[\ud800-\udfff]")


def text_of(node: etree._Element) -> str | None:
    """Return the text at the beginning of a node, U+FFFD for each lone surrogate."""
    try:
        text: str | None = node.text
    except UnicodeDecodeError as error:
        return _repaired(error)
    return text


def tail_of(node: etree._Element) -> str | None:
    """Return the text after a node, U+FFFD for each lone surrogate."""
    try:
        tail: str | None = node.tail
    except UnicodeDecodeError as error:
        return _repaired(error)
    return tail


def attribute_of(node: etree._Element, name: str) -> str | None:
    """Return an attribute of a node, U+FFFD for each lone surrogate; ``None`` if it is missing."""
    try:
        value: str | None = node.get(name)
    except UnicodeDecodeError as error:
        return _repaired(error)
    return value


def _repaired(error: UnicodeDecodeError) -> str:
    """Return what could not be decoded, as the HTML parser reads such characters."""
    return _SURROGATE.sub("\ufffd", error.object.decode("utf-8", "surrogatepass"))
