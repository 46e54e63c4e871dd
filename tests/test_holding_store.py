"""Items that wait on disk: they come back as they were, each once, also after a kill."""

from __future__ import annotations

import errno
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

from scrapy_boilerplate.plugin.holding import limits, store
from scrapy_boilerplate.plugin.holding.forms import CannotStoreError, unpack_item
from scrapy_boilerplate.plugin.holding.store import HeldPage, HeldStore


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
def held(tmp_path: Path) -> Iterator[HeldStore]:
    with closing(HeldStore(str(tmp_path))) as held:
        yield held


def again(tmp_path: Path) -> HeldStore:
    """Return what the next run finds after a kill."""
    return HeldStore(str(tmp_path))


def add(held: HeldStore, site: str, of: HtmlResponse, item: Any) -> HeldPage:
    page = held.add(site, of.url, of, item, SPIDER)
    assert page is not None
    return page


def get(held: HeldStore, page: HeldPage, number: int) -> tuple[Any, HtmlResponse]:
    form = held.item(number)
    assert form is not None
    return unpack_item(form), held.response(page, SPIDER)


def test_items_come_back_page_by_page_with_a_response_like_theirs(
    held: HeldStore, tmp_path: Path
) -> None:
    first = add(held, "a.example", response(1), Article("1", ["ü"]))
    add(held, "b.example", response(9), {"of": "another site"})
    add(held, "a.example", response(2), Article("2", []))
    assert held.add_item(first, {"number": 3})
    with closing(again(tmp_path)) as later:
        pages = later.pages()
        assert [page.site for page in pages] == ["a.example", "b.example", "a.example"]
        assert [len(page.items) for page in pages] == [2, 1, 1]
        found = [get(later, page, number) for page in pages[::2] for number in page.items]
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


def test_a_response_that_is_still_there_is_not_read_from_disk(held: HeldStore) -> None:
    alive = response(1)
    one = add(held, "a.example", alive, {})
    other = add(held, "a.example", response(2), {})
    gc.collect()
    assert held.response(one, SPIDER) is alive
    assert held.response(other, SPIDER).url == "https://a.example/2"


def test_a_page_goes_with_its_last_item(held: HeldStore) -> None:
    page = add(held, "a.example", response(1), {"number": 1})
    assert held.add_item(page, {"number": 2})
    first, second = page.items
    held.remove(page, first)
    assert [left.items for left in held.pages()] == [page.items] == [[second]]
    held.remove(page, second)
    assert held.pages() == []
    assert held.item(second) is None


def test_a_page_that_comes_again_takes_the_place_of_the_one_that_is_held(
    held: HeldStore,
) -> None:
    add(held, "a.example", response(1), {"number": 1})
    (old,) = held.pages()
    held.add("a.example", response(1).url, response(1), {"number": 2}, SPIDER, old)
    (new,) = held.pages()
    assert [get(held, new, number)[0] for number in new.items] == [{"number": 2}]


def test_no_number_is_given_twice(held: HeldStore) -> None:
    """An item whose turn is still to come would be taken for the one that has its number."""
    old = add(held, "a.example", response(1), {"number": 1})
    held.remove_page(old)
    new = add(held, "b.example", response(2), {"number": 2})
    assert new.number != old.number
    assert new.items != old.items


