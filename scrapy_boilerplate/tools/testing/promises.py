"""All that a method promises for one page, as assertions."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from functools import cache, partial
from typing import ClassVar, TypeAlias, get_args
from unittest import SkipTest

import numpy as np
from lxml import etree

from scrapy_boilerplate.core.answer.extraction import Extraction, Kind
from scrapy_boilerplate.core.answer.record import Role
from scrapy_boilerplate.core.api import extract
from scrapy_boilerplate.core.methods import Extractor, get_extractor
from scrapy_boilerplate.core.page import Page
from scrapy_boilerplate.core.page.characters import DEPENDENT, readable
from scrapy_boilerplate.tools.testing.pages import CRAFTED, GROWING
from scrapy_boilerplate.tools.testing.timing import assert_linear

# An element, or a text node as XPath returns it
Node: TypeAlias = "etree._Element | etree._ElementUnicodeResult"

INVISIBLE = frozenset(
    "script style noscript template head title iframe noframes noembed svg audio video canvas "
    "datalist".split()
)


# Elements that show their text even where the parser has left them in the head
IN_THE_HEAD = frozenset(
    "article aside details dialog figure footer header hgroup main nav search section".split()
)


def is_shown(node: etree._Element, invisible: Collection[str] = INVISIBLE) -> bool:
    """Return whether the text of an element is visible if that around it is."""
    if not isinstance(node.tag, str):
        return False
    if node.tag == "head":
        above = node.getparent()
        top = above is not None and above.tag == "html" and above.getparent() is None
        return (
            top and above.find("head") is node and any(child.tag in IN_THE_HEAD for child in node)
        )
    name = node.tag.rpartition("}")[2].lower()
    return name not in invisible or (name == "template" and "shadowrootmode" in node.attrib)


_DEPENDENT = dict.fromkeys(DEPENDENT)


def squeeze(text: str) -> str:
    """Return *text* without white space, and characters that depend on their neighbours."""
    return "".join(text.translate(_DEPENDENT).split())


def visible_text(node: Node, without: Collection[etree._Element] = (), source: str = "") -> str:
    """Return the visible text, squeezed; *source* is an element that holds the page's text."""
    invisible = INVISIBLE - {source}
    if isinstance(node, str):
        return squeeze(readable(str(node)))
    pieces: list[str] = []
    stack: list[Node] = [node]
    while stack:
        top = stack.pop()
        if isinstance(top, str):
            pieces.append(top)
            continue
        if top is not node:
            stack.append(top.tail or "")
        if top not in without and is_shown(top, invisible):
            stack.extend(reversed(top))
            stack.append(top.text or "")
    return squeeze(readable("".join(pieces)))


def node_at(page: Page, xpath: str) -> Node:
    (node,) = page.root.xpath(xpath)
    return node


def text_reader(page: Page) -> Callable[[str], str]:
    """Return a function that maps XPaths to the visible text of their nodes, with a cache."""
    without, source = screen_only_of(page), page.source
    return cache(lambda xpath: visible_text(node_at(page, xpath), without, source))


def screen_only_of(page: Page) -> frozenset[etree._Element]:
    """Return the elements of a page's tree whose text is for the screen only."""
    xpaths = page.xpaths(page.screen_only.tolist())
    return frozenset(node for xpath in xpaths for node in page.root.xpath(xpath))


def ancestors(node: Node) -> Iterator[etree._Element]:
    if hasattr(node, "iterancestors"):
        yield from node.iterancestors()
        return
    parent = node.getparent()
    if node.is_tail:
        parent = parent.getparent()
    yield parent
    yield from parent.iterancestors()


def check_page(method: Extractor, page: Page) -> Extraction:
    """Assert all that a method promises for one page; return its answer."""
    before = etree.tostring(page.root)
    answer = method.extract(page)
    assert answer == method.extract(page), "the same page gives the same answer"
    text_at = text_reader(page)
    check_answer(method, page, answer)
    check_segments(page, answer, text_at)
    check_explanation(method, page, answer, text_at)
    if method.partitions:
        check_partition(page, answer)
    assert etree.tostring(page.root) == before, "the tree stays as it is"
    return answer


def check_answer(method: Extractor, page: Page, answer: Extraction) -> None:
    assert answer.extractor == method.name
    assert answer.kind in get_args(Kind)
    assert answer.truncated == page.truncated
    assert answer.garbled == page.garbled
    assert answer.confidence is None or 0 <= answer.confidence <= 1
    assert (answer.kind == "not_html") == (not page.is_html)
    assert bool(answer.main) == bool(answer.text)
    assert (answer.kind == "blocked") == (page.block is not None)
    if not page.text_at.size:
        assert answer.kind in ("empty", "blocked", "not_html")
        assert answer.segments == ()
    spans = [segment.span for segment in answer.main]
    assert page.join(spans, [segment.text for segment in answer.main]) == answer.text
    assert squeeze("".join(segment.text for segment in answer.main)) == squeeze(answer.text)


