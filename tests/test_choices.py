"""Which level decides, and what stops a crawl before it begins."""

from __future__ import annotations

import functools
import json
import re
from dataclasses import astuple, dataclass, field
from pathlib import Path
from typing import Any, ClassVar

import pytest
import scrapy
from cases import rows
from scrapy.linkextractors import LinkExtractor
from scrapy.settings import Settings
from scrapy.spiders import CrawlSpider, Rule
from scrapy.utils.test import get_crawler

from scrapy_boilerplate import extract_with
from scrapy_boilerplate.core.methods.mss import MSS
from scrapy_boilerplate.plugin.choices import Chooser
from scrapy_boilerplate.plugin.crawl import CrawlState
from scrapy_boilerplate.plugin.errors import ConfigurationError
from scrapy_boilerplate.plugin.settings import read


class Spider(scrapy.Spider):
    name = "spider"

    def parse(self, response):
        """Yield nothing of interest."""

    @extract_with("mss", tag_score=-2)
    def parse_forum(self, response):
        """Yield nothing of interest."""


class Article(scrapy.Item):
    url = scrapy.Field()
    text = scrapy.Field()


class Marked(scrapy.Item):
    text = scrapy.Field(boilerplate={"tag_score": -3})
    name = scrapy.Field(boilerplate="title")
    raw = scrapy.Field(boilerplate=False)


def request(callback: Any = None, **meta: Any) -> scrapy.Request:
    return scrapy.Request("https://example.com", callback=callback, meta=meta)


DEFAULTS = {"EXTRACTOR": "mss"}  # an extractor with options


def chooser(spider: Any = None, **settings: Any) -> Chooser:
    settings = {f"BOILERPLATE_{name}": value for name, value in (DEFAULTS | settings).items()}
    return Chooser(Settings(settings), spider or Spider())


def filled(chooser: Chooser, item_class: type, request: Any = None) -> dict[str, Any]:
    """Return field: (output, tag score of the extractor), where nothing is wrong."""
    field_requests, complaints, *_ = chooser.plan(item_class, request)
    assert complaints == []
    return {w.field: (w.output, w.extractor.tag_score) for w in field_requests}  # type: ignore[attr-defined]


def with_attribute(value: Any) -> Spider:
    spider = Spider()
    spider.boilerplate = value  # type: ignore[attr-defined]
    return spider


# -- levels ------------------------------------------------------------------------------------


def test_each_level_yields_to_the_more_specific_one() -> None:
    settings = {"OPTIONS": {"tag_score": -6}}
    spider = with_attribute({"extractor": "mss", "tag_score": -5})
    marked = request(spider.parse_forum)
    meta = request(spider.parse_forum, boilerplate={"extractor": "mss", "tag_score": -1})
    assert filled(chooser(), Article) == {"text": ("text", -3.25)}
    assert filled(chooser(**settings), Article) == {"text": ("text", -6)}
    assert filled(chooser(spider, **settings), Article) == {"text": ("text", -5)}
    assert filled(chooser(spider, **settings), Article, marked) == {"text": ("text", -2)}
    assert filled(chooser(spider, **settings), Marked, marked)["text"] == ("text", -3)
    assert filled(chooser(spider, **settings), Marked, meta)["text"] == ("text", -1)


def test_options_without_a_name_go_to_the_extractor_of_the_next_level() -> None:
    spider = with_attribute({"extractor": "mss", "tag_score": -5, "word_score": 2})
    field_requests, *_ = chooser(spider).plan(Article, request(boilerplate={"tag_score": -1}))
    assert field_requests[0].extractor == MSS(tag_score=-1, word_score=2)


def test_the_options_of_the_settings_belong_to_their_extractor() -> None:
    spider = with_attribute("mss-tuned")
    assert filled(chooser(spider, OPTIONS={"tag_score": -6}), Article)["text"][1] == -1


def test_an_instance_is_a_choice() -> None:
    mine = MSS(tag_score=-9)
    for value in (mine, {"extractor": mine}):
        field_requests, *_ = chooser(with_attribute(value)).plan(Article)
        assert field_requests[0].extractor is mine
    assert chooser(EXTRACTOR=mine).plan(Article)[0][0].extractor is mine


