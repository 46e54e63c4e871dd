"""The commands in the pages about tools: run on small files, or at least read."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from importlib.metadata import metadata
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from archives import index_of, indexed, packed, record
from generated_sites import METHOD, Site
from mockserver import MockServer
from scrapy.settings import Settings

from scrapy_boilerplate import extract
from scrapy_boilerplate.learn import SiteLearner
from scrapy_boilerplate.learn.stores import open_store
from scrapy_boilerplate.plugin.settings import mistakes
from scrapy_boilerplate.tools.cli import main
from scrapy_boilerplate.tools.report.crawl_figures import CrawlFigures
from scrapy_boilerplate.tools.report.extension import write_report
from scrapy_boilerplate.tools.testing.timing import PATIENCE

ROOT = Path(__file__).parent.parent
PAGES = ("scale", "command-line", "coming-from", "inspector", "extending", "sites-store")
WORDS = 14_900
"""Words of all pages together, code and tables included, without the figures in docs/tables;
the lines between the cells of a table are no words."""


def commands() -> Iterator[str]:
    for path in (ROOT / "README.md", *(ROOT / "docs" / f"{name}.md" for name in PAGES)):
        for command in re.findall(r"^\$ (.*)", path.read_text(encoding="utf-8"), re.M):
            yield re.sub(r"  +#.*", "", command)


COMMANDS = list(commands())
OURS = [each for each in COMMANDS if each.startswith("scrapy-boilerplate ")]


FETCHED = re.compile(r"(?<!--url )https://example\.com")
"""An address that a command fetches, not one that it is only told."""


@pytest.mark.usefixtures("in_this_process")
@pytest.mark.parametrize("command", OURS)
def test_commands_of_ours(
    command: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    if FETCHED.search(command):
        pytest.skip("test_commands_that_fetch runs it")
    is_index = ".cdxj" in command or "part-0.parquet" in command
    is_archive = "warc" in command or "wacz" in command or is_index
    if is_archive:
        pytest.importorskip("fastwarc", reason="fastwarc is not installed; see the extra 'warc'")
        pytest.importorskip("pyarrow", reason="pyarrow is not installed; see the extra 'parquet'")
    monkeypatch.chdir(tmp_path)
    made = Site().pages(3)
    Path("page.html").write_text(made[0].html)
    Path("mirror/news.example").mkdir(parents=True)
    for number, each in enumerate(made):
        Path(f"mirror/news.example/{number}.html").write_text(each.html)
    Path("a.warc.gz").write_bytes(packed([record(n) for n in range(2)], "members"))
    shutil.copy(ROOT / "tests/fixtures/webarchive.wacz", "crawl.wacz")
    if is_index:
        entries = indexed(tmp_path, ("example.com", "two.example"))
        for name in ("part-0.parquet", "crawl.cdxj"):
            index_of(entries, tmp_path / name)
        command = command.replace("s3://commoncrawl/", "./")
    arguments = shlex.split(command.replace("*.warc.gz", "a.warc.gz"))[1:]
    if "rows.progress/sites.sqlite" in command:
        assert (
            main(["extract", "a.warc.gz", "--format", "jsonl", "--learn-sites", "-o", "rows/"]) == 0
        )
    if "sites.sqlite" in arguments:
        open_store("sites.sqlite").close()
    if arguments[0] == "inspect" and "--output" not in arguments:
        arguments += ["-o", "x.html"]
    assert main(arguments) == 0
    assert capsys.readouterr().out or len(list(tmp_path.iterdir())) > 4


def shell(command: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """Run a command as a reader would, with the programs of this environment."""
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    environment = {**os.environ, "PATH": path, "PYTHONPATH": str(ROOT)}
    words = ["bash", "-c", command]
    return subprocess.run(
        words, cwd=folder, env=environment, capture_output=True, text=True, timeout=PATIENCE
    )


@pytest.mark.slow
@pytest.mark.parametrize(
    "command", [each for each in COMMANDS if FETCHED.search(each) and "scrapy-boil" in each]
)
def test_commands_that_fetch(command: str, tmp_path: Path) -> None:
    """From a server here, in place of example.com."""
    html = f"<title>Rain</title><h1>Rain</h1><p>{'It rained all day in the town. ' * 9}"
    pages: dict[str, Any] = dict.fromkeys(("/", "/a", "/b", "/rain"), html)
    with MockServer(pages) as server:
        done = shell(command.replace("https://example.com/", server.url()), tmp_path)
    assert done.returncode == 0, done.stderr
    assert "It rained all day" in done.stdout


@pytest.mark.slow
def test_commands_of_scrapy(tmp_path: Path) -> None:
    """In a project whose store knows the site, and whose last crawls have written reports."""
    (tmp_path / "scrapy.cfg").write_text("[settings]\ndefault = project\n")
    (tmp_path / "project.py").write_text('ADDONS = {"scrapy_boilerplate.Addon": 500}\n')
    found = [each for each in COMMANDS if each.startswith("scrapy ")]
    assert len(found) >= 6
    pages: dict[str, Any] = {}
    with MockServer(pages) as server:
        host = server.url().split("/")[2]
        address = str(tmp_path / ".scrapy/boilerplate/sites.sqlite")
        with closing(open_store(address)) as store:
            learner = SiteLearner(store=store)
            for made in Site(host).pages(22):
                learner.observe(made.page(), METHOD.extract(made.page()))
                pages["/page"] = pages["/news/1"] = made.html
            learner.flush()
        for path in (".scrapy/boilerplate/report-news.json", "one.json", "two.json"):
            write_report(CrawlFigures("news"), tmp_path / path)
        for command in found:
            here = command.replace("https://example.com", f"http://{host}")
            here = here.replace("example.com", host)
            if "boilerplate-inspect" in here:
                here += " -o inspected.html"  # or it would serve the page until it is stopped
            done = shell(here, tmp_path)
            assert done.returncode == 0, (command, done.stderr)
            assert done.stdout or re.search(" (-o|>) ", here), command
    assert "<iframe" in (tmp_path / "inspected.html").read_text()


def test_the_calls_beside_those_of_other_libraries() -> None:
    """All code in the right column that is Python gives a value, and no switch raises."""
    html = """<title>Rain - The Town</title><h1>Rain</h1><p>By Ada Lovelace, 4 September 2025</p>
    <p>It rained <b>all</b> day in the town, and nobody went out.</p>"""
    names = {"html": html, "url": "https://example.com/rain", "extract": extract, "json": json}
    names["answer"] = extract(html, url=names["url"])
    text = (ROOT / "docs" / "coming-from.md").read_text(encoding="utf-8")
    cells = " ".join(line.split("|")[2] for line in text.splitlines() if line.startswith("| "))
    calls = re.findall(r"`((?:json\.dumps|extract|answer|\.).*?)`", cells)
    switches = re.findall(r"`(\w+=[^`]+)`", cells)
    assert len(calls) > 15
    assert len(switches) > 3
    for call in calls:
        code = f"extract(html){call}" if call.startswith(".") else call.replace("answer = ", "")
        assert eval(code, dict(names)) is not None, call
    for switch in switches:
        assert eval(f"extract(html, {switch})", dict(names)).text, switch


def test_extras_exist_and_no_command_is_left_out() -> None:
    known_extras = metadata("scrapy-boilerplate-removal").get_all("Provides-Extra") or []
    for command in COMMANDS:
        if command.startswith("pip install"):
            (extras,) = re.findall(r"\[(.*?)\]", command)
            assert all(extra in known_extras for extra in extras.split(","))
        else:
            known = ("scrapy-boilerplate ", "scrapy ", "spark-submit ", "curl ")
            assert command.startswith(known), command


def test_settings_on_command_lines_are_right() -> None:
    number = 0
    for path in (ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))):
        for line in path.read_text(encoding="utf-8").splitlines():
            if "scrapy crawl" not in line or " -s BOILERPLATE_" not in line:
                continue
            words = shlex.split(line.partition("`")[0] or line)
            given = dict(word.split("=", 1) for option, word in pairwise(words) if option == "-s")
            assert not list(mistakes(Settings(given))), (path.name, line)
            number += 1
    assert number >= 2


def test_the_tests_of_guarantees_are_there() -> None:
    named = re.findall(r"`(test_\w+\.py)`", (ROOT / "docs/reliability.md").read_text("utf-8"))
    assert len({*named}) > 30
    assert not [name for name in named if not (ROOT / "tests" / name).exists()]


def test_the_pages_are_few_and_short() -> None:
    pages = [*(ROOT / "docs").glob("*.md")]
    assert len(pages) <= 25
    texts = (page.read_text(encoding="utf-8") for page in pages)
    assert sum(len(re.findall(r"\S*\w\S*", text)) for text in texts) <= WORDS
