"""The walk of :mod:`scrapy_boilerplate.core.page.walk` over libxml2's nodes."""

from collections.abc import Collection

from lxml import etree

from scrapy_boilerplate.core.page.walk import Walk

def walk(root: etree._Element, invisible: Collection[str] = ...) -> Walk:
    """Read the tree below *root* in one iterative pass; the tree stays as it is."""

def nodes_at(root: etree._Element, ordinals: list[int]) -> list[etree._Element]:
    """Return the elements that stand at ascending *ordinals* below *root*, counted as by the walk.

    Only they become Python objects. Raises :exc:`IndexError` if there are fewer.
    """

def nodes_with(root: etree._Element, names: list[bytes]) -> list[tuple[int, etree._Element]]:
    """Return the elements in *root* that have one of these attributes, each after its ordinal.

    The names are bytes. Only these elements become Python objects.
    """
