"""What elements declare: ``meta``, ``link``, JSON-LD, microdata, times and links to authors."""

from lxml import etree

def declarations(
    root: etree._Element,
) -> tuple[
    list[tuple[str, str]],
    list[tuple[int, str, str | tuple[str, str]]],
    list[tuple[int, tuple[str, ...]]],
    dict[int, tuple[str, str]],
]: ...
def metas(
    root: etree._Element, count: int
) -> tuple[list[tuple[str, str, str, str, str]], list[str]]: ...
def links(root: etree._Element) -> list[tuple[str, str]]: ...
