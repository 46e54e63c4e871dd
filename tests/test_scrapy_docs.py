"""The tables of the documentation say what the code does."""

from __future__ import annotations

import ast
import re
from collections import Counter
from pathlib import Path

import pytest
from scraping import HTML, Broken, Crawl, page
from scrapy.http import HtmlResponse
from scrapy.settings import Settings
from scrapy.utils.misc import load_object

from scrapy_boilerplate import Addon
from scrapy_boilerplate.core.answer.extraction import OUTPUTS
from scrapy_boilerplate.core.page import Page
from scrapy_boilerplate.plugin.downloadermiddlewares import BoilerplateDownloaderMiddleware
from scrapy_boilerplate.plugin.settings import SETTINGS

ROOT = Path(__file__).parent.parent


def table(name: str, heading: str = "") -> list[list[str]]:
    """Return the cells of the rows that begin with code, of a file in ``docs`` or a part of it."""
    text = (ROOT / "docs" / name).read_text().partition(f"\n## {heading}" if heading else "# ")[2]
    lines = (text.partition("\n## ")[0] if heading else text).splitlines()
    return [
        [cell.strip() for cell in line.strip("|").split("|")]
        for line in lines
        if line.startswith("| `")
    ]


def test_the_table_of_settings() -> None:
    rows = {name.strip("`"): rest for name, *rest in table("settings.md")}
    assert list(rows) == list(SETTINGS)
    for name, (kind, default, meaning) in rows.items():
        assert ast.literal_eval(default.strip("`")) == SETTINGS[name].default
        assert kind == SETTINGS[name].type
        assert meaning.endswith(".")


def test_every_setting_is_read_and_no_other() -> None:
    code = "".join(path.read_text() for path in (ROOT / "scrapy_boilerplate").rglob("*.py"))
    named = Counter(re.findall(r'"(BOILERPLATE_[A-Z_]+)"', code))
    assert named.keys() == SETTINGS.keys()
    assert min(named.values()) > 1  # in the table, and where it is read


def test_the_table_of_outputs() -> None:
    assert [name.strip("`") for name, _ in table("scrapy.md", "Outputs")] == list(OUTPUTS)


def test_the_orders_of_components_enabled_by_hand() -> None:
    text = (ROOT / "docs" / "scrapy.md").read_text()
    settings = Settings()
    Addon().update_settings(settings)
    found = re.findall(r"^([A-Z_]+) = \{\n((?:    .+\n)+)\}", text, re.M)
    named = {setting: lines for setting, lines in found if settings[setting] is not None}
    assert len(named) == 4
    for setting, lines in named.items():
        written = {
            load_object(path): order for path, order in ast.literal_eval(f"{{{lines}}}").items()
        }
        assert written == {component: component.ORDER for component in settings[setting]}


def test_every_stat_is_counted_and_no_other(monkeypatch: pytest.MonkeyPatch) -> None:
    crawl = Crawl({"BOILERPLATE_MAX_BODY": 100_000, "BOILERPLATE_MAX_NODES": 5000})
    crawl.scrape(page("<div>" * 3000 + "deep"), {}, {"text": "filled"}, "no item")
    crawl.scrape(page(boilerplate=False), {})
    crawl.scrape(page(HTML + " " * 100_000), {})
    crawl.scrape(page("<p>a " * 6000), {})
    crawl.scrape(page("<p>"), {})
    crawl.scrape(page("<p>fail", boilerplate=Broken()), {})
    misread = "<p>新闻联播今天没有播出".encode()
    crawl.scrape(HtmlResponse("https://example.com/", body=misread, encoding="gb18030"), {})
    crawl.scrape(HtmlResponse("https://example.com/", body=b"<meta charset=gbk>%s." % misread), {})
    crawl.process({})
    init = Page.__init__

    def lossy(self: Page, *args: object, **kwargs: object) -> None:
        init(self, *args, **kwargs)
        self.truncated = True

    monkeypatch.setattr(Page, "__init__", lossy)
    crawl.scrape(page(), {})
    stripping = BoilerplateDownloaderMiddleware(crawl.crawler)
    stripping.process_response(page().request, page())
    with_script = page("<script>f()</script>", boilerplate={"strip": True})
    stripping.process_response(with_script.request, with_script)
    monkeypatch.setattr(HtmlResponse, "replace", None)
    stripping.process_response(with_script.request, with_script)

    names = {name for name in crawl.crawler.stats.get_stats() if name.startswith("boilerplate/")}
    stats = [name.strip("`") for name, _ in table("stats.md")]
    in_crawls = ("boilerplate/sites/", "boilerplate/pages/")  # other tests make these
    known = [name for name in stats if not name.startswith(in_crawls)]
    patterns = {name: re.compile(re.sub(r"<\w+>", r"[\\w-]+", name)) for name in known}
    unknown = {n for n in names if not any(p.fullmatch(n) for p in patterns.values())}
    never = {n for n, p in patterns.items() if not any(p.fullmatch(name) for name in names)}
    assert (unknown, never) == (set(), set())