def test_links_in_the_job_directory_lead_nowhere(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    victim = tmp_path / "victim"
    victim.write_text("somebody else's")
    victim.chmod(0o644)
    path = store.held_file(tmp_path / "job")
    path.parent.mkdir(parents=True)
    for name in (path, path.with_suffix(".reserve")):
        name.symlink_to(victim)
    with closing(HeldStore(str(tmp_path / "job"))) as held:
        assert held.add("a.example", "", response(1), {"url": "a"}, SPIDER) is not None
    assert victim.read_text() == "somebody else's"
    assert victim.stat().st_mode & 0o777 == 0o644
    assert "Items do not wait in a file behind a link" in caplog.text


def test_on_a_full_disk_items_are_removed_in_the_space_that_is_reserved(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    reserve = tmp_path / "boilerplate" / "held.reserve"
    write = HeldStore._remove_arrived

    def is_full(held: HeldStore) -> None:
        if reserve.exists():
            raise sqlite3.OperationalError("database or disk is full")
        write(held)

    monkeypatch.setattr(HeldStore, "_remove_arrived", is_full)
    with closing(again(tmp_path)) as held:
        page = add(held, "a.example", response(1), {"number": 1})
        (number,) = page.items
        assert reserve.stat().st_size == store.RESERVE_BYTES
        held.remove(page, number)
        assert not reserve.exists()
        assert held.item(number) is None
    with closing(again(tmp_path)) as later:
        assert not later.pages()


def test_a_disk_that_became_read_only_says_so_and_stops_nobody(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Items go on though nothing can be written: their sender expects an error of the database."""
    with closing(again(tmp_path)) as before:
        add(before, "a.example", response(1), {"number": 1})
    held = again(tmp_path)
    (page,) = held.pages()
    (number,) = page.items
    held._database.execute("PRAGMA query_only = ON")

    def unlink(path: Path, missing_ok: bool = False) -> None:
        raise OSError(errno.EROFS, "Read-only file system", str(path))

    monkeypatch.setattr(Path, "unlink", unlink)
    with pytest.raises(sqlite3.OperationalError, match="readonly"):
        held.mark(number)
    with pytest.raises(sqlite3.OperationalError, match="readonly"):
        held.remove(page, number)
    assert held.close() == 1


def test_an_item_that_was_on_its_way_is_in_doubt(held: HeldStore, tmp_path: Path) -> None:
    pages = [add(held, "a.example", response(n), {"number": n}) for n in range(3)]
    held.mark(pages[0].items[0])
    held.remove(pages[0], pages[0].items[0])
    assert held.in_doubt() == 0
    held.mark(pages[1].items[0])
    with closing(again(tmp_path)) as later:
        assert later.in_doubt() == 1
        rest = [
            get(later, page, number)[0]["number"] for page in later.pages() for number in page.items
        ]
    assert rest == [1, 2]


def test_a_file_of_version_0_1_is_read(held: HeldStore, tmp_path: Path) -> None:
    """It has a further column, for what a method found on a page."""
    held._database.execute("ALTER TABLE pages ADD COLUMN found BLOB")
    add(held, "a.example", response(1), {"number": 1})
    held._database.execute("UPDATE pages SET found = ?", (b"of another version",))
    with closing(again(tmp_path)) as later:
        (page,) = later.pages()
        assert get(later, page, page.items[0])[0] == {"number": 1}
        add(later, "a.example", response(2), {"number": 2})
        later.remove(page, page.items[0])
        assert [left.site for left in later.pages()] == ["a.example"]


class Odd:
    """No item, and nothing that JSON knows."""


@pytest.mark.parametrize(
    "values", [{"callback": lambda response: None}, {"meta": {"boilerplate": Odd()}}]
)
def test_requests_that_would_not_come_back_are_refused(
    held: HeldStore, values: dict[str, Any]
) -> None:
    with pytest.raises(CannotStoreError):
        add(held, "a.example", response(1, **values), {})
    assert held.pages() == []


def test_what_takes_more_than_the_bytes_on_disk_is_not_kept(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(limits, "MOST_BYTES", 2000)
    with closing(HeldStore()) as held:
        page = add(held, "a.example", response(1), {"padding": "x" * 800})
        assert held.add("a.example", "", response(2), {"padding": "x" * 800}, SPIDER) is None
        assert not held.add_item(page, {"padding": "x" * 1000})
        assert held.add_item(page, {})
        for number in list(page.items):
            held.remove(page, number)
        add(held, "a.example", response(2), {"padding": "x" * 800})


def test_a_page_is_never_there_without_its_item(tmp_path: Path) -> None:
    with closing(HeldStore(str(tmp_path))) as held:
        with closing(sqlite3.connect(tmp_path / "boilerplate" / "held.sqlite")) as other:
            other.execute("DROP TABLE items")
        with pytest.raises(sqlite3.Error):
            add(held, "a.example", response(1), {})
        assert held._database.execute("SELECT count(*) FROM pages").fetchone() == (0,)


def test_a_temporary_file_goes() -> None:
    held = HeldStore()
    add(held, "a.example", response(1), {})
    assert held._temporary is not None
    folder = Path(held._temporary.name)
    assert folder.exists()
    held.close()
    assert not folder.exists()
