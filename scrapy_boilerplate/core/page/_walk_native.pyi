"""The walk of :mod:`scrapy_boilerplate.core.page.walk` over libxml2's nodes."""

from collections.abc import Collection

from lxml import etree

from scrapy_boilerplate.core.page.walk import Walk

def walk(root: etree._Element, invisible: Collection[str] = ...) -> Walk: ...
def nodes_at(root: etree._Element, ordinals: list[int]) -> list[etree._Element]: ...
def nodes_with(
    root: etree._Element, names: list[bytes], word: bytes | None = None
) -> list[tuple[int, etree._Element]]: ...
