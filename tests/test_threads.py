"""Threads share methods, models, caches, pages and answers, and get what one alone gets."""

from __future__ import annotations

import gzip
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Barrier
from typing import TypeVar
from unittest import mock

import pytest
from parsel import Selector

from scrapy_boilerplate import Page, extract, extractor_names, get_extractor
from scrapy_boilerplate.core.caching import remember
from scrapy_boilerplate.core.page import paragraphs
from scrapy_boilerplate.learn import SiteLearner

T = TypeVar("T")

PATHS = sorted((Path(__file__).parent / "fixtures" / "gate").glob("*/pages/*.html.gz"))[::9]
THREADS = 4


def bodies() -> list[bytes]:
    return [gzip.decompress(path.read_bytes()) for path in PATHS]


def at_once(call: Callable[[], T]) -> list[T]:
    """Return what so many threads get from a call that they make at the same moment."""
    together = Barrier(THREADS)

    def run(_: int) -> T:
        together.wait()
        return call()

    with ThreadPoolExecutor(THREADS) as pool:
        return list(pool.map(run, range(THREADS)))


@pytest.mark.parametrize("name", extractor_names())
def test_threads_extract_as_one_does(name: str) -> None:
    pages = bodies()[:6]
    alone = [extract(body, extractor=name).to_dict() for body in pages]

    def all_of_them() -> list[object]:
        return [extract(body, extractor=name).to_dict() for body in pages]

    assert all(found == alone for found in at_once(all_of_them))


def test_threads_share_a_tree_and_a_page() -> None:
    """The walk runs without the interpreter's lock."""
    for body in bodies():
        selector = Selector(body=body)
        shared = Page.from_selector(selector)
        expected = texts_of(Page.from_selector(Selector(body=body)))
        for make in (lambda page=shared: page, lambda tree=selector: Page.from_selector(tree)):
            found = at_once(lambda make=make: texts_of(make()))
            assert all(each == expected for each in found)


def texts_of(page: Page) -> list[str]:
    return [get_extractor(name).extract(page).text for name in ("mss", "auto")]


def test_no_thread_sees_the_breaks_of_a_page_before_they_are_right() -> None:
    page = Page.parse("<table><tr><th>a<th>b<tr><td>one<p>two<td>three<tr><td>1<td>2</table>")
    with mock.patch.object(
        paragraphs, "keep_whole", side_effect=lambda *_: vars(page)["_breaks"]
    ) as keep_whole:
        with pytest.raises(KeyError):
            page.lay_out(0, 2)
        keep_whole.assert_called_once()
    assert page.lay_out(0, page.text_at.size) == "a\tb\none two\tthree\n1\t2"


def test_threads_share_an_answer() -> None:
    for body in bodies():
        expected = extract(body).segments
        answer = extract(body)
        assert all(each == expected for each in at_once(lambda answer=answer: answer.segments))


def test_threads_share_a_model() -> None:
    learner, extractor = SiteLearner(), get_extractor("mss-tuned")
    site = [
        Page.parse(gzip.decompress(path.read_bytes()), url=f"https://a.example/{path.stem}")
        for path in sorted(PATHS[0].parent.glob("*.html.gz"))
    ]
    for page in site:
        learner.observe(page, extractor.extract(page))
    model = learner.model("a.example")
    alone = [model.apply(page, extractor).text for page in site]
    found = at_once(lambda: [model.apply(page, extractor).text for page in site])
    assert all(each == alone for each in found)


def test_what_threads_remember_is_bounded() -> None:
    @remember(50_000)
    def size(text: str) -> int:
        return len(text)

    def ask() -> None:
        for number in range(3000):
            assert size(f"{number}") == len(f"{number}")

    at_once(ask)
    assert size.size <= 50_000
    assert size.size >= 300 * len(size._known)  # the sum has lost nothing
