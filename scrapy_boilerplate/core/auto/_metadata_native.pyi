"""The ``meta`` elements and JSON-LD of a tree, read over libxml2's nodes."""

from lxml import etree

def declarations(root: etree._Element, count: int) -> list[tuple[str, str]]: ...
