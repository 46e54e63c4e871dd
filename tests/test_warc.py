"""Web archives, whole and damaged: every page once, and nothing lost but what is bad."""

from __future__ import annotations

import gzip
import io
import json
import os
import shutil
import subprocess
import sys
import zlib
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from archives import HTML, PARAGRAPH, http, index_of, indexed, packed, page, record

for name in ("fastwarc", "pyarrow", "brotli"):
    pytest.importorskip(name, reason=f"{name} is not installed; see the extra 'warc'")

import brotli
import pyarrow.parquet as pq

from scrapy_boilerplate import extract
from scrapy_boilerplate.tools.batch import arrow_schema
from scrapy_boilerplate.tools.cli.inputs import listed
from scrapy_boilerplate.tools.rows import COLUMNS, InputPage, PageRows
from scrapy_boilerplate.tools.warc import (
    ArchiveError,
    ArchiveReport,
    PageReader,
    Selection,
    archive_pages,
    extract_archives,
    learn_archives,
)
from scrapy_boilerplate.tools.warc.finished import progress_folder
from scrapy_boilerplate.tools.warc.http_bodies import BodyError, decode_body, zstd

pytestmark = pytest.mark.slow

HOWS = ("plain", "members", "one", "zstd")
RECORDS = [record(number) for number in range(5)]


def read(data: bytes, **limits: int) -> tuple[list[InputPage], dict[str, int]]:
    reader = PageReader(**limits)
    return list(reader.pages(io.BytesIO(data))), dict(reader.counts)


def numbers(data: bytes, **limits: int) -> list[int]:
    """Return which pages can be read; each must be whole."""
    found = []
    for each in read(data, **limits)[0]:
        if (each.reason or "").startswith("damaged"):
            continue
        found.append(int(each.url.rpartition("/")[2]))
        assert each.html == page(found[-1])
    return found


def damage(data: bytes, **limits: int) -> dict[str, int]:
    counts = read(data, **limits)[1]
    return {name[8:]: count for name, count in counts.items() if name.startswith("damaged")}


def extracted(paths: Sequence[str | Path], out: Path, **options: Any) -> list[ArchiveReport]:
    """Extract archives by the fastest method, in this process."""
    return extract_archives(paths, out, extractor="mss", processes=1, **options)


# -- records ---------------------------------------------------------------------------------


@pytest.mark.parametrize("how", HOWS)
def test_a_whole_archive(how: str) -> None:
    pages, counts = read(packed(RECORDS, how))
    assert counts == {"records/response": 5, "pages": 5}
    assert pages[3] == InputPage(
        id="urn:uuid:00000003",
        url="https://a.example/3",
        date="2026-01-02T03:04:05Z",
        status=200,
        encoding="utf-8",
        html=page(3),
        digest=pages[3].digest,
        content_type="text/html; charset=utf-8",
        offset=pages[3].offset,
    )


@pytest.mark.parametrize("is_packed", [False, True])
def test_an_archive_with_a_dictionary(is_packed: bool) -> None:
    dictionary = zstd.train_dict([page(n) for n in range(300)], 2000)
    data = dictionary.dict_content
    data = zstd.compress(data) if is_packed else data
    frames = [zstd.compress(each, zstd_dict=dictionary) for each in RECORDS]
    begin = b"\x5d\x2a\x4d\x18" + len(data).to_bytes(4, "little") + data
    assert numbers(begin + b"".join(frames)) == [0, 1, 2, 3, 4]
    assert not numbers(begin[:4] + bytes(4) + b"".join(frames))
    frames[2] = frames[2][:20] + b"x" * 30 + frames[2][50:]
    assert numbers(begin + b"".join(frames)) == [0, 1]  # the rest is read without the dictionary
    assert damage(begin + b"".join(frames)) == {"corrupt": 1}


@pytest.mark.parametrize(
    ("headers", "block", "is_cut"),
    [
        ("WARC-Truncated: length\r\n", http(page(1)), True),
        ("", http(page(1), HTML + "Content-Length: 9999\r\n"), True),
        ("", http(page(1), HTML + f"Content-Length: {len(page(1))}\r\n"), False),
        ("", http(page(1), HTML + "Content-Length: many\r\n"), False),
        ("", http(b"fff\r\n" + page(1), HTML + "Transfer-Encoding: chunked\r\n"), True),
        ("", http(gzip.compress(page(1))[:-9], HTML + "Content-Encoding: gzip\r\n"), True),
        ("", http(page(1), HTML + "Content-Encoding: gzip\r\nContent-Length: 9999\r\n"), False),
    ],
)
def test_a_page_that_was_cut_off_says_so(
    tmp_path: Path, headers: str, block: bytes, is_cut: bool
) -> None:
    kind = "Content-Type: application/http; msgtype=response\r\n"
    path = write(tmp_path / "a.warc.gz", [record(1, block, headers=headers + kind)])
    extracted([path], tmp_path / "out")
    (row,) = rows(tmp_path / "out")
    assert row["truncated"] == is_cut
    assert row["text"]


