"""The whole contract of an extractor, as one class of tests."""

from __future__ import annotations

import dataclasses
import inspect
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import ClassVar, NoReturn
from unittest import SkipTest
from unittest.mock import patch

from lxml import etree

from scrapy_boilerplate.core.api import extract
from scrapy_boilerplate.core.methods import Extractor, get_extractor
from scrapy_boilerplate.core.page import Page
from scrapy_boilerplate.tools.testing.pages import ARTICLE, CRAFTED, GROWING
from scrapy_boilerplate.tools.testing.promises import check_page, squeeze
from scrapy_boilerplate.tools.testing.timing import assert_linear


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
        """An article between two menus is found."""
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

    def test_without_pickle(self) -> None:
        """The method reads no pickle, which could hold code."""

        def refuse(*_: object, **__: object) -> NoReturn:
            raise AssertionError("a method must not read a pickle")

        method = self.method
        with (
            patch("pickle.load", refuse),
            patch("pickle.loads", refuse),
            patch("pickle.Unpickler", refuse),
        ):
            check_page(method, Page.parse(ARTICLE))

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

    def test_repr_tells_the_options(self) -> None:
        """Its repr is readable and can be typed in again."""
        method = self.method
        assert repr(method).startswith(f"{type(method).__name__}(")
        assert all(f"{name}=" in repr(method) for name in _options(method, shown=True))

    def test_every_option_has_a_default(self) -> None:
        """It works without options."""
        parameters = inspect.signature(type(self.method)).parameters.values()
        assert all(parameter.default is not parameter.empty for parameter in parameters)

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

    def test_is_documented(self) -> None:
        """Its docstring explains it and has an example."""
        text = type(self.method).__doc__ or ""
        assert len(text) > 100
        assert ">>>" in text


def _page_of_size(make: Callable[[int], str], size: int) -> Page:
    return Page.parse(make(size), max_nodes=None)


def _options(method: Extractor, shown: bool = False) -> list[str]:
    """Return the names of the method's fields; only those of its repr if *shown*."""
    assert dataclasses.is_dataclass(method)
    return [field.name for field in dataclasses.fields(method) if field.repr or not shown]


@contextmanager
def _about(what: str) -> Iterator[None]:
    """Name the page of a failing assertion."""
    try:
        yield
    except AssertionError as error:
        raise AssertionError(f"{what}: {error}") from error
