"""The recipes of the documentation, run as they stand there."""

from __future__ import annotations

import importlib.util
import json
import os
import re
import shutil
import sys
from pathlib import Path
from typing import Any

import processes
import pytest
from generated_sites import METHOD, Site
from mockserver import MockServer
from scrapy.http import HtmlResponse
from scrapy.settings import Settings
from test_pipeline import Crawl

from scrapy_boilerplate import extract
from scrapy_boilerplate.learn import SiteLearner
from scrapy_boilerplate.learn.stores import open_store
from scrapy_boilerplate.plugin.settings import mistakes

RECIPES = (Path(__file__).parent.parent / "docs" / "recipes.md").read_text(encoding="utf-8")
HTML = (
    "<title>On piers | Example</title><ul><li><a href=/>Home</a></ul><h1>On piers</h1>"
    "<p>By Ada Lovelace, 4 May 2025</p>"
    + "<p>Piers are made of <b>wood</b>, which comes from the hills nearby by boat.</p>" * 3
    + "<h2>Wood: oak</h2>"
    + "<p>It is cut in winter, when the boats are idle, and floats down the river.</p>" * 2
)
SCRIPTED = (
    "<title>On piers</title><ul><li><a href=/>Home</a></ul><div id=text></div><script>"
    f"document.getElementById('text').innerHTML = {json.dumps(HTML)}</script>"
)


def blocks(title: str, language: str = "python") -> list[str]:
    """Return the blocks of code below a heading."""
    section = RECIPES.partition(f"\n## {title}\n")[2].partition("\n## ")[0]
    return re.findall(rf"^```{language}\n(.*?)^```", section, re.MULTILINE | re.DOTALL)


def run(code: str) -> dict[str, Any]:
    """Return what a block of code defines."""
    names: dict[str, Any] = {"__name__": "recipe"}
    exec(compile(code, "docs/recipes.md", "exec"), names)
    return names


def wanted_by(settings: str) -> dict[str, Any]:
    """Return the plugin's settings of a block."""
    return {k: v for k, v in run(settings).items() if k.startswith("BOILERPLATE_")}


def items(settings: str) -> list[Any]:
    """Return an item of a page, filled as these settings say."""
    crawl = Crawl({"BOILERPLATE_EXTRACTOR": "mss-tuned", **wanted_by(settings)})
    response = HtmlResponse("https://example.com/piers?a=1", body=HTML.encode(), encoding="utf-8")
    return crawl.scrape(response, {"url": response.url})


def test_chunks() -> None:
    settings, code = blocks("Chunks for a vector store (RAG)")
    (item,) = items(settings)
    names = run(code)
    stored: list[dict[str, Any]] = []
    pipeline = type("Stored", (names["Chunks"],), {"store": staticmethod(stored.append)})()
    assert pipeline.process_item(item) is item
    first, second = stored
    assert first["text"].startswith("On piers > On piers\n\n# On piers\n\nBy Ada")
    assert "It is cut" not in first["text"]
    assert second["id"] == "https://example.com/piers?a=1#1"
    assert second["metadata"]["headings"] == ["On piers", "Wood: oak"]
    assert second["text"].startswith("On piers > On piers > Wood: oak\n\n## Wood: oak\n\nIt is cut")
    assert second["metadata"]["xpath"].endswith("/h2")


def test_what_a_browser_answers_is_an_ordinary_response() -> None:
    response = HtmlResponse(  # as scrapy-playwright makes it
        "https://example.com/piers",
        headers={"Content-Type": "text/html; charset=utf-8"},
        body=HTML.encode(),
        encoding="utf-8",
        flags=["playwright"],
    )
    assert extract(response).title == "On piers"
    (item,) = Crawl({"BOILERPLATE_EXTRACTOR": "mss-tuned"}).scrape(response, {"url": response.url})
    assert "Piers are made of wood" in item["text"]


CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")


@pytest.mark.skipif(
    importlib.util.find_spec("scrapy_playwright") is None, reason="scrapy-playwright is missing"
)
@pytest.mark.skipif(CHROMIUM is None, reason="no chromium on this machine")
def test_what_scripts_have_loaded_is_read_with_a_real_browser(tmp_path: Path) -> None:
    (code,) = blocks("Pages that a browser renders")
    launch = {"executable_path": CHROMIUM, "args": ["--no-sandbox"]}
    with MockServer({"/": SCRIPTED}) as server:
        (tmp_path / "spider.py").write_text(f'{code}\n    address = "{server.url()}"\n')
        command = [sys.executable, "-m", "scrapy", "runspider", "spider.py", "-O", "items.json"]
        options = ["-s", f"PLAYWRIGHT_LAUNCH_OPTIONS={json.dumps(launch)}"]
        done = processes.run([*command, *options], cwd=tmp_path)
    found = json.loads((tmp_path / "items.json").read_text() or "[]")
    assert len(found) == 1, done.stderr
    assert "Piers are made of wood" in found[0]["text"]


