"""Each item gets the text of its own page: that of its address, else that of its callback."""

from __future__ import annotations

import gc
import json
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import processes
import pytest
import scrapy
from mockserver import MockServer
from pydantic import BaseModel
from scraping import BY_HAND, TEXT, Crawl, page
from scrapy import signals
from scrapy.exceptions import DropItem
from scrapy.http import HtmlResponse, JsonResponse
from scrapy.spiders import CrawlSpider

from scrapy_boilerplate import extract
from scrapy_boilerplate.plugin import records
from scrapy_boilerplate.plugin.crawl import CrawlState
from scrapy_boilerplate.plugin.pipelines import BoilerplatePipeline

OTHER = "https://example.com/other"
OTHER_TEXT = "The other page says something else, in a sentence of its own."
OWN = "https://example.com/page"


def other(url: str = OTHER, cls: type = HtmlResponse, **meta: Any) -> Any:
    request = scrapy.Request(meta.pop("asked", url), meta=meta)
    return cls(url, body=f"<p>{OTHER_TEXT}".encode(), encoding="utf-8", request=request)


def fetched(crawl: Crawl, *responses: Any) -> None:
    """Tell the components that the crawl has got responses, as the engine does."""
    for each in responses:
        crawl.crawler.signals.send_catch_log(
            signals.response_received,
            response=each,
            request=each.request,
            spider=crawl.crawler.spider,
        )


@dataclass
class DataclassItem:
    url: str
    text: str = ""


@pytest.mark.parametrize("cls", [dict, DataclassItem])
def test_an_item_with_the_address_of_another_response_gets_its_text(cls: Any) -> None:
    crawl, second = Crawl(), other()
    fetched(crawl, page(), second)
    mine, its, unknown = crawl.scrape(
        page(), *(cls(url=url) for url in (OWN, OTHER, "https://example.com/never-fetched"))
    )
    texts = [each["text"] if isinstance(each, (dict, scrapy.Item)) else each.text for each in
             (mine, its, unknown)]  # fmt: skip
    assert texts == [TEXT, OTHER_TEXT, TEXT]
    assert crawl.stats["pages"] == 2


@pytest.mark.parametrize(
    ("item", "text"),
    [
        ({"link": OTHER}, OTHER_TEXT),
        ({"source_url": OTHER, "title": "x"}, OTHER_TEXT),
        ({"url": OTHER + "#part"}, OTHER_TEXT),
        ({"url": "https://example.com/asked"}, OTHER_TEXT),
        ({"url": "https://example.com/before"}, OTHER_TEXT),
        ({"url": OWN, "link": OTHER}, TEXT),
        ({"url": "", "link": OTHER}, OTHER_TEXT),
        ({"url": [OTHER]}, TEXT),
        ({"previous": OTHER, "author": OTHER}, TEXT),  # which say of what page the item is not
        ({"url": "https://example.com/feed.json"}, "{"),
    ],
)
def test_the_address_of_an_item(item: dict[str, Any], text: str) -> None:
    crawl = Crawl()
    second = other(asked="https://example.com/asked", redirect_urls=["https://example.com/before"])
    json_feed = other("https://example.com/feed.json", JsonResponse)
    fetched(crawl, page(), second, json_feed)
    (got,) = crawl.scrape(page(), {**item, "text": None})
    assert got["text"] == ("" if text == "{" else text)


def test_an_item_whose_own_page_is_gone_gets_no_other(caplog: pytest.LogCaptureFixture) -> None:
    crawl = Crawl()
    fetched(crawl, other())
    gc.collect()
    assert crawl.scrape(page(), {"url": OTHER}, {"url": OTHER}) == [{"url": OTHER}] * 2
    assert crawl.stats == {"skipped/no_page": 2}
    assert caplog.text.count(f"The item of {OTHER} is not filled") == 1


def test_the_callbacks_own_response_wins_over_others_of_its_address() -> None:
    """A middleware or a browser may have put it in the place of what the server sent."""
    crawl, sent = Crawl(), other(OWN)
    fetched(crawl, sent)
    (item,) = crawl.scrape(page(), {"url": OWN})
    assert item["text"] == TEXT
    rendered = page().replace(body=b"<p>What the browser shows, in a sentence.")
    (item,) = crawl.scrape(rendered, {"url": OWN})
    assert item["text"] == "What the browser shows, in a sentence."


