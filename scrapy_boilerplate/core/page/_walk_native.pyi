"""The walk of :mod:`scrapy_boilerplate.core.page.walk` over libxml2's nodes."""

from collections.abc import Collection

from lxml import etree

from scrapy_boilerplate.core.page.walk import Walk

COMPILED_AGAINST: str
"""Version of lxml whose headers this module was compiled with."""

def walk(root: etree._Element, invisible: Collection[str] = ...) -> Walk:
    """Read the tree below *root* in one iterative pass; the tree stays as it is."""
