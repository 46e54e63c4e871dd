"""Texts and attributes of a tree, also where lxml cannot decode them, or does not take their names.

An XML parser that recovers from errors keeps ``&#xd800;`` as a lone surrogate; lxml raises at it.
HTML parsers keep control characters in the names of attributes; lxml lists them, but finds none.
"""

from __future__ import annotations

import re

from lxml import etree

_SURROGATE = re.compile("[\ud800-\udfff]")


def text_of(node: etree._Element) -> str | None:
    """Return the text at the beginning of a node, U+FFFD for each lone surrogate."""
    return _lenient(node, "text")


def tail_of(node: etree._Element) -> str | None:
    """Return the text after a node, U+FFFD for each lone surrogate."""
    return _lenient(node, "tail")


def _lenient(node: etree._Element, name: str) -> str | None:
    try:
        return getattr(node, name)
    except UnicodeDecodeError as error:
        return repaired(error.object)


def attribute_of(node: etree._Element, name: str) -> str | None:
    """Return an attribute of a node, U+FFFD for each lone surrogate; ``None`` if it is missing."""
    try:
        return node.get(name)
    except UnicodeDecodeError as error:
        return repaired(error.object)
    except ValueError:
        return None


def repaired(text: bytes) -> str:
    """Return a text of libxml2 that is not UTF-8, as the HTML parser reads such characters."""
    return _SURROGATE.sub("\ufffd", text.decode("utf-8", "surrogatepass"))
