"""What the elements of a page say in microdata that they are."""

from __future__ import annotations

from collections.abc import Iterable

from lxml import etree

from scrapy_boilerplate.core.native import native_or
from scrapy_boilerplate.core.page import Page
from scrapy_boilerplate.core.page.lenient import attribute_of

__all__ = ["items", "read_items"]


def items(root: etree._Element) -> Iterable[tuple[int, str, str]]:
    """Yield place, ``itemprop`` and ``itemtype`` of each element below *root* that has one.

    The place is that among all elements, of which *root* has 0.
    """
    for place, node in enumerate(root.iter(etree.Element)):
        found = attribute_of(node, "itemprop") or "", attribute_of(node, "itemtype") or ""
        if place and any(found):
            yield place, *found


_items = native_or(items, "core.answer.posts._microdata_native", "items")


def read_items(page: Page) -> Iterable[tuple[int, str, str]]:
    """Return what :func:`items` says of a page, by the number of the element in the tree."""
    try:
        return _items(page.root)
    except UnicodeDecodeError:  # the compiled one knows no lone surrogates
        return items(page.root)