def test_what_a_callback_chooses_is_read_once_and_does_not_pile_up() -> None:
    spider = Spider()
    choose = chooser(spider)
    first, second = (choose.plan(Article, request(spider.parse_forum)) for _ in range(2))
    assert first is second
    assert first is not choose.plan(Article, request(spider.parse))
    for number in range(1000):
        callback = extract_with("mss", tag_score=-number)(lambda response: None)
        assert filled(choose, Article, request(callback)) == {"text": ("text", -number)}
    assert len(choose._usual[Article]) <= 256


# -- fields ------------------------------------------------------------------------------------


def test_fields_of_the_settings_are_filled_where_the_item_has_them() -> None:
    choose = chooser(FIELDS={"text": "text", "headline": "title"})
    assert set(filled(choose, Article)) == {"text"}
    assert set(filled(choose, dict)) == {"text", "headline"}


def test_a_field_says_what_it_wants() -> None:
    @dataclass
    class Item:
        kind: str | None = field(default=None, metadata={"boilerplate": True})

    assert filled(chooser(), Marked) == {"text": ("text", -3), "name": ("title", -3.25)}
    assert filled(chooser(), Item) == {"kind": ("kind", -3.25)}
    choose = chooser(FIELDS={"raw": "text"})  # which says False itself
    assert "raw" not in filled(choose, Marked, request(boilerplate="mss"))


def test_the_most_specific_fields_win() -> None:
    spider = with_attribute({"fields": {"url": "text"}})
    assert set(filled(chooser(spider), Article)) == {"url"}
    meta = request(boilerplate={"fields": {"text": "kind"}})
    assert filled(chooser(spider), Article, meta) == {"text": ("kind", -3.25)}
    assert filled(chooser(spider), Marked, meta)["text"] == ("kind", -3)


@pytest.mark.parametrize(
    ("settings", "spider", "meta", "expected"),
    [
        ({}, None, None, False),
        ({"OPTIONS": {"pages": True}}, None, None, True),
        ({"OPTIONS": {"pages": True}}, {"pages": False}, None, False),
        ({}, {"pages": True, "extractor": "mss"}, "energy", True),
        ({}, {"pages": True}, {"pages": False}, False),
        ({}, None, {"pages": True}, True),
    ],
)
def test_the_most_specific_place_decides_on_further_pages(
    settings: Any, spider: Any, meta: Any, expected: bool
) -> None:
    choose = chooser(with_attribute(spider), **settings)
    assert choose.plan(dict, request(boilerplate=meta)).pages == expected


def test_a_field_asked_for_by_name_that_the_item_lacks_is_an_error() -> None:
    meta = request(boilerplate={"fields": {"body": "text"}})
    field_requests, complaints, *_ = chooser().plan(Article, meta)
    assert field_requests == []
    assert complaints == [
        "request meta 'boilerplate': Unknown field of Article: 'body'; choose one of: text, url"
    ]


# -- leaving alone -----------------------------------------------------------------------------


def test_a_spider_can_be_left_alone_and_a_request_or_field_can_disagree() -> None:
    choose = chooser(with_attribute(False))
    assert filled(choose, Article) == {}
    assert set(filled(choose, Marked)) == {"text", "name"}
    assert set(filled(choose, Article, request(boilerplate="mss"))) == {"text"}
    assert set(filled(choose, Article, request(boilerplate=True))) == {"text"}


def test_a_request_a_callback_and_an_item_class_can_be_left_alone() -> None:
    @extract_with(False)
    def callback(response: Any) -> None: ...

    class Alone(Marked):
        boilerplate = False

    assert filled(chooser(), Marked, request(boilerplate=False)) == {}
    assert filled(chooser(), Article, request(callback)) == {}
    assert filled(chooser(), Alone, request(boilerplate="mss")) == {}


def test_what_is_said_about_stripping_is_no_choice_of_an_extractor() -> None:
    only, more = with_attribute({"strip": False}), with_attribute({"strip": True, "tag_score": -5})
    assert filled(chooser(only, OPTIONS={"tag_score": -6}), Article)["text"][1] == -6
    assert filled(chooser(more), Article)["text"][1] == -5
    off = request(boilerplate={"strip": False})
    assert filled(chooser(with_attribute(False)), Article, off) == {}


