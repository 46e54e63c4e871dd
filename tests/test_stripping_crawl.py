"""Spiders that read scripts, in a project whose settings have the add-on and nothing else."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from textwrap import dedent, indent
from typing import Any

import processes
import pytest
from mockserver import MockServer

STATE = '{"price": 3}'
PAGE = f"""<html><head><title>Shop</title>
<script src="/app.js"></script>
<script>window.__STATE__ = {STATE};</script>
<script id="__NEXT_DATA__" type="application/json">{STATE}</script>
<script type="text/x-template"><b>price</b></script>
<script id="late">later = {STATE};</script>
<style>.price {{ color: red }}</style></head>
<body><h1>A thing</h1><p class="price" data-id="7">3.00</p>
<p>It is a thing that many people want to have, and it costs no more than three.</p>
<script>track("p")</script></body></html>"""

READ = {
    # What a spider does with scripts; each gives {{"found": …}}.
    "json_of_a_data_block": """
        import json
        found = json.loads(response.css("#__NEXT_DATA__::text").get())["price"]
    """,
    "script_text_re": """
        found = response.css("script::text").re(r"__STATE__ = (.*);")
    """,
    "regex_on_body": """
        import re
        found = re.search(rb"__STATE__ = (.*);", response.body)[1].decode()
    """,
    "all_text": """
        found = response.xpath("//body//text()").getall()
    """,
    "sources": """
        found = response.css("script::attr(src)").getall() + response.xpath("//script/@id").getall()
    """,
    "plain": """
        found = [response.css("h1::text").get(), response.xpath("//p[1]/@data-id").get()]
    """,
}
FILES = {
    "scrapy.cfg": "[settings]\ndefault = shop.settings\n",
    "shop/__init__.py": "",
    "shop/settings.py": 'SPIDER_MODULES = ["shop.spiders"]\n'
    'ADDONS = {"scrapy_boilerplate.Addon": 500}\n',
    "shop/spiders/__init__.py": "",
    "run.py": """
        import json, sys
        from scrapy.crawler import AsyncCrawlerProcess
        from scrapy.utils.project import get_project_settings

        url, *options = sys.argv[1:]
        settings = get_project_settings()
        settings.setdict(dict(option.split("=") for option in options), "cmdline")
        settings.set("FEEDS", {"%(name)s.json": {"format": "json", "overwrite": True}}, "cmdline")
        settings.set("TELNETCONSOLE_ENABLED", False, "cmdline")
        process = AsyncCrawlerProcess(settings)
        crawlers = [process.create_crawler(name) for name in process.spider_loader.list()]
        for crawler in crawlers:
            process.crawl(crawler, url=url)
        process.start()
        print(json.dumps({c.spider.name: c.stats.get_stats() for c in crawlers}, default=str))
    """,
}


SPIDER = """
    import scrapy


    class OneSpider(scrapy.Spider):
        name = "{name}"

        async def start(self):
            yield scrapy.Request(self.url, self.parse)

        def parse(self, response):
    {read}
            yield {{"found": found}}
"""


class Crawl:
    """What each spider has found, what its stats and the log say."""

    def __init__(self, folder: Path, url: str, *options: str) -> None:
        done = run(folder, sys.executable, "-W", "error", "run.py", url, *options)
        self.stats: dict[str, Any] = json.loads(done.stdout)
        items = {name: json.loads((folder / f"{name}.json").read_text() or "[]") for name in READ}
        self.found = {name: found[0]["found"] if found else None for name, found in items.items()}
        self.log = done.stderr

    def is_stripped(self, name: str) -> bool:
        return self.stats[name].get("boilerplate/strip/bytes_removed", 0) > 0


def run(folder: Path, *command: str, **variables: str) -> subprocess.CompletedProcess[str]:
    return processes.run(command, cwd=folder, env={**os.environ, **variables}, check=True)


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    with MockServer(lambda _: PAGE) as server:
        yield server.url("/")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project as its user would write it, with all spiders."""
    folder = tmp_path_factory.mktemp("shop")
    spiders = {
        f"shop/spiders/{name}.py": dedent(SPIDER).format(
            name=name, read=indent(dedent(read).strip("\n"), " " * 8)
        )
        for name, read in READ.items()
    }
    for path, source in {**FILES, **spiders}.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(dedent(source).lstrip("\n"))
    return folder


@pytest.fixture(scope="module")
def with_addon(folder: Path, url: str) -> Crawl:
    return Crawl(folder, url)


@pytest.fixture(scope="module")
def without_plugin(folder: Path, url: str) -> Crawl:
    return Crawl(folder, url, "ADDONS={}")


@pytest.mark.parametrize("name", READ)
def test_what_was_found_yesterday_is_found_tomorrow(
    name: str, with_addon: Crawl, without_plugin: Crawl
) -> None:
    assert with_addon.found[name]
    assert with_addon.found[name] == without_plugin.found[name]
    assert with_addon.stats[name]["boilerplate/items"] == 1
    assert "boilerplate/items" not in without_plugin.stats[name]


def test_nothing_is_stripped_unless_the_user_asks(with_addon: Crawl) -> None:
    assert not any(map(with_addon.is_stripped, READ))


def test_settings_of_the_user_decide_and_the_cache_keeps_whole_pages(
    folder: Path, url: str, without_plugin: Crawl
) -> None:
    stripped = Crawl(folder, url, "BOILERPLATE_STRIP=True", "HTTPCACHE_ENABLED=True")
    assert all(map(stripped.is_stripped, READ))
    assert stripped.found["script_text_re"] == []
    assert stripped.found["plain"] == ["A thing", "7"]
    assert stripped.found["json_of_a_data_block"] == 3
    assert stripped.found["sources"] == ["/app.js", "__NEXT_DATA__", "late"]
    cached = Crawl(folder, url, "HTTPCACHE_ENABLED=True")
    assert cached.found == without_plugin.found
    assert {cached.stats[name]["httpcache/hit"] for name in READ} == {1}


# Commands. With this setting the spider itself would see no script.
FORCED = ("-s", "BOILERPLATE_STRIP=True")
SCRAPY = (sys.executable, "-W", "error", "-m", "scrapy")


def test_fetch_shows_the_page_as_it_was_sent(folder: Path, url: str) -> None:
    done = run(folder, *SCRAPY, "fetch", "--nolog", *FORCED, url)
    assert done.stdout.rstrip("\n") == PAGE


def test_parse_shows_the_page_as_it_was_sent(folder: Path, url: str) -> None:
    arguments = ["-a", f"url={url}", "--spider", "script_text_re", "--nocolour"]
    done = run(folder, *SCRAPY, "parse", "--nolog", *FORCED, *arguments, url)
    assert f"'found': [{STATE!r}]" in done.stdout
