"""The selectors that a person writes in a site's rule: CSS, or XPath."""

from __future__ import annotations

import numpy as np
from cssselect import HTMLTranslator, SelectorError
from lxml import etree

from scrapy_boilerplate.core.caching import remember
from scrapy_boilerplate.core.page import Page
from scrapy_boilerplate.core.page.arrays import Int

_MOST_NODES = 1000  # elements that a selector of a rule may find on a page
_SAMPLE = etree.fromstring("<html><body><div><p><a/></p></div></body></html>")


@remember(4 << 20, answer=8000)
def compile_selector(selector: str) -> etree.XPath:
    """Return a CSS selector, or an XPath that starts with ``/`` or ``(``, ready to be run.

    Raises :exc:`ValueError` for one that cannot be read.
    """
    try:
        path = selector if selector[:1] in ("/", "(") else HTMLTranslator().css_to_xpath(selector)
        compiled = etree.XPath(path)
        compiled(_SAMPLE)  # only now it says that a prefix or a function is not known
        return compiled
    except (SelectorError, etree.XPathError) as error:
        raise ValueError(f"{selector!r} is not a CSS selector or XPath: {error}") from error


def find_nodes(page: Page, selector: str) -> Int:
    """Return the elements of a page that a selector selects, as indices in document order.

    Those that no reader sees, such as ``script``, have no index. At most 1 000 are looked at.
    Raises :exc:`ValueError` for a selector that cannot be read.
    """
    try:
        nodes = compile_selector(selector)(page.root)
    except etree.XPathEvalError as error:
        raise ValueError(f"the XPath {selector!r} cannot be evaluated: {error}") from error
    if not isinstance(nodes, list):
        raise ValueError(f"the XPath {selector!r} selects no elements")
    return _indices(
        page, [node for node in nodes if isinstance(node, etree._Element)][:_MOST_NODES]
    )


def _indices(page: Page, nodes: list[etree._Element]) -> Int:
    """Return the indices of those of *nodes* that the page holds.

    An element is told by its parent's index and its position among its parent's children. Each
    parent's children are counted once, so that the time is linear in the nodes of the tree.
    """
    if not nodes or not page.tag.size:
        return np.zeros(0, dtype=np.int64)
    wanted = _by_parent(nodes, page.root)
    order = np.argsort(page.parent, kind="stable")
    parents, positions = page.parent[order], page.position[order]
    index: dict[etree._Element, int] = {page.root: 0}
    open_nodes = [page.root]
    while open_nodes:
        parent = open_nodes.pop()
        children = wanted.pop(parent, None)
        if children is None:
            continue
        first, last = np.searchsorted(parents, [index[parent], index[parent] + 1]).tolist()
        own = positions[first:last]  # they ascend
        for position, child in enumerate(parent.iterchildren("*"), start=1):
            if child in children:
                at = int(np.searchsorted(own, position))
                if at < own.size and own[at] == position:
                    index[child] = int(order[first + at])
                    open_nodes.append(child)
    return np.array(sorted(index[node] for node in nodes if node in index), dtype=np.int64)


def _by_parent(
    nodes: list[etree._Element], root: etree._Element
) -> dict[etree._Element, set[etree._Element]]:
    """Return *nodes* and all their ancestors below *root*, by parent."""
    found: dict[etree._Element, set[etree._Element]] = {}
    for node in nodes:
        above = node.getparent()
        while node is not root and above is not None:
            children = found.setdefault(above, set())
            if node in children:
                break
            children.add(node)
            node, above = above, above.getparent()
    return found