def check_segments(page: Page, answer: Extraction, text_at: Callable[[str], str]) -> None:
    stop = 0
    for segment in answer.segments:
        assert stop <= segment.span[0] < segment.span[1], "segments are disjoint and ascending"
        stop = segment.span[1]
        assert segment.text == page.lay_out(*segment.span)
        assert segment.role in get_args(Role)
        assert np.isfinite(segment.score)
        text = squeeze(segment.text)
        assert text
        assert text in text_at(segment.xpath), "a segment stands in its node"
    assert stop <= page.text_at.size
    kept = set(answer.main)
    assert answer.main == tuple(segment for segment in answer.segments if segment in kept)


def check_partition(page: Page, answer: Extraction) -> None:
    """Every text node lies under exactly one coherent node, and none holds another."""
    spans = [segment.span for segment in answer.segments]
    covered = [number for start, stop in spans for number in range(start, stop)]
    assert covered == list(range(page.text_at.size))
    nodes = [node_at(page, segment.xpath) for segment in answer.segments]
    elements = {node for node in nodes if not isinstance(node, str)}
    for node in nodes:
        assert not elements.intersection(ancestors(node))
    assert len({segment.xpath for segment in answer.segments}) == len(nodes)
    without, source = screen_only_of(page), page.source
    whole = visible_text(page.root, without, source)
    assert "".join(visible_text(node, without, source) for node in nodes) == whole


def check_explanation(
    method: Extractor, page: Page, answer: Extraction, text_at: Callable[[str], str]
) -> None:
    explanation = method.explain(page)
    everything = squeeze("".join(part.text for part in explanation))
    whole = visible_text(page.root, screen_only_of(page), page.source)
    assert everything == whole, "kept and removed are all text, in order"
    kept = [part for part in explanation if part.kept]
    assert squeeze("".join(part.text for part in kept)) == squeeze(answer.text)
    assert [part.xpath for part in kept] == [segment.xpath for segment in answer.main]
    assert [part.score for part in kept] == [segment.score for segment in answer.main]
    for part in explanation:
        assert part.reason.strip()
        assert squeeze(part.text) in text_at(part.xpath)


class ExtractorContract:
    """The whole contract. A subclass sets the extractor and its options.

    Each test runs by itself; a failure names the page.
    """

    extractor: ClassVar[str]  # registered name

    options: ClassVar[dict[str, object]] = {}

    @property
    def method(self) -> Extractor:
        """The extractor under test. The test is skipped if an extra that it needs is missing."""
        try:
            return get_extractor(self.extractor, **self.options)
        except ImportError as error:
            raise SkipTest(str(error)) from error

    # -- pages -------------------------------------------------------------------------------

    def test_crafted_pages(self) -> None:
        """Every promise holds for the pages that have broken other methods."""
        method = self.method
        for name, html in CRAFTED.items():
            with _about(f"page {name!r}"):
                check_page(method, Page.parse(html))

    def test_article_is_found(self) -> None:
        sentence = "It rained all day in the town and nobody who lived there went out to see. "
        body = "".join(f"<p>{sentence * 4}</p>" for _ in range(8))
        menu = "<ul>" + "<li><a href=x>Section</a></li>" * 12 + "</ul>"
        page = f"<body>{menu}<div><h1>Rain</h1>{body}</div>{menu}</body>"
        assert sentence.strip() in extract(page, extractor=self.method).text

    def test_deep_trees(self) -> None:
        """Nothing recurses on depth."""
        root = top = etree.Element("html")
        for number in range(5000):
            top = etree.SubElement(top, "div")
            top.text = None if number % 100 else "word "
        page = Page(root)
        method = self.method
        assert squeeze("".join(part.text for part in method.explain(page))) == "word" * 50
        method.extract(page)

    def test_linear(self) -> None:
        """Four times the page takes about four times as long."""
        method = self.method
        for name, make in GROWING.items():
            with _about(name):
                assert_linear(partial(_page_of_size, make), method.extract, 2000)

    # -- the value ---------------------------------------------------------------------------

    def test_has_its_registered_name(self) -> None:
        """The method and its answers have the name under which it is registered."""
        assert self.method.name == self.extractor

    def test_is_a_frozen_value(self) -> None:
        """It is a frozen dataclass with slots: equal options make equal methods."""
        method = self.method
        assert dataclasses.is_dataclass(method)
        assert "__slots__" in vars(type(method))
        for name in [*_options(method), "another"]:
            try:
                setattr(method, name, 1)
            except (AttributeError, TypeError):  # a FrozenInstanceError is one
                continue
            raise AssertionError(f"{name!r} can be changed")
        same = dataclasses.replace(method)
        assert same == method
        assert hash(same) == hash(method)

    def test_unknown_option(self) -> None:
        """It refuses an unknown option, and names the options that it has."""
        method = self.method
        refusal = ""
        try:
            get_extractor(self.extractor, **{"???": 1})
        except ValueError as error:
            refusal = str(error)
        assert "'???'" in refusal
        assert all(name in refusal for name in _options(method))


def _page_of_size(make: Callable[[int], str], size: int) -> Page:
    return Page.parse(make(size), max_nodes=None)


def _options(method: Extractor) -> list[str]:
    assert dataclasses.is_dataclass(method)
    return [field.name for field in dataclasses.fields(method)]


@contextmanager
def _about(what: str) -> Iterator[None]:
    try:
        yield
    except AssertionError as error:
        raise AssertionError(f"{what}: {error}") from error
