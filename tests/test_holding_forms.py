"""What is held comes back equal in type and value, and a file holds no secrets and runs nothing."""

from __future__ import annotations

import json
import stat
import sys
from collections import OrderedDict
from contextlib import closing
from dataclasses import dataclass, field
from enum import Enum, IntEnum
from pathlib import Path
from typing import Any

import attrs
import pytest
import scrapy
from itemadapter import ItemAdapter
from pydantic import BaseModel
from scrapy.http import HtmlResponse, JsonRequest

from scrapy_boilerplate.plugin.holding.forms import (
    CannotStoreError,
    pack_item,
    pack_response,
    unpack_item,
    unpack_response,
)
from scrapy_boilerplate.plugin.holding.store import HeldStore


class ScrapyItem(scrapy.Item):
    url = scrapy.Field()
    text = scrapy.Field()


@dataclass
class DataclassItem:
    url: str
    text: str = ""
    tags: list[Any] = field(default_factory=list)


@attrs.define
class AttrsItem:
    url: str
    text: str | None = None


class PydanticItem(BaseModel):
    url: str
    text: str | None = None


@dataclass(eq=False)
class Identical:
    url: str


@dataclass(slots=True, eq=False)
class Counted:
    """Changes what it is given, and does not know equality."""

    number: int = 0

    def __post_init__(self) -> None:
        self.number += 1


@dataclass(slots=True)
class SlotsItem:
    url: str
    text: str = ""


class MoreSlots(SlotsItem):
    """Keeps what is no field."""

    __slots__ = ("extra",)


@dataclass
class Guarded:
    """Takes each value once."""

    url: str

    def __setattr__(self, name: str, value: object) -> None:
        raise TypeError(f"{name} cannot be set")


def with_more() -> MoreSlots:
    item = MoreSlots("u")
    item.extra = 1
    return item


def guarded() -> Guarded:
    item = Guarded.__new__(Guarded)
    vars(item)["url"] = "u"
    return item


class Spider(scrapy.Spider):
    name = "spider"

    def parse_article(self, response: Any, **_: Any) -> None:
        """Yield nothing."""

    def failed(self, failure: Any) -> None:
        """Yield nothing."""


SPIDER = Spider()
VALUE = {"a": [1, 1.5, True, None, "ü\ud800\x00", {"b": []}], "c": -0.0, "d": float("inf")}


@pytest.mark.parametrize(
    "item",
    [
        {},
        VALUE,
        ScrapyItem(url="u"),
        ScrapyItem(url="u", text=VALUE),
        DataclassItem("u", tags=[VALUE]),
        AttrsItem("u"),
        SlotsItem("u", "text"),
        MoreSlots("u"),
        PydanticItem(url="u"),
        PydanticItem(url="u", text=None),
    ],
)
def test_an_item_comes_back_equal_in_type_and_value(item: Any) -> None:
    back = unpack_item(pack_item(item))
    assert type(back) is type(item)
    assert back == item
    assert dict(ItemAdapter(back)) == dict(ItemAdapter(item))
    assert getattr(back, "model_fields_set", None) == getattr(item, "model_fields_set", None)


def test_an_item_whose_class_knows_no_equality_comes_back_field_by_field() -> None:
    back = unpack_item(pack_item(Identical("u")))
    assert (type(back), back.url) == (Identical, "u")


def test_a_file_imports_nothing_that_the_project_does_not() -> None:
    assert "antigravity" not in sys.modules
    with pytest.raises(CannotStoreError, match="antigravity is not a module of this project"):
        unpack_item('["antigravity", "Item", {}]')
    form = pack_response(response(scrapy.Request("https://a.example/")), Spider())
    tampered = json.loads(form)
    tampered["request"]["_class"] = "antigravity.Request"
    with pytest.raises(CannotStoreError, match=r"antigravity\.Request is not of a module"):
        unpack_response(json.dumps(tampered), b"", Spider())
    assert "antigravity" not in sys.modules


class Colour(Enum):
    RED = "red"


class Level(IntEnum):
    LOW = 1


class Text(str):
    """A string that is more than that."""


class Fields(dict):  # type: ignore[type-arg]
    """A dict that is more than that."""


def with_attribute() -> DataclassItem:
    item = DataclassItem("u")
    item.extra = 1  # type: ignore[attr-defined]
    return item


def cyclic() -> dict[str, Any]:
    item: dict[str, Any] = {}
    item["self"] = item
    return item


def deep() -> dict[str, Any]:
    item: dict[str, Any] = {}
    for _ in range(100_000):
        item = {"a": item}
    return item


