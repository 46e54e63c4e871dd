"""What scrapy-poet injects, in a crawl of a local server."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import processes
import pytest
from mockserver import MockServer

pytest.importorskip("scrapy_poet")
pytest.importorskip("zyte_common_items")

LATER = "Nobody on this site has ever written more than one long sentence about the sea."
HTML = (
    "<title>On piers | Example</title><div id=text><h1>On piers</h1><p>By Ada Lovelace, 4 May 2025"
    + "<p>Piers are made of <a href=/wood>wood</a>, which comes from the hills nearby by boat.</p>"
    * 5
    + f"</div><div id=more><p>{LATER}</p></div>"
)
SPIDER = """
import attrs
import scrapy
from web_poet import ItemPage, field
from zyte_common_items import Article, ForumThread

from scrapy_boilerplate import Extraction, extract_with


@attrs.define
class Headline(ItemPage[dict]):
    extraction: Extraction

    @field
    def headline(self):
        return self.extraction.title


class Spider(scrapy.Spider):
    name = "poet"
    boilerplate = {"links": False}
    custom_settings = {
        "ADDONS": {"scrapy_boilerplate.Addon": 500, "scrapy_poet.Addon": 300},
        "SCRAPY_POET_PROVIDERS": {
            "scrapy_boilerplate.plugin.poet.ExtractionProvider": 500,
            "scrapy_boilerplate.plugin.poet.ItemProvider": 501,
        },
        "BOILERPLATE_EXTRACTOR": "mss",
        "BOILERPLATE_FIELDS": {},
        "BOILERPLATE_SITE_STORE": "sites.sqlite",
    }

    @extract_with("mss-tuned")
    async def parse(self, response, extraction: Extraction, page: Headline):
        yield {
            "method": extraction.extractor,
            "text": extraction.text,
            "markdown": extraction.markdown,
            **await page.to_item(),
        }
        meta = {"boilerplate": {"extractor": "bte", "fields": {}}}
        yield response.follow("/again", self.parse_item, meta=meta)

    async def parse_item(self, response, article: Article, thread: ForumThread):
        yield article
        yield {"method": "thread", "topic": thread.topic.name, "posts": thread.posts}
"""


def crawl(
    folder: Path, *, containers: tuple[str, ...] = (), later: Sequence[str] = ()
) -> tuple[dict[str, Any], str]:
    """Return the items by their method, and the log; items without a method, by ``article``.

    With *later* pages each article goes on there, and the spider wants all of them.
    """
    options = ["-s", "BOILERPLATE_SITE_RULES=rules.json"] if containers else []
    pages = {"/piers": HTML, "/again": HTML}
    spider = SPIDER
    if later:
        links = "".join(f"<a href='?page={number}'>{number}</a> " for number in (1, 2, 3))
        first = {path: html + links for path, html in pages.items()}
        pages = dict(first)
        for number, html in enumerate(later, start=2):
            pages |= {f"{path}?page={number}": html + links for path in first}
        spider = spider.replace('"links": False', '"links": False, "pages": True')
    with MockServer(pages) as server:
        rule = {"site": server.url("").partition("//")[2], "containers": containers}
        (folder / "rules.json").write_text(json.dumps([rule]))
        (folder / "spider.py").write_text(
            f'{spider}\n    start_urls = ["{server.url("/piers")}"]\n'
        )
        command = [sys.executable, "-m", "scrapy", "runspider", "spider.py", "-O", "items.json"]
        done = processes.run([*command, *options], cwd=folder)
    items = json.loads((folder / "items.json").read_text() or "[]")
    assert len(items) == 3, done.stderr
    return {item.get("method", "article"): item for item in items}, done.stderr


def test_callbacks_and_page_objects_get_what_they_ask_for(tmp_path: Path) -> None:
    found, _ = crawl(tmp_path)
    item = found["mss-tuned"]  # by the callback, with the spider's switch
    assert item["headline"] == "On piers"
    assert "Piers are made of wood, which" in item["markdown"]
    assert LATER in item["text"]
    article = found["article"]
    assert (article["headline"], article["datePublished"]) == ("On piers", "2025-05-04")
    assert article["datePublishedRaw"] == "4 May 2025"
    assert article["url"].endswith("/again")
    assert "<a" not in article["articleBodyHtml"]
    assert found["thread"] == {"method": "thread", "topic": "On piers", "posts": None}


def test_what_is_known_of_a_site_counts(tmp_path: Path) -> None:
    found, _ = crawl(tmp_path, containers=("div#text",))
    for text in (found["mss-tuned"]["text"], found["article"]["articleBody"]):
        assert "Piers are made of wood" in text
        assert LATER not in text


def test_all_pages_of_an_article_count(tmp_path: Path) -> None:
    told = ("Their oldest planks were cut from", "New ones rest on concrete instead of")
    later = [HTML.replace("Piers are made of", words) for words in told]
    found, log = crawl(tmp_path, later=later)
    for text in (found["mss-tuned"]["text"], found["article"]["articleBody"]):
        assert text.index("Piers are made of") < text.index(told[0]) < text.index(told[1])
    assert "'boilerplate/pages/joined': 4" in log
    assert "'downloader/request_count': 6" in log  # nothing is made for pages without a callback
