"""The recipes of the documentation, run as they stand there."""

from __future__ import annotations

import json
import os
import re
import shlex
import sys
from contextlib import closing
from pathlib import Path
from typing import Any

import processes
import pytest
from generated_sites import METHOD, Site
from lxml import etree
from mockserver import MockServer
from scraping import Crawl
from scrapy.http import HtmlResponse
from scrapy.settings import Settings

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


def blocks(title: str, language: str = "python") -> list[str]:
    """Return the blocks of code below a heading."""
    section = RECIPES.partition(f"\n## {title}\n")[2].partition("\n## ")[0]
    return re.findall(rf"^```{language}\n(.*?)^```", section, re.MULTILINE | re.DOTALL)


def run(code: str) -> dict[str, Any]:
    """Return what a block of code defines."""
    names: dict[str, Any] = {"__name__": "recipe"}
    exec(compile(code, "docs/recipes.md", "exec"), names)
    return names


ADDON = 'ADDONS = {"scrapy_boilerplate.Addon": 500}\nDOWNLOAD_DELAY = 0\n'


def crawls(title: str) -> list[str]:
    """Return the crawls of a recipe, as they stand there."""
    return re.findall(r"^\$ (scrapy crawl .*)", "".join(blocks(title, "console")), re.M)


class Project:
    """A project as ``scrapy startproject news`` makes it, with the files of recipes."""

    def __init__(self, folder: Path, *titles: str) -> None:
        self.folder = folder
        processes.run([sys.executable, "-m", "scrapy", "startproject", "news", "."], cwd=folder)
        self.add(f"# news/settings.py\n{ADDON}")
        for title in titles:
            for block in blocks(title):
                self.add(block)

    def add(self, block: str) -> None:
        """Write a block of code to the file that its first line names; settings are appended."""
        path = self.folder / block.partition("\n")[0].removeprefix("# ")
        assert path.parent.is_dir(), path
        with path.open("a" if path.name == "settings.py" else "w", encoding="utf-8") as file:
            file.write(f"\n{block}")

    def crawl(self, server: MockServer, *commands: str) -> str:
        """Run commands on a server here; return the log."""
        for path in (self.folder / "news" / "spiders").glob("*.py"):
            code = path.read_text().replace("https://example.com/", server.url())
            path.write_text(code.replace("example.com", "127.0.0.1"))
        log = ""
        for command in commands:
            words = shlex.split(command, comments=True)
            log += processes.run([sys.executable, "-m", *words], cwd=self.folder).stderr
        assert " ERROR: " not in log, log
        assert "Spider closed" in log, log
        return log


def wanted_by(settings: str) -> dict[str, Any]:
    """Return the plugin's settings of a block."""
    return {k: v for k, v in run(settings).items() if k.startswith("BOILERPLATE_")}


def items(settings: str) -> list[Any]:
    """Return an item of a page, filled as these settings say."""
    crawl = Crawl({"BOILERPLATE_EXTRACTOR": "mss-tuned", **wanted_by(settings)})
    response = HtmlResponse("https://example.com/piers?a=1", body=HTML.encode(), encoding="utf-8")
    return crawl.scrape(response, {"url": response.url})


def front(*numbers: int) -> str:
    return "".join(f"<li><a href=/{number}.html>Piers {number}</a>" for number in numbers)


def test_chunks(tmp_path: Path) -> None:
    pytest.importorskip("langchain_core", reason="langchain-core is not installed")
    title = "Chunks for a vector store (RAG)"
    project = Project(tmp_path, title)
    project.add(blocks("Build a corpus")[1])
    long = HTML + "<p>They are as old as the town, which was built at the river.</p>" * 60
    with MockServer({"/": front(1), "/1.html": long}) as server:
        project.crawl(server, "scrapy crawl corpus")
        address = server.url("/1.html")
    stored = json.loads((tmp_path / "chunks.json").read_text())
    found = [each for each in stored.values() if each["metadata"]["url"] == address]
    first, second, *more = found
    assert first["text"].startswith("On piers\n\nBy Ada")
    assert "It is cut" not in first["text"]
    assert (second["id"], second["metadata"]["headings"]) == (
        f"{address}#1",
        ["On piers", "Wood: oak"],
    )
    assert second["text"].startswith("On piers > Wood: oak\n\nIt is cut")
    assert second["metadata"]["xpath"].endswith("/h2")
    assert len(more) > 1
    assert all(each["text"].startswith("On piers > Wood: oak\n\nThey are") for each in more)
    assert max(len(each["text"].split()) for each in found) <= 300 + 5


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


