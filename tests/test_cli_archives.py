"""Web archives on the command line: ``scrapy-boilerplate extract *.warc.gz``."""

from __future__ import annotations

import json
import os
import shlex
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from archives import environment_with, http, index_of, indexed, packed, page, record
from cases import rows
from generated_sites import Site

for name in ("fastwarc", "pyarrow"):
    pytest.importorskip(name, reason=f"{name} is not installed; see the extra 'warc'")

import pyarrow.parquet as pq

from scrapy_boilerplate import extract
from scrapy_boilerplate.learn import extract_site
from scrapy_boilerplate.tools.batch import arrow_schema, extract_batch
from scrapy_boilerplate.tools.cli import main
from scrapy_boilerplate.tools.rows import COLUMNS
from scrapy_boilerplate.tools.testing.timing import PATIENCE

pytestmark = pytest.mark.slow

Run = Callable[..., tuple[int, str, str]]
Row = dict[str, Any]


@pytest.fixture
def run(command: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Run the command line in this process, with the fastest method; return what it says."""
    monkeypatch.chdir(tmp_path)
    return partial(command, main, "extract", "--extractor", "mss", "-j", "2")


def archive(name: str, numbers: range, *more: bytes) -> str:
    records = [record(number) for number in numbers]
    Path(name).write_bytes(packed([*records, *more], "members"))
    return name


def urls(rows: list[Row]) -> list[int]:
    return [int(row["url"].rpartition("/")[2]) for row in rows]


def test_rows_stream_as_json_lines(run: Run) -> None:
    gone = record(9, http(b"", status="404 Not Found"))
    names = [archive("a.warc.gz", range(3), gone), archive("b.warc", range(3, 5))]
    code, out, error = run(*names, "--format", "jsonl")
    rows = list(map(json.loads, out.splitlines()))
    assert code == 0
    assert [list(row) for row in rows] == [list(COLUMNS)] * 6
    assert urls(rows) == [0, 1, 2, 9, 3, 4]
    assert rows[1]["text"] == extract(page(1), extractor="mss").text
    assert (rows[1]["id"], rows[1]["date"]) == ("urn:uuid:00000001", "2026-01-02T03:04:05Z")
    assert (rows[3]["status"], rows[3]["reason"], rows[3]["text"]) == (404, "status", None)
    assert error.startswith("scrapy-boilerplate: 6 pages, 0 failed, 1 without text; ")


def test_one_parquet_file_of_archives_and_pages(run: Run) -> None:
    Path("page.html").write_bytes(page(7))
    Path("no.html").write_bytes(b"%PDF-1.4")
    archive("a.warc.gz", range(2))
    code, out, error = run("a.warc.gz", "page.html", "no.html", "--format", "parquet", "-o", "all")
    assert (code, out) == (1, "")
    assert "no.html: it is not HTML\n" in error
    table = pq.read_table("all")
    assert table.schema == arrow_schema()
    expected = extract_batch([page(n) for n in (0, 1, 7)], extractor="mss")["text"].to_pylist()
    assert table["text"].to_pylist() == [*expected, None]
    assert table["reason"].to_pylist() == [None, None, None, "not_html"]
    lines = run("a.warc.gz", "page.html", "--format", "json")[1]
    assert [row["text"] for row in json.loads(lines)] == expected


def test_records_that_an_index_chooses(run: Run) -> None:
    entries = [
        each | {"status": str(200 + 102 * (n % 3))} for n, each in enumerate(indexed(Path("far")))
    ]
    index_of(entries, Path("i.cdxj"))
    chosen = ("i.cdxj", "--where", "status=200,302", "--archives", "far")
    found = sorted(each["url"] for each in entries if each["status"] != "404")
    out = run(*chosen, "--format", "jsonl")[1]
    assert sorted(row["url"] for row in map(json.loads, out.splitlines())) == found
    where = ("--format", "parquet", "-o", "rows/")
    code, _, error = run(*chosen, *where)
    assert (code, os.listdir("rows")) == (0, ["i.parquet"])
    assert error.startswith("scrapy-boilerplate: 8 pages, 0 failed; ")
    assert "1 archive finished before" in run(*chosen, *where)[2]
    assert "other options (selection)" in run(*chosen[:3], "--archives", "other", *where)[2]


def test_other_formats_of_archives(run: Run) -> None:
    archive("a.warc.gz", range(2), record(9, http(b"", status="404 Not Found")))
    out = run("a.warc.gz", "--format", "markdown")[1]
    assert out.count("==> https://a.example/") == 2
    assert extract(page(1), extractor="mss").markdown in out
    assert run("a.warc.gz", "--format", "markdown", "-o", "out/")[0] == 0
    assert sorted(os.listdir("out")) == ["a.example_0.md", "a.example_1.md"]
    out = run("a.warc.gz", "--format", "jsonl", "--fields", "title")[1]
    assert json.loads(out.splitlines()[1]) == {"url": "https://a.example/1", "title": "Page 1"}
    assert "it ended" not in run("a.warc.gz", "--explain")[2]


def test_a_file_an_archive_and_finished_ones_are_not_read_again(run: Run) -> None:
    names = [archive("a.warc.gz", range(3)), archive("b.warc.gz", range(3, 5))]
    arguments = ("--format", "parquet", "-o", "rows/")
    code, out, error = run(names[0], *arguments)
    assert (code, out) == (0, "")
    assert error.startswith("scrapy-boilerplate: 3 pages, 0 failed; ")
    before = Path("rows/a.parquet").stat()
    error = run(*names, *arguments)[2]
    assert error.startswith("scrapy-boilerplate: 2 pages, 0 failed, 1 archive finished before; ")
    assert Path("rows/a.parquet").stat() == before
    assert urls(pq.read_table("rows/b.parquet").to_pylist()) == [3, 4]
    code, _, error = run(*names, *arguments, "--option", "tag_score=-2")
    assert code == 2
    assert "other options (extractor)" in error
    run(*names, "--format", "jsonl", "-o", "lines/")
    assert sorted(os.listdir("lines")) == ["a.jsonl", "b.jsonl"]


@pytest.mark.parametrize("output", [[], ["-o", "rows/"], ["-o", "one.parquet"]])
def test_columns(run: Run, output: list[str]) -> None:
    archive("a.warc.gz", range(2))
    format = "parquet" if output else "jsonl"
    names = "url,text,language"
    assert run("a.warc.gz", "--format", format, "--columns", names, *output, "-j", "1")[0] == 0
    if output:
        table = pq.read_table(output[1])
        assert table.column_names == names.split(",")
        assert all(table["text"].to_pylist())
    else:
        out = run("a.warc.gz", "--format", "jsonl", "--columns", names)[1]
        assert [[*json.loads(line)] for line in out.splitlines()] == [names.split(",")] * 2


@pytest.mark.parametrize(
    "url", ["https://a.example/" + "\u6f22" * 120, "http://[x/", "http://a.example/" + "x" * 999]
)
def test_any_address_of_a_record_names_a_file(run: Run, url: str) -> None:
    Path("a.warc").write_bytes(packed([record(0, url=url), record(1)], "plain"))
    assert run("a.warc", "-o", "texts/")[0] == 0
    assert len(os.listdir("texts")) == 2


@pytest.mark.parametrize("output", [[], ["-o", "rows/"]])
def test_damage_is_counted_and_told(run: Run, output: list[str]) -> None:
    Path("a.warc.gz").write_bytes(
        packed([record(0), record(1, length=9999), record(2), b"junk"], "members")[:-3]
    )
    Path("b.wacz").write_bytes(b"no zip")
    code, _, error = run("a.warc.gz", "b.wacz", "--format", "jsonl", *output)
    assert code == 1
    assert "scrapy-boilerplate: https://a.example/1: damaged: truncated" in error
    assert "scrapy-boilerplate: a.warc.gz, byte " in error
    assert "b.wacz: archive: File is not a zip file" in error
    assert "5 pages, 3 failed" in error


def test_no_archive_is_taken_for_a_page(run: Run) -> None:
    Path("a.warc.zst").write_bytes(packed([record(0), record(1)], "zstd"))
    Path("b.warc.wet.gz").write_bytes(packed([record(2)], "members"))
    code, out, error = run("a.warc.zst", "b.warc.wet.gz", "--format", "jsonl")
    rows = list(map(json.loads, out.splitlines()))
    assert urls([row for row in rows if row["text"]]) == [0, 1]
    assert (code, "b.warc.wet.gz: archive: it contains no pages" in error) == (1, True)


def test_learned_sites(run: Run) -> None:
    made = Site().pages(24)
    for part in (0, 1):
        some = [
            record(n, http(each.html.encode()), url=each.url)
            for n, each in enumerate(made)
            if n % 2 == part
        ]
        Path(f"{part}.warc.gz").write_bytes(packed(some, "members"))
    answers = extract_site([(each.url, each.html) for each in made], extractor="mss")
    expected = {url: answer.text for url, answer in answers}
    names = ["0.warc.gz", "1.warc.gz"]
    code, out, error = run(*names, "--format", "jsonl", "--learn-sites")
    rows = list(map(json.loads, out.splitlines()))
    assert code == 0
    assert {row["url"]: row["text"] for row in rows} == expected
    assert {row["site_pages"] for row in rows} == {24}
    assert "1 site learned" in error

    def in_folder(*arguments: str) -> str:
        error = run(*names, "--format", "parquet", "-o", "rows/", *arguments)[2]
        rows = pq.read_table("rows").to_pylist()
        assert {row["url"]: row["text"] for row in rows} == expected
        return error

    assert "1 site learned" in in_folder("--learn-sites")
    for path in ("rows/1.parquet", "rows.progress/1.json"):  # as if that run had been killed
        Path(path).unlink()
    error = in_folder("--learn-sites")  # goes on with what was learned
    assert "learned" not in error
    assert "12 pages, 0 failed, 1 archive finished before" in error
    Path("rows.progress/learned").write_text("[" * 99_999)
    code, _, error = run(*names, "--format", "parquet", "-o", "rows/", "--learn-sites")
    assert (code, "rows.progress/learned is damaged" in error) == (2, True)
    store = "rows.progress/sites.sqlite"  # as a crawl's store
    out = run(*names, "--format", "jsonl", "--sites", store)[1]
    assert {row["url"]: row["text"] for row in map(json.loads, out.splitlines())} == expected
    code, _, error = run(*names, "--format", "jsonl", "--sites", "none.sqlite")
    assert (code, "No such file" in error) == (1, True)


@pytest.mark.parametrize(("arguments", "message"), rows("wrong_usage_of_archives"))
def test_wrong_usage(run: Run, arguments: str, message: str) -> None:
    archive("a.warc.gz", range(1))
    Path("p.html").write_bytes(page(0))
    code, out, error = run(*shlex.split(arguments))
    assert (code, out) == (2, "")
    assert message in error
    assert sorted(os.listdir()) == ["a.warc.gz", "p.html"]


@pytest.mark.skipif(os.name != "posix", reason="needs signals")
@pytest.mark.parametrize("output", ["rows/", "rows.jsonl"])
def test_pages_that_crash_and_ctrl_c(run: Run, tmp_path: Path, output: str) -> None:
    bodies = {1: b"<p>crash here", 3: b"<p>raise here"}
    some = [record(n, http(page(n) + bodies.get(n, b""))) for n in range(5)]
    hang = record(7, http(page(7) + b"<p>hang here"))
    Path("a.warc.gz").write_bytes(packed(some, "members"))
    Path("b.warc.gz").write_bytes(packed([record(6), hang, record(8)], "members"))
    code = [sys.executable, "-m", "scrapy_boilerplate", "extract", "a.warc.gz", "b.warc.gz"]
    process = subprocess.Popen(
        [*code, "-j", "2", "--format", "jsonl", "-o", output, "--extractor", "hostile"],
        env=environment_with(tmp_path, "hostile = hostile:Hostile"),
        stderr=subprocess.PIPE,
    )
    first = Path("rows/a.jsonl" if output == "rows/" else f".rows.jsonl.{process.pid}.part")
    until = time.monotonic() + PATIENCE
    while not (first.exists() and first.read_text().count("\n") >= 5):
        assert time.monotonic() < until
        time.sleep(0.1)
    time.sleep(1.0)
    process.send_signal(signal.SIGINT)
    error = process.communicate(timeout=PATIENCE)[1].decode()
    assert process.returncode == 130
    assert "Traceback" not in error
    assert "stopped after " in error
    assert "2 failed" in error
    written = Path(output, "a.jsonl") if output == "rows/" else Path(output)
    rows = list(map(json.loads, written.read_text().splitlines()))[:5]
    assert [row["reason"] for row in rows] == [
        *(None, "crashed: SIGABRT", None, "error: ValueError: no", None)
    ]
    assert not list(Path().rglob("*.part"))
    assert not Path("rows/b.jsonl").exists()


ARTICLES = 6


def test_a_crawl_that_scrapy_webarchive_has_stored_is_extracted_again(run: Run) -> None:
    """Its 0.5.3 did so by ``WaczExporter``, under Scrapy 2.11: these pages and ``/gone``."""
    stored = str(Path(__file__).parent / "fixtures" / "webarchive.wacz")
    made = Site(host="127.0.0.1").pages(ARTICLES)
    for method in ("mss", "bte"):
        out = run(stored, "--format", "jsonl", "--extractor", method)[1]
        rows = {row["url"].rpartition("/")[2]: row for row in map(json.loads, out.splitlines())}
        texts = [extract(each.html, extractor=method).text for each in made]
        assert [rows[str(number)]["text"] for number in range(ARTICLES)] == texts
        assert (rows["gone"]["status"], rows["gone"]["reason"]) == (404, "status")
        assert len(rows) == ARTICLES + 1
