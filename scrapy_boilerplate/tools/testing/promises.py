"""All that a method promises for one page, as assertions."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import ClassVar, get_args
from unittest import SkipTest

import numpy as np
from lxml import etree

from scrapy_boilerplate.core.answer.extraction import Extraction, Kind
from scrapy_boilerplate.core.answer.record import Role
from scrapy_boilerplate.core.api import extract
from scrapy_boilerplate.core.methods import Extractor, get_extractor
from scrapy_boilerplate.core.page import Page
from scrapy_boilerplate.core.page.characters import DEPENDENT
from scrapy_boilerplate.tools.testing.pages import CRAFTED, GROWING
from scrapy_boilerplate.tools.testing.timing import assert_linear

_DEPENDENT = dict.fromkeys(DEPENDENT)


def squeeze(text: str) -> str:
    """Return *text* without white space, and characters that depend on their neighbours."""
    return "".join(text.translate(_DEPENDENT).split())


def check_page(method: Extractor, page: Page) -> Extraction:
    """Assert all that a method promises for one page; return its answer."""
    before = etree.tostring(page.root)
    answer = method.extract(page)
    assert answer == method.extract(page), "the same page gives the same answer"
    check_answer(method, page, answer)
    check_segments(page, answer)
    check_explanation(method, page, answer)
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


def check_segments(page: Page, answer: Extraction) -> None:
    stop = 0
    for segment in answer.segments:
        assert stop <= segment.span[0] < segment.span[1], "segments are disjoint and ascending"
        stop = segment.span[1]
        assert segment.text == page.lay_out(*segment.span)
        assert segment.role in get_args(Role)
        assert np.isfinite(segment.score)
        assert squeeze(segment.text)
        assert len(page.root.xpath(segment.xpath)) == 1, "a segment has its node"
    assert stop <= page.text_at.size
    kept = set(answer.main)
    assert answer.main == tuple(segment for segment in answer.segments if segment in kept)


def check_partition(page: Page, answer: Extraction) -> None:
    """Every text node lies under exactly one coherent node: an element, or the text alone."""
    spans = [segment.span for segment in answer.segments]
    covered = [number for start, stop in spans for number in range(start, stop)]
    assert covered == list(range(page.text_at.size))
    assert len({segment.xpath for segment in answer.segments}) == len(spans)
    elements = {*zip(page.first_text.tolist(), page.last_text.tolist(), strict=True)}
    assert all(span in elements or span[1] - span[0] == 1 for span in spans)


def check_explanation(method: Extractor, page: Page, answer: Extraction) -> None:
    explanation = method.explain(page)
    everything = squeeze("".join(part.text for part in explanation))
    assert everything == squeeze(page.buffer), "kept and removed are all text, in order"
    kept = [part for part in explanation if part.kept]
    assert squeeze("".join(part.text for part in kept)) == squeeze(answer.text)
    for part, segment in zip(kept, answer.main, strict=True):
        if part.xpath != segment.xpath:  # only one of them had room to be written out
            assert page.root.xpath(part.xpath) == page.root.xpath(segment.xpath)
    assert [part.score for part in kept] == [segment.score for segment in answer.main]
    assert all(part.reason.strip() for part in explanation)


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
                assert_linear(partial(_page_of_size, make), method.extract, 1000)

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