def articles(*numbers: int) -> dict[str, str]:
    pages = {f"/{n}.html": HTML.replace("Piers are", f"Piers {n} are") for n in numbers}
    return {"/": f"{front(*numbers)}<li><a href='mailto:ada@example.com'>Write to us</a>", **pages}


def test_monitor(tmp_path: Path) -> None:
    project, pages = Project(tmp_path, "Monitor news"), articles(1, 2)
    came = []
    with MockServer(pages) as server:
        for _ in range(2):
            log = project.crawl(server, *crawls("Monitor news"))
            lines = (tmp_path / "news.jsonl").read_text().splitlines()
            came.append([json.loads(line)["url"].rpartition("/")[2] for line in lines])
            assert came[-1], log
            pages |= articles(1, 2, 3)
    assert [sorted(each) for each in came] == [
        ["1.html", "2.html"],
        ["1.html", "2.html", "3.html"],
    ]
    assert (tmp_path / "monitor-job" / "boilerplate" / "sites.sqlite").exists()


def test_corpus(tmp_path: Path) -> None:
    project = Project(tmp_path, "Build a corpus")
    with MockServer(articles(1)) as server:
        project.crawl(server, *crawls("Build a corpus"))
    corpus = etree.parse(tmp_path / "corpus.tei")
    space = {"t": "http://www.tei-c.org/ns/1.0"}
    facts = ["titleStmt/t:title", "titleStmt/t:author", "bibl/t:date"]
    for fact, wanted in zip(facts, ["On piers", "Ada Lovelace", "4 May 2025"], strict=True):
        found = [each.text for each in corpus.iterfind(f".//t:TEI//t:{fact}", space)]
        assert wanted in found or "2025-05-04" in found, (fact, found)
    assert 'author="Ada Lovelace"' in (tmp_path / "corpus.prevertical").read_text()


def test_parquet(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    parquet = pytest.importorskip("pyarrow.parquet", reason="pyarrow is not installed")
    _, code = blocks("Write Parquet")
    monkeypatch.chdir(tmp_path)
    rows = [{"url": f"https://example.com/{n}", "text": HTML, "tags": ["wood"]} for n in range(3)]
    Path("corpus.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    run(code)
    assert parquet.read_table("corpus.parquet").to_pylist() == rows


def test_parquet_feed(tmp_path: Path) -> None:
    reason = "scrapy-contrib-bigexporters is not installed; it needs Python 3.12"
    pytest.importorskip("zuinnote.scrapy.contrib.bigexporters", reason=reason)
    parquet = pytest.importorskip("pyarrow.parquet")
    project = Project(tmp_path)
    project.add(blocks("Build a corpus")[1])
    project.add(blocks("Write Parquet")[0])
    project.add('# news/settings.py\nBOILERPLATE_FIELDS = {"text": "text", "authors": "authors"}\n')
    with MockServer(articles(1, 2)) as server:
        project.crawl(server, *crawls("Write Parquet"))
    rows = parquet.read_table(tmp_path / "corpus.parquet").to_pylist()
    assert sum("made of wood" in row["text"] for row in rows) == 2
    assert sum(row["authors"] == ["Ada Lovelace"] for row in rows) == 2


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
    (filled,) = [run(code)["NamedPosts"]().process_item(item)]
    assert filled["posts"][0].startswith("Ada 1: I was there")


def test_notebook(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (code,) = blocks("In a notebook")
    monkeypatch.chdir(tmp_path)
    with closing(open_store(".scrapy/boilerplate/sites.sqlite")) as store:
        learner = SiteLearner(store=store)
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


@pytest.mark.parametrize(("page", "spider"), [("README.md", "news"), ("docs/scrapy.md", "poet")])
def test_the_spiders_of_other_pages(page: str, spider: str, tmp_path: Path) -> None:
    project = Project(tmp_path)
    text = (Path(__file__).parent.parent / page).read_text(encoding="utf-8")
    for block in re.findall(r"^```python\n(# news/.*?)^```", text, re.M | re.S):
        project.add(block)
    pages = {"/": HTML} if spider == "poet" else articles(1, 2)
    pages["/"] += "<li><a href='https://elsewhere.example/'>Another site</a>"
    with MockServer(pages) as server:
        log = project.crawl(server, f"scrapy crawl {spider} -O items.jsonl")
    items = [json.loads(line) for line in (tmp_path / "items.jsonl").read_text().splitlines()]
    assert len(items) == (2 if spider == "poet" else 3), log
    assert sum("made of wood" in str(item) for item in items) == 2
    assert "elsewhere.example" not in re.sub(r".*Filtered offsite.*", "", log)
