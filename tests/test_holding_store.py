"""Items that wait on disk: they come back as they were, each once, also after a kill."""

from __future__ import annotations

import gc
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import scrapy
from scrapy.http import HtmlResponse

from scrapy_boilerplate import Page, get_extractor
from scrapy_boilerplate.holding.store import CannotStoreError, HoldingStore


@dataclass
class Article:
    url: str
    tags: list[str]


class Spider(scrapy.Spider):
    name = "spider"

    def parse_article(self, response: Any) -> None:
        """Yield nothing."""


SPIDER = Spider()


def response(number: int, **values: Any) -> HtmlResponse:
    url = f"https://a.example/{number}"
    values = {"callback": SPIDER.parse_article, "meta": {"depth": number}, **values}
    return HtmlResponse(
        url,
        body=f"<p>Größe {number}".encode("iso-8859-1"),
        encoding="iso-8859-1",
        headers={"Set-Cookie": ["a=1", "b=2"]},
        request=scrapy.Request(url + "?asked", **values),
    )


@pytest.fixture
def held(tmp_path: Path) -> Iterator[HoldingStore]:
    with closing(HoldingStore(str(tmp_path))) as held:
        yield held


def again(tmp_path: Path) -> HoldingStore:
    """Return what the next run finds after a kill."""
    return HoldingStore(str(tmp_path))


def test_items_come_back_page_by_page_with_a_response_like_theirs(
    held: HoldingStore, tmp_path: Path
) -> None:
    first, _ = held.add("a.example", response(1), Article("1", ["ü"]))
    held.add("b.example", response(9), {"of": "another site"})
    held.add("a.example", response(2), Article("2", []))
    assert held.add_to(first, {"number": 3})
    with closing(again(tmp_path)) as later:
        assert {site: pages for site, (pages, _) in later.sites().items()} == {
            "a.example": 2,
            "b.example": 1,
        }
        found = [later.get(number, SPIDER) for number in later.numbers("a.example")]
    assert [item for item, _ in found] == [Article("1", ["ü"]), {"number": 3}, Article("2", [])]
    one, same, other = (answer for _, answer in found)
    assert one is same
    for number, answer in ((1, one), (2, other)):
        assert answer.url == f"https://a.example/{number}"
        assert answer.text == f"<p>Größe {number}"
        assert answer.headers.getlist("Set-Cookie") == [b"a=1", b"b=2"]
        assert answer.meta == {"depth": number}
        assert answer.request is not None
        assert answer.request.callback == SPIDER.parse_article
        assert answer.request.url == answer.url + "?asked"


def test_a_response_that_is_still_there_is_not_read_from_disk(held: HoldingStore) -> None:
    alive = response(1)
    held.add("a.example", alive, {})
    held.add("a.example", response(2), {})
    gc.collect()
    one, other = (held.get(number, SPIDER)[1] for number in held.numbers("a.example"))
    assert one is alive
    assert other.url == "https://a.example/2"


def test_items_that_come_while_their_page_goes_follow_at_once(held: HoldingStore) -> None:
    page, _ = held.add("a.example", response(1), {"number": 1})
    held.add("a.example", response(2), {"number": 3})
    order = []
    for number in held.numbers("a.example"):
        item, _ = held.get(number, SPIDER)
        order.append(item["number"])
        if item["number"] == 1:
            assert held.add_to(page, {"number": 2})
        held.remove(number)
    assert order == [1, 2, 3]
    assert not held.add_to(page, {"number": 4})
    assert held.sites() == {}


def test_an_item_that_was_on_its_way_is_in_doubt(held: HoldingStore, tmp_path: Path) -> None:
    for number in range(3):
        held.add("a.example", response(number), {"number": number})
    going = held.numbers("a.example")
    first = next(going)
    held.get(first, SPIDER)
    held.remove(first)
    assert held.in_doubt() == 0
    held.get(next(going), SPIDER)
    with closing(again(tmp_path)) as later:
        assert later.in_doubt() == 1
        rest = [later.get(number, SPIDER)[0]["number"] for number in later.numbers("a.example")]
    assert rest == [1, 2]


@pytest.mark.parametrize("name", ["mss", "links", "auto"])
def test_what_was_found_on_a_page_is_remembered(
    name: str, held: HoldingStore, tmp_path: Path
) -> None:
    html = "<ul><li><a>Menu</a></ul><h1>Größe</h1>" + "<p>Ein Satz, noch ein Satz \ud800. " * 9
    page, method = Page.parse(html), get_extractor(name)
    found = method.extract(page)
    assert found.segments
    number, _ = held.add("a.example", response(1), {"number": 1})
    held.keep(number, page, method, found)
    held.keep(number, page, method, None)
    with closing(again(tmp_path)) as later:
        (item,) = later.numbers("a.example")
        assert later.known(item, Page.parse(html), method) == found
        assert later.known(item, Page.parse(html), get_extractor("bte")) is None
        assert later.known(item, Page.parse(html + "<p>More."), method) is None
        later.remove(item)
        assert later.known(item, page, method) is None


class Odd:
    """No item, and nothing that JSON knows."""


@pytest.mark.parametrize("item", [{"x": Odd()}, {"x": (1, 2)}, {1: "x"}, Odd()])
def test_items_that_would_not_come_back_are_refused(item: Any, held: HoldingStore) -> None:
    page, _ = held.add("a.example", response(1), {})
    with pytest.raises(CannotStoreError):
        held.add("a.example", response(2), item)
    with pytest.raises(CannotStoreError):
        held.add_to(page, item)
    assert held.sites()["a.example"][0] == len(list(held.numbers("a.example"))) == 1


@pytest.mark.parametrize(
    "values", [{"callback": lambda response: None}, {"meta": {"boilerplate": Odd()}}]
)
def test_requests_that_would_not_come_back_are_refused(
    values: dict[str, Any], held: HoldingStore
) -> None:
    with pytest.raises(CannotStoreError):
        held.add("a.example", response(1, **values), {})
    assert held.sites() == {}


def test_a_page_is_never_there_without_its_item(tmp_path: Path) -> None:
    with closing(HoldingStore(str(tmp_path))) as held:
        with closing(sqlite3.connect(tmp_path / "boilerplate" / "held.sqlite")) as other:
            other.execute("DROP TABLE items")
        with pytest.raises(sqlite3.Error):
            held.add("a.example", response(1), {})
        assert held.sites() == {}


def test_a_temporary_file_goes() -> None:
    held = HoldingStore()
    held.add("a.example", response(1), {})
    assert held._temporary is not None
    folder = Path(held._temporary.name)
    assert folder.exists()
    held.close()
    assert not folder.exists()
