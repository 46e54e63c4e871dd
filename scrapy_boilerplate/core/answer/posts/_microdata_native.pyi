"""What the elements of a page say in microdata that they are, read over libxml2's nodes."""

from lxml import etree

def items(root: etree._Element) -> list[tuple[int, str, str]]:
    """Return place, ``itemprop`` and ``itemtype`` of each element below *root* that has one."""
