"""Scrapy's own commands in a project: feeds of corpora, spider arguments, ``parse``, ``shell``."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from importlib.metadata import entry_points
from pathlib import Path

import processes
import pytest
from generated_sites import Site
from lxml import etree
from mockserver import MockServer
from scrapy.commands import ScrapyCommand

from scrapy_boilerplate.core.answer.output.tei import TEI_NAMESPACE

SETTINGS = """
from scrapy_boilerplate.plugin.exporters import FEED_EXPORTERS

ADDONS = {"scrapy_boilerplate.Addon": 500}
SPIDER_MODULES = ["spiders"]
BOILERPLATE_EXTRACTOR = "mss-tuned"
TELNETCONSOLE_ENABLED = False
"""
SPIDER = """
import scrapy

class Blog(scrapy.Spider):
    name = "blog"
    start_urls = ["{url}"]

    def parse(self, response):
        yield {{"url": response.url}}
        if response.url.endswith("/1"):
            yield scrapy.Request(response.urljoin("/2"), self.parse_more)

    async def parse_more(self, response):
        yield {{"url": response.url, "more": True}}
"""
PAGES = {f"/{n}": made.html for n, made in enumerate(Site("example.com").pages(2), start=1)}


@pytest.fixture
def url(tmp_path: Path) -> Iterator[str]:
    """The address of a page; its project is in the temporary folder."""
    with MockServer(PAGES) as server:
        (tmp_path / "scrapy.cfg").write_text("[settings]\ndefault = settings\n")
        (tmp_path / "settings.py").write_text(SETTINGS)
        (tmp_path / "spiders.py").write_text(SPIDER.format(url=server.url("/1")))
        yield server.url("/1")


def scrapy(folder: Path, *arguments: str, text: str = "") -> subprocess.CompletedProcess[str]:
    env = {**os.environ, "SCRAPY_PYTHON_SHELL": "python"}
    command = [sys.executable, "-m", "scrapy", *arguments]
    return processes.run(command, cwd=folder, env=env, input=text)


@pytest.mark.usefixtures("url")
@pytest.mark.parametrize("option", ["-O", "-o"])
def test_corpus_formats_on_the_command_line(tmp_path: Path, option: str) -> None:
    for feed in ("c.tei", "c.prevertical", "c.xml:tei"):
        done = scrapy(tmp_path, "crawl", "blog", option, feed)
        assert done.returncode == 0, done.stderr
    for name in ("c.tei", "c.xml"):
        corpus = etree.parse(tmp_path / name)
        assert len(list(corpus.iter(f"{{{TEI_NAMESPACE}}}TEI"))) == 2
    assert (tmp_path / "c.prevertical").read_text().count("<doc ") == 2


def test_feeds_need_no_more_than_the_add_on(tmp_path: Path, url: str) -> None:
    lines = SETTINGS.splitlines()[3:]
    feeds = {"c.tei": {"format": "tei"}, "c.prevertical": {"format": "prevertical"}}
    (tmp_path / "settings.py").write_text("\n".join([*lines, f"FEEDS = {feeds!r}"]))
    done = scrapy(tmp_path, "crawl", "blog")
    assert url in (tmp_path / "c.tei").read_text(), done.stderr
    assert url in (tmp_path / "c.prevertical").read_text()


@pytest.mark.usefixtures("url")
def test_a_spider_argument_in_braces_is_json(tmp_path: Path) -> None:
    choice = {"extractor": "mss", "tag_score": -1, "fields": {"body": "text"}, "strip": False}
    argument = f"boilerplate={json.dumps(choice)}"
    done = scrapy(tmp_path, "crawl", "blog", "-a", argument, "-O", "items.json")
    items = json.loads((tmp_path / "items.json").read_text() or "[]")
    assert [bool(item["body"]) for item in items] == [True, True], done.stderr


@pytest.mark.usefixtures("url")
def test_a_spider_argument_that_is_not_valid_json_stops_the_crawl(tmp_path: Path) -> None:
    done = scrapy(tmp_path, "crawl", "blog", "-a", "boilerplate={'extractor': 'mss'}")
    assert done.returncode == 1
    message = "- spider attribute 'boilerplate': \"{'extractor': 'mss'}\" is not valid JSON: Expect"
    assert done.stderr.count(message) == 1
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("options", [[], ["--pipelines"], ["-o", "items.json"]])
def test_parse_shows_the_text(tmp_path: Path, url: str, options: list[str]) -> None:
    command = ["parse", "--nocolour", "--spider", "blog", "--depth", "2", *options, url]
    done = scrapy(tmp_path, *command)
    shown = done.stdout.partition("# Scraped Items")[2].partition("# Requests")[0]
    assert shown, done.stderr
    items = eval(shown.partition("\n")[2])  # as Python writes it
    assert [(item["url"][-2:], bool(item["text"])) for item in items] == [
        ("/1", True),
        ("/2", True),
    ]
    assert items[0]["text"] != items[1]["text"]
    assert "ERROR" not in done.stderr
    done = scrapy(tmp_path, "boilerplate-sites", "list")
    assert "127.0.0.1" not in done.stdout  # a look at a page teaches nothing
    if options[:1] == ["-o"]:
        assert len(json.loads((tmp_path / "items.json").read_text())) == 2


@pytest.mark.parametrize("options", [[], ["--pipelines"]])
def test_parse_shows_the_text_of_all_pages(tmp_path: Path, options: list[str]) -> None:
    story = (
        "<p>Rain fell on the {0} day of that month, and on the {0} day people stayed at home.</p>"
    )
    html = "<h1>The story of rain</h1>" + story * 5 + "<p>1 <a href='/story?page=2'>2</a></p>"
    pages = {"/story": html.format("first"), "/story?page=2": html.format("second")}
    (tmp_path / "scrapy.cfg").write_text("[settings]\ndefault = settings\n")
    (tmp_path / "settings.py").write_text(SETTINGS)
    with MockServer(pages) as server:
        spider = SPIDER.format(url=server.url("/story"))
        (tmp_path / "spiders.py").write_text(f"{spider}\n    boilerplate = {{'pages': True}}\n")
        command = ["parse", "--nocolour", "--spider", "blog", *options, server.url("/story")]
        done = scrapy(tmp_path, *command)
    assert "the second day" in done.stdout.partition("the first day")[2], done.stderr
    assert "ERROR" not in done.stderr


def test_the_shell_extracts_in_one_line(tmp_path: Path, url: str) -> None:
    code = "from scrapy_boilerplate import extract\nprint('<', extract(response).text, '>')\n"
    done = scrapy(tmp_path, "shell", "--nolog", url, text=code)
    assert len(done.stdout.partition("< ")[2].partition(" >")[0]) > 100, done.stderr


@pytest.mark.parametrize("name", ["inspect", "report", "sites"])
def test_scrapy_knows_our_commands(name: str) -> None:
    (point,) = entry_points(group="scrapy.commands", name=f"boilerplate-{name}")
    assert issubclass(point.load(), ScrapyCommand)
