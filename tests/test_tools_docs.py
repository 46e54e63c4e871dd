"""The commands in the pages about tools: run on small files, or at least read."""

from __future__ import annotations

import json
import re
import shlex
import shutil
from argparse import ArgumentParser
from collections.abc import Iterator
from importlib.metadata import metadata
from itertools import pairwise
from pathlib import Path

import pytest
from archives import packed, record
from generated_sites import Site
from scrapy.settings import Settings

from scrapy_boilerplate import extract
from scrapy_boilerplate.plugin.settings import mistakes
from scrapy_boilerplate.tools.cli import main
from scrapy_boilerplate.tools.cli.arguments import parsers
from scrapy_boilerplate.tools.commands import boilerplate_inspect, boilerplate_report

ROOT = Path(__file__).parent.parent
PAGES = ("scale", "command-line", "coming-from", "inspector", "extending")
WORDS = 17_100
"""Words of all pages together, code and tables included, without the figures in docs/tables."""


def commands() -> Iterator[str]:
    for path in (ROOT / "README.md", *(ROOT / "docs" / f"{name}.md" for name in PAGES)):
        for command in re.findall(r"^\$ (.*)", path.read_text(encoding="utf-8"), re.M):
            yield re.sub(r"  +#.*", "", command)


COMMANDS = list(commands())
OURS = [each for each in COMMANDS if each.startswith("scrapy-boilerplate ")]


def needs_more(command: str) -> bool:
    """Return whether a command fetches pages, or reads an index that is not here."""
    fetches = "https://example.com" in command.replace("--url https://example.com/", "")
    return fetches or "--index" in command


def is_read_by(command: str, reader: ArgumentParser) -> bool:
    _, more = reader.parse_known_args(shlex.split(command)[1:])
    return not [each for each in more if each.startswith("-")]


@pytest.mark.parametrize("command", OURS)
def test_commands_of_ours(
    command: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    if needs_more(command):
        assert is_read_by(command, parsers()[0])
        return
    is_archive = "warc" in command or "wacz" in command
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
    arguments = shlex.split(command.replace("*.warc.gz", "a.warc.gz"))[1:]
    if "rows.progress/sites.sqlite" in command:
        assert (
            main(["extract", "a.warc.gz", "--format", "jsonl", "--learn-sites", "-o", "rows/"]) == 0
        )
    if arguments[0] == "inspect" and "--output" not in arguments:
        arguments += ["-o", "x.html"]
    assert main(arguments) == 0
    assert capsys.readouterr().out or len(list(tmp_path.iterdir())) > 4


def test_commands_of_scrapy() -> None:
    commands = {
        "boilerplate-inspect": boilerplate_inspect,
        "boilerplate-report": boilerplate_report,
    }
    found = [each for each in COMMANDS if each.startswith("scrapy ")]
    assert len(found) >= 4
    for command in found:
        reader, made = ArgumentParser(), commands[command.split()[1]].Command()
        made.settings = Settings()
        made.add_options(reader)
        assert is_read_by(command.removeprefix("scrapy "), reader), command


def test_commands_that_need_a_cluster() -> None:
    pytest.importorskip("pyspark")
    from scrapy_boilerplate.tools.spark.__main__ import _parser

    found = [each for each in COMMANDS if "boilerplate-spark" in each]
    assert len(found) == 2
    for command in found:
        ours = re.sub(r'^.*boilerplate-spark(\.py\)")?', "boilerplate-spark", command)
        assert is_read_by(ours, _parser()), command


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
            known = (
                "scrapy-boilerplate ",
                "scrapy ",
                "spark-submit ",
                "boilerplate-spark ",
                "curl ",
            )
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


def test_the_pages_are_few_and_short() -> None:
    pages = [*(ROOT / "docs").glob("*.md")]
    assert len(pages) <= 25
    assert sum(len(page.read_text(encoding="utf-8").split()) for page in pages) <= WORDS
