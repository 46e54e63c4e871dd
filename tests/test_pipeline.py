"""Items get the text of their pages: every type of item, every kind of response, every error."""

from __future__ import annotations

import gc
import json
import logging
import subprocess
import sys
from dataclasses import dataclass
from typing import Any, ClassVar
from weakref import ref

import attrs
import pytest
import scrapy
from crawl import DataclassItem, PydanticItem, ScrapyItem
from itemadapter import ItemAdapter
from pydantic import BaseModel
from scraping import HTML, TEXT, Broken, Crawl, Spider, page
from scrapy.http import HtmlResponse, JsonResponse, Response, TextResponse, XmlResponse
from scrapy.utils.test import get_crawler

import scrapy_boilerplate
from scrapy_boilerplate import Page, extract, extract_with
from scrapy_boilerplate.core.answer.extraction import OUTPUTS
from scrapy_boilerplate.core.methods.mss import MSS
from scrapy_boilerplate.plugin.crawl import CrawlState
from scrapy_boilerplate.plugin.pipelines import BoilerplatePipeline
from scrapy_boilerplate.plugin.spidermiddlewares import BoilerplateSpiderMiddleware

# -- types of items ----------------------------------------------------------------------------


def test_every_output_can_be_asked_for_and_exported() -> None:
    crawl = Crawl({"BOILERPLATE_FIELDS": {name: name for name in OUTPUTS}})
    (item,) = crawl.scrape(page(), {})
    expected = extract(HTML, extractor="mss")
    assert set(item) == set(OUTPUTS)
    assert item["text"] == expected.text == TEXT
    assert item["title"] == "The title"
    assert item["kind"] == "article"
    assert item["extractor"] == "mss"
    assert item["confidence"] is None
    assert item["truncated"] is False
    assert [s["text"] for s in item["segments"]] == [s.text for s in expected.segments]
    assert item["segments"][0]["xpath"] == "/html/body/p[1]"
    assert json.loads(json.dumps(item)) == item


def test_nested_items_are_left_to_the_spider() -> None:
    (item,) = Crawl().scrape(page(), {"parts": [DataclassItem("u"), {"x": 1}]})
    assert item == {"parts": [DataclassItem("u"), {"x": 1}], "text": TEXT}


