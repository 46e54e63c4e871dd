"""The walk of :mod:`scrapy_boilerplate.core.page.walk` over libxml2's nodes."""

from collections.abc import Collection

from lxml import etree

from scrapy_boilerplate.core.page.walk import Walk

def walk(root: etree._Element, invisible: Collection[str] = ...) -> Walk:
    """Read the tree below *root* in one iterative pass; the tree stays as it is."""
