"""Scrapy's own commands in a project: feeds of corpora, spider arguments, ``parse``, ``shell``."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import closing
from functools import partial
from pathlib import Path

import processes
import pytest
from cases import rows
from generated_sites import Site
from lxml import etree
from mockserver import MockServer
from scrapy.cmdline import execute
from storing import METHOD, SITE, learner, page, write_raw

from scrapy_boilerplate.core.answer.output.tei import TEI_NAMESPACE
from scrapy_boilerplate.learn import SiteLearner, load_models
from scrapy_boilerplate.learn.rule_files import load_rules
from scrapy_boilerplate.learn.stores import open_store

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


# -- ``scrapy boilerplate-sites``, as a person runs it --------------------------------------------

Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def run(command: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Run the command in a folder without a project; return exit code, output and errors."""
    monkeypatch.chdir(tmp_path)
    return partial(command, execute, "scrapy", "boilerplate-sites")


@pytest.fixture
def store(tmp_path: Path) -> str:
    """Return the address of a store with a site being learned, and one that is frozen."""
    address = str(tmp_path / "sites.sqlite")
    with closing(open_store(address)) as opened:
        learner(range(5), opened).flush()
        learner(range(25), opened, "known.example").flush()
    return address


def refused(result: tuple[int, str, str], code: int = 1) -> str:
    """Assert that the command said why in one line; return the line."""
    got, out, error = result
    assert (got, out) == (code, "")
    assert error.startswith("boilerplate-sites: ")
    assert error.count("\n") == 1
    return error


def test_list(run: Run, store: str) -> None:
    code, out, error = run("list", "--store", store)
    assert (code, error) == (0, "")
    assert [line.split() for line in out.splitlines()] == [
        ["site", "state", "pages", "container"],
        [SITE, "learning", "5", "div.story"],
        ["known.example", "learned", "20", "div.story"],
    ]


def test_list_shows_what_is_damaged(run: Run, store: str) -> None:
    write_raw(store, "states", SITE, b"nothing")
    code, out, _ = run("list", "--store", store)
    assert code == 0
    assert out.splitlines()[1].split() == [SITE, "damaged", "0", "-"]
    assert "damaged; forget it" in refused(run("show", SITE, "--store", store))


def test_show(run: Run, store: str) -> None:
    code, out, _ = run("show", "known.example", "--store", store)
    model = load_models(out)["known.example"]
    assert code == 0
    assert (model.pages, model.containers[0].name) == (20, "div.story")
    assert sorted(load_models(run("show", "--store", store)[1])) == [SITE, "known.example"]


def test_what_is_shown_is_a_file_of_rules(run: Run, store: str) -> None:
    (form,) = json.loads(run("show", SITE, "--store", store)[1])
    form["containers"] = ["h1"]
    Path("rules.json").write_text(json.dumps([form]))
    with closing(open_store(store)) as opened:
        model = SiteLearner(store=opened, rules=load_rules("rules.json")).model(SITE)
    assert model.apply(page(1), METHOD).text == Site(SITE).title(1)


def test_forget(run: Run, store: str) -> None:
    code, out, error = run("forget", SITE, "hand.example", "--store", store)
    assert (code, out) == (1, "1 site forgotten\n")
    assert error == "boilerplate-sites: not known: hand.example\n"
    assert "known.example" in run("list", "--store", store)[1]
    assert run("forget", "--all", "--store", store)[:2] == (0, "1 site forgotten\n")
    assert "there are no sites in" in refused(run("list", "--store", store))


def test_default_store_is_that_of_the_project(run: Run, store: str, tmp_path: Path) -> None:
    (tmp_path / "scrapy.cfg").write_text("[settings]\ndefault = own_settings\n")
    (tmp_path / "own_settings.py").write_text("")
    command = [sys.executable, "-m", "scrapy", "boilerplate-sites", "list"]
    done = processes.run(command, cwd=tmp_path)
    default = tmp_path / ".scrapy" / "boilerplate" / "sites.sqlite"
    assert done.returncode == 1
    assert done.stderr == (
        f"boilerplate-sites: no site store at {default}; name another with --store\n"
    )
    assert not default.exists()
    default.parent.mkdir(parents=True)
    Path(store).rename(default)
    done = processes.run(command, cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    assert SITE in done.stdout


@pytest.mark.parametrize(("arguments", "message"), rows("wrong_usage_of_sites"))
def test_wrong_usage(run: Run, arguments: str, message: str) -> None:
    line = refused(run(*arguments.split()), 2)
    assert message in line
    assert "usage: scrapy boilerplate-sites list | show [SITE" in line


def test_wrong_store_and_unknown_site(run: Run, store: str) -> None:
    assert "'x.example' is unknown" in refused(run("show", "x.example", "--store", store))
    assert "no site store at gone" in refused(run("show", "x", "--store", "gone"))
    assert not Path("gone").exists()