def test_an_item_is_left_alone_without_the_field_or_if_its_class_says_so(
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level("INFO")

    @attrs.frozen
    class Other:
        name: str

    class Alone(PydanticItem):
        boilerplate: ClassVar[bool] = False

    crawl = Crawl()
    assert crawl.scrape(page(), Other("n"), Alone(name="u")) == [Other("n"), Alone(name="u")]
    assert crawl.stats == {"skipped/off": 2}
    told = [line for line in caplog.messages if line.startswith("Items of ")]
    assert told == [
        "Items of Other are sent as they are: the class has no field text. Define it, or set "
        "BOILERPLATE_FIELDS"
    ]


# -- values that are there already -------------------------------------------------------------


@pytest.mark.parametrize("value", ["mine", ["mine"], 0, False, b"x"])
def test_a_filled_field_keeps_its_value_and_costs_nothing(value: Any) -> None:
    crawl = Crawl()
    assert crawl.scrape(page(), {"text": value}) == [{"text": value}]
    assert crawl.stats == {"skipped/filled": 1}


@pytest.mark.parametrize("value", [None, "", [], (), {}])
def test_an_empty_field_is_filled(value: Any) -> None:
    assert Crawl().scrape(page(), {"text": value}) == [{"text": TEXT}]


# -- one page, many items ----------------------------------------------------------------------


def test_a_page_is_read_and_extracted_once_for_all_items_and_fields(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    judged: list[Page] = []
    judge = MSS.judge
    monkeypatch.setattr(MSS, "judge", lambda self, page: judged.append(page) or judge(self, page))
    crawl = Crawl({"BOILERPLATE_FIELDS": {"text": "text", "kind": "kind", "parts": "segments"}})
    response = page()
    items = crawl.scrape(response, *({"n": n} for n in range(5)))
    assert {item["text"] for item in items} == {TEXT}
    assert len(judged) == 1
    assert judged[0].root is response.selector.root
    assert crawl.stats == {
        "pages": 1,
        "bytes_in": len(HTML),
        "extractions": 1,
        "extractor/mss": 1,
        "kind/article": 1,
        "chars_in": 8 + len("".join(TEXT.split())),
        "chars_out": len("".join(TEXT.split())),
        "items": 5,
    }


def test_the_same_object_can_be_yielded_again() -> None:
    crawl = Crawl()
    item: dict[str, Any] = {"a": 1}
    crawl.scrape(page(), item, item)
    assert item == {"a": 1, "text": TEXT}
    assert crawl.stats["skipped/filled"] == 1
    del item["text"]
    crawl.scrape(page(HTML.replace("first", "new")), item)
    assert "new sentence" in item["text"]


def test_a_pipeline_that_copies_items_may_follow_but_not_go_before() -> None:
    class Copy:
        def process_item(self, item: Any) -> Any:
            return ItemAdapter(item).asdict()

    (item,) = Crawl({"ITEM_PIPELINES": {BoilerplatePipeline: 100, Copy: 300}}).scrape(page(), {})
    assert item["text"] == TEXT
    crawl = Crawl({"ITEM_PIPELINES": {BoilerplatePipeline: 100, Copy: 50}})
    assert crawl.scrape(page(), {"a": 1}) == [{"a": 1}]
    assert crawl.stats == {"skipped/no_page": 1}


# -- memory ------------------------------------------------------------------------------------


def test_items_that_never_reach_the_pipeline_are_let_go() -> None:
    crawl = Crawl()
    middleware = crawl.crawler.get_spider_middleware(BoilerplateSpiderMiddleware)
    response, item = page(), ScrapyItem(name="u")
    assert list(middleware.process_spider_output(response, [item])) == [item]
    watched = ref(response), ref(item)
    del response, item
    gc.collect()
    assert [w() for w in watched] == [None, None]
    assert len(CrawlState.of(crawl.crawler).records._by_response) == 0


def test_another_object_at_the_same_address_is_not_taken_for_the_item() -> None:
    crawl = Crawl()
    middleware = crawl.crawler.get_spider_middleware(BoilerplateSpiderMiddleware)
    response = page()
    for _ in range(1000):
        list(middleware.process_spider_output(response, [{}]))  # dropped at once
        assert crawl.process({"fresh": 1}) == {"fresh": 1}
    assert crawl.stats == {"skipped/no_page": 1000}


# -- dicts of pages that the spider only follows -----------------------------------------------

INDEX = "<title>News</title>" + "".join(
    f"<div class=card><h3><a href=/a{n}>A headline of story {n}</a></h3>"
    f"<p>A short teaser of it, in a few words.</p></div>"
    for n in range(12)
)
PAGE_URL = "https://example.com/page"
AUTO = {"BOILERPLATE_EXTRACTOR": "auto"}


def index(**meta: Any) -> Any:
    return page(INDEX + "<a href=/p/2>2</a> <a href=/p/3>3</a>", **meta)


def test_a_dict_of_an_index_page_gains_no_field(caplog: pytest.LogCaptureFixture) -> None:
    crawl = Crawl(AUTO)
    mine: list[dict[str, Any]] = [
        {"links": 12},
        {"title": "A headline", "url": "https://example.com/a1"},
    ]
    with caplog.at_level(logging.INFO):
        assert crawl.scrape(index(), *(dict(item) for item in mine)) == mine
    assert crawl.stats["skipped/not_asked"] == 2
    assert crawl.stats.get("items", 0) == 0
    assert caplog.text.count("A dict is sent without 'text': https://example.com/page has no") == 1


@pytest.mark.parametrize(
    "item", [{"url": PAGE_URL}, {"source": PAGE_URL, "links": 3}, {"text": None}, {"text": ""}]
)
def test_a_dict_that_stands_for_its_page_gets_the_field_of_every_page(item: Any) -> None:
    for response in (index(), page("<p>"), page('{"a": 1}', JsonResponse)):
        (got,) = Crawl(AUTO).scrape(response, dict(item))
        assert "text" in got
        assert {**got, "text": None} == {**item, "text": None}


class Asking(Spider):
    boilerplate: ClassVar = {"fields": {"text": "text"}}


class AskingCallback(scrapy.Spider):
    name = "asking"

    @extract_with("auto")
    def parse(self, response):
        """Yield nothing of interest."""


@pytest.mark.parametrize(
    ("settings", "spider", "meta"),
    [
        ({"BOILERPLATE_FIELDS": {"text": "text"}}, Spider, {}),
        ({}, Asking, {}),
        ({}, AskingCallback, {}),
        ({}, Spider, {"boilerplate": True}),
        ({}, Spider, {"boilerplate": "auto"}),
    ],
)
def test_who_asks_gets_the_field_of_every_page(settings: Any, spider: Any, meta: Any) -> None:
    crawl = Crawl({**AUTO, **settings}, spider)
    assert "text" in crawl.scrape(index(**meta), {"links": 12})[0]


# -- what is no page ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("kind", "response"),
    [
        ("not_html", page("<p>Some words", TextResponse)),
        ("not_html", page(b"\x89PNG\r\n\x1a\n", Response)),
        ("empty", page(" \n")),
        ("empty", page("<frameset><frame src=a></frameset>")),
    ],
)
def test_what_has_no_text_gets_an_empty_one(kind: str, response: Any) -> None:
    crawl = Crawl({"BOILERPLATE_FIELDS": {"text": "text", "kind": "kind", "title": "title"}})
    assert crawl.scrape(response, {}) == [{"text": "", "kind": kind, "title": ""}]
    assert crawl.stats[f"kind/{kind}"] == 1
    assert "errors" not in crawl.stats


class Rendered(TextResponse):
    """What a browser's plugin answers with."""


@pytest.mark.parametrize("cls", [TextResponse, Rendered, XmlResponse])
def test_html_in_another_kind_of_text_response_is_read(cls: type[Any]) -> None:
    crawl = Crawl()
    assert crawl.scrape(page(f"<!DOCTYPE html>{HTML}", cls), {}) == [{"text": TEXT}]
    by_header = page(HTML.replace("<html>", ""), cls).replace(headers={"Content-Type": "text/html"})
    assert crawl.scrape(by_header, {}) == [{"text": TEXT}]
    assert crawl.stats["kind/article"] == 2


def test_a_large_body_is_not_read() -> None:
    crawl = Crawl({"BOILERPLATE_MAX_BODY": len(HTML)})
    assert crawl.scrape(page(), {}) == [{"text": TEXT}]
    assert crawl.scrape(page(HTML + " "), {}) == [{}]
    assert crawl.stats["skipped/too_large"] == 1
    unlimited = Crawl({"BOILERPLATE_MAX_BODY": 0})
    assert unlimited.scrape(page(), {}) == [{"text": TEXT}]


# -- HTML in a field ---------------------------------------------------------------------------

WITH_FIELD = {"BOILERPLATE_HTML_FIELD": "html"}


def test_html_in_a_field_needs_no_response() -> None:
    crawl = Crawl(WITH_FIELD)
    for html in (HTML, HTML.encode(), HTML.encode("utf-16")):
        assert crawl.process({"html": html})["text"] == TEXT
    assert crawl.stats["pages"] == 3


def test_html_in_a_field_is_read_in_place_of_the_response() -> None:
    crawl = Crawl(WITH_FIELD)
    inner, outer = crawl.scrape(page(), {"html": "<p>The rendered words."}, {})
    assert inner["text"] == "The rendered words."
    assert outer["text"] == TEXT


def test_html_in_a_field_works_without_the_spider_middleware(
    caplog: pytest.LogCaptureFixture,
) -> None:
    crawl = Crawl({"SPIDER_MIDDLEWARES": {}, **WITH_FIELD})
    assert crawl.process({"html": HTML})["text"] == TEXT
    assert "finds no responses" not in caplog.text
    Crawl({"SPIDER_MIDDLEWARES": {}})
    assert "enable scrapy_boilerplate.plugin.spidermiddlewares.BoilerplateSpider" in caplog.text


# -- errors ------------------------------------------------------------------------------------


def test_an_error_loses_no_item_and_is_logged_once(caplog: pytest.LogCaptureFixture) -> None:
    fields = {"text": "text", "kind": "kind"}
    crawl = Crawl({"BOILERPLATE_EXTRACTOR": Broken(), "BOILERPLATE_FIELDS": fields})
    assert crawl.scrape(page("<p>Pages can fail"), {"n": 1}, {"n": 2}) == [{"n": 1}, {"n": 2}]
    assert crawl.scrape(page("<p>They fail again"), {}) == [{}]
    assert crawl.scrape(page("<p>Not this one"), {}) == [
        {"text": "Not this one", "kind": "article"}
    ]
    assert (crawl.stats["errors"], crawl.stats["errors/RuntimeError"]) == (2, 2)
    (record,) = (r for r in caplog.records if r.levelno >= logging.ERROR)
    message = record.getMessage()
    assert "Extractor 'broken' failed on https://example.com/page" in message
    assert "RuntimeError: no luck" in message


def test_a_response_whose_selector_fails_loses_no_item(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def fail(self: Any) -> None:
        raise ValueError("no tree")

    monkeypatch.setattr(HtmlResponse, "selector", property(fail))
    crawl = Crawl()
    assert crawl.scrape(page(), {}, {}) == [{}, {}]
    assert crawl.stats == {"errors": 2, "errors/ValueError": 2}
    assert caplog.text.count("ValueError: no tree (the item is sent") == 1


def test_an_item_with_slots_is_filled_and_one_that_refuses_a_value_goes_on() -> None:
    @dataclass(slots=True)
    class Slots:
        text: str = ""

    @attrs.frozen
    class Frozen:
        text: str = ""

    class Typed(BaseModel, validate_assignment=True):
        text: int | None = None
        kind: str | None = None

    crawl = Crawl({"BOILERPLATE_FIELDS": {"text": "text", "kind": "kind"}})
    slots, frozen, typed = crawl.scrape(page(), Slots(), Frozen(), Typed())
    assert (slots, frozen) == (Slots(TEXT), Frozen())
    assert typed == Typed(kind="article")
    assert crawl.stats["errors/FrozenInstanceError"] == 1
    assert crawl.stats["errors/ValidationError"] == 1
    assert crawl.stats["items"] == 2


def test_the_log_is_bounded(caplog: pytest.LogCaptureFixture) -> None:
    crawl = Crawl()
    for number in range(1100):
        crawl.scrape(page(boilerplate=f"name {number}"), {"text": "x"})
    assert len(caplog.messages) == 1000
    assert crawl.stats["errors"] == 1100


# -- switches ----------------------------------------------------------------------------------


def test_one_setting_switches_everything_off() -> None:
    """Even what is wrong."""
    addon = {"ADDONS": {"scrapy_boilerplate.Addon": 500}}
    crawl = Crawl({"BOILERPLATE_ENABLED": False, "BOILERPLATE_EXTRACTOR": "mms", **addon})
    assert crawl.scrape(page(), {}) == [{}]
    assert crawl.stats == {}


def test_the_addon_leaves_the_users_own_orders() -> None:
    path = "scrapy_boilerplate.plugin.pipelines.BoilerplatePipeline"
    mine = {"SPIDER_MIDDLEWARES": {BoilerplateSpiderMiddleware: None}, "ITEM_PIPELINES": {path: 7}}
    settings = get_crawler(Spider, {"ADDONS": {"scrapy_boilerplate.Addon": 500}, **mine}).settings
    assert {name: dict(settings[name]) for name in mine} == mine


def test_the_package_imports_scrapy_only_for_the_addon() -> None:
    code = (
        "import sys, scrapy_boilerplate as b; from scrapy_boilerplate import extract, extract_with;"
        "assert extract('<p>One two three four five.').text;"
        "assert 'scrapy' not in sys.modules; assert b.Addon.__name__ == 'Addon'"
    )
    subprocess.run([sys.executable, "-W", "error", "-c", code], check=True)
    with pytest.raises(AttributeError, match="has no attribute 'Adon'"):
        scrapy_boilerplate.Adon  # noqa: B018