@pytest.mark.parametrize("name", ["a.warc.wet.gz", "a.warc.wat.gz", "a.wet"])
def test_texts_and_metadata_of_common_crawl_are_no_pages(tmp_path: Path, name: str) -> None:
    text = record(1, b"A text.", kind="conversion", headers="Content-Type: text/plain\r\n")
    path = write(tmp_path / name, [text], "members" if name.endswith("gz") else "plain")
    with pytest.raises(ArchiveError, match="it contains no pages; read the WARC file"):
        list(archive_pages(path, PageReader()))


def test_kinds_of_records() -> None:
    as_html, as_text = "Content-Type: text/html\r\n", "Content-Type: text/plain\r\n"
    request = b"GET / HTTP/1.1\r\nHost: a.example\r\n\r\n"
    data = packed(
        [
            record(0, b"software: x\r\n", kind="warcinfo", headers=""),
            record(1, request, kind="request", headers="Content-Type: application/http\r\n"),
            record(2),
            record(3, page(3), kind="resource", headers=as_html),
            record(4, page(4), kind="conversion", headers=as_html),
            record(5, b"of page 5", kind="conversion", headers=as_text),
            record(6, http(b""), kind="revisit"),
            record(7, b"via: x\r\n", kind="metadata", headers=""),
            record(8, http(b"\x89PNG", "Content-Type: image/png\r\n")),
            record(9, http(b"gone", status="404 Not Found")),
            record(10, http(page(10), "")),
        ],
        "members",
    )
    pages, counts = read(data)
    found = [(each.url or "")[18:] + (each.reason or "") for each in pages]
    assert found == ["2", "3", "4", "6revisit", "9status", "10"]
    assert counts == {
        "records/response": 4,
        "records/conversion": 2,
        "records/warcinfo": 1,
        "records/request": 1,
        "records/resource": 1,
        "records/revisit": 1,
        "records/metadata": 1,
        "pages": 6,
    }


def test_a_page_that_comes_again() -> None:
    again = record(9, http(page(2)), url="https://a.example/again")
    pages, _ = read(packed([*RECORDS, again], "members"))
    assert [each.reason for each in pages] == [None] * 5 + ["duplicate"]
    assert pages[5].digest == pages[2].digest


BODY = PARAGRAPH.encode() * 2000
ENCODED = {
    "gzip": gzip.compress(BODY),
    "x-gzip": gzip.compress(BODY[:99]) + gzip.compress(BODY[99:]),
    "deflate": zlib.compress(BODY),
    "Deflate ": zlib.compress(BODY)[2:-4],
    "br": brotli.compress(BODY),
    "zstd": zstd.compress(BODY),
    "identity": BODY,
    "gzip, br": brotli.compress(gzip.compress(BODY)),
}