# -- callbacks ---------------------------------------------------------------------------------


def logged(callback: Any) -> Any:
    @functools.wraps(callback)
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        return callback(*args, **kwargs)

    return wrapper


class Callbacks(scrapy.Spider):
    name = "callbacks"

    @extract_with("mss", tag_score=-1)
    def generator(self, response, number):
        yield {"number": number}

    @extract_with("mss", tag_score=-1)
    async def coroutine(self, response):
        return {}

    @extract_with("mss", tag_score=-1)
    async def async_generator(self, response):
        yield {}

    @logged
    @extract_with("mss", tag_score=-1)
    def inside(self, response): ...

    @extract_with("mss", tag_score=-1)
    @logged
    def outside(self, response): ...

    @staticmethod
    @extract_with("mss", tag_score=-1)
    def static(response): ...

    @extract_with("mss", tag_score=-1)
    @classmethod
    def of_class(cls, response): ...


@pytest.mark.parametrize(
    "name",
    ["generator", "coroutine", "async_generator", "inside", "outside", "static", "of_class"],
)
def test_every_kind_of_callback_can_choose(name: str) -> None:
    spider = Callbacks()
    choose = chooser(spider)
    callback = getattr(spider, name)
    for form in (callback, functools.partial(callback, number=1), logged(callback)):
        assert filled(choose, Article, request(form))["text"][1] == -1


class Lazy:
    """Raises, or answers with itself, whatever it is asked for."""

    def __init__(self, *, raises: bool) -> None:
        self.__dict__["raises"] = raises

    def __call__(self, response: Any) -> None: ...

    def __getattr__(self, name: str) -> Any:
        if self.raises:
            raise RuntimeError(name)
        return self


def endless(response: Any) -> None: ...


endless.__wrapped__ = endless  # type: ignore[attr-defined]


class RaisingClass(type):
    def __getattr__(cls, name: str) -> Any:
        raise RuntimeError(name)


ODD = {
    "raises": Lazy(raises=True),
    "itself": Lazy(raises=False),
    "endless": endless,
    "a class that raises": RaisingClass("Odd", (), {}),
}


@pytest.mark.parametrize("odd", ODD.values(), ids=ODD)
def test_any_object_may_stand_in_a_spider_or_be_a_callback(odd: Any) -> None:
    class Own(scrapy.Spider):
        name = "own"
        helper = odd

    choose = chooser(Own())
    assert list(choose.mistakes()) == []
    for meta in ({}, {"boilerplate": "mss"}):
        assert filled(choose, Article, request(odd, **meta)) == filled(chooser(), Article)


def test_the_rules_of_a_crawl_spider_lead_to_its_callbacks() -> None:
    @extract_with("mss", tag_score=-4)
    def function(response: Any) -> None: ...

    class Crawl(CrawlSpider):
        name = "crawl"
        rules = (
            Rule(LinkExtractor(allow="a"), callback="parse_article"),
            Rule(LinkExtractor(allow="b"), callback=function),
            Rule(LinkExtractor(allow="c")),
        )

        @extract_with("mss", tag_score=-1)
        def parse_article(self, response): ...

        @extract_with("mss", tag_score=-2)
        def parse_start_url(self, response, **kwargs): ...

    spider = Crawl()
    choose = chooser(spider)

    def tag_score(request: scrapy.Request) -> float:
        return filled(choose, Article, request)["text"][1]

    assert tag_score(request()) == -2
    for rule, expected in enumerate([-1, -4, -3.25]):
        assert tag_score(request(spider._callback, rule=rule)) == expected
    assert tag_score(request(function, rule=0)) == -4


@pytest.mark.parametrize("choice", [False, True, {"extractor": "mss"}])
@pytest.mark.parametrize("more", [{"tag_score": 1}, {"fields": {}}])
def test_extract_with_takes_no_options_beside_a_bool_or_a_dict(choice: Any, more: Any) -> None:
    with pytest.raises(TypeError, match="takes no other arguments"):
        extract_with(choice, **more)


