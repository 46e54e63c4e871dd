"""The selectors that a person writes in a site's rule: CSS, or XPath."""

from __future__ import annotations

from weakref import WeakKeyDictionary

import numpy as np
from cssselect import HTMLTranslator, SelectorError
from lxml import etree

from scrapy_boilerplate.core.caching import remember
from scrapy_boilerplate.core.page import Page
from scrapy_boilerplate.core.page.arrays import Int

_MOST_NODES = 1000  # elements that a selector of a rule may find on a page
_ANY_TREE = etree.fromstring("<html><body><div><p><a/></p></div></body></html>")


@remember(4 << 20, answer=8000)
def compile_selector(selector: str) -> etree.XPath:
    """Return a CSS selector, or an XPath that starts with ``/`` or ``(``, ready to be run."""
    try:
        path = selector if selector[:1] in ("/", "(") else HTMLTranslator().css_to_xpath(selector)
        compiled = etree.XPath(path)
        compiled(_ANY_TREE)  # only now it says that a prefix or a function is not known
        return compiled
    except (SelectorError, etree.XPathError, RecursionError) as error:
        raise ValueError(f"{selector!r} is not a CSS selector or XPath: {error}") from error


def find_nodes(page: Page, selector: str) -> Int:
    """Return the elements that a selector selects and a reader sees, in document order."""
    try:
        nodes = compile_selector(selector)(page.root)
    except etree.XPathEvalError as error:
        raise ValueError(f"the XPath {selector!r} cannot be evaluated: {error}") from error
    if not isinstance(nodes, list):
        raise ValueError(f"the XPath {selector!r} selects no elements")
    found = [node for node in nodes if isinstance(node, etree._Element)][:_MOST_NODES]
    index = _index(page) if found else {}
    return np.array(sorted(index[node] for node in found if node in index), dtype=np.int64)


_indices: WeakKeyDictionary[Page, dict[etree._Element, int]] = WeakKeyDictionary()


def _index(page: Page) -> dict[etree._Element, int]:
    """Return the index of each element that the page holds, made once."""
    known = _indices.get(page)
    if known is None:
        index = {at: number for number, at in enumerate(page.ordinal.tolist())}
        nodes = enumerate(page.root.iter("*"))
        known = _indices[page] = {node: index[at] for at, node in nodes if at in index}
    return known