@pytest.mark.parametrize(
    "item",
    [
        {"a": Colour.RED},
        {"a": Level.LOW},
        {"a": Text("a")},
        {"a": OrderedDict(b=1)},
        {"a": [Fields(b=1)]},
        {"a": (1, 2)},
        {"a": float("nan")},
        {"a": object()},
        object(),
        {1: "a"},
        {"a": DataclassItem("u")},
        OrderedDict(a=1),
        Fields(a=1),
        with_attribute(),
        with_more(),
        guarded(),
        Counted(),
        cyclic(),
        deep(),
        {"url": "https://user:secret@a.example/"},
    ],
)
def test_an_item_that_would_come_back_as_another_is_refused(item: Any) -> None:
    with pytest.raises(CannotStoreError):
        pack_item(item)


@pytest.mark.parametrize(
    "form",
    [
        ["os", "mkdir", {"path": "{path}"}],
        ["pathlib", "Path", {}],
        ["builtins", "open", {"file": "{path}", "mode": "w"}],
        ["collections", "Counter.fromkeys", {"iterable": []}],
    ],
)
def test_what_is_no_class_of_items_is_not_called(form: Any, tmp_path: Path) -> None:
    path = tmp_path / "made"
    with pytest.raises(CannotStoreError, match="is not an item class"):
        unpack_item(json.dumps(form).replace("{path}", str(path)))
    assert not path.exists()


def response(request: scrapy.Request, **values: Any) -> HtmlResponse:
    url = "https://a.example/page"
    return HtmlResponse(url, body=b"<p>text", encoding="utf-8", request=request, **values)


def test_a_request_comes_back_whole() -> None:
    request = JsonRequest(
        "https://a.example/asked#part",
        callback=SPIDER.parse_article,
        errback=SPIDER.failed,
        data={"query": "ü"},
        headers={"X-One": ["a", "b"], "Accept": "text/html"},
        cb_kwargs={"page": 3},
        meta={"depth": 2, "lost": object()},
        priority=-7,
        flags=["one"],
        dont_filter=True,
        encoding="utf-8",
    )
    form = pack_response(response(request, flags=["cached"], protocol="HTTP/1.1"), SPIDER)
    back = unpack_response(form, b"<p>text", SPIDER)
    again = back.request
    assert type(again) is JsonRequest
    for name in (
        "url method body callback errback headers cb_kwargs priority flags dont_filter encoding"
    ).split():
        assert getattr(again, name) == getattr(request, name), name
    assert again.meta == {"depth": 2}
    assert (back.flags, back.protocol, back.text) == (["cached"], "HTTP/1.1", "<p>text")


def test_no_secret_is_written() -> None:
    request = scrapy.Request(
        "https://user:SECRET1@a.example/asked?x=1",
        callback=SPIDER.parse_article,
        headers={
            "Authorization": "Basic SECRET2",
            "Proxy-Authorization": "Basic SECRET3",
            "Cookie": "session=SECRET4",
            "Referer": "https://user:SECRET5@b.example/",
        },
        cookies={"session": "SECRET6"},
        meta={
            "proxy": "http://me:SECRET7@proxy.example:8080",
            "redirect_urls": ["http://SECRET8@a.example/@handle"],
            "depth": 1,
        },
        cb_kwargs={"via": "socks5://mé:SECRET9@proxy.example"},
    )
    headers = {"Set-Cookie": ["session=SECRET10", "b=SECRET11"], "Content-Type": "text/html"}
    form = pack_response(response(request, headers=headers), SPIDER)
    assert "SECRET" not in form
    back = unpack_response(form, b"", SPIDER)
    assert back.request is not None
    assert back.request.url == "https://a.example/asked?x=1"
    assert back.meta == {
        "proxy": "http://proxy.example:8080",
        "redirect_urls": ["http://a.example/@handle"],
        "depth": 1,
    }
    assert back.headers == {b"Content-Type": [b"text/html"]}


def test_a_request_class_that_is_none_is_not_called() -> None:
    values = json.loads(pack_response(response(scrapy.Request("https://a.example/")), SPIDER))
    values["request"]["_class"] = "subprocess.Popen"
    with pytest.raises(CannotStoreError, match="is not a request class"):
        unpack_response(json.dumps(values), b"", SPIDER)


def test_only_the_owner_may_read_the_file(tmp_path: Path) -> None:
    folder = tmp_path / "boilerplate"
    folder.mkdir()
    (folder / "held.sqlite").touch(0o644)
    with closing(HeldStore(str(tmp_path))) as held:
        of = response(scrapy.Request("https://a.example/"))
        held.add("a.example", "key", of, {}, SPIDER)
        files = {path.name: stat.S_IMODE(path.stat().st_mode) for path in folder.iterdir()}
    assert files == {
        "held.sqlite": 0o600,
        "held.sqlite-wal": 0o600,
        "held.sqlite-shm": 0o600,
        "held.reserve": 0o600,
    }
