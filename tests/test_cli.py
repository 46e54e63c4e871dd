"""The command line ``scrapy-boilerplate extract``, as a person runs it."""

from __future__ import annotations

import gzip
import io
import json
import os
import runpy
import shlex
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from functools import partial
from importlib.metadata import entry_points
from pathlib import Path
from xml.etree import ElementTree

import pytest
from archives import environment_with
from cases import rows
from generated_sites import Site
from mockserver import MockServer, Reply

from scrapy_boilerplate import extract
from scrapy_boilerplate.learn import extract_site
from scrapy_boilerplate.tools.cli import main
from scrapy_boilerplate.tools.cli.inputs import address_of, load_addresses, page_file
from scrapy_boilerplate.tools.testing.timing import PATIENCE

TEXT = "It rained all day in the town, and nobody went out to look at the river."
Run = Callable[..., tuple[int, str, str]]


def html(number: int) -> str:
    return (
        f"<!DOCTYPE html><title>Page {number} - The Town</title><ul><li><a href=/>Home</a></ul>"
        f"<h1>Page {number}</h1><p>By Ada Lovelace, 4 September 2025<p>{number}: {TEXT * 3}"
    )


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a folder with five pages and other files; it lies in the current one."""
    monkeypatch.chdir(tmp_path)
    folder = tmp_path / "pages"
    (folder / "deep").mkdir(parents=True)
    for number in range(3):
        (folder / f"{number}.html").write_text(html(number))
    (folder / "deep" / "3.htm.gz").write_bytes(gzip.compress(html(3).encode()))
    (folder / "deep" / "view?id=4").write_text(html(4))
    (folder / "style.css").write_text("<html>")
    (folder / "notes").write_text("no page")
    return folder


NAMES = ["0.html", "1.html", "2.html", "deep/3.htm.gz", "deep/view?id=4"]


@pytest.fixture
def run(command: Run, in_this_process: None) -> Run:
    """Run the command line in this process; return exit status, output and errors."""
    return partial(command, main, "extract")


def test_the_console_script_is_the_module(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (point,) = entry_points(group="console_scripts", name="scrapy-boilerplate")
    assert point.load() is main
    monkeypatch.setattr(sys, "argv", ["", "--help"])
    with pytest.raises(SystemExit, match="0"):
        runpy.run_module("scrapy_boilerplate", run_name="__main__")
    assert "scrapy-boilerplate" in capsys.readouterr().out


# -- formats -------------------------------------------------------------------------------------


@pytest.mark.parametrize("format", ["text", "markdown", "html", "prevertical"])
def test_one_page_is_written_as_the_api_has_it(run: Run, folder: Path, format: str) -> None:
    path = folder / "1.html"
    code, out, error = run(str(path), "--format", format)
    assert (code, error) == (0, "")
    assert out.rstrip("\n") == getattr(extract(path), format).rstrip("\n")
    assert out.endswith("\n")


def test_json(run: Run, folder: Path) -> None:
    path = str(folder / "1.html")
    record = json.loads(run(path, "--format", "json", "--url", "https://a.example/1")[1])
    answer = extract(Path(path), url="https://a.example/1")
    assert record == {
        "file": path,
        "url": "https://a.example/1",
        "text": answer.text,
        "kind": "article",
        "confidence": answer.confidence,
        "extractor": "auto",
    }
    fields = ["--fields", "title,markdown", "--with-metadata"]
    record = json.loads(run(path, "--format", "jsonl", *fields)[1])
    assert (record["title"], record["markdown"]) == ("Page 1", answer.markdown)
    assert record["metadata"]["authors"] == ["Ada Lovelace"]
    assert "text" not in record
    many = json.loads(run(str(folder), "--format", "json")[1])
    assert [each["file"] for each in many] == [str(folder / name) for name in NAMES]


def test_tei_and_prevertical_of_several_pages_are_a_corpus(run: Run, folder: Path) -> None:
    corpus = ElementTree.fromstring(run(str(folder), "--format", "tei")[1])
    assert [each.tag for each in corpus].count("{http://www.tei-c.org/ns/1.0}TEI") == 5
    single = ElementTree.fromstring(run(str(folder / "0.html"), "--format", "tei")[1])
    assert single.tag == "{http://www.tei-c.org/ns/1.0}TEI"
    out = run(str(folder), "--format", "prevertical")[1]
    assert out.count("<doc title=") == 5
    assert "==>" not in out


def test_metadata_stand_before_a_text(run: Run, folder: Path) -> None:
    yaml = pytest.importorskip("yaml")
    out = run(str(folder / "1.html"), "--with-metadata", "--format", "markdown")[1]
    _, front, text = out.split("---\n", 2)
    about = yaml.safe_load(front)
    assert (about["title"], about["authors"]) == ("Page 1", ["Ada Lovelace"])
    assert text.strip() == extract(folder / "1.html").markdown.strip()
    page = run(str(folder / "1.html"), "--with-metadata", "--format", "html")[1]
    assert page.startswith("<!DOCTYPE html>\n")
    assert "<title>Page 1</title>" in page
    assert extract(page).metadata.authors == ("Ada Lovelace",)


def test_several_texts_have_headings(command: Run, folder: Path) -> None:
    code, out, error = command(main, "extract", str(folder), "-j", "2")
    assert code == 0
    assert [line for line in out.splitlines() if line.startswith("==>")] == [
        f"==> {folder / name} <==" for name in NAMES
    ]
    assert error.startswith("scrapy-boilerplate: 5 pages, 0 failed; ")
    assert error.count("\n") == 1


@pytest.mark.parametrize("format_", ["text", "markdown", "html"])
def test_no_page_says_that_it_is_several(run: Run, folder: Path, format_: str) -> None:
    page = f"<p>{'It rained all day in the town. ' * 9}<pre>==> {folder / '2.html'} <==\nHa.</pre>"
    (folder / "1.html").write_text(page.replace("> <==", "&gt; &lt;=="))
    out = run(str(folder / "1.html"), str(folder / "2.html"), "--format", format_)[1]
    assert len([line for line in out.splitlines() if line.startswith("==>")]) == 2
    assert "Ha." in out


def test_explain(run: Run, folder: Path) -> None:
    path = str(folder / "1.html")
    lines = run(path, "--explain", "--extractor", "mss")[1].splitlines()
    assert lines[0].startswith("- ")
    assert "inside the best run" in lines[-1]
    blocks = json.loads(run(path, "--explain", "--format", "jsonl")[1])["blocks"]
    assert set(blocks[0]) == {"text", "xpath", "kept", "score", "rule", "reason"}
    assert [blocks[0]["kept"], blocks[-1]["kept"]] == [False, True]
    assert "text, json or jsonl" in run(path, "--explain", "--format", "tei")[2]


# -- sources and sinks ---------------------------------------------------------------------------


def test_standard_input(run: Run, monkeypatch: pytest.MonkeyPatch, folder: Path) -> None:
    for source in (["-"], []):
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(html(7).encode())))
        code, out, _ = run(*source, "--format", "jsonl", "--url", "https://a.example/")
        record = json.loads(out)
        assert (code, record["text"]) == (0, extract(html(7)).text)
        assert record["url"] == "https://a.example/"
        assert "file" not in record
    assert "only once" in run("-", "-")[2]


def test_a_list_of_sources(run: Run, folder: Path) -> None:
    Path("list").write_text("pages/1.html\n\npages/0.html\n")
    out = run("--files-from", "list", "--format", "jsonl", "pages/2.html")[1]
    names = [json.loads(line)["file"] for line in out.splitlines()]
    assert names == ["pages/2.html", "pages/1.html", "pages/0.html"]


def test_output_in_a_folder_has_a_file_for_each_page(run: Run, folder: Path) -> None:
    assert run(str(folder), "-o", "out/", "--format", "markdown")[0] == 0
    written = sorted(str(path.relative_to("out")) for path in Path("out").rglob("*.md"))
    assert written == ["0.md", "1.md", "2.md", "deep/3.md", "deep/view?id=4.md"]
    assert Path("out/deep/3.md").read_text() == extract(html(3)).markdown
    other = folder.parent / "other"
    other.mkdir()
    (other / "0.html").write_text(html(9))
    run("pages/0.html", "other/0.html", "-o", "out2/", "--format", "json")
    assert sorted(path.name for path in Path("out2").iterdir()) == ["0-2.json", "0.json"]
    assert json.loads(Path("out2/0-2.json").read_text())["file"] == "other/0.html"


def test_failures_are_counted_and_named(run: Run, folder: Path) -> None:
    (folder / "1.html").write_bytes(b"%PDF-1.4 nothing")
    (folder / "deep" / "3.htm.gz").write_bytes(b"not compressed")
    code, out, error = run("gone.html", str(folder), "--format", "jsonl")
    assert code == 1
    rows = list(map(json.loads, out.splitlines()))
    assert [row.get("error") for row in rows] == [
        "cannot read it: No such file or directory",
        None,
        "it is not HTML",
        None,
        "cannot read it: Not a gzipped file (b'no')",
        None,
    ]
    lines = error.splitlines()
    assert lines[0] == "scrapy-boilerplate: gone.html: cannot read it: No such file or directory"
    assert lines[-1].startswith("scrapy-boilerplate: 6 pages, 3 failed; ")
    assert run("gone.html")[:2] == (1, "")


def test_an_output_that_cannot_be_written_is_named(run: Run, folder: Path) -> None:
    place = str(folder / "gone" / "x.txt")
    message = f"scrapy-boilerplate: {place}: cannot write it: No such file or directory\n"
    assert run(str(folder), "-o", place) == (1, "", message)


@pytest.mark.parametrize(("arguments", "message"), rows("wrong_usage"))
def test_wrong_usage(run: Run, folder: Path, arguments: str, message: str) -> None:
    code, out, error = run(*shlex.split(arguments))
    assert (code, out) == (2, "")
    assert message in error
    assert error.startswith("scrapy-boilerplate: ")
    assert error.count("\n") == 1


def test_the_bare_command_prints_its_help(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([]) == 0
    assert "usage: scrapy-boilerplate" in capsys.readouterr().out
    with pytest.raises(SystemExit):
        main(["extrct"])
    error = capsys.readouterr().err
    assert "invalid choice: 'extrct'" in error
    assert error.count("\n") == 1


@pytest.mark.parametrize(
    ("sources", "code", "message"),
    [
        (["pages/empty"], 2, "pages/empty: no page or web archive is in this folder\n"),
        (["pages/empty", "pages/0.html", "pages/1.html"], 0, "pages/empty: no page or web archive"),
        (["none.html"], 0, "none.html: no text was found; --explain shows why\n"),
        (["foo.example"], 1, "did you mean https://foo.example?"),
        (["foo.example/a/b"], 1, "did you mean https://foo.example/a/b?"),
        (["gone/0.html"], 1, "gone/0.html: cannot read it: No such file or directory\n"),
    ],
)
def test_a_source_without_text_says_so(
    run: Run, folder: Path, sources: list[str], code: int, message: str
) -> None:
    (folder / "empty").mkdir()
    Path("none.html").write_text("<p>")
    status, _, error = run(*sources)
    assert (status, message in error) == (code, True)
    assert error.startswith("scrapy-boilerplate: ")


def test_options_of_the_method(run: Run, folder: Path) -> None:
    path = folder / "1.html"
    arguments = ["--extractor", "mss", "--option", "tag_score=0", "--option", "scores=fixed"]
    assert (
        run(str(path), *arguments)[1].strip() == extract(path, extractor="mss", tag_score=0.0).text
    )
    Path("link.html").write_text(html(1).replace("river", "<a href=/river>river</a>"))
    for value in ("False", "false"):  # as Python and JSON write it
        linked = run("link.html", "--format", "markdown", "--option", f"links={value}")[1]
        assert linked == extract(Path("link.html"), links=False).markdown
        assert "](" not in linked
    assert run(str(path), "--favor", "recall")[1].strip() == extract(path, favor="recall").text


# -- fetching ------------------------------------------------------------------------------------


def test_addresses_are_fetched_and_robots_obeyed(run: Run, folder: Path) -> None:
    pages = {
        "/robots.txt": Reply("User-agent: *\nDisallow: /private", "text/plain"),
        "/1": html(1),
        "/2": Reply(html(2).replace("river", "kůň").encode("cp1250"), "text/html; charset=cp1250"),
        "/private": html(3),
        "/image": Reply(b"\x89PNG", "image/png"),
    }
    with MockServer(pages) as server:
        urls = [server.url(path) for path in ("/1", "/private", "/2", "/image", "/gone")]
        urls.append("http://127.0.0.1:1/")  # where nothing answers
        code, out, error = run(
            *(urls[0], "pages/0.html", *urls[1:], "--format", "jsonl"),
            *("-s", "DOWNLOAD_DELAY=0", "-s", "RETRY_ENABLED=false", "--set", "LOG_ENABLED=false"),
        )
        rows = list(map(json.loads, out.splitlines()))
        assert [row["url"] for row in rows] == [urls[0], None, *urls[1:]]
        assert (rows[0]["text"], rows[1]["text"]) == (extract(html(1)).text, extract(html(0)).text)
        assert "kůň" in rows[3]["text"]
        *errors, last = (row.get("error") for row in rows)
        assert errors == [
            *(None, None, "cannot fetch it: Forbidden by robots.txt", None),
            *("it is not HTML but image/png", "HTTP status 404"),
        ]
        assert last.startswith("cannot fetch it: ")
        assert "/private" not in server.requests
        assert (code, "7 pages, 4 failed" in error) == (1, True)
        single = run(urls[0], "--set", "ROBOTSTXT_OBEY=false")
        assert single == (0, extract(html(1)).text + "\n", "")


# -- sites ---------------------------------------------------------------------------------------


def test_sites_are_learned(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    made = Site().pages(12)
    for number, page in enumerate(made):
        path = tmp_path / "mirror" / "news.example" / f"{number:02}.html"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(page.html)
    (tmp_path / "mirror" / "stray.html").write_text(html(1))
    code, out, error = run("mirror", "--learn-sites", "--format", "jsonl", "--extractor", "mss")
    rows = list(map(json.loads, out.splitlines()))
    dump = [
        (f"http://news.example/{number:02}.html", page.html) for number, page in enumerate(made)
    ]
    expected = [answer.text for _, answer in extract_site(dump, extractor="mss")]
    assert [row["text"] for row in rows[1:]] == expected  # files come before folders
    assert expected != [extract(page.html, extractor="mss").text for page in made]
    assert rows[1]["url"] == "http://news.example/00.html"
    assert code == 0
    assert "1 page of no known address; see --addresses" in error
    assert "1 site learned" in error


@pytest.mark.parametrize(("path", "folder", "beginning", "expected"), rows("saved_addresses"))
def test_the_address_of_a_saved_page(path: str, folder: str, beginning: str, expected: str) -> None:
    html = f"<!DOCTYPE html>{beginning}<p>".encode()
    assert (address_of(page_file(path, folder), html, {}) or "") == expected
    known = page_file(path, folder)._replace(url="https://known.example/")
    assert address_of(known, html, {}) == known.url


def test_a_link_to_an_output_stays(run: Run, folder: Path) -> None:
    Path("real.txt").write_text("old")
    Path("link.txt").symlink_to("real.txt")
    run("pages/0.html", "-o", "link.txt")
    assert Path("link.txt").is_symlink()
    assert Path("real.txt").read_text() not in ("", "old")


def test_addresses_from_a_file(run: Run, folder: Path) -> None:
    Path("known.jsonl").write_text('{"file": "pages/0.html", "url": "https://a.example/2"}\n')
    out = run("pages/0.html", "--format", "jsonl", "--addresses", "known.jsonl")[1]
    assert json.loads(out)["url"] == "https://a.example/2"
    Path("wrong.jsonl").write_text('{"file": "a", "url": "b"}\n{"file": "a"}\n')
    with pytest.raises(ValueError, match=r'wrong\.jsonl, line 2: each line must be {"file": PATH'):
        load_addresses("wrong.jsonl")


# -- pages that kill and hang --------------------------------------------------------------------


@pytest.fixture
def bad(folder: Path) -> dict[str, str]:
    """Return the environment of a process that has a method which does what a page says."""
    packages = folder.parent / "packages"
    packages.mkdir()
    return environment_with(packages, "hostile = hostile:Hostile")


def saying(folder: Path, words: list[str]) -> list[str]:
    for number, word in enumerate(words):
        page = f"<!DOCTYPE html><p>{TEXT} {word and f'{word} here'}"
        (folder / f"{number:02}.html").write_text(page)
    return [str(folder / f"{number:02}.html") for number in range(len(words))]


COMMAND = [sys.executable, "-m", "scrapy_boilerplate", "extract", "--extractor", "hostile"]


@pytest.mark.skipif(os.name != "posix", reason="needs signals")
def test_a_page_that_kills_or_hangs_costs_itself_alone(folder: Path, bad: dict[str, str]) -> None:
    words = ["", "crash", "", "raise", "hang", *[""] * 15]
    paths = saying(folder, words)

    def command(*arguments: str) -> subprocess.CompletedProcess[str]:
        words = [*COMMAND, *arguments, "-j", "2", "--format", "jsonl"]
        return subprocess.run(words, env=bad, capture_output=True, text=True, timeout=PATIENCE)

    done = command(*paths, "--timeout", "3")
    rows = list(map(json.loads, done.stdout.splitlines()))
    assert [row["file"] for row in rows] == paths
    errors = {
        "": None,
        "crash": "it ended its process (SIGABRT)",
        "raise": "ValueError: no",
        "hang": "it took longer than 3 seconds",
    }
    assert [row.get("error") for row in rows] == [errors[word] for word in words]
    assert all(row.get("text") == TEXT for row in rows if "error" not in row)
    assert done.returncode == 1
    assert "20 pages, 3 failed; " in done.stderr.splitlines()[-1]
    single = command(paths[4], "--timeout", "1")  # in a process only since that is asked for
    assert (single.returncode, "it took longer than 1 seconds" in single.stderr) == (1, True)


@pytest.mark.skipif(os.name != "posix", reason="needs signals")
def test_ctrl_c_keeps_what_is_done(folder: Path, bad: dict[str, str]) -> None:
    paths = saying(folder, ["", "", "hang", *[""] * 20])
    options = ["-j", "2", "--format", "json", "-o", "out.json"]
    process = subprocess.Popen([*COMMAND, *paths, *options], env=bad, stderr=subprocess.PIPE)
    until = time.monotonic() + PATIENCE
    out = Path("out.json")
    part = Path(f".out.json.{process.pid}.part")  # commands do not share it
    while not (part.exists() and part.read_text().count('"file"') >= 2):
        assert time.monotonic() < until
        time.sleep(0.1)
    assert not out.exists()  # before it is whole
    time.sleep(1.0)
    process.send_signal(signal.SIGINT)
    _, error = process.communicate(timeout=PATIENCE)
    assert process.returncode == 130
    assert b"stopped after " in error
    assert b"Traceback" not in error
    names = [row["file"] for row in json.loads(out.read_text())]  # complete, in order
    assert names == sorted(names)
    assert names[:2] == paths[:2]
    assert paths[2] not in names
    assert len(names) > 2  # those that the other process did meanwhile


@pytest.mark.skipif(sys.version_info < (3, 11), reason="termios.tcsetwinsize")
def test_a_bar_is_shown_on_a_terminal_only(folder: Path) -> None:
    pty, termios = pytest.importorskip("pty"), pytest.importorskip("termios")
    main_end, terminal = pty.openpty()
    termios.tcsetwinsize(terminal, (24, 80))
    command = [sys.executable, "-m", "scrapy_boilerplate", "extract", str(folder), "-j", "1"]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=terminal)
    os.close(terminal)
    shown = b""
    while True:
        try:
            part = os.read(main_end, 65536)
        except OSError:  # the process has closed its end
            break
        if not part:
            break
        shown += part
    assert process.wait(PATIENCE) == 0
    os.close(main_end)
    assert b"extracting" in shown
    assert b"pages/s" in shown
    assert b"5 pages, 0 failed" in shown.splitlines()[-1]


def test_a_reader_that_has_seen_enough_is_no_error(folder: Path) -> None:
    command = f"{sys.executable} -m scrapy_boilerplate extract pages -q -j 1 | head -n 1"
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, timeout=PATIENCE)
    assert done.stdout.startswith("==> ")
    assert done.stderr == ""


@pytest.mark.usefixtures("in_this_process")
def test_names_of_files_do_not_command_a_terminal(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("a\x1b[2J.html", "b\x1b]0;title\x07.html"):
        (tmp_path / name).write_text(f"<h1>Rain</h1><p>{'It rained all day. ' * 9}")
    (tmp_path / "c\x9b31m.html").write_bytes(b"\x89PNG\r\n")
    main(["extract", str(tmp_path), "-j", "1"])
    out, error = capsys.readouterr()
    assert out.count("==>") == 2
    assert not [each for each in out + error if not each.isprintable() and each != "\n"]


@pytest.mark.skipif(sys.platform != "linux", reason="names are bytes only on Linux")
@pytest.mark.parametrize("format", ["text", "json", "jsonl"])
def test_a_name_that_is_no_text_costs_nothing(tmp_path: Path, run: Run, format: str) -> None:
    folder, page = tmp_path / "pages", b"<h1>Rain</h1><p>" + b"It rained all day. " * 9
    folder.mkdir()
    for name in (b"a.html", b"b\xff\xfe.html", b"c\x85.html"):
        Path(os.fsdecode(os.fsencode(folder) + b"/" + name)).write_bytes(page)
    listed = tmp_path / "list"
    listed.write_bytes(b"\n".join(map(os.fsencode, sorted(folder.iterdir()))) + b"\r\n\n")
    for arguments in ([str(folder)], ["--files-from", str(listed)]):
        code, out, error = run(*arguments, "--format", format, "-j", "1")
        assert code == 0, error
        assert out.count("It rained") == 27
    if format == "jsonl":
        names = [json.loads(line)["file"] for line in out.splitlines()]
        assert sorted(names) == sorted(map(str, folder.iterdir()))


def test_a_store_that_cannot_be_read_is_told_once(tmp_path: Path, folder: Path, run: Run) -> None:
    store = tmp_path / "sites.sqlite"
    store.write_bytes(b"no database" * 999)
    code, out, error = run(str(folder), "--sites", str(store), "-j", "1")
    assert (code, out) == (1, "")
    assert error.count("\n") == error.count("Cannot open") == 1


def test_models_without_addresses_say_so(
    tmp_path: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("a.html").write_text("<h1>Rain</h1><p>It rained all day in the town.")
    Path("rules.json").write_text('[{"site": "a.example", "containers": ["p"]}]')
    error = run("a.html", "--rules", "rules.json")[2]
    assert "1 page of no known address; no model or rule of a site was applied" in error


def test_options_of_others_are_named() -> None:
    with pytest.raises(ValueError, match=r"has all outputs: \.text, \.markdown"):
        extract("<p>Rain", output_format="markdown")
    with pytest.raises(ValueError, match="use tables="):
        extract("<p>Rain", include_tables=False)
    with pytest.raises(ValueError, match="'tabels'; did you mean 'tables'"):
        extract("<p>Rain", tabels=False)