def test_extract_with_without_parentheses_says_what_to_write() -> None:
    def parse(response: Any) -> None: ...

    for callback in (parse, staticmethod(parse)):
        with pytest.raises(TypeError, match="write @extract_with"):
            extract_with(callback)


@pytest.mark.parametrize(
    "choice",
    [
        "mss",
        MSS(tag_score=-4),
        {"extractor": "mss", "tag_score": -1},
        {"tag_score": -2},
        {"extractor": "mss", "fields": {"url": "title"}},
        False,
        None,
    ],
)
def test_a_callback_takes_what_a_request_and_a_spider_take(choice: Any) -> None:
    @extract_with(choice)
    def callback(response: Any) -> None: ...

    by_callback = filled(chooser(), Article, request(callback))
    assert by_callback == filled(chooser(), Article, request(boilerplate=choice))
    assert by_callback == filled(chooser(with_attribute(choice)), Article)


# -- mistakes ----------------------------------------------------------------------------------


def mistakes(spider: Any = None, **settings: Any) -> list[str]:
    """Return the lines of the message that stops the crawl, without its first one."""
    crawler = get_crawler(Spider, {f"BOILERPLATE_{n}": value for n, value in settings.items()})
    crawler.spider = spider or Spider()
    with pytest.raises(ConfigurationError) as caught:
        CrawlState.check(crawler)
    first, *lines = str(caught.value).splitlines()
    assert first == "scrapy_boilerplate cannot start:"
    assert all(line.startswith("- ") for line in lines)
    return [line.removeprefix("- ") for line in lines]


NO_JSON = [
    ({"FIELDS": {5: "text"}}, "BOILERPLATE_FIELDS: 5 is not the name of an item field"),
    ({"SITE_KEY": lambda: "a"}, "BOILERPLATE_SITE_KEY must be host, domain, path or a "),
]


@pytest.mark.parametrize(
    ("settings", "message"),
    [*NO_JSON, *((json.loads(form), message) for form, message in rows("wrong_settings"))],
)
def test_a_wrong_setting_stops_the_crawl_and_says_what_is_right(
    settings: dict[str, Any], message: str
) -> None:
    (line,) = mistakes(**settings)
    assert line.startswith(message) or message in line
    assert "secret" not in line


@pytest.mark.parametrize(
    ("name", "value", "wanted"),
    [
        ("SITE_STORE", Path("a"), "a"),
        ("REPORT", Path("a"), "a"),
        ("REPORT", "a.json", "a.json"),
        ("REPORT", "True", True),
        ("REPORT", "0", False),
    ],
)
def test_a_setting_takes_a_path(name: str, value: object, wanted: object) -> None:
    settings = get_crawler(Spider, {f"BOILERPLATE_{name}": value}).settings
    assert read(settings, f"BOILERPLATE_{name}") == wanted


@pytest.mark.parametrize(("value", "count"), [("false", 0), ("True", 1)])
def test_the_command_line_switches_a_spider(value: str, count: int) -> None:
    assert len(chooser(with_attribute(value)).plan(dict)[0]) == count


def test_a_default_store_that_cannot_be_read_stops_the_crawl(tmp_path: Path) -> None:
    file = tmp_path / "boilerplate" / "sites.sqlite"
    file.mkdir(parents=True)
    crawler = get_crawler(Spider, {"JOBDIR": str(tmp_path)})
    with pytest.raises(ValueError, match=re.escape(f"BOILERPLATE_SITE_STORE: Cannot open {file}")):
        CrawlState.check(crawler)


def test_mistakes_of_all_places_are_in_one_message(tmp_path: Path) -> None:
    class Wrong(scrapy.Spider):
        name = "wrong"
        boilerplate: ClassVar = {"extractor": "engergy", "strip": 3}

        class Item(scrapy.Item):
            text = scrapy.Field(boilerplate="txt")

        @extract_with("bet")
        def parse(self, response): ...

    rules = tmp_path / "rules.json"
    rules.write_text('[{"site": "a.example", "container": ["p"]}]')
    lines = mistakes(Wrong(), EXTRACTOR="mms", FIELDS={"a": "titel"}, SITE_RULES=str(rules))
    assert [line.partition(":")[0] for line in lines] == [
        "BOILERPLATE_FIELDS",
        "spider attribute 'boilerplate'",
        "BOILERPLATE_EXTRACTOR",
        "callback 'parse'",
        "spider attribute 'boilerplate'",
        "field 'text' of Item",
        "BOILERPLATE_SITE_RULES",
    ]
    for meant in ("title", "energy", "mss", "bte", "text"):
        assert f"did you mean {meant!r}?" in "".join(lines)


