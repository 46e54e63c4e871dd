"""The ``meta`` elements and JSON-LD of a tree, read over libxml2's nodes."""

from lxml import etree

def declarations(root: etree._Element, count: int) -> list[tuple[str, str]]:
    """Return name and content of each ``meta`` among *count* elements from *root* on."""