def test_the_shell(tmp_path: Path) -> None:
    (block,) = blocks("In `scrapy shell`", language="")
    first, *lines = block.splitlines()
    assert first.startswith("$ scrapy shell ")
    (tmp_path / "page.html").write_text(HTML)
    command = [sys.executable, "-m", "scrapy", "shell", "--nolog"]
    done = processes.run(
        [*command, (tmp_path / "page.html").as_uri()],
        input="".join(line.removeprefix(">>> ") + "\n" for line in lines),
        cwd=tmp_path,
        env={**os.environ, "SCRAPY_PYTHON_SHELL": "python"},
    )
    assert "# On piers\n\nBy Ada" in done.stdout, done.stderr
    assert "'authors': 'by-line'" in done.stdout


def front(*numbers: int) -> str:
    return "".join(f"<li><a href=/{number}.html>Piers {number}</a>" for number in numbers)


def test_monitor(tmp_path: Path) -> None:
    settings, code = blocks("Monitor news")
    article = HTML.replace("Piers are", "Piers {0} are")
    pages = {"/": front(1, 2), "/1.html": article.format(1), "/2.html": article.format(2)}
    (tmp_path / "settings.py").write_text(
        f'{settings}\nADDONS = {{"scrapy_boilerplate.Addon": 500}}\n'
    )
    (tmp_path / "scrapy.cfg").write_text("[settings]\ndefault = settings\n")
    command = "scrapy runspider monitor.py -s JOBDIR=monitor-job -o news.jsonl".split()
    came = []
    with MockServer(pages) as server:
        (tmp_path / "monitor.py").write_text(code.replace("https://example.com/", server.url()))
        for _ in range(2):
            done = processes.run([sys.executable, "-m", *command], cwd=tmp_path)
            lines = (tmp_path / "news.jsonl").read_text().splitlines()
            came.append([json.loads(line)["url"].rpartition("/")[2] for line in lines])
            assert came[-1], done.stderr
            pages |= {"/": front(1, 2, 3), "/3.html": article.format(3)}
    assert [sorted(each) for each in came] == [
        ["1.html", "2.html"],
        ["1.html", "2.html", "3.html"],
    ]
    assert (tmp_path / "monitor-job" / "boilerplate" / "sites.sqlite").exists()


def test_corpus() -> None:
    (settings,) = blocks("Build a corpus")
    crawl = Crawl({"BOILERPLATE_EXTRACTOR": "auto", **wanted_by(settings)})
    response = HtmlResponse("https://example.com/piers", body=HTML.encode(), encoding="utf-8")
    (item,) = crawl.scrape(response, {"url": response.url})
    assert item["prevertical"].startswith("<doc ")
    assert item["date"] == "2025-05-04"
    assert 0 < item["confidence"] <= 1


def test_forum() -> None:
    settings, code = blocks("Read a forum")
    post = (
        "<div class=post id=p{0}><span class=author>Ada {0}</span> <time datetime=2025-05-0{0}>"
        "{0} May 2025</time><div class=content>I was there in winter {0}, and it was cold."
        "</div></div>"
    )
    html = "<title>Piers</title><h1>Piers</h1>" + "".join(map(post.format, range(1, 6)))
    crawl = Crawl({"BOILERPLATE_EXTRACTOR": "auto", **wanted_by(settings)})
    response = HtmlResponse("https://example.com/viewtopic.php?t=1", body=html.encode())
    (item,) = crawl.scrape(response, {"url": response.url})
    assert len(item["posts"]) == 5
    (filled,) = [run(code)["OneItemAPost"]().process_item(item)]
    assert filled["posts"][0].startswith("Ada 1: I was there")


def test_notebook(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (code,) = blocks("In a notebook")
    monkeypatch.chdir(tmp_path)
    learner = SiteLearner(store=open_store(".scrapy/boilerplate/sites.sqlite"))
    for made in Site("example.com").pages(22):
        learner.observe(made.page(), METHOD.extract(made.page()))
    learner.flush()
    page = Site("example.com").pages(23)[-1]
    names: dict[str, Any] = {"html": page.html}
    exec(compile(code, "docs/recipes.md", "exec"), names)
    assert names["model"].pages == 20
    assert names["answer"].text
    assert names["answer"]._repr_html_().startswith("<figure")


def test_many_machines() -> None:
    (settings,) = blocks("On many machines")
    found = wanted_by(settings)
    assert re.fullmatch(r"reports/.+-\d+\.json", found["BOILERPLATE_REPORT"])
    assert not list(mistakes(Settings(found)))
