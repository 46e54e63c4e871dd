"""Items that wait on disk: they come back as they were, each once, also after a kill."""

from __future__ import annotations

import gc
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scrapy
from scrapy.http import HtmlResponse

from scrapy_boilerplate import Extraction, Page, get_extractor
from scrapy_boilerplate.core.page.responses import page_of
from scrapy_boilerplate.plugin.holding import store
from scrapy_boilerplate.plugin.holding.forms import CannotStoreError, pack_item, unpack_item
from scrapy_boilerplate.plugin.holding.held import Held
from scrapy_boilerplate.plugin.holding.learning import HeldLearning
from scrapy_boilerplate.plugin.holding.policy import Bounds, HoldingPolicy
from scrapy_boilerplate.plugin.holding.store import HoldingStore, Packed


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


def add(held: HoldingStore, site: str, of: HtmlResponse, item: Any) -> tuple[int, int]:
    return held.add(site, of.url, Packed.of(of, item, SPIDER), of)


def get(held: HoldingStore, number: int) -> tuple[Any, HtmlResponse]:
    row = held.item(number)
    assert row is not None
    return unpack_item(row[0]), held.response(row[1], SPIDER)


def test_items_come_back_page_by_page_with_a_response_like_theirs(
    held: HoldingStore, tmp_path: Path
) -> None:
    first, _ = add(held, "a.example", response(1), Article("1", ["ü"]))
    add(held, "b.example", response(9), {"of": "another site"})
    add(held, "a.example", response(2), Article("2", []))
    held.add_item(first, pack_item({"number": 3}))
    with closing(again(tmp_path)) as later:
        pages = later.pages()
        assert [page.site for page in pages] == ["a.example", "b.example", "a.example"]
        assert [len(page.items) for page in pages] == [2, 1, 1]
        found = [get(later, number) for page in pages[::2] for number in page.items]
    assert [item for item, _ in found] == [Article("1", ["ü"]), {"number": 3}, Article("2", [])]
    one, same, other = (answer for _, answer in found)
    assert one is same
    for number, answer in ((1, one), (2, other)):
        assert answer.url == f"https://a.example/{number}"
        assert answer.text == f"<p>Größe {number}"
        assert answer.meta == {"depth": number}
        assert answer.request is not None
        assert answer.request.callback == SPIDER.parse_article
        assert answer.request.url == answer.url + "?asked"


def test_a_response_that_is_still_there_is_not_read_from_disk(held: HoldingStore) -> None:
    alive = response(1)
    one, _ = add(held, "a.example", alive, {})
    other, _ = add(held, "a.example", response(2), {})
    gc.collect()
    assert held.response(one, SPIDER) is alive
    assert held.response(other, SPIDER).url == "https://a.example/2"


def test_a_page_goes_with_its_last_item(held: HoldingStore) -> None:
    page, first = add(held, "a.example", response(1), {"number": 1})
    second = held.add_item(page, pack_item({"number": 2}))
    held.remove(first)
    assert [left.items for left in held.pages()] == [(second,)]
    held.remove(second)
    assert held.pages() == []
    assert held.item(second) is None


def test_a_page_that_comes_again_takes_the_place_of_the_one_that_is_held(
    held: HoldingStore,
) -> None:
    add(held, "a.example", response(1), {"number": 1})
    (old,) = held.pages()
    packed = Packed.of(response(1), {"number": 2}, SPIDER)
    held.add("a.example", response(1).url, packed, response(1), old)
    (new,) = held.pages()
    assert [get(held, number)[0] for number in new.items] == [{"number": 2}]


class Learned:
    """Notes what it is to learn from."""

    def __init__(self) -> None:
        self.found: list[Extraction] = []

    def learn(self, page: Page, found: Extraction) -> None:
        assert page.url == "https://a.example/1"
        self.found.append(found)

    def learns(self, url: str) -> str:
        return "a.example"


def test_what_an_earlier_run_found_on_a_page_that_it_cut_is_learned(
    held: HoldingStore, tmp_path: Path
) -> None:
    most, method, long = 20, get_extractor("mss"), response(1).replace(body=b"<p>A text. " * 90)
    page = page_of(long, most)
    assert page.truncated
    found = method.extract(page)
    number, _ = add(held, "a.example", long, {"number": 1})
    held.keep(number, page, method, found)
    learned: Any = Learned()
    reports: Any = None
    with closing(again(tmp_path)) as later:
        left = Held(later, HoldingPolicy(Bounds(pages=5, size=1_000_000, seconds=60)))
        HeldLearning(learned, left, SPIDER, reports, most).catch_up("a.example")
    assert learned.found == [found]