def test_a_mistake_is_not_blamed_on_those_who_build_on_it() -> None:
    class Building(scrapy.Spider):
        name = "building"
        boilerplate: ClassVar = {"tag_score": -1}

        @extract_with(word_score=2)
        def parse(self, response): ...

    (line,) = mistakes(Building(), EXTRACTOR="mms", OPTIONS={"symbol_score": 1})
    assert line.startswith("BOILERPLATE_EXTRACTOR: ")
    lines = mistakes(Building(), EXTRACTOR="bte")
    assert [line.partition(":")[0] for line in lines] == [
        "spider attribute 'boilerplate'",
        "callback 'parse'",
        "field 'text' of Marked",
    ]


@pytest.mark.parametrize(("value", "message"), rows("wrong_choices"))
def test_a_wrong_spider_attribute_stops_the_crawl(value: str, message: str) -> None:
    (line,) = mistakes(with_attribute(json.loads(value)))
    assert line.startswith("spider attribute 'boilerplate': ")
    assert message in line


@pytest.mark.parametrize(
    "value", ["msss", {"tag": 1}, {"fields": {"text": "txt"}}, {"fields": 1}, [1], {1: 2}]
)
def test_a_wrong_request_is_passed_over(value: Any) -> None:
    choose = chooser(with_attribute({"tag_score": -5}))
    field_requests, complaints, *_ = choose.plan(Article, request(boilerplate=value))
    assert [field_request.extractor for field_request in field_requests] == [MSS(tag_score=-5)]
    assert len(complaints) == 1
    assert complaints[0].startswith("request meta 'boilerplate': ")


# -- switches ----------------------------------------------------------------------------------


class Switched(scrapy.Item):
    text = scrapy.Field(boilerplate={"extractor": "mss", "links": True})
    body = scrapy.Field(boilerplate={"output": "markdown", "links": False, "tables": False})
    html = scrapy.Field(boilerplate="html")


def switches_of(found: Chooser, **meta: Any) -> dict[str, tuple[Any, ...]]:
    """Return by field what is asked of comments, tables, images, links and formatting."""
    wanted, complaints, *_ = found.plan(Switched, request(**meta))
    assert complaints == []
    return {each.field: astuple(each.switches) for each in wanted}


def test_switches_come_from_every_level_whatever_its_extractor() -> None:
    class Mine(Spider):
        boilerplate: ClassVar = {"images": False}

    found = chooser(Mine(), OPTIONS={"links": False, "images": True, "formatting": False})
    assert switches_of(found) == {
        "text": (None, True, False, True, False, True, "keep", None),
        "body": (None, False, False, False, False, True, "keep", None),
        "html": (None, True, False, False, False, True, "keep", None),
    }
    by_request = switches_of(found, boilerplate={"tables": True, "links": True, "comments": False})
    assert by_request["body"] == (False, True, False, True, False, True, "keep", None)


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ({"output": "markdown", "links": "no"}, "'links' must be True or False, not 'no'"),
        ({"output": "markdown", "link": False}, "auto: 'link'; did you mean 'links'?"),
        ({"output": "markdown", "format": False}, "auto: 'format'; did you mean 'formatting'?"),
    ],
)
def test_wrong_switches_stop_the_crawl(value: dict[str, object], message: str) -> None:
    class Wrong(Spider):
        class Item(scrapy.Item):
            text = scrapy.Field(boilerplate=value)

    (line,) = mistakes(Wrong())
    assert line.startswith("field 'text' of Item: ")
    assert message in line
    (line,) = mistakes(Spider(), OPTIONS={key: value[key] for key in value if key != "output"})
    assert line.startswith("BOILERPLATE_OPTIONS: ")
    assert message in line