def test_the_other_response_lives_as_long_as_its_items_are_on_their_way() -> None:
    crawl, first = Crawl(), page()
    state = CrawlState.of(crawl.crawler)
    second, item = other(), {"url": OTHER}
    fetched(crawl, second)
    state.records.remember(item, first)
    del second
    gc.collect()
    assert crawl.process(item)["text"] == OTHER_TEXT
    del first
    gc.collect()
    assert len(state.records._by_response) == 0


def test_an_item_that_an_earlier_pipeline_replaces_is_found_by_its_address() -> None:
    class Copying:
        def process_item(self, item: Any) -> Any:
            if item.get("drop"):
                raise DropItem("as it asks for")
            return dict(item)

    crawl = Crawl({"ITEM_PIPELINES": {**BY_HAND["ITEM_PIPELINES"], Copying: 50}})
    response = page()
    fetched(crawl, response)
    assert crawl.scrape(response, {"url": OWN}, {"n": 1}) == [{"url": OWN, "text": TEXT}, {"n": 1}]
    with pytest.raises(DropItem):
        crawl.scrape(response, {"drop": True})
    del response
    gc.collect()
    assert len(CrawlState.of(crawl.crawler).records._by_response) == 0


def test_few_addresses_are_remembered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(records, "MOST_ADDRESSES", 10)
    crawl = Crawl()
    for number in range(30):
        fetched(crawl, other(f"https://example.com/{number}"))
    known = CrawlState.of(crawl.crawler).records.was_fetched
    assert [known(f"https://example.com/{number}") for number in range(30)].count(True) == 10


# -- a whole crawl -----------------------------------------------------------------------------

SPIDER = """
import sys
import scrapy
from scrapy.crawler import AsyncCrawlerProcess

class Spider(scrapy.Spider):
    name = "spider"

    async def parse(self, response):
        yield {"url": response.url, "case": "own"}
        download = self.crawler.engine.download_async
        second = await download(scrapy.Request(response.urljoin("/second")))
        yield {"url": second.url, "case": "second"}
        third = await download(scrapy.Request(response.urljoin("/third")))
        yield {"url": response.urljoin("/third"), "case": "third"}
        yield response.follow("/later", self.parse_later, cb_kwargs={"address": response.url})

    def parse_later(self, response, address):
        yield {"url": response.url, "case": "later"}
        yield {"link": address, "case": "earlier"}

process = AsyncCrawlerProcess({
    "ADDONS": {"scrapy_boilerplate.Addon": 500},
    "BOILERPLATE_SITES": False,
    "FEEDS": {"items.jsonl": {"format": "jsonlines"}},
    "LOG_LEVEL": "ERROR",
})
process.crawl(Spider, start_urls=sys.argv[1:])
process.start()
"""


def test_in_a_crawl_no_item_gets_the_text_of_another_page(tmp_path: Path) -> None:
    def serve(path: str) -> str:
        name = path.strip("/")
        return f"<title>{name}</title><p>{f'This is the page {name}, and it says so. ' * 9}"

    (tmp_path / "spider.py").write_text(SPIDER)
    with MockServer(serve) as server:
        done = processes.run([sys.executable, "spider.py", server.url("/own")], cwd=tmp_path)
    assert "ERROR" not in done.stderr
    items = [json.loads(line) for line in (tmp_path / "items.jsonl").read_text().splitlines()]
    found = {item["case"]: item.get("text", "").partition(",")[0] for item in items}
    expected = {name: f"This is the page {name}" for name in ("own", "second", "third", "later")}
    assert found.pop("earlier") in ("", expected["own"])  # as long as it is there
    assert found == expected


# -- HTML of the item's own --------------------------------------------------------------------

LONG = "It rained all day in the town, and nobody went out to look at it. " * 5


def test_links_in_an_items_html_are_relative_to_its_address() -> None:
    fields = {"text": "text", "links": "links"}
    crawl = Crawl({"BOILERPLATE_HTML_FIELD": "html", "BOILERPLATE_FIELDS": fields})
    html = f"<p>{LONG}It was <a href=next>the last day</a> of May. {LONG}"
    api = other("https://api.example/v1/items")
    for url, expected in [
        ("https://example.com/a/b", "https://example.com/a/next"),
        ("/a/b", "https://api.example/a/next"),
        (None, "https://api.example/v1/next"),
    ]:
        (item,) = crawl.scrape(api, {"html": html, **({"url": url} if url else {})})
        assert [link["href"] for link in item["links"]] == [expected]
    assert crawl.process({"html": html, "url": OTHER})["links"][0]["href"].endswith("com/next")