def test_on_a_full_disk_items_are_removed_in_the_space_that_is_reserved(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    reserve = tmp_path / "boilerplate" / "held.reserve"
    write = store._remove_item

    def is_full(*args: Any) -> int:
        if reserve.exists():
            raise sqlite3.OperationalError("database or disk is full")
        return write(*args)

    monkeypatch.setattr(store, "_remove_item", is_full)
    with closing(again(tmp_path)) as held:
        number = add(held, "a.example", response(1), {"number": 1})[1]
        assert reserve.stat().st_size == store.RESERVE_BYTES
        held.remove(number)
        assert not reserve.exists()
        assert held.item(number) is None
    with closing(again(tmp_path)) as later:
        assert not later.pages()


def test_an_item_that_was_on_its_way_is_in_doubt(held: HoldingStore, tmp_path: Path) -> None:
    numbers = [add(held, "a.example", response(n), {"number": n})[1] for n in range(3)]
    held.mark(numbers[0])
    held.remove(numbers[0])
    assert held.in_doubt() == 0
    held.mark(numbers[1])
    with closing(again(tmp_path)) as later:
        assert later.in_doubt() == 1
        rest = [get(later, number)[0]["number"] for page in later.pages() for number in page.items]
    assert rest == [1, 2]


@pytest.mark.parametrize("made", [True, False])
@pytest.mark.parametrize("name", ["mss", "links", "auto"])
def test_what_was_found_on_a_page_is_remembered(
    name: str, *, made: bool, held: HoldingStore, tmp_path: Path
) -> None:
    html = "<ul><li><a>Menu</a></ul><h1>Größe</h1>" + "<p>Ein Satz, noch ein Satz \ud800. " * 9
    page, method = Page.parse(html), get_extractor(name)
    found = method.extract(page)
    if made:
        assert found.segments
    number, item = add(held, "a.example", response(1), {"number": 1})
    assert held.found(number, page) is None
    assert held.keep(number, page, method, found) > 0
    with closing(again(tmp_path)) as later:
        known = later.found(number, page)
        assert known is not None
        assert (known.segments_later is None) == made
        assert known == found
        assert np.array_equal(known.block_scores, found.block_scores)  # type: ignore[arg-type]
        assert (found.block_scores is None) == (name != "auto")
        assert later.found(number, Page.parse(html), method) == found
        assert later.found(number, Page.parse(html + "<p>More.")) is None
        assert later.found(number, Page.parse(html), get_extractor("bte")) is None
        assert later.found(number, Page.parse(html + "<p>More."), method) is None
        later.remove(item)
        assert later.found(number, page, method) is None


class Odd:
    """No item, and nothing that JSON knows."""


@pytest.mark.parametrize("item", [{"x": Odd()}, {"x": (1, 2)}, {1: "x"}, Odd()])
def test_items_that_would_not_come_back_are_refused(item: Any) -> None:
    with pytest.raises(CannotStoreError):
        pack_item(item)


@pytest.mark.parametrize(
    "values", [{"callback": lambda response: None}, {"meta": {"boilerplate": Odd()}}]
)
def test_requests_that_would_not_come_back_are_refused(values: dict[str, Any]) -> None:
    with pytest.raises(CannotStoreError):
        Packed.of(response(1, **values), {}, SPIDER)


def test_a_page_is_never_there_without_its_item(tmp_path: Path) -> None:
    with closing(HoldingStore(str(tmp_path))) as held:
        with closing(sqlite3.connect(tmp_path / "boilerplate" / "held.sqlite")) as other:
            other.execute("DROP TABLE items")
        with pytest.raises(sqlite3.Error):
            add(held, "a.example", response(1), {})
        assert held._database.execute("SELECT count(*) FROM pages").fetchone() == (0,)


def test_a_temporary_file_goes() -> None:
    held = HoldingStore()
    add(held, "a.example", response(1), {})
    assert held._temporary is not None
    folder = Path(held._temporary.name)
    assert folder.exists()
    held.close()
    assert not folder.exists()
