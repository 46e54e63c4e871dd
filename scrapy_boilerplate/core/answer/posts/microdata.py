"""Types of elements by their microdata."""

from __future__ import annotations

from collections.abc import Iterator

from lxml import etree

from scrapy_boilerplate.core.page import Page
from scrapy_boilerplate.core.page.lenient import attribute_of

_ANY = etree.XPath("boolean(.//@itemprop | .//@itemtype)")


def read_items(page: Page) -> Iterator[tuple[int, str, str]]:
    """Yield place, ``itemprop`` and ``itemtype`` of each element below the root that has one.

    The place is that among all elements of the tree, of which the root has 0.
    """
    if not _ANY(page.root):  # one search in libxml2, where Python would look at each element
        return
    for place, node in enumerate(page.root.iter(etree.Element)):
        found = attribute_of(node, "itemprop") or "", attribute_of(node, "itemtype") or ""
        if place and any(found):
            yield place, *found