@pytest.mark.parametrize("encode", [str, str.encode, lambda html: html.encode("utf-16")])
@pytest.mark.parametrize("is_whole", [True, False])
def test_a_fragment_neither_teaches_its_site_nor_uses_its_model(
    tmp_path: Path, is_whole: bool, encode: Callable[[str], Any]
) -> None:
    crawl = Crawl(
        {
            "ADDONS": {"scrapy_boilerplate.Addon": 500},
            "BOILERPLATE_HTML_FIELD": "html",
            "BOILERPLATE_SITE_STORE": str(tmp_path / "sites.sqlite"),
        }
    )
    start = "<!-- made -->\n<!doctype html><html>" if is_whole else "<div>"
    for number in range(3):
        html = f"{start}<ul><li><a href=/>Home</a></ul><div class=story><p>{number} {LONG}</div>"
        assert (
            LONG.strip() in crawl.process({"url": f"{OTHER}{number}", "html": encode(html)})["text"]
        )
    stats = crawl.stats
    assert (stats.get("sites/applied", 0) > 0) is is_whole
    assert stats.get("errors", 0) == stats.get("sites/errors", 0) == 0


# -- what users write --------------------------------------------------------------------------


class Raising(dict[str, Any]):
    def __getitem__(self, name: str) -> Any:
        raise RuntimeError("no value")

    def __contains__(self, name: object) -> bool:
        raise RuntimeError("no name")


class RaisingMeta(dict[str, Any]):
    def get(self, *_: Any) -> Any:
        raise RuntimeError("no meta")


class RaisingItem(BaseModel):
    @property
    def url(self) -> str:
        raise RuntimeError("no address")


@dataclass
class RaisingField:
    text: str = ""

    def __getattribute__(self, name: str) -> Any:
        if name in ("url", "text"):
            raise RuntimeError("no field")
        return object.__getattribute__(self, name)


@pytest.mark.parametrize("item", [Raising(a=1), RaisingItem(), RaisingField()], ids=type)
def test_an_item_that_raises_goes_on(item: Any) -> None:
    crawl = Crawl()
    response = page()
    fetched(crawl, response)
    mine, its = crawl.scrape(response, item, {})
    assert mine is item
    assert its["text"] == TEXT


@pytest.mark.parametrize(
    "meta",
    [
        {"redirect_urls": 5},
        {"redirect_urls": [5, None]},
        {"boilerplate": RaisingMeta(text=1)},
        {"rule": "b"},
        {"depth": "x", "boilerplate": {"pages": True}},
    ],
)
@pytest.mark.parametrize("spider", [scrapy.Spider, CrawlSpider])
def test_what_a_request_holds_loses_no_item(meta: dict[str, Any], spider: Any) -> None:
    class Own(spider):
        name = "own"

    crawl = Crawl(spider=Own)
    response = page(**meta)
    fetched(crawl, response)
    items = crawl.scrape(response, {"n": 1}, {"url": OWN}, {"url": OTHER})
    assert [item.get("n") for item in items] == [1, None, None]


@pytest.mark.parametrize(
    "rules",
    [{"price": "//b"}, None, lambda self: [], [1], "rules", 5, property(lambda _: 1 / 0)],
)
def test_rules_of_a_plain_spider_are_its_own(rules: Any) -> None:
    class Own(scrapy.Spider):
        name = "own"

        def parse(self, response: Any) -> None:
            """Yield nothing of interest."""

    Own.rules = rules  # type: ignore[attr-defined]
    crawl = Crawl(spider=Own)
    BoilerplatePipeline.from_crawler(crawl.crawler)
    assert crawl.scrape(page(), {}) == [{"text": TEXT}]


def test_a_choice_that_raises_is_a_mistake() -> None:
    class Own(scrapy.Spider):
        name = "own"

        @property
        def boilerplate(self) -> Any:
            raise RuntimeError("not yet")

    with pytest.raises(ValueError, match="spider attribute 'boilerplate': RuntimeError: not yet"):
        Crawl(spider=Own)


def test_an_extraction_that_is_yielded_is_a_row_of_its_outputs() -> None:
    crawl, response = Crawl(), page()
    (row,) = crawl.scrape(response, extract(response, extractor="mss"))
    assert row == extract(response, extractor="mss").to_dict()
    assert row["text"] == TEXT
    assert crawl.stats == {"skipped/filled": 1}
    assert json.loads(json.dumps(row)) == row