@pytest.mark.parametrize("encoding", ENCODED)
def test_content_encodings(encoding: str) -> None:
    data = ENCODED[encoding]
    assert decode_body(data, None, encoding, len(BODY)) == (BODY, False)
    with pytest.raises(BodyError, match="too_large"):
        decode_body(data, None, encoding, len(BODY) - 1)
    half = data[: len(data) // 2]
    cut, is_cut = decode_body(half, None, encoding.partition(",")[0], len(BODY))
    assert BODY.startswith(cut) or encoding == "gzip, br"
    assert is_cut == (encoding not in ("identity", "gzip, br"))


@pytest.mark.parametrize("encoding", ["gzip", "br", "zstd", "deflate"])
def test_a_body_without_its_encoding_and_a_damaged_one(encoding: str) -> None:
    assert decode_body(b" <p>One", "chunked", encoding, 100) == (b" <p>One", False)
    data = bytearray(ENCODED[encoding])
    data[8:20] = bytes(12)
    for damaged, name in ((bytes(data), encoding), (b"", "lzma"), (b"", f"{encoding}," * 5)):
        with pytest.raises(BodyError, match="bad_encoding"):
            decode_body(damaged, None, name, 10 * len(BODY))


@pytest.mark.parametrize(
    ("chunks", "body", "is_cut"),
    [
        (b"4;name=value\r\n<p>O\r\n2\r\nne\r\n0\r\nTrailer: x\r\n\r\n", b"<p>One", False),
        (b"4\n<p>O\n2\nne\n0\n\n", b"<p>One", False),
        (b"6\r\n<p>On", b"<p>On", True),
        (b"4\r\n<p>O\r\n", b"<p>O", True),
        (b"4\r\n<p>O\r\nzz\r\nne\r\n0\r\n\r\n", b"<p>O", True),
        (b"<p>One", b"<p>One", False),
        (b"", b"", False),
    ],
)
def test_chunks(chunks: bytes, body: bytes, is_cut: bool) -> None:
    assert decode_body(chunks, "chunked", None, 100) == (body, is_cut)


# -- damage ----------------------------------------------------------------------------------

BLOCK = len(http(page(1)))


@pytest.mark.parametrize("how", ["plain", "members", "zstd"])
@pytest.mark.parametrize(
    "length", [0, 40, BLOCK + 20, BLOCK + 700, 5000, 10**9, 10**17, 10**30, -4]
)
def test_a_wrong_length_costs_its_record(how: str, length: int) -> None:
    wrong = [*RECORDS[:1], record(1, length=length), *RECORDS[2:]]
    pages, counts = read(packed(wrong, how))
    assert {each.html for each in pages} >= {page(n) for n in (0, 2, 3, 4)}
    assert sum(count for name, count in counts.items() if name.startswith("damaged")) == 1


def test_a_length_that_no_file_has_costs_its_record(tmp_path: Path) -> None:
    wrong = [RECORDS[0], record(1, length=10**18 - 1), RECORDS[2]]
    pages = archive_pages(write(tmp_path / "a.warc", wrong, "plain"), PageReader())
    assert [str(each.url)[-1] for each in pages if each.html] == ["0", "2"]


@pytest.mark.parametrize("how", HOWS)
@pytest.mark.parametrize("size", [60_000, 400_000, 3_000_000])
def test_a_record_that_is_too_large(how: str, size: int) -> None:
    large = record(1, http(os.urandom(size)))
    data = packed([RECORDS[0], large, *RECORDS[2:]], how)
    assert numbers(data, most_record=50_000) == [0, 2, 3, 4]
    assert damage(data, most_record=50_000) == {"too_large": 1}


@pytest.mark.parametrize("how", HOWS)
def test_an_archive_in_a_page_is_not_read(how: str) -> None:
    inner = packed([record(70), record(71)], "plain")
    data = packed([RECORDS[0], record(1, http(page(1) + b"\r\n\r\n" + inner)), RECORDS[2]], how)
    assert [each.url for each in read(data)[0]] == [f"https://a.example/{n}" for n in range(3)]
    assert numbers(data, most_record=1000) == [0, 2]


@pytest.mark.parametrize("how", HOWS)
def test_an_archive_cut_off_anywhere(how: str) -> None:
    data = packed(RECORDS, how)
    for size in range(0, len(data), 7):
        found = numbers(data[:size])
        assert found == list(range(len(found)))
        lost = damage(data[:size])
        assert sum(lost.values()) <= 1
        assert set(lost) <= {"truncated", "corrupt"}
        if how != "one" and size > 8:
            assert len(found) >= size * 5 // len(data) - 1


@pytest.mark.parametrize("how", ["plain", "members", "zstd"])
def test_a_changed_byte_costs_at_most_its_record(how: str) -> None:
    data = packed(RECORDS, how)
    parts = [len(packed([each], how)) for each in RECORDS]
    for at in range(0, len(data), 11):
        wrong = bytearray(data)
        wrong[at] ^= 0x55
        hit = int(np.searchsorted(np.cumsum(parts), at, side="right"))
        pages, _ = read(bytes(wrong))
        good = {each.html for each in pages}
        assert good >= {page(n) for n in range(5) if n != hit}, at


@pytest.mark.parametrize("junk", [b"junk" * 999, bytes(9999)])
def test_junk_between_members(junk: bytes) -> None:
    first, second = packed(RECORDS[:2], "members"), packed(RECORDS[2:], "members")
    assert numbers(first + junk + second + junk) == [0, 1, 2, 3, 4]
    assert damage(first + junk + second) == {"corrupt": 1}


@pytest.mark.parametrize(
    "data", [b"", b"\r\n", b"<html>", b"junk" * 999, b"\x1f\x8b\x08", b"WARC/"]
)
def test_no_archive(data: bytes) -> None:
    pages, counts = read(data)
    assert not [each for each in pages if not (each.reason or "").startswith("damaged: ")]
    assert len(pages) == sum(counts.values()) == bool(data.strip())


def test_a_bomb_is_not_unpacked(tmp_path: Path) -> None:
    inner = gzip.compress(bytes(64 << 20))
    bombs = [
        record(1, http(inner, HTML + "Content-Encoding: gzip\r\n")),
        record(2, http(gzip.compress(inner), HTML + "Content-Encoding: gzip, gzip\r\n")),
        record(3, http(bytes(64 << 20))),
    ]
    data = packed([RECORDS[0], *bombs, RECORDS[4]], "members")
    assert len(data) < 300_000
    pages, counts = read(data, most_record=1 << 20, most_body=1 << 20)
    reasons = [None, "too_large", "too_large", "damaged: too_large", None]
    assert [each.reason for each in pages] == reasons
    assert counts["damaged/too_large"] == 1


# -- archives to files of rows ---------------------------------------------------------------


def write(path: Path, records: Sequence[bytes], how: str = "members") -> str:
    path.write_bytes(packed(list(records), how))
    return str(path)


def rows(folder: Path) -> list[dict[str, Any]]:
    return [
        row for file in sorted(folder.glob("*.parquet")) for row in pq.read_table(file).to_pylist()
    ]


@pytest.mark.parametrize("format", ["parquet", "jsonl"])
def test_rows_of_archives(tmp_path: Path, format: str) -> None:
    records = [*RECORDS, record(9, http(page(0))), record(6, http(b"", status="301 Moved"))]
    paths = [
        write(tmp_path / "a.warc.gz", records),
        write(tmp_path / "b.warc", RECORDS[:2], "plain"),
    ]
    out, made, told = tmp_path / "out", list[Any](), list[ArchiveReport]()
    how = {"on_row": made.append, "progress": told.append, "processes": 2}
    reports = extract_archives(paths, out, format=format, extractor="mss", tag_score=-1.0, **how)
    assert [report.archive for report in reports] == paths
    assert (len(made), told) == (9, reports)
    assert reports[0].counts == {
        "pages": 7,
        "records/response": 7,
        "text": 5,
        "duplicate": 1,
        "status": 1,
    }
    if format == "parquet":
        found = rows(out)
        assert pq.read_table(out / "a.parquet").schema == arrow_schema()
    else:
        text = (out / "a.jsonl").read_text() + (out / "b.jsonl").read_text()
        found = [json.loads(line) for line in text.splitlines()]
    assert [row["url"] for row in found] == [
        *(f"https://a.example/{n}" for n in [0, 1, 2, 3, 4, 9, 6, 0, 1])
    ]
    row = found[3]
    assert list(row) == list(COLUMNS)
    answer = extract(page(3), extractor="mss", tag_score=-1.0)
    assert (row["text"], row["markdown"], row["kind"]) == (answer.text, answer.markdown, "article")
    assert row["metadata"]["title"] == "Page 3"
    assert (row["id"], row["date"], row["status"]) == (
        *("urn:uuid:00000003", "2026-01-02T03:04:05Z", 200),
    )
    assert {each["host"] for each in found} == {"a.example"}
    assert str(row["timestamp"]) == "2026-01-02 03:04:05+00:00"
    assert row["language"] == row["metadata"]["language"] == "en"
    assert len({each["text_digest"] for each in found}) == 6  # of five texts, and of none
    assert [row["reason"] for row in found[5:7]] == ["duplicate", "status"]
    assert found[5]["text"] is None


def test_an_archive_that_was_replaced_is_read_again(tmp_path: Path) -> None:
    path, out = write(tmp_path / "a.warc.gz", RECORDS[:3]), tmp_path / "out"
    extracted([path], out)
    write(tmp_path / "a.warc.gz", RECORDS)
    (report,) = extracted([path], out)
    assert report.is_new
    assert numbers_in(out) == [*range(5)]


@pytest.mark.parametrize("data", [None, b"", b"\r\n"])
def test_a_missing_or_empty_archive_is_an_error_and_not_finished(
    tmp_path: Path, data: bytes | None
) -> None:
    bad = tmp_path / "bad.warc.gz"
    if data is not None:
        bad.write_bytes(data)
    good = write(tmp_path / "good.warc.gz", RECORDS)
    made = extracted([bad, good], tmp_path / "out")
    assert [report.error is None for report in made] == [False, True]
    assert "bad.warc.gz" in str(made[0].error)
    assert len(rows(tmp_path / "out")) == 6
    write(bad, RECORDS[:1])
    made = extracted([bad, good], tmp_path / "out")
    assert [(report.is_new, report.error) for report in made] == [(True, None), (False, None)]
    assert len(rows(tmp_path / "out")) == 6
    assert all(row["url"] for row in rows(tmp_path / "out"))


def test_an_archive_with_damaged_records_is_not_finished(tmp_path: Path) -> None:
    """Its rows are written, and replaced by those of the next call."""
    whole, limit = write(tmp_path / "whole.warc.gz", RECORDS), PageReader(most_record=5000)
    long = write(tmp_path / "long.warc.gz", [record(20), record(21, http(b"x" * 9000))])
    bad = tmp_path / "bad.warc.gz"
    data = packed([record(n) for n in range(10, 13)], "members")
    bad.write_bytes(data[:-30])

    def run() -> list[bool]:
        made = extracted([whole, bad, long], tmp_path / "out", reader=limit)
        assert not any(report.error for report in made)
        return [report.is_new for report in made]

    def found() -> list[str]:
        return sorted(f"{row['url']} {row['reason']}" for row in rows(tmp_path / "out"))

    assert run() == [True] * 3
    before = found()
    assert sum("damaged: truncated" in each for each in before) == 1
    assert run() == [False, True, False]
    assert found() == before
    bad.write_bytes(data)
    assert run() == [False, True, False]
    assert [each for each in found() if "damaged" in each] == [
        "https://a.example/21 damaged: too_large"  # a limit, not damage
    ]
    assert len(found()) == len(before)
    assert run() == [False] * 3


def test_an_index_is_not_finished_before_all_its_archives_are_there(tmp_path: Path) -> None:
    archive = write(tmp_path / "later.warc.gz", RECORDS[:1])
    size = os.path.getsize(archive)
    line = {"url": "https://a.example/0", "filename": "later.warc.gz", "offset": 0, "length": size}
    (tmp_path / "i.cdxj").write_text(f"example,a)/ 20260101000000 {json.dumps(line)}\n")
    os.rename(archive, tmp_path / "away")
    reasons = []
    for _ in range(2):
        extracted([tmp_path / "i.cdxj"], tmp_path / "out")
        table = pq.read_table(tmp_path / "out" / "i.parquet")
        reasons.append(str(table["reason"].to_pylist()[0]).partition(":")[0])
        if not os.path.exists(archive):
            os.rename(tmp_path / "away", archive)
    assert reasons == ["archive", "None"]


def test_a_run_keeps_the_rows_of_others(tmp_path: Path) -> None:
    """Another run is between noting its files and naming them, when this one starts."""
    paths = [write(tmp_path / f"{name}.warc.gz", RECORDS) for name in "abc"]
    out = tmp_path / "out"
    extracted(paths[:1], out)
    notes = Path(progress_folder(out))
    note = (notes / "a.json").read_text()
    out.rename(tmp_path / "later")
    extracted(paths[1:2], out)
    assert (notes / "a.json").read_text() == note
    shutil.copytree(tmp_path / "later", out, dirs_exist_ok=True)
    assert len(numbers_in(out)) == 10
    (notes / "a.json").write_text(note.replace("a.parquet", "other.parquet"))
    extracted(paths[2:], out)
    assert len(numbers_in(out)) == 15


def test_a_damaged_note_has_a_clear_message(tmp_path: Path) -> None:
    path, out = write(tmp_path / "a.warc.gz", RECORDS), tmp_path / "out"
    extracted([path], out)
    note = Path(progress_folder(out)) / "a.json"
    whole = json.loads(note.read_text())
    others: list[Any] = [[5], {"counts": 5}, {"counts": {}}]
    wrong = [
        *('{"how"', "null", "5", '"how"', "[" * 99_999, "\0", '{"how": 5}', '["how"]'),
        *(json.dumps({**whole, key: value}) for key in whole for value in (None, 5, [[5]])),
        *(json.dumps({**whole, "report": value}) for value in others),
    ]
    for text in wrong:
        note.write_text(text)
        with pytest.raises(ValueError, match=r"a\.json (is damaged|belongs to)"):
            extracted([path], out)


@pytest.mark.parametrize("left", range(3))
def test_a_run_that_was_killed_while_it_named_its_file(
    tmp_path: Path, monkeypatch: Any, left: int
) -> None:
    path, out = write(tmp_path / "a.warc.gz", [*map(record, range(9))]), tmp_path / "out"
    moves = 0
    original = os.replace

    def replace(part: str, place: str) -> None:
        nonlocal moves
        moves += 1
        if moves > left:
            raise KeyboardInterrupt
        original(part, place)

    monkeypatch.setattr(os, "replace", replace)
    with suppress(KeyboardInterrupt):
        extracted([path], out)
    monkeypatch.undo()
    extracted([path], out)
    assert sorted(row["url"][-1] for row in rows(out)) == [*"012345678"]


def test_forty_commands_at_once_share_a_folder(tmp_path: Path) -> None:
    paths = [
        write(tmp_path / f"{n}.warc.gz", [record(n * 10 + each) for each in range(10)])
        for n in range(40)
    ]
    out = tmp_path / "out"
    command = [sys.executable, "-m", "scrapy_boilerplate", "extract", "--extractor", "mss"]
    command += ["--format", "jsonl", "--jobs", "1", "-o", f"{out}/", "--quiet"]
    running = [subprocess.Popen([*command, path]) for path in paths]
    assert [each.wait() for each in running] == [0] * 40
    lines = [line for file in out.rglob("*.jsonl") for line in file.read_text().splitlines()]
    assert len(lines) == 400
    assert len({json.loads(line)["url"] for line in lines}) == 400


def test_an_object_store_is_read_once(tmp_path: Path, monkeypatch: Any) -> None:
    bodies = [b"<p>" + os.urandom(30_000).hex().encode() for _ in range(400)]
    data = packed([record(n, http(body)) for n, body in enumerate(bodies)], "members")
    files = pytest.importorskip("fsspec.implementations.memory").MemoryFile
    pytest.importorskip("fsspec").filesystem("memory").pipe("/counted/a.warc.gz", data)
    asked: list[int] = []
    original = files.read

    def read(self: Any, size: int = -1) -> bytes:
        part = original(self, size)
        if part:  # behind the end nothing is asked of a store
            asked.append(len(part))
        return part

    monkeypatch.setattr(files, "read", read)
    path = "memory://counted/a.warc.gz"
    assert len(list(archive_pages(path, PageReader()))) == 400
    assert sum(asked) <= 1.1 * len(data)
    assert len(asked) <= len(data) / (4 << 20) + 2
    asked.clear()
    learn_archives([path], str(tmp_path / "sites.sqlite"), extractor="mss", processes=1)
    assert sum(asked) <= 1.1 * len(data)


def test_mistakes_are_told_before_anything_is_read(tmp_path: Path) -> None:
    one, two = tmp_path / "one", tmp_path / "two"
    paths = []
    for folder in (one, two):
        folder.mkdir()
        paths.append(write(folder / "a.warc.gz", RECORDS))
    with pytest.raises(ValueError, match="have the same name"):
        extract_archives(paths, tmp_path / "out")
    with pytest.raises(ValueError, match="did you mean 'parquet'"):
        extract_archives(paths[:1], tmp_path / "out", format="parqet")
    with pytest.raises(ValueError, match="Unknown extractor"):
        extract_archives(paths[:1], tmp_path / "out", extractor="mms")


def numbers_in(folder: Path) -> list[int]:
    """Return the numbers of the pages in a folder of rows."""
    return [int(row["url"][18:]) for row in rows(folder)]


# -- records by an index ---------------------------------------------------------------------


@pytest.mark.parametrize("name", ["i.cdxj", "i.cdxj.gz", "i.parquet"])
@pytest.mark.parametrize(
    ("where", "found"),
    [
        ({}, "a0 a1 a2 a3 a4 a5 b0 b1 b2 b3 b4 b5"),
        ({"host": ["one.example"]}, "a0 a2 a4 b0 b2 b4"),
        ({"language": ["deu", "fra"], "status": ["200"]}, "a0 a1 b0 b1"),
        ({"language": ["nl"]}, ""),
        ({"mime": ["text/html"], "host": ["two.example"], "language": ["nld"]}, "a3 a5 b3 b5"),
        ({"status": ["404"]}, ""),
    ],
)
def test_records_are_chosen_by_an_index(
    tmp_path: Path, name: str, where: dict[str, list[str]], found: str
) -> None:
    path = index_of(indexed(tmp_path), tmp_path / name)
    reader = PageReader(selection=Selection(where))
    pages = list(archive_pages(path, reader))
    assert [(each.url or "").rpartition("/")[2] for each in pages] == found.split()
    assert all(each.html for each in pages)
    assert sum(reader.counts.values()) == 2 * len(pages)  # no record was read in vain


def test_only_the_ranges_of_chosen_records_are_read(tmp_path: Path) -> None:
    entries = indexed(tmp_path)
    path = tmp_path / "crawl" / "a.warc.gz"
    chosen = [entry for entry in entries if entry["url"].endswith("/a3")]
    data = bytearray(path.stat().st_size)  # all else is wrong
    at = slice(chosen[0]["offset"], chosen[0]["offset"] + chosen[0]["length"])
    data[at] = path.read_bytes()[at]
    path.write_bytes(data)
    index = index_of(chosen, tmp_path / "i.cdxj")
    reader = PageReader(selection=Selection(base=str(tmp_path)))
    assert [each.id for each in archive_pages(index, reader)] == ["urn:uuid:00000003"]
    assert not [name for name in reader.counts if name.startswith("damaged")]


def test_an_index_that_is_wrong(tmp_path: Path) -> None:
    entries = indexed(tmp_path)
    path = index_of(entries, tmp_path / "i.parquet")
    with pytest.raises(ArchiveError, match="the index has no language_of_it; it has: url_host_nam"):
        list(archive_pages(path, PageReader(selection=Selection({"language_of_it": ["x"]}))))


@pytest.mark.parametrize("name", ["i.cdxj", "cdx-00000.gz", "i.parquet"])
@pytest.mark.parametrize("scheme", ["", "file://", "memory:/"])
def test_one_missing_archive_costs_its_records_only(tmp_path: Path, name: str, scheme: str) -> None:
    entries = indexed(tmp_path)
    entries[0]["filename"] = "crawl/none.warc.gz"
    path = index_of(entries, tmp_path / name)
    if scheme == "memory:/":
        memory = pytest.importorskip("fsspec").filesystem("memory")
        for file in filter(Path.is_file, tmp_path.rglob("*")):
            memory.pipe(str(file), file.read_bytes())
    reader = PageReader()
    pages = list(archive_pages(scheme + path, reader))
    assert len([page for page in pages if page.html]) == len(entries) - 1
    (lost,) = [page for page in pages if not page.html]
    assert str(lost.archive).endswith("crawl/none.warc.gz")
    assert str(lost.reason).startswith("archive: 1 of its records cannot be read")
    assert reader.counts["damaged/archive"] == 1


@pytest.mark.parametrize("name", ["i.cdxj", "i.cdxj.gz"])
def test_lines_of_an_index_that_cannot_be_read_are_counted(tmp_path: Path, name: str) -> None:
    entries = indexed(tmp_path)
    path = Path(index_of(entries, tmp_path / name))
    whole = gzip.decompress(path.read_bytes()) if name.endswith(".gz") else path.read_bytes()
    bad = [
        b'a 1 {"url": "x"}',
        b"b 2 [",
        b"c 3 {}",
        b'd 4 {"filename": 5, "offset": -1, "length": 2}',
    ]
    bad += [b'e 5 {"filename": "x", "offset": {}, "length": "2"}', b"f 6 " + b'{"a":' * 9999]
    data = whole + b"\n".join(bad) + b'\ng 7 {"url": "cut'
    path.write_bytes(gzip.compress(data) if name.endswith(".gz") else data)
    reader = PageReader()
    pages = list(archive_pages(path, reader))
    assert len([page for page in pages if page.html]) == len(entries)
    lines = [page.reason for page in pages if not page.html]
    first = len(whole.splitlines()) + 1
    numbers = range(first, first + 7)
    assert lines == [f"damaged: line {number} of the index" for number in numbers]


@pytest.mark.parametrize("name", ["i.cdxj", "i.parquet"])
@pytest.mark.parametrize(("offset", "length"), [(None, 9), (9, None), (-1, 9), (2**62, 9), (0, 0)])
def test_a_place_that_cannot_be_costs_its_record(
    tmp_path: Path, name: str, offset: Any, length: Any
) -> None:
    entries = indexed(tmp_path)
    entries.append(entries[0] | {"offset": offset, "length": length})
    reader = PageReader()
    pages = list(archive_pages(index_of(entries, tmp_path / name), reader))
    assert len([page for page in pages if page.html]) == len(entries) - 1
    assert reader.counts["damaged/index"] == 1


@pytest.mark.parametrize("length", [1 << 33, 1 << 60])
def test_a_length_without_end_needs_no_memory(tmp_path: Path, length: int) -> None:
    entries = indexed(tmp_path)[:1]
    path = index_of([entries[0] | {"length": length}], tmp_path / "i.cdxj")
    page, *_ = archive_pages(path, PageReader())
    assert page.html


@pytest.mark.parametrize("kind", ["i.cdxj", "i.parquet"])
@pytest.mark.parametrize(
    "name",
    ["../secret.warc.gz", "{top}/secret.warc.gz", "file://{top}/secret.warc.gz", "a/../../x", "\0"],
)
def test_an_index_leads_to_no_archive_outside(tmp_path: Path, kind: str, name: str) -> None:
    entries = indexed(tmp_path / "archives")
    (tmp_path / "archives/crawl/a.warc.gz").rename(tmp_path / "secret.warc.gz")
    whole = [each | {"filename": f"{tmp_path}/archives/{each['filename']}"} for each in entries[6:]]
    entries = [each | {"filename": name.format(top=tmp_path)} for each in entries[:1]] + whole
    index = index_of(entries, tmp_path / kind)
    reader = PageReader(selection=Selection(base=str(tmp_path / "archives")))
    pages = list(archive_pages(index, reader))
    assert [page.reason for page in pages if not page.html] == ["damaged: place in the index"]
    assert len(pages) == len(entries)


def test_no_pipe_is_read_as_an_archive(tmp_path: Path) -> None:
    entries = indexed(tmp_path)
    os.mkfifo(tmp_path / "pipe.warc.gz")
    index = index_of([entries[0] | {"filename": "pipe.warc.gz"}], tmp_path / "i.cdxj")
    reader = PageReader(selection=Selection(base=str(tmp_path)))
    (page_,) = archive_pages(index, reader)
    assert "it is a pipe or a device" in str(page_.reason)
    (tmp_path / "folder").mkdir()
    os.mkfifo(tmp_path / "folder/a.html")
    os.mkfifo(tmp_path / "folder/a")
    assert not [*listed([str(tmp_path / "folder")])]


def test_an_index_that_is_no_index_or_cut_off_gives_what_can_be_read(tmp_path: Path) -> None:
    path = tmp_path / "i.cdxj.gz"
    path.write_bytes(gzip.compress(b"x" * (5 << 20)))
    assert {page.reason for page in archive_pages(path, PageReader())} == {
        f"damaged: line {number} of the index" for number in range(1, 6)
    }
    index_of(indexed(tmp_path), path)
    path.write_bytes(path.read_bytes()[:-40])
    pages = list(archive_pages(path, PageReader()))
    assert {bool(page.reason) for page in pages if not page.html} == {True}
    assert [page for page in pages if page.html]


def test_a_row_leads_back_to_its_bytes(tmp_path: Path) -> None:
    for how in ("plain", "members", "zstd"):
        path = write(tmp_path / f"{how}.warc", RECORDS, how)
        data = Path(path).read_bytes()
        for page_ in archive_pages(path, PageReader()):
            assert (page_.archive, page_.content_type) == (path, "text/html; charset=utf-8")
            (first, *_) = PageReader().pages(io.BytesIO(data[page_.offset :]))
            assert first.url == page_.url


@pytest.mark.parametrize(
    ("where", "chosen"),
    [
        ({"status": ["200"]}, [0, 2, 3]),
        ({"host": ["a.example"]}, [0, 1]),
        ({"domain": ["b.example"], "mime": ["text/html"]}, [2]),
        ({"status": ["404", "500"]}, [1]),
    ],
)
def test_records_are_chosen_without_an_index(where: Any, chosen: list[int]) -> None:
    records = [
        record(0),
        record(1, http(page(1), status="404 Gone")),
        record(2, url="https://www.b.example/2"),
        record(
            3, http(page(3), "Content-Type: application/xhtml+xml\r\n"), url="https://b.example/3"
        ),
    ]
    reader = PageReader(selection=Selection(where))
    found = [each.url for each in reader.pages(io.BytesIO(packed(records, "members")))]
    assert [int(str(url)[-1]) for url in found] == chosen


@pytest.mark.parametrize(
    ("headers", "head", "expected"),
    [
        ("", "", (None, None, None)),
        ("X-Robots-Tag: noindex\r\n", "", ("noindex", True, None)),
        ("X-Robots-Tag: nofollow\r\nx-robots-tag: none\r\n", "", ("nofollow, none", True, None)),
        ("X-Robots-Tag: otherbot: noindex\r\n", "", ("otherbot: noindex", False, None)),
        ("", "<meta name=Robots content='NOINDEX, follow'>", (None, True, None)),
        ("X-Robots-Tag: all\r\n", "<meta name=robots content=all>", ("all", False, None)),
        ("TDM-Reservation: 1\r\n", "", (None, None, True)),
        ("tdm-reservation: 0\r\n", "<meta name=tdm-reservation content=1>", (None, None, True)),
        ("tdm-reservation: 0\r\n", "", (None, None, False)),
    ],
)  # fmt: skip
def test_what_a_page_reserves(
    tmp_path: Path, headers: str, head: str, expected: tuple[object, ...]
) -> None:
    records = [
        record(0, http(head.encode() + page(0), HTML + headers)),
        record(1, http(b"", HTML + headers, status="404 Gone")),
    ]
    extracted(
        [write(tmp_path / "a.warc", records, "plain")],
        tmp_path / "out",
        columns=["x_robots_tag", "noindex", "tdm_reservation"],
    )
    page_row, gone = pq.read_table(tmp_path / "out").to_pylist()
    assert tuple(page_row.values()) == expected
    if not head:
        assert gone == page_row


def test_shares_of_a_page(tmp_path: Path) -> None:
    text = "<p>" + "word " * 90 + "<a href=/x>" + "link " * 10 + "</a></p>"
    menu = "<ul>" + "<li><a href=/y>Menu</a></li>" * 25 + "</ul>"
    extract_archives(
        [write(tmp_path / "a.warc", [record(0, http((menu + text).encode()))], "plain")],
        tmp_path / "out",
        extractor="mss",
        processes=1,
    )
    (row,) = pq.read_table(tmp_path / "out").to_pylist()
    assert row["text"].split() == ["word"] * 90 + ["link"] * 10
    assert row["link_density"] == pytest.approx(0.1)
    assert row["text_share"] == pytest.approx(0.8)


def test_the_language_alone_is_that_of_the_metadata() -> None:
    pytest.importorskip("pycld2")
    german = "<p>" + "Das ist ein deutscher Text, der lang genug ist, damit man ihn erkennt. " * 4
    pages = [
        german,
        f"<html lang=de-AT>{german}",
        f"<html lang=en>{german}",
        f"<meta property=og:locale content=de_DE>{german}",
        "<html lang=fr><p>Court",
        "<p>Short",
    ]
    for html in pages:
        both, alone = (
            PageRows("mss", columns=columns)(InputPage(html))
            for columns in (None, ["language", "language_score"])
        )
        assert "metadata" not in alone
        assert alone["language"] == both["language"] == (both["metadata"]["language"] or None)
        assert (
            (alone["language_score"] or 0) > 0.9 if german in html else not alone["language_score"]
        )
